// Two convolutions, the first with features last and the second with features first, a pool behind each, on synthetic images.
graph.variable @w1 : tensor<3x3x3x8xf32> = #graph.glorot_uniform<seed = 1>
graph.variable @w2 : tensor<16x8x3x3xf32> = #graph.glorot_uniform<seed = 2>
graph.variable @w3 : tensor<144x5xf32> = #graph.glorot_uniform<seed = 3>
graph.variable @b3 : tensor<5xf32> = #graph.zeros
graph.dataset @train : (tensor<12x12x3xf32>, tensor<i32>) = #graph.synthetic<samples = 199, seed = 7, limits = [0, 5]>
    {shuffle = true, seed = 11}

graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x, %y = graph.next_batch @train {batch = 8} : tensor<8x12x12x3xf32>, tensor<8xi32>
  %w1 = graph.read @w1 : tensor<3x3x3x8xf32>
  %w2 = graph.read @w2 : tensor<16x8x3x3xf32>
  %w3 = graph.read @w3 : tensor<144x5xf32>
  %b3 = graph.read @b3 : tensor<5xf32>
  %c1 = graph.convolution %x, %w1 padding_low = [1, 1] padding_high = [1, 1] {nhwc, hwio} : (tensor<8x12x12x3xf32>, tensor<3x3x3x8xf32>) -> tensor<8x12x12x8xf32>
  %r1 = graph.relu %c1 : tensor<8x12x12x8xf32>
  %p1 = graph.max_pool %r1 window_dimensions = [2, 2] window_strides = [2, 2] {nhwc} : (tensor<8x12x12x8xf32>) -> tensor<8x6x6x8xf32>
  %t = graph.transpose %p1 permutation = [0, 3, 1, 2] : (tensor<8x6x6x8xf32>) -> tensor<8x8x6x6xf32>
  %c2 = graph.convolution %t, %w2 padding_low = [1, 1] padding_high = [1, 1] : (tensor<8x8x6x6xf32>, tensor<16x8x3x3xf32>) -> tensor<8x16x6x6xf32>
  %r2 = graph.relu %c2 : tensor<8x16x6x6xf32>
  %p2 = graph.avg_pool %r2 window_dimensions = [3, 3] window_strides = [2, 2] padding_high = [1, 1] : (tensor<8x16x6x6xf32>) -> tensor<8x16x3x3xf32>
  %f = graph.reshape %p2 : (tensor<8x16x3x3xf32>) -> tensor<8x144xf32>
  %l = graph.matmul %f, %w3 : (tensor<8x144xf32>, tensor<144x5xf32>) -> tensor<8x5xf32>
  %logits = graph.bias_add %l, %b3 : tensor<8x5xf32>, tensor<5xf32>
  %loss = graph.softmax_cross_entropy %logits, %y : (tensor<8x5xf32>, tensor<8xi32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.05>} : tensor<f32>
  graph.return %loss : tensor<f32>
}
