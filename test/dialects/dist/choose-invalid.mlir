// RUN: graph-opt %s --split-input-file --verify-diagnostics
// Update tickets and choices of asynchronous phases and of those with backup workers.

// (T2)
dist.phase @p {role = #graph.role<train>, ends_by_end_of_stream}
dist.program @a of @p on "/job:s/task:0/device:CPU:0" {
  // expected-error @below {{expects max_staleness of at least 0, got -1}}
  dist.ticket {max_staleness = -1 : i64}
  dist.end
}

// -----

// (CO1) more than there are
dist.phase @p {role = #graph.role<train>, ends_by_end_of_stream}
dist.channel @o : tensor<i64> from @proxy to @main {conflating, instances = 3}
dist.program @proxy of @p on "/job:ps/task:0/device:CPU:0" replicas(3) {
  %v = dist.feed "v" : tensor<i64>
  dist.send @o, %v : tensor<i64>
  dist.end
}
dist.program @main of @p on "/job:ps/task:0/device:CPU:0" {
  dist.ticket
  %v = dist.feed "v" : tensor<i64>
  // expected-error @below {{takes 4 of 3 instances}}
  %s = dist.choose @o at %v {take = 4 : i64} : tensor<i64> -> tensor<3xi1>
  dist.end
}

// -----

// (CO1) the set has one i1 an instance
dist.phase @p {role = #graph.role<train>, ends_by_end_of_stream}
dist.channel @o : tensor<i64> from @proxy to @main {conflating, instances = 3}
dist.program @proxy of @p on "/job:ps/task:0/device:CPU:0" replicas(3) {
  %v = dist.feed "v" : tensor<i64>
  dist.send @o, %v : tensor<i64>
  dist.end
}
dist.program @main of @p on "/job:ps/task:0/device:CPU:0" {
  dist.ticket
  %v = dist.feed "v" : tensor<i64>
  // expected-error @below {{has a set of type 'tensor<2xi1>'; expected one i1 for each of the 3 instances}}
  %s = dist.choose @o at %v {take = 2 : i64} : tensor<i64> -> tensor<2xi1>
  dist.end
}

// -----

// (CO1) a fifo
dist.phase @p {role = #graph.role<train>, ends_by_end_of_stream}
// expected-note @below {{channel declared here}}
dist.channel @o : tensor<i64> from @proxy to @main {instances = 3}
dist.program @proxy of @p on "/job:ps/task:0/device:CPU:0" replicas(3) {
  %v = dist.feed "v" : tensor<i64>
  dist.send @o, %v : tensor<i64>
  dist.end
}
dist.program @main of @p on "/job:ps/task:0/device:CPU:0" {
  dist.ticket
  %v = dist.feed "v" : tensor<i64>
  // expected-error @below {{expects a conflating channel, whose messages can be passed over; @o is a fifo}}
  %s = dist.choose @o at %v {take = 2 : i64} : tensor<i64> -> tensor<3xi1>
  dist.end
}

// -----

// (CO1) versions are i64
dist.phase @p {role = #graph.role<train>, ends_by_end_of_stream}
dist.channel @o : tensor<i64> from @proxy to @main {conflating, instances = 3}
dist.program @proxy of @p on "/job:ps/task:0/device:CPU:0" replicas(3) {
  %v = dist.feed "v" : tensor<i64>
  dist.send @o, %v : tensor<i64>
  dist.end
}
dist.program @main of @p on "/job:ps/task:0/device:CPU:0" {
  dist.ticket
  %v = dist.feed "v" : tensor<i32>
  // expected-error @below {{compares versions of type 'tensor<i32>' and 'tensor<i64>'; expected 'tensor<i64>'}}
  %s = dist.choose @o at %v {take = 2 : i64} : tensor<i32> -> tensor<3xi1>
  dist.end
}

// -----

// (A2) a sum of some of a fifo's messages
dist.phase @p {role = #graph.role<train>, ends_by_end_of_stream}
// expected-note @below {{channel declared here}}
dist.channel @g : tensor<4xf32> from @proxy to @main {instances = 3}
dist.program @proxy of @p on "/job:ps/task:0/device:CPU:0" replicas(3) {
  %g = dist.feed "g" : tensor<4xf32>
  dist.send @g, %g : tensor<4xf32>
  dist.end
}
dist.program @main of @p on "/job:ps/task:0/device:CPU:0" {
  dist.ticket
  %set = dist.feed "set" : tensor<3xi1>
  // expected-error @below {{expects a conflating channel, whose messages can be passed over; @g is a fifo}}
  %s = dist.aggregate_chosen @g from %set : tensor<4xf32> from tensor<3xi1>
  dist.end
}

// -----

// (CH7) a slot is in the memory of one task
dist.phase @p {role = #graph.role<train>, ends_by_end_of_stream}
// expected-error @below {{is a conflating channel, a slot in the memory of one device in a phase that ends by end of stream, but joins "/job:ps/task:0/device:CPU:0" and "/job:ps/task:1/device:CPU:0" in phase @p}}
dist.channel @o : tensor<i64> from @a to @b {conflating}
// expected-note @below {{sending program declared here}}
dist.program @a of @p on "/job:ps/task:0/device:CPU:0" {
  dist.ticket
  %v = dist.feed "v" : tensor<i64>
  dist.send @o, %v : tensor<i64>
  dist.end
}
// expected-note @below {{receiving program declared here}}
dist.program @b of @p on "/job:ps/task:1/device:CPU:0" {
  %v = dist.receive @o : tensor<i64>
  dist.end
}
