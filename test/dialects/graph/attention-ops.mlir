// RUN: graph-opt %s | graph-opt - | FileCheck %s
// RUN: graph-opt --mlir-print-op-generic %s | graph-opt - | FileCheck %s

// CHECK-LABEL: func @attention
func.func @attention(%q: tensor<2x4x8x3xf32>, %k: tensor<2x4x6x3xf32>, %v: tensor<2x4x6x5xf32>, %m: tensor<2x1x1x6xi1>, %s: tensor<8x3xf64>) {
  // CHECK-NEXT: %[[Y:.*]] = graph.attention %arg0, %arg1, %arg2 : (tensor<2x4x8x3xf32>, tensor<2x4x6x3xf32>, tensor<2x4x6x5xf32>) -> tensor<2x4x8x5xf32>
  %0 = graph.attention %q, %k, %v : (tensor<2x4x8x3xf32>, tensor<2x4x6x3xf32>, tensor<2x4x6x5xf32>) -> tensor<2x4x8x5xf32>
  // CHECK-NEXT: graph.attention %arg0, %arg1, %arg2 mask %arg3 {scale = 5.000000e-01 : f64} : (tensor<2x4x8x3xf32>, tensor<2x4x6x3xf32>, tensor<2x4x6x5xf32>, tensor<2x1x1x6xi1>) -> tensor<2x4x8x5xf32>
  %1 = graph.attention %q, %k, %v mask %m {scale = 0.5} : (tensor<2x4x8x3xf32>, tensor<2x4x6x3xf32>, tensor<2x4x6x5xf32>, tensor<2x1x1x6xi1>) -> tensor<2x4x8x5xf32>
  // CHECK-NEXT: graph.attention %arg4, %arg4, %arg4 {causal} : (tensor<8x3xf64>, tensor<8x3xf64>, tensor<8x3xf64>) -> tensor<8x3xf64>
  %2 = graph.attention %s, %s, %s {causal} : (tensor<8x3xf64>, tensor<8x3xf64>, tensor<8x3xf64>) -> tensor<8x3xf64>
  // CHECK-NEXT: graph.attention_grad %arg0, %arg1, %arg2, %[[Y]], %[[Y]] mask %arg3 {causal} : (tensor<2x4x8x3xf32>, tensor<2x4x6x3xf32>, tensor<2x4x6x5xf32>, tensor<2x4x8x5xf32>, tensor<2x4x8x5xf32>, tensor<2x1x1x6xi1>) -> (tensor<2x4x8x3xf32>, tensor<2x4x6x3xf32>, tensor<2x4x6x5xf32>)
  %3:3 = graph.attention_grad %q, %k, %v, %0, %0 mask %m {causal} : (tensor<2x4x8x3xf32>, tensor<2x4x6x3xf32>, tensor<2x4x6x5xf32>, tensor<2x4x8x5xf32>, tensor<2x4x8x5xf32>, tensor<2x1x1x6xi1>) -> (tensor<2x4x8x3xf32>, tensor<2x4x6x3xf32>, tensor<2x4x6x5xf32>)
  return
}

// CHECK-LABEL: func @packed_attention
func.func @packed_attention(%x: tensor<2x8x24xf32>, %m: tensor<2x1x1x8xi1>, %s: tensor<8x3xf64>) {
  // CHECK-NEXT: %[[Y:.*]] = graph.packed_attention %arg0 mask %arg1 heads = 4 {causal} : (tensor<2x8x24xf32>, tensor<2x1x1x8xi1>) -> tensor<2x8x8xf32>
  %0 = graph.packed_attention %x mask %m heads = 4 {causal} : (tensor<2x8x24xf32>, tensor<2x1x1x8xi1>) -> tensor<2x8x8xf32>
  // CHECK-NEXT: graph.packed_attention %arg2 heads = 1 {scale = 5.000000e-01 : f64} : (tensor<8x3xf64>) -> tensor<8x1xf64>
  %1 = graph.packed_attention %s heads = 1 {scale = 0.5} : (tensor<8x3xf64>) -> tensor<8x1xf64>
  // CHECK-NEXT: graph.packed_attention_grad %arg0, %[[Y]], %[[Y]] mask %arg1 heads = 4 {causal} : (tensor<2x8x24xf32>, tensor<2x8x8xf32>, tensor<2x8x8xf32>, tensor<2x1x1x8xi1>) -> tensor<2x8x24xf32>
  %2 = graph.packed_attention_grad %x, %0, %0 mask %m heads = 4 {causal} : (tensor<2x8x24xf32>, tensor<2x8x8xf32>, tensor<2x8x8xf32>, tensor<2x1x1x8xi1>) -> tensor<2x8x24xf32>
  return
}
