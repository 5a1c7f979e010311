graph.variable @w : tensor<3x2xf32> = #graph.glorot_uniform<seed = 1>
graph.func @apply(%x: tensor<2x3xf32> {graph.name = "x"}) -> (tensor<2x2xf32> {graph.name = "y"}) attributes {role = #graph.role<predict>} {
  %w = graph.read @w : tensor<3x2xf32>
  %y = graph.matmul %x, %w : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  graph.return %y : tensor<2x2xf32>
}
