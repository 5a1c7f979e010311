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

// -----

// A gradient does not pass through a variable.
graph.variable @w : tensor<f32> = #graph.zeros
graph.variable @kept : tensor<f32> = #graph.zeros {trainable = false}
graph.func @assigned(%x: tensor<f32>) attributes {role = #graph.role<train>} {
  %w = graph.read @w : tensor<f32>
  %y = graph.multiply %w, %x : tensor<f32>
  // expected-note@+1 {{the value is stored here}}
  graph.assign @kept, %y : tensor<f32>
  // expected-error@+1 {{'graph.read' op makes the loss depend on a value that this step computed from trained variables and stored in @kept, but no gradient passes through a variable; expected the value itself in place of the read, or graph.stop_gradient of what is read}}
  %k = graph.read @kept : tensor<f32>
  %loss = graph.add %y, %k : tensor<f32>
  // expected-note@+1 {{the loss is minimized here}}
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.1>} : tensor<f32>
  graph.return
}

// -----

// Through a second variable, of another shape, behind a sum.
graph.variable @w : tensor<4x3xf32> = #graph.zeros
graph.variable @total : tensor<4x3xf32> = #graph.zeros {trainable = false}
graph.variable @norm : tensor<f32> = #graph.zeros {trainable = false}
graph.func @summed() attributes {role = #graph.role<train>} {
  %w = graph.read @w : tensor<4x3xf32>
  graph.assign_add @total, %w : tensor<4x3xf32>
  %t = graph.read @total : tensor<4x3xf32>
  %n = graph.reduce_sum %t dimensions = [0, 1] : (tensor<4x3xf32>) -> tensor<f32>
  // expected-note@+1 {{the value is stored here}}
  graph.assign @norm, %n : tensor<f32>
  // expected-error@+1 {{stored in @norm, but no gradient passes through a variable}}
  %k = graph.read @norm : tensor<f32>
  // expected-note@+1 {{the loss is minimized here}}
  graph.minimize %k {optimizer = #graph.adam<learning_rate = 0.1>} : tensor<f32>
  graph.return
}

// -----

graph.variable @w : tensor<3xf64> = #graph.zeros
graph.variable @mean : tensor<3xf64> = #graph.zeros {trainable = false}
graph.func @averaged(%x: tensor<3xf64>) attributes {role = #graph.role<train>} {
  %w = graph.read @w : tensor<3xf64>
  %y = graph.subtract %x, %w : tensor<3xf64>
  // expected-note@+1 {{the value is stored here}}
  graph.assign_moving_average @mean, %y {momentum = 0.9} : tensor<3xf64>
  // expected-error@+1 {{stored in @mean, but no gradient passes through a variable}}
  %m = graph.read @mean : tensor<3xf64>
  %q = graph.multiply %m, %y : tensor<3xf64>
  %loss = graph.reduce_sum %q dimensions = [0] : (tensor<3xf64>) -> tensor<f64>
  // expected-note@+1 {{its gradients are taken here}}
  %g = graph.gradients %loss, [@w] : (tensor<f64>) -> tensor<3xf64>
  graph.return
}

// -----

// A variable that is trained itself.
graph.variable @w : tensor<f32> = #graph.zeros
graph.variable @v : tensor<f32> = #graph.zeros
graph.func @trained(%x: tensor<f32>) attributes {role = #graph.role<train>} {
  %w = graph.read @w : tensor<f32>
  // expected-note@+1 {{the value is stored here}}
  graph.assign @v, %w : tensor<f32>
  // expected-error@+1 {{stored in @v, but no gradient passes through a variable}}
  %v = graph.read @v : tensor<f32>
  %loss = graph.multiply %v, %x : tensor<f32>
  // expected-note@+1 {{the loss is minimized here}}
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.1>} : tensor<f32>
  graph.return
}

// -----

// No gradient is lost: stopped where it is read or where it is stored, read before it is stored,
// stored over, compared, or an optimizer's.
graph.variable @w : tensor<f32> = #graph.zeros
graph.variable @other : tensor<f32> = #graph.zeros
graph.variable @kept : tensor<f32> = #graph.zeros {trainable = false}
graph.variable @stopped : tensor<f32> = #graph.zeros {trainable = false}
graph.variable @before : tensor<f32> = #graph.zeros {trainable = false}
graph.variable @over : tensor<f32> = #graph.zeros {trainable = false}
graph.variable @compared : tensor<f32> = #graph.zeros {trainable = false}
graph.func @none_is_lost(%x: tensor<f32>) attributes {role = #graph.role<train>} {
  %w = graph.read @w : tensor<f32>
  %y = graph.multiply %w, %x : tensor<f32>
  graph.assign_add @kept, %y : tensor<f32>
  %k = graph.read @kept : tensor<f32>
  %k0 = graph.stop_gradient %k : tensor<f32>
  %a = graph.add %y, %k0 : tensor<f32>
  %y0 = graph.stop_gradient %y : tensor<f32>
  graph.assign @stopped, %y0 : tensor<f32>
  %s = graph.read @stopped : tensor<f32>
  %b = graph.multiply %a, %s : tensor<f32>
  %e = graph.read @before : tensor<f32>
  graph.assign @before, %y : tensor<f32>
  %c = graph.multiply %b, %e : tensor<f32>
  graph.assign @over, %y : tensor<f32>
  graph.assign @over, %x : tensor<f32>
  %o = graph.read @over : tensor<f32>
  %d = graph.multiply %c, %o : tensor<f32>
  %y1 = graph.floor %y : tensor<f32>
  graph.assign_add @compared, %y1 : tensor<f32>
  %u = graph.read @compared : tensor<f32>
  %d1 = graph.add %d, %u : tensor<f32>
  graph.assign @compared, %y : tensor<f32>
  %r = graph.read @compared : tensor<f32>
  %p = graph.compare gt, %r, %x : tensor<f32>
  %f = graph.select %p, %d1, %x : tensor<f32>
  graph.minimize %f {optimizer = #graph.sgd<learning_rate = 0.1>, variables = [@w]} : tensor<f32>
  %v = graph.read @w : tensor<f32>
  %z = graph.read @other : tensor<f32>
  %l = graph.multiply %v, %z : tensor<f32>
  graph.minimize %l {optimizer = #graph.sgd<learning_rate = 0.1>, variables = [@other]} : tensor<f32>
  graph.return
}

// -----

// A trained variable that is stored in and read without a gradient is reached all the same: it has
// the gradient 0 and is no remark.
graph.variable @w : tensor<f32> = #graph.zeros
graph.variable @v : tensor<f32> = #graph.zeros
graph.func @stopped_target(%x: tensor<f32>) attributes {role = #graph.role<train>} {
  %w = graph.read @w : tensor<f32>
  graph.assign @v, %w : tensor<f32>
  %v = graph.read @v : tensor<f32>
  %v0 = graph.stop_gradient %v : tensor<f32>
  %loss = graph.multiply %v0, %w : tensor<f32>
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.1>} : tensor<f32>
  graph.return
}
