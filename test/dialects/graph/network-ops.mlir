// RUN: graph-opt %s | graph-opt - | FileCheck %s
// RUN: graph-opt --mlir-print-op-generic %s | graph-opt - | FileCheck %s

// CHECK-LABEL: func @reductions
func.func @reductions(%a: tensor<4x10xf32>) {
  // CHECK-NEXT: graph.reduce_sum %arg0 dimensions = [0] : (tensor<4x10xf32>) -> tensor<10xf32>
  %0 = graph.reduce_sum %a dimensions = [0] : (tensor<4x10xf32>) -> tensor<10xf32>
  // CHECK-NEXT: graph.reduce_max %arg0 dimensions = [1] : (tensor<4x10xf32>) -> tensor<4xf32>
  %1 = graph.reduce_max %a dimensions = [1] : (tensor<4x10xf32>) -> tensor<4xf32>
  // CHECK-NEXT: graph.reduce_min %arg0 dimensions = [1] : (tensor<4x10xf32>) -> tensor<4xf32>
  %min = graph.reduce_min %a dimensions = [1] : (tensor<4x10xf32>) -> tensor<4xf32>
  // CHECK-NEXT: graph.reduce_mean %arg0 dimensions = [0, 1] : (tensor<4x10xf32>) -> tensor<f32>
  %2 = graph.reduce_mean %a dimensions = [0, 1] : (tensor<4x10xf32>) -> tensor<f32>
  // CHECK-NEXT: graph.argmax %arg0 dimension = 1 : (tensor<4x10xf32>) -> tensor<4xi32>
  %3 = graph.argmax %a dimension = 1 : (tensor<4x10xf32>) -> tensor<4xi32>
  // CHECK-NEXT: graph.argmax %arg0 dimension = 0 : (tensor<4x10xf32>) -> tensor<10xi64>
  %long = graph.argmax %a dimension = 0 : (tensor<4x10xf32>) -> tensor<10xi64>
  return
}

// CHECK-LABEL: func @network
func.func @network(%a: tensor<4x3xf32>, %b: tensor<3x10xf32>, %v: tensor<10xf32>, %y: tensor<4xi32>, %u: tensor<f32>) {
  // CHECK-NEXT: %[[X:.*]] = graph.matmul %arg0, %arg1 : (tensor<4x3xf32>, tensor<3x10xf32>) -> tensor<4x10xf32>
  %x = graph.matmul %a, %b : (tensor<4x3xf32>, tensor<3x10xf32>) -> tensor<4x10xf32>
  // CHECK-NEXT: graph.matmul %arg0, %[[X]] {transpose_a} : (tensor<4x3xf32>, tensor<4x10xf32>) -> tensor<3x10xf32>
  %g = graph.matmul %a, %x {transpose_a} : (tensor<4x3xf32>, tensor<4x10xf32>) -> tensor<3x10xf32>
  // CHECK-NEXT: graph.matmul %arg0, %[[X]] precision = tf32 {transpose_a} : (tensor<4x3xf32>, tensor<4x10xf32>) -> tensor<3x10xf32>
  %t = graph.matmul %a, %x precision = tf32 {transpose_a} : (tensor<4x3xf32>, tensor<4x10xf32>) -> tensor<3x10xf32>
  // CHECK-NEXT: graph.matmul %arg0, %arg1 precision = bf16 :
  %h = graph.matmul %a, %b precision = bf16 : (tensor<4x3xf32>, tensor<3x10xf32>) -> tensor<4x10xf32>
  // What is so where nothing is said is not printed.
  // CHECK-NEXT: graph.matmul %arg0, %arg1 :
  %i = graph.matmul %a, %b precision = ieee : (tensor<4x3xf32>, tensor<3x10xf32>) -> tensor<4x10xf32>
  // CHECK-NEXT: graph.bias_add %[[X]], %arg2 : tensor<4x10xf32>, tensor<10xf32>
  %0 = graph.bias_add %x, %v : tensor<4x10xf32>, tensor<10xf32>
  // CHECK-NEXT: graph.softmax %[[X]] : tensor<4x10xf32>
  %1 = graph.softmax %x : tensor<4x10xf32>
  // CHECK-NEXT: graph.log_softmax %[[X]] : tensor<4x10xf32>
  %2 = graph.log_softmax %x : tensor<4x10xf32>
  // CHECK-NEXT: graph.softmax_cross_entropy %[[X]], %arg3 : (tensor<4x10xf32>, tensor<4xi32>) -> tensor<f32>
  %3 = graph.softmax_cross_entropy %x, %y : (tensor<4x10xf32>, tensor<4xi32>) -> tensor<f32>
  // CHECK-NEXT: graph.softmax_cross_entropy_grad %[[X]], %arg3, %arg4 : (tensor<4x10xf32>, tensor<4xi32>, tensor<f32>) -> tensor<4x10xf32>
  %4 = graph.softmax_cross_entropy_grad %x, %y, %u : (tensor<4x10xf32>, tensor<4xi32>, tensor<f32>) -> tensor<4x10xf32>
  // CHECK-NEXT: graph.nll_loss %[[X]], %arg3 : (tensor<4x10xf32>, tensor<4xi32>) -> tensor<f32>
  %5 = graph.nll_loss %x, %y : (tensor<4x10xf32>, tensor<4xi32>) -> tensor<f32>
  return
}

// CHECK-LABEL: func @batches
func.func @batches(%a: tensor<7x3x4xf64>, %b: tensor<7x5x3xf64>) {
  // CHECK-NEXT: graph.matmul %arg0, %arg1 {transpose_a, transpose_b} : (tensor<7x3x4xf64>, tensor<7x5x3xf64>) -> tensor<7x4x5xf64>
  %0 = graph.matmul %a, %b {transpose_a, transpose_b} : (tensor<7x3x4xf64>, tensor<7x5x3xf64>) -> tensor<7x4x5xf64>
  return
}
