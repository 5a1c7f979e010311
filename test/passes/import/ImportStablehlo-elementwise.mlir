// RUN: graph-opt --import-stablehlo --split-input-file %s | FileCheck %s

// Ops that have the same name and meaning in both.
// CHECK-LABEL: graph.func private @abs(
// CHECK-NEXT:   graph.abs %{{.*}} : tensor<2x3xf32>
func.func @abs(%a: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %r = "stablehlo.abs"(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: graph.func private @ceil(
// CHECK-NEXT:   graph.ceil %{{.*}} : tensor<2x3xf32>
func.func @ceil(%a: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %r = "stablehlo.ceil"(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: graph.func private @cosine(
// CHECK-NEXT:   graph.cosine %{{.*}} : tensor<2x3xf32>
func.func @cosine(%a: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %r = "stablehlo.cosine"(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: graph.func private @exponential(
// CHECK-NEXT:   graph.exponential %{{.*}} : tensor<2x3xf32>
func.func @exponential(%a: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %r = "stablehlo.exponential"(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: graph.func private @exponential_minus_one(
// CHECK-NEXT:   graph.exponential_minus_one %{{.*}} : tensor<2x3xf32>
func.func @exponential_minus_one(%a: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %r = "stablehlo.exponential_minus_one"(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: graph.func private @floor(
// CHECK-NEXT:   graph.floor %{{.*}} : tensor<2x3xf32>
func.func @floor(%a: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %r = "stablehlo.floor"(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: graph.func private @log(
// CHECK-NEXT:   graph.log %{{.*}} : tensor<2x3xf32>
func.func @log(%a: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %r = "stablehlo.log"(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: graph.func private @log_plus_one(
// CHECK-NEXT:   graph.log_plus_one %{{.*}} : tensor<2x3xf32>
func.func @log_plus_one(%a: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %r = "stablehlo.log_plus_one"(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: graph.func private @logistic(
// CHECK-NEXT:   graph.logistic %{{.*}} : tensor<2x3xf32>
func.func @logistic(%a: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %r = "stablehlo.logistic"(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: graph.func private @negate(
// CHECK-NEXT:   graph.negate %{{.*}} : tensor<2x3xf32>
func.func @negate(%a: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %r = "stablehlo.negate"(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: graph.func private @round_nearest_even(
// CHECK-NEXT:   graph.round_nearest_even %{{.*}} : tensor<2x3xf32>
func.func @round_nearest_even(%a: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %r = "stablehlo.round_nearest_even"(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: graph.func private @rsqrt(
// CHECK-NEXT:   graph.rsqrt %{{.*}} : tensor<2x3xf32>
func.func @rsqrt(%a: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %r = "stablehlo.rsqrt"(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: graph.func private @sign(
// CHECK-NEXT:   graph.sign %{{.*}} : tensor<2x3xf32>
func.func @sign(%a: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %r = "stablehlo.sign"(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: graph.func private @sine(
// CHECK-NEXT:   graph.sine %{{.*}} : tensor<2x3xf32>
func.func @sine(%a: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %r = "stablehlo.sine"(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: graph.func private @sqrt(
// CHECK-NEXT:   graph.sqrt %{{.*}} : tensor<2x3xf32>
func.func @sqrt(%a: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %r = "stablehlo.sqrt"(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: graph.func private @tanh(
// CHECK-NEXT:   graph.tanh %{{.*}} : tensor<2x3xf32>
func.func @tanh(%a: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %r = "stablehlo.tanh"(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: graph.func private @erf(
// CHECK-NEXT:   graph.erf %{{.*}} : tensor<2x3xf32>
func.func @erf(%a: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %r = "chlo.erf"(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: graph.func private @add(
// CHECK-NEXT:   graph.add %{{.*}}, %{{.*}} : tensor<2x3xf32>
func.func @add(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %r = "stablehlo.add"(%a, %b) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: graph.func private @divide(
// CHECK-NEXT:   graph.divide %{{.*}}, %{{.*}} : tensor<2x3xf32>
func.func @divide(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %r = "stablehlo.divide"(%a, %b) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: graph.func private @maximum(
// CHECK-NEXT:   graph.maximum %{{.*}}, %{{.*}} : tensor<2x3xf32>
func.func @maximum(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %r = "stablehlo.maximum"(%a, %b) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: graph.func private @minimum(
// CHECK-NEXT:   graph.minimum %{{.*}}, %{{.*}} : tensor<2x3xf32>
func.func @minimum(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %r = "stablehlo.minimum"(%a, %b) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: graph.func private @multiply(
// CHECK-NEXT:   graph.multiply %{{.*}}, %{{.*}} : tensor<2x3xf32>
func.func @multiply(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %r = "stablehlo.multiply"(%a, %b) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: graph.func private @power(
// CHECK-NEXT:   graph.power %{{.*}}, %{{.*}} : tensor<2x3xf32>
func.func @power(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %r = "stablehlo.power"(%a, %b) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: graph.func private @remainder(
// CHECK-NEXT:   graph.remainder %{{.*}}, %{{.*}} : tensor<2x3xf32>
func.func @remainder(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %r = "stablehlo.remainder"(%a, %b) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: graph.func private @subtract(
// CHECK-NEXT:   graph.subtract %{{.*}}, %{{.*}} : tensor<2x3xf32>
func.func @subtract(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %r = "stablehlo.subtract"(%a, %b) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: graph.func private @and(
// CHECK-NEXT:   graph.and %{{.*}}, %{{.*}} : tensor<2x3xi32>
func.func @and(%a: tensor<2x3xi32>, %b: tensor<2x3xi32>) -> (tensor<2x3xi32>) {
  %r = "stablehlo.and"(%a, %b) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  return %r : tensor<2x3xi32>
}

// -----

// CHECK-LABEL: graph.func private @or(
// CHECK-NEXT:   graph.or %{{.*}}, %{{.*}} : tensor<2x3xi32>
func.func @or(%a: tensor<2x3xi32>, %b: tensor<2x3xi32>) -> (tensor<2x3xi32>) {
  %r = "stablehlo.or"(%a, %b) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  return %r : tensor<2x3xi32>
}

// -----

// CHECK-LABEL: graph.func private @xor(
// CHECK-NEXT:   graph.xor %{{.*}}, %{{.*}} : tensor<2x3xi32>
func.func @xor(%a: tensor<2x3xi32>, %b: tensor<2x3xi32>) -> (tensor<2x3xi32>) {
  %r = "stablehlo.xor"(%a, %b) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  return %r : tensor<2x3xi32>
}

// -----

// CHECK-LABEL: graph.func private @shift_left(
// CHECK-NEXT:   graph.shift_left %{{.*}}, %{{.*}} : tensor<2x3xi32>
func.func @shift_left(%a: tensor<2x3xi32>, %b: tensor<2x3xi32>) -> (tensor<2x3xi32>) {
  %r = "stablehlo.shift_left"(%a, %b) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  return %r : tensor<2x3xi32>
}

// -----

// CHECK-LABEL: graph.func private @shift_right_arithmetic(
// CHECK-NEXT:   graph.shift_right_arithmetic %{{.*}}, %{{.*}} : tensor<2x3xi32>
func.func @shift_right_arithmetic(%a: tensor<2x3xi32>, %b: tensor<2x3xi32>) -> (tensor<2x3xi32>) {
  %r = "stablehlo.shift_right_arithmetic"(%a, %b) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  return %r : tensor<2x3xi32>
}

// -----

// CHECK-LABEL: graph.func private @shift_right_logical(
// CHECK-NEXT:   graph.shift_right_logical %{{.*}}, %{{.*}} : tensor<2x3xi32>
func.func @shift_right_logical(%a: tensor<2x3xi32>, %b: tensor<2x3xi32>) -> (tensor<2x3xi32>) {
  %r = "stablehlo.shift_right_logical"(%a, %b) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  return %r : tensor<2x3xi32>
}

// -----

// CHECK-LABEL: graph.func private @count_leading_zeros(
// CHECK-NEXT:   graph.count_leading_zeros %{{.*}} : tensor<2x3xi32>
func.func @count_leading_zeros(%a: tensor<2x3xi32>) -> (tensor<2x3xi32>) {
  %r = "stablehlo.count_leading_zeros"(%a) : (tensor<2x3xi32>) -> tensor<2x3xi32>
  return %r : tensor<2x3xi32>
}

// -----

// CHECK-LABEL: graph.func private @not(
// CHECK-NEXT:   graph.not %{{.*}} : tensor<2x3xi32>
func.func @not(%a: tensor<2x3xi32>) -> (tensor<2x3xi32>) {
  %r = "stablehlo.not"(%a) : (tensor<2x3xi32>) -> tensor<2x3xi32>
  return %r : tensor<2x3xi32>
}

// -----

// CHECK-LABEL: graph.func private @popcnt(
// CHECK-NEXT:   graph.popcnt %{{.*}} : tensor<2x3xi32>
func.func @popcnt(%a: tensor<2x3xi32>) -> (tensor<2x3xi32>) {
  %r = "stablehlo.popcnt"(%a) : (tensor<2x3xi32>) -> tensor<2x3xi32>
  return %r : tensor<2x3xi32>
}

// -----

// CHECK-LABEL: graph.func private @is_finite(
// CHECK-NEXT:   graph.is_finite %{{.*}} : tensor<2x3xf32>
func.func @is_finite(%a: tensor<2x3xf32>) -> (tensor<2x3xi1>) {
  %r = "stablehlo.is_finite"(%a) : (tensor<2x3xf32>) -> tensor<2x3xi1>
  return %r : tensor<2x3xi1>
}

// -----

// CHECK-LABEL: graph.func private @accuracy(
// CHECK-NEXT:   graph.exponential %{{.*}} : tensor<2x3xf32>
func.func @accuracy(%a: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %r = "stablehlo.exponential"(%a) <{result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: graph.func private @clamp(
// CHECK-NEXT:   graph.clamp %arg0, %arg1, %arg2
func.func @clamp(%a: tensor<f32>, %b: tensor<2x3xf32>, %c: tensor<f32>) -> (tensor<2x3xf32>) {
  %r = "stablehlo.clamp"(%a, %b, %c) : (tensor<f32>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: graph.func private @reshape(
// CHECK-NEXT:   graph.reshape %arg0
func.func @reshape(%a: tensor<2x3xf32>) -> (tensor<6xf32>) {
  %r = "stablehlo.reshape"(%a) : (tensor<2x3xf32>) -> tensor<6xf32>
  return %r : tensor<6xf32>
}
