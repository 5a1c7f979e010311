// A model with all that a run can show: a loss, a summary of a variable, a learning rate, metrics, predictions of padded batches.
graph.variable @w : tensor<3xf32> = #graph.value<dense<[1.0, -2.0, 0.5]> : tensor<3xf32>>
graph.dataset @train : (tensor<3xf32>) = #graph.synthetic<samples = 20, seed = 1> {shuffle = true, seed = 5}
graph.dataset @test : (tensor<3xf32>) = #graph.synthetic<samples = 23, seed = 2>
graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x = graph.next_batch @train {batch = 4} : tensor<4x3xf32>
  %w = graph.read @w : tensor<3xf32>
  graph.summary "w", %w : tensor<3xf32>
  %wide = graph.broadcast_in_dim %w broadcast_dimensions = [1] : (tensor<3xf32>) -> tensor<4x3xf32>
  %d = graph.subtract %x, %wide : tensor<4x3xf32>
  %square = graph.multiply %d, %d : tensor<4x3xf32>
  %error = graph.abs %d : tensor<4x3xf32>
  graph.metric "error", %error : tensor<4x3xf32>
  %loss = graph.reduce_mean %square dimensions = [0, 1] : (tensor<4x3xf32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = #graph.cosine_decay<initial_learning_rate = 0.1, decay_steps = 1000>>, learning_rate_summary = "learning_rate"} : tensor<f32>
  graph.return %loss : tensor<f32>
}
graph.func @eval_step() -> () attributes {role = #graph.role<eval>} {
  %x, %valid = graph.next_batch @test {batch = 5, pad_last} : tensor<5x3xf32>, tensor<5xi1>
  %sum = graph.reduce_sum %x dimensions = [1] : (tensor<5x3xf32>) -> tensor<5xf32>
  graph.metric "sum", %sum, %valid : tensor<5xf32>, tensor<5xi1>
  graph.return
}
graph.func @predict_step() -> (tensor<5x3xf32> {graph.name = "y"}, tensor<5xi32> {graph.name = "class"}, tensor<3xf32> {graph.name = "weights"})
    attributes {role = #graph.role<predict>} {
  %x, %valid = graph.next_batch @test {batch = 5, pad_last} : tensor<5x3xf32>, tensor<5xi1>
  %w = graph.read @w : tensor<3xf32>
  %wide = graph.broadcast_in_dim %w broadcast_dimensions = [1] : (tensor<3xf32>) -> tensor<5x3xf32>
  %y = graph.multiply %x, %wide : tensor<5x3xf32>
  %class = graph.argmax %y dimension = 1 : (tensor<5x3xf32>) -> tensor<5xi32>
  graph.return %y, %class, %w : tensor<5x3xf32>, tensor<5xi32>, tensor<3xf32>
}
