// RUN: graph-opt %s | graph-opt - | FileCheck %s
// RUN: graph-opt --mlir-print-op-generic %s | graph-opt - | FileCheck %s

// CHECK-LABEL: func @uniform
func.func @uniform(%n: tensor<i64>) {
  // CHECK-NEXT: graph.random_uniform : tensor<2x3xf32>
  %0 = graph.random_uniform : tensor<2x3xf32>
  // CHECK-NEXT: graph.random_uniform {high = 1.000000e+00 : f64, low = -1.000000e+00 : f64, seed = 7 : i64} : tensor<2x3xf64>
  %1 = graph.random_uniform {low = -1.0, high = 1.0, seed = 7} : tensor<2x3xf64>
  // CHECK-NEXT: graph.random_uniform at %arg0 {draw = 3 : i64, high = 2147483648 : i64, low = -2147483648 : i64} : tensor<i32>
  %2 = graph.random_uniform at %n {draw = 3, high = 2147483648, low = -2147483648} : tensor<i32>
  // CHECK-NEXT: graph.random_uniform at %arg0 {high = 9223372036854775807 : i64, low = -9223372036854775808 : i64} : tensor<4xi64>
  %3 = graph.random_uniform at %n {high = 9223372036854775807, low = -9223372036854775808} : tensor<4xi64>
  return
}

// CHECK-LABEL: func @normal
func.func @normal(%n: tensor<i64>) {
  // CHECK-NEXT: graph.random_normal : tensor<2x3xf32>
  %0 = graph.random_normal {mean = 0.0, stddev = 1.0, seed = 0} : tensor<2x3xf32>
  // CHECK-NEXT: graph.random_normal at %arg0 {mean = 2.000000e+00 : f64, seed = -1 : i64, stddev = 0.000000e+00 : f64} : tensor<4xf64>
  %1 = graph.random_normal at %n {mean = 2.0, stddev = 0.0, seed = -1} : tensor<4xf64>
  return
}

// CHECK-LABEL: func @dropout
func.func @dropout(%x: tensor<2x3xf32>, %n: tensor<i64>) {
  // CHECK-NEXT: graph.dropout %arg0 {rate = 1.000000e-01 : f64} : tensor<2x3xf32>
  %0 = graph.dropout %x {rate = 0.1} : tensor<2x3xf32>
  // CHECK-NEXT: graph.dropout %arg0 at %arg1 {draw = 1 : i64, rate = 5.000000e-01 : f64, seed = 4 : i64, training_mode = true} : tensor<2x3xf32>
  %1 = graph.dropout %x at %n {draw = 1, rate = 0.5, seed = 4, training_mode = true} : tensor<2x3xf32>
  return
}

// The key of a draw, in place of seed and number.
// CHECK-LABEL: func @keys
func.func @keys(%x: tensor<2x3xf32>, %n: tensor<i64>, %k: tensor<2xi64>) {
  // CHECK-NEXT: graph.dropout %arg0 at %arg1 key %arg2 {rate = 5.000000e-01 : f64} : tensor<2x3xf32>
  %0 = graph.dropout %x at %n key %k {rate = 0.5} : tensor<2x3xf32>
  // CHECK-NEXT: graph.random_uniform at %arg1 key %arg2 : tensor<2x3xf32>
  %1 = graph.random_uniform at %n key %k : tensor<2x3xf32>
  // CHECK-NEXT: graph.random_normal at %arg1 key %arg2 : tensor<2x3xf32>
  %2 = graph.random_normal at %n key %k : tensor<2x3xf32>
  return
}

// CHECK-LABEL: func @micro_batch_index
func.func @micro_batch_index() {
  // CHECK-NEXT: graph.micro_batch_index{{$}}
  %0 = graph.micro_batch_index {micro_batch = 0, micro_batches = 1}
  // CHECK-NEXT: graph.micro_batch_index {micro_batch = 2 : i64, micro_batches = 4 : i64}
  %1 = graph.micro_batch_index {micro_batch = 2, micro_batches = 4}
  return
}
