// RUN: graph-opt %s --resolve-strategy --place --replicate --partition --verify-partitioned --verify-liveness | FileCheck %s
// RUN: graphc %s --emit=scheduled | FileCheck %s --check-prefix=ORDER
// Bounded staleness: the owner of global_step decides, so the other parameter server waits for its update ticket before it hands out
// parameters, and says before the next one that its part of the last step is done.

module attributes {graph.cluster = #graph.cluster<jobs = [ps = 2, worker = 3], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server", async = true, max_staleness = 2>} {
graph.variable @w : tensor<4xf32> = #graph.zeros
graph.variable @global_step : tensor<i64> = #graph.zeros {trainable = false}
graph.dataset @d : (tensor<4xf32>) = #graph.synthetic<samples = 100, seed = 7>
// CHECK-DAG: dist.channel @train.ticket.to_ps0 : tensor<i64> from @train.ps1 to @train.ps0 {instances = 3 : i64}
// CHECK-DAG: dist.channel @train.ready.from_ps0 : tensor<i64> from @train.ps0 to @train.ps1 {instances = 3 : i64}
// CHECK: dist.program @train.ps0 of @train on "/job:ps/task:0/device:CPU:0" replicas(3) locks_variables {
// CHECK-NEXT: %[[ONE:.*]] = graph.constant dense<1> : tensor<i64>
// CHECK-NEXT: dist.send @train.ready.from_ps0, %[[ONE]]
// CHECK-NEXT: dist.receive @train.ticket.to_ps0
// CHECK-NEXT: graph.read @w
// CHECK: dist.program @train.ps1 of @train on "/job:ps/task:1/device:CPU:0" replicas(3) locks_variables {
// CHECK-NEXT: dist.receive @train.ready.from_ps0
// CHECK-NEXT: dist.ticket {max_staleness = 2 : i64}
// CHECK: dist.send @train.ticket.to_ps0

// ORDER: dist.program @train.ps0
// ORDER: dist.send_start @train.ready.from_ps0
// ORDER: dist.receive @train.ticket.to_ps0
// ORDER: dist.send_start @train.w.to_worker
// ORDER: dist.program @train.ps1
// ORDER: dist.receive @train.ready.from_ps0
// ORDER: dist.ticket {max_staleness = 2 : i64}
// ORDER: dist.send_start @train.ticket.to_ps0
graph.func @train() -> () attributes {role = #graph.role<train>} {
  %x = graph.next_batch @d {batch = 4} : tensor<4x4xf32>
  %w = graph.read @w : tensor<4xf32>
  %s = graph.reduce_sum %x dimensions = [0] : (tensor<4x4xf32>) -> tensor<4xf32>
  %g = graph.add %s, %w : tensor<4xf32>
  graph.apply_sgd @w, %g {learning_rate = 0.1} : tensor<4xf32>
  %one = graph.constant dense<1> : tensor<i64>
  graph.assign_add @global_step, %one : tensor<i64>
  graph.return
}
}
