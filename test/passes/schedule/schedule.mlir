// RUN: graph-opt %s --schedule --verify-liveness --split-input-file | FileCheck %s

// A parameter server and two workers, as outline leaves them: sends and receives in the order of the text.

graph.variable @a : tensor<16xf32> = #graph.zeros
graph.variable @b : tensor<16xf32> = #graph.zeros
graph.dataset @d : (tensor<4xf32>) = #graph.synthetic<samples = 100, seed = 7>
dist.phase @t {role = #graph.role<train>, dataset = @d, samples_per_step = 8}
dist.channel @t.a : tensor<16xf32> from @t.ps to @t.worker {instances = 2}
dist.channel @t.b : tensor<16xf32> from @t.ps to @t.worker {instances = 2}
dist.channel @t.ga : tensor<16xf32> from @t.worker to @t.ps {instances = 2}
dist.channel @t.gb : tensor<16xf32> from @t.worker to @t.ps {instances = 2}
dist.channel @t.control.ps : tensor<i64> from @t.worker to @t.ps {control}
dist.channel @t.control.worker : tensor<i64> from @t.worker to @t.worker {control, instances = 2}
func.func private @two(memref<16xf32> {dist.access = "read"}, memref<16xf32> {dist.access = "read"},
                       memref<16xf32> {dist.access = "write"}) attributes {dist.flops = 16 : i64}
func.func private @one(memref<16xf32> {dist.access = "read"}, memref<16xf32> {dist.access = "write"})
    attributes {dist.flops = 16 : i64}
func.func private @add(memref<16xf32> {dist.access = "read_write"}, memref<16xf32> {dist.access = "read"})
    attributes {dist.flops = 16 : i64}
func.func private @apply(memref<16xf32> {dist.access = "read_write"}, memref<16xf32> {dist.access = "read"})
    attributes {dist.flops = 32 : i64}
func.func private @loss(memref<16xf32> {dist.access = "read"}, memref<f32> {dist.access = "write"})
    attributes {dist.flops = 16 : i64}

// Each variable leaves for the next step right after its update, before which its send for this one is done; gradients are
// taken in the order in which the worker makes them, each right before its use. The accumulators never live at the same time.
// CHECK-LABEL: dist.program @t.ps
// CHECK-SAME: arena_bytes = 64 : i64
// CHECK-SAME: dist.flops = 96 : i64
// CHECK-NEXT: %[[A:.*]] = dist.variable_buffer @a
// CHECK-NEXT: %[[GA:.*]] = dist.buffer {offset = 0 : i64}
// CHECK-NEXT: %[[B:.*]] = dist.variable_buffer @b
// CHECK-NEXT: %[[GB:.*]] = dist.buffer {offset = 0 : i64}
// CHECK-NEXT: dist.aggregate_into @t.gb, %[[GB]] by @add
// CHECK-NEXT: dist.send_done @t.b
// CHECK-NEXT: dist.call @apply(%[[B]], %[[GB]])
// CHECK-NEXT: dist.control_receive @t.control.ps
// CHECK-NEXT: dist.send_start @t.b, %[[B]] {ahead}
// CHECK-NEXT: dist.aggregate_into @t.ga, %[[GA]] by @add
// CHECK-NEXT: dist.send_done @t.a
// CHECK-NEXT: dist.call @apply(%[[A]], %[[GA]])
// CHECK-NEXT: dist.send_start @t.a, %[[A]] {ahead}
// CHECK-NEXT: dist.end
dist.program @t.ps of @t on "/job:ps/task:0/device:CPU:0" {
  %a = dist.variable_buffer @a : memref<16xf32>
  dist.send @t.a, %a : memref<16xf32>
  %ga = dist.buffer : memref<16xf32>
  %b = dist.variable_buffer @b : memref<16xf32>
  %unused = dist.buffer : memref<1000xf32>
  dist.send @t.b, %b : memref<16xf32>
  dist.aggregate_into @t.ga, %ga by @add : memref<16xf32>
  %a2 = dist.variable_buffer @a : memref<16xf32>
  dist.call @apply(%a, %ga) : memref<16xf32>, memref<16xf32>
  %gb = dist.buffer : memref<16xf32>
  dist.aggregate_into @t.gb, %gb by @add : memref<16xf32>
  dist.call @apply(%b, %gb) : memref<16xf32>, memref<16xf32>
  dist.control_receive @t.control.ps
  dist.end
}

// The batch comes while the parameters are on their way. %h, what is sent and %e live at once; the batch and the loss take
// memory that is free.
// CHECK-LABEL: dist.program @t.worker
// CHECK-SAME: arena_bytes = 256 : i64
// CHECK: %[[X:.*]] = dist.buffer {offset = {{[0-9]+}} : i64} : memref<4x4xf32>
// CHECK: dist.control_send
// CHECK-NEXT: dist.next_batch_into @d, %[[X]]
// CHECK-NEXT: %[[WA:.*]] = dist.receive @t.a
// CHECK-NEXT: %[[VA:.*]] = dist.view %[[WA]]
// CHECK-NEXT: dist.call @two({{.*}}, %[[VA]], %[[H:.*]])
// CHECK-NEXT: %[[WB:.*]] = dist.receive @t.b
// CHECK-NEXT: dist.call @two(%[[H]], %[[WB]], %[[DB:.*]])
// CHECK-NEXT: dist.send_start @t.gb, %[[DB]]
// CHECK-NEXT: dist.call @two(%[[H]], %[[WB]], %[[E:.*]])
// CHECK-NEXT: dist.release @t.b
// CHECK-NEXT: dist.call @two(%[[E]], %[[VA]], %[[DA:.*]])
// CHECK-NEXT: dist.release @t.a
// CHECK-NEXT: dist.send_start @t.ga, %[[DA]]
// CHECK-NEXT: dist.call @loss
// CHECK-NEXT: dist.fetch "loss"
// CHECK-NEXT: dist.send_done @t.gb
// CHECK-NEXT: dist.send_done @t.ga
// CHECK-NEXT: dist.control_receive @t.control.worker local
// CHECK-NEXT: dist.end
dist.program @t.worker of @t on "/job:worker/device:CPU:0" replicas(2) {
  dist.control_send [@t.control.ps, @t.control.worker]
  %wa = dist.receive @t.a : memref<16xf32>
  %va = dist.view %wa : memref<16xf32> to memref<16xf32>
  %wb = dist.receive @t.b : memref<16xf32>
  %x = dist.buffer : memref<4x4xf32>
  dist.next_batch_into @d, %x {batch = 4} : memref<4x4xf32>
  %xv = dist.view %x : memref<4x4xf32> to memref<16xf32>
  %h = dist.buffer : memref<16xf32>
  dist.call @two(%xv, %va, %h) : memref<16xf32>, memref<16xf32>, memref<16xf32>
  %db = dist.buffer : memref<16xf32>
  dist.call @two(%h, %wb, %db) : memref<16xf32>, memref<16xf32>, memref<16xf32>
  %e = dist.buffer : memref<16xf32>
  dist.call @two(%h, %wb, %e) : memref<16xf32>, memref<16xf32>, memref<16xf32>
  %da = dist.buffer : memref<16xf32>
  dist.call @two(%e, %va, %da) : memref<16xf32>, memref<16xf32>, memref<16xf32>
  %l = dist.buffer : memref<f32>
  dist.call @loss(%h, %l) : memref<16xf32>, memref<f32>
  dist.send @t.ga, %da : memref<16xf32>
  dist.send @t.gb, %db : memref<16xf32>
  dist.fetch "loss", %l : memref<f32>
  dist.control_receive @t.control.worker local
  dist.end
}

// -----

// A message that is forwarded is released after its send; one that is fetched at the end of the step; a feed's memory is
// taken from the beginning, an accumulator that is sent and written again waits for its send.
dist.phase @p {role = #graph.role<predict>}
dist.channel @p.in : tensor<16xf32> from @p.home to @p.middle
dist.channel @p.copy : tensor<16xf32> from @p.middle to @p.home
dist.channel @p.out : tensor<16xf32> from @p.middle to @p.home
dist.channel @p.control : tensor<i64> from @p.home to @p.middle {control}
func.func private @one(memref<16xf32> {dist.access = "read"}, memref<16xf32> {dist.access = "write"})
// CHECK-LABEL: dist.program @p.home
// CHECK: dist.buffer {offset = 0 : i64}
// CHECK-NEXT: %[[T:.*]] = dist.buffer {offset = 64 : i64}
// CHECK-NEXT: dist.feed_into "x"
// CHECK-NEXT: dist.control_send
// CHECK-NEXT: dist.call @one
// CHECK-NEXT: dist.send_start @p.in
// CHECK-NEXT: %[[C:.*]] = dist.receive @p.copy
// CHECK-NEXT: %[[Y:.*]] = dist.receive @p.out
// CHECK-NEXT: dist.fetch "y", %[[Y]]
// CHECK-NEXT: dist.fetch "copy", %[[C]]
// CHECK-NEXT: dist.send_done @p.in
// CHECK-NEXT: dist.release @p.copy
// CHECK-NEXT: dist.release @p.out
// CHECK-NEXT: dist.control_receive local
dist.program @p.home of @p on "/job:worker/task:0/device:CPU:0" {
  dist.control_send [@p.control]
  %x = dist.buffer : memref<16xf32>
  dist.feed_into "x", %x : memref<16xf32>
  %t = dist.buffer : memref<16xf32>
  dist.call @one(%x, %t) : memref<16xf32>, memref<16xf32>
  dist.send @p.in, %t : memref<16xf32>
  %y = dist.receive @p.out : memref<16xf32>
  dist.fetch "y", %y : memref<16xf32>
  %c = dist.receive @p.copy : memref<16xf32>
  dist.fetch "copy", %c : memref<16xf32>
  dist.control_receive local
  dist.end
}
// CHECK-LABEL: dist.program @p.middle
// CHECK: %[[M:.*]] = dist.receive @p.in
// CHECK-NEXT: dist.send_start @p.copy, %[[M]]
// CHECK-NEXT: dist.call @one(%[[M]], %[[R:.*]])
// CHECK-NEXT: dist.send_start @p.out, %[[R]]
// CHECK-NEXT: dist.send_done @p.out
// CHECK-NEXT: dist.call @one(%[[M]], %[[R]])
// CHECK-NEXT: dist.send_done @p.copy
// CHECK-NEXT: dist.release @p.in
// CHECK-NEXT: dist.control_receive @p.control
dist.program @p.middle of @p on "/job:worker/task:1/device:CPU:0" {
  %m = dist.receive @p.in : memref<16xf32>
  %r = dist.buffer : memref<16xf32>
  dist.call @one(%m, %r) : memref<16xf32>, memref<16xf32>
  dist.send @p.out, %r : memref<16xf32>
  dist.call @one(%m, %r) : memref<16xf32>, memref<16xf32>
  dist.send @p.copy, %m : memref<16xf32>
  dist.control_receive @p.control
  dist.end
}

// -----

// Ends by end of stream: the gradient stays behind both receives, although it needs one alone; no arena at all.
graph.variable @global_step : tensor<i64> = #graph.zeros {trainable = false}
graph.variable @w : tensor<16xf32> = #graph.zeros
dist.phase @s {role = #graph.role<train>, ends_by_end_of_stream}
dist.channel @s.n : tensor<i64> from @s.ps to @s.worker {instances = 2}
dist.channel @s.w : tensor<16xf32> from @s.ps to @s.worker {instances = 2}
dist.channel @s.g : tensor<16xf32> from @s.worker to @s.ps {instances = 2}
func.func private @apply(memref<16xf32> {dist.access = "read_write"}, memref<16xf32> {dist.access = "read"})
func.func private @step(memref<i64> {dist.access = "read_write"})
// CHECK-LABEL: dist.program @s.ps
// CHECK-SAME: arena_bytes = 0
// CHECK: dist.ticket
// CHECK-NEXT: dist.send_start @s.n
// CHECK-NEXT: dist.send_start @s.w
// CHECK-NEXT: dist.send_done @s.n
// CHECK-NEXT: dist.call @step
// CHECK-NEXT: %{{.*}} = dist.receive @s.g
// CHECK-NEXT: dist.send_done @s.w
// CHECK-NEXT: dist.call @apply
// CHECK-NEXT: dist.release @s.g
// CHECK-NEXT: dist.end
dist.program @s.ps of @s on "/job:ps/task:0/device:CPU:0" replicas(2) locks_variables {
  dist.ticket
  %n = dist.variable_buffer @global_step : memref<i64>
  dist.send @s.n, %n : memref<i64>
  dist.call @step(%n) : memref<i64>
  %w = dist.variable_buffer @w : memref<16xf32>
  dist.send @s.w, %w : memref<16xf32>
  %g = dist.receive @s.g : memref<16xf32>
  dist.call @apply(%w, %g) : memref<16xf32>, memref<16xf32>
  dist.end
}
// CHECK-LABEL: dist.program @s.worker
// CHECK: dist.receive @s.n
// CHECK-NEXT: dist.release @s.n
// CHECK-NEXT: %[[W:.*]] = dist.receive @s.w
// CHECK-NEXT: dist.send_start @s.g, %[[W]]
// CHECK-NEXT: dist.send_done @s.g
// CHECK-NEXT: dist.release @s.w
dist.program @s.worker of @s on "/job:worker/device:CPU:0" replicas(2) {
  %n = dist.receive @s.n : memref<i64>
  %w = dist.receive @s.w : memref<16xf32>
  dist.send @s.g, %w : memref<16xf32>
  dist.end
}

// -----

// A variable of at least a page is zero-copy: the reader releases it before the writer updates it. A smaller one, and a
// message that is fetched, are copied.
// CHECK: dist.channel @t.w : tensor<2048xf32> from @t.ps to @t.worker {zero_copy}
// CHECK: dist.channel @t.small : tensor<16xf32> from @t.ps to @t.worker
// CHECK-NOT: zero_copy
// CHECK: dist.channel @t.shown
// CHECK-NOT: zero_copy
// CHECK: dist.program @t.ps
// CHECK: %[[W:.*]] = dist.variable_buffer @w
// CHECK: dist.send_done @t.w
// CHECK-NEXT: dist.call @u(%[[W]],
dist.phase @t {role = #graph.role<train>}
dist.channel @t.w : tensor<2048xf32> from @t.ps to @t.worker
dist.channel @t.small : tensor<16xf32> from @t.ps to @t.worker
dist.channel @t.shown : tensor<2048xf32> from @t.ps to @t.worker
dist.channel @t.g : tensor<2048xf32> from @t.worker to @t.ps
dist.channel @t.control : tensor<i64> from @t.worker to @t.ps {control}
graph.variable @w : tensor<2048xf32> = #graph.zeros
graph.variable @small : tensor<16xf32> = #graph.zeros
graph.variable @shown : tensor<2048xf32> = #graph.zeros
func.func private @u(memref<2048xf32> {dist.access = "read_write"}, memref<2048xf32> {dist.access = "read"})
func.func private @k(memref<2048xf32> {dist.access = "read"}, memref<16xf32> {dist.access = "read"}, memref<2048xf32> {dist.access = "write"})
dist.program @t.ps of @t on "/job:ps/task:0/device:CPU:0" {
  %w = dist.variable_buffer @w : memref<2048xf32>
  %small = dist.variable_buffer @small : memref<16xf32>
  %shown = dist.variable_buffer @shown : memref<2048xf32>
  dist.send @t.w, %w : memref<2048xf32>
  dist.send @t.small, %small : memref<16xf32>
  dist.send @t.shown, %shown : memref<2048xf32>
  %g = dist.receive @t.g : memref<2048xf32>
  dist.call @u(%w, %g) : memref<2048xf32>, memref<2048xf32>
  dist.control_receive @t.control
  dist.end
}
dist.program @t.worker of @t on "/job:worker/task:0/device:CPU:0" {
  dist.control_send [@t.control]
  %w = dist.receive @t.w : memref<2048xf32>
  %small = dist.receive @t.small : memref<16xf32>
  %shown = dist.receive @t.shown : memref<2048xf32>
  %g = dist.buffer : memref<2048xf32>
  dist.call @k(%w, %small, %g) : memref<2048xf32>, memref<16xf32>, memref<2048xf32>
  dist.send @t.g, %g : memref<2048xf32>
  dist.fetch "shown", %shown : memref<2048xf32>
  dist.control_receive local
  dist.end
}

// -----

// The worker still reads @w when it waits for @v, which comes after @w's update: the writer cannot wait for it.
// CHECK: dist.channel @c.w : tensor<2048xf32> from @c.ps to @c.worker
// CHECK-NOT: zero_copy
// CHECK: dist.channel @c.v : tensor<2048xf32> from @c.ps to @c.worker {zero_copy}
dist.phase @c {role = #graph.role<train>}
dist.channel @c.w : tensor<2048xf32> from @c.ps to @c.worker
dist.channel @c.v : tensor<2048xf32> from @c.ps to @c.worker
dist.channel @c.control : tensor<i64> from @c.worker to @c.ps {control}
graph.variable @w : tensor<2048xf32> = #graph.zeros
graph.variable @v : tensor<2048xf32> = #graph.zeros
func.func private @u(memref<2048xf32> {dist.access = "read_write"}, memref<2048xf32> {dist.access = "read_write"})
func.func private @k(memref<2048xf32> {dist.access = "read"}, memref<2048xf32> {dist.access = "read"}, memref<2048xf32> {dist.access = "write"})
dist.program @c.ps of @c on "/job:ps/task:0/device:CPU:0" {
  %w = dist.variable_buffer @w : memref<2048xf32>
  %v = dist.variable_buffer @v : memref<2048xf32>
  dist.send @c.w, %w : memref<2048xf32>
  dist.call @u(%w, %v) : memref<2048xf32>, memref<2048xf32>
  dist.send @c.v, %v : memref<2048xf32>
  dist.control_receive @c.control
  dist.end
}
dist.program @c.worker of @c on "/job:worker/task:0/device:CPU:0" {
  dist.control_send [@c.control]
  %w = dist.receive @c.w : memref<2048xf32>
  %v = dist.receive @c.v : memref<2048xf32>
  %y = dist.buffer : memref<2048xf32>
  dist.call @k(%w, %v, %y) : memref<2048xf32>, memref<2048xf32>, memref<2048xf32>
  dist.fetch "y", %y : memref<2048xf32>
  dist.control_receive local
  dist.end
}
