// RUN: graph-opt --split-input-file --verify-diagnostics %s

func.func @iota_scalar() {
  // (C1) expected-error@+1 {{dimension 0 is not one of the result's, which is 'tensor<i32>'}}
  %0 = graph.iota dimension = 0 : tensor<i32>
  return
}

// -----

func.func @iota_beyond() {
  // (C1) expected-error@+1 {{dimension 2 is not one of the result's, which is 'tensor<3x4xi32>'}}
  %0 = graph.iota dimension = 2 : tensor<3x4xi32>
  return
}

// -----

func.func @reshape_count(%a: tensor<2x6xf32>) {
  // (C2) expected-error@+1 {{operand and result must have the same number of elements, got 12 and 10}}
  %0 = graph.reshape %a : (tensor<2x6xf32>) -> tensor<10xf32>
  return
}

// -----

func.func @reshape_to_scalar(%a: tensor<2xf32>) {
  // (C2) expected-error@+1 {{operand and result must have the same number of elements, got 2 and 1}}
  %0 = graph.reshape %a : (tensor<2xf32>) -> tensor<f32>
  return
}

// -----

func.func @reshape_element(%a: tensor<4xf32>) {
  // (C1) expected-error@+1 {{operand and result must have the same element type, got 'tensor<4xf32>' and 'tensor<2x2xf64>'}}
  %0 = graph.reshape %a : (tensor<4xf32>) -> tensor<2x2xf64>
  return
}

// -----

func.func @transpose_twice(%a: tensor<2x3xf32>) {
  // (C1) expected-error@+1 {{permutation must name each of the 2 dimensions of the operand once, got 1, 1}}
  %0 = graph.transpose %a permutation = [1, 1] : (tensor<2x3xf32>) -> tensor<3x3xf32>
  return
}

// -----

func.func @transpose_short(%a: tensor<2x3xf32>) {
  // (C1) expected-error@+1 {{permutation must name each of the 2 dimensions of the operand once, got 0}}
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
  // (C2) expected-error@+1 {{broadcast_dimensions must have one entry for each of the 2 dimensions of the operand, got 1}}
  %0 = graph.broadcast_in_dim %a broadcast_dimensions = [0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @broadcast_no_entries(%a: tensor<2xf32>) {
  // (C2) expected-error@+1 {{broadcast_dimensions must have one entry for each of the 1 dimensions of the operand, got 0}}
  %0 = graph.broadcast_in_dim %a broadcast_dimensions = [] : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @broadcast_order(%a: tensor<2x3xf32>) {
  // (C2) expected-error@+1 {{broadcast_dimensions must be strictly increasing and less than the rank 2 of the result, got [1, 0]}}
  %0 = graph.broadcast_in_dim %a broadcast_dimensions = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @broadcast_beyond(%a: tensor<2xf32>) {
  // (C2) expected-error@+1 {{broadcast_dimensions must be strictly increasing and less than the rank 2 of the result, got [2]}}
  %0 = graph.broadcast_in_dim %a broadcast_dimensions = [2] : (tensor<2xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @broadcast_size(%a: tensor<2xf32>) {
  // (C3) expected-error@+1 {{dimension 0 of the operand must be 1 or 3 as dimension 1 of the result is, got 2}}
  %0 = graph.broadcast_in_dim %a broadcast_dimensions = [1] : (tensor<2xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @broadcast_size_second(%a: tensor<1x5xf32>) {
  // (C3) expected-error@+1 {{dimension 1 of the operand must be 1 or 3 as dimension 1 of the result is, got 5}}
  %0 = graph.broadcast_in_dim %a broadcast_dimensions = [0, 1] : (tensor<1x5xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @broadcast_element(%a: tensor<2xf32>) {
  // (C1) expected-error@+1 {{operand and result must have the same element type}}
  %0 = graph.broadcast_in_dim %a broadcast_dimensions = [0] : (tensor<2xf32>) -> tensor<2xi32>
  return
}

// -----

func.func @one_hot_rank(%i: tensor<4xi32>) {
  // (C1) expected-error@+1 {{result must have the shape of the indices and one more dimension, got 'tensor<4xi32>' and 'tensor<4xf32>'}}
  %0 = graph.one_hot %i : (tensor<4xi32>) -> tensor<4xf32>
  return
}

// -----

func.func @one_hot_shape(%i: tensor<4xi32>) {
  // (C1) expected-error@+1 {{result must have the shape of the indices and one more dimension, got 'tensor<4xi32>' and 'tensor<5x10xf32>'}}
  %0 = graph.one_hot %i : (tensor<4xi32>) -> tensor<5x10xf32>
  return
}

// -----

func.func @slice_entries(%a: tensor<4x6xf32>) {
  // (C1) expected-error@+1 {{start_indices, limit_indices and strides must have one entry for each of the 2 dimensions of the operand, got 1, 2 and 2}}
  %0 = graph.slice %a start_indices = [0] limit_indices = [4, 6] strides = [1, 1] : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @slice_no_strides(%a: tensor<4x6xf32>) {
  // (C1) expected-error@+1 {{must have one entry for each of the 2 dimensions of the operand, got 2, 2 and 0}}
  %0 = graph.slice %a start_indices = [0, 0] limit_indices = [4, 6] strides = [] : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @slice_before(%a: tensor<4x6xf32>) {
  // (C2) expected-error@+1 {{slice of dimension 1 must begin at 0 or later, before it ends, and end at 6 or earlier, got -1 to 6}}
  %0 = graph.slice %a start_indices = [0, -1] limit_indices = [4, 6] strides = [1, 1] : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @slice_beyond(%a: tensor<4x6xf32>) {
  // (C2) expected-error@+1 {{slice of dimension 0 must begin at 0 or later, before it ends, and end at 4 or earlier, got 1 to 5}}
  %0 = graph.slice %a start_indices = [1, 0] limit_indices = [5, 6] strides = [1, 1] : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @slice_empty(%a: tensor<4x6xf32>) {
  // (C2) expected-error@+1 {{slice of dimension 0 must begin at 0 or later, before it ends, and end at 4 or earlier, got 2 to 2}}
  %0 = graph.slice %a start_indices = [2, 0] limit_indices = [2, 6] strides = [1, 1] : (tensor<4x6xf32>) -> tensor<1x6xf32>
  return
}

// -----

func.func @slice_stride(%a: tensor<4x6xf32>) {
  // (C2) expected-error@+1 {{stride of dimension 1 must be 1 or more, got 0}}
  %0 = graph.slice %a start_indices = [0, 0] limit_indices = [4, 6] strides = [1, 0] : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @slice_type(%a: tensor<4x6xf32>) {
  // expected-error@+1 {{result must be of type 'tensor<4x3xf32>', got 'tensor<4x2xf32>'}}
  %0 = graph.slice %a start_indices = [0, 0] limit_indices = [4, 6] strides = [1, 2] : (tensor<4x6xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @concatenate_nothing(%a: tensor<4x6xf32>, %b: tensor<2x6xf32>, %c: tensor<6xf32>, %d: tensor<2x6xf64>) {
  // (C1) expected-error@+1 {{expected at least one operand}}
  %0 = graph.concatenate dimension = 0 : () -> tensor<4xf32>
  return
}

// -----

func.func @concatenate_dimension(%a: tensor<4x6xf32>, %b: tensor<2x6xf32>, %c: tensor<6xf32>, %d: tensor<2x6xf64>) {
  // (C2) expected-error@+1 {{dimension 2 is not one of the operands', the first of which is 'tensor<4x6xf32>'}}
  %0 = graph.concatenate %a, %b dimension = 2 : (tensor<4x6xf32>, tensor<2x6xf32>) -> tensor<6x6xf32>
  return
}

// -----

func.func @concatenate_scalars(%a: tensor<f32>) {
  // (C2) expected-error@+1 {{dimension 0 is not one of the operands', the first of which is 'tensor<f32>'}}
  %0 = graph.concatenate %a, %a dimension = 0 : (tensor<f32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

func.func @concatenate_sizes(%a: tensor<4x6xf32>, %b: tensor<2x6xf32>, %c: tensor<6xf32>, %d: tensor<2x6xf64>) {
  // (C2) expected-error@+1 {{operands must have the same element type and, but for dimension 1, the same sizes, got 'tensor<4x6xf32>' and 'tensor<2x6xf32>'}}
  %0 = graph.concatenate %a, %b dimension = 1 : (tensor<4x6xf32>, tensor<2x6xf32>) -> tensor<4x12xf32>
  return
}

// -----

func.func @concatenate_rank(%a: tensor<4x6xf32>, %b: tensor<2x6xf32>, %c: tensor<6xf32>, %d: tensor<2x6xf64>) {
  // (C1) expected-error@+1 {{the same sizes, got 'tensor<4x6xf32>' and 'tensor<6xf32>'}}
  %0 = graph.concatenate %a, %c dimension = 0 : (tensor<4x6xf32>, tensor<6xf32>) -> tensor<5x6xf32>
  return
}

// -----

func.func @concatenate_element(%a: tensor<4x6xf32>, %b: tensor<2x6xf32>, %c: tensor<6xf32>, %d: tensor<2x6xf64>) {
  // (C1) expected-error@+1 {{the same sizes, got 'tensor<4x6xf32>' and 'tensor<2x6xf64>'}}
  %0 = graph.concatenate %a, %d dimension = 0 : (tensor<4x6xf32>, tensor<2x6xf64>) -> tensor<6x6xf32>
  return
}

// -----

func.func @concatenate_type(%a: tensor<4x6xf32>, %b: tensor<2x6xf32>, %c: tensor<6xf32>, %d: tensor<2x6xf64>) {
  // expected-error@+1 {{result must be of type 'tensor<6x6xf32>', got 'tensor<7x6xf32>'}}
  %0 = graph.concatenate %a, %b dimension = 0 : (tensor<4x6xf32>, tensor<2x6xf32>) -> tensor<7x6xf32>
  return
}

// -----

graph.func @f(%a: tensor<4x10xf32>) -> () attributes {role = #graph.role<predict>} {
  // (C1) expected-error@+1 {{dimensions must be strictly increasing and less than the rank 2 of the operand, got 2}}
  %b = graph.reduce_mean %a dimensions = [2] : (tensor<4x10xf32>) -> tensor<4xf32>
  graph.return
}

// -----

graph.func @f() attributes {role = #graph.role<predict>} {
  // expected-error@+1 {{attribute 'value' failed to satisfy constraint: constant vector/tensor attribute whose elements are written as dense<…>}}
  %c = graph.constant sparse<[[1]], [1.0]> : tensor<4xf32>
  graph.return
}
