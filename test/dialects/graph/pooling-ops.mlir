// RUN: graph-opt %s | graph-opt - | FileCheck %s
// RUN: graph-opt --mlir-print-op-generic %s | graph-opt - | FileCheck %s

// CHECK-LABEL: func @pools
func.func @pools(%x: tensor<8x28x28x16xf32>, %y: tensor<2x3x11xi64>) {
  // CHECK-NEXT: %[[M:.*]] = graph.max_pool %arg0 window_dimensions = [2, 2] window_strides = [2, 2] {nhwc} : (tensor<8x28x28x16xf32>) -> tensor<8x14x14x16xf32>
  %m = graph.max_pool %x window_dimensions = [2, 2] window_strides = [2, 2] {nhwc} : (tensor<8x28x28x16xf32>) -> tensor<8x14x14x16xf32>
  // CHECK-NEXT: graph.max_pool_grad %arg0, %[[M]] window_dimensions = [2, 2] window_strides = [2, 2] {nhwc} : (tensor<8x28x28x16xf32>, tensor<8x14x14x16xf32>) -> tensor<8x28x28x16xf32>
  %g = graph.max_pool_grad %x, %m window_dimensions = [2, 2] window_strides = [2, 2] {nhwc} : (tensor<8x28x28x16xf32>, tensor<8x14x14x16xf32>) -> tensor<8x28x28x16xf32>
  // CHECK-NEXT: graph.avg_pool %arg0 window_dimensions = [3, 3] padding_low = [1, 1] padding_high = [1, 1] {count_include_pad, nhwc} : (tensor<8x28x28x16xf32>) -> tensor<8x28x28x16xf32>
  %a = graph.avg_pool %x window_dimensions = [3, 3] padding_low = [1, 1] padding_high = [1, 1] {count_include_pad, nhwc} : (tensor<8x28x28x16xf32>) -> tensor<8x28x28x16xf32>
  // CHECK-NEXT: graph.max_pool %arg1 window_dimensions = [4] padding_low = [-2] window_dilations = [2] : (tensor<2x3x11xi64>) -> tensor<2x3x3xi64>
  %d = graph.max_pool %y window_dimensions = [4] padding_low = [-2] window_dilations = [2] : (tensor<2x3x11xi64>) -> tensor<2x3x3xi64>
  return
}
