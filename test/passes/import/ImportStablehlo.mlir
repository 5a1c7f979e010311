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
