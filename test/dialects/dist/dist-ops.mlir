// RUN: graph-opt %s | graph-opt | FileCheck %s
// RUN: graph-opt %s --mlir-print-op-generic | graph-opt | FileCheck %s
// RUN: graph-opt %s --emit-bytecode | graph-opt | FileCheck %s

// CHECK: dist.phase @train {advances_global_step, dataset = @images, role = #graph.role<train>, samples_per_step = 8 : i64}
dist.phase @train {role = #graph.role<train>, samples_per_step = 8, dataset = @images, advances_global_step}
graph.variable @w : tensor<4xf32> = #graph.zeros {graph.device = #graph.device<"/job:ps/task:0/device:CPU:0">}
graph.dataset @images : (tensor<4xf32>) = #graph.synthetic<samples = 100, seed = 7>

// CHECK: dist.channel @train.w : tensor<4xf32> from @train.ps0 to @train.worker {instances = 2 : i64}
dist.channel @train.w : tensor<4xf32> from @train.ps0 to @train.worker {instances = 2}
// CHECK: dist.channel @train.g : tensor<4xf32> from @train.worker to @train.ps0 {capacity = 2 : i64, instances = 2 : i64}
dist.channel @train.g : tensor<4xf32> from @train.worker to @train.ps0 {capacity = 2, instances = 2}
dist.channel @train.control.ps0 : tensor<i64> from @train.worker to @train.ps0 {control}
// CHECK: dist.channel @train.control.worker : tensor<i64> from @train.worker to @train.worker {control, instances = 2 : i64}
dist.channel @train.control.worker : tensor<i64> from @train.worker to @train.worker {instances = 2, control}

// CHECK: dist.program @train.ps0 of @train on "/job:ps/task:0/device:CPU:0" {
dist.program @train.ps0 of @train on "/job:ps/task:0/device:CPU:0" {
  // CHECK: %[[W:.*]] = graph.read @w
  %w = graph.read @w : tensor<4xf32>
  // CHECK: dist.send @train.w, %[[W]] : tensor<4xf32>
  dist.send @train.w, %w : tensor<4xf32>
  // CHECK: dist.aggregate @train.g : tensor<4xf32>
  %g = dist.aggregate @train.g : tensor<4xf32>
  // CHECK: dist.control_receive @train.control.ps0
  dist.control_receive @train.control.ps0
  // CHECK: dist.end
  dist.end
}

// CHECK: dist.program @train.worker of @train on "/job:worker/device:CPU:0" replicas(2) {
dist.program @train.worker of @train on "/job:worker/device:CPU:0" replicas(2) {
  // CHECK: dist.control_send [@train.control.ps0, @train.control.worker]
  dist.control_send [@train.control.ps0, @train.control.worker]
  // CHECK: dist.feed "rate" : tensor<4xf32>
  %rate = dist.feed "rate" : tensor<4xf32>
  // CHECK: dist.receive @train.w : tensor<4xf32>
  %w = dist.receive @train.w : tensor<4xf32>
  %rates = graph.concatenate %rate, %rate dimension = 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  // CHECK: dist.after %{{.*}}, %{{.*}} : tensor<8xf32>, tensor<4xf32>
  %late = dist.after %rates, %w : tensor<8xf32>, tensor<4xf32>
  dist.send @train.g, %w : tensor<4xf32>
  // CHECK: dist.fetch "rate", %{{.*}} : tensor<4xf32>
  dist.fetch "rate", %rate : tensor<4xf32>
  // CHECK: dist.fetch "w", %{{.*}} {reduction = "first_replica"} : tensor<4xf32>
  dist.fetch "w", %w {reduction = "first_replica"} : tensor<4xf32>
  // CHECK: dist.control_receive @train.control.worker local
  dist.control_receive @train.control.worker local
  dist.end
}

// Buffers, as after schedule; an asynchronous phase.
// CHECK: dist.phase @async {ends_by_end_of_stream, role = #graph.role<train>}
dist.phase @async {role = #graph.role<train>, ends_by_end_of_stream}
dist.channel @async.x : tensor<4xf32> from @async.ps0 to @async.worker {instances = 2}
// CHECK: dist.program @async.ps0 of @async on "/job:ps/task:0/device:CPU:0" replicas(2) locks_variables {
dist.program @async.ps0 of @async on "/job:ps/task:0/device:CPU:0" replicas(2) locks_variables {
  // CHECK: dist.ticket {max_staleness = 3 : i64}
  dist.ticket {max_staleness = 3 : i64}
  %x = dist.feed "x" : memref<4xf32>
  // CHECK: dist.send_start @async.x, %{{.*}} : memref<4xf32>
  dist.send_start @async.x, %x : memref<4xf32>
  // CHECK: dist.send_done @async.x
  dist.send_done @async.x
  dist.end
}
dist.program @async.worker of @async on "/job:worker/device:CPU:0" replicas(2) {
  // CHECK: dist.receive @async.x : memref<4xf32>
  %x = dist.receive @async.x : memref<4xf32>
  // CHECK: dist.release @async.x
  dist.release @async.x
  dist.end
}

// CHECK: dist.phase @eval
dist.phase @eval {role = #graph.role<eval>}
dist.program @eval.worker0 of @eval on "/job:worker/task:0/device:CPU:0" {
  dist.control_send []
  %hits = dist.feed "hits" : tensor<i64>
  // CHECK: dist.metric "accuracy", %{{.*}}, %{{.*}} : tensor<i64>, tensor<i64>
  dist.metric "accuracy", %hits, %hits : tensor<i64>, tensor<i64>
  // CHECK: dist.control_receive local
  dist.control_receive local
  dist.end
}

// All to all among the instances of one replicated program; values packed into one message.
// CHECK: dist.channel @sum : tensor<32xf32> from @member to @member {all_to_all, instances = 2 : i64}
dist.phase @together {role = #graph.role<train>}
dist.channel @sum : tensor<32xf32> from @member to @member {all_to_all, instances = 2}
// CHECK: dist.program @member of @together on "/job:worker/device:CPU:0" replicas(2)
dist.program @member of @together on "/job:worker/device:CPU:0" replicas(2) {
  %a = graph.constant dense<1.0> : tensor<4xf32>
  %b = graph.constant dense<2.0> : tensor<3x1xf32>
  // CHECK: %[[P:.*]] = dist.pack %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<3x1xf32>) -> tensor<32xf32>
  %p = dist.pack %a, %b : (tensor<4xf32>, tensor<3x1xf32>) -> tensor<32xf32>
  dist.send @sum, %p : tensor<32xf32>
  // CHECK: %[[S:.*]] = dist.aggregate @sum own %[[P]] : tensor<32xf32>
  %s = dist.aggregate @sum own %p : tensor<32xf32>
  // CHECK: dist.unpack %[[S]] : (tensor<32xf32>) -> (tensor<4xf32>, tensor<3x1xf32>)
  %c, %d = dist.unpack %s : (tensor<32xf32>) -> (tensor<4xf32>, tensor<3x1xf32>)
  dist.fetch "c", %c : tensor<4xf32>
  dist.end
}

// Sent for the next step, through a view or not, once it is known that one follows.
graph.variable @ahead.variable : tensor<4xf32> = #graph.zeros
dist.phase @ahead {role = #graph.role<train>}
dist.channel @ahead.w : tensor<2x2xf32> from @ahead.ps to @ahead.worker
dist.channel @ahead.control : tensor<i64> from @ahead.worker to @ahead.ps {control}
dist.program @ahead.ps of @ahead on "/job:ps/task:0/device:CPU:0" {
  %w = dist.variable_buffer @ahead.variable : memref<4xf32>
  %v = dist.view %w : memref<4xf32> to memref<2x2xf32>
  dist.send_done @ahead.w
  dist.control_receive @ahead.control
  // CHECK: dist.send_start @ahead.w, %{{.*}} {ahead} : memref<2x2xf32>
  dist.send_start @ahead.w, %v {ahead} : memref<2x2xf32>
  dist.end
}
dist.program @ahead.worker of @ahead on "/job:worker/task:0/device:CPU:0" {
  dist.control_send [@ahead.control]
  %w = dist.receive @ahead.w : memref<2x2xf32>
  dist.release @ahead.w
  dist.control_receive local
  dist.end
}

// Every instance's value end to end, and a piece of a value for each.
dist.phase @rows {role = #graph.role<train>}
dist.channel @rows.numbers : tensor<3xi32> from @rows.worker to @rows.ps {instances = 2}
dist.channel @rows.found : tensor<3x2xf32> from @rows.ps to @rows.worker {instances = 2}
dist.channel @rows.more : tensor<3xi32> from @rows.worker to @rows.ps {instances = 2}
dist.program @rows.worker of @rows on "/job:worker/device:CPU:0" replicas(2) {
  %n = graph.constant dense<[1, 2, 3]> : tensor<3xi32>
  dist.send @rows.numbers, %n : tensor<3xi32>
  dist.send @rows.more, %n : tensor<3xi32>
  %r = dist.receive @rows.found : tensor<3x2xf32>
  dist.fetch "found", %r : tensor<3x2xf32>
  dist.end
}
dist.program @rows.ps of @rows on "/job:ps/task:0/device:CPU:0" {
  // CHECK: dist.collect @rows.numbers : tensor<6xi32>
  %n = dist.collect @rows.numbers : tensor<6xi32>
  %all = dist.buffer : memref<6xi32>
  // CHECK: dist.collect_into @rows.more, %{{.*}} : memref<6xi32>
  dist.collect_into @rows.more, %all : memref<6xi32>
  %r = graph.constant dense<1.0> : tensor<6x2xf32>
  // CHECK: dist.send @rows.found, %{{.*}} {deal} : tensor<6x2xf32>
  dist.send @rows.found, %r {deal} : tensor<6x2xf32>
  dist.end
}

// Messages of as many entries as their ends count.
dist.phase @sized {role = #graph.role<train>}
// CHECK: dist.channel @sized.up : tensor<3x2xf32> from @sized.worker to @sized.ps {instances = 2 : i64, sized}
dist.channel @sized.up : tensor<3x2xf32> from @sized.worker to @sized.ps {instances = 2, sized}
dist.channel @sized.more : tensor<3xi32> from @sized.worker to @sized.ps {instances = 2, sized}
dist.channel @sized.down : tensor<3x2xf32> from @sized.ps to @sized.worker {instances = 2, sized}
dist.channel @sized.back : tensor<3xf32> from @sized.ps to @sized.worker {instances = 2, sized}
dist.program @sized.worker of @sized on "/job:worker/device:CPU:0" replicas(2) {
  %c = graph.constant dense<2> : tensor<i64>
  %v = graph.constant dense<1.0> : tensor<3x2xf32>
  // CHECK: dist.send @sized.up, %{{.*}} count %{{.*}} : tensor<i64> : tensor<3x2xf32>
  dist.send @sized.up, %v count %c : tensor<i64> : tensor<3x2xf32>
  %count = dist.buffer : memref<i64>
  %b = dist.buffer : memref<3xi32>
  // CHECK: dist.send_start @sized.more, %{{.*}} count %{{.*}} : memref<i64> : memref<3xi32>
  dist.send_start @sized.more, %b count %count : memref<i64> : memref<3xi32>
  dist.send_done @sized.more
  // CHECK: dist.receive @sized.down count %{{.*}} : tensor<i64> : tensor<3x2xf32>
  %r = dist.receive @sized.down count %c : tensor<i64> : tensor<3x2xf32>
  // CHECK: dist.receive @sized.back count %{{.*}} : memref<i64> : memref<3xf32>
  %s = dist.receive @sized.back count %count : memref<i64> : memref<3xf32>
  dist.release @sized.back
  dist.fetch "found", %r : tensor<3x2xf32>
  dist.end
}
dist.program @sized.ps of @sized on "/job:ps/task:0/device:CPU:0" {
  %each = graph.constant dense<2> : tensor<2xi64>
  // CHECK: dist.collect @sized.up count %{{.*}} : tensor<2xi64> : tensor<6x2xf32>
  %n = dist.collect @sized.up count %each : tensor<2xi64> : tensor<6x2xf32>
  %counts = dist.buffer : memref<2xi64>
  %all = dist.buffer : memref<6xi32>
  // CHECK: dist.collect_into @sized.more, %{{.*}} count %{{.*}} : memref<2xi64> : memref<6xi32>
  dist.collect_into @sized.more, %all count %counts : memref<2xi64> : memref<6xi32>
  // CHECK: dist.send @sized.down, %{{.*}} count %{{.*}} : tensor<2xi64> {deal} : tensor<6x2xf32>
  dist.send @sized.down, %n count %each : tensor<2xi64> {deal} : tensor<6x2xf32>
  %out = dist.buffer : memref<6xf32>
  // CHECK: dist.send_start @sized.back, %{{.*}} count %{{.*}} : memref<2xi64> {deal} : memref<6xf32>
  dist.send_start @sized.back, %out count %counts : memref<2xi64> {deal} : memref<6xf32>
  dist.send_done @sized.back
  dist.end
}
