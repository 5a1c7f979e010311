// RUN: graph-opt --split-input-file --verify-diagnostics %s

func.func @reduce_order(%a: tensor<4x10xf32>) {
  // (C1) expected-error@+1 {{dimensions must be strictly increasing and less than the rank 2 of the operand, got 1, 0}}
  %0 = graph.reduce_sum %a dimensions = [1, 0] : (tensor<4x10xf32>) -> tensor<f32>
  return
}

// -----

func.func @reduce_beyond(%a: tensor<4x10xf32>) {
  // (C1) expected-error@+1 {{dimensions must be strictly increasing and less than the rank 2 of the operand, got 2}}
  %0 = graph.reduce_max %a dimensions = [2] : (tensor<4x10xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @reduce_beyond(%a: tensor<4x10xf32>) {
  // (C1) expected-error@+1 {{dimensions must be strictly increasing and less than the rank 2 of the operand, got 2}}
  %0 = graph.reduce_min %a dimensions = [2] : (tensor<4x10xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @reduce_type(%a: tensor<4x10xf32>) {
  // expected-error@+1 {{result must be of type 'tensor<4xf32>', got 'tensor<10xf32>'}}
  %0 = graph.reduce_mean %a dimensions = [1] : (tensor<4x10xf32>) -> tensor<10xf32>
  return
}

// -----

func.func @argmax_beyond(%a: tensor<4x10xf32>) {
  // (C1) expected-error@+1 {{dimension 2 is not one of the operand's, which is 'tensor<4x10xf32>'}}
  %0 = graph.argmax %a dimension = 2 : (tensor<4x10xf32>) -> tensor<4xi32>
  return
}

// -----

func.func @argmax_scalar(%a: tensor<f32>) {
  // (C1) expected-error@+1 {{dimension 0 is not one of the operand's, which is 'tensor<f32>'}}
  %0 = graph.argmax %a dimension = 0 : (tensor<f32>) -> tensor<i32>
  return
}

// -----

func.func @argmax_float(%a: tensor<4x10xf32>) {
  // expected-error@+1 {{result #0 must be static ranked tensor of i32 or i64}}
  %0 = graph.argmax %a dimension = 1 : (tensor<4x10xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @argmax_shape(%a: tensor<4x10xf32>) {
  // (C2) expected-error@+1 {{result must be of type 'tensor<4xi32>' or 'tensor<4xi64>', got 'tensor<10xi64>'}}
  %0 = graph.argmax %a dimension = 1 : (tensor<4x10xf32>) -> tensor<10xi64>
  return
}

// -----

func.func @argmax_long(%a: tensor<4294967296xi32>) {
  // (C2) expected-error@+1 {{result must be of type 'tensor<i64>', as dimension 0 of 'tensor<4294967296xi32>' has indices that no i32 holds}}
  %0 = graph.argmax %a dimension = 0 : (tensor<4294967296xi32>) -> tensor<i32>
  return
}

// -----

func.func @matmul_rank(%a: tensor<3xf32>, %b: tensor<3x5xf32>) {
  // (C1) expected-error@+1 {{operands must have the same element type and the same rank of at least 2, got 'tensor<3xf32>' and 'tensor<3x5xf32>'}}
  %0 = graph.matmul %a, %b : (tensor<3xf32>, tensor<3x5xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @matmul_element(%a: tensor<4x3xf32>, %b: tensor<3x5xf64>) {
  // (C1) expected-error@+1 {{operands must have the same element type and the same rank of at least 2, got 'tensor<4x3xf32>' and 'tensor<3x5xf64>'}}
  %0 = graph.matmul %a, %b : (tensor<4x3xf32>, tensor<3x5xf64>) -> tensor<4x5xf32>
  return
}

// -----

func.func @matmul_batch(%a: tensor<2x4x3xf32>, %b: tensor<1x3x5xf32>) {
  // (C2) expected-error@+1 {{batch dimensions of the operands differ: 'tensor<2x4x3xf32>' and 'tensor<1x3x5xf32>'}}
  %0 = graph.matmul %a, %b : (tensor<2x4x3xf32>, tensor<1x3x5xf32>) -> tensor<2x4x5xf32>
  return
}

// -----

func.func @matmul_two_batches(%a: tensor<2x6x4x3xf32>, %b: tensor<6x2x3x5xf32>) {
  // (C2) expected-error@+1 {{batch dimensions of the operands differ}}
  %0 = graph.matmul %a, %b : (tensor<2x6x4x3xf32>, tensor<6x2x3x5xf32>) -> tensor<2x6x4x5xf32>
  return
}

// -----

func.func @matmul_contracted(%a: tensor<4x3xf32>, %b: tensor<4x5xf32>) {
  // (C3) expected-error@+1 {{contracted dimensions differ: 3 of 'tensor<4x3xf32>' and 4 of 'tensor<4x5xf32>'}}
  %0 = graph.matmul %a, %b : (tensor<4x3xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @matmul_precision_of_f64(%a: tensor<4x3xf64>, %b: tensor<3x5xf64>) {
  // (C4) expected-error@+1 {{precision tf32 is for operands of f32, got 'tensor<4x3xf64>'; expected ieee}}
  %0 = graph.matmul %a, %b precision = tf32 : (tensor<4x3xf64>, tensor<3x5xf64>) -> tensor<4x5xf64>
  return
}

// -----

func.func @matmul_precision_unknown(%a: tensor<4x3xf32>, %b: tensor<3x5xf32>) {
  // expected-error@+1 {{unknown precision 'tf23'; did you mean 'tf32'?}}
  %0 = graph.matmul %a, %b precision = tf23 : (tensor<4x3xf32>, tensor<3x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @matmul_precision_missing(%a: tensor<4x3xf32>, %b: tensor<3x5xf32>) {
  // expected-error@+1 {{expected precision, known are ieee, tf32, bf16}}
  %0 = graph.matmul %a, %b precision = : (tensor<4x3xf32>, tensor<3x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @matmul_contracted_transposed(%a: tensor<4x3xf32>, %b: tensor<3x5xf32>) {
  // (C3) expected-error@+1 {{contracted dimensions differ: 4 of 'tensor<4x3xf32>' (transposed) and 5 of 'tensor<3x5xf32>' (transposed)}}
  %0 = graph.matmul %a, %b {transpose_a, transpose_b} : (tensor<4x3xf32>, tensor<3x5xf32>) -> tensor<3x3xf32>
  return
}

// -----

func.func @bias_length(%x: tensor<4x3xf32>, %b: tensor<4xf32>) {
  // (C1) expected-error@+1 {{bias must have one dimension, as long as the input's last, and the input's element type; got input 'tensor<4x3xf32>' and bias 'tensor<4xf32>'}}
  %0 = graph.bias_add %x, %b : tensor<4x3xf32>, tensor<4xf32>
  return
}

// -----

func.func @bias_rank(%x: tensor<4x3xf32>, %b: tensor<1x3xf32>) {
  // (C1) expected-error@+1 {{bias must have one dimension}}
  %0 = graph.bias_add %x, %b : tensor<4x3xf32>, tensor<1x3xf32>
  return
}

// -----

func.func @softmax_scalar(%x: tensor<f32>) {
  // (C1) expected-error@+1 {{operand must have at least one dimension, got 'tensor<f32>'}}
  %0 = graph.softmax %x : tensor<f32>
  return
}

// -----

func.func @log_softmax_scalar(%x: tensor<f64>) {
  // (C1) expected-error@+1 {{operand must have at least one dimension, got 'tensor<f64>'}}
  %0 = graph.log_softmax %x : tensor<f64>
  return
}

// -----

func.func @labels(%x: tensor<4x10xf32>, %y: tensor<10xi32>) {
  // (C1) expected-error@+1 {{labels must have the shape of the first operand (two dimensions or more) without its last dimension, got 'tensor<4x10xf32>' and 'tensor<10xi32>'}}
  %0 = graph.softmax_cross_entropy %x, %y : (tensor<4x10xf32>, tensor<10xi32>) -> tensor<f32>
  return
}

// -----

func.func @labels_of_one(%x: tensor<10xf32>, %y: tensor<i32>) {
  // (C1) expected-error@+1 {{labels must have the shape of the first operand (two dimensions or more)}}
  %0 = graph.nll_loss %x, %y : (tensor<10xf32>, tensor<i32>) -> tensor<f32>
  return
}

// -----

func.func @float_labels(%x: tensor<4x10xf32>, %y: tensor<4xf32>) {
  // expected-error@+1 {{operand #1 must be static ranked tensor of i32 or i64 with at most 16 dimensions, none of them empty, and 2^37 elements, but got 'tensor<4xf32>'}}
  %0 = graph.nll_loss %x, %y : (tensor<4x10xf32>, tensor<4xf32>) -> tensor<f32>
  return
}

// -----

func.func @upstream(%x: tensor<4x10xf32>, %y: tensor<4xi32>, %u: tensor<f64>) {
  // (C2) expected-error@+1 {{upstream must be 'tensor<f32>', got 'tensor<f64>'}}
  %0 = graph.softmax_cross_entropy_grad %x, %y, %u : (tensor<4x10xf32>, tensor<4xi32>, tensor<f64>) -> tensor<4x10xf32>
  return
}

// -----

func.func @upstream_shape(%x: tensor<4x10xf32>, %y: tensor<4xi32>, %u: tensor<4xf32>) {
  // (C2) expected-error@+1 {{upstream must be 'tensor<f32>', got 'tensor<4xf32>'}}
  %0 = graph.softmax_cross_entropy_grad %x, %y, %u : (tensor<4x10xf32>, tensor<4xi32>, tensor<4xf32>) -> tensor<4x10xf32>
  return
}

// -----

graph.func @f(%x: tensor<4x10xf32>, %y: tensor<5xi32>, %u: tensor<f32>) -> () attributes {role = #graph.role<predict>} {
  // (C1) expected-error@+1 {{labels must have the shape of the first operand (two dimensions or more) without its last dimension, got 'tensor<4x10xf32>' and 'tensor<5xi32>'}}
  %g = graph.softmax_cross_entropy_grad %x, %y, %u : (tensor<4x10xf32>, tensor<5xi32>, tensor<f32>) -> tensor<4x10xf32>
  graph.return
}
