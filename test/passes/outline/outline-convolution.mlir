// RUN: graph-opt %s --split-input-file --decompose --outline --verify-outlined | FileCheck %s

// A convolution that a CPU's library serves is left to it, whole; where it serves none, padding is a tensor of its own and the rest loops
// whose windows slide: an index of two loops.
// CHECK-LABEL: dist.program @cpu
// CHECK: dist.library_call "convolution"({{.*}}descriptor = {hwio, nhwc, padding_high = array<i64: 1, 1>, padding_low = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, window_strides = array<i64: 1, 1>}
// CHECK-NOT: dist.call
dist.phase @p {role = #graph.role<predict>}
dist.program @cpu of @p on "/job:t/task:0/device:CPU:0" {
  dist.control_send []
  %x = dist.feed "x" : tensor<4x8x8x16xf32>
  %w = dist.feed "w" : tensor<3x3x16x16xf32>
  %0 = graph.convolution %x, %w padding_low = [1, 1] padding_high = [1, 1] {nhwc, hwio} : (tensor<4x8x8x16xf32>, tensor<3x3x16x16xf32>) -> tensor<4x8x8x16xf32>
  dist.fetch "y", %0 : tensor<4x8x8x16xf32>
  dist.control_receive local
  dist.end
}

// -----

// CHECK-LABEL: dist.program @gpu
// CHECK-NOT: dist.library_call
// CHECK-LABEL: func.func private @
// CHECK: affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 + d4, d2 + d5, d6)>
dist.phase @p {role = #graph.role<predict>}
dist.program @gpu of @p on "/job:t/task:0/device:GPU:0" {
  dist.control_send []
  %x = dist.feed "x" : tensor<4x8x8x16xf32>
  %w = dist.feed "w" : tensor<3x3x16x16xf32>
  %0 = graph.convolution %x, %w padding_low = [1, 1] padding_high = [1, 1] {nhwc, hwio} : (tensor<4x8x8x16xf32>, tensor<3x3x16x16xf32>) -> tensor<4x8x8x16xf32>
  dist.fetch "y", %0 : tensor<4x8x8x16xf32>
  dist.control_receive local
  dist.end
}

// -----

// Few multiply-adds, and other types, are compiled on a CPU too.
// CHECK-LABEL: dist.program @small
// CHECK-NOT: dist.library_call
dist.phase @p {role = #graph.role<predict>}
dist.program @small of @p on "/job:t/task:0/device:CPU:0" {
  dist.control_send []
  %x = dist.feed "x" : tensor<1x2x6x6xf32>
  %w = dist.feed "w" : tensor<2x2x3x3xf32>
  %0 = graph.convolution %x, %w : (tensor<1x2x6x6xf32>, tensor<2x2x3x3xf32>) -> tensor<1x2x4x4xf32>
  dist.fetch "y", %0 : tensor<1x2x4x4xf32>
  %a = dist.feed "a" : tensor<4x8x8x16xf64>
  %b = dist.feed "b" : tensor<3x3x16x16xf64>
  %1 = graph.convolution %a, %b {nhwc, hwio} : (tensor<4x8x8x16xf64>, tensor<3x3x16x16xf64>) -> tensor<4x6x6x16xf64>
  dist.fetch "z", %1 : tensor<4x6x6x16xf64>
  dist.control_receive local
  dist.end
}
