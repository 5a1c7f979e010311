// RUN: graph-opt %s | graph-opt - | FileCheck %s
// RUN: graph-opt --mlir-print-op-generic %s | graph-opt - | FileCheck %s

// CHECK: graph.variable @w : tensor<3x5xf32> = #graph.glorot_uniform<seed = 1>
graph.variable @w : tensor<3x5xf32> = #graph.glorot_uniform<seed = 1>
// CHECK: graph.variable @given : tensor<2x3xbf16> = #graph.uninitialized
graph.variable @given : tensor<2x3xbf16> = #graph.uninitialized
// CHECK: graph.variable @"given/ExponentialMovingAverage" : tensor<2x3xbf16> = #graph.uninitialized {graph.slot_of = @given, trainable = false}
graph.variable @"given/ExponentialMovingAverage" : tensor<2x3xbf16> = #graph.uninitialized {graph.slot_of = @given, trainable = false}
// CHECK: graph.variable @"w/Momentum" : tensor<3x5xf32> = #graph.zeros {graph.slot_of = @w, trainable = false}
graph.variable @"w/Momentum" : tensor<3x5xf32> = #graph.zeros {graph.slot_of = @w, trainable = false}
// CHECK: graph.variable @n : tensor<i64> = #graph.value<dense<3> : tensor<i64>> {aggregation = "sum", trainable = false}
graph.variable @n : tensor<i64> = #graph.value<dense<3> : tensor<i64>> {trainable = false, aggregation = "sum"}
// CHECK: graph.variable @u : tensor<2xf64> = #graph.uniform<low = -0.5, high = 1.0e-05, seed = 9>
graph.variable @u : tensor<2xf64> = #graph.uniform<low = -0.5, high = 0.00001, seed = 9>
// CHECK: graph.variable @v : tensor<2xf64> = #graph.normal<stddev = 0.02, truncated = true> {graph.device = #graph.device<"/job:ps/task:1">}
graph.variable @v : tensor<2xf64> = #graph.normal<stddev = 0.02, truncated = true> {graph.device = #graph.device<"/job:ps/task:1">}
// CHECK: graph.variable @d : tensor<2xf64> = #graph.uniform
// CHECK-NOT: <
// CHECK-SAME: {{$}}
graph.variable @d : tensor<2xf64> = #graph.uniform

// CHECK: graph.dataset @train : (tensor<784xf32>, tensor<i32>) = #graph.idx<files = ["x.gz", "y.gz"], scale = 0.00392156862745098> {seed = 7 : i64, shuffle = true}
graph.dataset @train : (tensor<784xf32>, tensor<i32>) =
    #graph.idx<files = ["x.gz", "y.gz"], scale = 0.00392156862745098> {shuffle = true, seed = 7}
// CHECK: graph.dataset @synth : (tensor<4xf32>, tensor<i32>) = #graph.synthetic<samples = 60000, seed = 7, limits = [0, 10]>
graph.dataset @synth : (tensor<4xf32>, tensor<i32>) = #graph.synthetic<samples = 60000, seed = 7, limits = [0, 10]>
// CHECK: graph.dataset @floats : (tensor<4xf32>) = #graph.synthetic<samples = 10>
graph.dataset @floats : (tensor<4xf32>) = #graph.synthetic<samples = 10>

// CHECK-LABEL: graph.func @train_step
// CHECK-SAME: () -> (tensor<f32> {graph.name = "loss", graph.reduction = "mean"}) attributes {role = #graph.role<train>} {
graph.func @train_step() -> (tensor<f32> {graph.name = "loss", graph.reduction = "mean"}) attributes {role = #graph.role<train>} {
  // CHECK-NEXT: graph.read @w : tensor<3x5xf32>
  %w = graph.read @w : tensor<3x5xf32>
  // CHECK-NEXT: graph.assign @w, %{{.*}} : tensor<3x5xf32>
  graph.assign @w, %w : tensor<3x5xf32>
  // CHECK-NEXT: graph.constant
  %one = graph.constant dense<1> : tensor<i64>
  // CHECK-NEXT: graph.assign_add @n, %{{.*}} : tensor<i64>
  graph.assign_add @n, %one : tensor<i64>
  // CHECK-NEXT: graph.apply_sgd @w, %{{.*}} {learning_rate = 1.000000e-01 : f64} : tensor<3x5xf32>
  graph.apply_sgd @w, %w {learning_rate = 0.1} : tensor<3x5xf32>
  // CHECK-NEXT: graph.apply_momentum @w, @"w/Momentum", %{{.*}} {learning_rate = 5.000000e-02 : f64, momentum = 9.000000e-01 : f64} : tensor<3x5xf32>
  graph.apply_momentum @w, @"w/Momentum", %w {learning_rate = 0.05, momentum = 0.9} : tensor<3x5xf32>
  // CHECK-NEXT: graph.next_batch @train {batch = 128 : i64, micro_batch = 1 : i64, micro_batches = 2 : i64} : tensor<128x784xf32>, tensor<128xi32>
  %x, %y = graph.next_batch @train {batch = 128, micro_batch = 1, micro_batches = 2} : tensor<128x784xf32>, tensor<128xi32>
  // CHECK-NEXT: %[[LOSS:.*]] = graph.reduce_mean
  %loss = graph.reduce_mean %x dimensions = [0, 1] : (tensor<128x784xf32>) -> tensor<f32>
  // CHECK-NEXT: graph.aggregate %[[LOSS]] {replicas = 2 : i64} : tensor<f32>
  %s = graph.aggregate %loss {replicas = 2} : tensor<f32>
  // CHECK-NEXT: graph.summary "norm", %{{.*}} {reduction = "sum"} : tensor<f32>
  graph.summary "norm", %s {reduction = "sum"} : tensor<f32>
  // CHECK-NEXT: graph.minimize %[[LOSS]] {optimizer = #graph.momentum<learning_rate = 0.05, momentum = 0.9>, variables = [@w]} : tensor<f32>
  graph.minimize %loss {optimizer = #graph.momentum<learning_rate = 0.05, momentum = 0.9>, variables = [@w]} : tensor<f32>
  // CHECK-NEXT: graph.return %[[LOSS]] : tensor<f32>
  graph.return %loss : tensor<f32>
}

// CHECK-LABEL: graph.func @eval_step
// CHECK-SAME: (%{{.*}}: tensor<f32> {graph.name = "x"}) attributes {role = #graph.role<eval>} {
graph.func @eval_step(%feed: tensor<f32> {graph.name = "x"}) -> () attributes {role = #graph.role<eval>} {
  // CHECK-NEXT: %{{.*}}:3 = graph.next_batch @synth {batch = 100 : i64, pad_last} : tensor<100x4xf32>, tensor<100xi32>, tensor<100xi1>
  %x, %y, %valid = graph.next_batch @synth {batch = 100, pad_last} : tensor<100x4xf32>, tensor<100xi32>, tensor<100xi1>
  // CHECK-NEXT: graph.metric "label", %{{.*}}#1, %{{.*}}#2 : tensor<100xi32>, tensor<100xi1>
  graph.metric "label", %y, %valid : tensor<100xi32>, tensor<100xi1>
  // CHECK-NEXT: graph.metric "all", %{{.*}}#2 : tensor<100xi1>
  graph.metric "all", %valid : tensor<100xi1>
  %n = graph.constant dense<7> : tensor<i64>
  // CHECK: graph.metric_sums "some", %[[N:.*]], %[[N]] : tensor<i64>, tensor<i64>
  graph.metric_sums "some", %n, %n : tensor<i64>, tensor<i64>
  // CHECK-NEXT: graph.scope -> (tensor<f32>) attributes {graph.device = #graph.device<"/job:worker/device:GPU:1">} {
  %h = graph.scope -> (tensor<f32>) attributes {graph.device = #graph.device<"/job:worker/gpu:1">} {
    // CHECK-NEXT: graph.negate
    %m = graph.negate %feed : tensor<f32>
    // CHECK-NEXT: graph.yield %{{.*}} : tensor<f32>
    graph.yield %m : tensor<f32>
  // CHECK-NEXT: }
  }
  // CHECK-NEXT: graph.scope {
  // CHECK-NEXT: }
  graph.scope {
  }
  // CHECK-NEXT: graph.return
  graph.return
}

// CHECK-LABEL: graph.func @repeated
graph.func @repeated() attributes {role = #graph.role<train>} {
  // Leaves of two micro-batches: the sum of the one under way, and those of one and of two leaves.
  // CHECK-NEXT: %{{.*}}:3 = graph.repeat 7 -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) attributes {per_leaf = 2 : i64} {
  %sums:3 = graph.repeat 7 -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) attributes {per_leaf = 2} {
    // CHECK-NEXT: %[[X:.*]] = graph.next_batch @floats {batch = 2 : i64, micro_batches = 8 : i64} : tensor<2x4xf32>
    %x = graph.next_batch @floats {batch = 2, micro_batches = 8} : tensor<2x4xf32>
    // CHECK-NEXT: graph.yield %[[X]] : tensor<2x4xf32>
    graph.yield %x : tensor<2x4xf32>
  // CHECK-NEXT: }
  }
  // Leaves of one, which are not said; the same value each time.
  // CHECK: %{{.*}}:2 = graph.repeat 2 -> (tensor<i64>, tensor<i64>) {
  %one = graph.constant dense<1> : tensor<i64>
  %counts:2 = graph.repeat 2 -> (tensor<i64>, tensor<i64>) {
    graph.yield %one : tensor<i64>
  }
  graph.return
}
