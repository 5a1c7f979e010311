// pad_last in training: each epoch covers the 10 samples once, in three steps.
graph.variable @w : tensor<f32> = #graph.value<dense<1.0> : tensor<f32>>
graph.dataset @train : (tensor<f32>) = #graph.synthetic<samples = 10, seed = 1>
graph.func @train_step() -> (tensor<4xi1> {graph.name = "valid"}, tensor<f32> {graph.name = "loss"})
    attributes {role = #graph.role<train>} {
  %x, %valid = graph.next_batch @train {batch = 4, pad_last} : tensor<4xf32>, tensor<4xi1>
  %w = graph.read @w : tensor<f32>
  %wide = graph.broadcast_in_dim %w broadcast_dimensions = [] : (tensor<f32>) -> tensor<4xf32>
  %d = graph.subtract %x, %wide : tensor<4xf32>
  %square = graph.multiply %d, %d : tensor<4xf32>
  %mask = graph.convert %valid : (tensor<4xi1>) -> tensor<4xf32>
  %masked = graph.multiply %square, %mask : tensor<4xf32>
  %sum = graph.reduce_sum %masked dimensions = [0] : (tensor<4xf32>) -> tensor<f32>
  %count = graph.reduce_sum %mask dimensions = [0] : (tensor<4xf32>) -> tensor<f32>
  %loss = graph.divide %sum, %count : tensor<f32>
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.1>} : tensor<f32>
  graph.return %valid, %loss : tensor<4xi1>, tensor<f32>
}
