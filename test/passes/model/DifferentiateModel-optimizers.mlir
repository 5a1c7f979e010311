// RUN: graph-opt --split-input-file --differentiate %s 2>/dev/null | FileCheck %s

// Adam: two slots a variable, corrections once a step beside the counter, before the updates.
// CHECK: graph.variable @w
// CHECK-NEXT: graph.variable @"w/Adam/m" : tensor<4xf32> = #graph.zeros {graph.slot_of = @w, trainable = false}
// CHECK-NEXT: graph.variable @"w/Adam/v" : tensor<4xf32> = #graph.zeros {graph.slot_of = @w, trainable = false}
// CHECK-NEXT: graph.variable @norm
// CHECK-LABEL: graph.func @adamw
graph.variable @w : tensor<4xf32> = #graph.zeros
graph.variable @norm : tensor<4xf32> = #graph.zeros
graph.func @adamw() attributes {role = #graph.role<train>} {
  %w = graph.read @w : tensor<4xf32>
  %n = graph.read @norm : tensor<4xf32>
  %p = graph.multiply %w, %n : tensor<4xf32>
  %loss = graph.reduce_sum %p dimensions = [0] : (tensor<4xf32>) -> tensor<f32>
  // CHECK: %[[STEP:.*]] = graph.read @global_step
  // CHECK-NEXT: %[[RATE:.*]] = graph.learning_rate %[[STEP]] {graph.colocate_with = @global_step, schedule = #graph.linear_warmup<steps = 10, learning_rate = 0.1>}
  // CHECK-NEXT: %[[C1:.*]] = graph.bias_correction %[[STEP]] {decay = 9.000000e-01 : f64, graph.colocate_with = @global_step}
  // CHECK-NEXT: %[[C2:.*]] = graph.bias_correction %[[STEP]] {decay = 0.998{{9+}} : f64, graph.colocate_with = @global_step}
  // CHECK-NEXT: graph.summary "rate", %[[RATE]] : tensor<f64>
  // CHECK-NEXT: graph.apply_adam @w, @"w/Adam/m", @"w/Adam/v", %{{.*}}, %[[C1]], %[[C2]] rate %[[RATE]] {beta1 = {{.*}}, decoupled, epsilon = {{.*}} : f64, weight_decay = 5.000000e-01 : f64}
  // CHECK-NEXT: graph.apply_adam @norm, {{.*}} {beta1 = 9.000000e-01 : f64, beta2 = 0.998{{9+}} : f64, epsilon = {{.*}} : f64}
  graph.minimize %loss {optimizer = #graph.adamw<learning_rate = #graph.linear_warmup<steps = 10, learning_rate = 0.1>,
      weight_decay = #graph.weight_decay<rate = 0.5, exclude = ["n?rm"]>>, learning_rate_summary = "rate"} : tensor<f32>
  graph.return
}

// -----

// Slots that begin with another value; RMSProp has as many as it needs.
// CHECK: graph.variable @"a/Adagrad" : tensor<4xf64> = #graph.value<dense<2.500000e-01> : tensor<f64>> {graph.slot_of = @a, trainable = false}
// CHECK: graph.apply_adagrad @a, @"a/Adagrad", %{{.*}} {epsilon = {{.*}}, learning_rate = 1.000000e-01 : f64}
graph.variable @a : tensor<4xf64> = #graph.zeros
graph.func @adagrad() attributes {role = #graph.role<train>} {
  %a = graph.read @a : tensor<4xf64>
  %loss = graph.reduce_sum %a dimensions = [0] : (tensor<4xf64>) -> tensor<f64>
  graph.minimize %loss {optimizer = #graph.adagrad<learning_rate = 0.1, initial_accumulator_value = 0.25>} : tensor<f64>
  graph.return
}

// -----

// CHECK: graph.variable @"a/RMSProp" : {{.*}}#graph.zeros
// CHECK: graph.variable @"a/RMSProp/mean" : {{.*}}#graph.zeros
// CHECK: graph.variable @"a/RMSProp/momentum" : {{.*}}#graph.zeros
// CHECK: graph.apply_rmsprop @a, @"a/RMSProp" centered @"a/RMSProp/mean" momentum @"a/RMSProp/momentum", %
graph.variable @a : tensor<4xf64> = #graph.zeros
graph.func @rmsprop() attributes {role = #graph.role<train>} {
  %a = graph.read @a : tensor<4xf64>
  %loss = graph.reduce_sum %a dimensions = [0] : (tensor<4xf64>) -> tensor<f64>
  graph.minimize %loss {optimizer = #graph.rmsprop<learning_rate = 0.1, centered = true, momentum = 0.5>} : tensor<f64>
  graph.return
}

// -----

// The norm of all gradients: squares beside the variables, one scale beside the counter. A frozen variable takes no part.
// CHECK-LABEL: graph.func @clipped
graph.variable @a : tensor<4x2xf32> = #graph.zeros
graph.variable @b : tensor<4x2xf32> = #graph.zeros {graph.device = #graph.device<"/job:ps/task:1">}
graph.variable @enc : tensor<4x2xf32> = #graph.zeros
graph.func @clipped() attributes {role = #graph.role<train>} {
  %a = graph.read @a : tensor<4x2xf32>
  %b = graph.read @b : tensor<4x2xf32>
  %e = graph.read @enc : tensor<4x2xf32>
  %p = graph.multiply %a, %b : tensor<4x2xf32>
  %q = graph.multiply %p, %e : tensor<4x2xf32>
  %loss = graph.reduce_sum %q dimensions = [0, 1] : (tensor<4x2xf32>) -> tensor<f32>
  // CHECK: %[[SA:.*]] = graph.gradient_squares @a, %[[GA:.*]] : (tensor<4x2xf32>) -> tensor<4xf64>
  // CHECK-NEXT: %[[SB:.*]] = graph.gradient_squares @b, %[[GB:.*]] {graph.device = #graph.device<"/job:ps/task:1">}
  // CHECK-NEXT: %[[A:.*]] = graph.reduce_sum %[[SA]] dimensions = [0] {graph.colocate_with = @global_step}
  // CHECK-NEXT: %[[B:.*]] = graph.reduce_sum %[[SB]] dimensions = [0]
  // CHECK-NEXT: %[[ALL:.*]] = graph.add %[[A]], %[[B]]
  // CHECK-NEXT: %[[NORM:.*]] = graph.sqrt %[[ALL]]
  // CHECK-NEXT: %[[BOUND:.*]] = graph.constant dense<2.000000e+00>
  // CHECK-NEXT: %[[MOST:.*]] = graph.maximum %[[NORM]], %[[BOUND]]
  // CHECK-NEXT: %[[SCALE:.*]] = graph.divide %[[BOUND]], %[[MOST]]
  // CHECK-NEXT: graph.apply_sgd @a, %[[GA]] scale %[[SCALE]] {clip_value = 5.000000e-01 : f64, learning_rate = 1.000000e-01 : f64}
  // CHECK-NEXT: graph.apply_sgd @b, %[[GB]] scale %[[SCALE]]
  // CHECK-NOT: @enc
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.1>, clip_global_norm = 2.0, clip_value = 0.5,
                        frozen = ["enc*"]} : tensor<f32>
  graph.return
}

// -----

// Each variable's own norm. Moving averages begin as the variables and are read by who asks for them.
// CHECK: graph.variable @"a/ExponentialMovingAverage" : tensor<4xf32> = #graph.uniform<high = 2.0> {drawn_as = "a", graph.slot_of = @a, trainable = false}
// CHECK: graph.variable @"b/ExponentialMovingAverage" : tensor<4xf32> = #graph.zeros {graph.slot_of = @b, trainable = false}
// CHECK: graph.variable @"c/ExponentialMovingAverage" : tensor<4xf32> = #graph.uninitialized {graph.slot_of = @c, trainable = false}
// CHECK-LABEL: graph.func @averaged
graph.variable @a : tensor<4xf32> = #graph.uniform<high = 2.0>
graph.variable @b : tensor<4xf32> = #graph.zeros
graph.variable @c : tensor<4xf32> = #graph.uninitialized
graph.variable @other : tensor<4xf32> = #graph.zeros {trainable = false}
graph.func @averaged() attributes {role = #graph.role<train>} {
  // CHECK: graph.read @a
  %a = graph.read @a : tensor<4xf32>
  %b = graph.read @b : tensor<4xf32>
  %c = graph.read @c : tensor<4xf32>
  %ab = graph.multiply %a, %b : tensor<4xf32>
  %p = graph.multiply %ab, %c : tensor<4xf32>
  %loss = graph.reduce_sum %p dimensions = [0] : (tensor<4xf32>) -> tensor<f32>
  // CHECK: %[[S1:.*]] = graph.divide
  // CHECK: %[[S2:.*]] = graph.divide
  // CHECK: graph.apply_sgd @a, %{{.*}} scale %[[S1]] average @"a/ExponentialMovingAverage" {average_decay = 9.000000e-01 : f64, learning_rate
  // CHECK: graph.apply_sgd @b, %{{.*}} scale %[[S2]] average @"b/ExponentialMovingAverage"
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.1>, clip_norm = 1.0, moving_average = 0.9} : tensor<f32>
  graph.return
}
// CHECK: graph.func @eval() attributes {role = #graph.role<eval>} {
graph.func @eval() attributes {role = #graph.role<eval>, moving_averages} {
  // CHECK-NEXT: graph.read @"a/ExponentialMovingAverage"
  %a = graph.read @a : tensor<4xf32>
  // CHECK-NEXT: graph.read @other
  %o = graph.read @other : tensor<4xf32>
  graph.metric "a", %a : tensor<4xf32>
  graph.metric "o", %o : tensor<4xf32>
  graph.return
}
// CHECK: graph.func @predict
graph.func @predict() -> tensor<4xf32> attributes {role = #graph.role<predict>} {
  // CHECK-NEXT: graph.read @a :
  %a = graph.read @a : tensor<4xf32>
  graph.return %a : tensor<4xf32>
}

// -----

// Gradients as values: of what the loss does not reach they are zero, and a loss may be made of them.
// CHECK-LABEL: graph.func @penalty
graph.variable @w : tensor<4xf32> = #graph.zeros
graph.variable @far : tensor<2xf32> = #graph.zeros
graph.func @penalty() attributes {role = #graph.role<train>} {
  // CHECK: %[[W:.*]] = graph.read @w
  %w = graph.read @w : tensor<4xf32>
  // CHECK: graph.multiply %[[W]], %[[W]]
  %s = graph.multiply %w, %w : tensor<4xf32>
  %loss = graph.reduce_sum %s dimensions = [0] : (tensor<4xf32>) -> tensor<f32>
  // CHECK: %[[G:.*]] = graph.add
  // CHECK: %[[ZERO:.*]] = graph.constant dense<0.000000e+00> : tensor<2xf32>
  %g, %f = graph.gradients %loss, [@w, @far] : (tensor<f32>) -> (tensor<4xf32>, tensor<2xf32>)
  // CHECK-NEXT: graph.summary "far", %[[ZERO]]
  graph.summary "far", %f : tensor<2xf32>
  // CHECK-NEXT: %[[N:.*]] = graph.reduce_sum %[[G]]
  %n = graph.reduce_sum %g dimensions = [0] : (tensor<4xf32>) -> tensor<f32>
  // CHECK: graph.apply_sgd @w
  graph.minimize %n {optimizer = #graph.sgd<learning_rate = 0.1>, variables = [@w]} : tensor<f32>
  graph.return
}

// -----

// Two losses of one step: each trains its own, and what the other trains is no remark. Both updates have the step's number, which is counted once.
graph.variable @a : tensor<f32> = #graph.zeros
graph.variable @b : tensor<f32> = #graph.zeros
// CHECK-LABEL: graph.func @two_losses
// CHECK:         graph.apply_adam @a
// CHECK-NOT:     graph.assign_add
// CHECK:         graph.apply_adam @b
// CHECK:         graph.assign_add @global_step
// CHECK-NOT:     graph.assign_add
// CHECK:         graph.return
graph.func @two_losses(%x: tensor<f32>) -> () attributes {role = #graph.role<train>} {
  %a = graph.read @a : tensor<f32>
  %b = graph.read @b : tensor<f32>
  %l = graph.multiply %a, %x : tensor<f32>
  graph.minimize %l {optimizer = #graph.adam<learning_rate = 0.1>} : tensor<f32>
  %m = graph.multiply %b, %x : tensor<f32>
  graph.minimize %m {optimizer = #graph.adam<learning_rate = 0.1>} : tensor<f32>
  graph.return
}
