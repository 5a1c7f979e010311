// RUN: graph-opt --import-stablehlo --split-input-file %s | FileCheck %s
// RUN: graph-opt --import-stablehlo=variables=weights,stats --split-input-file %s | FileCheck %s --check-prefix=TREES

// As JAX writes a module: @main is named as the author's function, what it calls has that before its name; a tree of parameters becomes variables.
// CHECK-LABEL: module @jit_loss {
// CHECK-NEXT: graph.variable @params.Dense_0.kernel : tensor<3x2xf32> = #graph.uninitialized
// CHECK-NEXT: graph.variable @params.layers.0.scale : tensor<2xf32>
// CHECK-NEXT: graph.variable @params.steps : tensor<i32> = #graph.uninitialized {trainable = false}
// CHECK-NEXT: graph.func private @loss(%[[X:.*]]: tensor<4x3xf32>) -> tensor<4x2xf32> {
// CHECK-NEXT:   %[[K:.*]] = graph.read @params.Dense_0.kernel : tensor<3x2xf32>
// CHECK-NEXT:   %[[S:.*]] = graph.read @params.layers.0.scale : tensor<2xf32>
// CHECK-NEXT:   graph.read @params.steps
// CHECK-NEXT:   %[[P:.*]] = graph.dot_general %[[X]], %[[K]] lhs_contracting_dimensions = [1] rhs_contracting_dimensions = [0]
// CHECK-NEXT:   %[[B:.*]] = graph.broadcast_in_dim %[[S]] broadcast_dimensions = [1]
// CHECK-NEXT:   %[[M:.*]] = graph.multiply %[[P]], %[[B]]
// CHECK-NEXT:   %[[R:.*]] = graph.call @loss.relu(%[[M]])
// CHECK-NEXT:   graph.return %[[R]]
// CHECK: graph.func private @loss.relu(%[[A:.*]]: tensor<4x2xf32>) -> tensor<4x2xf32> {
// CHECK-NEXT:   %[[Y:.*]] = graph.relu %[[A]]
// CHECK-NEXT:   graph.return %[[Y]]
// CHECK-NOT: mhlo
// TREES: graph.func private @loss(%{{.*}}: tensor<3x2xf32>, %{{.*}}: tensor<2xf32>, %{{.*}}: tensor<i32>, %{{.*}}: tensor<4x3xf32>)
"builtin.module"() <{sym_name = "jit_loss"}> ({
  "func.func"() <{arg_attrs = [{}, {}, {}, {mhlo.sharding = "{replicated}"}], function_type = (tensor<3x2xf32>, tensor<2xf32>, tensor<i32>, tensor<4x3xf32>) -> tensor<4x2xf32>, res_attrs = [{jax.result_info = ""}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%k: tensor<3x2xf32> loc("params['Dense_0']['kernel']"), %s: tensor<2xf32> loc("params.layers[0]['scale']"), %n: tensor<i32> loc("params['steps']"), %x: tensor<4x3xf32> loc("x")):
    %p = "stablehlo.dot_general"(%x, %k) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<4x3xf32>, tensor<3x2xf32>) -> tensor<4x2xf32>
    %b = "stablehlo.broadcast_in_dim"(%s) <{broadcast_dimensions = array<i64: 1>}> : (tensor<2xf32>) -> tensor<4x2xf32>
    %m = "stablehlo.multiply"(%p, %b) : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
    %r = "func.call"(%m) <{callee = @relu}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
    "func.return"(%r) : (tensor<4x2xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x2xf32>) -> tensor<4x2xf32>, sym_name = "relu", sym_visibility = "private"}> ({
  ^bb0(%a: tensor<4x2xf32>):
    %z = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
    %zs = "stablehlo.broadcast_in_dim"(%z) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x2xf32>
    %y = "stablehlo.maximum"(%a, %zs) : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
    "func.return"(%y) : (tensor<4x2xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()

// -----

// State that a function gives back is assigned, and is no result; the first tree is trained, the others are not.
// TREES-LABEL: module @jit_norm {
// TREES-NEXT: graph.variable @weights : tensor<2xf32> = #graph.uninitialized{{$}}
// TREES-NEXT: graph.variable @stats.batch_stats.mean : tensor<2xf32> = #graph.uninitialized {aggregation = "mean", trainable = false}
// TREES-NEXT: graph.func private @norm(%[[X:.*]]: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
// TREES-NEXT:   %[[W:.*]] = graph.read @weights
// TREES-NEXT:   %[[M:.*]] = graph.read @stats.batch_stats.mean
// TREES-NEXT:   %[[NEXT:.*]] = graph.add %[[M]], %[[X]]
// TREES-NEXT:   graph.assign @stats.batch_stats.mean, %[[NEXT]]
// TREES-NEXT:   graph.return %[[W]], %[[X]]
// CHECK-LABEL: module @jit_norm {
// CHECK-NEXT: graph.func private @norm(%{{.*}}: tensor<2xf32>, %{{.*}}: tensor<2xf32>, %{{.*}}: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
module @jit_norm {
  func.func public @main(%w: tensor<2xf32> loc("weights"), %m: tensor<2xf32> loc("stats['batch_stats']['mean']"), %x: tensor<2xf32> loc("x")) -> (tensor<2xf32> {jax.result_info = "result[0]"}, tensor<2xf32> {jax.result_info = "result[1]['batch_stats']['mean']"}, tensor<2xf32> {jax.result_info = "result[2]['mean']"}) {
    %next = "stablehlo.add"(%m, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    return %w, %next, %x : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  }
}

// -----

// A piece that is set, a[n, 1:3] = b: where it lies within, else nothing is.
// CHECK-LABEL: graph.func private @piece
// CHECK: %[[L:.*]] = graph.reshape %arg1 : (tensor<1xi32>) -> tensor<1xi32>
// CHECK: %[[P:.*]] = graph.reshape %arg2 : (tensor<4xf32>) -> tensor<1x4xf32>
// CHECK: %[[S:.*]] = graph.slice %[[L]] start_indices = [0] limit_indices = [1]
// CHECK: %[[N:.*]] = graph.reshape %[[S]] : (tensor<1xi32>) -> tensor<i32>
// CHECK: %[[LAST:.*]] = graph.constant dense<8> : tensor<i32>
// CHECK: graph.compare le, %[[N]], %[[LAST]]
// CHECK: %[[SET:.*]] = graph.dynamic_update_slice %arg0, %[[P]], %[[N]], %{{.*}}
// CHECK: graph.select %{{.*}}, %[[SET]], %arg0 : tensor<9x4xf32>
func.func @piece(%x: tensor<9x4xf32>, %i: tensor<1xi32>, %u: tensor<4xf32>) -> tensor<9x4xf32> {
  %r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    "stablehlo.return"(%b) : (tensor<f32>) -> ()
  }) : (tensor<9x4xf32>, tensor<1xi32>, tensor<4xf32>) -> tensor<9x4xf32>
  return %r : tensor<9x4xf32>
}

// -----

// Numbers of a draw: places of ui64 are of i64; the bits of a float from 1 to 2 are 1 and a fraction. What nobody uses is not there.
// CHECK-LABEL: graph.func private @draw(
// CHECK-NOT: dead
// CHECK: %[[I:.*]] = graph.iota dimension = 0 : tensor<4xi64>
// CHECK: graph.shift_right_logical %{{.*}} : tensor<4xi64>
// CHECK: %[[M:.*]] = graph.shift_right_logical %{{.*}} : tensor<4xui32>
// CHECK: %[[F:.*]] = graph.convert %[[M]] : (tensor<4xui32>) -> tensor<4xf32>
// CHECK: %[[C:.*]] = graph.constant dense<1.1920929E-7> : tensor<4xf32>
// CHECK: %[[Q:.*]] = graph.multiply %[[F]], %[[C]]
// CHECK: %[[ONE:.*]] = graph.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK: graph.add %[[Q]], %[[ONE]]
func.func @draw(%key: tensor<4xui32>) -> tensor<4xf32> {
  %dead = func.call @dead(%key) : (tensor<4xui32>) -> tensor<4xui32>
  %i = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<4xui64>
  %c = "stablehlo.constant"() <{value = dense<32> : tensor<4xui64>}> : () -> tensor<4xui64>
  %high = "stablehlo.shift_right_logical"(%i, %c) : (tensor<4xui64>, tensor<4xui64>) -> tensor<4xui64>
  %h = "stablehlo.convert"(%high) : (tensor<4xui64>) -> tensor<4xui32>
  %k = "stablehlo.xor"(%key, %h) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
  %nine = "stablehlo.constant"() <{value = dense<9> : tensor<ui32>}> : () -> tensor<ui32>
  %nines = "stablehlo.broadcast_in_dim"(%nine) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4xui32>
  %m = "stablehlo.shift_right_logical"(%k, %nines) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
  %one = "stablehlo.constant"() <{value = dense<1065353216> : tensor<4xui32>}> : () -> tensor<4xui32>
  %bits = "stablehlo.or"(%m, %one) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
  %f = "stablehlo.bitcast_convert"(%bits) : (tensor<4xui32>) -> tensor<4xf32>
  return %f : tensor<4xf32>
}
func.func private @dead(%x: tensor<4xui32>) -> tensor<4xui32> {
  %y = "stablehlo.cbrt"(%x) : (tensor<4xui32>) -> tensor<4xui32>
  return %y : tensor<4xui32>
}

// -----

// CHECK-LABEL: graph.func private @normal
// CHECK: %[[END:.*]] = graph.compare eq
// CHECK: %[[X:.*]] = graph.select %[[END]], %{{.*}}, %arg0
// CHECK: graph.log_plus_one
// CHECK: %[[NEAR:.*]] = graph.compare lt
// CHECK: %[[W:.*]] = graph.select %[[NEAR]]
// CHECK: graph.sqrt %[[W]]
// CHECK: graph.select %[[NEAR]]
// CHECK: graph.select %[[END]]
func.func @normal(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = "chlo.erf_inv"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// A function of that name that gives back what it is given: where a jitted stop_gradient stood. Of another name it is what it computes.
// CHECK-LABEL: graph.func private @loss(
// CHECK-LABEL: graph.func private @loss.stop_gradient_2(
// CHECK-NEXT: %[[A:.*]] = graph.stop_gradient %arg0 : tensor<4xf32>
// CHECK-NEXT: %[[B:.*]] = graph.stop_gradient %arg1 : tensor<2xf32>
// CHECK-NEXT: graph.return %[[A]], %[[B]]
// CHECK-LABEL: graph.func private @loss.identity(
// CHECK-NEXT: graph.return %arg0
func.func @loss(%x: tensor<4xf32>, %y: tensor<2xf32>) -> (tensor<4xf32>, tensor<2xf32>) {
  %s:2 = func.call @stop_gradient_2(%x, %y) : (tensor<4xf32>, tensor<2xf32>) -> (tensor<4xf32>, tensor<2xf32>)
  %i = func.call @identity(%s#0) : (tensor<4xf32>) -> tensor<4xf32>
  return %i, %s#1 : tensor<4xf32>, tensor<2xf32>
}
func.func private @stop_gradient_2(%x: tensor<4xf32>, %y: tensor<2xf32>) -> (tensor<4xf32>, tensor<2xf32>) {
  return %x, %y : tensor<4xf32>, tensor<2xf32>
}
func.func private @identity(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// Names of functions that nobody calls are free.
// CHECK-LABEL: module @jit_loss
// CHECK: graph.func private @loss(
// CHECK-NOT: graph.func
module @jit_loss {
  func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %y = "stablehlo.negate"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    return %y : tensor<4xf32>
  }
  func.func private @loss(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}
