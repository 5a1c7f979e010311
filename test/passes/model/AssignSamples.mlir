// RUN: graph-opt --assign-samples --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: graph-opt --assign-samples --assign-samples --split-input-file %s 2>/dev/null | FileCheck %s

// The ops of one data set in a function share each micro-batch, in the order of the text; those of another data set, and of another function, are apart.
graph.dataset @d : (tensor<4xf32>) = #graph.npy<files = ["x.npy"]>
graph.dataset @e : (tensor<f32>) = #graph.npy<files = ["y.npy"]>
// CHECK-LABEL: graph.func @train
graph.func @train() -> (tensor<8x4xf32>, tensor<2xf32>, tensor<2x4xf32>, tensor<8x4xf32>) attributes {role = #graph.role<train>} {
  // expected-remark @below {{the 3 graph.next_batch of @d in @train share its samples: each takes the next ones in execution order, so one micro-batch takes 18 samples}}
  %a = graph.next_batch @d {batch = 8} : tensor<8x4xf32>
  // CHECK: graph.next_batch @d {batch = 8 : i64, stride = 18 : i64} : tensor<8x4xf32>
  %b = graph.next_batch @e {batch = 2} : tensor<2xf32>
  // CHECK: graph.next_batch @e {batch = 2 : i64} : tensor<2xf32>
  // expected-note @below {{the second graph.next_batch is here}}
  %c = graph.next_batch @d {batch = 2} : tensor<2x4xf32>
  // CHECK: graph.next_batch @d {batch = 2 : i64, offset = 8 : i64, stride = 18 : i64} : tensor<2x4xf32>
  %d = graph.next_batch @d {batch = 8} : tensor<8x4xf32>
  // CHECK: graph.next_batch @d {batch = 8 : i64, offset = 10 : i64, stride = 18 : i64} : tensor<8x4xf32>
  graph.return %a, %b, %c, %d : tensor<8x4xf32>, tensor<2xf32>, tensor<2x4xf32>, tensor<8x4xf32>
}
// CHECK-LABEL: graph.func @eval
graph.func @eval() -> tensor<8x4xf32> attributes {role = #graph.role<eval>} {
  // CHECK: graph.next_batch @d {batch = 8 : i64} : tensor<8x4xf32>
  %a = graph.next_batch @d {batch = 8} : tensor<8x4xf32>
  graph.return %a : tensor<8x4xf32>
}
// What is called is counted where it is called: a private function is left as it is.
// CHECK-LABEL: graph.func private @part
graph.func private @part() -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  // CHECK-COUNT-2: graph.next_batch @d {batch = 8 : i64} : tensor<8x4xf32>
  %a = graph.next_batch @d {batch = 8} : tensor<8x4xf32>
  %b = graph.next_batch @d {batch = 8} : tensor<8x4xf32>
  graph.return %a, %b : tensor<8x4xf32>, tensor<8x4xf32>
}

// -----

// One with a mask and one without.
graph.dataset @d : (tensor<f32>, tensor<i32>) = #graph.npy<files = ["x.npy", "y.npy"]>
// CHECK-LABEL: graph.func @padded
graph.func @padded() -> (tensor<3xf32>, tensor<2xf32>) attributes {role = #graph.role<eval>} {
  // expected-remark @below {{so one micro-batch takes 5 samples}}
  %a, %b, %valid = graph.next_batch @d {batch = 3, pad_last} : tensor<3xf32>, tensor<3xi32>, tensor<3xi1>
  // CHECK: graph.next_batch @d {batch = 3 : i64, pad_last, stride = 5 : i64}
  // expected-note @below {{the second graph.next_batch is here}}
  %c, %d = graph.next_batch @d {batch = 2} : tensor<2xf32>, tensor<2xi32>
  // CHECK: graph.next_batch @d {batch = 2 : i64, offset = 3 : i64, stride = 5 : i64}
  graph.return %a, %c : tensor<3xf32>, tensor<2xf32>
}
