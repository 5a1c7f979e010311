// RUN: graph-opt --import-stablehlo --mlir-print-debuginfo %s | FileCheck %s

// A public function of another name than @main keeps it, and so has @main where the module has no name of jit's. The names that JAX gives ops
// are for placement: without the function's, and not where one is a kind of op alone.
// CHECK-LABEL: graph.func private @f(
// CHECK-NEXT:    graph.negate {{.*}} loc(#[[NAMED:.*]])
// CHECK-NEXT:    graph.abs {{.*}} loc(#[[PLACE:.*]])
// CHECK:       graph.func private @main(
// CHECK:       #[[PLACE]] = loc("net.py":3:4)
// CHECK:       #[[NAMED]] = loc("MLP/Dense_0/neg"(#{{.*}}))
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = "stablehlo.negate"(%x) : (tensor<2xf32>) -> tensor<2xf32> loc("jit(f)/MLP/jit(dense)/Dense_0/neg:"("net.py":1:2))
  %z = "stablehlo.abs"(%y) : (tensor<2xf32>) -> tensor<2xf32> loc("jit(f)/abs"("net.py":3:4))
  return %z : tensor<2xf32>
}
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
