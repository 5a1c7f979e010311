// RUN: graph-opt %s | graph-opt - | FileCheck %s
// RUN: graph-opt --mlir-print-op-generic %s | graph-opt - | FileCheck %s

// CHECK-LABEL: func @convolutions
func.func @convolutions(%x: tensor<8x32x32x16xf32>, %w: tensor<3x3x16x32xf32>, %a: tensor<2x6x11xi64>, %b: tensor<4x3x4xi64>) {
  // CHECK-NEXT: %[[Y:.*]] = graph.convolution %arg0, %arg1 window_strides = [2, 2] padding_low = [0, 0] padding_high = [1, 1] {hwio, nhwc} : (tensor<8x32x32x16xf32>, tensor<3x3x16x32xf32>) -> tensor<8x16x16x32xf32>
  %y = graph.convolution %x, %w window_strides = [2, 2] padding_low = [0, 0] padding_high = [1, 1] {nhwc, hwio} : (tensor<8x32x32x16xf32>, tensor<3x3x16x32xf32>) -> tensor<8x16x16x32xf32>
  // CHECK-NEXT: graph.convolution_input_grad %[[Y]], %arg1 window_strides = [2, 2] padding_high = [1, 1] {hwio, nhwc} : (tensor<8x16x16x32xf32>, tensor<3x3x16x32xf32>) -> tensor<8x32x32x16xf32>
  %g = graph.convolution_input_grad %y, %w window_strides = [2, 2] padding_high = [1, 1] {nhwc, hwio} : (tensor<8x16x16x32xf32>, tensor<3x3x16x32xf32>) -> tensor<8x32x32x16xf32>
  // CHECK-NEXT: graph.convolution_filter_grad %arg0, %[[Y]] window_strides = [2, 2] padding_high = [1, 1] {hwio, nhwc} : (tensor<8x32x32x16xf32>, tensor<8x16x16x32xf32>) -> tensor<3x3x16x32xf32>
  %f = graph.convolution_filter_grad %x, %y window_strides = [2, 2] padding_high = [1, 1] {nhwc, hwio} : (tensor<8x32x32x16xf32>, tensor<8x16x16x32xf32>) -> tensor<3x3x16x32xf32>
  // CHECK-NEXT: graph.convolution %arg2, %arg3 padding_low = [-1] rhs_dilation = [2] feature_group_count = 2 : (tensor<2x6x11xi64>, tensor<4x3x4xi64>) -> tensor<2x4x4xi64>
  %z = graph.convolution %a, %b padding_low = [-1] rhs_dilation = [2] feature_group_count = 2 : (tensor<2x6x11xi64>, tensor<4x3x4xi64>) -> tensor<2x4x4xi64>
  return
}
