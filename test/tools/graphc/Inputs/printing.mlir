// Three calls of two kernels: the tanh is the same on two tasks, the exponential takes and gives the same types.
graph.func @predict(%x: tensor<4xf32> {graph.name = "x"}, %y: tensor<4xf32> {graph.name = "y"})
    -> (tensor<4xf32> {graph.name = "a"}, tensor<4xf32> {graph.name = "b"}, tensor<4xf32> {graph.name = "c"})
    attributes {role = #graph.role<predict>} {
  %a = graph.tanh %x {graph.device = #graph.device<"/job:worker/task:0">} : tensor<4xf32>
  %b = graph.exponential %x {graph.device = #graph.device<"/job:worker/task:1">} : tensor<4xf32>
  %c = graph.tanh %y {graph.device = #graph.device<"/job:worker/task:2">} : tensor<4xf32>
  graph.return %a, %b, %c : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
