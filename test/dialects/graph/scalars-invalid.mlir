// RUN: graph-opt --split-input-file --verify-diagnostics %s

func.func @f(%x: tensor<4xf32>) { // expected-note {{prior use here}}
  // expected-error@+1 {{use of value '%x' expects different type than prior uses: 'tensor<3xf32>' vs 'tensor<4xf32>'}}
  %0 = graph.add %x, 1.0 : tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %s: tensor<f64>) { // expected-note {{prior use here}}
  // A scalar of another type is converted by nobody.
  // expected-error@+1 {{use of value '%s' expects different type than prior uses}}
  %0 = graph.add %x, %s : tensor<4xf32>
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{custom op 'graph.add' is a number where no operand is a value that is defined before; expected a graph.constant}}
  %0 = graph.add 1.0, 2.0 : tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xi8>) {
  // expected-error@+1 {{custom op 'graph.add' 128 is no number of 'i8'}}
  %0 = graph.add %x, 128 : tensor<4xi8>
  return
}

// -----

func.func @f(%x: tensor<4xi32>) {
  // expected-error@+1 {{custom op 'graph.add' 0x10 is no number; expected one in decimal, as 16, -0.5 or 1.0e-3}}
  %0 = graph.add %x, 0x10 : tensor<4xi32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{custom op 'graph.add' has a number of more than 1000 characters}}
  %0 = graph.add %x, 1.0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000e10 : tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xui32>) {
  // expected-error@+1 {{custom op 'graph.maximum' -1 is no number of 'ui32'}}
  %0 = graph.maximum %x, -1 : tensor<4xui32>
  return
}

// -----

func.func @f(%x: tensor<4xi64>) {
  // expected-error@+1 {{custom op 'graph.add' 0.5 is no number of 'i64'}}
  %0 = graph.add %x, 0.5 : tensor<4xi64>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{custom op 'graph.multiply' 1.0e39 is no number of 'f32'}}
  %0 = graph.multiply %x, 1.0e39 : tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<?xf32>) {
  // expected-error@+1 {{expected a static ranked tensor of at most 2^37 elements, got 'tensor<?xf32>'}}
  %0 = graph.multiply %x, 2.0 : tensor<?xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected a value or a number}}
  %0 = graph.multiply %x, -%x : tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // What is used before it is defined has no place for what stands beside it.
  // expected-error@+1 {{custom op 'graph.add' is a number where no operand is a value that is defined before}}
  %0 = graph.add %1, 1.0 : tensor<4xf32>
  %1 = graph.tanh %x : tensor<4xf32>
  return
}
