// Samples and a variable, without a product that a library makes: one device's bits on CPUs and GPUs.
graph.variable @w : tensor<300xf32> = #graph.uniform<low = -1.0, high = 1.0, seed = 1>
graph.dataset @data : (tensor<300xf32>) = #graph.synthetic<samples = 203, seed = 7>
graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x = graph.next_batch @data {batch = 4} : tensor<4x300xf32>
  %w = graph.read @w : tensor<300xf32>
  %y = graph.bias_add %x, %w : tensor<4x300xf32>, tensor<300xf32>
  %squared = graph.multiply %y, %y : tensor<4x300xf32>
  %loss = graph.reduce_mean %squared dimensions = [0, 1] : (tensor<4x300xf32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.5>} : tensor<f32>
  graph.return %loss : tensor<f32>
}
