// RUN: graph-opt %s --resolve-strategy --split-variables --place --verify-placed | FileCheck %s --check-prefix=PLACED
// RUN: graph-opt %s --resolve-strategy --split-variables --place --replicate --verify-replicated --verify-placed | FileCheck %s

// The norm of a gradient is of the mean that its update takes: Parts of a variable have their rows' squares, which
// are joined where the norm is made, beside the counter; what one update alone takes is made beside its variable. Each part of the
// gradient travels once.
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 2, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server">, graph.variable_placement = "split",
                   graph.min_shard_bytes = 1024 : i64} {
graph.variable @w : tensor<64x16xf32> = #graph.zeros
graph.variable @b : tensor<16xf32> = #graph.zeros
graph.variable @global_step : tensor<i64> = #graph.zeros {trainable = false}
graph.dataset @train : (tensor<64x16xf32>, tensor<16xf32>) = #graph.synthetic<samples = 10>
// PLACED-LABEL: graph.func @train_step
// CHECK-LABEL: graph.func @train_step
graph.func @train_step() attributes {role = #graph.role<train>} {
  %x, %y = graph.next_batch @train {batch = 1} : tensor<1x64x16xf32>, tensor<1x16xf32>
  %g = graph.reshape %x : (tensor<1x64x16xf32>) -> tensor<64x16xf32>
  %h = graph.reshape %y : (tensor<1x16xf32>) -> tensor<16xf32>
  // PLACED: %[[S0:.*]] = graph.gradient_squares @"w/part_0", %{{.*}} {graph.device = #graph.device<"/job:ps/task:0/device:CPU:0">} : (tensor<32x16xf32>) -> tensor<32xf64>
  // PLACED: %[[S1:.*]] = graph.gradient_squares @"w/part_1", %{{.*}} {graph.device = #graph.device<"/job:ps/task:1/device:CPU:0">} : (tensor<32x16xf32>) -> tensor<32xf64>
  // PLACED: graph.concatenate %[[S0]], %[[S1]] dimension = 0 {graph.device = #graph.device<"/job:ps/task:{{[01]}}/device:CPU:0">}
  // CHECK: %[[A0:.*]] = graph.aggregate %{{.*}} {{.*}}replicas = 2
  // CHECK: %[[M0:.*]] = graph.divide %[[A0]]
  // CHECK: graph.gradient_squares @"w/part_0", %[[M0]]
  // CHECK: %[[A1:.*]] = graph.aggregate %{{.*}} {{.*}}replicas = 2
  // CHECK: %[[M1:.*]] = graph.divide %[[A1]]
  // CHECK: graph.gradient_squares @"w/part_1", %[[M1]]
  %sw = graph.gradient_squares @w, %g : (tensor<64x16xf32>) -> tensor<64xf64>
  // CHECK: %[[A2:.*]] = graph.aggregate
  // CHECK-NOT: graph.aggregate
  // CHECK: %[[M2:.*]] = graph.divide %[[A2]]
  // CHECK: graph.gradient_squares @b, %[[M2]]
  %sb = graph.gradient_squares @b, %h : (tensor<16xf32>) -> tensor<16xf64>
  %w = graph.reduce_sum %sw dimensions = [0] {graph.colocate_with = @global_step} : (tensor<64xf64>) -> tensor<f64>
  // PLACED: %[[OWN:.*]] = graph.reduce_sum %{{.*}} dimensions = [0] {graph.device = #graph.device<"[[B:/job:ps/task:[01]/device:CPU:0]]">} : (tensor<16xf64>)
  %own = graph.reduce_sum %sb dimensions = [0] : (tensor<16xf64>) -> tensor<f64>
  // CHECK: graph.apply_sgd @"w/part_0", %[[M0]] scale
  // CHECK: graph.apply_sgd @"w/part_1", %[[M1]] scale
  graph.apply_sgd @w, %g scale %w {learning_rate = 0.1} : tensor<64x16xf32>
  // PLACED: graph.apply_sgd @b, %{{.*}} scale %[[OWN]] {graph.device = #graph.device<"[[B]]">
  // CHECK: graph.apply_sgd @b, %[[M2]] scale
  graph.apply_sgd @b, %h scale %own {learning_rate = 0.1} : tensor<16xf32>
  graph.return
}
}
