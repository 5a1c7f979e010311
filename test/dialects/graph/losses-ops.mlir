// RUN: graph-opt %s | graph-opt - | FileCheck %s
// RUN: graph-opt --mlir-print-op-generic %s | graph-opt - | FileCheck %s

// CHECK-LABEL: func @targets
func.func @targets(%x: tensor<4x10xf32>, %u: tensor<f32>, %s: tensor<f64>) {
  // CHECK-NEXT: graph.dense_softmax_cross_entropy %arg0, %arg0 : (tensor<4x10xf32>, tensor<4x10xf32>) -> tensor<f32>
  %0 = graph.dense_softmax_cross_entropy %x, %x : (tensor<4x10xf32>, tensor<4x10xf32>) -> tensor<f32>
  // CHECK-NEXT: graph.dense_softmax_cross_entropy_grad %arg0, %arg0, %arg1 : (tensor<4x10xf32>, tensor<4x10xf32>, tensor<f32>) -> tensor<4x10xf32>
  %1 = graph.dense_softmax_cross_entropy_grad %x, %x, %u : (tensor<4x10xf32>, tensor<4x10xf32>, tensor<f32>) -> tensor<4x10xf32>
  // CHECK-NEXT: graph.sigmoid_cross_entropy %arg0, %arg0 : (tensor<4x10xf32>, tensor<4x10xf32>) -> tensor<f32>
  %2 = graph.sigmoid_cross_entropy %x, %x : (tensor<4x10xf32>, tensor<4x10xf32>) -> tensor<f32>
  // CHECK-NEXT: graph.sigmoid_cross_entropy %arg2, %arg2 : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %3 = graph.sigmoid_cross_entropy %s, %s : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return
}
