// RUN: graph-opt --import-stablehlo=variables=params,stats --split-input-file --verify-diagnostics %s | FileCheck %s

// The longest match, whatever the order: a metric of a state's name is none.
// CHECK-LABEL: graph.func private @metric(%arg0: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
// CHECK: %[[NEXT:.*]] = graph.negate
// CHECK: graph.assign @stats.ema.loss, %[[NEXT]]
// CHECK: graph.return %arg0, %arg0
func.func @metric(%ema: tensor<f32> loc("stats['ema']['loss']"), %x: tensor<f32> loc("x")) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<f32> {jax.result_info = "result[1]['loss']"}, tensor<f32> {jax.result_info = "result[2]['ema']['loss']"}) {
  %next = "stablehlo.negate"(%ema) : (tensor<f32>) -> tensor<f32>
  return %x, %x, %next : tensor<f32>, tensor<f32>, tensor<f32>
}

// -----

// With the root, and more before it; a tuple's element by its number.
// CHECK-LABEL: graph.func private @rooted(
// CHECK: graph.assign @stats.0, %arg0
// CHECK: graph.return %arg0 :
func.func @rooted(%n: tensor<f32> loc("stats[0]"), %x: tensor<f32> loc("x")) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<f32> {jax.result_info = "result[1]['new']['stats'][0]"}) {
  return %x, %x : tensor<f32>, tensor<f32>
}

// -----

// CHECK-LABEL: graph.func private @element(
// CHECK: graph.assign @stats.0, %[[N:.*]] :
// CHECK: graph.return %arg0 :
func.func @element(%n: tensor<f32> loc("stats[0]"), %x: tensor<f32> loc("x")) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<f32> {jax.result_info = "result[1][0]"}) {
  %next = "stablehlo.negate"(%n) : (tensor<f32>) -> tensor<f32>
  return %x, %next : tensor<f32>, tensor<f32>
}

// -----

// Two that match alike are an error, and no guess.
// expected-error@+1 {{of @both result[1][0] may be the next value of stats[0], and result[0][0] as well; expected state under keys that no other result has}}
func.func @both(%n: tensor<f32> loc("stats[0]"), %x: tensor<f32> loc("x")) -> (tensor<f32> {jax.result_info = "result[0][0]"}, tensor<f32> {jax.result_info = "result[0][1]"}, tensor<f32> {jax.result_info = "result[1][0]"}) {
  return %x, %x, %n : tensor<f32>, tensor<f32>, tensor<f32>
}

// -----

// Another type is another value.
// CHECK-LABEL: graph.func private @typed(
// CHECK-NOT: graph.assign
func.func @typed(%n: tensor<f32> loc("stats['n']"), %x: tensor<2xf32> loc("x")) -> (tensor<2xf32> {jax.result_info = "result[0]['n']"}) {
  return %x : tensor<2xf32>
}

// -----

// Of two that match, the one with the root; and of two alike, the one with numbers alone before it.
// CHECK-LABEL: graph.func private @longest(
// CHECK: %[[N:.*]] = graph.negate
// CHECK: graph.assign @stats.ema, %[[N]]
// CHECK: graph.return %arg0 :
func.func @longest(%n: tensor<f32> loc("stats['ema']"), %x: tensor<f32> loc("x")) -> (tensor<f32> {jax.result_info = "result[0]['ema']"}, tensor<f32> {jax.result_info = "result[1]['stats']['ema']"}) {
  %next = "stablehlo.negate"(%n) : (tensor<f32>) -> tensor<f32>
  return %x, %next : tensor<f32>, tensor<f32>
}

// -----

// CHECK-LABEL: graph.func private @plain(
// CHECK: %[[N:.*]] = graph.negate
// CHECK: graph.assign @stats.ema, %[[N]]
// CHECK: graph.return %arg0 :
func.func @plain(%n: tensor<f32> loc("stats['ema']"), %x: tensor<f32> loc("x")) -> (tensor<f32> {jax.result_info = "result[0]['metrics']['ema']"}, tensor<f32> {jax.result_info = "result[1]['ema']"}) {
  %next = "stablehlo.negate"(%n) : (tensor<f32>) -> tensor<f32>
  return %x, %next : tensor<f32>, tensor<f32>
}
