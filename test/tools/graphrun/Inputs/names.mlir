graph.variable @"a/b" : tensor<2xf32> = #graph.zeros
graph.variable @"a.b" : tensor<2xf32> = #graph.zeros
graph.func @apply() -> (tensor<2xf32> {graph.name = "y"}) attributes {role = #graph.role<predict>} {
  %a = graph.read @"a/b" : tensor<2xf32>
  %b = graph.read @"a.b" : tensor<2xf32>
  %y = graph.add %a, %b : tensor<2xf32>
  graph.return %y : tensor<2xf32>
}
