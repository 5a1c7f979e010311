// RUN: graph-opt %s --resolve-strategy --place --replicate --partition --verify-partitioned --verify-liveness | FileCheck %s --implicit-check-not=control
// The parameter servers' programs are replicated too; an update ticket on the owner of global_step ends the phase. No value of that
// task goes to the replicas, so the ticket itself does, first of all.

module attributes {graph.cluster = #graph.cluster<jobs = [ps = 2, worker = 3], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server", async = true>} {
graph.variable @w : tensor<4xf32> = #graph.zeros
graph.variable @global_step : tensor<i64> = #graph.zeros {trainable = false}
graph.dataset @d : (tensor<4xf32>) = #graph.synthetic<samples = 100, seed = 7>
// One update is one replica's batch.
// CHECK: dist.phase @train {advances_global_step, dataset = @d, ends_by_end_of_stream, {{.*}}samples_per_step = 4 : i64}
// CHECK: dist.channel @train.w.gradient : tensor<4xf32> from @train.worker to @train.ps0 {instances = 3 : i64}
// CHECK: dist.channel @train.ticket.to_worker : tensor<i64> from @train.ps1 to @train.worker {instances = 3 : i64}
// CHECK: dist.program @train.worker of @train on "/job:worker/device:CPU:0" replicas(3) {
// CHECK-NEXT: dist.receive @train.ticket.to_worker : tensor<i64>
// CHECK: dist.program @train.ps0 of @train on "/job:ps/task:0/device:CPU:0" replicas(3) locks_variables {
// CHECK-NEXT: %[[G:.*]] = dist.receive @train.w.gradient
// CHECK-NEXT: graph.apply_sgd @w, %[[G]]
// CHECK-NEXT: dist.end
// CHECK: dist.program @train.ps1 of @train on "/job:ps/task:1/device:CPU:0" replicas(3) locks_variables {
// CHECK-NEXT: dist.ticket
// CHECK-NEXT: %[[N:.*]] = graph.read @global_step
// CHECK-NEXT: dist.send @train.ticket.to_worker, %[[N]]
// CHECK: graph.assign_add @global_step
graph.func @train() -> () attributes {role = #graph.role<train>} {
  %x = graph.next_batch @d {batch = 4} : tensor<4x4xf32>
  %g = graph.reduce_sum %x dimensions = [0] : (tensor<4x4xf32>) -> tensor<4xf32>
  graph.apply_sgd @w, %g {learning_rate = 0.1} : tensor<4xf32>
  %one = graph.constant dense<1> : tensor<i64>
  graph.assign_add @global_step, %one : tensor<i64>
  graph.return
}
}
