// RUN: graph-opt --import-stablehlo --split-input-file --verify-diagnostics %s

// Pieces that are set: dimension numbers that are none of StableHLO's.
func.func @large(%x: tensor<9x4xf32>, %i: tensor<1xi32>, %u: tensor<5x4xf32>) -> tensor<9x4xf32> {
  // expected-error@+1 {{'stablehlo.scatter' has updates, 'tensor<5x4xf32>', that are no piece of 'tensor<9x4xf32>'}}
  %r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    "stablehlo.return"(%b) : (tensor<f32>) -> ()
  }) : (tensor<9x4xf32>, tensor<1xi32>, tensor<5x4xf32>) -> tensor<9x4xf32>
  return %r : tensor<9x4xf32>
}

// -----

func.func @wide(%x: tensor<9x4xf32>, %i: tensor<1xi32>, %u: tensor<5x6xf32>) -> tensor<9x4xf32> {
  // expected-error@+1 {{'stablehlo.scatter' has updates, 'tensor<5x6xf32>', that are no piece of 'tensor<9x4xf32>'}}
  %r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    "stablehlo.return"(%b) : (tensor<f32>) -> ()
  }) : (tensor<9x4xf32>, tensor<1xi32>, tensor<5x6xf32>) -> tensor<9x4xf32>
  return %r : tensor<9x4xf32>
}

// -----

func.func @nowhere(%x: tensor<9x4xf32>, %i: tensor<1xi32>, %u: tensor<4xf32>) -> tensor<9x4xf32> {
  // expected-error@+1 {{'stablehlo.scatter' has dimension numbers that do not fit its operands, 'tensor<9x4xf32>', 'tensor<1xi32>' and 'tensor<4xf32>'}}
  %r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [2]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    "stablehlo.return"(%b) : (tensor<f32>) -> ()
  }) : (tensor<9x4xf32>, tensor<1xi32>, tensor<4xf32>) -> tensor<9x4xf32>
  return %r : tensor<9x4xf32>
}

// -----

func.func @twice_inserted(%x: tensor<9x4xf32>, %i: tensor<1xi32>, %u: tensor<1xf32>) -> tensor<9x4xf32> {
  // expected-error@+1 {{'stablehlo.scatter' has dimension numbers that do not fit its operands, 'tensor<9x4xf32>', 'tensor<1xi32>' and 'tensor<1xf32>'}}
  %r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 0], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    "stablehlo.return"(%b) : (tensor<f32>) -> ()
  }) : (tensor<9x4xf32>, tensor<1xi32>, tensor<1xf32>) -> tensor<9x4xf32>
  return %r : tensor<9x4xf32>
}

// -----

func.func @unsorted(%x: tensor<4x4xf32>, %i: tensor<1xi32>, %u: tensor<2x3xf32>) -> tensor<4x4xf32> {
  // expected-error@+1 {{'stablehlo.scatter' has dimension numbers that do not fit its operands, 'tensor<4x4xf32>', 'tensor<1xi32>' and 'tensor<2x3xf32>'}}
  %r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 0], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    "stablehlo.return"(%b) : (tensor<f32>) -> ()
  }) : (tensor<4x4xf32>, tensor<1xi32>, tensor<2x3xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// -----

func.func @twice_window(%x: tensor<4x4xf32>, %i: tensor<1xi32>, %u: tensor<2x2xf32>) -> tensor<4x4xf32> {
  // expected-error@+1 {{'stablehlo.scatter' has dimension numbers that do not fit its operands, 'tensor<4x4xf32>', 'tensor<1xi32>' and 'tensor<2x2xf32>'}}
  %r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 0], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    "stablehlo.return"(%b) : (tensor<f32>) -> ()
  }) : (tensor<4x4xf32>, tensor<1xi32>, tensor<2x2xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// -----

func.func @twice_placed(%x: tensor<9x4xf32>, %i: tensor<2xi32>, %u: tensor<1xf32>) -> tensor<9x4xf32> {
  // expected-error@+1 {{'stablehlo.scatter' has dimension numbers that do not fit its operands, 'tensor<9x4xf32>', 'tensor<2xi32>' and 'tensor<1xf32>'}}
  %r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 0]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    "stablehlo.return"(%b) : (tensor<f32>) -> ()
  }) : (tensor<9x4xf32>, tensor<2xi32>, tensor<1xf32>) -> tensor<9x4xf32>
  return %r : tensor<9x4xf32>
}

// -----

func.func @vectors(%x: tensor<9x4xf32>, %i: tensor<2x1xi32>, %u: tensor<1xf32>) -> tensor<9x4xf32> {
  // expected-error@+1 {{'stablehlo.scatter' has dimension numbers that do not fit its operands, 'tensor<9x4xf32>', 'tensor<2x1xi32>' and 'tensor<1xf32>'}}
  %r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    "stablehlo.return"(%b) : (tensor<f32>) -> ()
  }) : (tensor<9x4xf32>, tensor<2x1xi32>, tensor<1xf32>) -> tensor<9x4xf32>
  return %r : tensor<9x4xf32>
}

// -----

func.func @too_few(%x: tensor<9x4xf32>, %i: tensor<1xi32>, %u: tensor<1xf32>) -> tensor<9x4xf32> {
  // expected-error@+1 {{1 operation cannot be imported: stablehlo.scatter that sets several pieces}}
  %r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    "stablehlo.return"(%b) : (tensor<f32>) -> ()
  }) : (tensor<9x4xf32>, tensor<1xi32>, tensor<1xf32>) -> tensor<9x4xf32>
  return %r : tensor<9x4xf32>
}

// -----

func.func @of_truth(%x: tensor<9x4xf32>, %i: tensor<1xi32>, %u: tensor<4xf32>) -> tensor<9x4xf32> {
  // expected-error@+1 {{1 operation cannot be imported: stablehlo.scatter that does not add}}
  %r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<7xi1>):
    "stablehlo.return"(%b) : (tensor<7xi1>) -> ()
  }) : (tensor<9x4xf32>, tensor<1xi32>, tensor<4xf32>) -> tensor<9x4xf32>
  return %r : tensor<9x4xf32>
}
