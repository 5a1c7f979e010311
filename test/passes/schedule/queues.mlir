// RUN: graph-opt %s --schedule --verify-liveness | FileCheck %s

// On a device with memory of its own calls take that memory, and everything else the host's, with copies between: a fed value and a
// received message go there, what is sent and fetched comes back. Calls are queue 1, copies there queue 2, copies back queue 3. A wait
// stands in front of what needs it: of a queue, or of the program before it sends, gives a message back, and ends the step.
// CHECK-LABEL: dist.program @t.gpu
// CHECK-SAME: arena_bytes = 80 : i64, device_arena_bytes = 80 : i64
// CHECK-DAG: %[[FED:.*]] = dist.buffer {host, offset = 0 : i64}
// CHECK: dist.feed_into "x", %[[FED]]
// CHECK: dist.copy %[[FED]] to %[[X:.*]] {queue = 2 : i64}
// CHECK-NEXT: dist.signal {n = 1 : i64, queue = 2 : i64}
// CHECK-NEXT: dist.wait {n = 1 : i64, of = 2 : i64, queue = 1 : i64}
// CHECK-NEXT: dist.call @k(%[[X]], %[[Y:.*]]) {queue = 1 : i64}
// CHECK-NEXT: dist.signal {n = 1 : i64, queue = 1 : i64}
// CHECK-NEXT: dist.wait {n = 1 : i64, of = 1 : i64, queue = 3 : i64}
// CHECK-NEXT: dist.copy %[[Y]] to %[[SENT:.*]] {queue = 3 : i64}
// CHECK-NEXT: dist.signal {n = 1 : i64, queue = 3 : i64}
// CHECK-NEXT: dist.wait {n = 1 : i64, of = 3 : i64}
// CHECK-NEXT: dist.send_start @t.y, %[[SENT]]
// CHECK-NEXT: %[[Z:.*]] = dist.receive @t.z
// CHECK-NEXT: dist.copy %[[Z]] to %[[THERE:.*]] {queue = 2 : i64}
// CHECK-NEXT: dist.signal {n = 2 : i64, queue = 2 : i64}
// CHECK-NEXT: dist.wait {n = 2 : i64, of = 2 : i64}
// CHECK-NEXT: dist.release @t.z
// The program knows of the copy, and so does whatever it gives from here on.
// CHECK-NEXT: dist.call @k(%[[THERE]], %[[OUT:.*]]) {queue = 1 : i64}
// CHECK-NEXT: dist.signal {n = 2 : i64, queue = 1 : i64}
// CHECK-NEXT: dist.wait {n = 2 : i64, of = 1 : i64, queue = 3 : i64}
// CHECK-NEXT: dist.copy %[[OUT]] to %[[SHOWN:.*]] {queue = 3 : i64}
// CHECK-NEXT: dist.signal {n = 2 : i64, queue = 3 : i64}
// CHECK-NEXT: dist.wait {n = 2 : i64, of = 3 : i64}
// CHECK-NEXT: dist.fetch "out", %[[SHOWN]]
// CHECK: dist.end
dist.phase @t {role = #graph.role<predict>}
dist.channel @t.y : tensor<4xf32> from @t.gpu to @t.cpu
dist.channel @t.z : tensor<4xf32> from @t.cpu to @t.gpu
dist.channel @t.control : tensor<i64> from @t.gpu to @t.cpu {control}
func.func private @k(memref<4xf32> {dist.access = "read"}, memref<4xf32> {dist.access = "write"})
dist.program @t.gpu of @t on "/job:worker/task:0/device:GPU:0" {
  %x = dist.buffer : memref<4xf32>
  %y = dist.buffer : memref<4xf32>
  %out = dist.buffer : memref<4xf32>
  dist.control_send [@t.control]
  dist.feed_into "x", %x : memref<4xf32>
  dist.call @k(%x, %y) : memref<4xf32>, memref<4xf32>
  dist.send @t.y, %y : memref<4xf32>
  %z = dist.receive @t.z : memref<4xf32>
  dist.call @k(%z, %out) : memref<4xf32>, memref<4xf32>
  dist.fetch "out", %out {reduction = "mean"} : memref<4xf32>
  dist.control_receive local
  dist.end
}
// Nothing is inserted where the memory is the host's.
// CHECK-LABEL: dist.program @t.cpu
// CHECK-NOT: device_arena_bytes
// CHECK-NOT: host
// CHECK-NOT: queue
// CHECK: dist.end
dist.program @t.cpu of @t on "/job:worker/task:1/device:CPU:0" {
  %z = dist.buffer : memref<4xf32>
  %y = dist.receive @t.y : memref<4xf32>
  dist.call @k(%y, %z) : memref<4xf32>, memref<4xf32>
  dist.send @t.z, %z : memref<4xf32>
  dist.control_receive @t.control
  dist.end
}
