// RUN: graph-opt --split-input-file --canonicalize %s | FileCheck %s

// CHECK-LABEL: func @reshape
// CHECK-NEXT: %[[R:.*]] = graph.reshape %arg0 : (tensor<2x6xf32>) -> tensor<12xf32>
// CHECK-NEXT: return %arg0, %[[R]]
func.func @reshape(%a: tensor<2x6xf32>) -> (tensor<2x6xf32>, tensor<12xf32>) {
  %0 = graph.reshape %a : (tensor<2x6xf32>) -> tensor<3x4xf32>
  %1 = graph.reshape %0 : (tensor<3x4xf32>) -> tensor<2x6xf32>
  %2 = graph.reshape %0 : (tensor<3x4xf32>) -> tensor<12xf32>
  return %1, %2 : tensor<2x6xf32>, tensor<12xf32>
}

// -----

// CHECK-LABEL: func @transpose
// CHECK-NEXT: %[[T:.*]] = graph.transpose %arg0 permutation = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
// CHECK-NEXT: return %arg0, %[[T]]
func.func @transpose(%a: tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<4x2x3xf32>) {
  %0 = graph.transpose %a permutation = [1, 2, 0] : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  %1 = graph.transpose %0 permutation = [2, 0, 1] : (tensor<3x4x2xf32>) -> tensor<2x3x4xf32>
  %2 = graph.transpose %0 permutation = [1, 2, 0] : (tensor<3x4x2xf32>) -> tensor<4x2x3xf32>
  return %1, %2 : tensor<2x3x4xf32>, tensor<4x2x3xf32>
}

// -----

// CHECK-LABEL: func @broadcast
// CHECK-NEXT: %[[C:.*]] = graph.constant dense<2.000000e+00> : tensor<4x5xf32>
// CHECK-NEXT: %[[B:.*]] = graph.broadcast_in_dim %arg0 broadcast_dimensions = [2] : (tensor<3xf32>) -> tensor<4x2x3xf32>
// CHECK-NEXT: return %arg0, %[[B]], %[[C]]
func.func @broadcast(%a: tensor<3xf32>) -> (tensor<3xf32>, tensor<4x2x3xf32>, tensor<4x5xf32>) {
  %0 = graph.broadcast_in_dim %a broadcast_dimensions = [0] : (tensor<3xf32>) -> tensor<3xf32>
  %1 = graph.broadcast_in_dim %a broadcast_dimensions = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
  %2 = graph.broadcast_in_dim %1 broadcast_dimensions = [1, 2] : (tensor<2x3xf32>) -> tensor<4x2x3xf32>
  %two = graph.constant dense<2.0> : tensor<f32>
  %3 = graph.broadcast_in_dim %two broadcast_dimensions = [] : (tensor<f32>) -> tensor<4x5xf32>
  return %0, %2, %3 : tensor<3xf32>, tensor<4x2x3xf32>, tensor<4x5xf32>
}

// -----

// CHECK-LABEL: func @reductions
// CHECK-NEXT: return %arg0, %arg0, %arg0
func.func @reductions(%a: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %0 = graph.reduce_sum %a dimensions = [] : (tensor<3xf32>) -> tensor<3xf32>
  %1 = graph.reduce_max %a dimensions = [] : (tensor<3xf32>) -> tensor<3xf32>
  %2 = graph.reduce_mean %a dimensions = [] : (tensor<3xf32>) -> tensor<3xf32>
  return %0, %1, %2 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// -----

// CHECK-LABEL: func @matmul
func.func @matmul(%a: tensor<4x3xf32>, %b: tensor<5x3xf32>) -> (tensor<4x5xf32>, tensor<5x4xf32>) {
  %bt = graph.transpose %b permutation = [1, 0] : (tensor<5x3xf32>) -> tensor<3x5xf32>
  // CHECK: graph.matmul %arg0, %arg1 {transpose_b} : (tensor<4x3xf32>, tensor<5x3xf32>) -> tensor<4x5xf32>
  %0 = graph.matmul %a, %bt : (tensor<4x3xf32>, tensor<3x5xf32>) -> tensor<4x5xf32>
  // CHECK: graph.matmul %arg1, %arg0 {transpose_b} : (tensor<5x3xf32>, tensor<4x3xf32>) -> tensor<5x4xf32>
  %1 = graph.matmul %bt, %a {transpose_a, transpose_b} : (tensor<3x5xf32>, tensor<4x3xf32>) -> tensor<5x4xf32>
  return %0, %1 : tensor<4x5xf32>, tensor<5x4xf32>
}

// -----

// A transpose of batches is no flag; where a transpose stands makes no difference.
// CHECK-LABEL: func @matmul_kept
// CHECK: %[[T:.*]] = graph.transpose
// CHECK: graph.matmul %[[T]], %arg0 :
// CHECK: graph.matmul %arg1, %arg1 {transpose_a}
func.func @matmul_kept(%a: tensor<2x2x2xf32>, %m: tensor<2x2xf32>) -> (tensor<2x2x2xf32>, tensor<2x2xf32>) {
  %t = graph.transpose %a permutation = [1, 0, 2] : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
  %0 = graph.matmul %t, %a : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
  %u = graph.transpose %m permutation = [1, 0] {graph.device = #graph.device<"/job:ps">} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = graph.matmul %u, %m : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0, %1 : tensor<2x2x2xf32>, tensor<2x2xf32>
}
