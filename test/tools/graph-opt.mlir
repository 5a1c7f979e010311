// RUN: graph-opt --emit-bytecode %s -o %t.mlirbc
// RUN: graph-opt %t.mlirbc | FileCheck %s
// Flags take '_' for '-'; values stay as they are.
// RUN: graph-opt --emit_bytecode=true %s -o %t_of_it.mlirbc && graph-opt --no_implicit_module=0 --pass_pipeline='builtin.module()' %t_of_it.mlirbc | FileCheck %s
// RUN: graph-opt --help | FileCheck %s --check-prefix=HELP

// Bytecode keeps everything; our passes and upstream's are there.
// HELP-DAG: --differentiate
// HELP-DAG: --decompose
// HELP-DAG: --canonicalize
// HELP-DAG: --convert-vector-to-llvm

// CHECK: graph.variable @w : tensor<2xf32> = #graph.normal<stddev = 0.1, seed = 3> {graph.device = #graph.device<"/job:ps/device:CPU:0">}
graph.variable @w : tensor<2xf32> = #graph.normal<stddev = 0.1, seed = 3> {graph.device = #graph.device<"/job:ps/cpu:0">}
// CHECK: graph.func @f
graph.func @f() -> tensor<2xf32> attributes {role = #graph.role<predict>} {
  // CHECK: graph.read @w
  %w = graph.read @w : tensor<2xf32>
  // CHECK: graph.compare ne
  %c = graph.compare ne, %w, %w : tensor<2xf32>
  %s = graph.select %c, %w, %w : tensor<2xf32>
  graph.return %s : tensor<2xf32>
}
