// RUN: graphc --emit=outlined %s | FileCheck %s

// Each stage can be looked at, also where an op writes its loops itself.
// CHECK: scf.parallel
// CHECK: memref.load
graph.variable @table : tensor<100x8xf32> = #graph.zeros
graph.func @predict(%ids: tensor<4xi32>) -> (tensor<4x8xf32>) attributes {role = #graph.role<predict>} {
  %table = graph.read @table : tensor<100x8xf32>
  %rows = graph.embedding %table, %ids : (tensor<100x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  graph.return %rows : tensor<4x8xf32>
}
