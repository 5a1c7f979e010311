// RUN: graph-opt %s --resolve-strategy --place --verify-placed | FileCheck %s --implicit-check-not=task:1 --implicit-check-not=ps/
// Everything on the chief, whatever is requested.

module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, chief = 1, worker = 2], chief = "/job:chief/task:0">,
                   graph.strategy = #graph.strategy<name = "one_device", micro_batches = 2>} {
// CHECK: @w {{.*}}"/job:chief/task:0/device:CPU:0"
graph.variable @w : tensor<4xf32> = #graph.zeros {graph.device = #graph.device<"/job:worker/task:7">}
graph.func @train() -> (tensor<4xf32>) attributes {role = #graph.role<train>} {
  // CHECK: graph.read @w {{.*}}"/job:chief/task:0/device:CPU:0"
  %w = graph.read @w : tensor<4xf32>
  // CHECK: graph.negate {{.*}}"/job:chief/task:0/device:CPU:0"
  %n = graph.negate %w {graph.device = #graph.device<"/job:nobody">} : tensor<4xf32>
  graph.return %n : tensor<4xf32>
}
}
