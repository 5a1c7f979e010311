// RUN: graph-opt %s --verify-liveness --split-input-file | FileCheck %s
// RUN: graph-opt %s --split-input-file | graph-opt --verify-liveness --split-input-file | FileCheck %s
// Programs that can go on for ever are left as they are.

// The same two channels as in verify-liveness-invalid, but one program sends first.
// CHECK-LABEL: dist.program @p.b
// CHECK-NEXT: dist.feed
// CHECK-NEXT: dist.send @p.y
// CHECK-NEXT: dist.receive @p.x
dist.phase @p {role = #graph.role<predict>}
dist.channel @p.x : tensor<4xf32> from @p.a to @p.b
dist.channel @p.y : tensor<4xf32> from @p.b to @p.a
dist.channel @p.control : tensor<i64> from @p.a to @p.b {control}
dist.program @p.a of @p on "/job:worker/task:0/device:CPU:0" {
  dist.control_send [@p.control]
  %y = dist.receive @p.y : tensor<4xf32>
  dist.send @p.x, %y : tensor<4xf32>
  dist.control_receive local
  dist.end
}
dist.program @p.b of @p on "/job:worker/task:1/device:CPU:0" {
  %z = dist.feed "z" : tensor<4xf32>
  dist.send @p.y, %z : tensor<4xf32>
  %x = dist.receive @p.x : tensor<4xf32>
  dist.fetch "x", %x : tensor<4xf32>
  dist.control_receive @p.control
  dist.end
}

// -----

// Two values received in the opposite order of sending, each channel with room for one message: channels are separate, so
// neither waits for the other.
// CHECK-LABEL: dist.program @o.b
// CHECK-NEXT: dist.receive @o.second
// CHECK-NEXT: dist.receive @o.first
dist.phase @o {role = #graph.role<predict>}
dist.channel @o.first : tensor<4xf32> from @o.a to @o.b {capacity = 1}
dist.channel @o.second : tensor<4xf32> from @o.a to @o.b {capacity = 1}
dist.channel @o.control : tensor<i64> from @o.a to @o.b {control}
dist.program @o.a of @o on "/job:worker/task:0/device:CPU:0" {
  dist.control_send [@o.control]
  %x = dist.feed "x" : tensor<4xf32>
  dist.send @o.first, %x : tensor<4xf32>
  dist.send @o.second, %x : tensor<4xf32>
  dist.control_receive local
  dist.end
}
dist.program @o.b of @o on "/job:worker/task:1/device:CPU:0" {
  %second = dist.receive @o.second : tensor<4xf32>
  %first = dist.receive @o.first : tensor<4xf32>
  dist.fetch "first", %first : tensor<4xf32>
  dist.fetch "second", %second : tensor<4xf32>
  dist.control_receive @o.control
  dist.end
}

// -----

// A replicated program whose instance 0 sends the control message to the others does not wait; a scheduled step with send_done and release.
// CHECK-LABEL: dist.program @t.worker
// CHECK: dist.control_receive @t.control.worker local
dist.phase @t {role = #graph.role<train>}
dist.channel @t.w : tensor<4xf32> from @t.ps to @t.worker {instances = 2}
dist.channel @t.g : tensor<4xf32> from @t.worker to @t.ps {instances = 2}
dist.channel @t.control.ps : tensor<i64> from @t.worker to @t.ps {control}
dist.channel @t.control.worker : tensor<i64> from @t.worker to @t.worker {control, instances = 2}
graph.variable @w : tensor<4xf32> = #graph.zeros
func.func private @add(memref<4xf32> {dist.access = "read_write"}, memref<4xf32> {dist.access = "read"})
dist.program @t.ps of @t on "/job:ps/task:0/device:CPU:0" attributes {arena_bytes = 64 : i64} {
  %w = dist.variable_buffer @w : memref<4xf32>
  %g = dist.buffer {offset = 0} : memref<4xf32>
  dist.send_start @t.w, %w : memref<4xf32>
  dist.aggregate_into @t.g, %g by @add : memref<4xf32>
  dist.send_done @t.w
  dist.call @add(%w, %g) : memref<4xf32>, memref<4xf32>
  dist.control_receive @t.control.ps
  dist.end
}
dist.program @t.worker of @t on "/job:worker/device:CPU:0" replicas(2) attributes {arena_bytes = 0 : i64} {
  dist.control_send [@t.control.ps, @t.control.worker]
  %w = dist.receive @t.w : memref<4xf32>
  dist.send_start @t.g, %w : memref<4xf32>
  dist.send_done @t.g
  dist.release @t.w
  dist.control_receive @t.control.worker local
  dist.end
}

// -----

// What verify-liveness-invalid refuses with one slot: @a.w is there before the step, and leaves for the next one while the
// reader still has it.
// CHECK-LABEL: dist.program @a.ps
// CHECK: dist.send_start @a.w, %{{.*}} {ahead}
// CHECK-NEXT: dist.send_start @a.v
dist.phase @a {role = #graph.role<train>}
dist.channel @a.w : tensor<4xf32> from @a.ps to @a.worker {capacity = 2}
dist.channel @a.v : tensor<4xf32> from @a.ps to @a.worker
dist.channel @a.control : tensor<i64> from @a.worker to @a.ps {control}
graph.variable @w : tensor<4xf32> = #graph.zeros
dist.program @a.ps of @a on "/job:ps/task:0/device:CPU:0" attributes {arena_bytes = 0 : i64} {
  %w = dist.variable_buffer @w : memref<4xf32>
  dist.send_done @a.w
  dist.control_receive @a.control
  dist.send_start @a.w, %w {ahead} : memref<4xf32>
  dist.send_start @a.v, %w : memref<4xf32>
  dist.send_done @a.v
  dist.end
}
dist.program @a.worker of @a on "/job:worker/task:0/device:CPU:0" attributes {arena_bytes = 0 : i64} {
  dist.control_send [@a.control]
  %w = dist.receive @a.w : memref<4xf32>
  %v = dist.receive @a.v : memref<4xf32>
  dist.release @a.v
  dist.release @a.w
  dist.control_receive local
  dist.end
}
