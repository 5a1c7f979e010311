graph.variable @w : tensor<4x1xf32> = #graph.value<dense<2.0> : tensor<4x1xf32>>
graph.dataset @d : (tensor<4xf32>) = #graph.synthetic<samples = 96, seed = 7>
graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x = graph.next_batch @d {batch = 8} : tensor<8x4xf32>
  %w = graph.read @w : tensor<4x1xf32>
  %y = graph.matmul %x, %w : (tensor<8x4xf32>, tensor<4x1xf32>) -> tensor<8x1xf32>
  %square = graph.multiply %y, %y : tensor<8x1xf32>
  %loss = graph.reduce_mean %square dimensions = [0, 1] : (tensor<8x1xf32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.01>} : tensor<f32>
  graph.return %loss : tensor<f32>
}
