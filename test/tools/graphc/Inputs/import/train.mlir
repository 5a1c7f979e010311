graph.dataset @line : (tensor<3xf32>, tensor<1xf32>) = #graph.synthetic<samples = 64, seed = 7, limits = [0, 0]>
graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x, %y = graph.next_batch @line {batch = 8} : tensor<8x3xf32>, tensor<8x1xf32>
  %loss = graph.call @loss(%x, %y) : (tensor<8x3xf32>, tensor<8x1xf32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.01>} : tensor<f32>
  graph.return %loss : tensor<f32>
}
