// RUN: graph-opt %s | graph-opt | FileCheck %s
// RUN: graph-opt %s --mlir-print-op-generic | graph-opt | FileCheck %s
// A loop of buffers: five values in leaves of one, of which the first four are one subtree when the last comes.

graph.dataset @d : (tensor<4xf32>) = #graph.synthetic<samples = 100, seed = 7>
dist.phase @p {role = #graph.role<train>, samples_per_step = 5, dataset = @d}
func.func private @add(memref<4xf32> {dist.access = "read_write"}, memref<4xf32> {dist.access = "read"})
dist.program @a of @p on "/job:worker/task:0/device:CPU:0" {
  %x = dist.buffer : memref<1x4xf32>
  %n = dist.buffer : memref<i64>
  %s0 = dist.buffer : memref<4xf32>
  %s1 = dist.buffer : memref<4xf32>
  %s2 = dist.buffer : memref<4xf32>
  dist.control_send []
  // CHECK: dist.repeat 4 {
  // CHECK-NEXT: dist.next_batch_into @d, %{{.*}} {{.*}}micro_batches = 5
  // CHECK-NEXT: dist.micro_batch_index_into %{{.*}} {micro_batches = 5 : i64} : memref<i64>
  // CHECK-NEXT: %[[V:.*]] = dist.view
  // CHECK-NEXT: dist.accumulate %[[V]] into(%{{.*}}, %{{.*}}, %{{.*}}) by @add : memref<4xf32>, memref<4xf32>, memref<4xf32>, memref<4xf32>
  // CHECK-NEXT: }
  dist.repeat 4 {
    dist.next_batch_into @d, %x {batch = 1, micro_batches = 5} : memref<1x4xf32>
    dist.micro_batch_index_into %n {micro_batches = 5} : memref<i64>
    %v = dist.view %x : memref<1x4xf32> to memref<4xf32>
    dist.accumulate %v into(%s0, %s1, %s2) by @add : memref<4xf32>, memref<4xf32>, memref<4xf32>, memref<4xf32>
  }
  dist.control_receive local
  dist.end
}

// On a device with memory of its own its queues do it, as scheduled.
dist.phase @g {role = #graph.role<predict>}
// CHECK-LABEL: dist.program @b
dist.program @b of @g on "/job:worker/task:0/device:GPU:0" {
  %h = dist.buffer {host} : memref<4xf32>
  %x = dist.buffer : memref<4xf32>
  %s0 = dist.buffer : memref<4xf32>
  dist.control_send []
  // CHECK: dist.repeat 1 {
  // CHECK-NEXT: dist.copy %{{.*}} to %{{.*}} {queue = 2 : i64} : memref<4xf32>
  // CHECK-NEXT: dist.signal {n = 1 : i64, queue = 2 : i64}
  // CHECK-NEXT: dist.wait {n = 1 : i64, of = 2 : i64, queue = 1 : i64}
  // CHECK-NEXT: dist.accumulate %{{.*}} into(%{{.*}}) by @add {queue = 1 : i64} : memref<4xf32>, memref<4xf32>
  dist.repeat 1 {
    dist.copy %h to %x {queue = 2} : memref<4xf32>
    dist.signal {queue = 2, n = 1}
    dist.wait {of = 2, n = 1, queue = 1}
    dist.accumulate %x into(%s0) by @add {queue = 1} : memref<4xf32>, memref<4xf32>
  }
  dist.control_receive local
  dist.end
}

// Two that talk, as partitioned and as scheduled.
dist.phase @q {role = #graph.role<predict>}
dist.channel @q.x : tensor<4xf32> from @q.a to @q.b {capacity = 2}
dist.channel @q.y : tensor<4xf32> from @q.b to @q.a {capacity = 2}
// CHECK-LABEL: dist.program @q.a
dist.program @q.a of @q on "/job:worker/task:0/device:CPU:0" {
  dist.control_send [@q.control]
  %x = dist.feed "x" : tensor<4xf32>
  // CHECK: graph.repeat 4
  // CHECK-NEXT: dist.send @q.x
  // CHECK-NEXT: dist.receive @q.y
  graph.repeat 4 {
    dist.send @q.x, %x : tensor<4xf32>
    %y = dist.receive @q.y : tensor<4xf32>
  }
  dist.control_receive local
  dist.end
}
dist.channel @q.control : tensor<i64> from @q.a to @q.b {control}
// CHECK-LABEL: dist.program @q.b
dist.program @q.b of @q on "/job:worker/task:1/device:CPU:0" {
  // CHECK: dist.repeat 4
  // CHECK-NEXT: dist.receive @q.x
  // CHECK-NEXT: dist.release @q.x
  // CHECK-NEXT: dist.acquire @q.y
  // CHECK-NEXT: dist.send_start @q.y
  // CHECK-NEXT: dist.send_done @q.y
  dist.repeat 4 {
    %x = dist.receive @q.x : memref<4xf32>
    dist.release @q.x
    %y = dist.acquire @q.y : memref<4xf32>
    dist.send_start @q.y, %y : memref<4xf32>
    dist.send_done @q.y
  }
  dist.control_receive @q.control
  dist.end
}
