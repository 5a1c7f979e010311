// One scalar on the parameter server, pulled and pushed: the cost of a step that computes nothing.
graph.variable @w : tensor<1xf32> = #graph.zeros

graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %w = graph.read @w : tensor<1xf32>
  %square = graph.multiply %w, %w : tensor<1xf32>
  %loss = graph.reduce_sum %square dimensions = [0] : (tensor<1xf32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.01>} : tensor<f32>
  graph.return %loss : tensor<f32>
}
