// RUN: graph-opt %s --split-input-file --resolve-strategy --place --replicate --verify-replicated --partition --verify-partitioned --verify-liveness | FileCheck %s
// The proxy beside @global_step tells every other proxy and the replicas the version before it waits for any of them, also
// where it has nothing else to do.

// Three servers; @global_step is alone on the third.
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 3, worker = 3], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server", replicas_to_aggregate = 2>} {
graph.variable @w : tensor<4xf32> = #graph.zeros
graph.variable @b : tensor<4xf32> = #graph.zeros
graph.variable @global_step : tensor<i64> = #graph.zeros {trainable = false}
graph.dataset @d : (tensor<4xf32>) = #graph.synthetic<samples = 100, seed = 7>
// CHECK: dist.program @train.ps2.proxy of @train on "/job:ps/task:2/device:CPU:0" replicas(3) locks_variables {
// CHECK-NEXT: %[[N:.*]] = dist.receive @train.version.to_ps2.proxy
// CHECK-NEXT: dist.send @train.version.to_ps0.proxy, %[[N]]
// CHECK-NEXT: dist.send @train.version.to_ps1.proxy, %[[N]]
// CHECK-NEXT: dist.receive @train.arrived.from_ps0.proxy
// CHECK-NEXT: dist.receive @train.arrived.from_ps1.proxy
// CHECK-NEXT: dist.send @train.reports, %[[N]]
// CHECK-NEXT: dist.end
graph.func @train() -> () attributes {role = #graph.role<train>} {
  %x = graph.next_batch @d {batch = 4} : tensor<4x4xf32>
  %w = graph.read @w : tensor<4xf32>
  %b = graph.read @b : tensor<4xf32>
  %s = graph.reduce_sum %x dimensions = [0] : (tensor<4x4xf32>) -> tensor<4xf32>
  %g = graph.add %s, %w : tensor<4xf32>
  %h = graph.add %s, %b : tensor<4xf32>
  graph.apply_sgd @w, %g {learning_rate = 0.1} : tensor<4xf32>
  graph.apply_sgd @b, %h {learning_rate = 0.1} : tensor<4xf32>
  %one = graph.constant dense<1> : tensor<i64>
  graph.assign_add @global_step, %one : tensor<i64>
  graph.return
}
}

// -----

// The replicas read nothing, so that the version is all they hear of a step.
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 2, worker = 3], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server", replicas_to_aggregate = 2>} {
graph.variable @w : tensor<4xf32> = #graph.zeros
graph.variable @global_step : tensor<i64> = #graph.zeros {trainable = false}
graph.dataset @d : (tensor<4xf32>) = #graph.synthetic<samples = 100, seed = 7>
// CHECK: dist.program @train.ps1.proxy of @train on "/job:ps/task:1/device:CPU:0" replicas(3) locks_variables {
// CHECK-NEXT: %[[N:.*]] = dist.receive @train.version.to_ps1.proxy
// CHECK-NEXT: dist.send @train.version.to_ps0.proxy, %[[N]]
// CHECK-NEXT: dist.send @train.version.to_worker, %[[N]]
// CHECK-NEXT: dist.receive @train.arrived.from_ps0.proxy
// CHECK-NEXT: dist.send @train.reports, %[[N]]
// CHECK-NEXT: dist.end
graph.func @train() -> () attributes {role = #graph.role<train>} {
  %g = graph.constant dense<1.0> : tensor<4xf32>
  graph.apply_sgd @w, %g {learning_rate = 0.1} : tensor<4xf32>
  %one = graph.constant dense<1> : tensor<i64>
  graph.assign_add @global_step, %one : tensor<i64>
  graph.return
}
}
