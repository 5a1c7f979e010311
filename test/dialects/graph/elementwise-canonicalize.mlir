// RUN: graph-opt --split-input-file --canonicalize %s | FileCheck %s

// CHECK-LABEL: func @neutral
func.func @neutral(%a: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xi32>) {
  %one = graph.constant dense<1.0> : tensor<4xf32>
  %zero = graph.constant dense<0.0> : tensor<4xf32>
  %minus = graph.constant dense<-0.0> : tensor<4xf32>
  %izero = graph.constant dense<0> : tensor<4xi32>
  %0 = graph.multiply %a, %one : tensor<4xf32>
  %1 = graph.add %minus, %a : tensor<4xf32>
  %2 = graph.subtract %a, %zero : tensor<4xf32>
  %3 = graph.divide %a, %one : tensor<4xf32>
  %4 = graph.add %i, %izero : tensor<4xi32>
  %5 = graph.multiply %i, %izero : tensor<4xi32>
  // CHECK: %[[ZERO:.*]] = graph.constant dense<0> : tensor<4xi32>
  // CHECK-NEXT: return %arg0, %arg0, %arg0, %arg0, %arg1, %[[ZERO]]
  return %0, %1, %2, %3, %4, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xi32>
}

// -----

// What looks neutral and is not, bit by bit: -0 + 0 is +0, NaN * 0 is NaN, inf - inf is NaN, NaN != NaN.
// CHECK-LABEL: func @not_neutral
func.func @not_neutral(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>) {
  %zero = graph.constant dense<0.0> : tensor<4xf32>
  // CHECK: graph.add
  %0 = graph.add %a, %zero : tensor<4xf32>
  // CHECK: graph.multiply
  %1 = graph.multiply %a, %zero : tensor<4xf32>
  // CHECK: graph.subtract
  %2 = graph.subtract %a, %a : tensor<4xf32>
  // CHECK: graph.compare
  %3 = graph.compare eq, %a, %a : tensor<4xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>
}

// -----

// CHECK-LABEL: func @twice
// CHECK-NEXT: %[[ABS:.*]] = graph.abs %arg0
// CHECK-NEXT: %[[RELU:.*]] = graph.relu %arg0
// CHECK-NEXT: return %arg0, %[[ABS]], %[[RELU]], %arg1, %arg0
func.func @twice(%a: tensor<4xf32>, %p: tensor<4xi1>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>, tensor<4xf32>) {
  %n = graph.negate %a : tensor<4xf32>
  %nn = graph.negate %n : tensor<4xf32>
  %b = graph.abs %a : tensor<4xf32>
  %bb = graph.abs %b : tensor<4xf32>
  %r = graph.relu %a : tensor<4xf32>
  %rr = graph.relu %r : tensor<4xf32>
  %q = graph.not %p : tensor<4xi1>
  %qq = graph.not %q : tensor<4xi1>
  %m = graph.maximum %a, %a : tensor<4xf32>
  return %nn, %bb, %rr, %qq, %m : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func @constants
func.func @constants() -> (tensor<2xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xf32>, tensor<2xi1>, tensor<2xf64>, tensor<2xf32>) {
  %a = graph.constant dense<[1.0, -2.5]> : tensor<2xf32>
  %b = graph.constant dense<[0.1, 4.0]> : tensor<2xf32>
  %i = graph.constant dense<[7, -7]> : tensor<2xi32>
  %j = graph.constant dense<[2, 0]> : tensor<2xi32>
  // CHECK-DAG: dense<[1.100000e+00, 1.500000e+00]> : tensor<2xf32>
  %0 = graph.add %a, %b : tensor<2xf32>
  // An integer divided by zero gives zero.
  // CHECK-DAG: dense<[3, 0]> : tensor<2xi32>
  %1 = graph.divide %i, %j : tensor<2xi32>
  // CHECK-DAG: dense<[14, 0]> : tensor<2xi32>
  %2 = graph.multiply %i, %j : tensor<2xi32>
  // CHECK-DAG: dense<[1.000000e+00, 2.500000e+00]> : tensor<2xf32>
  %3 = graph.abs %a : tensor<2xf32>
  // CHECK-DAG: dense<[false, true]> : tensor<2xi1>
  %4 = graph.compare lt, %a, %b : tensor<2xf32>
  // CHECK-DAG: dense<[7.000000e+00, -7.000000e+00]> : tensor<2xf64>
  %5 = graph.convert %i : (tensor<2xi32>) -> tensor<2xf64>
  // CHECK-DAG: dense<[1.000000e+00, 4.000000e+00]> : tensor<2xf32>
  %6 = graph.maximum %a, %b : tensor<2xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<2xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xf32>, tensor<2xi1>, tensor<2xf64>, tensor<2xf32>
}

// -----

// A large constant that is no splat is left to a kernel; a splat is not.
// CHECK-LABEL: func @sizes
func.func @sizes(%a: tensor<257xf32>) -> tensor<4096xf32> {
  // CHECK: dense<3.000000e+00> : tensor<4096xf32>
  %one = graph.constant dense<1.0> : tensor<4096xf32>
  %two = graph.constant dense<2.0> : tensor<4096xf32>
  %0 = graph.add %one, %two : tensor<4096xf32>
  return %0 : tensor<4096xf32>
}

// -----

// CHECK-LABEL: func @choice
// CHECK-NEXT: return %arg0, %arg1, %arg0, %arg2
func.func @choice(%a: tensor<4xf32>, %b: tensor<4xf32>, %p: tensor<4xi1>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>) {
  %true = graph.constant dense<true> : tensor<4xi1>
  %false = graph.constant dense<false> : tensor<4xi1>
  %0 = graph.select %true, %a, %b : tensor<4xf32>
  %1 = graph.select %false, %a, %b : tensor<4xf32>
  %2 = graph.select %p, %a, %a : tensor<4xf32>
  %3 = graph.select %p, %true, %false : tensor<4xi1>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>
}

// -----

// CHECK-LABEL: func @logic
// CHECK: %[[F:.*]] = graph.constant dense<false>
// CHECK: %[[T:.*]] = graph.constant dense<true>
// CHECK: return %arg0, %[[F]], %arg0, %[[T]], %arg0, %arg0
func.func @logic(%p: tensor<4xi1>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  %false = graph.constant dense<false> : tensor<4xi1>
  %true = graph.constant dense<true> : tensor<4xi1>
  %0 = graph.and %p, %true : tensor<4xi1>
  %1 = graph.and %p, %false : tensor<4xi1>
  %2 = graph.or %p, %false : tensor<4xi1>
  %3 = graph.or %p, %true : tensor<4xi1>
  %4 = graph.and %p, %p : tensor<4xi1>
  %5 = graph.or %p, %p : tensor<4xi1>
  return %0, %1, %2, %3, %4, %5 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}

// -----

// CHECK-LABEL: func @powers
func.func @powers(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %m2 = graph.constant dense<-2.0> : tensor<4xf32>
  %zero = graph.constant dense<0.0> : tensor<4xf32>
  %three = graph.constant dense<3.0> : tensor<4xf32>
  %half = graph.constant dense<0.5> : tensor<4xf32>
  // CHECK-DAG: %[[HALF:.*]] = graph.constant dense<5.000000e-01>
  // CHECK-DAG: %[[ONE:.*]] = graph.constant dense<1.000000e+00>
  // CHECK: %[[SQUARE:.*]] = graph.multiply %arg0, %arg0 {graph.device = #graph.device<"/device:GPU:0">}
  // CHECK: %[[M2:.*]] = graph.divide %[[ONE]], %[[SQUARE]] {graph.device = #graph.device<"/device:GPU:0">}
  %0 = graph.power %a, %m2 {graph.device = #graph.device<"/gpu:0">} : tensor<4xf32>
  %1 = graph.power %a, %zero : tensor<4xf32>
  // CHECK: %[[S:.*]] = graph.multiply %arg0, %arg0 : tensor<4xf32>
  // CHECK: %[[CUBE:.*]] = graph.multiply %[[S]], %arg0
  %2 = graph.power %a, %three : tensor<4xf32>
  // CHECK: %[[ROOT:.*]] = graph.power %arg0, %[[HALF]]
  %3 = graph.power %a, %half : tensor<4xf32>
  // CHECK: return %[[M2]], %[[ONE]], %[[CUBE]], %[[ROOT]]
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
