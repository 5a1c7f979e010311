// RUN: graph-opt --split-input-file --verify-diagnostics %s

func.func @no_variable() {
  // (C1) expected-error@+1 {{no variable @w in this module, expected a graph.variable}}
  %0 = graph.read @w : tensor<f32>
  return
}

// -----

func.func @no_variable_to_assign(%v: tensor<f32>) {
  // (C1) expected-error@+1 {{no variable @w in this module, expected a graph.variable}}
  graph.assign @w, %v : tensor<f32>
  return
}

// -----

// expected-note@+1 {{the symbol is this graph.dataset}}
graph.dataset @d : (tensor<4xf32>) = #graph.synthetic<samples = 10>
func.func @not_a_variable() {
  // (C1) expected-error@+1 {{@d is not a variable, expected a graph.variable}}
  %0 = graph.read @d : tensor<f32>
  return
}

// -----

// expected-note@+1 {{the symbol is this func.func}}
func.func @f(%v: tensor<f32>) {
  // (C1) expected-error@+1 {{@f is not a variable, expected a graph.variable}}
  graph.apply_sgd @f, %v {learning_rate = 0.1} : tensor<f32>
  return
}

// -----

// expected-note@+1 {{the variable is declared here}}
graph.variable @w : tensor<3xf32> = #graph.zeros
func.func @read_type() {
  // (C1) expected-error@+1 {{result must be 'tensor<3xf32>' as variable @w is, got 'tensor<4xf32>'}}
  %0 = graph.read @w : tensor<4xf32>
  return
}

// -----

// expected-note@+1 {{the variable is declared here}}
graph.variable @w : tensor<3xf32> = #graph.zeros
func.func @assign_type(%v: tensor<3xf64>) {
  // (C1) expected-error@+1 {{value must be 'tensor<3xf32>' as variable @w is, got 'tensor<3xf64>'}}
  graph.assign @w, %v : tensor<3xf64>
  return
}

// -----

// expected-note@+1 {{the variable is declared here}}
graph.variable @w : tensor<3xf32> = #graph.zeros
graph.variable @v : tensor<4xf32> = #graph.zeros
func.func @slot_type(%g: tensor<4xf32>) {
  // (C1) expected-error@+1 {{gradient must be 'tensor<3xf32>' as variable @w is, got 'tensor<4xf32>'}}
  graph.apply_momentum @v, @w, %g {learning_rate = 0.1, momentum = 0.9} : tensor<4xf32>
  return
}

// -----

graph.variable @w : tensor<3xf32> = #graph.zeros
func.func @slot_is_variable(%g: tensor<3xf32>) {
  // (C1) expected-error@+1 {{variable and slot must be two variables, both are @w}}
  graph.apply_momentum @w, @w, %g {learning_rate = 0.1, momentum = 0.9} : tensor<3xf32>
  return
}

// -----

graph.variable @"a/b" : tensor<f64> = #graph.zeros
func.func @slot_is_variable_too(%g: tensor<f64>) {
  // (C1) expected-error@+1 {{variable and slot must be two variables, both are @"a/b"}}
  graph.apply_momentum @"a/b", @"a/b", %g {learning_rate = 0.1, momentum = 0.9} : tensor<f64>
  return
}

// -----

graph.variable @p : tensor<3xi1> = #graph.zeros
func.func @add_truth(%g: tensor<3xi1>) {
  // (C2) expected-error@+1 {{element type must be i32, i64, f32 or f64, got 'tensor<3xi1>'}}
  graph.assign_add @p, %g : tensor<3xi1>
  return
}

// -----

graph.variable @p : tensor<i1> = #graph.zeros
func.func @add_one_truth(%g: tensor<i1>) {
  // (C2) expected-error@+1 {{element type must be i32, i64, f32 or f64, got 'tensor<i1>'}}
  graph.assign_add @p, %g : tensor<i1>
  return
}

// -----

func.func @no_dataset() {
  // (C1) expected-error@+1 {{no data set @d in this module, expected a graph.dataset}}
  %x = graph.next_batch @d {batch = 4} : tensor<4xf32>
  return
}

// -----

// expected-note@+1 {{the symbol is this graph.variable}}
graph.variable @d : tensor<f32> = #graph.zeros
func.func @not_a_dataset() {
  // (C1) expected-error@+1 {{@d is not a data set, expected a graph.dataset}}
  %x = graph.next_batch @d {batch = 4} : tensor<4xf32>
  return
}

// -----

// expected-note@+1 {{the data set is declared here}}
graph.dataset @d : (tensor<4xf32>, tensor<i32>) = #graph.idx<files = ["x", "y"]>
func.func @components() {
  // (C2) expected-error@+1 {{expected 2 components, got 1 results}}
  %x = graph.next_batch @d {batch = 8} : tensor<8x4xf32>
  return
}

// -----

// expected-note@+1 {{the data set is declared here}}
graph.dataset @d : (tensor<4xf32>, tensor<i32>) = #graph.idx<files = ["x", "y"]>
func.func @components_and_mask() {
  // (C2) expected-error@+1 {{expected 2 components and a mask, got 2 results}}
  %x, %v = graph.next_batch @d {batch = 8, pad_last} : tensor<8x4xf32>, tensor<8xi1>
  return
}

// -----

// expected-note@+1 {{the data set is declared here}}
graph.dataset @d : (tensor<4xf32>, tensor<i32>) = #graph.idx<files = ["x", "y"]>
func.func @batch() {
  // (C2) expected-error@+1 {{result 0 must be 'tensor<8x4xf32>', a batch of 'tensor<4xf32>', got 'tensor<7x4xf32>'}}
  %x, %y = graph.next_batch @d {batch = 8} : tensor<7x4xf32>, tensor<8xi32>
  return
}

// -----

// expected-note@+1 {{the data set is declared here}}
graph.dataset @d : (tensor<4xf32>, tensor<i32>) = #graph.idx<files = ["x", "y"]>
func.func @element() {
  // (C2) expected-error@+1 {{result 1 must be 'tensor<8xi32>', a batch of 'tensor<i32>', got 'tensor<8xi64>'}}
  %x, %y = graph.next_batch @d {batch = 8} : tensor<8x4xf32>, tensor<8xi64>
  return
}

// -----

graph.dataset @d : (tensor<4xf32>) = #graph.idx<files = ["x"]>
func.func @mask() {
  // (C2) expected-error@+1 {{with pad_last the last result must be the mask of real samples, 'tensor<8xi1>'}}
  %x = graph.next_batch @d {batch = 8, pad_last} : tensor<8x4xf32>
  return
}

// -----

graph.dataset @d : (tensor<4xf32>) = #graph.idx<files = ["x"]>
func.func @mask_length() {
  // (C2) expected-error@+1 {{with pad_last the last result must be the mask of real samples, 'tensor<8xi1>'}}
  %x, %v = graph.next_batch @d {batch = 8, pad_last} : tensor<8x4xf32>, tensor<4xi1>
  return
}

// -----

graph.dataset @d : (tensor<4xf32>) = #graph.idx<files = ["x"]>
func.func @samples() {
  // (C5) expected-error@+1 {{takes samples 3 to 10 of each micro-batch, which has 10; offset + batch must be at most stride (assign-samples)}}
  %x = graph.next_batch @d {batch = 8, offset = 3, stride = 10} : tensor<8x4xf32>
  return
}

// -----

graph.dataset @d : (tensor<4xf32>) = #graph.idx<files = ["x"]>
func.func @samples_without_stride() {
  // (C5) expected-error@+1 {{takes samples 1 to 8 of each micro-batch, which has 8; offset + batch must be at most stride (assign-samples)}}
  %x = graph.next_batch @d {batch = 8, offset = 1} : tensor<8x4xf32>
  return
}

// -----

graph.dataset @d : (tensor<4xf32>) = #graph.idx<files = ["x"]>
func.func @micro_batch() {
  // (C3) expected-error@+1 {{micro_batch must be less than micro_batches, got 2 and 2}}
  %x = graph.next_batch @d {batch = 8, micro_batch = 2, micro_batches = 2} : tensor<8x4xf32>
  return
}

// -----

graph.dataset @d : (tensor<4xf32>) = #graph.idx<files = ["x"]>
func.func @micro_batch_of_one() {
  // (C3) expected-error@+1 {{micro_batch must be less than micro_batches, got 1 and 1}}
  %x = graph.next_batch @d {batch = 8, micro_batch = 1} : tensor<8x4xf32>
  return
}

// -----

graph.dataset @d : (tensor<4xf32>) = #graph.idx<files = ["x"]>
func.func @batch_of_none() {
  // expected-error@+1 {{attribute 'batch' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
  %x = graph.next_batch @d {batch = 0} : tensor<8x4xf32>
  return
}

// -----

graph.dataset @d : (tensor<4xf32>, tensor<i32>) = #graph.idx<files = ["x", "y"]>
func.func @classes_of_one() {
  // (C4) expected-error@+1 {{classes must be one number a component, 2, got 1}}
  %x, %y, %v = graph.next_batch @d {batch = 8, pad_last, classes = [10]} : tensor<8x4xf32>, tensor<8xi32>, tensor<8xi1>
  return
}

// -----

graph.dataset @d : (tensor<4xf32>, tensor<i32>) = #graph.idx<files = ["x", "y"]>
func.func @classes_of_floats() {
  // (C4) expected-error@+1 {{classes of component 0, 'tensor<8x4xf32>', must be at least 0, and 0 where it has no integers, got 4}}
  %x, %y = graph.next_batch @d {batch = 8, classes = [4, 0]} : tensor<8x4xf32>, tensor<8xi32>
  return
}

// -----

graph.dataset @d : (tensor<4xf32>, tensor<i32>) = #graph.idx<files = ["x", "y"]>
func.func @classes_below_zero() {
  // (C4) expected-error@+1 {{classes of component 1, 'tensor<8xi32>', must be at least 0, and 0 where it has no integers, got -1}}
  %x, %y = graph.next_batch @d {batch = 8, classes = [0, -1]} : tensor<8x4xf32>, tensor<8xi32>
  return
}

// -----

graph.func @f(%a: tensor<4xf32>) -> () attributes {role = #graph.role<predict>} {
  // (C1) expected-error@+1 {{no variable @w in this module, expected a graph.variable}}
  graph.assign_add @w, %a : tensor<4xf32>
  graph.return
}

// -----

graph.dataset @d : (tensor<f32>) = #graph.synthetic<samples = 10>
graph.func @f() attributes {role = #graph.role<train>} {
  // expected-error@+1 {{attribute 'batch' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive whose maximum value is 4294967295}}
  %x = graph.next_batch @d {batch = 4294967296} : tensor<4294967296xf32>
  graph.return
}

// -----

graph.func @f() attributes {role = #graph.role<train>} {
  // expected-error@+1 {{attribute 'micro_batches' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive whose maximum value is 4294967295}}
  %n = graph.micro_batch_index {micro_batches = 4294967297}
  graph.return
}
