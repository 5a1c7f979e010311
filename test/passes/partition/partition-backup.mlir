// RUN: graph-opt %s --resolve-strategy --place --replicate --verify-replicated --partition --verify-partitioned --verify-liveness | FileCheck %s
// RUN: graphc %s --emit=scheduled | FileCheck %s --check-prefix=ORDER
// Backup workers: a parameter server is a proxy with one instance a replica, and a main program that takes the first two of each
// version. The mean is of two.

module attributes {graph.cluster = #graph.cluster<jobs = [ps = 2, worker = 3], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server", replicas_to_aggregate = 2>} {
graph.variable @w : tensor<4xf32> = #graph.zeros
graph.variable @global_step : tensor<i64> = #graph.zeros {trainable = false}
graph.dataset @d : (tensor<4xf32>) = #graph.synthetic<samples = 100, seed = 7>
// Two batches make one step, and there is no control channel.
// CHECK: dist.phase @train {advances_global_step, dataset = @d, ends_by_end_of_stream, {{.*}}samples_per_step = 8 : i64}
// CHECK-NOT: control
// CHECK-DAG: dist.channel @train.w.gradient : tensor<4xf32> from @train.worker to @train.ps0.proxy {instances = 3 : i64}
// CHECK-DAG: dist.channel @train.w.gradient.conflating : tensor<4xf32> from @train.ps0.proxy to @train.ps0 {conflating, instances = 3 : i64}
// CHECK-DAG: dist.channel @train.reports : tensor<i64> from @train.ps1.proxy to @train.ps1 {conflating, instances = 3 : i64}
// CHECK-DAG: dist.channel @train.chosen.to_ps0 : tensor<3xi1> from @train.ps1 to @train.ps0

// CHECK: dist.program @train.ps0 of @train on "/job:ps/task:0/device:CPU:0" locks_variables {
// CHECK: dist.send @train.ready.from_ps0
// CHECK-NEXT: %[[SET:.*]] = dist.receive @train.chosen.to_ps0 : tensor<3xi1>
// CHECK: %[[SUM:.*]] = dist.aggregate_chosen @train.w.gradient.conflating from %[[SET]] : tensor<4xf32> from tensor<3xi1>
// CHECK: graph.constant dense<2.000000e+00>
// CHECK: graph.divide
// CHECK: graph.apply_sgd @w
// CHECK: dist.program @train.ps0.proxy of @train on "/job:ps/task:0/device:CPU:0" replicas(3) locks_variables {
// CHECK-NEXT: %[[V:.*]] = dist.receive @train.version.to_ps0.proxy
// CHECK-NEXT: %[[W:.*]] = graph.read @w
// CHECK-NEXT: dist.send @train.w.to_worker, %[[W]]
// CHECK-NEXT: %[[G:.*]] = dist.receive @train.w.gradient
// CHECK-NEXT: dist.send @train.w.gradient.conflating, %[[G]]
// CHECK-NEXT: dist.send @train.arrived.from_ps0.proxy, %[[V]]
// CHECK-NEXT: dist.end
// CHECK: dist.program @train.ps1 of @train on "/job:ps/task:1/device:CPU:0" locks_variables {
// CHECK-NEXT: dist.receive @train.ready.from_ps0
// CHECK-NEXT: dist.ticket
// CHECK-NEXT: %[[OWN:.*]] = graph.read @global_step
// CHECK-NEXT: dist.send @train.version.to_ps1.proxy, %[[OWN]]
// CHECK-NEXT: %[[CHOSEN:.*]] = dist.choose @train.reports at %[[OWN]] {take = 2 : i64} : tensor<i64> -> tensor<3xi1>
// CHECK-NEXT: dist.send @train.chosen.to_ps0, %[[CHOSEN]]
// CHECK: dist.program @train.ps1.proxy of @train on "/job:ps/task:1/device:CPU:0" replicas(3) locks_variables {
// CHECK-NEXT: %[[N:.*]] = dist.receive @train.version.to_ps1.proxy
// CHECK-NEXT: dist.send @train.version.to_ps0.proxy, %[[N]]
// CHECK-NEXT: dist.receive @train.arrived.from_ps0.proxy
// CHECK-NEXT: dist.send @train.reports, %[[N]]

// What lies in a slot is there before anybody is told so.
// ORDER: dist.program @train.ps0.proxy
// ORDER: dist.send_start @train.w.gradient.conflating
// ORDER: dist.send_start @train.arrived.from_ps0.proxy
// ORDER: dist.program @train.ps1 of
// ORDER: dist.ticket
// ORDER: dist.send_start @train.version.to_ps1.proxy
// ORDER: dist.choose_into @train.reports
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
