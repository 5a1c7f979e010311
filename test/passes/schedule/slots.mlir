// RUN: graph-opt %s --schedule --verify-liveness --split-input-file | FileCheck %s

// What is sent whole and to one receiver is made in the slot of its channel, right before its first write; a view of it
// is a view of the slot. What is small, sent in part, sent twice, written after its send, or comes from the host stays in the arena.
// CHECK: dist.program @t.worker
// CHECK-DAG: %[[TWICE:.*]] = dist.buffer {offset = {{.*}}} : memref<3072xf32>
// CHECK-DAG: %[[ROWS:.*]] = dist.buffer {offset = {{.*}}} : memref<2x2048xf32>
// CHECK-DAG: %[[SMALL:.*]] = dist.buffer {offset = {{.*}}} : memref<16xf32>
// CHECK-DAG: %[[FED:.*]] = dist.buffer {offset = {{.*}}} : memref<2048xf32>
// CHECK: dist.feed_into "x", %[[FED]]
// CHECK: dist.send_start @t.fed, %[[FED]]
// CHECK: dist.call @small(%[[FED]], %[[SMALL]])
// CHECK: dist.send_start @t.small, %[[SMALL]]
// CHECK: %[[G:.*]] = dist.acquire @t.g : memref<2048xf32>
// CHECK-NEXT: dist.call @k(%[[FED]], %[[G]])
// CHECK: dist.send_start @t.g, %[[G]]
// CHECK: %[[SHAPED:.*]] = dist.acquire @t.shaped : memref<32x64xf32>
// CHECK-NEXT: %[[FLAT:.*]] = dist.view %[[SHAPED]] : memref<32x64xf32> to memref<2048xf32>
// CHECK-NEXT: dist.call @k(%[[FED]], %[[FLAT]])
// CHECK: dist.send_start @t.shaped, %[[SHAPED]]
// CHECK: dist.call @rows(%[[FED]], %[[ROWS]])
// CHECK: dist.send_start @t.row, %{{.*}}
// CHECK: dist.call @twice(%[[FED]], %[[TWICE]])
// CHECK: dist.send_start @t.once, %[[TWICE]]
dist.phase @t {role = #graph.role<predict>}
dist.channel @t.g : tensor<2048xf32> from @t.worker to @t.ps
dist.channel @t.shaped : tensor<32x64xf32> from @t.worker to @t.ps
dist.channel @t.fed : tensor<2048xf32> from @t.worker to @t.ps
dist.channel @t.small : tensor<16xf32> from @t.worker to @t.ps
dist.channel @t.once : tensor<3072xf32> from @t.worker to @t.ps
dist.channel @t.again : tensor<3072xf32> from @t.worker to @t.ps
dist.channel @t.row : tensor<2048xf32> from @t.worker to @t.ps
dist.channel @t.control : tensor<i64> from @t.worker to @t.ps {control}
func.func private @k(memref<2048xf32> {dist.access = "read"}, memref<2048xf32> {dist.access = "write"})
func.func private @small(memref<2048xf32> {dist.access = "read"}, memref<16xf32> {dist.access = "write"})
func.func private @rows(memref<2048xf32> {dist.access = "read"}, memref<2x2048xf32> {dist.access = "write"})
func.func private @twice(memref<2048xf32> {dist.access = "read"}, memref<3072xf32> {dist.access = "write"})
dist.program @t.worker of @t on "/job:worker/task:0/device:CPU:0" {
  %x = dist.buffer : memref<2048xf32>
  %small = dist.buffer : memref<16xf32>
  %g = dist.buffer : memref<2048xf32>
  %flat = dist.buffer : memref<2048xf32>
  %shaped = dist.view %flat : memref<2048xf32> to memref<32x64xf32>
  %rows = dist.buffer : memref<2x2048xf32>
  %row = dist.view %rows {offset = 8192} : memref<2x2048xf32> to memref<2048xf32>
  %two = dist.buffer : memref<3072xf32>
  dist.control_send [@t.control]
  dist.feed_into "x", %x : memref<2048xf32>
  dist.send @t.fed, %x : memref<2048xf32>
  dist.call @small(%x, %small) : memref<2048xf32>, memref<16xf32>
  dist.send @t.small, %small : memref<16xf32>
  dist.call @k(%x, %g) : memref<2048xf32>, memref<2048xf32>
  dist.send @t.g, %g : memref<2048xf32>
  dist.call @k(%x, %flat) : memref<2048xf32>, memref<2048xf32>
  dist.send @t.shaped, %shaped : memref<32x64xf32>
  dist.call @rows(%x, %rows) : memref<2048xf32>, memref<2x2048xf32>
  dist.send @t.row, %row : memref<2048xf32>
  dist.call @twice(%x, %two) : memref<2048xf32>, memref<3072xf32>
  dist.send @t.once, %two : memref<3072xf32>
  dist.send @t.again, %two : memref<3072xf32>
  dist.control_receive local
  dist.end
}
dist.program @t.ps of @t on "/job:ps/task:0/device:CPU:0" {
  %g = dist.receive @t.g : memref<2048xf32>
  %shaped = dist.receive @t.shaped : memref<32x64xf32>
  %fed = dist.receive @t.fed : memref<2048xf32>
  %small = dist.receive @t.small : memref<16xf32>
  %row = dist.receive @t.row : memref<2048xf32>
  %once = dist.receive @t.once : memref<3072xf32>
  %again = dist.receive @t.again : memref<3072xf32>
  dist.fetch "g", %g : memref<2048xf32>
  dist.control_receive @t.control
  dist.end
}
