// RUN: graph-opt --split-input-file --verify-diagnostics %s

func.func @clamp_min(%low: tensor<3xf32>, %a: tensor<2x3xf32>) {
  // (C1) expected-error@+1 {{min must be of type 'tensor<f32>' or 'tensor<2x3xf32>', got 'tensor<3xf32>'}}
  %0 = graph.clamp %low, %a, %a : (tensor<3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @clamp_max(%a: tensor<2x3xf32>, %high: tensor<f64>) {
  // (C2) expected-error@+1 {{max must be of type 'tensor<f32>' or 'tensor<2x3xf32>', got 'tensor<f64>'}}
  %0 = graph.clamp %a, %a, %high : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<f64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @clamp_result(%a: tensor<2xf32>) {
  // expected-error@+1 {{failed to verify that all of {operand, result} have same type}}
  %0 = graph.clamp %a, %a, %a : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @floor_of_integers(%a: tensor<4xi32>) {
  // expected-error@+1 {{must be static ranked tensor of bf16, f32 or f64}}
  %0 = graph.floor %a : tensor<4xi32>
  return
}

// -----

func.func @finite_integers(%a: tensor<4xi32>) {
  // expected-error@+1 {{must be static ranked tensor of bf16, f32 or f64}}
  %0 = graph.is_finite %a : tensor<4xi32>
  return
}

// -----

func.func @bits_of_floats(%a: tensor<4xf32>) {
  // expected-error@+1 {{must be static ranked tensor of i1, i8, ui8, i32, ui32 or i64}}
  %0 = graph.xor %a, %a : tensor<4xf32>
  return
}

// -----

func.func @shift_of_truth(%a: tensor<4xi1>) {
  // expected-error@+1 {{must be static ranked tensor of i8, ui8, i32, ui32 or i64}}
  %0 = graph.shift_left %a, %a : tensor<4xi1>
  return
}

// -----

func.func @product_of_unordered(%a: tensor<4x3xf32>) {
  // (C1) expected-error@+1 {{dimensions must be strictly increasing and less than the rank 2 of the operand, got 1, 0}}
  %0 = graph.reduce_prod %a dimensions = [1, 0] : (tensor<4x3xf32>) -> tensor<f32>
  return
}

// -----

func.func @and_over_none(%a: tensor<4x3xi1>) {
  // (C1) expected-error@+1 {{dimensions must be strictly increasing and less than the rank 2 of the operand, got 2}}
  %0 = graph.reduce_and %a dimensions = [2] : (tensor<4x3xi1>) -> tensor<4x3xi1>
  return
}

// -----

func.func @or_twice(%a: tensor<4x3xi32>) {
  // (C1) expected-error@+1 {{dimensions must be strictly increasing and less than the rank 2 of the operand, got 0, 0}}
  %0 = graph.reduce_or %a dimensions = [0, 0] : (tensor<4x3xi32>) -> tensor<3xi32>
  return
}

// -----

func.func @reverse_beyond(%a: tensor<4x3xi1>) {
  // (C1) expected-error@+1 {{dimensions must be strictly increasing and less than the rank 2 of the operand, got [0, 2]}}
  %0 = graph.reverse %a dimensions = [0, 2] : tensor<4x3xi1>
  return
}

// -----

func.func @reverse_negative(%a: tensor<4xf32>) {
  // (C1) expected-error@+1 {{dimensions must be strictly increasing and less than the rank 1 of the operand, got [-1]}}
  %0 = graph.reverse %a dimensions = [-1] : tensor<4xf32>
  return
}

// -----

func.func @cumsum_beyond(%a: tensor<4x3xf32>) {
  // (C1) expected-error@+1 {{dimension 2 is not one of the operand's, which is 'tensor<4x3xf32>'}}
  %0 = graph.cumsum %a dimension = 2 : tensor<4x3xf32>
  return
}

// -----

func.func @gelu_form(%a: tensor<4xf32>) {
  // (C1) expected-error@+1 {{approximate must be "none" or "tanh", got "erf"}}
  %0 = graph.gelu %a {approximate = "erf"} : tensor<4xf32>
  return
}

// -----

func.func @gelu_grad_form(%a: tensor<4xf32>) {
  // (C1) expected-error@+1 {{approximate must be "none" or "tanh", got ""}}
  %0 = graph.gelu_grad %a, %a {approximate = ""} : tensor<4xf32>
  return
}

// -----

func.func @elu_of_infinity(%a: tensor<4xf32>) {
  // (C1) expected-error@+1 {{alpha must be a finite number, not below 0, got INF}}
  %0 = graph.elu %a {alpha = 0x7FF0000000000000 : f64} : tensor<4xf32>
  return
}

// -----

func.func @leaky_below_zero(%a: tensor<4xf32>) {
  // (C1) expected-error@+1 {{alpha must be a finite number, not below 0, got -5.000000e-01}}
  %0 = graph.leaky_relu %a {alpha = -0.5} : tensor<4xf32>
  return
}

// -----

func.func @flat_hard_sigmoid(%a: tensor<4xf32>) {
  // (C1) expected-error@+1 {{alpha must be a finite number above 0 and beta a finite number, got 0.000000e+00 and 5.000000e-01}}
  %0 = graph.hard_sigmoid %a {alpha = 0.0} : tensor<4xf32>
  return
}
