// RUN: graph-opt %s --resolve-strategy --place --verify-placed --verify-diagnostics | FileCheck %s
// Everything is on every replica; a request for another task is remarked on. What is not replicated is the chief's.

module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, chief = 1, worker = 2], chief = "/job:chief/task:0">,
                   graph.strategy = #graph.strategy<name = "all_reduce">} {
// CHECK: graph.variable @w {{.*}} {graph.device = #graph.device<"/device:CPU:0">}
// expected-remark @below {{is on every replica under the strategy all_reduce; its device "/job:ps/task:0" has no effect}}
graph.variable @w : tensor<4xf32> = #graph.zeros {graph.device = #graph.device<"/job:ps/task:0">}
// The same request again is not remarked on.
graph.variable @v : tensor<4xf32> = #graph.zeros {graph.device = #graph.device<"/job:ps/task:0">}
// CHECK: graph.func @train{{.*}}"/device:CPU:0"
graph.func @train() -> () attributes {role = #graph.role<train>} {
  // CHECK: graph.read @w {graph.device = #graph.device<"/device:CPU:0">}
  %w = graph.read @w : tensor<4xf32>
  // CHECK: graph.apply_sgd @w, %{{.*}} {graph.device = #graph.device<"/device:CPU:0">
  graph.apply_sgd @w, %w {learning_rate = 0.1} : tensor<4xf32>
  graph.return
}
// CHECK: graph.func @look{{.*}}"/job:chief/task:0/device:CPU:0"
graph.func @look() -> (tensor<4xf32>) attributes {role = #graph.role<predict>} {
  // CHECK: graph.read @w {graph.device = #graph.device<"/job:chief/task:0/device:CPU:0">}
  %w = graph.read @w : tensor<4xf32>
  graph.return %w : tensor<4xf32>
}
}
