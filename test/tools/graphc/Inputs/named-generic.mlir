// An op in MLIR's generic form.
graph.func @f(%x: tensor<4x10xf32>) -> tensor<10xi32> attributes {role = #graph.role<predict>} {
  %y = "graph.argmax"(%x) <{dimension = 1 : i64}> : (tensor<4x10xf32>) -> tensor<10xi32> loc("dense/argmax")
  graph.return %y : tensor<10xi32>
}
