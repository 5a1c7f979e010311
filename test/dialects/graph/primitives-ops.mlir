// RUN: graph-opt %s | graph-opt - | FileCheck %s
// RUN: graph-opt --mlir-print-op-generic %s | graph-opt - | FileCheck %s

// CHECK-LABEL: func @rounding
func.func @rounding(%a: tensor<2x3xf32>, %i: tensor<4xi64>, %low: tensor<f32>) {
  // CHECK-NEXT: graph.floor %arg0 : tensor<2x3xf32>
  %0 = graph.floor %a : tensor<2x3xf32>
  // CHECK-NEXT: graph.ceil %arg0 : tensor<2x3xf32>
  %1 = graph.ceil %a : tensor<2x3xf32>
  // CHECK-NEXT: graph.round_nearest_even %arg0 : tensor<2x3xf32>
  %2 = graph.round_nearest_even %a : tensor<2x3xf32>
  // CHECK-NEXT: graph.remainder %arg0, %arg0 : tensor<2x3xf32>
  %3 = graph.remainder %a, %a : tensor<2x3xf32>
  // CHECK-NEXT: graph.remainder %arg1, %arg1 : tensor<4xi64>
  %4 = graph.remainder %i, %i : tensor<4xi64>
  // CHECK-NEXT: graph.clamp %arg2, %arg0, %arg0 : (tensor<f32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %5 = graph.clamp %low, %a, %a : (tensor<f32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK-NEXT: %[[P:.*]] = graph.is_finite %arg0 : tensor<2x3xf32>
  %6 = graph.is_finite %a : tensor<2x3xf32>
  // CHECK-NEXT: graph.not %[[P]] : tensor<2x3xi1>
  %7 = graph.not %6 : tensor<2x3xi1>
  return
}

// CHECK-LABEL: func @functions
func.func @functions(%a: tensor<2x3xf64>) {
  // CHECK-NEXT: graph.exponential_minus_one %arg0 : tensor<2x3xf64>
  %0 = graph.exponential_minus_one %a : tensor<2x3xf64>
  // CHECK-NEXT: graph.log_plus_one %arg0 : tensor<2x3xf64>
  %1 = graph.log_plus_one %a : tensor<2x3xf64>
  // CHECK-NEXT: graph.sine %arg0 : tensor<2x3xf64>
  %2 = graph.sine %a : tensor<2x3xf64>
  // CHECK-NEXT: graph.cosine %arg0 : tensor<2x3xf64>
  %3 = graph.cosine %a : tensor<2x3xf64>
  // CHECK-NEXT: graph.erf %arg0 : tensor<2x3xf64>
  %4 = graph.erf %a : tensor<2x3xf64>
  return
}

// CHECK-LABEL: func @bits
func.func @bits(%i: tensor<4xi32>, %p: tensor<4xi1>) {
  // CHECK-NEXT: graph.and %arg0, %arg0 : tensor<4xi32>
  %0 = graph.and %i, %i : tensor<4xi32>
  // CHECK-NEXT: graph.or %arg0, %arg0 : tensor<4xi32>
  %1 = graph.or %i, %i : tensor<4xi32>
  // CHECK-NEXT: graph.xor %arg1, %arg1 : tensor<4xi1>
  %2 = graph.xor %p, %p : tensor<4xi1>
  // CHECK-NEXT: graph.not %arg0 : tensor<4xi32>
  %3 = graph.not %i : tensor<4xi32>
  // CHECK-NEXT: graph.shift_left %arg0, %arg0 : tensor<4xi32>
  %4 = graph.shift_left %i, %i : tensor<4xi32>
  // CHECK-NEXT: graph.shift_right_arithmetic %arg0, %arg0 : tensor<4xi32>
  %5 = graph.shift_right_arithmetic %i, %i : tensor<4xi32>
  // CHECK-NEXT: graph.shift_right_logical %arg0, %arg0 : tensor<4xi32>
  %6 = graph.shift_right_logical %i, %i : tensor<4xi32>
  // CHECK-NEXT: graph.popcnt %arg0 : tensor<4xi32>
  %7 = graph.popcnt %i : tensor<4xi32>
  // CHECK-NEXT: graph.count_leading_zeros %arg0 : tensor<4xi32>
  %8 = graph.count_leading_zeros %i : tensor<4xi32>
  return
}

// CHECK-LABEL: func @reductions
func.func @reductions(%a: tensor<4x3xf32>, %i: tensor<4x3xi64>, %p: tensor<4x3xi1>) {
  // CHECK-NEXT: graph.reduce_prod %arg0 dimensions = [0] : (tensor<4x3xf32>) -> tensor<3xf32>
  %0 = graph.reduce_prod %a dimensions = [0] : (tensor<4x3xf32>) -> tensor<3xf32>
  // CHECK-NEXT: graph.reduce_and %arg2 dimensions = [1] : (tensor<4x3xi1>) -> tensor<4xi1>
  %1 = graph.reduce_and %p dimensions = [1] : (tensor<4x3xi1>) -> tensor<4xi1>
  // CHECK-NEXT: graph.reduce_or %arg1 dimensions = [0, 1] : (tensor<4x3xi64>) -> tensor<i64>
  %2 = graph.reduce_or %i dimensions = [0, 1] : (tensor<4x3xi64>) -> tensor<i64>
  return
}

// CHECK-LABEL: func @scans
func.func @scans(%a: tensor<4x3xf32>, %p: tensor<4x3xi1>) {
  // CHECK-NEXT: graph.stop_gradient %arg1 : tensor<4x3xi1>
  %stopped = graph.stop_gradient %p : tensor<4x3xi1>
  // CHECK-NEXT: graph.reverse %arg1 dimensions = [0, 1] : tensor<4x3xi1>
  %0 = graph.reverse %p dimensions = [0, 1] : tensor<4x3xi1>
  // CHECK-NEXT: graph.cumsum %arg0 dimension = 1 : tensor<4x3xf32>
  %1 = graph.cumsum %a dimension = 1 : tensor<4x3xf32>
  // CHECK-NEXT: graph.cumsum %arg0 dimension = 0 {exclusive, reverse} : tensor<4x3xf32>
  %2 = graph.cumsum %a dimension = 0 {exclusive, reverse} : tensor<4x3xf32>
  return
}

// CHECK-LABEL: func @activations
func.func @activations(%a: tensor<4xf32>) {
  // CHECK-NEXT: graph.gelu %arg0 : tensor<4xf32>
  %0 = graph.gelu %a : tensor<4xf32>
  // CHECK-NEXT: graph.gelu %arg0 {approximate = "tanh"} : tensor<4xf32>
  %1 = graph.gelu %a {approximate = "tanh"} : tensor<4xf32>
  // CHECK-NEXT: graph.gelu_grad %arg0, %arg0 {approximate = "tanh"} : tensor<4xf32>
  %2 = graph.gelu_grad %a, %a {approximate = "tanh"} : tensor<4xf32>
  // CHECK-NEXT: graph.silu %arg0 : tensor<4xf32>
  %3 = graph.silu %a : tensor<4xf32>
  // CHECK-NEXT: graph.silu_grad %arg0, %arg0 : tensor<4xf32>
  %4 = graph.silu_grad %a, %a : tensor<4xf32>
  // CHECK-NEXT: graph.softplus %arg0 : tensor<4xf32>
  %5 = graph.softplus %a : tensor<4xf32>
  // CHECK-NEXT: graph.elu %arg0 : tensor<4xf32>
  %6 = graph.elu %a : tensor<4xf32>
  // CHECK-NEXT: graph.elu %arg0 {alpha = 5.000000e-01 : f64} : tensor<4xf32>
  %7 = graph.elu %a {alpha = 0.5} : tensor<4xf32>
  // CHECK-NEXT: graph.leaky_relu %arg0 : tensor<4xf32>
  %8 = graph.leaky_relu %a : tensor<4xf32>
  // CHECK-NEXT: graph.hard_sigmoid %arg0 {beta = 2.500000e-01 : f64} : tensor<4xf32>
  %9 = graph.hard_sigmoid %a {beta = 0.25} : tensor<4xf32>
  // CHECK-NEXT: graph.hard_swish %arg0 : tensor<4xf32>
  %10 = graph.hard_swish %a : tensor<4xf32>
  return
}
