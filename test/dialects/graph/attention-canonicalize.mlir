// RUN: graph-opt %s --canonicalize | FileCheck %s

// Query, key and value by slices of one product, heads behind them: nothing is moved.
// CHECK-LABEL: func @slices
// CHECK-NEXT: %[[X:.*]] = graph.reshape %arg0 : (tensor<16x24xf32>) -> tensor<2x8x24xf32>
// CHECK-NEXT: %[[Y:.*]] = graph.packed_attention %[[X]] heads = 4 {causal} : (tensor<2x8x24xf32>) -> tensor<2x8x8xf32>
// CHECK-NEXT: %[[R:.*]] = graph.reshape %[[Y]] : (tensor<2x8x8xf32>) -> tensor<16x8xf32>
// CHECK-NEXT: return %[[R]]
func.func @slices(%x: tensor<16x24xf32>) -> tensor<16x8xf32> {
  %q1 = graph.slice %x start_indices = [0, 0] limit_indices = [16, 8] strides = [1, 1] : (tensor<16x24xf32>) -> tensor<16x8xf32>
  %q2 = graph.reshape %q1 : (tensor<16x8xf32>) -> tensor<2x8x4x2xf32>
  %q = graph.transpose %q2 permutation = [0, 2, 1, 3] : (tensor<2x8x4x2xf32>) -> tensor<2x4x8x2xf32>
  %k1 = graph.slice %x start_indices = [0, 8] limit_indices = [16, 16] strides = [1, 1] : (tensor<16x24xf32>) -> tensor<16x8xf32>
  %k2 = graph.reshape %k1 : (tensor<16x8xf32>) -> tensor<2x8x4x2xf32>
  %k = graph.transpose %k2 permutation = [0, 2, 1, 3] : (tensor<2x8x4x2xf32>) -> tensor<2x4x8x2xf32>
  %v1 = graph.slice %x start_indices = [0, 16] limit_indices = [16, 24] strides = [1, 1] : (tensor<16x24xf32>) -> tensor<16x8xf32>
  %v2 = graph.reshape %v1 : (tensor<16x8xf32>) -> tensor<2x8x4x2xf32>
  %v = graph.transpose %v2 permutation = [0, 2, 1, 3] : (tensor<2x8x4x2xf32>) -> tensor<2x4x8x2xf32>
  %y = graph.attention %q, %k, %v {causal} : (tensor<2x4x8x2xf32>, tensor<2x4x8x2xf32>, tensor<2x4x8x2xf32>) -> tensor<2x4x8x2xf32>
  %t = graph.transpose %y permutation = [0, 2, 1, 3] : (tensor<2x4x8x2xf32>) -> tensor<2x8x4x2xf32>
  %r = graph.reshape %t : (tensor<2x8x4x2xf32>) -> tensor<16x8xf32>
  return %r : tensor<16x8xf32>
}

// The three in front, as PyTorch's permute(2, 0, 3, 1, 4) has them; a mask stays as it is.
// CHECK-LABEL: func @permuted
// CHECK-NEXT: %[[Y:.*]] = graph.packed_attention %arg0 mask %arg1 heads = 4 {scale = 2.500000e-01 : f64} : (tensor<2x8x24xf32>, tensor<2x1x1x8xi1>) -> tensor<2x8x8xf32>
// CHECK-NEXT: return %[[Y]]
func.func @permuted(%x: tensor<2x8x24xf32>, %m: tensor<2x1x1x8xi1>) -> tensor<2x8x8xf32> {
  %all = graph.reshape %x : (tensor<2x8x24xf32>) -> tensor<2x8x3x4x2xf32>
  %t = graph.transpose %all permutation = [2, 0, 3, 1, 4] : (tensor<2x8x3x4x2xf32>) -> tensor<3x2x4x8x2xf32>
  %q1 = graph.slice %t start_indices = [0, 0, 0, 0, 0] limit_indices = [1, 2, 4, 8, 2] strides = [1, 1, 1, 1, 1] : (tensor<3x2x4x8x2xf32>) -> tensor<1x2x4x8x2xf32>
  %q = graph.reshape %q1 : (tensor<1x2x4x8x2xf32>) -> tensor<2x4x8x2xf32>
  %k1 = graph.slice %t start_indices = [1, 0, 0, 0, 0] limit_indices = [2, 2, 4, 8, 2] strides = [1, 1, 1, 1, 1] : (tensor<3x2x4x8x2xf32>) -> tensor<1x2x4x8x2xf32>
  %k = graph.reshape %k1 : (tensor<1x2x4x8x2xf32>) -> tensor<2x4x8x2xf32>
  %v1 = graph.slice %t start_indices = [2, 0, 0, 0, 0] limit_indices = [3, 2, 4, 8, 2] strides = [1, 1, 1, 1, 1] : (tensor<3x2x4x8x2xf32>) -> tensor<1x2x4x8x2xf32>
  %v = graph.reshape %v1 : (tensor<1x2x4x8x2xf32>) -> tensor<2x4x8x2xf32>
  %y = graph.attention %q, %k, %v mask %m {scale = 0.25} : (tensor<2x4x8x2xf32>, tensor<2x4x8x2xf32>, tensor<2x4x8x2xf32>, tensor<2x1x1x8xi1>) -> tensor<2x4x8x2xf32>
  %h = graph.transpose %y permutation = [0, 2, 1, 3] : (tensor<2x4x8x2xf32>) -> tensor<2x8x4x2xf32>
  %r = graph.reshape %h : (tensor<2x8x4x2xf32>) -> tensor<2x8x8xf32>
  return %r : tensor<2x8x8xf32>
}

// Keys and values changed places; heads of interleaved columns; a part of the rows.
// CHECK-LABEL: func @others
// CHECK-NOT: packed_attention
func.func @others(%x: tensor<2x8x24xf32>, %w: tensor<2x9x24xf32>) -> (tensor<2x4x8x2xf32>, tensor<2x4x8x2xf32>, tensor<2x4x8x2xf32>) {
  %all = graph.reshape %x : (tensor<2x8x24xf32>) -> tensor<2x8x3x4x2xf32>
  %t = graph.transpose %all permutation = [2, 0, 3, 1, 4] : (tensor<2x8x3x4x2xf32>) -> tensor<3x2x4x8x2xf32>
  %q1 = graph.slice %t start_indices = [0, 0, 0, 0, 0] limit_indices = [1, 2, 4, 8, 2] strides = [1, 1, 1, 1, 1] : (tensor<3x2x4x8x2xf32>) -> tensor<1x2x4x8x2xf32>
  %q = graph.reshape %q1 : (tensor<1x2x4x8x2xf32>) -> tensor<2x4x8x2xf32>
  %k1 = graph.slice %t start_indices = [1, 0, 0, 0, 0] limit_indices = [2, 2, 4, 8, 2] strides = [1, 1, 1, 1, 1] : (tensor<3x2x4x8x2xf32>) -> tensor<1x2x4x8x2xf32>
  %k = graph.reshape %k1 : (tensor<1x2x4x8x2xf32>) -> tensor<2x4x8x2xf32>
  %v1 = graph.slice %t start_indices = [2, 0, 0, 0, 0] limit_indices = [3, 2, 4, 8, 2] strides = [1, 1, 1, 1, 1] : (tensor<3x2x4x8x2xf32>) -> tensor<1x2x4x8x2xf32>
  %v = graph.reshape %v1 : (tensor<1x2x4x8x2xf32>) -> tensor<2x4x8x2xf32>
  %y = graph.attention %q, %v, %k : (tensor<2x4x8x2xf32>, tensor<2x4x8x2xf32>, tensor<2x4x8x2xf32>) -> tensor<2x4x8x2xf32>
  %all2 = graph.reshape %x : (tensor<2x8x24xf32>) -> tensor<2x8x4x3x2xf32>
  %t2 = graph.transpose %all2 permutation = [3, 0, 2, 1, 4] : (tensor<2x8x4x3x2xf32>) -> tensor<3x2x4x8x2xf32>
  %q3 = graph.slice %t2 start_indices = [0, 0, 0, 0, 0] limit_indices = [1, 2, 4, 8, 2] strides = [1, 1, 1, 1, 1] : (tensor<3x2x4x8x2xf32>) -> tensor<1x2x4x8x2xf32>
  %q4 = graph.reshape %q3 : (tensor<1x2x4x8x2xf32>) -> tensor<2x4x8x2xf32>
  %y2 = graph.attention %q4, %q4, %q4 : (tensor<2x4x8x2xf32>, tensor<2x4x8x2xf32>, tensor<2x4x8x2xf32>) -> tensor<2x4x8x2xf32>
  %some = graph.slice %w start_indices = [0, 1, 0] limit_indices = [2, 9, 24] strides = [1, 1, 1] : (tensor<2x9x24xf32>) -> tensor<2x8x24xf32>
  %all3 = graph.reshape %some : (tensor<2x8x24xf32>) -> tensor<2x8x12x2xf32>
  %t3 = graph.transpose %all3 permutation = [0, 2, 1, 3] : (tensor<2x8x12x2xf32>) -> tensor<2x12x8x2xf32>
  %q5 = graph.slice %t3 start_indices = [0, 0, 0, 0] limit_indices = [2, 4, 8, 2] strides = [1, 1, 1, 1] : (tensor<2x12x8x2xf32>) -> tensor<2x4x8x2xf32>
  %y3 = graph.attention %q5, %q5, %q5 : (tensor<2x4x8x2xf32>, tensor<2x4x8x2xf32>, tensor<2x4x8x2xf32>) -> tensor<2x4x8x2xf32>
  return %y, %y2, %y3 : tensor<2x4x8x2xf32>, tensor<2x4x8x2xf32>, tensor<2x4x8x2xf32>
}
