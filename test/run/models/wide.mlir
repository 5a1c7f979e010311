// One gradient large enough to be summed in chunks (160 KiB) among small ones, one of integers; nothing else that takes time.
graph.variable @w : tensor<64x640xf32> = #graph.glorot_uniform<seed = 1>
graph.variable @b : tensor<640xf32> = #graph.zeros
graph.variable @counts : tensor<24000xi32> = #graph.zeros {trainable = false, aggregation = "sum"}
graph.dataset @train : (tensor<64xf32>, tensor<24000xi32>) = #graph.synthetic<samples = 120, seed = 7, limits = [0, 9]>
    {shuffle = true, seed = 11}

graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x, %k = graph.next_batch @train {batch = 2} : tensor<2x64xf32>, tensor<2x24000xi32>
  %w = graph.read @w : tensor<64x640xf32>
  %b = graph.read @b : tensor<640xf32>
  %h0 = graph.matmul %x, %w : (tensor<2x64xf32>, tensor<64x640xf32>) -> tensor<2x640xf32>
  %h1 = graph.bias_add %h0, %b : tensor<2x640xf32>, tensor<640xf32>
  %square = graph.multiply %h1, %h1 : tensor<2x640xf32>
  %loss = graph.reduce_mean %square dimensions = [0, 1] : (tensor<2x640xf32>) -> tensor<f32>
  %count = graph.reduce_sum %k dimensions = [0] : (tensor<2x24000xi32>) -> tensor<24000xi32>
  graph.assign_add @counts, %count : tensor<24000xi32>
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 2.0>} : tensor<f32>
  graph.return %loss : tensor<f32>
}
