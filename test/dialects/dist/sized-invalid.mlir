// RUN: graph-opt %s --split-input-file --verify-diagnostics
// Channels whose messages have an actual size, and what says it.

dist.phase @p {role = #graph.role<train>}
// (CH11)
// expected-error @below {{is sized, but carries the control message}}
dist.channel @c : tensor<i64> from @a to @b {control, sized}

// -----

dist.phase @p {role = #graph.role<train>}
// (CH11)
// expected-error @below {{is sized, but all_to_all}}
dist.channel @c : tensor<4xf32> from @a to @a {all_to_all, instances = 2, sized}

// -----

dist.phase @p {role = #graph.role<train>}
// (CH11)
// expected-error @below {{is sized, but zero-copy}}
dist.channel @c : tensor<4xf32> from @a to @b {zero_copy, sized}

// -----

dist.phase @p {role = #graph.role<train>}
// (CH11)
// expected-error @below {{is sized, but conflating}}
dist.channel @c : tensor<4xf32> from @a to @b {conflating, sized}

// -----

dist.phase @p {role = #graph.role<train>}
// (CH11)
// expected-error @below {{is sized, but its values have no dimension of which messages could have less}}
dist.channel @c : tensor<f32> from @a to @b {sized}

// -----

dist.phase @p {role = #graph.role<train>}
// expected-note @below {{channel declared here}}
dist.channel @c : tensor<4xf32> from @a to @b {sized}
dist.program @a of @p on "/job:worker/task:0/device:CPU:0" {
  %0 = graph.constant dense<1.0> : tensor<4xf32>
  // (SZ1)
  // expected-error @below {{expects a count of type 'tensor<i64>', how many entries of dimension 0 its one message of @c has}}
  dist.send @c, %0 : tensor<4xf32>
  dist.end
}
dist.program @b of @p on "/job:ps/task:0/device:CPU:0" {
  %n = graph.constant dense<1> : tensor<i64>
  %1 = dist.receive @c count %n : tensor<i64> : tensor<4xf32>
  dist.end
}

// -----

dist.phase @p {role = #graph.role<train>}
// expected-note @below {{channel declared here}}
dist.channel @c : tensor<4xf32> from @a to @b {sized}
dist.program @a of @p on "/job:worker/task:0/device:CPU:0" {
  %0 = graph.constant dense<1.0> : tensor<4xf32>
  %n = graph.constant dense<1> : tensor<i64>
  dist.send @c, %0 count %n : tensor<i64> : tensor<4xf32>
  dist.end
}
dist.program @b of @p on "/job:ps/task:0/device:CPU:0" {
  %n = graph.constant dense<1> : tensor<i32>
  // (SZ1)
  // expected-error @below {{expects a count of type 'tensor<i64>', how many entries of dimension 0 its one message of @c has}}
  %1 = dist.receive @c count %n : tensor<i32> : tensor<4xf32>
  dist.end
}

// -----

dist.phase @p {role = #graph.role<train>}
// expected-note @below {{channel declared here}}
dist.channel @c : tensor<4xf32> from @a to @b
dist.program @a of @p on "/job:worker/task:0/device:CPU:0" {
  %0 = graph.constant dense<1.0> : tensor<4xf32>
  %n = graph.constant dense<1> : tensor<i64>
  // (SZ1)
  // expected-error @below {{has a count, but messages of @c have their type's size}}
  dist.send @c, %0 count %n : tensor<i64> : tensor<4xf32>
  dist.end
}
dist.program @b of @p on "/job:ps/task:0/device:CPU:0" {
  %1 = dist.receive @c : tensor<4xf32>
  dist.end
}

// -----

dist.phase @p {role = #graph.role<train>}
// expected-note @below {{channel declared here}}
dist.channel @c : tensor<4xf32> from @a to @b {instances = 2, sized}
dist.program @a of @p on "/job:worker/device:CPU:0" replicas(2) {
  %0 = graph.constant dense<1.0> : tensor<4xf32>
  %n = graph.constant dense<1> : tensor<i64>
  dist.send @c, %0 count %n : tensor<i64> : tensor<4xf32>
  dist.end
}
dist.program @b of @p on "/job:ps/task:0/device:CPU:0" {
  %n = graph.constant dense<1> : tensor<i64>
  // (SZ1)
  // expected-error @below {{expects a count of type 'tensor<2xi64>', how many entries of dimension 0 each message of @c has}}
  %1 = dist.collect @c count %n : tensor<i64> : tensor<8xf32>
  dist.end
}

// -----

dist.phase @p {role = #graph.role<train>}
// expected-note @below {{channel declared here}}
dist.channel @c : tensor<4xf32> from @a to @b {instances = 2, sized}
dist.program @a of @p on "/job:worker/device:CPU:0" replicas(2) {
  %0 = graph.constant dense<1.0> : tensor<4xf32>
  %n = graph.constant dense<1> : tensor<i64>
  dist.send @c, %0 count %n : tensor<i64> : tensor<4xf32>
  dist.end
}
dist.program @b of @p on "/job:ps/task:0/device:CPU:0" {
  // A sum takes whole messages.
  // expected-error @below {{expects a count of type 'tensor<i64>'}}
  %1 = dist.aggregate @c : tensor<4xf32>
  dist.end
}

// -----

dist.phase @p {role = #graph.role<train>}
// expected-note @below {{channel declared here}}
dist.channel @c : tensor<4xf32> from @b to @a {instances = 2, sized}
dist.program @a of @p on "/job:worker/device:CPU:0" replicas(2) {
  %n = graph.constant dense<1> : tensor<i64>
  %1 = dist.receive @c count %n : tensor<i64> : tensor<4xf32>
  dist.end
}
dist.program @b of @p on "/job:ps/task:0/device:CPU:0" {
  %0 = graph.constant dense<1.0> : tensor<4xf32>
  %n = graph.constant dense<1> : tensor<i64>
  // One message to several instances, which would each have to know what the others have.
  // expected-error @below {{expects a count}}
  dist.send @c, %0 count %n : tensor<i64> : tensor<4xf32>
  dist.end
}
