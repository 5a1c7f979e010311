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

// In a loop each time comes behind the one before: at its end the copies wait for what was computed of the samples that they write over, and
// the program for the copy of those that it takes anew. Sums are made by the queue of the calls; behind the loop a wait is for its last time.
// CHECK-LABEL: dist.program @l.gpu
// CHECK: dist.repeat 3 {
// CHECK-NEXT: dist.next_batch_into @d, %[[SAMPLES:.*]] {
// CHECK-NEXT: dist.copy %[[SAMPLES]] to %[[THERE:.*]] {queue = 2 : i64}
// CHECK-NEXT: dist.signal {n = 1 : i64, queue = 2 : i64}
// CHECK-NEXT: dist.wait {n = 1 : i64, of = 2 : i64, queue = 1 : i64}
// CHECK-NEXT: dist.call @one(%[[THERE]], %[[VALUE:.*]]) {queue = 1 : i64}
// CHECK-NEXT: dist.signal {n = 1 : i64, queue = 1 : i64}
// CHECK-NEXT: dist.accumulate %[[VALUE]] into(%{{.*}}, %{{.*}}) by @add {queue = 1 : i64}
// CHECK-NEXT: dist.wait {n = 1 : i64, of = 1 : i64, queue = 2 : i64}
// CHECK-NEXT: dist.wait {n = 1 : i64, of = 2 : i64}
// CHECK-NEXT: }
// CHECK-NEXT: dist.next_batch_into @d, %[[LAST:.*]] {
// CHECK-NEXT: dist.copy %[[LAST]] to
graph.dataset @d : (tensor<4xf32>) = #graph.synthetic<samples = 100, seed = 7>
dist.phase @l {role = #graph.role<train>, samples_per_step = 4, dataset = @d}
func.func private @one(memref<1x4xf32> {dist.access = "read"}, memref<4xf32> {dist.access = "write"})
func.func private @add(memref<4xf32> {dist.access = "read_write"}, memref<4xf32> {dist.access = "read"})
func.func private @last(memref<1x4xf32> {dist.access = "read"}, memref<4xf32> {dist.access = "read"}, memref<4xf32> {dist.access = "read"},
                        memref<4xf32> {dist.access = "write"})
dist.program @l.gpu of @l on "/job:worker/task:0/device:GPU:0" {
  %x = dist.buffer : memref<1x4xf32>
  %v = dist.buffer : memref<4xf32>
  %s1 = dist.buffer : memref<4xf32>
  %s2 = dist.buffer : memref<4xf32>
  %y = dist.buffer : memref<1x4xf32>
  %sum = dist.buffer : memref<4xf32>
  dist.control_send []
  dist.repeat 3 {
    dist.next_batch_into @d, %x {batch = 1, micro_batches = 4} : memref<1x4xf32>
    dist.call @one(%x, %v) : memref<1x4xf32>, memref<4xf32>
    dist.accumulate %v into(%s1, %s2) by @add : memref<4xf32>, memref<4xf32>, memref<4xf32>
  }
  dist.next_batch_into @d, %y {batch = 1, micro_batch = 3, micro_batches = 4} : memref<1x4xf32>
  dist.call @last(%y, %s1, %s2, %sum) : memref<1x4xf32>, memref<4xf32>, memref<4xf32>, memref<4xf32>
  dist.fetch "sum", %sum {reduction = "sum"} : memref<4xf32>
  dist.control_receive local
  dist.end
}
