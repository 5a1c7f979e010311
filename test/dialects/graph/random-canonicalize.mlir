// RUN: graph-opt --split-input-file --canonicalize --cse %s | FileCheck %s

// CHECK-LABEL: func @off
func.func @off(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = graph.dropout %x {rate = 0.0} : tensor<4xf32>
  %1 = graph.dropout %x {rate = 0.5, training_mode = false} : tensor<4xf32>
  // CHECK-NEXT: return %arg0, %arg0
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// What has no number yet stays apart, also where nobody uses it.
// CHECK-LABEL: func @apart
func.func @apart(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NEXT: %[[A:.*]] = graph.dropout %arg0 {rate
  %0 = graph.dropout %x {rate = 0.5} : tensor<4xf32>
  // CHECK-NEXT: %[[B:.*]] = graph.dropout %arg0 {rate
  %1 = graph.dropout %x {rate = 0.5} : tensor<4xf32>
  // CHECK-NEXT: graph.random_uniform :
  // CHECK-NEXT: graph.random_uniform :
  %2 = graph.random_uniform : tensor<4xf32>
  %3 = graph.random_uniform : tensor<4xf32>
  // CHECK-NEXT: return %[[A]], %[[B]]
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// With a number it is a function of what it takes.
// CHECK-LABEL: func @numbered
func.func @numbered(%x: tensor<4xf32>, %n: tensor<i64>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NEXT: %[[A:.*]] = graph.random_normal at %arg1 {draw = 1
  %0 = graph.random_normal at %n {draw = 1} : tensor<4xf32>
  %1 = graph.random_normal at %n {draw = 1} : tensor<4xf32>
  // CHECK-NEXT: %[[B:.*]] = graph.random_normal at %arg1 {draw = 2
  %2 = graph.random_normal at %n {draw = 2} : tensor<4xf32>
  %3 = graph.dropout %x at %n {draw = 3, rate = 0.5} : tensor<4xf32>
  // CHECK-NEXT: return %[[A]], %[[A]], %[[B]]
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
