// RUN: graph-opt --split-input-file --canonicalize %s | FileCheck %s

// CHECK-LABEL: func @rounding
func.func @rounding(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) {
  %x = graph.constant dense<[2.5, -0.25, 0x7F800000, -3.5, -0.0]> : tensor<5xf32>
  // CHECK-DAG: %[[FLOOR:.*]] = graph.constant dense<[2.000000e+00, -1.000000e+00, 0x7F800000, -4.000000e+00, -0.000000e+00]>
  %0 = graph.floor %x : tensor<5xf32>
  // CHECK-DAG: %[[CEIL:.*]] = graph.constant dense<[3.000000e+00, -0.000000e+00, 0x7F800000, -3.000000e+00, -0.000000e+00]>
  %1 = graph.ceil %x : tensor<5xf32>
  // CHECK-DAG: %[[ROUND:.*]] = graph.constant dense<[2.000000e+00, -0.000000e+00, 0x7F800000, -4.000000e+00, -0.000000e+00]>
  %2 = graph.round_nearest_even %x : tensor<5xf32>
  // What is whole stays.
  // CHECK: %[[WHOLE:.*]] = graph.ceil %arg0
  %3 = graph.ceil %a : tensor<4xf32>
  %4 = graph.floor %3 : tensor<4xf32>
  // CHECK-NEXT: return %[[WHOLE]], %[[FLOOR]], %[[CEIL]], %[[ROUND]]
  return %4, %0, %1, %2 : tensor<4xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}

// -----

// CHECK-LABEL: func @limits
func.func @limits(%a: tensor<4xf32>) -> (tensor<3xf32>, tensor<3xi32>, tensor<3xf32>, tensor<2xi1>, tensor<4xf32>) {
  %x = graph.constant dense<[5.5, -5.5, 1.0]> : tensor<3xf32>
  %y = graph.constant dense<[2.0, 2.0, 0.0]> : tensor<3xf32>
  // CHECK-DAG: %[[R:.*]] = graph.constant dense<[1.500000e+00, -1.500000e+00, 0x7FC00000]> : tensor<3xf32>
  %0 = graph.remainder %x, %y : tensor<3xf32>
  %i = graph.constant dense<[-7, 7, -2147483648]> : tensor<3xi32>
  %j = graph.constant dense<[2, 0, -1]> : tensor<3xi32>
  // CHECK-DAG: %[[I:.*]] = graph.constant dense<[-1, 7, 0]> : tensor<3xi32>
  %1 = graph.remainder %i, %j : tensor<3xi32>
  %low = graph.constant dense<-1.0> : tensor<f32>
  // CHECK-DAG: %[[C:.*]] = graph.constant dense<[2.000000e+00, -1.000000e+00, 0.000000e+00]> : tensor<3xf32>
  %2 = graph.clamp %low, %x, %y : (tensor<f32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %z = graph.constant dense<[0x7F800000, 1.0]> : tensor<2xf32>
  // CHECK-DAG: %[[F:.*]] = graph.constant dense<[false, true]> : tensor<2xi1>
  %3 = graph.is_finite %z : tensor<2xf32>
  // CHECK: %[[KEPT:.*]] = graph.clamp
  %4 = graph.clamp %low, %a, %a : (tensor<f32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: return %[[R]], %[[I]], %[[C]], %[[F]], %[[KEPT]]
  return %0, %1, %2, %3, %4 : tensor<3xf32>, tensor<3xi32>, tensor<3xf32>, tensor<2xi1>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func @bits
func.func @bits(%a: tensor<3xi32>) -> (tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>) {
  %ones = graph.constant dense<-1> : tensor<3xi32>
  %zero = graph.constant dense<0> : tensor<3xi32>
  %0 = graph.and %a, %ones : tensor<3xi32>
  %1 = graph.or %a, %ones : tensor<3xi32>
  %2 = graph.xor %a, %zero : tensor<3xi32>
  %3 = graph.xor %a, %a : tensor<3xi32>
  %4 = graph.shift_left %a, %zero : tensor<3xi32>
  %5 = graph.not %a : tensor<3xi32>
  %6 = graph.not %5 : tensor<3xi32>
  // CHECK-DAG: %[[ONES:.*]] = graph.constant dense<-1>
  // CHECK-DAG: %[[ZERO:.*]] = graph.constant dense<0>
  // CHECK: return %arg0, %[[ONES]], %arg0, %[[ZERO]], %arg0, %arg0
  return %0, %1, %2, %3, %4, %6 : tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>
}

// -----

// Shifts by as many bits as there are, by more, and by negative numbers.
// CHECK-LABEL: func @shifts
func.func @shifts() -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
  %x = graph.constant dense<[-8, -8, 5, -1]> : tensor<4xi32>
  %y = graph.constant dense<[1, 32, 100, -1]> : tensor<4xi32>
  // CHECK-DAG: %[[LEFT:.*]] = graph.constant dense<[-16, 0, 0, 0]>
  %0 = graph.shift_left %x, %y : tensor<4xi32>
  // CHECK-DAG: %[[SIGNED:.*]] = graph.constant dense<[-4, -1, 0, -1]>
  %1 = graph.shift_right_arithmetic %x, %y : tensor<4xi32>
  // CHECK-DAG: %[[RIGHT:.*]] = graph.constant dense<[2147483644, 0, 0, 0]>
  %2 = graph.shift_right_logical %x, %y : tensor<4xi32>
  // CHECK-DAG: %[[XOR:.*]] = graph.constant dense<[-7, -40, 97, 0]>
  %3 = graph.xor %x, %y : tensor<4xi32>
  // CHECK-DAG: %[[COUNT:.*]] = graph.constant dense<[29, 29, 2, 32]>
  %4 = graph.popcnt %x : tensor<4xi32>
  // CHECK-DAG: %[[LEADING:.*]] = graph.constant dense<[0, 0, 29, 0]>
  %5 = graph.count_leading_zeros %x : tensor<4xi32>
  // CHECK: return %[[LEFT]], %[[SIGNED]], %[[RIGHT]], %[[XOR]], %[[COUNT]], %[[LEADING]]
  return %0, %1, %2, %3, %4, %5 : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}

// -----

// CHECK-LABEL: func @along
func.func @along(%a: tensor<4x1xf32>, %p: tensor<4x1xi1>) -> (tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xi1>, tensor<4x1xf32>) {
  %0 = graph.reverse %a dimensions = [0] : tensor<4x1xf32>
  %1 = graph.reverse %0 dimensions = [0] : tensor<4x1xf32>
  %2 = graph.reverse %a dimensions = [1] : tensor<4x1xf32>
  %3 = graph.cumsum %a dimension = 1 : tensor<4x1xf32>
  %4 = graph.cumsum %a dimension = 1 {exclusive} : tensor<4x1xf32>
  %5 = graph.reduce_prod %a dimensions = [] : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %6 = graph.reduce_and %p dimensions = [] : (tensor<4x1xi1>) -> tensor<4x1xi1>
  %7 = graph.reduce_or %6 dimensions = [] : (tensor<4x1xi1>) -> tensor<4x1xi1>
  %c = graph.constant dense<2.0> : tensor<4x1xf32>
  %8 = graph.reverse %c dimensions = [0] : tensor<4x1xf32>
  // CHECK-DAG: %[[ZERO:.*]] = graph.constant dense<0.000000e+00>
  // CHECK-DAG: %[[TWO:.*]] = graph.constant dense<2.000000e+00>
  // CHECK: return %arg0, %arg0, %arg0, %[[ZERO]], %arg0, %arg1, %[[TWO]]
  return %1, %2, %3, %4, %5, %7, %8 : tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xi1>, tensor<4x1xf32>
}
