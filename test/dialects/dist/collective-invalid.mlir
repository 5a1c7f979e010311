// RUN: graph-opt %s --split-input-file --verify-diagnostics

dist.phase @p {role = #graph.role<train>}
// (CH3)
// expected-error @below {{is all_to_all, but goes from @a to @b; expected data among the instances of one family}}
dist.channel @c : tensor<4xf32> from @a to @b {all_to_all, instances = 2}

// -----

dist.phase @p {role = #graph.role<train>}
// (CH3)
// expected-error @below {{is all_to_all, but @a has one instance, which has nobody to exchange with}}
dist.channel @c : tensor<4xf32> from @a to @a {all_to_all}
// expected-note @below {{program declared here}}
dist.program @a of @p on "/job:worker/task:0/device:CPU:0" {
  dist.end
}

// -----

// A member that never reaches the collective: it sends and does not take the sum.
dist.phase @p {role = #graph.role<train>}
// expected-error @below {{has no receiver in program @a}}
dist.channel @c : tensor<4xf32> from @a to @a {all_to_all, instances = 2}
dist.program @a of @p on "/job:worker/device:CPU:0" replicas(2) {
  %0 = graph.constant dense<1.0> : tensor<4xf32>
  // expected-note @below {{and is sent here}}
  dist.send @c, %0 : tensor<4xf32>
  dist.end
}

// -----

dist.phase @p {role = #graph.role<train>}
// expected-note @below {{channel declared here}}
dist.channel @c : tensor<4xf32> from @a to @a {all_to_all, instances = 2}
dist.program @a of @p on "/job:worker/device:CPU:0" replicas(2) {
  %0 = graph.constant dense<1.0> : tensor<4xf32>
  dist.send @c, %0 : tensor<4xf32>
  // (A1)
  // expected-error @below {{expects `own`, what this instance adds to the sum, because @c is all_to_all}}
  %1 = dist.aggregate @c : tensor<4xf32>
  dist.end
}

// -----

dist.phase @p {role = #graph.role<train>}
// expected-note @below {{channel declared here}}
dist.channel @c : tensor<4xf32> from @a to @b {instances = 2}
dist.program @a of @p on "/job:worker/device:CPU:0" replicas(2) {
  %0 = graph.constant dense<1.0> : tensor<4xf32>
  dist.send @c, %0 : tensor<4xf32>
  dist.end
}
dist.program @b of @p on "/job:ps/task:0/device:CPU:0" {
  %0 = graph.constant dense<1.0> : tensor<4xf32>
  // (A1)
  // expected-error @below {{has `own`, but no instance takes part in it because @c is not all_to_all}}
  %1 = dist.aggregate @c own %0 : tensor<4xf32>
  dist.end
}

// -----

dist.phase @p {role = #graph.role<train>}
dist.program @a of @p on "/job:worker/task:0/device:CPU:0" {
  %0 = graph.constant dense<1.0> : tensor<4xf32>
  %1 = graph.constant dense<1> : tensor<4xi32>
  // (PK1)
  // expected-error @below {{packs 'tensor<4xi32>' and 'tensor<32xf32>'; expected one element type}}
  %2 = dist.pack %0, %1 : (tensor<4xf32>, tensor<4xi32>) -> tensor<32xf32>
  dist.end
}

// -----

dist.phase @p {role = #graph.role<train>}
dist.program @a of @p on "/job:worker/task:0/device:CPU:0" {
  %0 = graph.constant dense<1.0> : tensor<8xf32>
  // (PK1)
  // expected-error @below {{needs 32 elements with each value at a multiple of 64 bytes, but the packed value is 'tensor<8xf32>'}}
  %1, %2 = dist.unpack %0 : (tensor<8xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  dist.end
}

// -----

dist.phase @p {role = #graph.role<train>}
dist.program @a of @p on "/job:worker/task:0/device:CPU:0" {
  %0 = dist.buffer : memref<32xf32>
  // (VW2)
  // expected-error @below {{begins at byte 4, expected a multiple of 64}}
  %1 = dist.view %0 {offset = 4} : memref<32xf32> to memref<4xf32>
  dist.end
}

// -----

dist.phase @p {role = #graph.role<train>}
dist.program @a of @p on "/job:worker/task:0/device:CPU:0" {
  %0 = dist.buffer : memref<32xf32>
  // (VW1)
  // expected-error @below {{goes from 'memref<32xf32>' to 'memref<17xf32>' at byte 64, which is beyond its end}}
  %1 = dist.view %0 {offset = 64} : memref<32xf32> to memref<17xf32>
  dist.end
}

// -----

graph.variable @w : tensor<32xf32> = #graph.zeros
dist.phase @p {role = #graph.role<train>}
dist.program @a of @p on "/job:worker/task:0/device:CPU:0" {
  %0 = dist.variable_buffer @w : memref<32xf32>
  // (VW2)
  // expected-error @below {{is a part of 'memref<32xf32>'; expected as many elements, or a dist.buffer to take a part of}}
  %1 = dist.view %0 : memref<32xf32> to memref<4xf32>
  dist.end
}
