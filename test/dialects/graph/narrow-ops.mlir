// RUN: graph-opt %s | graph-opt | FileCheck %s
// RUN: graph-opt --simplify %s | FileCheck %s --check-prefix=FOLD

// Types of elements that are computed with in another type.

// CHECK: graph.variable @table : tensor<3xui8> = #graph.value<dense<[0, 128, 255]> : tensor<3xui8>> {trainable = false}
graph.variable @table : tensor<3xui8> = #graph.value<dense<[0, 128, 255]> : tensor<3xui8>> {trainable = false}
// CHECK: graph.dataset @pixels : (tensor<28x28xui8>, tensor<i32>)
graph.dataset @pixels : (tensor<28x28xui8>, tensor<i32>) = #graph.synthetic<samples = 10, seed = 1, limits = [256, 10]>

// CHECK-LABEL: @types
// FOLD-LABEL: @types
graph.func @types(%a: tensor<3xi8>, %w: tensor<3xui32>, %h: tensor<3xbf16>) -> (tensor<3xi8>, tensor<3xui32>, tensor<3xbf16>, tensor<3xui8>)
    attributes {role = #graph.role<predict>} {
  // CHECK: graph.add %arg0, %arg0 : tensor<3xi8>
  %b = graph.add %a, %a : tensor<3xi8>
  // CHECK: graph.shift_right_logical %arg1, %arg1 : tensor<3xui32>
  %v = graph.shift_right_logical %w, %w : tensor<3xui32>
  // CHECK: graph.tanh %arg2 : tensor<3xbf16>
  %g = graph.tanh %h : tensor<3xbf16>
  // CHECK: graph.constant dense<[1, 200, 255]> : tensor<3xui8>
  // FOLD: graph.constant dense<[1, 200, 255]> : tensor<3xui8>
  %c = graph.constant dense<[1, 200, 255]> : tensor<3xui8>
  // 200 is above 1 here: no fold takes it for -56.
  // FOLD: graph.maximum
  %one = graph.constant dense<1> : tensor<3xui8>
  %m = graph.maximum %c, %one : tensor<3xui8>
  graph.return %b, %v, %g, %m : tensor<3xi8>, tensor<3xui32>, tensor<3xbf16>, tensor<3xui8>
}

// A conversion of a constant is folded where it is rounded once; not to bf16 and back, which rounds.
// FOLD-LABEL: @conversions
graph.func @conversions(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xbf16>) attributes {role = #graph.role<predict>} {
  // FOLD-DAG: graph.constant dense<[2.000000e+02, 2.550000e+02]> : tensor<2xf32>
  %c = graph.constant dense<[200, 255]> : tensor<2xui8>
  %f = graph.convert %c : (tensor<2xui8>) -> tensor<2xf32>
  // 1 + 2^-8 + 2^-40, near a tie: by way of f32 it would be 1.
  // FOLD-DAG: graph.constant dense<[1.007810e+00, 1.000000e+00]> : tensor<2xbf16>
  %d = graph.constant dense<[1.0039062500009095, 1.00390625]> : tensor<2xf64>
  %h = graph.convert %d : (tensor<2xf64>) -> tensor<2xbf16>
  // FOLD-DAG: %[[N:.*]] = graph.convert %arg0 : (tensor<2xf32>) -> tensor<2xbf16>
  // FOLD-DAG: graph.convert %[[N]] : (tensor<2xbf16>) -> tensor<2xf32>
  %n = graph.convert %x : (tensor<2xf32>) -> tensor<2xbf16>
  %w = graph.convert %n : (tensor<2xbf16>) -> tensor<2xf32>
  graph.return %f, %w, %h : tensor<2xf32>, tensor<2xf32>, tensor<2xbf16>
}
