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

// -----

// CHECK-LABEL: func @slice
// CHECK-DAG: %[[ONES:.*]] = graph.constant dense<1.000000e+00> : tensor<2x2xf32>
// CHECK-DAG: %[[SOME:.*]] = graph.constant dense<{{\[\[}}2, 3], [5, 6]]> : tensor<2x2xi32>
// CHECK-DAG: %[[S:.*]] = graph.slice %arg0 start_indices = [5] limit_indices = [12] strides = [6] : (tensor<12xf32>) -> tensor<2xf32>
// CHECK: return %arg0, %[[S]], %[[ONES]], %[[SOME]]
func.func @slice(%a: tensor<12xf32>) -> (tensor<12xf32>, tensor<2xf32>, tensor<2x2xf32>, tensor<2x2xi32>) {
  %0 = graph.slice %a start_indices = [0] limit_indices = [12] strides = [1] : (tensor<12xf32>) -> tensor<12xf32>
  %1 = graph.slice %a start_indices = [1] limit_indices = [12] strides = [2] : (tensor<12xf32>) -> tensor<6xf32>
  %2 = graph.slice %1 start_indices = [2] limit_indices = [6] strides = [3] : (tensor<6xf32>) -> tensor<2xf32>
  %ones = graph.constant dense<1.0> : tensor<500x500xf32>
  %3 = graph.slice %ones start_indices = [3, 0] limit_indices = [5, 2] strides = [1, 1] : (tensor<500x500xf32>) -> tensor<2x2xf32>
  %numbers = graph.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %4 = graph.slice %numbers start_indices = [0, 1] limit_indices = [2, 3] strides = [1, 1] : (tensor<2x3xi32>) -> tensor<2x2xi32>
  return %0, %2, %3, %4 : tensor<12xf32>, tensor<2xf32>, tensor<2x2xf32>, tensor<2x2xi32>
}

// -----

// What lies in one operand is a slice of that operand; what does not stays.
// CHECK-LABEL: func @slice_of_concatenate
// CHECK-DAG: %[[B:.*]] = graph.slice %arg1 start_indices = [1] limit_indices = [3] strides = [1] : (tensor<4xf32>) -> tensor<2xf32>
// CHECK-DAG: %[[C:.*]] = graph.concatenate %arg0, %arg1 dimension = 0
// CHECK-DAG: %[[BOTH:.*]] = graph.slice %[[C]] start_indices = [2] limit_indices = [4]
// CHECK: return %[[B]], %arg0, %[[BOTH]]
func.func @slice_of_concatenate(%a: tensor<3xf32>, %b: tensor<4xf32>) -> (tensor<2xf32>, tensor<3xf32>, tensor<2xf32>) {
  %c = graph.concatenate %a, %b dimension = 0 : (tensor<3xf32>, tensor<4xf32>) -> tensor<7xf32>
  %0 = graph.slice %c start_indices = [4] limit_indices = [6] strides = [1] : (tensor<7xf32>) -> tensor<2xf32>
  %1 = graph.slice %c start_indices = [0] limit_indices = [3] strides = [1] : (tensor<7xf32>) -> tensor<3xf32>
  %2 = graph.slice %c start_indices = [2] limit_indices = [4] strides = [1] : (tensor<7xf32>) -> tensor<2xf32>
  return %0, %1, %2 : tensor<2xf32>, tensor<3xf32>, tensor<2xf32>
}

// -----

// CHECK-LABEL: func @concatenate
// CHECK-DAG: %[[SOME:.*]] = graph.constant dense<{{\[\[}}true, false, true], [false, true, true]]> : tensor<2x3xi1>
// CHECK-DAG: %[[ONES:.*]] = graph.constant dense<1.000000e+00> : tensor<700xf32>
// CHECK-DAG: %[[FLAT:.*]] = graph.concatenate %arg0, %arg1, %arg0 dimension = 0
// CHECK: return %arg0, %[[FLAT]], %arg1, %[[ONES]], %[[SOME]]
func.func @concatenate(%a: tensor<3xf32>, %b: tensor<4xf32>)
    -> (tensor<3xf32>, tensor<10xf32>, tensor<4xf32>, tensor<700xf32>, tensor<2x3xi1>) {
  %0 = graph.concatenate %a dimension = 0 : (tensor<3xf32>) -> tensor<3xf32>
  %1 = graph.concatenate %a, %b dimension = 0 : (tensor<3xf32>, tensor<4xf32>) -> tensor<7xf32>
  %2 = graph.concatenate %1, %a dimension = 0 : (tensor<7xf32>, tensor<3xf32>) -> tensor<10xf32>
  // Neighbouring slices of one value are one slice, here all of it.
  %3 = graph.slice %b start_indices = [0] limit_indices = [1] strides = [1] : (tensor<4xf32>) -> tensor<1xf32>
  %4 = graph.slice %b start_indices = [1] limit_indices = [3] strides = [1] : (tensor<4xf32>) -> tensor<2xf32>
  %5 = graph.slice %b start_indices = [3] limit_indices = [4] strides = [1] : (tensor<4xf32>) -> tensor<1xf32>
  %6 = graph.concatenate %3, %4, %5 dimension = 0 : (tensor<1xf32>, tensor<2xf32>, tensor<1xf32>) -> tensor<4xf32>
  %ones = graph.constant dense<1.0> : tensor<350xf32>
  %7 = graph.concatenate %ones, %ones dimension = 0 : (tensor<350xf32>, tensor<350xf32>) -> tensor<700xf32>
  %p = graph.constant dense<[[true, false], [false, true]]> : tensor<2x2xi1>
  %q = graph.constant dense<true> : tensor<2x1xi1>
  %8 = graph.concatenate %p, %q dimension = 1 : (tensor<2x2xi1>, tensor<2x1xi1>) -> tensor<2x3xi1>
  return %0, %2, %6, %7, %8 : tensor<3xf32>, tensor<10xf32>, tensor<4xf32>, tensor<700xf32>, tensor<2x3xi1>
}

// -----

// Slices that leave something out between them, or are of other places, stay apart.
// CHECK-LABEL: func @slices_apart
// CHECK-COUNT-4: graph.slice
// CHECK-COUNT-2: graph.concatenate
func.func @slices_apart(%a: tensor<4x4xf32>) -> (tensor<3x2xf32>, tensor<4x2xf32>) {
  %0 = graph.slice %a start_indices = [0, 0] limit_indices = [1, 2] strides = [1, 1] : (tensor<4x4xf32>) -> tensor<1x2xf32>
  %1 = graph.slice %a start_indices = [2, 0] limit_indices = [4, 2] strides = [1, 1] : (tensor<4x4xf32>) -> tensor<2x2xf32>
  %2 = graph.slice %a start_indices = [0, 0] limit_indices = [2, 2] strides = [1, 1] : (tensor<4x4xf32>) -> tensor<2x2xf32>
  %3 = graph.slice %a start_indices = [2, 2] limit_indices = [4, 4] strides = [1, 1] : (tensor<4x4xf32>) -> tensor<2x2xf32>
  %4 = graph.concatenate %0, %1 dimension = 0 : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
  %5 = graph.concatenate %2, %3 dimension = 0 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<4x2xf32>
  return %4, %5 : tensor<3x2xf32>, tensor<4x2xf32>
}

// -----

// A transpose that moves dimensions of 1 alone moves no element; one that moves two others does.
// CHECK-LABEL: func @unit_dimensions
// CHECK-NEXT: %[[R:.*]] = graph.reshape %arg0 : (tensor<2x3x1x4xf32>) -> tensor<1x2x3x4xf32>
// CHECK-NEXT: %[[T:.*]] = graph.transpose %arg0 permutation = [2, 1, 0, 3]
// CHECK-NEXT: return %[[R]], %[[T]]
func.func @unit_dimensions(%a: tensor<2x3x1x4xf32>) -> (tensor<1x2x3x4xf32>, tensor<1x3x2x4xf32>) {
  %0 = graph.transpose %a permutation = [2, 0, 1, 3] : (tensor<2x3x1x4xf32>) -> tensor<1x2x3x4xf32>
  %1 = graph.transpose %a permutation = [2, 1, 0, 3] : (tensor<2x3x1x4xf32>) -> tensor<1x3x2x4xf32>
  return %0, %1 : tensor<1x2x3x4xf32>, tensor<1x3x2x4xf32>
}
