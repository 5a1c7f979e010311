// RUN: graph-opt --split-input-file --verify-diagnostics --verify-model %s

// What differentiate and flatten-scopes leave is fine.
graph.variable @w : tensor<f32> = #graph.zeros
graph.func @good(%x: tensor<f32>, %y: tensor<f32> {graph.name = "y"}) -> (tensor<f32>, tensor<f32>) attributes {role = #graph.role<train>} {
  graph.apply_sgd @w, %x {learning_rate = 0.1} : tensor<f32>
  graph.summary "s", %x : tensor<f32>
  graph.metric "m", %x : tensor<f32>
  graph.return %x, %y : tensor<f32>, tensor<f32>
}
func.func @other(%x: tensor<f32>) {
  %0 = arith.constant 1 : i32
  return
}

// -----

graph.func @scope() attributes {role = #graph.role<train>} {
  // expected-error@+1 {{'graph.scope' op is left, expected flatten-scopes to have removed it}}
  graph.scope {
  }
  graph.return
}

// -----

// expected-error@+1 {{'graph.func' op is private and left, expected inline-calls to have removed it}}
graph.func private @layer(%x: tensor<f32>) -> tensor<f32> {
  graph.return %x : tensor<f32>
}

// -----

graph.func @call(%x: tensor<f32>) attributes {role = #graph.role<predict>} {
  // expected-error@+1 {{'graph.call' op is left, expected inline-calls to have removed it}}
  %y = graph.call @layer(%x) : (tensor<f32>) -> tensor<f32>
  graph.return
}
graph.func private @layer(%x: tensor<f32>) -> tensor<f32> {
  graph.return %x : tensor<f32>
}

// -----

graph.func @minimize(%x: tensor<f32>) attributes {role = #graph.role<train>} {
  // expected-error@+1 {{'graph.minimize' op is left, expected differentiate to have removed it}}
  graph.minimize %x {optimizer = #graph.sgd<learning_rate = 0.1>} : tensor<f32>
  graph.return
}

// -----

graph.func @arith() attributes {role = #graph.role<train>} {
  // expected-error@+1 {{'arith.constant' op stands in graph.func @arith, expected ops of the graph dialect}}
  %0 = arith.constant 1 : i32
  graph.return
}

// -----

graph.func @tensors(%x: tensor<f32>) attributes {role = #graph.role<train>} {
  // expected-error@+1 {{'tensor.extract' op stands in graph.func @tensors, expected ops of the graph dialect}}
  %0 = tensor.extract %x[] : tensor<f32>
  graph.return
}

// -----

// expected-error@+2 {{feed "x" is given twice in this function}}
// expected-note@+1 {{the other one is here}}
graph.func @feeds(%a: tensor<f32> {graph.name = "x"}, %b: tensor<f32> {graph.name = "x"}) attributes {role = #graph.role<predict>} {
  graph.return
}

// -----

// expected-error@+2 {{feed "arg1" is given twice in this function}}
// expected-note@+1 {{the other one is here}}
graph.func @default_feeds(%a: tensor<f32> {graph.name = "arg1"}, %b: tensor<f32>) attributes {role = #graph.role<predict>} {
  graph.return
}

// -----

graph.func @results(%a: tensor<f32>) -> (tensor<f32> {graph.name = "y"}, tensor<f32> {graph.name = "y"}) attributes {role = #graph.role<predict>} {
  // expected-error@+2 {{fetch "y" is given twice in this function}}
  // expected-note@+1 {{the other one is here}}
  graph.return %a, %a : tensor<f32>, tensor<f32>
}

// -----

graph.func @summaries(%a: tensor<f32>) -> (tensor<f32> {graph.name = "y"}) attributes {role = #graph.role<predict>} {
  // expected-error@+1 {{fetch "y" is given twice in this function}}
  graph.summary "y", %a : tensor<f32>
  // expected-note@+1 {{the other one is here}}
  graph.return %a : tensor<f32>
}

// -----

graph.func @metrics(%a: tensor<f32>) attributes {role = #graph.role<predict>} {
  // expected-note@+1 {{the other one is here}}
  graph.summary "y", %a : tensor<f32>
  // expected-error@+1 {{fetch "y" is given twice in this function}}
  graph.metric "y", %a : tensor<f32>
  graph.return
}

// -----

// expected-note @below {{the first one is here}}
graph.func @one() attributes {role = #graph.role<predict>} {
  graph.return
}
// expected-error @below {{is the second one of role predict; a run has one function a role, so that this one would never run}}
graph.func @two() attributes {role = #graph.role<predict>} {
  graph.return
}

// -----

// What fills the last batch up is told apart by the mask alone.
graph.dataset @d : (tensor<4xi1>) = #graph.synthetic<samples = 10, seed = 1, limits = [2]>
graph.func @eval() -> () attributes {role = #graph.role<eval>} {
  // expected-remark@+1 {{pads its last batch, and nothing takes the mask}}
  %x, %valid = graph.next_batch @d {batch = 4, pad_last} : tensor<4x4xi1>, tensor<4xi1>
  graph.metric "share", %x : tensor<4x4xi1>
  graph.return
}

// -----

graph.dataset @d : (tensor<i1>) = #graph.synthetic<samples = 10, seed = 1, limits = [2]>
graph.func @eval() -> () attributes {role = #graph.role<eval>} {
  %x, %valid = graph.next_batch @d {batch = 4, pad_last} : tensor<4xi1>, tensor<4xi1>
  graph.metric "share", %x, %valid : tensor<4xi1>, tensor<4xi1>
  graph.return
}
