// RUN: graph-opt %s --resolve-strategy --split-variables | FileCheck %s
// RUN: graph-opt %s --resolve-strategy --split-variables --place --verify-placed | FileCheck %s --check-prefix=PLACED

// Three parameter servers; no part is smaller than 1 KiB. Rows of 64 bytes each.
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 3, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server">, graph.variable_placement = "split",
                   graph.min_shard_bytes = 1024 : i64} {
// Blocks of equal length, the longer ones first. The initializer is that of the whole.
// CHECK: graph.variable @"w/part_0" : tensor<34x16xf32> = #graph.glorot_uniform<seed = 1> {graph.part_of = #graph.part<of = "w", type = tensor<100x16xf32>, row = 0>}
// CHECK-NEXT: graph.variable @"w/part_1" : tensor<33x16xf32> = #graph.glorot_uniform<seed = 1> {graph.part_of = #graph.part<of = "w", type = tensor<100x16xf32>, row = 34>}
// CHECK-NEXT: graph.variable @"w/part_2" : tensor<33x16xf32> = #graph.glorot_uniform<seed = 1> {graph.part_of = #graph.part<of = "w", type = tensor<100x16xf32>, row = 67>}
graph.variable @w : tensor<100x16xf32> = #graph.glorot_uniform<seed = 1>
// CHECK-NEXT: graph.variable @"w/Momentum/part_0" : tensor<34x16xf32> = #graph.zeros {graph.part_of = #graph.part<of = "w/Momentum", type = tensor<100x16xf32>, row = 0>, graph.slot_of = @"w/part_0", trainable = false}
// CHECK-COUNT-2: graph.variable @"w/Momentum/part_
graph.variable @"w/Momentum" : tensor<100x16xf32> = #graph.zeros {graph.slot_of = @w, trainable = false}
// Two parts of 1 KiB and not three: two rows of 8 bytes each begin at multiples of 64.
// CHECK: graph.variable @"two/part_0" : tensor<136x2xf32>
// CHECK-NEXT: graph.variable @"two/part_1" : tensor<134x2xf32>
// CHECK-NOT: two/part_2
graph.variable @two : tensor<270x2xf32> = #graph.zeros
// Without a value of its own: the parts have none either.
// CHECK: graph.variable @"given/part_0" : tensor<34x16xf32> = #graph.uninitialized {graph.part_of = #graph.part<of = "given", type = tensor<100x16xf32>, row = 0>}
graph.variable @given : tensor<100x16xf32> = #graph.uninitialized
// CHECK: graph.variable @"given/ExponentialMovingAverage/part_0" : tensor<34x16xf32> = #graph.uninitialized {graph.part_of = #graph.part<of = "given/ExponentialMovingAverage", type = tensor<100x16xf32>, row = 0>, graph.slot_of = @"given/part_0", trainable = false}
graph.variable @"given/ExponentialMovingAverage" : tensor<100x16xf32> = #graph.uninitialized {graph.slot_of = @given, trainable = false}
// Stay whole: too small, on a task of its own by the model's word, and what stands beside that.
// CHECK: graph.variable @small : tensor<31x16xf32>
graph.variable @small : tensor<31x16xf32> = #graph.zeros
// CHECK: graph.variable @pinned : tensor<100x16xf32>
graph.variable @pinned : tensor<100x16xf32> = #graph.zeros {graph.device = #graph.device<"/job:ps/task:1">}
// CHECK: graph.variable @beside : tensor<100x16xf32>
graph.variable @beside : tensor<100x16xf32> = #graph.zeros {graph.colocate_with = @pinned}
// CHECK: graph.variable @global_step
graph.variable @global_step : tensor<i64> = #graph.zeros {trainable = false}

// Each part of a variable, with its slots, has a task of its own.
// PLACED: @"w/part_0" {{.*}}graph.device = #graph.device<"/job:ps/task:[[A:[012]]]/device:CPU:0">
// PLACED-NEXT: @"w/part_1" {{.*}}graph.device = #graph.device<"/job:ps/task:[[B:[012]]]/device:CPU:0">
// PLACED-NEXT: @"w/part_2" {{.*}}graph.device = #graph.device<"/job:ps/task:[[C:[012]]]/device:CPU:0">
// PLACED-NEXT: @"w/Momentum/part_0" {{.*}}graph.device = #graph.device<"/job:ps/task:[[A]]/device:CPU:0">
// PLACED-NEXT: @"w/Momentum/part_1" {{.*}}graph.device = #graph.device<"/job:ps/task:[[B]]/device:CPU:0">
// PLACED-NEXT: @"w/Momentum/part_2" {{.*}}graph.device = #graph.device<"/job:ps/task:[[C]]/device:CPU:0">

// CHECK-LABEL: graph.func @train_step
// PLACED-LABEL: graph.func @train_step
graph.func @train_step() -> (tensor<100x16xf32> {graph.name = "w"}) attributes {role = #graph.role<train>} {
  // CHECK-NEXT: %[[R0:.*]] = graph.read @"w/part_0" : tensor<34x16xf32>
  // CHECK-NEXT: %[[R1:.*]] = graph.read @"w/part_1" : tensor<33x16xf32>
  // CHECK-NEXT: %[[R2:.*]] = graph.read @"w/part_2" : tensor<33x16xf32>
  // CHECK-NEXT: %[[W:.*]] = graph.concatenate %[[R0]], %[[R1]], %[[R2]] dimension = 0
  // PLACED: graph.concatenate {{.*}} {graph.device = #graph.device<"/job:worker/device:CPU:0">}
  %w = graph.read @w : tensor<100x16xf32>
  // CHECK-NEXT: %[[G:.*]] = graph.tanh %[[W]]
  %g = graph.tanh %w : tensor<100x16xf32>
  // CHECK-NEXT: %[[G0:.*]] = graph.slice %[[G]] start_indices = [0, 0] limit_indices = [34, 16] strides = [1, 1]
  // CHECK-NEXT: graph.apply_momentum @"w/part_0", @"w/Momentum/part_0", %[[G0]] {learning_rate = 1.000000e-01 : f64, momentum = 9.000000e-01 : f64} : tensor<34x16xf32>
  // CHECK-NEXT: %[[G1:.*]] = graph.slice %[[G]] start_indices = [34, 0] limit_indices = [67, 16] strides = [1, 1]
  // CHECK-NEXT: graph.apply_momentum @"w/part_1", @"w/Momentum/part_1", %[[G1]]
  // CHECK-NEXT: %[[G2:.*]] = graph.slice %[[G]] start_indices = [67, 0] limit_indices = [100, 16] strides = [1, 1]
  // CHECK-NEXT: graph.apply_momentum @"w/part_2", @"w/Momentum/part_2", %[[G2]]
  graph.apply_momentum @w, @"w/Momentum", %g {learning_rate = 0.1, momentum = 0.9} : tensor<100x16xf32>
  // A constant is cut at once.
  // CHECK-NEXT: %[[ONES:.*]] = graph.constant dense<1.000000e+00> : tensor<136x2xf32>
  // CHECK-NEXT: graph.assign_add @"two/part_0", %[[ONES]] : tensor<136x2xf32>
  %one = graph.constant dense<1.0> : tensor<270x2xf32>
  graph.assign_add @two, %one : tensor<270x2xf32>
  // Behind the update the parts are read again.
  // CHECK: graph.read @"w/part_0"
  // CHECK: %[[AFTER:.*]] = graph.concatenate
  // CHECK: graph.return %[[AFTER]]
  %after = graph.read @w : tensor<100x16xf32>
  graph.return %after : tensor<100x16xf32>
}
}
