// RUN: graph-opt --split-input-file --canonicalize %s | FileCheck %s
// RUN: graph-opt --split-input-file --decompose %s | FileCheck %s --check-prefix=DECOMPOSED

// CHECK-LABEL: func @constants
// CHECK-DAG: %[[ONES:.*]] = graph.constant dense<1.000000e+00> : tensor<900xf32>
// CHECK-DAG: %[[SOME:.*]] = graph.constant dense<{{\[\[}}9, 2, 9, 3, 9], [9, 5, 9, 6, 9], [9, 9, 9, 9, 9]]> : tensor<3x5xi32>
// CHECK-DAG: %[[NONE:.*]] = graph.constant dense<9> : tensor<2xi32>
// CHECK: return %arg0, %[[ONES]], %[[SOME]], %[[NONE]]
func.func @constants(%a: tensor<3xf32>) -> (tensor<3xf32>, tensor<900xf32>, tensor<3x5xi32>, tensor<2xi32>) {
  %one = graph.constant dense<1.0> : tensor<f32>
  %0 = graph.pad %a, %one edge_padding_low = [0] edge_padding_high = [0] interior_padding = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  %ones = graph.constant dense<1.0> : tensor<300xf32>
  %1 = graph.pad %ones, %one edge_padding_low = [100] edge_padding_high = [500] interior_padding = [0] : (tensor<300xf32>, tensor<f32>) -> tensor<900xf32>
  %numbers = graph.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %nine = graph.constant dense<9> : tensor<i32>
  %2 = graph.pad %numbers, %nine edge_padding_low = [0, -1] edge_padding_high = [1, 1] interior_padding = [0, 1] : (tensor<2x3xi32>, tensor<i32>) -> tensor<3x5xi32>
  %row = graph.constant dense<[1, 2, 3]> : tensor<3xi32>
  %3 = graph.pad %row, %nine edge_padding_low = [-5] edge_padding_high = [4] interior_padding = [0] : (tensor<3xi32>, tensor<i32>) -> tensor<2xi32>
  return %0, %1, %2, %3 : tensor<3xf32>, tensor<900xf32>, tensor<3x5xi32>, tensor<2xi32>
}

// -----

// What negative edges leave out is sliced away, with a step between places of which some are padding. Where nothing is left it is padding.
// CHECK-LABEL: func @negative
// CHECK-DAG: %[[S:.*]] = graph.slice %arg0 start_indices = [2] limit_indices = [4] strides = [1] : (tensor<5xf32>) -> tensor<2xf32>
// CHECK-DAG: %[[P:.*]] = graph.pad %[[S]], %arg1 edge_padding_low = [1] edge_padding_high = [2] interior_padding = [2] : (tensor<2xf32>, tensor<f32>) -> tensor<7xf32>
// CHECK-DAG: %[[B:.*]] = graph.broadcast_in_dim %arg1 broadcast_dimensions = [] : (tensor<f32>) -> tensor<3xf32>
// CHECK: return %[[P]], %[[B]]
// DECOMPOSED-LABEL: func @negative
// DECOMPOSED: graph.slice
// DECOMPOSED: graph.pad
// DECOMPOSED: graph.broadcast_in_dim
func.func @negative(%a: tensor<5xf32>, %z: tensor<f32>) -> (tensor<7xf32>, tensor<3xf32>) {
  %0 = graph.pad %a, %z edge_padding_low = [-5] edge_padding_high = [-1] interior_padding = [2] : (tensor<5xf32>, tensor<f32>) -> tensor<7xf32>
  %1 = graph.pad %a, %z edge_padding_low = [-9] edge_padding_high = [7] interior_padding = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<3xf32>
  return %0, %1 : tensor<7xf32>, tensor<3xf32>
}

// -----

// Padding alone, and known: a constant.
// CHECK-LABEL: func @nothing_left
// CHECK-NEXT: %[[C:.*]] = graph.constant dense<7.000000e+00> : tensor<2xf32>
// CHECK-NEXT: return %[[C]]
func.func @nothing_left(%a: tensor<1xf32>) -> tensor<2xf32> {
  %seven = graph.constant dense<7.0> : tensor<f32>
  %0 = graph.pad %a, %seven edge_padding_low = [2] edge_padding_high = [-1] interior_padding = [0] : (tensor<1xf32>, tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// The edges of one dimension are a concatenation, others a fill and a copy.
// DECOMPOSED-LABEL: func @edges
// DECOMPOSED: graph.concatenate %{{.*}}, %arg0, %{{.*}} dimension = 1 : (tensor<2x1xf32>, tensor<2x5xf32>, tensor<2x2xf32>) -> tensor<2x8xf32>
// DECOMPOSED: graph.pad
func.func @edges(%a: tensor<2x5xf32>, %z: tensor<f32>) -> (tensor<2x8xf32>, tensor<4x6xf32>) {
  %0 = graph.pad %a, %z edge_padding_low = [0, 1] edge_padding_high = [0, 2] interior_padding = [0, 0] : (tensor<2x5xf32>, tensor<f32>) -> tensor<2x8xf32>
  %1 = graph.pad %a, %z edge_padding_low = [1, 1] edge_padding_high = [1, 0] interior_padding = [0, 0] : (tensor<2x5xf32>, tensor<f32>) -> tensor<4x6xf32>
  return %0, %1 : tensor<2x8xf32>, tensor<4x6xf32>
}
