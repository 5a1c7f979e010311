#name = loc("dense/tanh")
graph.func @f(%x: tensor<4xf32> loc("input")) -> tensor<4xf32> attributes {role = #graph.role<predict>} {
  %y = graph.tanh %x : tensor<4xf32> loc(#name)
  graph.return %y : tensor<4xf32>
}
