// RUN: graph-opt --split-input-file --verify-diagnostics %s

func.func @rank(%x: tensor<2x5xf32>) {
  // (C1) expected-error@+1 {{operand must have at least three dimensions, got 'tensor<2x5xf32>'}}
  %0 = graph.max_pool %x window_dimensions = [] : (tensor<2x5xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @entries(%x: tensor<1x2x5x5xf32>) {
  // (C2) expected-error@+1 {{window_dimensions must have one entry for each of the 2 dimensions of space, got 1}}
  %0 = graph.max_pool %x window_dimensions = [2] : (tensor<1x2x5x5xf32>) -> tensor<1x2x4x4xf32>
  return
}

// -----

func.func @window(%x: tensor<1x2x5x5xf32>) {
  // (C2) expected-error@+1 {{window_dimensions has the entry 0, expected 1 to 2147483648}}
  %0 = graph.max_pool %x window_dimensions = [2, 0] : (tensor<1x2x5x5xf32>) -> tensor<1x2x4x4xf32>
  return
}

// -----

func.func @fit(%x: tensor<1x5x5x2xf32>) {
  // (C3) expected-error@+1 {{a window of 4 places that are 2 apart does not fit in dimension 0 of space, which has 6 with its padding}}
  %0 = graph.max_pool %x window_dimensions = [4, 2] padding_high = [1, 0] window_dilations = [2, 1] {nhwc} : (tensor<1x5x5x2xf32>) -> tensor<1x1x4x2xf32>
  return
}

// -----

func.func @large(%x: tensor<1x2x5x5xf32>) {
  // (C4) expected-error@+1 {{an operand with its padding would be 'tensor<1x2x2147483653x2147483653xf32>', which is too large}}
  %0 = graph.max_pool %x window_dimensions = [2, 2] padding_low = [2147483648, 2147483648] : (tensor<1x2x5x5xf32>) -> tensor<1x2x4x4xf32>
  return
}

// -----

func.func @rank(%x: tensor<2x5xf32>) {
  // (C1) expected-error@+1 {{operand must have at least three dimensions, got 'tensor<2x5xf32>'}}
  %0 = graph.avg_pool %x window_dimensions = [] : (tensor<2x5xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @entries(%x: tensor<1x2x5x5xf32>) {
  // (C2) expected-error@+1 {{window_dimensions must have one entry for each of the 2 dimensions of space, got 1}}
  %0 = graph.avg_pool %x window_dimensions = [2] : (tensor<1x2x5x5xf32>) -> tensor<1x2x4x4xf32>
  return
}

// -----

func.func @window(%x: tensor<1x2x5x5xf32>) {
  // (C2) expected-error@+1 {{window_dimensions has the entry 0, expected 1 to 2147483648}}
  %0 = graph.avg_pool %x window_dimensions = [2, 0] : (tensor<1x2x5x5xf32>) -> tensor<1x2x4x4xf32>
  return
}

// -----

func.func @fit(%x: tensor<1x5x5x2xf32>) {
  // (C3) expected-error@+1 {{a window of 4 places that are 2 apart does not fit in dimension 0 of space, which has 6 with its padding}}
  %0 = graph.avg_pool %x window_dimensions = [4, 2] padding_high = [1, 0] window_dilations = [2, 1] {nhwc} : (tensor<1x5x5x2xf32>) -> tensor<1x1x4x2xf32>
  return
}

// -----

func.func @large(%x: tensor<1x2x5x5xf32>) {
  // (C4) expected-error@+1 {{an operand with its padding would be 'tensor<1x2x2147483653x2147483653xf32>', which is too large}}
  %0 = graph.avg_pool %x window_dimensions = [2, 2] padding_low = [2147483648, 2147483648] : (tensor<1x2x5x5xf32>) -> tensor<1x2x4x4xf32>
  return
}

// -----

func.func @gradient(%x: tensor<1x2x5x5xf32>, %g: tensor<1x2x4x5xf32>) {
  // (C1) expected-error@+1 {{gradient must be of the type of the pool's result, 'tensor<1x2x4x4xf32>', got 'tensor<1x2x4x5xf32>'}}
  %0 = graph.max_pool_grad %x, %g window_dimensions = [2, 2] : (tensor<1x2x5x5xf32>, tensor<1x2x4x5xf32>) -> tensor<1x2x5x5xf32>
  return
}
