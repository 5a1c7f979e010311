// RUN: graph-opt --split-input-file --verify-diagnostics %s

// expected-error@+1 {{random initializers need a variable of f32 or f64, got 'tensor<3xbf16>'}}
graph.variable @w : tensor<3xbf16> = #graph.normal<seed = 1>

// -----

// (C4) expected-error@+1 {{aggregation "mean" needs elements of i32, i64, f32 or f64, got 'tensor<3xbf16>'; expected "first_replica", or a graph.convert before it}}
graph.variable @w : tensor<3xbf16> = #graph.zeros {aggregation = "mean", trainable = false}

// -----

// (C4) expected-error@+1 {{aggregation "sum" needs elements of i32, i64, f32 or f64, got 'tensor<i1>'; expected "first_replica", or a graph.convert before it}}
graph.variable @w : tensor<i1> = #graph.zeros {aggregation = "sum", trainable = false}

// -----

// Sums over replicas are of the types that are computed with as they are.
// expected-error@+1 {{graph.reduction "sum" needs elements of i32, i64, f32 or f64, got 'tensor<3xui8>'}}
graph.func @f(%x: tensor<3xui8>) -> (tensor<3xui8> {graph.name = "y", graph.reduction = "sum"}) attributes {role = #graph.role<predict>} {
  graph.return %x : tensor<3xui8>
}

// -----

graph.func @f(%x: tensor<3xbf16>) -> () attributes {role = #graph.role<predict>} {
  // (C2) expected-error@+1 {{reduction "mean" needs elements of i32, i64, f32 or f64, got 'tensor<3xbf16>'}}
  graph.summary "x", %x {reduction = "mean"} : tensor<3xbf16>
  graph.return
}

// -----

// expected-error@+1 {{component types, each a tensor of i1, i8, ui8, i32, i64, f32 or f64}}
graph.dataset @d : (tensor<3xbf16>) = #graph.synthetic<samples = 10, seed = 1>

// -----

// expected-note@+1 {{the variable is declared here}}
graph.variable @w : tensor<3xbf16> = #graph.zeros
graph.func @f(%x: tensor<bf16>) -> () attributes {role = #graph.role<train>} {
  // expected-error@+1 {{variable @w must be trainable and of f32 or f64}}
  graph.minimize %x {optimizer = #graph.sgd<learning_rate = 0.1>, variables = [@w]} : tensor<bf16>
  graph.return
}

// -----

graph.variable @n : tensor<i8> = #graph.zeros {trainable = false}
graph.func @f(%x: tensor<i8>) -> () attributes {role = #graph.role<train>} {
  // expected-error@+1 {{element type must be i32, i64, f32 or f64, got 'tensor<i8>'}}
  graph.assign_add @n, %x : tensor<i8>
  graph.return
}

// -----

func.func @f(%t: tensor<5x2xbf16>, %i: tensor<3xi8>) {
  // expected-error@+1 {{must be static ranked tensor of i32 or i64}}
  %0 = graph.embedding %t, %i : (tensor<5x2xbf16>, tensor<3xi8>) -> tensor<3x2xbf16>
  return
}

// -----

// Updates compute in the variable's own type.
graph.variable @m : tensor<3xbf16> = #graph.zeros {trainable = false}
graph.func @f(%x: tensor<3xbf16>) -> () attributes {role = #graph.role<train>} {
  // expected-error@+1 {{must be static ranked tensor of f32 or f64}}
  graph.assign_moving_average @m, %x {momentum = 0.9} : tensor<3xbf16>
  graph.return
}

// -----

graph.variable @m : tensor<3xbf16> = #graph.zeros
graph.func @f(%x: tensor<3xbf16>) -> () attributes {role = #graph.role<train>} {
  // expected-error@+1 {{must be static ranked tensor of f32 or f64}}
  graph.apply_sgd @m, %x {learning_rate = 0.1} : tensor<3xbf16>
  graph.return
}
