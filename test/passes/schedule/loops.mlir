// RUN: graph-opt %s --schedule --verify-liveness --split-input-file | FileCheck %s
// What a loop's sums are kept in lives from time to time, also while the value to add is made; what only one time needs shares
// memory with what stands behind the loop.

graph.dataset @d : (tensor<4xf32>) = #graph.synthetic<samples = 100, seed = 7>
dist.phase @p {role = #graph.role<train>, samples_per_step = 5, dataset = @d}
func.func private @add(memref<4xf32> {dist.access = "read_write"}, memref<4xf32> {dist.access = "read"})
func.func private @copy(memref<4xf32> {dist.access = "write"}, memref<4xf32> {dist.access = "read"})
// Three sums and two buffers of one time, 64 bytes apart, the last of 16.
// CHECK: dist.program @a {{.*}}arena_bytes = 272
dist.program @a of @p on "/job:worker/task:0/device:CPU:0" {
  %x = dist.buffer : memref<1x4xf32>
  %z = dist.buffer : memref<4xf32>
  %s0 = dist.buffer : memref<4xf32>
  %s1 = dist.buffer : memref<4xf32>
  %s2 = dist.buffer : memref<4xf32>
  %y = dist.buffer : memref<1x4xf32>
  dist.control_send []
  // CHECK: dist.repeat 4
  dist.repeat 4 {
    dist.next_batch_into @d, %x {batch = 1, micro_batches = 5} : memref<1x4xf32>
    %v = dist.view %x : memref<1x4xf32> to memref<4xf32>
    dist.call @copy(%z, %v) : memref<4xf32>, memref<4xf32>
    dist.accumulate %z into(%s0, %s1, %s2) by @add : memref<4xf32>, memref<4xf32>, memref<4xf32>, memref<4xf32>
  }
  // A stream's batches are taken in order.
  // CHECK: dist.next_batch_into @d,{{.*}}micro_batch = 4
  dist.next_batch_into @d, %y {batch = 1, micro_batch = 4, micro_batches = 5} : memref<1x4xf32>
  %w = dist.view %y : memref<1x4xf32> to memref<4xf32>
  dist.call @add(%w, %s2) : memref<4xf32>, memref<4xf32>
  dist.fetch "sum", %w : memref<4xf32>
  dist.control_receive local
  dist.end
}

// -----

// A sum of no elements takes no time.
dist.phase @p {role = #graph.role<train>}
func.func private @add(memref<0xf32> {dist.access = "read_write"}, memref<0xf32> {dist.access = "read"})
func.func private @fill(memref<0xf32> {dist.access = "write"})
// CHECK: dist.program @empty
dist.program @empty of @p on "/job:worker/task:0/device:CPU:0" {
  %x = dist.buffer : memref<0xf32>
  %s0 = dist.buffer : memref<0xf32>
  %s1 = dist.buffer : memref<0xf32>
  %s2 = dist.buffer : memref<0xf32>
  dist.control_send []
  // CHECK: dist.repeat 4
  dist.repeat 4 {
    dist.call @fill(%x) : memref<0xf32>
    dist.accumulate %x into(%s0, %s1, %s2) by @add : memref<0xf32>, memref<0xf32>, memref<0xf32>, memref<0xf32>
  }
  dist.fetch "sum", %s2 : memref<0xf32>
  dist.control_receive local
  dist.end
}

// -----

// Loops that send to each other. What an iteration sends is made in the slot and done in it, what it receives is released in it; they are one
// event of the step, behind what each of them needs and before what stands behind. Then come the numbers of an iteration.
dist.phase @t {role = #graph.role<train>}
func.func private @fill(memref<2048xf32> {dist.access = "write"}, memref<4xf32> {dist.access = "read"})
func.func private @use(memref<4xf32> {dist.access = "write"}, memref<2048xf32> {dist.access = "read"})
func.func private @add(memref<4xf32> {dist.access = "read_write"}, memref<4xf32> {dist.access = "read"})
dist.channel @t.before : tensor<4xf32> from @t.b to @t.a
dist.channel @t.x : tensor<2048xf32> from @t.a to @t.b {capacity = 2}
dist.channel @t.behind : tensor<4xf32> from @t.b to @t.a
dist.channel @t.control : tensor<i64> from @t.a to @t.b {control}
// The control message, a receive, the loop, in it a slot, a send and its end, then a release and what comes from behind the other loop.
// CHECK: dist.program @t.a {{.*}}dist.event_ranks = array<i32: 1, 2, 3, 1, 2, 3, 4, 5, 6>
dist.program @t.a of @t on "/job:worker/task:0/device:CPU:0" {
  %x = dist.buffer : memref<2048xf32>
  dist.control_send [@t.control]
  %w = dist.receive @t.before : memref<4xf32>
  // CHECK: dist.repeat 3
  // CHECK-NEXT: %[[X:.*]] = dist.acquire @t.x
  // CHECK-NEXT: dist.call @fill(%[[X]],
  // CHECK-NEXT: dist.send_start @t.x, %[[X]]
  // CHECK-NEXT: dist.send_done @t.x
  // CHECK-NEXT: }
  // CHECK-NEXT: dist.release @t.before
  dist.repeat 3 {
    dist.call @fill(%x, %w) : memref<2048xf32>, memref<4xf32>
    dist.send @t.x, %x : memref<2048xf32>
  }
  %z = dist.receive @t.behind : memref<4xf32>
  dist.fetch "z", %z : memref<4xf32>
  dist.control_receive local
  dist.end
}
// CHECK: dist.program @t.b {{.*}}dist.event_ranks = array<i32: 1, 3, 3, 4, 4, 5, 6, 7>
dist.program @t.b of @t on "/job:worker/task:1/device:CPU:0" {
  %v = dist.buffer : memref<4xf32>
  %s0 = dist.buffer : memref<4xf32>
  %s1 = dist.buffer : memref<4xf32>
  %w = dist.buffer : memref<4xf32>
  dist.feed_into "w", %w : memref<4xf32>
  dist.send @t.before, %w : memref<4xf32>
  // CHECK: dist.repeat 3
  // CHECK-NEXT: %[[Y:.*]] = dist.receive @t.x
  // CHECK-NEXT: dist.call @use(%{{.*}}, %[[Y]])
  // CHECK-NEXT: dist.release @t.x
  // CHECK-NEXT: dist.accumulate
  // CHECK-NEXT: }
  dist.repeat 3 {
    %y = dist.receive @t.x : memref<2048xf32>
    dist.call @use(%v, %y) : memref<4xf32>, memref<2048xf32>
    dist.accumulate %v into(%s0, %s1) by @add : memref<4xf32>, memref<4xf32>, memref<4xf32>
  }
  dist.call @add(%s0, %s1) : memref<4xf32>, memref<4xf32>
  dist.send @t.behind, %s0 : memref<4xf32>
  dist.control_receive @t.control
  dist.end
}
