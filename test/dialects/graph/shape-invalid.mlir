// RUN: graph-opt --split-input-file --verify-diagnostics %s

func.func @iota_scalar() {
  // expected-error@+1 {{dimension 0 is not one of the result's, which is 'tensor<i32>'}}
  %0 = graph.iota dimension = 0 : tensor<i32>
  return
}

// -----

func.func @iota_beyond() {
  // expected-error@+1 {{dimension 2 is not one of the result's, which is 'tensor<3x4xi32>'}}
  %0 = graph.iota dimension = 2 : tensor<3x4xi32>
  return
}

// -----

func.func @reshape_count(%a: tensor<2x6xf32>) {
  // expected-error@+1 {{operand and result must have the same number of elements, got 12 and 10}}
  %0 = graph.reshape %a : (tensor<2x6xf32>) -> tensor<10xf32>
  return
}

// -----

func.func @reshape_to_scalar(%a: tensor<2xf32>) {
  // expected-error@+1 {{operand and result must have the same number of elements, got 2 and 1}}
  %0 = graph.reshape %a : (tensor<2xf32>) -> tensor<f32>
  return
}

// -----

func.func @reshape_element(%a: tensor<4xf32>) {
  // expected-error@+1 {{operand and result must have the same element type, got 'tensor<4xf32>' and 'tensor<2x2xf64>'}}
  %0 = graph.reshape %a : (tensor<4xf32>) -> tensor<2x2xf64>
  return
}

// -----

func.func @transpose_twice(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{permutation must name each of the 2 dimensions of the operand once, got 1, 1}}
  %0 = graph.transpose %a permutation = [1, 1] : (tensor<2x3xf32>) -> tensor<3x3xf32>
  return
}

// -----

func.func @transpose_short(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{permutation must name each of the 2 dimensions of the operand once, got 0}}
  %0 = graph.transpose %a permutation = [0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @transpose_type(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{result must be of type 'tensor<3x2xf32>', got 'tensor<2x3xf32>'}}
  %0 = graph.transpose %a permutation = [1, 0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @broadcast_entries(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{broadcast_dimensions must have one entry for each of the 2 dimensions of the operand, got 1}}
  %0 = graph.broadcast_in_dim %a broadcast_dimensions = [0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @broadcast_no_entries(%a: tensor<2xf32>) {
  // expected-error@+1 {{broadcast_dimensions must have one entry for each of the 1 dimensions of the operand, got 0}}
  %0 = graph.broadcast_in_dim %a broadcast_dimensions = [] : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @broadcast_order(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{broadcast_dimensions must be strictly increasing and less than the rank 2 of the result, got [1, 0]}}
  %0 = graph.broadcast_in_dim %a broadcast_dimensions = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @broadcast_beyond(%a: tensor<2xf32>) {
  // expected-error@+1 {{broadcast_dimensions must be strictly increasing and less than the rank 2 of the result, got [2]}}
  %0 = graph.broadcast_in_dim %a broadcast_dimensions = [2] : (tensor<2xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @broadcast_size(%a: tensor<2xf32>) {
  // expected-error@+1 {{dimension 0 of the operand must be 1 or 3 as dimension 1 of the result is, got 2}}
  %0 = graph.broadcast_in_dim %a broadcast_dimensions = [1] : (tensor<2xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @broadcast_size_second(%a: tensor<1x5xf32>) {
  // expected-error@+1 {{dimension 1 of the operand must be 1 or 3 as dimension 1 of the result is, got 5}}
  %0 = graph.broadcast_in_dim %a broadcast_dimensions = [0, 1] : (tensor<1x5xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @broadcast_element(%a: tensor<2xf32>) {
  // expected-error@+1 {{operand and result must have the same element type}}
  %0 = graph.broadcast_in_dim %a broadcast_dimensions = [0] : (tensor<2xf32>) -> tensor<2xi32>
  return
}

// -----

func.func @one_hot_rank(%i: tensor<4xi32>) {
  // expected-error@+1 {{result must have the shape of the indices and one more dimension, got 'tensor<4xi32>' and 'tensor<4xf32>'}}
  %0 = graph.one_hot %i : (tensor<4xi32>) -> tensor<4xf32>
  return
}

// -----

func.func @one_hot_shape(%i: tensor<4xi32>) {
  // expected-error@+1 {{result must have the shape of the indices and one more dimension, got 'tensor<4xi32>' and 'tensor<5x10xf32>'}}
  %0 = graph.one_hot %i : (tensor<4xi32>) -> tensor<5x10xf32>
  return
}
