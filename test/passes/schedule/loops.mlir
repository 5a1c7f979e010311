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
