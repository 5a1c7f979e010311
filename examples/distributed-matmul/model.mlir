// Two variables on the parameter server, their product on the worker, and a step counter that is incremented by hand.
graph.variable @x : tensor<1x4xi32> = #graph.value<dense<[[1, 2, 3, 4]]> : tensor<1x4xi32>> {trainable = false}
graph.variable @w : tensor<4x1xi32> = #graph.value<dense<[[2], [2], [2], [2]]> : tensor<4x1xi32>> {trainable = false}
graph.variable @global_step : tensor<i64> = #graph.value<dense<0> : tensor<i64>> {trainable = false}

graph.func @train_step() -> (tensor<1x1xi32> {graph.name = "mat"}) attributes {role = #graph.role<train>} {
  %x = graph.read @x : tensor<1x4xi32>
  %w = graph.read @w : tensor<4x1xi32>
  %mat = graph.matmul %x, %w : (tensor<1x4xi32>, tensor<4x1xi32>) -> tensor<1x1xi32>
  %one = graph.constant dense<1> : tensor<i64>
  graph.assign_add @global_step, %one : tensor<i64>
  graph.return %mat : tensor<1x1xi32>
}
