// 784-512-10, ReLU, batch 128, softmax cross-entropy, SGD, float32, on synthetic data.
graph.variable @w1 : tensor<784x512xf32> = #graph.glorot_uniform<seed = 1>
graph.variable @b1 : tensor<512xf32> = #graph.zeros
graph.variable @w2 : tensor<512x10xf32> = #graph.glorot_uniform<seed = 2>
graph.variable @b2 : tensor<10xf32> = #graph.zeros
graph.dataset @train : (tensor<784xf32>, tensor<i32>) = #graph.synthetic<samples = 4096, seed = 7, limits = [0, 10]>

graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x, %y = graph.next_batch @train {batch = 128} : tensor<128x784xf32>, tensor<128xi32>
  %w1 = graph.read @w1 : tensor<784x512xf32>
  %b1 = graph.read @b1 : tensor<512xf32>
  %w2 = graph.read @w2 : tensor<512x10xf32>
  %b2 = graph.read @b2 : tensor<10xf32>
  %h0 = graph.matmul %x, %w1 : (tensor<128x784xf32>, tensor<784x512xf32>) -> tensor<128x512xf32>
  %h1 = graph.bias_add %h0, %b1 : tensor<128x512xf32>, tensor<512xf32>
  %h = graph.relu %h1 : tensor<128x512xf32>
  %l0 = graph.matmul %h, %w2 : (tensor<128x512xf32>, tensor<512x10xf32>) -> tensor<128x10xf32>
  %logits = graph.bias_add %l0, %b2 : tensor<128x10xf32>, tensor<10xf32>
  %loss = graph.softmax_cross_entropy %logits, %y : (tensor<128x10xf32>, tensor<128xi32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.01>} : tensor<f32>
  graph.return %loss : tensor<f32>
}
