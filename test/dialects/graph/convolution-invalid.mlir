// RUN: graph-opt --split-input-file --verify-diagnostics %s

func.func @types(%x: tensor<1x2x5x5xf32>, %w: tensor<3x2x3x3xf64>) {
  // (C1) expected-error@+1 {{input and filter must have the same element type and the same rank of at least 3, got 'tensor<1x2x5x5xf32>' and 'tensor<3x2x3x3xf64>'}}
  %0 = graph.convolution %x, %w : (tensor<1x2x5x5xf32>, tensor<3x2x3x3xf64>) -> tensor<1x3x3x3xf32>
  return
}

// -----

func.func @no_space(%x: tensor<1x2xf32>, %w: tensor<3x2xf32>) {
  // (C1) expected-error@+1 {{the same rank of at least 3, got 'tensor<1x2xf32>' and 'tensor<3x2xf32>'}}
  %0 = graph.convolution %x, %w : (tensor<1x2xf32>, tensor<3x2xf32>) -> tensor<1x3xf32>
  return
}

// -----

func.func @entries(%x: tensor<1x2x5x5xf32>, %w: tensor<3x2x3x3xf32>) {
  // (C2) expected-error@+1 {{window_strides must have one entry for each of the 2 dimensions of space, got 1}}
  %0 = graph.convolution %x, %w window_strides = [1] : (tensor<1x2x5x5xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x3x3xf32>
  return
}

// -----

func.func @stride(%x: tensor<1x2x5x5xf32>, %w: tensor<3x2x3x3xf32>) {
  // (C2) expected-error@+1 {{window_strides has the entry 0, expected 1 to 2147483648}}
  %0 = graph.convolution %x, %w window_strides = [1, 0] : (tensor<1x2x5x5xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x3x3xf32>
  return
}

// -----

func.func @padding(%x: tensor<1x2x5x5xf32>, %w: tensor<3x2x3x3xf32>) {
  // (C2) expected-error@+1 {{padding_high has the entry 4611686018427387904, expected -2147483648 to 2147483648}}
  %0 = graph.convolution %x, %w padding_high = [0, 4611686018427387904] : (tensor<1x2x5x5xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x3x3xf32>
  return
}

// -----

func.func @features(%x: tensor<1x2x5x5xf32>, %w: tensor<3x4x3x3xf32>) {
  // (C3) expected-error@+1 {{1 group of 2 input features ('tensor<1x2x5x5xf32>') and 3 output features need a filter of as many input features as a group has, got 4 ('tensor<3x4x3x3xf32>')}}
  %0 = graph.convolution %x, %w : (tensor<1x2x5x5xf32>, tensor<3x4x3x3xf32>) -> tensor<1x3x3x3xf32>
  return
}

// -----

func.func @groups(%x: tensor<1x5x5x4xf32>, %w: tensor<3x3x2x3xf32>) {
  // (C3) expected-error@+1 {{2 groups of 4 input features ('tensor<1x5x5x4xf32>') and 3 output features need}}
  %0 = graph.convolution %x, %w feature_group_count = 2 {nhwc, hwio} : (tensor<1x5x5x4xf32>, tensor<3x3x2x3xf32>) -> tensor<1x3x3x3xf32>
  return
}

// -----

func.func @window(%x: tensor<1x2x5x5xf32>, %w: tensor<3x2x3x3xf32>) {
  // (C4) expected-error@+1 {{a window of 3 places that are 3 apart does not fit in dimension 1 of space, which has 6 with its padding}}
  %0 = graph.convolution %x, %w padding_low = [0, 1] rhs_dilation = [1, 3] : (tensor<1x2x5x5xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x3x1xf32>
  return
}

// -----

func.func @far(%x: tensor<1x1x137438953472xi64>, %w: tensor<1x1x68719476736xi64>) {
  // (C4) expected-error@+1 {{a window of 68719476736 places that are 2147483648 apart does not fit in dimension 0 of space, which has 137438953472}}
  %0 = graph.convolution %x, %w rhs_dilation = [2147483648] : (tensor<1x1x137438953472xi64>, tensor<1x1x68719476736xi64>) -> tensor<1x1x1xi64>
  return
}

// -----

func.func @large(%x: tensor<1x2x5x5xf32>, %w: tensor<3x2x3x3xf32>) {
  // (C5) expected-error@+1 {{an operand with its padding would be 'tensor<1x2x2147483653x2147483653xf32>', which is too large}}
  %0 = graph.convolution %x, %w window_strides = [2147483648, 2147483648] padding_low = [2147483648, 2147483648] : (tensor<1x2x5x5xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x2x2xf32>
  return
}

// -----

func.func @result(%x: tensor<1x2x5x5xf32>, %w: tensor<3x2x3x3xf32>) {
  // expected-error@+1 {{result must be of type 'tensor<1x3x3x3xf32>', got 'tensor<1x3x5x5xf32>'}}
  %0 = graph.convolution %x, %w : (tensor<1x2x5x5xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x5x5xf32>
  return
}

// -----

func.func @input_grad(%g: tensor<1x3x4x3xf32>, %w: tensor<3x2x3x3xf32>) {
  // (C1) expected-error@+1 {{gradient must be of the type of the convolution's result, 'tensor<1x3x3x3xf32>', got 'tensor<1x3x4x3xf32>'}}
  %0 = graph.convolution_input_grad %g, %w : (tensor<1x3x4x3xf32>, tensor<3x2x3x3xf32>) -> tensor<1x2x5x5xf32>
  return
}

// -----

func.func @filter_grad(%x: tensor<1x2x5x5xf32>, %g: tensor<1x3x3x3xf32>) {
  // (C1) expected-error@+1 {{1 group of 2 input features ('tensor<1x2x5x5xf32>') and 3 output features need a filter of as many input features as a group has, got 1}}
  %0 = graph.convolution_filter_grad %x, %g : (tensor<1x2x5x5xf32>, tensor<1x3x3x3xf32>) -> tensor<3x1x3x3xf32>
  return
}
