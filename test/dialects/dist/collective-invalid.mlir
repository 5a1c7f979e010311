// RUN: graph-opt %s --split-input-file --verify-diagnostics

dist.phase @p {role = #graph.role<train>}
// (CH3)
// expected-error @below {{is all_to_all, but goes from @a to @b; expected data among the instances of one replicated program}}
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

// -----

dist.phase @p {role = #graph.role<train>}
// (CH8)
// expected-error @below {{has the unknown algorithm "tree"; expected "scatter", "ring" or "doubling"}}
dist.channel @c : tensor<64xf32> from @a to @a {all_to_all, instances = 2, algorithm = "tree", chunk = 16}

// -----

dist.phase @p {role = #graph.role<train>}
// (CH8)
// expected-error @below {{expects algorithm and chunk both or neither; only algorithm is given}}
dist.channel @c : tensor<64xf32> from @a to @a {all_to_all, instances = 2, algorithm = "ring"}

// -----

dist.phase @p {role = #graph.role<train>}
// (CH8)
// expected-error @below {{has the algorithm "ring", but is not all_to_all}}
dist.channel @c : tensor<64xf32> from @a to @b {instances = 2, algorithm = "ring", chunk = 16}

// -----

dist.phase @p {role = #graph.role<train>}
// (CH8)
// expected-error @below {{has chunks of 24 elements, which do not divide its 64}}
dist.channel @c : tensor<64xf32> from @a to @a {all_to_all, instances = 2, algorithm = "scatter", chunk = 24}

// -----

dist.phase @p {role = #graph.role<train>}
// (CH8)
// expected-error @below {{has 4 chunks, which its 3 instances do not divide}}
dist.channel @c : tensor<64xf32> from @a to @a {all_to_all, instances = 3, algorithm = "scatter", chunk = 16}

// -----

dist.phase @p {role = #graph.role<train>}
// (CH8)
// expected-error @below {{has the algorithm "doubling" among 3 instances, expected a power of two}}
dist.channel @c : tensor<64xf32> from @a to @a {all_to_all, instances = 3, algorithm = "doubling", chunk = 64}

// -----

func.func private @add(memref<4xf32>, memref<4xf32>)
dist.phase @p {role = #graph.role<train>}
// expected-note @below {{channel declared here}}
dist.channel @c : tensor<8xf32> from @a to @a {all_to_all, instances = 2}
dist.program @a of @p on "/job:worker/device:CPU:0" replicas(2) {
  %0 = dist.buffer : memref<8xf32>
  %1 = dist.buffer : memref<4xf32>
  // (AR1)
  // expected-error @below {{sums over @c, which has no algorithm; expected one on its dist.channel}}
  dist.all_reduce_start @c, %0 scratch %1 by @add : memref<8xf32>, memref<4xf32>
  dist.all_reduce_done @c, %0 scratch %1 : memref<8xf32>, memref<4xf32>
  dist.end
}

// -----

func.func private @add(memref<4xf32>, memref<4xf32>)
dist.phase @p {role = #graph.role<train>}
dist.channel @c : tensor<8xf32> from @a to @a {all_to_all, instances = 2, algorithm = "scatter", chunk = 4}
dist.program @a of @p on "/job:worker/device:CPU:0" replicas(2) {
  %0 = dist.buffer : memref<8xf32>
  %1 = dist.buffer : memref<3xf32>
  // (AR1)
  // expected-error @below {{has scratch memory of type 'memref<3xf32>', expected as many elements as divide the 4 of one chunk}}
  dist.all_reduce_start @c, %0 scratch %1 by @add : memref<8xf32>, memref<3xf32>
  dist.all_reduce_done @c, %0 scratch %1 : memref<8xf32>, memref<3xf32>
  dist.end
}

// -----

func.func private @add(memref<0xf32>, memref<0xf32>)
dist.phase @p {role = #graph.role<train>}
dist.channel @c : tensor<8xf32> from @a to @a {all_to_all, instances = 2, algorithm = "scatter", chunk = 4}
dist.program @a of @p on "/job:worker/device:CPU:0" replicas(2) {
  %0 = dist.buffer : memref<8xf32>
  %1 = dist.buffer : memref<0xf32>
  // (AR1)
  // expected-error @below {{has scratch memory of type 'memref<0xf32>', expected as many elements as divide the 4 of one chunk}}
  dist.all_reduce_start @c, %0 scratch %1 by @add : memref<8xf32>, memref<0xf32>
  dist.all_reduce_done @c, %0 scratch %1 : memref<8xf32>, memref<0xf32>
  dist.end
}

// -----

// A member that begins a sum and never comes to its end.
func.func private @add(memref<4xf32>, memref<4xf32>)
dist.phase @p {role = #graph.role<train>}
// expected-error @below {{has no receiver in program @a}}
dist.channel @c : tensor<8xf32> from @a to @a {all_to_all, instances = 2, algorithm = "scatter", chunk = 4}
dist.program @a of @p on "/job:worker/device:CPU:0" replicas(2) {
  %0 = dist.buffer : memref<8xf32>
  %1 = dist.buffer : memref<4xf32>
  // expected-note @below {{and is sent here}}
  dist.all_reduce_start @c, %0 scratch %1 by @add : memref<8xf32>, memref<4xf32>
  dist.end
}

// -----

func.func private @add(memref<4xf32>, memref<4xf32>)
dist.phase @p {role = #graph.role<train>}
dist.channel @c : tensor<20xf32> from @a to @a {all_to_all, instances = 5, algorithm = "scatter", chunk = 4}
dist.program @a of @p on "/job:worker/device:CPU:0" replicas(5) {
  %0 = dist.buffer : memref<20xf32>
  %1 = dist.buffer : memref<8xf32>
  // (AR1)
  // expected-error @below {{has scratch memory of type 'memref<8xf32>', expected for each of 2 partial sums a multiple of 64 bytes with as many elements as divide the 4 of one chunk}}
  dist.all_reduce_start @c, %0 scratch %1 by @add : memref<20xf32>, memref<8xf32>
  dist.all_reduce_done @c, %0 scratch %1 : memref<20xf32>, memref<8xf32>
  dist.end
}

// -----

func.func private @add(memref<4xf32>, memref<4xf32>)
dist.phase @p {role = #graph.role<train>}
dist.channel @c : tensor<4xf32> from @w to @ps {instances = 8}
dist.program @w of @p on "/job:worker/device:CPU:0" replicas(8) {
  %0 = dist.buffer : memref<4xf32>
  dist.send @c, %0 : memref<4xf32>
  dist.end
}
dist.program @ps of @p on "/job:ps/task:0/device:CPU:0" {
  %0 = dist.buffer : memref<4xf32>
  // (AI2)
  // expected-error @below {{sums 8 messages with 2 partial sums beside the sum, expected scratch memory of 32 'f32'}}
  dist.aggregate_into @c, %0 by @add : memref<4xf32>
  dist.end
}

// -----

func.func private @add(memref<4xf32>, memref<4xf32>)
dist.phase @p {role = #graph.role<train>}
dist.channel @c : tensor<4xf32> from @w to @ps {instances = 3}
dist.program @w of @p on "/job:worker/device:CPU:0" replicas(3) {
  %0 = dist.buffer : memref<4xf32>
  dist.send @c, %0 : memref<4xf32>
  dist.end
}
dist.program @ps of @p on "/job:ps/task:0/device:CPU:0" {
  %0 = dist.buffer : memref<4xf32>
  %1 = dist.buffer : memref<16xf32>
  // (AI2)
  // expected-error @below {{sums 3 messages with 0 partial sums beside the sum, expected no scratch memory}}
  dist.aggregate_into @c, %0 scratch %1 by @add : memref<4xf32> scratch memref<16xf32>
  dist.end
}

// -----

dist.phase @p {role = #graph.role<train>}
dist.program @a of @p on "/job:worker/task:0/device:CPU:0" {
  %0 = dist.buffer : memref<f32>
  // (FE1)
  // expected-error @below {{is a sum over 4 micro-batches of each replica, expected the reduction "mean" in a replicated program}}
  dist.fetch "loss", %0 {micro_batches = 4} : memref<f32>
  dist.end
}

// -----

dist.phase @p {role = #graph.role<train>}
// (CH9)
// expected-error @below {{sums 4 instances within 2 hosts first; expected the algorithm "scatter" and as many on each, a power of two of at least 2}}
dist.channel @c : tensor<48xf32> from @a to @a {all_to_all, instances = 4, hosts = 2}
dist.program @a of @p on "/job:worker/device:CPU:0" replicas(4) {
  dist.end
}

// -----

dist.phase @p {role = #graph.role<train>}
// (CH9)
// expected-error @below {{sums 4 instances within 2 hosts first; expected the algorithm "scatter" and as many on each, a power of two of at least 2}}
dist.channel @c : tensor<48xf32> from @a to @a {all_to_all, instances = 4, algorithm = "ring", chunk = 4, hosts = 2}
dist.program @a of @p on "/job:worker/device:CPU:0" replicas(4) {
  dist.end
}

// -----

dist.phase @p {role = #graph.role<train>}
// (CH9)
// expected-error @below {{sums 4 instances within 3 hosts first; expected the algorithm "scatter" and as many on each, a power of two of at least 2}}
dist.channel @c : tensor<48xf32> from @a to @a {all_to_all, instances = 4, algorithm = "scatter", chunk = 4, hosts = 3}
dist.program @a of @p on "/job:worker/device:CPU:0" replicas(4) {
  dist.end
}

// -----

dist.phase @p {role = #graph.role<train>}
// (CH9)
// expected-error @below {{sums 4 instances within 4 hosts first; expected the algorithm "scatter" and as many on each, a power of two of at least 2}}
dist.channel @c : tensor<48xf32> from @a to @a {all_to_all, instances = 4, algorithm = "scatter", chunk = 4, hosts = 4}
dist.program @a of @p on "/job:worker/device:CPU:0" replicas(4) {
  dist.end
}

// -----

dist.phase @p {role = #graph.role<train>}
// (CH9)
// expected-error @below {{sums 6 instances within 2 hosts first; expected the algorithm "scatter" and as many on each, a power of two of at least 2}}
dist.channel @c : tensor<48xf32> from @a to @a {all_to_all, instances = 6, algorithm = "scatter", chunk = 4, hosts = 2}
dist.program @a of @p on "/job:worker/device:CPU:0" replicas(6) {
  dist.end
}

// -----

// Of 16 instances a sum has 3 partial sums, of 8 hosts with 2 each 2 at a time.
func.func private @add(memref<16xf32>, memref<16xf32>)
dist.phase @p {role = #graph.role<train>}
dist.channel @c : tensor<256xf32> from @a to @a {all_to_all, instances = 16, algorithm = "scatter", chunk = 16, hosts = 8}
dist.program @a of @p on "/job:worker/device:CPU:0" replicas(16) {
  %0 = dist.buffer : memref<256xf32>
  %1 = dist.buffer : memref<16xf32>
  // (AR1)
  // expected-error @below {{has scratch memory of type 'memref<16xf32>', expected for each of 2 partial sums a multiple of 64 bytes with as many elements as divide the 16 of one chunk}}
  dist.all_reduce_start @c, %0 scratch %1 by @add : memref<256xf32>, memref<16xf32>
  dist.all_reduce_done @c, %0 scratch %1 : memref<256xf32>, memref<16xf32>
  dist.end
}

// -----

dist.phase @p {role = #graph.role<train>}
dist.channel @c : tensor<4xf32> from @a to @b {instances = 2}
dist.program @a of @p on "/job:worker/device:CPU:0" replicas(2) {
  %0 = graph.constant dense<1.0> : tensor<4xf32>
  // expected-note @below {{the other end is here}}
  dist.send @c, %0 : tensor<4xf32>
  dist.end
}
dist.program @b of @p on "/job:ps/task:0/device:CPU:0" {
  // (CL1)
  // expected-error @below {{has a value of type 'tensor<4xf32>', but channel @c carries 'tensor<4xf32>', of which there are 2, end to end along dimension 0}}
  %1 = dist.collect @c : tensor<4xf32>
  dist.end
}

// -----

dist.phase @p {role = #graph.role<train>}
dist.channel @c : tensor<4xf32> from @a to @b
// expected-note @below {{sending program declared here}}
dist.program @a of @p on "/job:worker/task:0/device:CPU:0" {
  %0 = graph.constant dense<1.0> : tensor<4xf32>
  dist.send @c, %0 : tensor<4xf32>
  dist.end
}
dist.program @b of @p on "/job:ps/task:0/device:CPU:0" {
  // (A1)
  // expected-error @below {{takes the messages of all instances of a replicated program in a program of one instance; @a has 1 instance(s) and @b has 1}}
  %1 = dist.collect @c : tensor<4xf32>
  dist.end
}

// -----

dist.phase @p {role = #graph.role<train>}
// expected-note @below {{channel declared here}}
dist.channel @c : tensor<4xf32> from @a to @b
dist.program @a of @p on "/job:worker/task:0/device:CPU:0" {
  %0 = graph.constant dense<1.0> : tensor<8xf32>
  // (DL1)
  // expected-error @below {{deals pieces of its value to the instances of a replicated program; @a has 1 instance(s) and @b has 1}}
  dist.send @c, %0 {deal} : tensor<8xf32>
  dist.end
}
dist.program @b of @p on "/job:ps/task:0/device:CPU:0" {
  %1 = dist.receive @c : tensor<4xf32>
  dist.end
}

// -----

dist.phase @p {role = #graph.role<train>}
dist.channel @c : tensor<4xf32> from @a to @b {instances = 2}
dist.program @a of @p on "/job:ps/task:0/device:CPU:0" {
  %0 = graph.constant dense<1.0> : tensor<9xf32>
  // (DL1)
  // expected-error @below {{has a value of type 'tensor<9xf32>', but channel @c carries 'tensor<4xf32>', of which there are 2, end to end along dimension 0}}
  dist.send @c, %0 {deal} : tensor<9xf32>
  dist.end
}
dist.program @b of @p on "/job:worker/device:CPU:0" replicas(2) {
  // expected-note @below {{the other end is here}}
  %1 = dist.receive @c : tensor<4xf32>
  dist.end
}
