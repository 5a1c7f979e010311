// The name is declared behind its use.
graph.func @f(%x: tensor<4x10xf32>) -> tensor<10xi32> attributes {role = #graph.role<predict>} {
  %y = graph.argmax %x dimension = 1 : (tensor<4x10xf32>) -> tensor<10xi32> loc(#later)
  graph.return %y : tensor<10xi32>
}
#later = loc("dense/argmax")
