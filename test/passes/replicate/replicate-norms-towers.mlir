// RUN: split-file %s %t
// RUN: graph-opt %t/copies.mlir --resolve-strategy --place --replicate --verify-replicated | FileCheck %t/copies.mlir
// RUN: sed 's/micro_batches = 2/micro_batches = 16/' %t/copies.mlir | graph-opt - --resolve-strategy --place --replicate --verify-replicated | FileCheck %t/copies.mlir --check-prefix=LOOP
// RUN: graph-opt %t/global.mlir --resolve-strategy --place --replicate --verify-replicated --verify-placed | FileCheck %t/global.mlir
// RUN: graph-opt %t/parts.mlir --resolve-strategy --split-variables --place --replicate --verify-replicated --verify-placed | FileCheck %t/parts.mlir
// RUN: graph-opt %t/behind.mlir --resolve-strategy --place --replicate --verify-replicated | FileCheck %t/behind.mlir
// The norm is of the mean over all micro-batches, and so is made behind them. The update takes the same mean: each gradient is summed
// once, and the micro-batches of a norm are a loop as any.

//--- copies.mlir
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 1], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "one_device", micro_batches = 2>} {
graph.variable @b : tensor<16xf32> = #graph.zeros
graph.dataset @train : (tensor<16xf32>) = #graph.synthetic<samples = 10>
// CHECK-LABEL: graph.func @train_step
// LOOP-LABEL: graph.func @train_step
graph.func @train_step() attributes {role = #graph.role<train>} {
  // CHECK-COUNT-2: graph.next_batch
  // CHECK: %[[SUM:.*]] = graph.add
  // CHECK-NOT: graph.add
  // CHECK: %[[MEAN:.*]] = graph.divide %[[SUM]]
  // CHECK: %[[S:.*]] = graph.gradient_squares @b, %[[MEAN]]
  // CHECK: %[[NORM:.*]] = graph.reduce_sum %[[S]]
  // CHECK-NOT: graph.divide
  // CHECK: graph.apply_sgd @b, %[[MEAN]] scale %[[NORM]]
  // LOOP: graph.repeat 15
  // LOOP: graph.yield %{{[^,]*}} : tensor<16xf32>
  // LOOP-COUNT-4: graph.add
  // LOOP-NOT: graph.add
  // LOOP: %[[MEAN:.*]] = graph.divide
  // LOOP: %[[S:.*]] = graph.gradient_squares @b, %[[MEAN]]
  // LOOP: %[[NORM:.*]] = graph.reduce_sum %[[S]]
  // LOOP: graph.apply_sgd @b, %[[MEAN]] scale %[[NORM]]
  %y = graph.next_batch @train {batch = 1} : tensor<1x16xf32>
  %h = graph.reshape %y : (tensor<1x16xf32>) -> tensor<16xf32>
  %sb = graph.gradient_squares @b, %h : (tensor<16xf32>) -> tensor<16xf64>
  %own = graph.reduce_sum %sb dimensions = [0] : (tensor<16xf64>) -> tensor<f64>
  graph.apply_sgd @b, %h scale %own {learning_rate = 0.1} : tensor<16xf32>
  graph.return
}
}
//--- global.mlir
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "mirrored", micro_batches = 32>} {
graph.variable @a : tensor<16xf32> = #graph.zeros
graph.variable @b : tensor<8xf32> = #graph.zeros
graph.variable @global_step : tensor<i64> = #graph.zeros {trainable = false}
graph.dataset @train : (tensor<16xf32>, tensor<8xf32>) = #graph.synthetic<samples = 10>
// One norm of all variables: two towers have a loop over both gradients of each.
// CHECK-LABEL: graph.func @train_step
graph.func @train_step() attributes {role = #graph.role<train>} {
  // CHECK: graph.repeat 15
  // CHECK: graph.yield %{{.*}} : tensor<16xf32>, tensor<8xf32>, tensor<16xf32>, tensor<8xf32>
  // CHECK: %[[MA:.*]] = graph.divide
  // CHECK: %[[MB:.*]] = graph.divide
  // CHECK-NOT: graph.divide
  // CHECK-DAG: %[[SA:.*]] = graph.gradient_squares @a, %[[MA]]
  // CHECK-DAG: %[[SB:.*]] = graph.gradient_squares @b, %[[MB]]
  // CHECK: %[[NORM:.*]] = graph.add
  // CHECK: graph.apply_sgd @a, %[[MA]] scale %[[NORM]]
  // CHECK: graph.apply_sgd @b, %[[MB]] scale %[[NORM]]
  %x, %y = graph.next_batch @train {batch = 1} : tensor<1x16xf32>, tensor<1x8xf32>
  %g = graph.reshape %x : (tensor<1x16xf32>) -> tensor<16xf32>
  %h = graph.reshape %y : (tensor<1x8xf32>) -> tensor<8xf32>
  %sa = graph.gradient_squares @a, %g : (tensor<16xf32>) -> tensor<16xf64>
  %sb = graph.gradient_squares @b, %h : (tensor<8xf32>) -> tensor<8xf64>
  %na = graph.reduce_sum %sa dimensions = [0] {graph.colocate_with = @global_step} : (tensor<16xf64>) -> tensor<f64>
  %nb = graph.reduce_sum %sb dimensions = [0] {graph.colocate_with = @global_step} : (tensor<8xf64>) -> tensor<f64>
  %all = graph.add %na, %nb {graph.colocate_with = @global_step} : tensor<f64>
  graph.apply_sgd @a, %g scale %all {learning_rate = 0.1} : tensor<16xf32>
  graph.apply_sgd @b, %h scale %all {learning_rate = 0.1} : tensor<8xf32>
  graph.return
}
}
//--- parts.mlir
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 2, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server", in_graph = true, micro_batches = 32>,
                   graph.variable_placement = "split", graph.min_shard_bytes = 1024 : i64} {
graph.variable @w : tensor<64x16xf32> = #graph.zeros
graph.dataset @train : (tensor<64x16xf32>) = #graph.synthetic<samples = 10>
// The norm is of the parts that are applied: of each tower's two, not of four.
// CHECK-LABEL: graph.func @train_step
graph.func @train_step() attributes {role = #graph.role<train>} {
  // CHECK: graph.repeat 15
  // CHECK: graph.yield %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}} : tensor<32x16xf32>, tensor<32x16xf32>, tensor<32x16xf32>, tensor<32x16xf32>
  // CHECK: graph.gradient_squares @"w/part_0", %[[M0:[^ ]*]]
  // CHECK: graph.gradient_squares @"w/part_1", %[[M1:[^ ]*]]
  // CHECK: graph.apply_sgd @"w/part_0", %[[M0]] scale
  // CHECK: graph.apply_sgd @"w/part_1", %[[M1]] scale
  %x = graph.next_batch @train {batch = 1} : tensor<1x64x16xf32>
  %g = graph.reshape %x : (tensor<1x64x16xf32>) -> tensor<64x16xf32>
  %s = graph.gradient_squares @w, %g : (tensor<64x16xf32>) -> tensor<64xf64>
  %norm = graph.reduce_sum %s dimensions = [0] : (tensor<64xf64>) -> tensor<f64>
  graph.apply_sgd @w, %g scale %norm {learning_rate = 0.1} : tensor<64x16xf32>
  graph.return
}
}
//--- behind.mlir
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 1], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "one_device", micro_batches = 16>} {
graph.variable @b : tensor<16xf64> = #graph.zeros
graph.variable @v : tensor<16xf64> = #graph.zeros {aggregation = "mean", trainable = false}
graph.dataset @train : (tensor<16xf64>) = #graph.synthetic<samples = 10>
// What each micro-batch makes of the norm is made behind the sum of all: a second segment, which copies stay.
// CHECK-LABEL: graph.func @train_step
graph.func @train_step() attributes {role = #graph.role<train>} {
  // CHECK-NOT: graph.repeat
  // CHECK-COUNT-16: graph.next_batch
  // CHECK: %[[S:.*]] = graph.gradient_squares @b
  // CHECK-COUNT-16: graph.multiply %{{.*}}, %[[S]]
  // CHECK: graph.assign @v
  %y = graph.next_batch @train {batch = 1} : tensor<1x16xf64>
  %h = graph.reshape %y : (tensor<1x16xf64>) -> tensor<16xf64>
  %s = graph.gradient_squares @b, %h : (tensor<16xf64>) -> tensor<16xf64>
  %t = graph.multiply %h, %s : tensor<16xf64>
  graph.assign @v, %t : tensor<16xf64>
  graph.return
}
}
