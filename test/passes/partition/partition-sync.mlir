// RUN: graph-opt %s --resolve-strategy --place --replicate --partition --verify-partitioned | FileCheck %s
// RUN: graph-opt %s --resolve-strategy --place --replicate --partition --mlir-print-debuginfo | FileCheck %s --check-prefix=LOC

module attributes {graph.cluster = #graph.cluster<jobs = [ps = 2, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server">} {
graph.variable @w : tensor<4x1xf32> = #graph.zeros
graph.variable @global_step : tensor<i64> = #graph.zeros {trainable = false}
graph.dataset @d : (tensor<4xf32>) = #graph.synthetic<samples = 100, seed = 7>

// CHECK-NOT: graph.func
// CHECK: dist.phase @train {advances_global_step, dataset = @d, role = #graph.role<train>, samples_per_step = 16 : i64}
// The value crosses once although two operations take it.
// CHECK-NEXT: dist.channel @train.w.to_worker : tensor<4x1xf32> from @train.ps0 to @train.worker {instances = 2 : i64}
// CHECK-NEXT: dist.channel @train.w.gradient : tensor<4x1xf32> from @train.worker to @train.ps0 {instances = 2 : i64}
// CHECK-NEXT: dist.channel @train.global_step.to_worker : tensor<i64> from @train.ps1 to @train.worker {instances = 2 : i64}
// CHECK-NEXT: dist.channel @train.control.worker : tensor<i64> from @train.worker to @train.worker {capacity = 2 : i64, control, instances = 2 : i64}
// CHECK-NEXT: dist.channel @train.control.ps0 : tensor<i64> from @train.worker to @train.ps0 {capacity = 2 : i64, control}
// CHECK-NEXT: dist.channel @train.control.ps1 : tensor<i64> from @train.worker to @train.ps1 {capacity = 2 : i64, control}

// CHECK: dist.program @train.worker of @train on "/job:worker/device:CPU:0" replicas(2) {
// CHECK-NEXT: dist.control_send [@train.control.worker, @train.control.ps0, @train.control.ps1]
// CHECK-NEXT: %[[X:.*]] = graph.next_batch @d
// CHECK-NEXT: %[[W:.*]] = dist.receive @train.w.to_worker
// CHECK-NEXT: %[[Y:.*]] = graph.matmul %[[X]], %[[W]]
// CHECK-NEXT: %[[Z:.*]] = graph.matmul %[[X]], %[[W]]
// CHECK-NEXT: %[[YZ:.*]] = graph.add %[[Y]], %[[Z]]
// CHECK-NEXT: %[[G:.*]] = graph.matmul %[[X]], %[[YZ]] {transpose_a}
// CHECK-NEXT: dist.send @train.w.gradient, %[[G]]
// CHECK-NEXT: dist.fetch "g", %[[G]] : tensor<4x1xf32>
// What is the same for all replicas is fetched from the first.
// CHECK-NEXT: %[[S:.*]] = dist.receive @train.global_step.to_worker
// CHECK-NEXT: dist.fetch "result1", %[[S]] {reduction = "first_replica"}
// CHECK-NEXT: dist.control_receive @train.control.worker local
// CHECK-NEXT: dist.end

// CHECK: dist.program @train.ps0 of @train on "/job:ps/task:0/device:CPU:0" {
// CHECK-NEXT: %[[W:.*]] = graph.read @w
// CHECK-NEXT: dist.send @train.w.to_worker, %[[W]]
// CHECK-NEXT: %[[SUM:.*]] = dist.aggregate @train.w.gradient
// CHECK-NEXT: %[[N:.*]] = graph.constant dense<2.0
// CHECK-NEXT: %[[M:.*]] = graph.divide %[[SUM]], %[[N]]
// CHECK-NEXT: graph.apply_sgd @w, %[[M]]
// CHECK-NEXT: dist.control_receive @train.control.ps0
// CHECK-NEXT: dist.end

// CHECK: dist.program @train.ps1 of @train on "/job:ps/task:1/device:CPU:0" {
// CHECK: graph.assign_add @global_step
// CHECK: graph.read @global_step
// CHECK: dist.send @train.global_step.to_worker

// Channels and what acts on them carry the line of the operation that made the edge.
// LOC: dist.channel @train.w.to_worker {{.*}} loc(#[[LOC:.*]])
// LOC: dist.send @train.w.to_worker, %{{.*}} loc(#[[LOC]])
// LOC: #[[LOC]] = loc("{{.*}}partition-sync.mlir":[[# @LINE + 3]]:8)
graph.func @train() -> (tensor<4x1xf32> {graph.name = "g"}, tensor<i64>) attributes {role = #graph.role<train>} {
  %x = graph.next_batch @d {batch = 8} : tensor<8x4xf32>
  %w = graph.read @w : tensor<4x1xf32>
  %dead = graph.read @global_step : tensor<i64>
  %y = graph.matmul %x, %w : (tensor<8x4xf32>, tensor<4x1xf32>) -> tensor<8x1xf32>
  %z = graph.matmul %x, %w : (tensor<8x4xf32>, tensor<4x1xf32>) -> tensor<8x1xf32>
  %yz = graph.add %y, %z : tensor<8x1xf32>
  %g = graph.matmul %x, %yz {transpose_a} : (tensor<8x4xf32>, tensor<8x1xf32>) -> tensor<4x1xf32>
  graph.apply_sgd @w, %g {learning_rate = 0.1} : tensor<4x1xf32>
  %one = graph.constant dense<1> : tensor<i64>
  graph.assign_add @global_step, %one : tensor<i64>
  %step = graph.read @global_step : tensor<i64>
  graph.return %g, %step : tensor<4x1xf32>, tensor<i64>
}

// The chief evaluates alone; a parameter server that it asks for nothing has no program.
// CHECK: dist.phase @eval {dataset = @d, role = #graph.role<eval>, samples_per_step = 8 : i64}
// CHECK: dist.program @eval.worker0 of @eval on "/job:worker/task:0/device:CPU:0" {
// CHECK: dist.metric "m", %{{.*}}, %{{.*}} : tensor<i64>, tensor<i64>
// CHECK: dist.control_receive local
// CHECK: dist.program @eval.ps0
// CHECK-NOT: @eval.ps1
graph.func @eval() -> () attributes {role = #graph.role<eval>} {
  %x, %v = graph.next_batch @d {batch = 8, pad_last} : tensor<8x4xf32>, tensor<8xi1>
  %w = graph.read @w : tensor<4x1xf32>
  %y = graph.matmul %x, %w : (tensor<8x4xf32>, tensor<4x1xf32>) -> tensor<8x1xf32>
  %z = graph.reshape %y : (tensor<8x1xf32>) -> tensor<8xf32>
  %zero = graph.constant dense<0.0> : tensor<8xf32>
  %p = graph.compare gt, %z, %zero : tensor<8xf32>
  graph.metric "m", %p, %v : tensor<8xi1>, tensor<8xi1>
  graph.return
}
}
