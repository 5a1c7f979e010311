// RUN: graph-opt %s --split-input-file --verify-diagnostics
// What sums and zero-copy channels do with memory.

// (AI1) chunks that leave a rest
dist.phase @p {role = #graph.role<predict>}
dist.channel @c : tensor<6xf32> from @a to @b {instances = 2}
dist.program @a of @p on "/job:s/device:CPU:0" replicas(2) {
  %x = dist.feed "x" : tensor<6xf32>
  dist.send @c, %x : tensor<6xf32>
  dist.end
}
dist.program @b of @p on "/job:t/task:0/device:CPU:0" {
  %x = dist.buffer : memref<6xf32>
  // expected-error @below {{sums chunks of 4 elements, which do not divide the 6 of its accumulator}}
  dist.aggregate_into @c, %x by @add {chunk = 4} : memref<6xf32>
  dist.end
}
func.func private @add(memref<4xf32>, memref<4xf32>)

// -----

// (CH6) nobody may write what is read in place
dist.phase @p {ends_by_end_of_stream, role = #graph.role<train>}
graph.variable @w : tensor<4xf32> = #graph.zeros
// expected-error @below {{is zero-copy, but its sender shares its variables with others that write them}}
dist.channel @c : tensor<4xf32> from @a to @b {instances = 2, zero_copy}
// expected-note @below {{sending program declared here}}
dist.program @a of @p on "/job:ps/task:0/device:CPU:0" replicas(2) locks_variables {
  dist.ticket
  %w = graph.read @w : tensor<4xf32>
  dist.send @c, %w : tensor<4xf32>
  dist.end
}
dist.program @b of @p on "/job:worker/device:CPU:0" replicas(2) {
  %w = dist.receive @c : tensor<4xf32>
  dist.end
}

// -----

// (AQ1) one slot for many receivers
dist.phase @p {role = #graph.role<predict>}
dist.channel @c : tensor<4xf32> from @a to @b {instances = 2}
dist.program @a of @p on "/job:t/task:0/device:CPU:0" attributes {arena_bytes = 0 : i64} {
  // expected-error @below {{takes one slot of @c, whose messages go to 2 instances}}
  %x = dist.acquire @c : memref<4xf32>
  dist.send_start @c, %x : memref<4xf32>
  dist.send_done @c
  dist.end
}
dist.program @b of @p on "/job:s/device:CPU:0" replicas(2) {
  %x = dist.receive @c : memref<4xf32>
  dist.end
}

// -----

// (E2) a slot of another shape
dist.phase @p {role = #graph.role<predict>}
dist.channel @c : tensor<4xf32> from @a to @b
dist.program @a of @p on "/job:t/task:0/device:CPU:0" attributes {arena_bytes = 0 : i64} {
  // expected-error @below {{has a value of type 'memref<2x2xf32>', but channel @c carries 'tensor<4xf32>'}}
  %x = dist.acquire @c : memref<2x2xf32>
  %y = dist.buffer {offset = 0 : i64} : memref<4xf32>
  dist.send_start @c, %y : memref<4xf32>
  dist.send_done @c
  dist.end
}
dist.program @b of @p on "/job:s/task:0/device:CPU:0" {
  // expected-note @below {{the other end is here}}
  %x = dist.receive @c : memref<4xf32>
  dist.end
}

// -----

// (CH6) nor in a sum that writes where it has sent from
dist.phase @p {role = #graph.role<train>}
// expected-error @below {{is zero-copy, but its instances sum neither by scatter nor by ring}}
dist.channel @s : tensor<16xf32> from @a to @a {all_to_all, instances = 4, algorithm = "doubling", chunk = 16, zero_copy}
dist.channel @word : tensor<i64> from @a to @a {control, instances = 4}
func.func private @add(memref<16xf32>, memref<16xf32>)
// expected-note @below {{sending program declared here}}
dist.program @a of @p on "/job:worker/device:CPU:0" replicas(4) {
  dist.control_send [@word]
  %0 = dist.buffer : memref<16xf32>
  %1 = dist.buffer : memref<16xf32>
  dist.all_reduce_start @s, %0 scratch %1 by @add : memref<16xf32>, memref<16xf32>
  dist.all_reduce_done @s, %0 scratch %1 : memref<16xf32>, memref<16xf32>
  dist.control_receive @word local
  dist.end
}

// -----

// (SA1) what a step leaves in its arena is gone in the next one
dist.phase @p {role = #graph.role<train>}
dist.channel @c : tensor<4xf32> from @a to @b
dist.channel @word : tensor<i64> from @b to @a {control}
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  // expected-note @below {{the value is made here}}
  %x = dist.buffer : memref<4xf32>
  %v = dist.view %x : memref<4xf32> to memref<4xf32>
  dist.send_done @c
  dist.control_receive @word
  // expected-error @below {{sends ahead what is no variable; expected a dist.variable_buffer, whose value lasts from one step to the next}}
  dist.send_start @c, %v {ahead} : memref<4xf32>
  dist.end
}
dist.program @b of @p on "/job:s/task:0/device:CPU:0" {
  dist.control_send [@word]
  %x = dist.receive @c : memref<4xf32>
  dist.control_receive local
  dist.end
}

// -----

// (SA2) the word comes too late
graph.variable @w : tensor<4xf32> = #graph.zeros
dist.phase @p {role = #graph.role<train>}
dist.channel @c : tensor<4xf32> from @a to @b
dist.channel @word : tensor<i64> from @b to @a {control}
// expected-note @below {{program declared here}}
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  %w = dist.variable_buffer @w : memref<4xf32>
  dist.send_done @c
  // expected-error @below {{sends ahead without knowing whether a step follows; expected a dist.control_receive before it}}
  dist.send_start @c, %w {ahead} : memref<4xf32>
  dist.control_receive @word
  dist.end
}
dist.program @b of @p on "/job:s/task:0/device:CPU:0" {
  dist.control_send [@word]
  %x = dist.receive @c : memref<4xf32>
  dist.control_receive local
  dist.end
}

// -----

// (SA2) instances that hear from each other at the end of the step alone
graph.variable @w : tensor<4xf32> = #graph.zeros
dist.phase @p {role = #graph.role<train>}
dist.channel @c : tensor<4xf32> from @a to @b {instances = 2}
dist.channel @word : tensor<i64> from @a to @a {control, instances = 2}
dist.channel @other : tensor<i64> from @a to @b {control, instances = 2}
// expected-note @below {{program declared here}}
dist.program @a of @p on "/job:t/device:CPU:0" replicas(2) {
  %w = dist.variable_buffer @w : memref<4xf32>
  dist.control_send [@word, @other]
  dist.send_done @c
  dist.control_receive @word local
  // expected-error @below {{sends ahead without knowing whether a step follows; expected a program of one instance}}
  dist.send_start @c, %w {ahead} : memref<4xf32>
  dist.end
}
dist.program @b of @p on "/job:s/device:CPU:0" replicas(2) {
  %x = dist.receive @c : memref<4xf32>
  dist.control_receive @other
  dist.end
}
