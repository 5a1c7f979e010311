// RUN: graph-opt --import-stablehlo --split-input-file %s | FileCheck %s

// Layouts that the graph dialect has, features last and first.
// CHECK-LABEL: graph.func private @nhwc(
// CHECK-NEXT: %[[Y:.*]] = graph.convolution %arg0, %arg1 window_strides = [2, 2] padding_low = [0, 1] padding_high = [1, 0] rhs_dilation = [1, 1] feature_group_count = 2 {hwio, nhwc}
// CHECK-NEXT: graph.return %[[Y]]
func.func @nhwc(%x: tensor<8x6x6x4xf32>, %w: tensor<3x3x2x8xf32>) -> tensor<8x3x3x8xf32> {
  %y = "stablehlo.convolution"(%x, %w) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 2 : i64, lhs_dilation = array<i64: 1, 1>, padding = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 1, 1>, window_strides = array<i64: 2, 2>, window_reversal = array<i1: false, false>}> : (tensor<8x6x6x4xf32>, tensor<3x3x2x8xf32>) -> tensor<8x3x3x8xf32>
  return %y : tensor<8x3x3x8xf32>
}

// -----

// CHECK-LABEL: graph.func private @nchw(
// CHECK-NEXT: graph.convolution %arg0, %arg1 window_strides = [1, 1] padding_low = [1, 1] padding_high = [1, 1] rhs_dilation = [1, 1] : (tensor<8x4x6x6xf32>, tensor<8x4x3x3xf32>)
func.func @nchw(%x: tensor<8x4x6x6xf32>, %w: tensor<8x4x3x3xf32>) -> tensor<8x8x6x6xf32> {
  %y = "stablehlo.convolution"(%x, %w) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]>, feature_group_count = 1 : i64, padding = dense<1> : tensor<2x2xi64>}> : (tensor<8x4x6x6xf32>, tensor<8x4x3x3xf32>) -> tensor<8x8x6x6xf32>
  return %y : tensor<8x8x6x6xf32>
}

// -----

// Others are transposed; a reversed window is a reversed filter, and a dilated operand one with zeros between its elements.
// CHECK-LABEL: graph.func private @other(
// CHECK-NEXT: %[[T:.*]] = graph.transpose %arg0 permutation = [3, 1, 2, 0] : (tensor<4x3x3x8xf32>) -> tensor<8x3x3x4xf32>
// CHECK-NEXT: %[[ZERO:.*]] = graph.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[X:.*]] = graph.pad %[[T]], %[[ZERO]] edge_padding_low = [0, 0, 0, 0] edge_padding_high = [0, 0, 0, 0] interior_padding = [0, 1, 1, 0] : (tensor<8x3x3x4xf32>, tensor<f32>) -> tensor<8x5x5x4xf32>
// CHECK-NEXT: %[[W:.*]] = graph.transpose %arg1 permutation = [1, 2, 0, 3] : (tensor<4x3x3x8xf32>) -> tensor<3x3x4x8xf32>
// CHECK-NEXT: %[[R:.*]] = graph.reverse %[[W]] dimensions = [0, 1]
// CHECK-NEXT: %[[Y:.*]] = graph.convolution %[[X]], %[[R]] window_strides = [1, 1] padding_low = [2, 2] padding_high = [2, 2] rhs_dilation = [1, 1] {hwio, nhwc} : {{.*}} -> tensor<8x7x7x8xf32>
// CHECK-NEXT: graph.transpose %[[Y]] permutation = [1, 2, 0, 3] : (tensor<8x7x7x8xf32>) -> tensor<7x7x8x8xf32>
func.func @other(%x: tensor<4x3x3x8xf32>, %w: tensor<4x3x3x8xf32>) -> tensor<7x7x8x8xf32> {
  %y = "stablehlo.convolution"(%x, %w) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 2, 2>, padding = dense<2> : tensor<2x2xi64>, window_reversal = array<i1: true, true>}> : (tensor<4x3x3x8xf32>, tensor<4x3x3x8xf32>) -> tensor<7x7x8x8xf32>
  return %y : tensor<7x7x8x8xf32>
}

// -----

// CHECK-LABEL: graph.func private @max(
// CHECK: graph.max_pool %arg0 window_dimensions = [3, 3] window_strides = [2, 2] padding_low = [0, 0] padding_high = [1, 1] window_dilations = [1, 1] {nhwc} : (tensor<8x6x6x4xf32>) -> tensor<8x3x3x4xf32>
func.func @max(%x: tensor<8x6x6x4xf32>) -> tensor<8x3x3x4xf32> {
  %z = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
  %y = "stablehlo.reduce_window"(%x, %z) <{padding = dense<[[0, 0], [0, 1], [0, 1], [0, 0]]> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = "stablehlo.maximum"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) : (tensor<8x6x6x4xf32>, tensor<f32>) -> tensor<8x3x3x4xf32>
  return %y : tensor<8x3x3x4xf32>
}

// -----

// Sums are means times the number of places.
// CHECK-LABEL: graph.func private @sum(
// CHECK: %[[MEAN:.*]] = graph.avg_pool %arg0 window_dimensions = [2, 2] window_strides = [2, 2] padding_low = [0, 0] padding_high = [0, 0] window_dilations = [1, 1] {count_include_pad}
// CHECK-NEXT: %[[FOUR:.*]] = graph.constant dense<4.000000e+00>
// CHECK-NEXT: graph.multiply %[[MEAN]], %[[FOUR]]
func.func @sum(%x: tensor<8x4x6x6xf32>) -> tensor<8x4x3x3xf32> {
  %z = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
  %y = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) : (tensor<8x4x6x6xf32>, tensor<f32>) -> tensor<8x4x3x3xf32>
  return %y : tensor<8x4x3x3xf32>
}
