// RUN: graph-opt %s --schedule --verify-partitioned --verify-liveness --split-input-file | FileCheck %s
// RUN: graph-opt %s --schedule --split-input-file | graph-opt --verify-liveness --split-input-file | FileCheck %s

// What is sent as it was before its update goes ahead, right behind its last write; of one variable the sends keep their
// order. A copied message has a slot beside that in use; a zero-copy one needs none, because its send_done waits for the
// releases. The control message comes right before the first. What is sent after its update, what is never written and what is no
// variable belong to this step.
// CHECK: dist.channel @t.w : {{.*}} {zero_copy}
// CHECK: dist.channel @t.small : {{.*}} {capacity = 2 : i64}
// CHECK: dist.channel @t.again : {{.*}} {capacity = 2 : i64}
// CHECK: dist.channel @t.new : tensor<16xf32> from @t.ps to @t.worker{{$}}
// CHECK: dist.channel @t.fixed : tensor<16xf32> from @t.ps to @t.worker{{$}}
// CHECK: dist.channel @t.made : tensor<16xf32> from @t.ps to @t.worker{{$}}
// CHECK: dist.program @t.ps
// CHECK-DAG: %[[W:.*]] = dist.variable_buffer @w :
// CHECK-DAG: %[[SMALL:.*]] = dist.variable_buffer @small :
// CHECK-DAG: %[[NEW:.*]] = dist.variable_buffer @new :
// CHECK-DAG: %[[FIXED:.*]] = dist.variable_buffer @fixed :
// CHECK-DAG: %[[MADE:.*]] = dist.buffer
// CHECK-NOT: dist.send_start @t.w,
// CHECK: dist.send_start @t.fixed, %[[FIXED]] : memref
// CHECK: dist.send_done @t.small
// CHECK-NEXT: dist.send_done @t.again
// CHECK-NEXT: dist.call @u(%[[SMALL]], %[[SMALL]])
// CHECK-NEXT: dist.call @u(%[[SMALL]], %[[FIXED]])
// CHECK-NEXT: dist.control_receive @t.control
// CHECK-NEXT: dist.send_start @t.small, %[[SMALL]] {ahead}
// CHECK-NEXT: dist.send_start @t.again, %[[SMALL]] {ahead}
// CHECK: dist.call @u(%[[NEW]], %[[FIXED]])
// CHECK-NEXT: dist.send_start @t.new, %[[NEW]] : memref
// CHECK: dist.call @one(%[[SMALL]], %[[MADE]])
// CHECK-NEXT: dist.send_start @t.made, %[[MADE]] : memref
// CHECK: dist.send_done @t.w
// CHECK-NEXT: dist.call @large(%[[W]], %{{.*}})
// CHECK-NEXT: dist.send_start @t.w, %[[W]] {ahead}
// CHECK-NOT: control_receive
// CHECK: dist.end
graph.variable @w : tensor<2048xf32> = #graph.zeros
graph.variable @small : tensor<16xf32> = #graph.zeros
graph.variable @new : tensor<16xf32> = #graph.zeros
graph.variable @fixed : tensor<16xf32> = #graph.zeros
dist.phase @t {role = #graph.role<train>}
dist.channel @t.w : tensor<2048xf32> from @t.ps to @t.worker
dist.channel @t.small : tensor<16xf32> from @t.ps to @t.worker
dist.channel @t.again : tensor<16xf32> from @t.ps to @t.worker
dist.channel @t.new : tensor<16xf32> from @t.ps to @t.worker
dist.channel @t.fixed : tensor<16xf32> from @t.ps to @t.worker
dist.channel @t.made : tensor<16xf32> from @t.ps to @t.worker
dist.channel @t.g : tensor<2048xf32> from @t.worker to @t.ps
dist.channel @t.control : tensor<i64> from @t.worker to @t.ps {control}
func.func private @u(memref<16xf32> {dist.access = "read_write"}, memref<16xf32> {dist.access = "read"})
func.func private @one(memref<16xf32> {dist.access = "read"}, memref<16xf32> {dist.access = "write"})
func.func private @large(memref<2048xf32> {dist.access = "read_write"}, memref<2048xf32> {dist.access = "read"})
func.func private @k(memref<2048xf32> {dist.access = "read"}, memref<16xf32> {dist.access = "read"}, memref<16xf32> {dist.access = "read"},
    memref<16xf32> {dist.access = "read"}, memref<16xf32> {dist.access = "read"}, memref<16xf32> {dist.access = "read"},
    memref<2048xf32> {dist.access = "write"})
dist.program @t.ps of @t on "/job:ps/task:0/device:CPU:0" {
  %w = dist.variable_buffer @w : memref<2048xf32>
  %small = dist.variable_buffer @small : memref<16xf32>
  %new = dist.variable_buffer @new : memref<16xf32>
  %fixed = dist.variable_buffer @fixed : memref<16xf32>
  %made = dist.buffer : memref<16xf32>
  dist.send @t.w, %w : memref<2048xf32>
  dist.send @t.small, %small : memref<16xf32>
  dist.send @t.again, %small : memref<16xf32>
  dist.send @t.fixed, %fixed : memref<16xf32>
  dist.call @u(%small, %small) : memref<16xf32>, memref<16xf32>
  dist.call @u(%small, %fixed) : memref<16xf32>, memref<16xf32>
  dist.call @u(%new, %fixed) : memref<16xf32>, memref<16xf32>
  dist.send @t.new, %new : memref<16xf32>
  dist.call @one(%small, %made) : memref<16xf32>, memref<16xf32>
  dist.send @t.made, %made : memref<16xf32>
  %g = dist.receive @t.g : memref<2048xf32>
  dist.call @large(%w, %g) : memref<2048xf32>, memref<2048xf32>
  dist.control_receive @t.control
  dist.end
}
dist.program @t.worker of @t on "/job:worker/task:0/device:CPU:0" {
  dist.control_send [@t.control]
  %w = dist.receive @t.w : memref<2048xf32>
  %small = dist.receive @t.small : memref<16xf32>
  %again = dist.receive @t.again : memref<16xf32>
  %new = dist.receive @t.new : memref<16xf32>
  %fixed = dist.receive @t.fixed : memref<16xf32>
  %made = dist.receive @t.made : memref<16xf32>
  %g = dist.buffer : memref<2048xf32>
  dist.call @k(%w, %small, %again, %new, %fixed, %made, %g) : memref<2048xf32>, memref<16xf32>, memref<16xf32>, memref<16xf32>,
      memref<16xf32>, memref<16xf32>, memref<2048xf32>
  dist.send @t.g, %g : memref<2048xf32>
  dist.control_receive local
  dist.end
}

// -----

// A program of several instances learns of the end only with its step.
// CHECK-LABEL: dist.program @f.a
// CHECK: dist.send_start @f.w, %{{.*}} : memref
// CHECK-NOT: ahead
graph.variable @w : tensor<16xf32> = #graph.zeros
dist.phase @f {role = #graph.role<train>}
dist.channel @f.w : tensor<16xf32> from @f.a to @f.b {instances = 2}
dist.channel @f.control : tensor<i64> from @f.a to @f.a {control, instances = 2}
dist.channel @f.other : tensor<i64> from @f.a to @f.b {control, instances = 2}
func.func private @u(memref<16xf32> {dist.access = "read_write"}, memref<16xf32> {dist.access = "read"})
func.func private @one(memref<16xf32> {dist.access = "read"}, memref<16xf32> {dist.access = "write"})
dist.program @f.a of @f on "/job:worker/device:CPU:0" replicas(2) {
  dist.control_send [@f.control, @f.other]
  %w = dist.variable_buffer @w : memref<16xf32>
  dist.send @f.w, %w : memref<16xf32>
  dist.call @u(%w, %w) : memref<16xf32>, memref<16xf32>
  dist.control_receive @f.control local
  dist.end
}
dist.program @f.b of @f on "/job:other/device:CPU:0" replicas(2) {
  %w = dist.receive @f.w : memref<16xf32>
  %x = dist.buffer : memref<16xf32>
  dist.call @one(%w, %x) : memref<16xf32>, memref<16xf32>
  dist.control_receive @f.other
  dist.end
}
