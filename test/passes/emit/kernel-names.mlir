// A compiled kernel may be called what a product of the library is called in a plan: they stay two.
// RUN: graphc %s --emit=outlined | sed 's/kernel0_tanh/matmul_64x64x64/' | graphc - --emit=plan-text | FileCheck %s
// CHECK: kernels {
// CHECK-NEXT: name: "matmul_64x64x64"
// CHECK: library {
// CHECK-NEXT: kernel: "matmul"
// CHECK: kernels {
// CHECK-NEXT: name: "matmul_64x64x64"
// CHECK: compiled {
graph.func @predict(%x: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {role = #graph.role<predict>} {
  %p = graph.matmul %x, %x : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %y = graph.tanh %p : tensor<64x64xf32>
  graph.return %y : tensor<64x64xf32>
}
