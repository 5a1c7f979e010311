// Trains on IDX files that a test writes: images of 2 x 3 bytes and their labels, packed or not.
graph.variable @w : tensor<6x3xf32> = #graph.glorot_uniform<seed = 1>
graph.dataset @train : (tensor<6xf32>, tensor<i32>) = #graph.idx<files = ["images.gz", "labels.gz"], scale = 0.125>
    {shuffle = true, seed = 3}
graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x, %y = graph.next_batch @train {batch = 4} : tensor<4x6xf32>, tensor<4xi32>
  %w = graph.read @w : tensor<6x3xf32>
  %l = graph.matmul %x, %w : (tensor<4x6xf32>, tensor<6x3xf32>) -> tensor<4x3xf32>
  %loss = graph.softmax_cross_entropy %l, %y : (tensor<4x3xf32>, tensor<4xi32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.1>} : tensor<f32>
  graph.return %loss : tensor<f32>
}
