// RUN: graph-opt %s | graph-opt - | FileCheck %s
// RUN: graph-opt --mlir-print-op-generic %s | graph-opt - | FileCheck %s

// CHECK-LABEL: func @pad
func.func @pad(%a: tensor<2x3xf32>, %z: tensor<f32>, %s: tensor<i1>) {
  // CHECK-NEXT: graph.pad %arg0, %arg1 edge_padding_low = [1, -1] edge_padding_high = [0, 2] interior_padding = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3x6xf32>
  %0 = graph.pad %a, %z edge_padding_low = [1, -1] edge_padding_high = [0, 2] interior_padding = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3x6xf32>
  // CHECK-NEXT: graph.pad %arg2, %arg2 edge_padding_low = [] edge_padding_high = [] interior_padding = [] : (tensor<i1>, tensor<i1>) -> tensor<i1>
  %1 = graph.pad %s, %s edge_padding_low = [] edge_padding_high = [] interior_padding = [] : (tensor<i1>, tensor<i1>) -> tensor<i1>
  return
}
