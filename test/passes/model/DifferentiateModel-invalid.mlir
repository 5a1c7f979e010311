// RUN: graph-opt --split-input-file --verify-diagnostics --differentiate %s

graph.variable @w : tensor<4x3xf32> = #graph.zeros
graph.func @not_differentiable(%y: tensor<4xi32>, %u: tensor<f32>) attributes {role = #graph.role<train>} {
  // expected-note@+1 {{the variable is read here}}
  %w = graph.read @w : tensor<4x3xf32>
  // expected-note@+1 {{through this value}}
  %e = graph.exponential %w : tensor<4x3xf32>
  // expected-error@+1 {{'graph.softmax_cross_entropy_grad' op is not differentiable, but the loss depends on a trained variable through it}}
  %g = graph.softmax_cross_entropy_grad %e, %y, %u : (tensor<4x3xf32>, tensor<4xi32>, tensor<f32>) -> tensor<4x3xf32>
  %loss = graph.reduce_sum %g dimensions = [0, 1] : (tensor<4x3xf32>) -> tensor<f32>
  // expected-note@+1 {{the loss is minimized here}}
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.1>} : tensor<f32>
  graph.return
}

// -----

graph.variable @w : tensor<f32> = #graph.zeros
graph.func @aggregate() attributes {role = #graph.role<train>} {
  // expected-note@+1 {{the variable is read here}}
  %w = graph.read @w : tensor<f32>
  // expected-error@+1 {{'graph.aggregate' op is not differentiable}}
  %loss = graph.aggregate %w {replicas = 2} : tensor<f32>
  // expected-note@+1 {{the loss is minimized here}}
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.1>} : tensor<f32>
  graph.return
}

// -----

// expected-remark@+1 {{@unused is not updated: the loss does not depend on it}}
graph.variable @unused : tensor<f32> = #graph.zeros
// expected-remark@+1 {{@compared is not updated: the loss does not depend on it}}
graph.variable @compared : tensor<f32> = #graph.zeros
graph.variable @w : tensor<f32> = #graph.zeros
graph.func @not_reached() attributes {role = #graph.role<train>} {
  %w = graph.read @w : tensor<f32>
  %c = graph.read @compared : tensor<f32>
  %p = graph.compare gt, %c, %w : tensor<f32>
  %n = graph.negate %w : tensor<f32>
  %loss = graph.select %p, %w, %n : tensor<f32>
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.1>} : tensor<f32>
  graph.return
}

// -----

// expected-remark@+1 {{@w is not updated}}
graph.variable @w : tensor<f32> = #graph.zeros
graph.func @constant_loss() attributes {role = #graph.role<train>} {
  // expected-note@+1 {{the loss is computed here}}
  %loss = graph.constant dense<1.0> : tensor<f32>
  // expected-error@+1 {{loss depends on no trainable variable}}
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.1>} : tensor<f32>
  graph.return
}

// -----

graph.variable @w : tensor<f32> = #graph.zeros {trainable = false}
graph.func @fed_loss(%loss: tensor<f32>) attributes {role = #graph.role<train>} {
  // expected-error@+1 {{loss depends on no trainable variable}}
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.1>} : tensor<f32>
  graph.return
}

// -----

graph.variable @w : tensor<f32> = #graph.zeros
graph.func @all_frozen(%x: tensor<f32>) attributes {role = #graph.role<train>} {
  %w = graph.read @w : tensor<f32>
  %loss = graph.multiply %w, %x : tensor<f32>
  // expected-error@+1 {{trains nothing: frozen, ["*"], matches every variable that would be trained; leave a pattern out, or the op where nothing shall be trained}}
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.1>, frozen = ["*"]} : tensor<f32>
  graph.return
}

// -----

// expected-error@+1 {{named 'global_step' must be a graph.variable of type 'tensor<i64>'}}
graph.variable @global_step : tensor<i32> = #graph.zeros
graph.variable @w : tensor<f32> = #graph.zeros
graph.func @step_type() attributes {role = #graph.role<train>} {
  %w = graph.read @w : tensor<f32>
  // expected-note@+1 {{the updates made here are counted in it}}
  graph.minimize %w {optimizer = #graph.sgd<learning_rate = 0.1>} : tensor<f32>
  graph.return
}

// -----

// expected-error@+1 {{named 'global_step' must be a graph.variable of type 'tensor<i64>'}}
graph.dataset @global_step : (tensor<f32>) = #graph.synthetic<samples = 4>
graph.variable @w : tensor<f32> = #graph.zeros
graph.func @step_kind() attributes {role = #graph.role<train>} {
  %w = graph.read @w : tensor<f32>
  // expected-note@+1 {{the updates made here are counted in it}}
  graph.minimize %w {optimizer = #graph.sgd<learning_rate = 0.1>} : tensor<f32>
  graph.return
}

// -----

// expected-note@+1 {{the slot belongs to this variable}}
graph.variable @w : tensor<f32> = #graph.zeros
// expected-error@+1 {{is in the way of an optimizer's slot, expected a graph.variable of type 'tensor<f32>' that is not trainable, or no symbol of this name}}
graph.variable @"w/Momentum" : tensor<f64> = #graph.zeros {trainable = false}
graph.func @slot_type() attributes {role = #graph.role<train>} {
  %w = graph.read @w : tensor<f32>
  graph.minimize %w {optimizer = #graph.momentum<learning_rate = 0.1, momentum = 0.9>} : tensor<f32>
  graph.return
}

// -----

// expected-note@+1 {{the slot belongs to this variable}}
graph.variable @w : tensor<f32> = #graph.zeros
// expected-error@+2 {{is in the way of an optimizer's slot}}
// expected-remark@+1 {{is not updated}}
graph.variable @"w/Momentum" : tensor<f32> = #graph.zeros
graph.func @slot_trainable() attributes {role = #graph.role<train>} {
  %w = graph.read @w : tensor<f32>
  graph.minimize %w {optimizer = #graph.momentum<learning_rate = 0.1, momentum = 0.9>} : tensor<f32>
  graph.return
}

// -----

graph.variable @w : tensor<f32> = #graph.zeros
graph.func @in_scope() attributes {role = #graph.role<train>} {
  %w = graph.read @w : tensor<f32>
  graph.scope {
    // expected-error@+1 {{stands in a graph.scope, expected a graph.func; run flatten-scopes first}}
    graph.minimize %w {optimizer = #graph.sgd<learning_rate = 0.1>} : tensor<f32>
  }
  graph.return
}

// -----

graph.variable @w : tensor<f32> = #graph.zeros
func.func @in_other_function() {
  %w = graph.read @w : tensor<f32>
  // expected-error@+1 {{stands in a func.func, expected a graph.func; run flatten-scopes first}}
  graph.minimize %w {optimizer = #graph.sgd<learning_rate = 0.1>} : tensor<f32>
  return
}

// -----

// What replicate makes has no gradient.
graph.variable @w : tensor<4xf32> = #graph.zeros
graph.func @train() attributes {role = #graph.role<train>} {
  %w = graph.read @w : tensor<4xf32>
  // expected-error @below {{stands in a model, expected none; replicate makes it, by the strategy and its "micro_batches"}}
  %p:2 = graph.repeat 3 -> (tensor<4xf32>, tensor<4xf32>) {
    %g = graph.multiply %w, %w : tensor<4xf32>
    graph.yield %g : tensor<4xf32>
  }
  %s = graph.add %p#0, %w : tensor<4xf32>
  %l = graph.reduce_sum %s dimensions = [0] : (tensor<4xf32>) -> tensor<f32>
  graph.minimize %l {optimizer = #graph.sgd<learning_rate = 0.1>} : tensor<f32>
  graph.return
}

// -----

// The gradient has to draw what the op drew.
graph.variable @w : tensor<4xf32> = #graph.zeros
graph.func @f() attributes {role = #graph.role<train>} {
  %w = graph.read @w : tensor<4xf32>
  // expected-error@+1 {{has no number; run number-draws first}}
  %a = graph.dropout %w {rate = 0.5} : tensor<4xf32>
  %loss = graph.reduce_sum %a dimensions = [0] : (tensor<4xf32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.1>} : tensor<f32>
  graph.return
}

// -----

// What another loss of the step trains is no remark.
graph.variable @a : tensor<f32> = #graph.zeros
graph.variable @b : tensor<f32> = #graph.zeros
graph.func @two_losses(%x: tensor<f32>) -> () attributes {role = #graph.role<train>} {
  %a = graph.read @a : tensor<f32>
  %b = graph.read @b : tensor<f32>
  %l = graph.multiply %a, %x : tensor<f32>
  graph.minimize %l {optimizer = #graph.sgd<learning_rate = 0.1>} : tensor<f32>
  %m = graph.multiply %b, %x : tensor<f32>
  graph.minimize %m {optimizer = #graph.sgd<learning_rate = 0.1>} : tensor<f32>
  graph.return
}
