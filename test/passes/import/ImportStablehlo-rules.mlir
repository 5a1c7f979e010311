// RUN: graph-opt --import-stablehlo --split-input-file %s | FileCheck %s

// Functions of JAX with derivatives of their own: of relu 0 at 0, and of relu6 at both ends.
// CHECK-LABEL: graph.func private @f.relu_3(
// CHECK-NEXT: %[[Y:.*]] = graph.relu %arg0 : tensor<4x2xf32>
// CHECK-NEXT: graph.return %[[Y]]
// CHECK: graph.func private @f.relu6(
// CHECK: %[[ZERO:.*]] = graph.constant dense<0.000000e+00>
// CHECK: %[[BELOW:.*]] = graph.compare le, %arg0, %[[ZERO]]
// CHECK: %[[LOW:.*]] = graph.select %[[BELOW]], %[[ZERO]], %arg0
// CHECK: %[[SIX:.*]] = graph.constant dense<6.000000e+00>
// CHECK: %[[ABOVE:.*]] = graph.compare ge, %arg0, %[[SIX]]
// CHECK: graph.select %[[ABOVE]], %[[SIX]], %[[LOW]]
// Another function of that name is what it computes.
// CHECK: graph.func private @f.relu(
// CHECK: graph.maximum
func.func @f(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %a = func.call @relu_3(%x) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %b = func.call @relu6(%a) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %c = func.call @relu(%b) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return %c : tensor<4x2xf32>
}
func.func private @relu_3(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %z = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
  %b = "stablehlo.broadcast_in_dim"(%z) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x2xf32>
  %y = "stablehlo.maximum"(%x, %b) : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}
func.func private @relu6(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %z = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
  %b = "stablehlo.broadcast_in_dim"(%z) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x2xf32>
  %y = "stablehlo.maximum"(%x, %b) : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  %s = "stablehlo.constant"() <{value = dense<6.0> : tensor<f32>}> : () -> tensor<f32>
  %c = "stablehlo.broadcast_in_dim"(%s) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x2xf32>
  %m = "stablehlo.minimum"(%y, %c) : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  return %m : tensor<4x2xf32>
}
func.func private @relu(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %z = "stablehlo.constant"() <{value = dense<1.0> : tensor<f32>}> : () -> tensor<f32>
  %b = "stablehlo.broadcast_in_dim"(%z) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x2xf32>
  %y = "stablehlo.maximum"(%x, %b) : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}

// -----

// 1 / (1 + exp(-x)) has a derivative where the exponential is infinite.
// CHECK-LABEL: graph.func private @sigmoid(
// CHECK: %[[Y:.*]] = graph.logistic %arg0
// CHECK: graph.return %[[Y]]
func.func @sigmoid(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %n = "stablehlo.negate"(%x) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %e = "stablehlo.exponential"(%n) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %o = "stablehlo.constant"() <{value = dense<1.0> : tensor<f32>}> : () -> tensor<f32>
  %b = "stablehlo.broadcast_in_dim"(%o) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x2xf32>
  %s = "stablehlo.add"(%b, %e) : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  %y = "stablehlo.divide"(%b, %s) : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}

// -----

// Sums up to each place, from either end.
// CHECK-LABEL: graph.func private @sums(
// CHECK: graph.cumsum %arg0 dimension = 1 : tensor<4x5xf32>
// CHECK: graph.cumsum %arg0 dimension = 0 {reverse} : tensor<4x5xf32>
func.func @sums(%x: tensor<4x5xf32>) -> (tensor<4x5xf32>, tensor<4x5xf32>) {
  %z = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
  %a = "stablehlo.reduce_window"(%x, %z) <{padding = dense<[[0, 0], [4, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 5>}> ({
  ^bb0(%c: tensor<f32>, %d: tensor<f32>):
    %e = "stablehlo.add"(%c, %d) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%e) : (tensor<f32>) -> ()
  }) : (tensor<4x5xf32>, tensor<f32>) -> tensor<4x5xf32>
  %b = "stablehlo.reduce_window"(%x, %z) <{padding = dense<[[0, 3], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 4, 1>}> ({
  ^bb0(%c: tensor<f32>, %d: tensor<f32>):
    %e = "stablehlo.add"(%c, %d) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%e) : (tensor<f32>) -> ()
  }) : (tensor<4x5xf32>, tensor<f32>) -> tensor<4x5xf32>
  return %a, %b : tensor<4x5xf32>, tensor<4x5xf32>
}

// -----

// What the graph dialect does not take as it is: factors narrower than the result, small indices, arithmetic and order of truth values.
// CHECK-LABEL: graph.func private @types(
// CHECK: %[[A:.*]] = graph.convert %arg0 : (tensor<2x2xbf16>) -> tensor<2x2xf32>
// CHECK: %[[B:.*]] = graph.convert %arg1 : (tensor<2x2xbf16>) -> tensor<2x2xf32>
// CHECK: graph.dot_general %[[A]], %[[B]] {{.*}} -> tensor<2x2xf32>
// CHECK: %[[I:.*]] = graph.convert %arg2 : (tensor<ui8>) -> tensor<i32>
// CHECK: graph.dynamic_slice %arg0, %[[I]], %[[I2:.*]] slice_sizes
// CHECK: graph.or %arg3, %arg3
// CHECK: graph.and %arg3, %arg3
// CHECK: %[[N:.*]] = graph.convert %arg3 : (tensor<2xi1>) -> tensor<2xi32>
// CHECK: graph.compare lt, %[[N]], %{{.*}} : tensor<2xi32>
// CHECK: graph.sine
// CHECK: graph.cosine
// CHECK: graph.top_k %{{.*}} k = 1
func.func @types(%x: tensor<2x2xbf16>, %y: tensor<2x2xbf16>, %i: tensor<ui8>, %t: tensor<2xi1>) -> (tensor<2x2xf32>, tensor<1x2xbf16>, tensor<2xi1>, tensor<2xi1>, tensor<2xi1>, tensor<2x1xf32>, tensor<2x1xi32>) {
  %a = "stablehlo.dot_general"(%x, %y) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x2xbf16>, tensor<2x2xbf16>) -> tensor<2x2xf32>
  %b = "stablehlo.dynamic_slice"(%x, %i, %i) <{slice_sizes = array<i64: 1, 2>}> : (tensor<2x2xbf16>, tensor<ui8>, tensor<ui8>) -> tensor<1x2xbf16>
  %c = "stablehlo.add"(%t, %t) : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  %d = "stablehlo.minimum"(%t, %t) : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  %e = "stablehlo.compare"(%t, %t) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  %f = "stablehlo.tan"(%a) : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %g:2 = "chlo.top_k"(%f) <{k = 1 : i64}> : (tensor<2x2xf32>) -> (tensor<2x1xf32>, tensor<2x1xi32>)
  return %a, %b, %c, %d, %e, %g#0, %g#1 : tensor<2x2xf32>, tensor<1x2xbf16>, tensor<2xi1>, tensor<2xi1>, tensor<2xi1>, tensor<2x1xf32>, tensor<2x1xi32>
}
