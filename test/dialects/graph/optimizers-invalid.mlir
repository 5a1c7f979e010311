// RUN: graph-opt --split-input-file --verify-diagnostics %s

graph.variable @w : tensor<3xf32> = #graph.zeros
func.func @two_rates(%g: tensor<3xf32>, %r: tensor<f64>) {
  // (C2) expected-error@+1 {{has two learning rates, expected either learning_rate or the operand rate}}
  graph.apply_sgd @w, %g rate %r {learning_rate = 0.1} : tensor<3xf32>
  return
}

// -----

// expected-note@+1 {{the variable is declared here}}
graph.variable @w : tensor<3x5xf32> = #graph.zeros
func.func @rows_of_another(%g: tensor<4x6xf32>, %n: tensor<4xi32>) {
  // (C1) expected-error@+1 {{expected rows of variable @w, which is 'tensor<3x5xf32>', got 'tensor<4x6xf32>'}}
  graph.apply_sgd_rows @w, %g at %n {learning_rate = 0.1} : tensor<4x6xf32>, tensor<4xi32>
  return
}

// -----

graph.variable @w : tensor<3x5xf32> = #graph.zeros
func.func @a_row_for_each(%g: tensor<4x5xf32>, %n: tensor<3xi32>) {
  // (C1) expected-error@+1 {{expected a row for each number, got rows 'tensor<4x5xf32>' and numbers 'tensor<3xi32>'}}
  graph.apply_sgd_rows @w, %g at %n {learning_rate = 0.1} : tensor<4x5xf32>, tensor<3xi32>
  return
}

// -----

graph.variable @w : tensor<3x5xf32> = #graph.zeros
func.func @no_rate_of_rows(%g: tensor<4x5xf32>, %n: tensor<4xi32>) {
  // (C2) expected-error@+1 {{has no learning rate, expected either learning_rate or the operand rate}}
  graph.apply_sgd_rows @w, %g at %n : tensor<4x5xf32>, tensor<4xi32>
  return
}

// -----

graph.variable @w : tensor<3x5xf32> = #graph.zeros
func.func @two_rates_of_rows(%g: tensor<4x5xf32>, %n: tensor<4xi32>, %r: tensor<f64>) {
  // (C2) expected-error@+1 {{has two learning rates, expected either learning_rate or the operand rate}}
  graph.apply_sgd_rows @w, %g at %n rate %r {learning_rate = 0.1} : tensor<4x5xf32>, tensor<4xi32>
  return
}

// -----

graph.variable @w : tensor<3xf32> = #graph.zeros
graph.variable @m : tensor<3xf32> = #graph.zeros
func.func @no_rate(%g: tensor<3xf32>) {
  // (C2) expected-error@+1 {{has no learning rate, expected either learning_rate or the operand rate}}
  graph.apply_momentum @w, @m, %g {momentum = 0.9} : tensor<3xf32>
  return
}

// -----

graph.variable @w : tensor<3xf32> = #graph.zeros
graph.variable @m : tensor<3xf32> = #graph.zeros
graph.variable @v : tensor<3xf32> = #graph.zeros
func.func @no_rate_of_adam(%g: tensor<3xf32>, %c: tensor<f64>) {
  // (C2) expected-error@+1 {{has no learning rate, expected either learning_rate or the operand rate}}
  graph.apply_adam @w, @m, @v, %g, %c, %c {beta1 = 0.9, beta2 = 0.9, epsilon = 0.1} : tensor<3xf32>
  return
}

// -----

graph.variable @w : tensor<3xf32> = #graph.zeros
graph.variable @m : tensor<3xf32> = #graph.zeros
func.func @no_rate_of_adagrad(%g: tensor<3xf32>) {
  // (C2) expected-error@+1 {{has no learning rate, expected either learning_rate or the operand rate}}
  graph.apply_adagrad @w, @m, %g {epsilon = 0.1} : tensor<3xf32>
  return
}

// -----

graph.variable @w : tensor<3xf32> = #graph.zeros
graph.variable @m : tensor<3xf32> = #graph.zeros
func.func @no_rate_of_rmsprop(%g: tensor<3xf32>) {
  // (C2) expected-error@+1 {{has no learning rate, expected either learning_rate or the operand rate}}
  graph.apply_rmsprop @w, @m, %g {epsilon = 0.1, rho = 0.9} : tensor<3xf32>
  return
}

// -----

graph.variable @w : tensor<3xf32> = #graph.zeros
graph.variable @m : tensor<3xf32> = #graph.zeros
func.func @average_alone(%g: tensor<3xf32>) {
  // (C3) expected-error@+1 {{expected average and average_decay together}}
  graph.apply_sgd @w, %g average @m {learning_rate = 0.1} : tensor<3xf32>
  return
}

// -----

graph.variable @w : tensor<3xf32> = #graph.zeros
graph.variable @m : tensor<3xf32> = #graph.zeros
func.func @decay_alone(%g: tensor<3xf32>) {
  // (C3) expected-error@+1 {{expected average and average_decay together}}
  graph.apply_momentum @w, @m, %g {learning_rate = 0.1, momentum = 0.9, average_decay = 0.9} : tensor<3xf32>
  return
}

// -----

graph.variable @w : tensor<3xf32> = #graph.zeros
graph.variable @m : tensor<3xf32> = #graph.zeros
graph.variable @v : tensor<3xf32> = #graph.zeros
func.func @decay_alone_of_adam(%g: tensor<3xf32>, %c: tensor<f64>) {
  // (C3) expected-error@+1 {{expected average and average_decay together}}
  graph.apply_adam @w, @m, @v, %g, %c, %c {learning_rate = 0.1, beta1 = 0.9, beta2 = 0.9, epsilon = 0.1, average_decay = 0.9} : tensor<3xf32>
  return
}

// -----

graph.variable @w : tensor<3xf32> = #graph.zeros
graph.variable @m : tensor<3xf32> = #graph.zeros
func.func @decay_alone_of_adagrad(%g: tensor<3xf32>) {
  // (C3) expected-error@+1 {{expected average and average_decay together}}
  graph.apply_adagrad @w, @m, %g {learning_rate = 0.1, epsilon = 0.1, average_decay = 0.9} : tensor<3xf32>
  return
}

// -----

graph.variable @w : tensor<3xf32> = #graph.zeros
graph.variable @m : tensor<3xf32> = #graph.zeros
func.func @momentum_alone(%g: tensor<3xf32>) {
  // (C3) expected-error@+1 {{expected a slot for the momentum and momentum together}}
  graph.apply_rmsprop @w, @m, %g {learning_rate = 0.1, epsilon = 0.1, rho = 0.9, momentum = 0.9} : tensor<3xf32>
  return
}

// -----

graph.variable @w : tensor<3xf32> = #graph.zeros
graph.variable @m : tensor<3xf32> = #graph.zeros
func.func @slots_alike(%g: tensor<3xf32>, %c: tensor<f64>) {
  // (C1) expected-error@+1 {{variable and slot must be two variables, both are @m}}
  graph.apply_adam @w, @m, @m, %g, %c, %c {learning_rate = 0.1, beta1 = 0.9, beta2 = 0.9, epsilon = 0.1} : tensor<3xf32>
  return
}

// -----

graph.variable @w : tensor<3xf32> = #graph.zeros
func.func @average_is_variable(%g: tensor<3xf32>) {
  // (C1) expected-error@+1 {{variable and slot must be two variables, both are @w}}
  graph.apply_adagrad @w, @w, %g {learning_rate = 0.1, epsilon = 0.1} : tensor<3xf32>
  return
}

// -----

graph.variable @w : tensor<3xf32> = #graph.zeros
// expected-note@+1 {{the variable is declared here}}
graph.variable @m : tensor<4xf32> = #graph.zeros
func.func @slot_type(%g: tensor<3xf32>) {
  // (C1) expected-error@+1 {{gradient must be 'tensor<4xf32>' as variable @m is, got 'tensor<3xf32>'}}
  graph.apply_rmsprop @w, @m, %g {learning_rate = 0.1, epsilon = 0.1, rho = 0.9} : tensor<3xf32>
  return
}

// -----

func.func @no_variable(%g: tensor<3xf32>) {
  // (C1) expected-error@+1 {{no variable @w in this module, expected a graph.variable}}
  %s = graph.gradient_squares @w, %g : (tensor<3xf32>) -> tensor<3xf64>
  return
}

// -----

graph.variable @w : tensor<3xf32> = #graph.zeros
func.func @squares_type(%g: tensor<3xf32>) {
  // (C2) expected-error@+1 {{result must be 'tensor<3xf64>', an f64 for each row of 'tensor<3xf32>', got 'tensor<3xf32>'}}
  %s = graph.gradient_squares @w, %g : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @correction(%step: tensor<i64>) {
  // (C1) expected-error@+1 {{decay must be at least 0 and below 1, got 1}}
  %c = graph.bias_correction %step {decay = 1.0}
  return
}

// -----

graph.variable @w : tensor<3xf32> = #graph.zeros
func.func @gradients_of_tensor(%loss: tensor<3xf32>) {
  // (C1) expected-error@+1 {{loss must be a scalar float, tensor<f32> or tensor<f64>, got 'tensor<3xf32>'}}
  %g = graph.gradients %loss, [@w] : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

graph.variable @w : tensor<3xf32> = #graph.zeros
func.func @gradients_twice(%loss: tensor<f32>) {
  // (C2) expected-error@+1 {{variable @w is listed twice}}
  %g:2 = graph.gradients %loss, [@w, @w] : (tensor<f32>) -> (tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

// expected-note@+1 {{the variable is declared here}}
graph.variable @n : tensor<i64> = #graph.zeros
func.func @gradients_of_integers(%loss: tensor<f32>) {
  // (C2) expected-error@+1 {{variable @n must be of f32 or f64}}
  %g = graph.gradients %loss, [@n] : (tensor<f32>) -> tensor<f32>
  return
}

// -----

graph.variable @w : tensor<3xf32> = #graph.zeros
func.func @gradients_missing(%loss: tensor<f32>) {
  // (C3) expected-error@+1 {{expected a result for each of the 1 variables, got 0}}
  graph.gradients %loss, [@w] : (tensor<f32>) -> ()
  return
}

// -----

// expected-note@+1 {{the variable is declared here}}
graph.variable @w : tensor<3xf32> = #graph.zeros
func.func @gradients_type(%loss: tensor<f32>) {
  // (C3) expected-error@+1 {{gradient must be 'tensor<3xf32>' as variable @w is, got 'tensor<4xf32>'}}
  %g = graph.gradients %loss, [@w] : (tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @bound(%loss: tensor<f32>) {
  // (graph.minimize C3) expected-error@+1 {{clip_norm must be above 0 and finite, got 0}}
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.1>, clip_norm = 0.0} : tensor<f32>
  return
}

// -----

func.func @two_norms(%loss: tensor<f32>) {
  // (C3) expected-error@+1 {{has clip_norm and clip_global_norm, expected one of them}}
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.1>, clip_norm = 1.0, clip_global_norm = 1.0} : tensor<f32>
  return
}

// -----

func.func @average(%loss: tensor<f32>) {
  // (C4) expected-error@+1 {{moving_average must be at least 0 and below 1, got 1}}
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.1>, moving_average = 1.0} : tensor<f32>
  return
}

// -----

func.func @frozen(%loss: tensor<f32>) {
  // (C5) expected-error@+1 {{frozen has an empty pattern}}
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.1>, frozen = ["a", ""]} : tensor<f32>
  return
}

// -----

// (graph.func C3) expected-error@+1 {{has moving_averages and the role train, which makes them; expected the role eval or predict}}
graph.func @train() attributes {role = #graph.role<train>, moving_averages} {
  graph.return
}

// -----

// expected-error@+1 {{expected a momentum in [0, 1], got 2}}
func.func private @a() attributes {o = #graph.rmsprop<learning_rate = 0.1, momentum = 2.0>}

// -----

// expected-error@+1 {{expected a beta2 in [0, 1), got 1}}
func.func private @a() attributes {o = #graph.adam<learning_rate = 0.1, beta2 = 1.0>}

// -----

// expected-error@+1 {{expected a epsilon that is finite and not negative, got -1}}
func.func private @a() attributes {o = #graph.adamw<learning_rate = 0.1, epsilon = -1.0>}

// -----

// expected-error@+1 {{expected a weight_decay that is finite and not negative, got -1}}
func.func private @a() attributes {o = #graph.adagrad<learning_rate = 0.1, weight_decay = -1.0>}

// -----

// expected-error@+1 {{expected a number or #graph.weight_decay, got #graph.zeros}}
func.func private @a() attributes {o = #graph.sgd<learning_rate = 0.1, weight_decay = #graph.zeros>}

// -----

// expected-error@+1 {{expected a number or a schedule: #graph.piecewise_constant, #graph.cosine_decay, #graph.polynomial_decay, #graph.linear_warmup, got #graph.zeros}}
func.func private @a() attributes {o = #graph.sgd<learning_rate = #graph.zeros>}

// -----

// expected-error@+1 {{expected patterns of names, texts that are not empty, got ""}}
func.func private @a() attributes {o = #graph.weight_decay<rate = 0.1, exclude = [""]>}

// -----

// expected-error@+1 {{expected a value more than boundaries, got 2 and 2}}
func.func private @a() attributes {o = #graph.piecewise_constant<boundaries = [1, 2], values = [0.1, 0.2]>}

// -----

// expected-error@+1 {{expected boundaries to be steps, 0 to 2^53, each larger than the one before, got 1 : i64}}
func.func private @a() attributes {o = #graph.piecewise_constant<boundaries = [1, 1], values = [0.1, 0.2, 0.3]>}

// -----

// expected-error@+1 {{expected values to be numbers of type f64, got 1 : i64}}
func.func private @a() attributes {o = #graph.piecewise_constant<boundaries = [1], values = [0.1, 1]>}

// -----

// expected-error@+1 {{expected a rate 'alpha' that is finite and not negative, got -1}}
func.func private @a() attributes {o = #graph.cosine_decay<initial_learning_rate = 0.1, decay_steps = 1, alpha = -1.0>}

// -----

// expected-error@+1 {{expected 'decay_steps' to be a number of steps, 1 to 2^53, got 0}}
func.func private @a() attributes {o = #graph.polynomial_decay<initial_learning_rate = 0.1, decay_steps = 0>}

// -----

// expected-error@+1 {{expected a power above 0, got 0}}
func.func private @a() attributes {o = #graph.polynomial_decay<initial_learning_rate = 0.1, decay_steps = 1, power = 0.0>}
