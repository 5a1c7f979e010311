// RUN: graph-opt --split-input-file --verify-diagnostics %s

// (C1) expected-error@+1 {{initializer of type 'tensor<2xf32>' does not fit a variable of type 'tensor<3xf32>', expected that type or a scalar of its element type}}
graph.variable @w : tensor<3xf32> = #graph.value<dense<[1.0, 2.0]> : tensor<2xf32>>

// -----

// (C1) expected-error@+1 {{initializer of type 'tensor<i32>' does not fit a variable of type 'tensor<3xf32>'}}
graph.variable @w : tensor<3xf32> = #graph.value<dense<1> : tensor<i32>>

// -----

// (C1) expected-error@+1 {{random initializers need a variable of f32 or f64, got 'tensor<3xi32>'}}
graph.variable @w : tensor<3xi32> = #graph.uniform

// -----

// (C1) expected-error@+1 {{random initializers need a variable of f32 or f64, got 'tensor<3x4xi64>'}}
graph.variable @w : tensor<3x4xi64> = #graph.glorot_uniform<seed = 1>

// -----

// (C1) expected-error@+1 {{glorot_uniform needs at least two dimensions, got 'tensor<3xf32>'}}
graph.variable @w : tensor<3xf32> = #graph.glorot_uniform<seed = 1>

// -----

// (C1) expected-error@+1 {{glorot_uniform needs at least two dimensions, got 'tensor<f64>'}}
graph.variable @w : tensor<f64> = #graph.glorot_uniform

// -----

// expected-error@+1 {{expected low <= high, got 1}}
graph.variable @w : tensor<3xf32> = #graph.uniform<low = 1.0, high = 0.0>

// -----

// expected-error@+1 {{expected low <= high, got 2}}
graph.variable @w : tensor<3xf32> = #graph.uniform<low = 2.0>

// -----

// expected-error@+1 {{expected stddev >= 0, got -1}}
graph.variable @w : tensor<3xf32> = #graph.normal<stddev = -1.0>

// -----

// expected-error@+1 {{expected stddev >= 0, got -5}}
graph.variable @w : tensor<3xf32> = #graph.normal<mean = 1.0, stddev = -0.5>

// -----

// expected-error@+1 {{attribute 'type' failed to satisfy constraint: type attribute of static ranked tensor of i1, i8, ui8, i32, ui32, i64, bf16, f32 or f64}}
graph.variable @w : tensor<?xf32> = #graph.zeros

// -----

// expected-error@+1 {{expected #graph.zeros, #graph.value, #graph.uniform, #graph.normal, #graph.glorot_uniform or #graph.uninitialized, got #graph.sgd<learning_rate = 0.1>}}
graph.variable @w : tensor<3xf32> = #graph.sgd<learning_rate = 0.1>

// -----

// expected-error@+1 {{expected #graph.zeros, #graph.value, #graph.uniform, #graph.normal, #graph.glorot_uniform or #graph.uninitialized, got dense<1.000000e+00>}}
graph.variable @w : tensor<3xf32> = dense<1.0> : tensor<3xf32>

// -----

// expected-error@+1 {{expected #graph.idx, #graph.npy, #graph.csv, #graph.text, #graph.cifar10 or #graph.synthetic, got #graph.zeros}}
graph.dataset @d : (tensor<4xf32>) = #graph.zeros

// -----

// (C2) expected-error@+1 {{graph.slot_of must name another variable, got @w}}
graph.variable @w : tensor<3xf32> = #graph.zeros {graph.slot_of = @w}

// -----

// (C2) expected-error@+1 {{graph.slot_of must name another variable, got @v}}
graph.variable @w : tensor<3xf32> = #graph.zeros {graph.slot_of = @v}

// -----

// expected-error@+1 {{aggregation must be "mean", "sum" or "first_replica", got "max"}}
graph.variable @w : tensor<3xf32> = #graph.zeros {aggregation = "max"}

// -----

// expected-error@+1 {{aggregation must be "mean", "sum" or "first_replica", got ""}}
graph.variable @w : tensor<3xf32> = #graph.zeros {aggregation = ""}

// -----

// expected-error@+1 {{expected 1 to 64 components, got 0}}
graph.dataset @d : () = #graph.idx<files = []>

// -----

// expected-error@+1 {{expected 1 to 64 components, got 0}}
graph.dataset @d : () = #graph.synthetic<samples = 10>

// -----

// (C1) expected-error@+1 {{expected one file a component, got 1 files and 2 components}}
graph.dataset @d : (tensor<4xf32>, tensor<i32>) = #graph.idx<files = ["x"]>

// -----

// (C1) expected-error@+1 {{expected one file a component, got 2 files and 1 components}}
graph.dataset @d : (tensor<4xf32>) = #graph.idx<files = ["x", "y"]>

// -----

// expected-error@+1 {{expected file names in quotes, got 4 : i64}}
graph.dataset @d : (tensor<4xf32>) = #graph.idx<files = [4]>

// -----

// expected-error@+1 {{expected file names in quotes, got @x}}
graph.dataset @d : (tensor<4xf32>, tensor<i32>) = #graph.idx<files = ["x", @x]>

// -----

// expected-error@+1 {{expected 1 to 2^46 samples, got 0}}
graph.dataset @d : (tensor<4xf32>) = #graph.synthetic<samples = 0>

// -----

// expected-error@+1 {{expected 1 to 2^46 samples, got -3}}
graph.dataset @d : (tensor<4xf32>) = #graph.synthetic<samples = -3>

// -----

// (C1) expected-error@+1 {{expected one limit a component, got 1 limits and 2 components}}
graph.dataset @d : (tensor<4xf32>, tensor<i32>) = #graph.synthetic<samples = 10, limits = [0]>

// -----

// (C1) expected-error@+1 {{expected one limit a component, got 2 limits and 1 components}}
graph.dataset @d : (tensor<4xf32>) = #graph.synthetic<samples = 10, limits = [0, 1]>

// -----

// (C1) expected-error@+1 {{component 0 of type 'tensor<i32>' needs a limit of at least 1}}
graph.dataset @d : (tensor<i32>) = #graph.synthetic<samples = 10>

// -----

// (C1) expected-error@+1 {{component 0 of type 'tensor<4xf32>' needs a limit of 0}}
graph.dataset @d : (tensor<4xf32>) = #graph.synthetic<samples = 10, limits = [3]>

// -----

// expected-error@+1 {{expected integer limits, got "a"}}
graph.dataset @d : (tensor<4xf32>) = #graph.synthetic<samples = 10, limits = ["a"]>

// -----

// expected-error@+1 {{expected integer limits, got 5.000000e-01}}
graph.dataset @d : (tensor<i32>) = #graph.synthetic<samples = 10, limits = [0.5]>

// -----

// expected-error@+1 {{arguments and results must be static ranked tensors of i1, i8, ui8, i32, ui32, i64, bf16, f32 or f64 with at most 16 dimensions, none of them empty, and 2^37 elements, got 'f32'}}
graph.func @f(%x: f32) attributes {role = #graph.role<predict>} {
  graph.return
}

// -----

// expected-error@+1 {{arguments and results must be static ranked tensors of i1, i8, ui8, i32, ui32, i64, bf16, f32 or f64 with at most 16 dimensions, none of them empty, and 2^37 elements, got 'tensor<?xf32>'}}
graph.func @f(%x: tensor<?xf32>) attributes {role = #graph.role<predict>} {
  graph.return
}

// -----

// (C4) expected-error@+1 {{requires attribute 'role'; only a private function, for graph.call, has none}}
graph.func @f() {
  graph.return
}

// -----

// (C1) expected-error@+1 {{body must be one block, got 0}}
graph.func @f() attributes {role = #graph.role<predict>}

// -----

// expected-note@+1 {{the function is declared here}}
graph.func @f(%x: tensor<f32>) -> tensor<f32> attributes {role = #graph.role<predict>} {
  // (C1) expected-error@+1 {{operands must have the function's result types ('tensor<f32>'), got ()}}
  graph.return
}

// -----

// expected-note@+1 {{the function is declared here}}
graph.func @f(%x: tensor<f32>) -> tensor<f64> attributes {role = #graph.role<predict>} {
  // (C1) expected-error@+1 {{operands must have the function's result types ('tensor<f64>'), got ('tensor<f32>')}}
  graph.return %x : tensor<f32>
}

// -----

func.func @outside(%x: tensor<f32>) {
  // expected-error@+1 {{expects parent op 'graph.func'}}
  graph.return %x : tensor<f32>
}

// -----

func.func @yield(%x: tensor<f32>) {
  %0 = graph.scope -> (tensor<f64>) {
    // (C1) expected-error@+1 {{operands must have the scope's result types ('tensor<f64>'), got ('tensor<f32>')}}
    graph.yield %x : tensor<f32>
  }
  return
}

// -----

func.func @yield_nothing() {
  // (graph.scope C1) expected-error@+1 {{operands must have the scope's result types ('tensor<f64>'), got ()}}
  %0 = graph.scope -> (tensor<f64>) {
  }
  return
}

// -----

// expected-note@+1 {{the function is declared here}}
graph.func @f(%x: tensor<f32>) attributes {role = #graph.role<eval>} {
  // (graph.func C2) expected-error@+1 {{stands in a function of role eval, expected role train}}
  graph.minimize %x {optimizer = #graph.sgd<learning_rate = 0.1>} : tensor<f32>
  graph.return
}

// -----

// expected-note@+1 {{the function is declared here}}
graph.func @f(%x: tensor<f32>) attributes {role = #graph.role<predict>} {
  graph.scope {
    // (graph.func C2) expected-error@+1 {{stands in a function of role predict, expected role train}}
    graph.minimize %x {optimizer = #graph.sgd<learning_rate = 0.1>} : tensor<f32>
  }
  graph.return
}

// -----

// expected-error@+1 {{'arg_attrs'}}
"graph.func"() <{sym_name = "f", function_type = (tensor<2xf32>) -> tensor<2xf32>, role = #graph.role<predict>, arg_attrs = [1 : i32]}> ({
^bb0(%a: tensor<2xf32>):
  "graph.return"(%a) : (tensor<2xf32>) -> ()
}) : () -> ()

// -----

// expected-error@+1 {{arg_attrs}}
graph.func @f(%a: tensor<2xf32>) -> tensor<2xf32> attributes {role = #graph.role<predict>, arg_attrs = [1 : i32]} {
  graph.return %a : tensor<2xf32>
}

// -----

graph.variable @w : tensor<3xf32> = #graph.zeros
// expected-note@+1 {{that variable is declared here}}
graph.variable @m : tensor<3xf32> = #graph.zeros {graph.slot_of = @w, trainable = false}
// (C2) expected-error@+1 {{is a slot of @m, which is a slot itself}}
graph.variable @s : tensor<3xf32> = #graph.zeros {graph.slot_of = @m, trainable = false}

// -----

// (C5) expected-error@+1 {{begins anew with each training, by its own value, expected another initializer than #graph.uninitialized}}
graph.variable @global_step : tensor<i64> = #graph.uninitialized {trainable = false}

// -----

graph.variable @w : tensor<3xf32> = #graph.uninitialized
graph.variable @"w/ExponentialMovingAverage" : tensor<3xf32> = #graph.uninitialized {graph.slot_of = @w, trainable = false}
// (C5) expected-error@+1 {{begins anew with each training, by its own value, expected another initializer than #graph.uninitialized}}
graph.variable @"w/Momentum" : tensor<3xf32> = #graph.uninitialized {graph.slot_of = @w, trainable = false}
