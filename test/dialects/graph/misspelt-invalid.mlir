// RUN: graph-opt --split-input-file --verify-diagnostics %s

// What an op does not have is refused where it stands, with the nearest name that the op has.

// expected-error@+1 {{custom op 'graph.variable' has no attribute 'trainble'; did you mean 'trainable'?; known are aggregation, drawn_as, trainable, graph.device, graph.colocate_with, graph.device_rule, graph.slot_of, graph.part_of}}
graph.variable @w : tensor<3x3xf32> = #graph.zeros {trainble = false}

// -----

// expected-error@+1 {{has no attribute 'aggregate'; did you mean 'aggregation'?}}
graph.variable @w : tensor<3x3xf32> = #graph.zeros {trainable = false, aggregate = "sum"}

// -----

// expected-error@+1 {{custom op 'graph.dataset' has no attribute 'shufle'; did you mean 'shuffle'?; known are seed, shuffle, transforms}}
graph.dataset @d : (tensor<3xf32>) = #graph.synthetic<samples = 7, seed = 1> {shufle = true}

// -----

// Data sets stand nowhere.
// expected-error@+1 {{attribute 'graph.device' must be #graph.device<"/job:…">, on an op of a function or a variable, got #graph.device<"/device:CPU:0">}}
graph.dataset @d : (tensor<3xf32>) = #graph.synthetic<samples = 7, seed = 1> {graph.device = #graph.device<"/cpu:0">}

// -----

graph.dataset @d : (tensor<3xf32>) = #graph.synthetic<samples = 7, seed = 1>
graph.func @f() attributes {role = #graph.role<train>} {
  // expected-error@+1 {{custom op 'graph.next_batch' has no attribute 'padlast'; did you mean 'pad_last'?; known are batch, classes, micro_batch, micro_batches, offset, pad_last, stride, graph.device, graph.colocate_with}}
  %x = graph.next_batch @d {batch = 3, padlast} : tensor<3x3xf32>
  graph.return
}

// -----

// A misspelt name, not the missing attribute.
graph.dataset @d : (tensor<3xf32>) = #graph.synthetic<samples = 7, seed = 1>
graph.func @f() attributes {role = #graph.role<train>} {
  // expected-error@+1 {{has no attribute 'bacth'; did you mean 'batch'?}}
  %x = graph.next_batch @d {bacth = 3} : tensor<3x3xf32>
  graph.return
}

// -----

func.func @matmul(%x: tensor<3x3xf32>) {
  // expected-error@+1 {{custom op 'graph.matmul' has no attribute 'tranpose_b'; did you mean 'transpose_b'?; known are precision, transpose_a, transpose_b, graph.device, graph.colocate_with}}
  %y = graph.matmul %x, %x {tranpose_b} : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  return
}

// -----

func.func @minimize(%x: tensor<f32>) {
  // expected-error@+1 {{custom op 'graph.minimize' has no attribute 'variable'; did you mean 'variables'?; known are clip_global_norm, clip_norm, clip_value, frozen, learning_rate_summary, moving_average, optimizer, variables, graph.device, graph.colocate_with}}
  graph.minimize %x {optimizer = #graph.sgd<learning_rate = 0.1>, variable = [@nobody]} : tensor<f32>
  return
}

// -----

// The dialect's prefix left out; one of a dialect that nobody knows; one of a dialect that has none for this op.
func.func @prefix(%x: tensor<f32>) {
  // expected-error@+1 {{has no attribute 'device'; did you mean 'graph.device'?}}
  %y = graph.negate %x {device = #graph.device<"/cpu:0">} : tensor<f32>
  return
}

// -----

func.func @foreign(%x: tensor<f32>) {
  // expected-error@+1 {{has no attribute 'grpah.device'; did you mean 'graph.device'?}}
  %y = graph.negate %x {grpah.device = #graph.device<"/cpu:0">} : tensor<f32>
  return
}

// -----

func.func @known_elsewhere(%x: tensor<f32>) {
  // expected-error@+1 {{has no attribute 'llvm.noalias'}}
  %y = graph.negate %x {llvm.noalias} : tensor<f32>
  return
}

// -----

func.func @rule(%x: tensor<f32>) {
  // expected-error@+1 {{attribute 'graph.device_rule' must be "round_robin", "balanced" or "pin", on a scope, got "pin"}}
  %y = graph.negate %x {graph.device_rule = "pin"} : tensor<f32>
  return
}

// -----

// expected-error@+1 {{custom op 'graph.func' has no attribute 'rol'; did you mean 'role'?; known are moving_averages, role, graph.device}}
graph.func @f() attributes {rol = #graph.role<train>} {
  graph.return
}

// -----

// expected-error@+1 {{custom op 'graph.func' attribute 'role' failed to satisfy constraint: what a function is run for: #graph.role<train>}}
graph.func @f() attributes {role = "train"} {
  graph.return
}

// -----

// expected-error@+1 {{arguments have no attribute 'name'; did you mean 'graph.name'?; known are graph.name}}
graph.func @f(%x: tensor<f32> {name = "x"}) attributes {role = #graph.role<predict>} {
  graph.return
}

// -----

// expected-error@+1 {{results have no attribute 'reduction'; did you mean 'graph.reduction'?; known are graph.name, graph.reduction}}
graph.func @f(%x: tensor<f32>) -> (tensor<f32> {reduction = "sum"}) attributes {role = #graph.role<predict>} {
  graph.return %x : tensor<f32>
}

// -----

graph.func @f(%x: tensor<f32>) -> tensor<f32> attributes {role = #graph.role<predict>} {
  // expected-error@+1 {{custom op 'graph.scope' has no attribute 'graph.devices'; did you mean 'graph.device'?; known are graph.device, graph.colocate_with, graph.device_rule}}
  %y = graph.scope -> (tensor<f32>) attributes {graph.devices = #graph.device<"/cpu:0">} {
    graph.yield %x : tensor<f32>
  }
  graph.return %y : tensor<f32>
}

// -----

// What stands outside of the braces is not overwritten in them.
graph.variable @w : tensor<f32> = #graph.zeros
graph.variable @u : tensor<f32> = #graph.zeros
func.func @twice() {
  // expected-error@+1 {{custom op 'graph.read' has 'variable' outside of {…} already}}
  %w = graph.read @w {variable = @u} : tensor<f32>
  return
}

// -----

// The generic form, attributes and properties.
func.func @generic(%x: tensor<3x3xf32>) {
  // expected-error@+1 {{'graph.matmul' op has no attribute 'tranpose_b'; did you mean 'transpose_b'?}}
  %y = "graph.matmul"(%x, %x) {tranpose_b} : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  return
}

// -----

func.func @properties(%x: tensor<3x3xf32>) {
  // expected-error@+1 {{'graph.matmul' has no attribute 'tranpose_b'; did you mean 'transpose_b'?; known are precision, transpose_a, transpose_b}}
  %y = "graph.matmul"(%x, %x) <{tranpose_b}> : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  return
}

// -----

// Parameters.
func.func @parameter(%x: tensor<f32>) {
  // expected-error@+1 {{#graph.sgd has no parameter 'lerning_rate'; did you mean 'learning_rate'?; known are learning_rate, weight_decay}}
  graph.minimize %x {optimizer = #graph.sgd<lerning_rate = 0.1>} : tensor<f32>
  return
}

// -----

func.func @parameter_twice(%x: tensor<f32>) {
  // expected-error@+1 {{parameter 'momentum' is given twice}}
  graph.minimize %x {optimizer = #graph.momentum<momentum = 0.9, momentum = 0.9>} : tensor<f32>
  return
}

// -----

func.func @no_parameter(%x: tensor<f32>) {
  // expected-error@+1 {{#graph.momentum needs the parameter 'momentum'}}
  graph.minimize %x {optimizer = #graph.momentum<learning_rate = 0.9>} : tensor<f32>
  return
}

// -----

// expected-error@+1 {{expected the end of #graph.zeros here}}
graph.variable @w : tensor<f32> = #graph.zeros<seed = 1>

// -----

// expected-error@+1 {{expected true or false}}
graph.variable @w : tensor<f32> = #graph.normal<truncated = 1>

// -----

// expected-error@+1 {{expected a value like dense<0.0> : tensor<f32>, got 3}}
graph.variable @w : tensor<f32> = #graph.value<3>

// -----

// expected-error@+1 {{unknown role 'trian'; did you mean 'train'?; known are train, eval, predict}}
graph.func @f() attributes {role = #graph.role<trian>} {
  graph.return
}

// -----

// Kinds of attributes, also of other frameworks.
func.func @adam(%x: tensor<f32>) {
  // expected-error@+1 {{unknown attribute #graph.lamb; optimizers are #graph.sgd, #graph.momentum, #graph.adam, #graph.adamw, #graph.adagrad and #graph.rmsprop}}
  graph.minimize %x {optimizer = #graph.lamb<learning_rate = 0.1>} : tensor<f32>
  return
}

// -----

// expected-error@+1 {{unknown attribute #graph.unifrom; did you mean '#graph.uniform'?}}
graph.variable @w : tensor<f32> = #graph.unifrom

// -----

// expected-error@+1 {{unknown attribute #graph.uninitialised; did you mean '#graph.uninitialized'?}}
graph.variable @w : tensor<f32> = #graph.uninitialised

// -----

// expected-error@+1 {{unknown attribute #graph.foo; initializers are #graph.zeros, #graph.value, #graph.uniform, #graph.normal, #graph.glorot_uniform and #graph.uninitialized, sources of data #graph.idx, #graph.npy, #graph.csv, #graph.text, #graph.cifar10 and #graph.synthetic, optimizers #graph.sgd, #graph.momentum, #graph.adam, #graph.adamw, #graph.adagrad and #graph.rmsprop, schedules #graph.piecewise_constant, #graph.cosine_decay, #graph.polynomial_decay and #graph.linear_warmup}}
graph.variable @w : tensor<f32> = #graph.foo

// -----

// Names that need quotes.
// expected-error@+1 {{expected ':'; a name with '/' needs quotes: @"enc/w/b"}}
graph.variable @enc/w/b : tensor<f32> = #graph.zeros

// -----

func.func @quotes() {
  // expected-error@+1 {{expected ':'; a name with '/' needs quotes: @"enc/w"}}
  %w = graph.read @enc/w : tensor<f32>
  return
}

// -----

// One error a mistake.
func.func @once(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{expected integer value}}
  %y = graph.transpose %x permutation = [1, a] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

// A name that other text could not hold.
func.func @named(%x: tensor<f32>) {
  // expected-error@+1 {{the name in loc(…) must have no control character}}
  %y = graph.negate %x : tensor<f32> loc("a\1Bb")
  return
}

// -----

// An integer where a float is expected is one.
func.func @whole(%x: tensor<f32>) {
  graph.minimize %x {optimizer = #graph.sgd<learning_rate = 1>} : tensor<f32>
  return
}
graph.variable @v : tensor<f32> = #graph.uniform<low = -1, high = 1>

// -----

// What stands outside of the braces as well.
func.func @convolution(%x: tensor<1x2x5x5xf32>, %w: tensor<3x2x3x3xf32>) {
  // expected-error@+1 {{custom op 'graph.convolution' has no attribute 'padding'; known are feature_group_count, hwio, nhwc, padding_high, padding_low, rhs_dilation, window_strides, graph.device, graph.colocate_with}}
  %0 = graph.convolution %x, %w padding = [1, 1] : (tensor<1x2x5x5xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x5x5xf32>
  return
}

// -----

func.func @order(%x: tensor<1x2x5x5xf32>, %w: tensor<3x2x3x3xf32>) {
  // expected-error@+1 {{custom op 'graph.convolution' has 'window_strides' where it cannot stand; expected it in {…} behind the operands, or, where docs/dialects/graph.md has it outside of that, once and in the order there}}
  %0 = graph.convolution %x, %w padding_low = [1, 1] window_strides = [1, 1] : (tensor<1x2x5x5xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x4x4xf32>
  return
}

// -----

func.func @number(%x: tensor<f32>) {
  // expected-error@+1 {{custom op 'graph.minimize' attribute 'clip_norm' must be a number with a point or an exponent, such as 1.0}}
  graph.minimize %x {optimizer = #graph.sgd<learning_rate = 0.1>, clip_norm = 1} : tensor<f32>
  return
}
