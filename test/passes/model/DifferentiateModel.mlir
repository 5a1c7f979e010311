// RUN: graph-opt --split-input-file --flatten-scopes --differentiate %s 2>/dev/null | FileCheck %s

// (x w)^2 with w used twice by the product: its gradient is the sum of both uses.
// CHECK: module attributes {graph.stage = "differentiated"}
// CHECK: graph.variable @w
// CHECK-NOT: graph.variable @"w/
// CHECK: graph.variable @global_step : tensor<i64> = #graph.zeros {trainable = false}
// CHECK-LABEL: graph.func @square
graph.variable @w : tensor<1xf32> = #graph.zeros
graph.func @square() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  // CHECK: %[[W:.*]] = graph.read @w
  %w = graph.read @w : tensor<1xf32>
  // CHECK: %[[X:.*]] = graph.constant dense<1.000000e+01>
  %x = graph.constant dense<10.0> : tensor<1xf32>
  // CHECK: %[[Y:.*]] = graph.multiply %[[W]], %[[X]]
  %y = graph.multiply %w, %x : tensor<1xf32>
  // CHECK: graph.multiply %[[Y]], %[[Y]]
  %s = graph.multiply %y, %y : tensor<1xf32>
  // CHECK: %[[LOSS:.*]] = graph.reduce_sum
  %loss = graph.reduce_sum %s dimensions = [0] : (tensor<1xf32>) -> tensor<f32>
  // CHECK-NEXT: %[[ONE:.*]] = graph.constant dense<1.000000e+00> : tensor<f32>
  // CHECK-NEXT: %[[G:.*]] = graph.broadcast_in_dim %[[ONE]] broadcast_dimensions = []
  // CHECK-NEXT: %[[A:.*]] = graph.multiply %[[G]], %[[Y]]
  // CHECK-NEXT: %[[B:.*]] = graph.multiply %[[G]], %[[Y]]
  // CHECK-NEXT: %[[GY:.*]] = graph.add %[[A]], %[[B]]
  // CHECK-NEXT: %[[GW:.*]] = graph.multiply %[[GY]], %[[X]]
  // CHECK-NEXT: graph.apply_sgd @w, %[[GW]] {learning_rate = 1.000000e-02 : f64}
  // CHECK-NEXT: %[[STEP:.*]] = graph.constant dense<1> : tensor<i64>
  // CHECK-NEXT: graph.assign_add @global_step, %[[STEP]]
  // CHECK-NEXT: graph.return %[[LOSS]]
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.01>} : tensor<f32>
  graph.return %loss : tensor<f32>
}

// -----

// Momentum's slots stand behind their variables, on their devices; updates come in declaration order whatever the order
// of reads; gradients carry their forward op's device and updates their variable's.
// CHECK: graph.variable @b : tensor<4xf32>
// CHECK-NEXT: graph.variable @"b/Momentum" : tensor<4xf32> = #graph.zeros {graph.slot_of = @b, trainable = false}
// CHECK-NEXT: graph.variable @a
// CHECK-NEXT: graph.variable @"a/Momentum" : tensor<4xf32> = #graph.zeros {graph.device = #graph.device<"/job:ps">, graph.slot_of = @a, trainable = false}
graph.variable @b : tensor<4xf32> = #graph.zeros
graph.variable @a : tensor<4xf32> = #graph.zeros {graph.device = #graph.device<"/job:ps">}
// CHECK: graph.variable @global_step : tensor<i64> = #graph.value<dense<7>
// CHECK-NOT: graph.variable
graph.variable @global_step : tensor<i64> = #graph.value<dense<7> : tensor<i64>> {trainable = false}
// CHECK-LABEL: graph.func @momentum
graph.func @momentum() attributes {role = #graph.role<train>} {
  %a = graph.read @a : tensor<4xf32>
  %b = graph.read @b : tensor<4xf32>
  %loss = graph.scope -> (tensor<f32>) attributes {graph.device = #graph.device<"/gpu:1">} {
    %p = graph.multiply %a, %b : tensor<4xf32>
    %s = graph.reduce_sum %p dimensions = [0] : (tensor<4xf32>) -> tensor<f32>
    graph.yield %s : tensor<f32>
  }
  // CHECK: graph.broadcast_in_dim {{.*}} {graph.device = #graph.device<"/device:GPU:1">}
  // CHECK: %[[GA:.*]] = graph.multiply %{{.*}} {graph.device = #graph.device<"/device:GPU:1">}
  // CHECK: %[[GB:.*]] = graph.multiply %{{.*}} {graph.device = #graph.device<"/device:GPU:1">}
  // CHECK: graph.apply_momentum @b, @"b/Momentum", %[[GB]] {learning_rate = 5.000000e-02 : f64, momentum = 9.000000e-01 : f64}
  // CHECK: graph.apply_momentum @a, @"a/Momentum", %[[GA]] {graph.device = #graph.device<"/job:ps">, learning_rate
  graph.minimize %loss {optimizer = #graph.momentum<learning_rate = 0.05, momentum = 0.9>} : tensor<f32>
  graph.return
}

// -----

// Only what is listed; what needs no gradient gets none: the data, the predicate, the variable that is not trained.
// CHECK-LABEL: graph.func @listed
graph.variable @a : tensor<4xf32> = #graph.zeros
graph.variable @b : tensor<4xf32> = #graph.zeros
graph.variable @fixed : tensor<4xf32> = #graph.zeros {trainable = false}
graph.func @listed(%x: tensor<4xf32>) attributes {role = #graph.role<train>} {
  %a = graph.read @a : tensor<4xf32>
  %b = graph.read @b : tensor<4xf32>
  %f = graph.read @fixed : tensor<4xf32>
  %ax = graph.multiply %a, %x : tensor<4xf32>
  %bf = graph.multiply %b, %f : tensor<4xf32>
  %p = graph.compare gt, %ax, %bf : tensor<4xf32>
  %m = graph.select %p, %ax, %bf : tensor<4xf32>
  %loss = graph.reduce_sum %m dimensions = [0] : (tensor<4xf32>) -> tensor<f32>
  // CHECK: graph.broadcast_in_dim
  // CHECK-NEXT: graph.constant dense<0.0
  // CHECK-NEXT: %[[S:.*]] = graph.select %{{.*}}, %{{.*}}, %{{.*}}
  // CHECK-NEXT: %[[G:.*]] = graph.multiply %[[S]], %arg0
  // CHECK-NEXT: graph.apply_sgd @a, %[[G]]
  // CHECK-NOT: graph.apply_sgd
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.1>, variables = [@a]} : tensor<f32>
  graph.return
}

// -----

// The loss depends on the variable, yet nothing flows through sign: a zero, so that momentum still decays.
// CHECK-LABEL: graph.func @flat
graph.variable @w : tensor<4xf64> = #graph.zeros
graph.func @flat() attributes {role = #graph.role<train>} {
  %w = graph.read @w : tensor<4xf64>
  %s = graph.sign %w : tensor<4xf64>
  %loss = graph.reduce_sum %s dimensions = [0] : (tensor<4xf64>) -> tensor<f64>
  // CHECK: %[[ZERO:.*]] = graph.constant dense<0.000000e+00> : tensor<4xf64>
  // CHECK-NEXT: graph.apply_momentum @w, @"w/Momentum", %[[ZERO]]
  graph.minimize %loss {optimizer = #graph.momentum<learning_rate = 0.05, momentum = 0.9>} : tensor<f64>
  graph.return
}

// -----

// Two reads of one variable, the model's own slot, and a function without minimize that stays as it is.
// CHECK: graph.variable @"w/Momentum" : tensor<4xf32> = #graph.value
// CHECK-NOT: Momentum
// CHECK-LABEL: graph.func @two_reads
graph.variable @w : tensor<4xf32> = #graph.zeros
graph.variable @"w/Momentum" : tensor<4xf32> = #graph.value<dense<1.0> : tensor<f32>> {trainable = false}
graph.func @two_reads() attributes {role = #graph.role<train>} {
  %w = graph.read @w : tensor<4xf32>
  %e = graph.exponential %w : tensor<4xf32>
  %again = graph.read @w : tensor<4xf32>
  %t = graph.tanh %again : tensor<4xf32>
  %s = graph.subtract %e, %t : tensor<4xf32>
  %loss = graph.reduce_sum %s dimensions = [0] : (tensor<4xf32>) -> tensor<f32>
  // The later read's gradient comes first.
  // CHECK: %[[N:.*]] = graph.negate
  // CHECK: %[[GT:.*]] = graph.multiply %[[N]]
  // CHECK: %[[GE:.*]] = graph.multiply
  // CHECK: %[[G:.*]] = graph.add %[[GT]], %[[GE]]
  // CHECK: graph.apply_momentum @w, @"w/Momentum", %[[G]]
  graph.minimize %loss {optimizer = #graph.momentum<learning_rate = 0.05, momentum = 0.9>} : tensor<f32>
  graph.return
}
// CHECK: graph.func @other() attributes {role = #graph.role<train>} {
// CHECK-NEXT: graph.return
graph.func @other() attributes {role = #graph.role<train>} {
  graph.return
}

// -----

// A value that is cut into parts has their gradients side by side, zeros where no part is; parts that overlap are added.
// CHECK-LABEL: graph.func @parts
// CHECK: %[[ZERO:.*]] = graph.constant dense<0.000000e+00> : tensor<2x3xf32>
// CHECK: %[[G:.*]] = graph.concatenate %{{.*}}, %[[ZERO]], %{{.*}} dimension = 1 : (tensor<2x4xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x10xf32>
// CHECK-NOT: graph.add
// CHECK: graph.apply_sgd @w, %[[G]]
graph.variable @w : tensor<2x10xf32> = #graph.zeros
graph.func @parts() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %w = graph.read @w : tensor<2x10xf32>
  %a = graph.slice %w start_indices = [0, 7] limit_indices = [2, 10] strides = [1, 1] : (tensor<2x10xf32>) -> tensor<2x3xf32>
  %b = graph.slice %w start_indices = [0, 0] limit_indices = [2, 4] strides = [1, 1] : (tensor<2x10xf32>) -> tensor<2x4xf32>
  %s = graph.reduce_sum %a dimensions = [0, 1] : (tensor<2x3xf32>) -> tensor<f32>
  %p = graph.multiply %b, %b : tensor<2x4xf32>
  %t = graph.reduce_sum %p dimensions = [0, 1] : (tensor<2x4xf32>) -> tensor<f32>
  %loss = graph.subtract %s, %t : tensor<f32>
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.01>} : tensor<f32>
  graph.return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: graph.func @overlap
// CHECK-NOT: graph.concatenate
// CHECK: %[[G:.*]] = graph.add
// CHECK: graph.apply_sgd @w, %[[G]]
graph.variable @w : tensor<10xf32> = #graph.zeros
graph.func @overlap() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %w = graph.read @w : tensor<10xf32>
  %a = graph.slice %w start_indices = [3] limit_indices = [10] strides = [1] : (tensor<10xf32>) -> tensor<7xf32>
  %b = graph.slice %w start_indices = [0] limit_indices = [4] strides = [1] : (tensor<10xf32>) -> tensor<4xf32>
  %s = graph.reduce_sum %a dimensions = [0] : (tensor<7xf32>) -> tensor<f32>
  %t = graph.reduce_sum %b dimensions = [0] : (tensor<4xf32>) -> tensor<f32>
  %loss = graph.subtract %s, %t : tensor<f32>
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.01>} : tensor<f32>
  graph.return %loss : tensor<f32>
}

// -----

// w * stop_gradient(w): of the first factor alone.
// CHECK-LABEL: graph.func @stopped
graph.variable @w : tensor<f32> = #graph.zeros
graph.func @stopped() -> tensor<f32> attributes {role = #graph.role<train>} {
  // CHECK: %[[S:.*]] = graph.stop_gradient
  // CHECK: %[[ONE:.*]] = graph.constant dense<1.000000e+00> : tensor<f32>
  // CHECK: %[[G:.*]] = graph.multiply %[[ONE]], %[[S]]
  // CHECK: graph.apply_sgd @w, %[[G]]
  %w = graph.read @w : tensor<f32>
  %s = graph.stop_gradient %w : tensor<f32>
  %loss = graph.multiply %w, %s : tensor<f32>
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.01>} : tensor<f32>
  graph.return %loss : tensor<f32>
}
