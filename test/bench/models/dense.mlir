// One variable of 64 MiB pulled and pushed whole: the bandwidth of a step.
graph.variable @w : tensor<16777216xf32> = #graph.zeros

graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %w = graph.read @w : tensor<16777216xf32>
  %half = graph.constant dense<0.5> : tensor<16777216xf32>
  %scaled = graph.multiply %w, %half : tensor<16777216xf32>
  %loss = graph.reduce_sum %scaled dimensions = [0] : (tensor<16777216xf32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.01>} : tensor<f32>
  graph.return %loss : tensor<f32>
}
