// RUN: graph-opt %s | graph-opt - | FileCheck %s
// RUN: graph-opt --mlir-print-op-generic %s | graph-opt - | FileCheck %s

// CHECK-LABEL: func @arithmetic
func.func @arithmetic(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>, %i: tensor<4xi64>) {
  // CHECK-NEXT: graph.add %arg0, %arg1 : tensor<2x3xf32>
  %0 = graph.add %a, %b : tensor<2x3xf32>
  // CHECK-NEXT: graph.subtract %arg0, %arg1 : tensor<2x3xf32>
  %1 = graph.subtract %a, %b : tensor<2x3xf32>
  // CHECK-NEXT: graph.multiply %arg0, %arg1 : tensor<2x3xf32>
  %2 = graph.multiply %a, %b : tensor<2x3xf32>
  // CHECK-NEXT: graph.divide %arg2, %arg2 : tensor<4xi64>
  %3 = graph.divide %i, %i : tensor<4xi64>
  // CHECK-NEXT: graph.maximum %arg0, %arg1 : tensor<2x3xf32>
  %4 = graph.maximum %a, %b : tensor<2x3xf32>
  // CHECK-NEXT: graph.minimum %arg0, %arg1 : tensor<2x3xf32>
  %5 = graph.minimum %a, %b : tensor<2x3xf32>
  // CHECK-NEXT: graph.power %arg0, %arg1 {graph.device = #graph.device<"/device:CPU:0">} : tensor<2x3xf32>
  %6 = graph.power %a, %b {graph.device = #graph.device<"/cpu:0">} : tensor<2x3xf32>
  return
}

// CHECK-LABEL: func @unary
func.func @unary(%a: tensor<2x3xf64>, %i: tensor<i32>) {
  // CHECK-NEXT: graph.negate %arg1 : tensor<i32>
  %0 = graph.negate %i : tensor<i32>
  // CHECK-NEXT: graph.abs %arg1 : tensor<i32>
  %1 = graph.abs %i : tensor<i32>
  // CHECK-NEXT: graph.sign %arg0 : tensor<2x3xf64>
  %2 = graph.sign %a : tensor<2x3xf64>
  // CHECK-NEXT: graph.sqrt %arg0 : tensor<2x3xf64>
  %3 = graph.sqrt %a : tensor<2x3xf64>
  // CHECK-NEXT: graph.rsqrt %arg0 : tensor<2x3xf64>
  %4 = graph.rsqrt %a : tensor<2x3xf64>
  // CHECK-NEXT: graph.exponential %arg0 : tensor<2x3xf64>
  %5 = graph.exponential %a : tensor<2x3xf64>
  // CHECK-NEXT: graph.log %arg0 : tensor<2x3xf64>
  %6 = graph.log %a : tensor<2x3xf64>
  // CHECK-NEXT: graph.tanh %arg0 : tensor<2x3xf64>
  %7 = graph.tanh %a : tensor<2x3xf64>
  // CHECK-NEXT: graph.logistic %arg0 : tensor<2x3xf64>
  %8 = graph.logistic %a : tensor<2x3xf64>
  // CHECK-NEXT: graph.relu %arg0 : tensor<2x3xf64>
  %9 = graph.relu %a : tensor<2x3xf64>
  return
}

// CHECK-LABEL: func @truth
func.func @truth(%a: tensor<4xi1>, %b: tensor<4xi1>, %x: tensor<4xf32>) {
  // CHECK-NEXT: graph.and %arg0, %arg1 : tensor<4xi1>
  %0 = graph.and %a, %b : tensor<4xi1>
  // CHECK-NEXT: graph.or %arg0, %arg1 : tensor<4xi1>
  %1 = graph.or %a, %b : tensor<4xi1>
  // CHECK-NEXT: graph.not %arg0 : tensor<4xi1>
  %2 = graph.not %a : tensor<4xi1>
  // CHECK-NEXT: %[[C:.*]] = graph.compare le, %arg2, %arg2 : tensor<4xf32>
  %3 = graph.compare le, %x, %x : tensor<4xf32>
  // CHECK-NEXT: graph.select %[[C]], %arg2, %arg2 : tensor<4xf32>
  %4 = graph.select %3, %x, %x : tensor<4xf32>
  // CHECK-NEXT: graph.convert %[[C]] : (tensor<4xi1>) -> tensor<4xf64>
  %5 = graph.convert %3 : (tensor<4xi1>) -> tensor<4xf64>
  return
}
