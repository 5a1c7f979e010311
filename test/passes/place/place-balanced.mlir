// RUN: graph-opt %s --resolve-strategy --place --verify-placed | FileCheck %s
// Largest first, each to the task with the fewest bytes: 400 to task 0, 300 and then 80 to task 1 (300 < 400), 20 to
// task 1 (380 < 400), 8 to task 0 (400 = 400). One replica: its device is a task's.

module attributes {graph.cluster = #graph.cluster<jobs = [ps = 2, worker = 1], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server">,
                   graph.variable_placement = "balanced"} {
// CHECK: @small {{.*}}"/job:ps/task:1/
graph.variable @small : tensor<5xf32> = #graph.zeros
// CHECK: @large {{.*}}"/job:ps/task:0/
graph.variable @large : tensor<100xf32> = #graph.zeros
// CHECK: @middle {{.*}}"/job:ps/task:1/
graph.variable @middle : tensor<75xf32> = #graph.zeros
// CHECK: @slotted {{.*}}"/job:ps/task:1/
graph.variable @slotted : tensor<10xf32> = #graph.zeros
graph.variable @slot : tensor<10xf32> = #graph.zeros {trainable = false, graph.slot_of = @slotted}
// CHECK: @global_step {{.*}}"/job:ps/task:0/
graph.variable @global_step : tensor<i64> = #graph.zeros {trainable = false}
// CHECK: graph.func @train{{.*}}"/job:worker/task:0/device:CPU:0"
graph.func @train() -> () attributes {role = #graph.role<train>} {
  graph.return
}
}
