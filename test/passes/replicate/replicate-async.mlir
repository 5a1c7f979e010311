// RUN: graph-opt %s --resolve-strategy --place --replicate --verify-replicated | FileCheck %s --implicit-check-not=graph.aggregate --implicit-check-not=graph.divide
// Asynchronous updates are applied as they come.

module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server", async = true>} {
graph.variable @w : tensor<4xf32> = #graph.zeros
graph.func @train(%g: tensor<4xf32>) -> () attributes {role = #graph.role<train>} {
  // CHECK: graph.apply_sgd @w, %{{arg0|g}}
  graph.apply_sgd @w, %g {learning_rate = 0.1} : tensor<4xf32>
  graph.return
}
}
