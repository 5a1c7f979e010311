// RUN: graph-opt %s --canonicalize --cse | FileCheck %s
// Communication is never dropped, merged or reordered by upstream passes, even where a received value is unused.

dist.phase @p {role = #graph.role<predict>}
dist.channel @a : tensor<4xf32> from @p.t0 to @p.t1
dist.channel @b : tensor<4xf32> from @p.t0 to @p.t1
// CHECK-LABEL: dist.program @p.t0
dist.program @p.t0 of @p on "/job:t/task:0/device:CPU:0" {
  // CHECK: dist.feed "x"
  // CHECK: dist.feed "x"
  %x = dist.feed "x" : tensor<4xf32>
  %y = dist.feed "x" : tensor<4xf32>
  // CHECK: dist.send @b
  // CHECK-NEXT: dist.send @a
  dist.send @b, %x : tensor<4xf32>
  dist.send @a, %x : tensor<4xf32>
  dist.end
}
// CHECK-LABEL: dist.program @p.t1
dist.program @p.t1 of @p on "/job:t/task:1/device:CPU:0" {
  // CHECK: dist.receive @b
  // CHECK-NEXT: dist.receive @a
  %b = dist.receive @b : tensor<4xf32>
  %a = dist.receive @a : tensor<4xf32>
  dist.end
}

// Nor is what a queue is given.
dist.phase @q {role = #graph.role<predict>}
dist.channel @w : tensor<i64> from @q.a to @q.b {control}
// CHECK-LABEL: dist.program @q.a
dist.program @q.a of @q on "/job:t/task:0/device:GPU:0" {
  // CHECK: %[[HOST:.*]] = dist.buffer {host} : memref<4xf32>
  // CHECK: %[[DEVICE:.*]] = dist.buffer : memref<4xf32>
  // CHECK: dist.copy %[[HOST]] to %[[DEVICE]] {queue = 2 : i64} : memref<4xf32>
  // CHECK-NEXT: dist.signal {n = 1 : i64, queue = 2 : i64}
  // CHECK-NEXT: dist.wait {n = 1 : i64, of = 2 : i64, queue = 1 : i64}
  // CHECK-NEXT: dist.wait {n = 1 : i64, of = 2 : i64}
  %host = dist.buffer {host} : memref<4xf32>
  %device = dist.buffer : memref<4xf32>
  dist.control_send [@w]
  dist.feed_into "x", %host : memref<4xf32>
  dist.copy %host to %device {queue = 2} : memref<4xf32>
  dist.signal {queue = 2, n = 1}
  dist.wait {of = 2, n = 1, queue = 1}
  dist.wait {of = 2, n = 1}
  dist.control_receive local
  dist.end
}
dist.program @q.b of @q on "/job:t/task:1/device:CPU:0" {
  dist.control_receive @w
  dist.end
}
