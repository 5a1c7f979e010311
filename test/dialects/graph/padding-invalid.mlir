// RUN: graph-opt --split-input-file --verify-diagnostics %s

func.func @value_type(%a: tensor<3xf32>, %z: tensor<f64>) {
  // (C1) expected-error@+1 {{padding value must be a scalar of the operand's element type, got operand 'tensor<3xf32>' and padding value 'tensor<f64>'}}
  %0 = graph.pad %a, %z edge_padding_low = [1] edge_padding_high = [0] interior_padding = [0] : (tensor<3xf32>, tensor<f64>) -> tensor<4xf32>
  return
}

// -----

func.func @value_rank(%a: tensor<3xf32>) {
  // (C1) expected-error@+1 {{padding value must be a scalar of the operand's element type}}
  %0 = graph.pad %a, %a edge_padding_low = [1] edge_padding_high = [0] interior_padding = [0] : (tensor<3xf32>, tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @entries(%a: tensor<2x3xf32>, %z: tensor<f32>) {
  // (C2) expected-error@+1 {{edge_padding_low, edge_padding_high and interior_padding must have one entry for each of the 2 dimensions of the operand, got 2, 1 and 0}}
  %0 = graph.pad %a, %z edge_padding_low = [1, 0] edge_padding_high = [0] interior_padding = [] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3x3xf32>
  return
}

// -----

func.func @interior(%a: tensor<3xf32>, %z: tensor<f32>) {
  // (C3) expected-error@+1 {{padding of dimension 0 must be 0 or more between elements and leave a size from 1 to 2^37, got 4, 0 and -1 between elements for a size of 3}}
  %0 = graph.pad %a, %z edge_padding_low = [4] edge_padding_high = [0] interior_padding = [-1] : (tensor<3xf32>, tensor<f32>) -> tensor<5xf32>
  return
}

// -----

func.func @nothing_left(%a: tensor<3xf32>, %z: tensor<f32>) {
  // (C3) expected-error@+1 {{padding of dimension 0 must be 0 or more between elements and leave a size from 1 to 2^37, got -1, -2 and 0 between elements for a size of 3}}
  %0 = graph.pad %a, %z edge_padding_low = [-1] edge_padding_high = [-2] interior_padding = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<1xf32>
  return
}

// -----

func.func @beyond_all(%a: tensor<3xf32>, %z: tensor<f32>) {
  // (C3) expected-error@+1 {{got 0, 0 and 4611686018427387904 between elements for a size of 3}}
  %0 = graph.pad %a, %z edge_padding_low = [0] edge_padding_high = [0] interior_padding = [4611686018427387904] : (tensor<3xf32>, tensor<f32>) -> tensor<1xf32>
  return
}

// -----

func.func @ends_of_integers(%a: tensor<3xf32>, %z: tensor<f32>) {
  // (C3) expected-error@+1 {{got -9223372036854775808, 9223372036854775807 and 0 between elements for a size of 3}}
  %0 = graph.pad %a, %z edge_padding_low = [-9223372036854775808] edge_padding_high = [9223372036854775807] interior_padding = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

func.func @type(%a: tensor<3xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{result must be of type 'tensor<4xf32>', got 'tensor<5xf32>'}}
  %0 = graph.pad %a, %z edge_padding_low = [1] edge_padding_high = [0] interior_padding = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<5xf32>
  return
}
