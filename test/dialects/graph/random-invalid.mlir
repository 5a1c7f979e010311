// RUN: graph-opt --split-input-file --verify-diagnostics %s

func.func @uniform_order() {
  // (C1) expected-error@+1 {{low must be below high, and both and their difference finite, got 1.000000e+00 and 1.000000e+00}}
  %0 = graph.random_uniform {low = 1.0} : tensor<4xf32>
  return
}

// -----

func.func @uniform_finite() {
  // (C1) expected-error@+1 {{low must be below high, and both and their difference finite, got -1.700000e+308 and 1.700000e+308}}
  %0 = graph.random_uniform {low = -1.7e308, high = 1.7e308} : tensor<4xf32>
  return
}

// -----

func.func @uniform_nan() {
  // (C1) expected-error@+1 {{low must be below high, and both and their difference finite}}
  %0 = graph.random_uniform {low = 0x7FF8000000000000 : f64} : tensor<4xf32>
  return
}

// -----

func.func @uniform_kind() {
  // (C1) expected-error@+1 {{of 'f32' must have bounds that are floats, got 3 : i64}}
  %0 = graph.random_uniform {high = 3} : tensor<4xf32>
  return
}

// -----

func.func @uniform_integers() {
  // (C2) expected-error@+1 {{of 'i32' must have low and high, both integers}}
  %0 = graph.random_uniform {high = 3} : tensor<4xi32>
  return
}

// -----

func.func @uniform_integers_kind() {
  // (C1) expected-error@+1 {{of 'i64' must have low and high, both integers}}
  %0 = graph.random_uniform {low = 0.0, high = 3.0} : tensor<4xi64>
  return
}

// -----

func.func @uniform_integers_order() {
  // (C1) expected-error@+1 {{low must be below high, and both in the range of 'i32', got 3 and 3}}
  %0 = graph.random_uniform {low = 3, high = 3} : tensor<4xi32>
  return
}

// -----

func.func @uniform_integers_range() {
  // (C2) expected-error@+1 {{low must be below high, and both in the range of 'i32', got 0 and 2147483649}}
  %0 = graph.random_uniform {low = 0, high = 2147483649} : tensor<4xi32>
  return
}

// -----

func.func @uniform_truth() {
  // expected-error@+1 {{result #0 must be static ranked tensor of i8, ui8, i32, ui32, i64, bf16, f32 or f64}}
  %0 = graph.random_uniform : tensor<4xi1>
  return
}

// -----

func.func @uniform_draw() {
  // (C3) expected-error@+1 {{'draw' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  %0 = graph.random_uniform {draw = -1} : tensor<4xf32>
  return
}

// -----

func.func @normal_mean() {
  // (C1) expected-error@+1 {{mean must be finite, got INF}}
  %0 = graph.random_normal {mean = 0x7FF0000000000000 : f64} : tensor<4xf32>
  return
}

// -----

func.func @normal_deviation() {
  // (C2) expected-error@+1 {{stddev must be finite and not below 0, got -1.000000e+00}}
  %0 = graph.random_normal {stddev = -1.0} : tensor<4xf32>
  return
}

// -----

func.func @normal_draw() {
  // (C3) expected-error@+1 {{'draw' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  %0 = graph.random_normal {draw = -1} : tensor<4xf32>
  return
}

// -----

func.func @dropout_one(%x: tensor<4xf32>) {
  // (C1) expected-error@+1 {{rate must be at least 0 and below 1, got 1.000000e+00}}
  %0 = graph.dropout %x {rate = 1.0} : tensor<4xf32>
  return
}

// -----

func.func @dropout_negative(%x: tensor<4xf32>) {
  // (C1) expected-error@+1 {{rate must be at least 0 and below 1, got -1.000000e-01}}
  %0 = graph.dropout %x {rate = -0.1} : tensor<4xf32>
  return
}

// -----

func.func @dropout_rate(%x: tensor<4xf32>) {
  // expected-error@+1 {{requires attribute 'rate'}}
  %0 = graph.dropout %x {seed = 1} : tensor<4xf32>
  return
}

// -----

func.func @dropout_integers(%x: tensor<4xi32>) {
  // expected-error@+1 {{operand #0 must be static ranked tensor of bf16, f32 or f64}}
  %0 = graph.dropout %x {rate = 0.5} : tensor<4xi32>
  return
}

// -----

func.func @dropout_draw(%x: tensor<4xf32>) {
  // (C2) expected-error@+1 {{'draw' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  %0 = graph.dropout %x {rate = 0.5, draw = -1} : tensor<4xf32>
  return
}

// -----

func.func @micro_batch_index() {
  // (C1) expected-error@+1 {{micro_batch must be less than micro_batches, got 2 and 2}}
  %0 = graph.micro_batch_index {micro_batch = 2, micro_batches = 2}
  return
}

// -----

func.func @repeated() {
  %0:3 = graph.repeat 7 -> (tensor<i64>, tensor<i64>, tensor<i64>) {
    // expected-error@+1 {{numbers micro-batches 2 to 8, but a step has 8}}
    %n = graph.micro_batch_index {micro_batch = 2, micro_batches = 8}
    graph.yield %n : tensor<i64>
  }
  return
}

// -----

// What counts operands may say anything before it is verified.
graph.func @segments(%x: tensor<2x3xf32>, %n: tensor<i64>, %k: tensor<2xi64>) -> tensor<2x3xf32> attributes {role = #graph.role<predict>} {
  // expected-error @below {{operand count (3) does not match with the total size (2147483649) specified in attribute 'operandSegmentSizes'}}
  %y = "graph.dropout"(%x, %n, %k) <{operandSegmentSizes = array<i32: 2147483647, 1, 1>, rate = 0.5 : f64, seed = 0 : i64}> : (tensor<2x3xf32>, tensor<i64>, tensor<2xi64>) -> tensor<2x3xf32>
  graph.return %y : tensor<2x3xf32>
}
