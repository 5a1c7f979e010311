// w [4, 1] times x = [[1, 2, 3, 4]], squared: the smallest training step there is.
graph.variable @w : tensor<4x1xf32> = #graph.value<dense<2.0> : tensor<4x1xf32>>

graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x = graph.constant dense<[[1.0, 2.0, 3.0, 4.0]]> : tensor<1x4xf32>
  %w = graph.read @w : tensor<4x1xf32>
  %y = graph.matmul %x, %w : (tensor<1x4xf32>, tensor<4x1xf32>) -> tensor<1x1xf32>
  %square = graph.multiply %y, %y : tensor<1x1xf32>
  %loss = graph.reduce_mean %square dimensions = [0, 1] : (tensor<1x1xf32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.001>} : tensor<f32>
  graph.return %loss : tensor<f32>
}
