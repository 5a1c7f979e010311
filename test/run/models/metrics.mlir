// A model with two metrics in its evaluation and one in its training, none of them an accuracy.
graph.variable @w : tensor<f32> = #graph.value<dense<1.0> : tensor<f32>>
graph.dataset @train : (tensor<f32>) = #graph.synthetic<samples = 20, seed = 1>
graph.dataset @test : (tensor<f32>) = #graph.synthetic<samples = 23, seed = 2>
graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x = graph.next_batch @train {batch = 4} : tensor<4xf32>
  %w = graph.read @w : tensor<f32>
  %wide = graph.broadcast_in_dim %w broadcast_dimensions = [] : (tensor<f32>) -> tensor<4xf32>
  %d = graph.subtract %x, %wide : tensor<4xf32>
  %square = graph.multiply %d, %d : tensor<4xf32>
  %error = graph.abs %d : tensor<4xf32>
  graph.metric "error", %error : tensor<4xf32>
  %loss = graph.reduce_mean %square dimensions = [0] : (tensor<4xf32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.05>} : tensor<f32>
  graph.return %loss : tensor<f32>
}
graph.func @eval_step() -> () attributes {role = #graph.role<eval>} {
  %x, %valid = graph.next_batch @test {batch = 5, pad_last} : tensor<5xf32>, tensor<5xi1>
  %w = graph.read @w : tensor<f32>
  %wide = graph.broadcast_in_dim %w broadcast_dimensions = [] : (tensor<f32>) -> tensor<5xf32>
  %d = graph.subtract %x, %wide : tensor<5xf32>
  %square = graph.multiply %d, %d : tensor<5xf32>
  %error = graph.abs %d : tensor<5xf32>
  graph.metric "reconstruction_mse", %square, %valid : tensor<5xf32>, tensor<5xi1>
  graph.metric "error", %error, %valid : tensor<5xf32>, tensor<5xi1>
  graph.return
}
