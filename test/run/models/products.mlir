// A perceptron 128-128-128-128-10 whose products are large enough for a GPU's library, but for the last: one in each precision.
graph.variable @w1 : tensor<128x128xf32> = #graph.glorot_uniform<seed = 1>
graph.variable @b1 : tensor<128xf32> = #graph.zeros
graph.variable @w2 : tensor<128x128xf32> = #graph.glorot_uniform<seed = 2>
graph.variable @w3 : tensor<128x128xf32> = #graph.glorot_uniform<seed = 3>
graph.variable @w4 : tensor<128x10xf32> = #graph.glorot_uniform<seed = 4>
graph.dataset @train : (tensor<128xf32>, tensor<i32>) = #graph.synthetic<samples = 512, seed = 7, limits = [0, 10]>

graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x, %y = graph.next_batch @train {batch = 64} : tensor<64x128xf32>, tensor<64xi32>
  %w1 = graph.read @w1 : tensor<128x128xf32>
  %b1 = graph.read @b1 : tensor<128xf32>
  %w2 = graph.read @w2 : tensor<128x128xf32>
  %w3 = graph.read @w3 : tensor<128x128xf32>
  %w4 = graph.read @w4 : tensor<128x10xf32>
  %p1 = graph.matmul %x, %w1 : (tensor<64x128xf32>, tensor<128x128xf32>) -> tensor<64x128xf32>
  %a1 = graph.bias_add %p1, %b1 : tensor<64x128xf32>, tensor<128xf32>
  %h1 = graph.relu %a1 : tensor<64x128xf32>
  %p2 = graph.matmul %h1, %w2 precision = tf32 : (tensor<64x128xf32>, tensor<128x128xf32>) -> tensor<64x128xf32>
  %h2 = graph.tanh %p2 : tensor<64x128xf32>
  %p3 = graph.matmul %h2, %w3 precision = bf16 : (tensor<64x128xf32>, tensor<128x128xf32>) -> tensor<64x128xf32>
  %h3 = graph.relu %p3 : tensor<64x128xf32>
  %logits = graph.matmul %h3, %w4 : (tensor<64x128xf32>, tensor<128x10xf32>) -> tensor<64x10xf32>
  %loss = graph.softmax_cross_entropy %logits, %y : (tensor<64x10xf32>, tensor<64xi32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.05>} : tensor<f32>
  graph.return %loss : tensor<f32>
}
