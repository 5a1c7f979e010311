// RUN: graph-opt %s | graph-opt - | FileCheck %s
// RUN: graph-opt --mlir-print-op-generic %s | graph-opt - | FileCheck %s

graph.variable @w : tensor<3x5xf32> = #graph.glorot_uniform<seed = 1>
// CHECK: graph.variable @"w/ExponentialMovingAverage" : tensor<3x5xf32> = #graph.glorot_uniform<seed = 1> {drawn_as = "w", graph.slot_of = @w, trainable = false}
graph.variable @"w/ExponentialMovingAverage" : tensor<3x5xf32> = #graph.glorot_uniform<seed = 1> {trainable = false, drawn_as = "w", graph.slot_of = @w}
graph.variable @m : tensor<3x5xf32> = #graph.zeros {trainable = false}
graph.variable @v : tensor<3x5xf32> = #graph.zeros {trainable = false}
graph.variable @c : tensor<3x5xf32> = #graph.zeros {trainable = false}
graph.variable @s : tensor<f64> = #graph.zeros
graph.variable @global_step : tensor<i64> = #graph.zeros {trainable = false}

// CHECK-LABEL: graph.func @train_step
graph.func @train_step() attributes {role = #graph.role<train>} {
  %g = graph.read @w : tensor<3x5xf32>
  %step = graph.read @global_step : tensor<i64>
  // CHECK: %[[R:.*]] = graph.learning_rate %{{.*}} {schedule = #graph.linear_warmup<steps = 100, learning_rate = #graph.cosine_decay<initial_learning_rate = 0.1, decay_steps = 900, alpha = 0.01>, start = 0.001>}
  %r = graph.learning_rate %step {schedule = #graph.linear_warmup<steps = 100, start = 0.001, learning_rate = #graph.cosine_decay<initial_learning_rate = 0.1, decay_steps = 900, alpha = 0.01>>}
  // CHECK: graph.learning_rate %{{.*}} {schedule = #graph.piecewise_constant<boundaries = [10, 20], values = [0.1, 0.01, 0.001]>}
  %p = graph.learning_rate %step {schedule = #graph.piecewise_constant<boundaries = [10, 20], values = [0.1, 0.01, 0.001]>}
  // CHECK: graph.learning_rate %{{.*}} {schedule = #graph.polynomial_decay<initial_learning_rate = 1.0, decay_steps = 10>}
  %q = graph.learning_rate %step {schedule = #graph.polynomial_decay<initial_learning_rate = 1, decay_steps = 10, end_learning_rate = 0.0001, power = 1.0>}
  // CHECK: %[[C:.*]] = graph.bias_correction %{{.*}} {decay = 9.000000e-01 : f64}
  %c = graph.bias_correction %step {decay = 0.9}
  // CHECK: graph.gradient_squares @w, %{{.*}} : (tensor<3x5xf32>) -> tensor<3xf64>
  %squares = graph.gradient_squares @w, %g : (tensor<3x5xf32>) -> tensor<3xf64>
  // CHECK: graph.apply_sgd @w, %{{.*}} rate %[[R]] scale %[[C]] average @"w/ExponentialMovingAverage" {average_decay = 0.98{{9+}}9 : f64, clip_value = 1.000000e+00 : f64, weight_decay = 1.000000e-02 : f64} : tensor<3x5xf32>
  graph.apply_sgd @w, %g rate %r scale %c average @"w/ExponentialMovingAverage" {average_decay = 0.99, clip_value = 1.0, weight_decay = 0.01} : tensor<3x5xf32>
  %rows = graph.constant dense<0.0> : tensor<4x5xf32>
  %numbers = graph.constant dense<2> : tensor<4xi32>
  // CHECK: graph.apply_sgd_rows @w, %{{.*}} at %{{.*}} {learning_rate = 1.000000e-01 : f64} : tensor<4x5xf32>, tensor<4xi32>
  graph.apply_sgd_rows @w, %rows at %numbers {learning_rate = 0.1} : tensor<4x5xf32>, tensor<4xi32>
  // CHECK: graph.apply_sgd_rows @w, %{{.*}} at %{{.*}} rate %[[R]] {clip_value = 1.000000e+00 : f64} : tensor<4x5xf32>, tensor<4xi32>
  graph.apply_sgd_rows @w, %rows at %numbers rate %r {clip_value = 1.0} : tensor<4x5xf32>, tensor<4xi32>
  // CHECK: graph.apply_momentum @w, @m, %{{.*}} rate %{{.*}} {momentum = 9.000000e-01 : f64, nesterov} : tensor<3x5xf32>
  graph.apply_momentum @w, @m, %g rate %p {momentum = 0.9, nesterov} : tensor<3x5xf32>
  // CHECK: graph.apply_adam @w, @m, @v, %{{.*}}, %[[C]], %[[C]] {beta1 = 9.000000e-01 : f64, beta2 = 0.998{{9+}} : f64, decoupled, epsilon = {{.*}} : f64, learning_rate = 1.000000e-03 : f64, weight_decay = 1.000000e-02 : f64} : tensor<3x5xf32>
  graph.apply_adam @w, @m, @v, %g, %c, %c {learning_rate = 0.001, beta1 = 0.9, beta2 = 0.999, epsilon = 1.0e-08, decoupled, weight_decay = 0.01} : tensor<3x5xf32>
  // CHECK: graph.apply_adagrad @w, @v, %{{.*}} scale %[[C]] {epsilon = {{.*}} : f64, learning_rate = 1.000000e-02 : f64} : tensor<3x5xf32>
  graph.apply_adagrad @w, @v, %g scale %c {learning_rate = 0.01, epsilon = 1.0e-10} : tensor<3x5xf32>
  // CHECK: graph.apply_rmsprop @w, @v, %{{.*}} {epsilon = {{.*}} : f64, learning_rate = 1.000000e-03 : f64, rho = 9.000000e-01 : f64} : tensor<3x5xf32>
  graph.apply_rmsprop @w, @v, %g {learning_rate = 0.001, rho = 0.9, epsilon = 1.0e-08} : tensor<3x5xf32>
  // CHECK: graph.apply_rmsprop @w, @v centered @m momentum @c, %{{.*}} rate %{{.*}} {epsilon = {{.*}} : f64, momentum = 9.000000e-01 : f64, rho = 9.000000e-01 : f64} : tensor<3x5xf32>
  graph.apply_rmsprop @w, @v centered @m momentum @c, %g rate %q {rho = 0.9, epsilon = 1.0e-08, momentum = 0.9} : tensor<3x5xf32>
  %x = graph.read @s : tensor<f64>
  // CHECK: graph.gradient_squares @s, %{{.*}} : (tensor<f64>) -> tensor<1xf64>
  %one = graph.gradient_squares @s, %x : (tensor<f64>) -> tensor<1xf64>
  // CHECK: %{{.*}}:2 = graph.gradients %{{.*}}, [@w, @s] : (tensor<f64>) -> (tensor<3x5xf32>, tensor<f64>)
  %gw, %gs = graph.gradients %x, [@w, @s] : (tensor<f64>) -> (tensor<3x5xf32>, tensor<f64>)
  // CHECK: graph.minimize %{{.*}} {clip_global_norm = 1.000000e+00 : f64, clip_value = 5.000000e-01 : f64, frozen = ["s*"], learning_rate_summary = "rate", moving_average = 0.998{{9+}} : f64, optimizer = #graph.adamw<learning_rate = 0.001>} : tensor<f64>
  graph.minimize %x {optimizer = #graph.adamw<learning_rate = 0.001, weight_decay = 0.01>, clip_global_norm = 1.0, clip_value = 0.5, frozen = ["s*"], moving_average = 0.999, learning_rate_summary = "rate"} : tensor<f64>
  // CHECK: optimizer = #graph.sgd<learning_rate = #graph.cosine_decay<initial_learning_rate = 0.1, decay_steps = 5>, weight_decay = 0.5>
  graph.minimize %x {optimizer = #graph.sgd<learning_rate = #graph.cosine_decay<initial_learning_rate = 0.1, decay_steps = 5>, weight_decay = 0.5>} : tensor<f64>
  // CHECK: optimizer = #graph.momentum<learning_rate = 0.1, momentum = 0.9, nesterov = true, weight_decay = #graph.weight_decay<rate = 0.01, only = ["w"], exclude = ["*b", "?"]>>
  graph.minimize %x {optimizer = #graph.momentum<learning_rate = 0.1, momentum = 0.9, nesterov = true, weight_decay = #graph.weight_decay<rate = 0.01, only = ["w"], exclude = ["*b", "?"]>>} : tensor<f64>
  // CHECK: optimizer = #graph.adam<learning_rate = 0.1, beta1 = 0.5, beta2 = 0.75, epsilon = 0.001>
  graph.minimize %x {optimizer = #graph.adam<learning_rate = 0.1, beta1 = 0.5, beta2 = 0.75, epsilon = 0.001>} : tensor<f64>
  // CHECK: optimizer = #graph.adamw<learning_rate = 0.1, weight_decay = 0.5>
  graph.minimize %x {optimizer = #graph.adamw<learning_rate = 0.1, weight_decay = 0.5>} : tensor<f64>
  // CHECK: optimizer = #graph.adagrad<learning_rate = 0.1, initial_accumulator_value = 0.0>
  graph.minimize %x {optimizer = #graph.adagrad<learning_rate = 0.1, initial_accumulator_value = 0.0, epsilon = 1.0e-10>} : tensor<f64>
  // CHECK: clip_norm = 2.000000e+00 : f64, optimizer = #graph.rmsprop<learning_rate = 0.1, rho = 0.5, momentum = 0.9, centered = true>
  graph.minimize %x {clip_norm = 2.0, optimizer = #graph.rmsprop<learning_rate = 0.1, rho = 0.5, momentum = 0.9, centered = true>} : tensor<f64>
  graph.return
}

// CHECK: graph.func @eval_step() attributes {moving_averages, role = #graph.role<eval>}
graph.func @eval_step() attributes {role = #graph.role<eval>, moving_averages} {
  graph.return
}
