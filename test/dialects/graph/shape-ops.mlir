// RUN: graph-opt %s | graph-opt - | FileCheck %s
// RUN: graph-opt --mlir-print-op-generic %s | graph-opt - | FileCheck %s

// CHECK-LABEL: func @shapes
func.func @shapes(%a: tensor<2x6xf32>, %v: tensor<6xf32>, %i: tensor<4xi32>) {
  // CHECK-NEXT: graph.constant dense<2.000000e+00> : tensor<f32> {graph.device = #graph.device<"/job:ps">}
  %0 = graph.constant dense<2.0> : tensor<f32> {graph.device = #graph.device<"/job:ps">}
  // CHECK-NEXT: graph.iota dimension = 1 : tensor<3x10xi32>
  %1 = graph.iota dimension = 1 : tensor<3x10xi32>
  // CHECK-NEXT: graph.reshape %arg0 : (tensor<2x6xf32>) -> tensor<3x4xf32>
  %2 = graph.reshape %a : (tensor<2x6xf32>) -> tensor<3x4xf32>
  // CHECK-NEXT: graph.transpose %arg0 permutation = [1, 0] : (tensor<2x6xf32>) -> tensor<6x2xf32>
  %3 = graph.transpose %a permutation = [1, 0] : (tensor<2x6xf32>) -> tensor<6x2xf32>
  // CHECK-NEXT: graph.broadcast_in_dim %arg1 broadcast_dimensions = [1] : (tensor<6xf32>) -> tensor<2x6xf32>
  %4 = graph.broadcast_in_dim %v broadcast_dimensions = [1] : (tensor<6xf32>) -> tensor<2x6xf32>
  // CHECK-NEXT: graph.broadcast_in_dim %{{.*}} broadcast_dimensions = [] : (tensor<f32>) -> tensor<2xf32>
  %5 = graph.broadcast_in_dim %0 broadcast_dimensions = [] : (tensor<f32>) -> tensor<2xf32>
  // CHECK-NEXT: graph.one_hot %arg2 : (tensor<4xi32>) -> tensor<4x10xf32>
  %6 = graph.one_hot %i : (tensor<4xi32>) -> tensor<4x10xf32>
  // CHECK-NEXT: graph.slice %arg0 start_indices = [1, 0] limit_indices = [2, 6] strides = [1, 2] : (tensor<2x6xf32>) -> tensor<1x3xf32>
  %7 = graph.slice %a start_indices = [1, 0] limit_indices = [2, 6] strides = [1, 2] : (tensor<2x6xf32>) -> tensor<1x3xf32>
  // CHECK-NEXT: graph.concatenate %arg1, %arg1 dimension = 0 : (tensor<6xf32>, tensor<6xf32>) -> tensor<12xf32>
  %8 = graph.concatenate %v, %v dimension = 0 : (tensor<6xf32>, tensor<6xf32>) -> tensor<12xf32>
  // CHECK-NEXT: graph.concatenate %arg2 dimension = 0 : (tensor<4xi32>) -> tensor<4xi32>
  %9 = graph.concatenate %i dimension = 0 : (tensor<4xi32>) -> tensor<4xi32>
  return
}
