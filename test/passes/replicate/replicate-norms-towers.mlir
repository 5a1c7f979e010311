// RUN: graph-opt %s --resolve-strategy --place --replicate --verify-replicated | FileCheck %s

// Two micro-batches: the norm is of their mean, and so is made behind both.
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 1], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "one_device", micro_batches = 2>} {
graph.variable @b : tensor<16xf32> = #graph.zeros
graph.dataset @train : (tensor<16xf32>) = #graph.synthetic<samples = 10>
// CHECK-LABEL: graph.func @train_step
graph.func @train_step() attributes {role = #graph.role<train>} {
  // CHECK-COUNT-2: graph.next_batch
  // CHECK: %[[SUM:.*]] = graph.add
  // CHECK: %[[MEAN:.*]] = graph.divide %[[SUM]]
  // CHECK: %[[S:.*]] = graph.gradient_squares @b, %[[MEAN]]
  // CHECK: %[[NORM:.*]] = graph.reduce_sum %[[S]]
  // CHECK: graph.apply_sgd @b, %{{.*}} scale %[[NORM]]
  %y = graph.next_batch @train {batch = 1} : tensor<1x16xf32>
  %h = graph.reshape %y : (tensor<1x16xf32>) -> tensor<16xf32>
  %sb = graph.gradient_squares @b, %h : (tensor<16xf32>) -> tensor<16xf64>
  %own = graph.reduce_sum %sb dimensions = [0] : (tensor<16xf64>) -> tensor<f64>
  graph.apply_sgd @b, %h scale %own {learning_rate = 0.1} : tensor<16xf32>
  graph.return
}
}
