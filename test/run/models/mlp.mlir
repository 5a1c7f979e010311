// A small perceptron with everything that training uses: shuffled data whose epochs do not divide into steps, momentum, a metric.
graph.variable @w1 : tensor<20x64xf32> = #graph.glorot_uniform<seed = 1>
graph.variable @b1 : tensor<64xf32> = #graph.zeros
graph.variable @w2 : tensor<64x4xf32> = #graph.glorot_uniform<seed = 2>
graph.variable @b2 : tensor<4xf32> = #graph.zeros
graph.dataset @train : (tensor<20xf32>, tensor<i32>) = #graph.synthetic<samples = 203, seed = 7, limits = [0, 4]>
    {shuffle = true, seed = 11}
graph.dataset @test : (tensor<20xf32>, tensor<i32>) = #graph.synthetic<samples = 57, seed = 8, limits = [0, 4]>

graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x, %y = graph.next_batch @train {batch = 8} : tensor<8x20xf32>, tensor<8xi32>
  %w1 = graph.read @w1 : tensor<20x64xf32>
  %b1 = graph.read @b1 : tensor<64xf32>
  %w2 = graph.read @w2 : tensor<64x4xf32>
  %b2 = graph.read @b2 : tensor<4xf32>
  %h0 = graph.matmul %x, %w1 : (tensor<8x20xf32>, tensor<20x64xf32>) -> tensor<8x64xf32>
  %h1 = graph.bias_add %h0, %b1 : tensor<8x64xf32>, tensor<64xf32>
  %h = graph.relu %h1 : tensor<8x64xf32>
  %l0 = graph.matmul %h, %w2 : (tensor<8x64xf32>, tensor<64x4xf32>) -> tensor<8x4xf32>
  %logits = graph.bias_add %l0, %b2 : tensor<8x4xf32>, tensor<4xf32>
  %loss = graph.softmax_cross_entropy %logits, %y : (tensor<8x4xf32>, tensor<8xi32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.momentum<learning_rate = 0.05, momentum = 0.9>} : tensor<f32>
  graph.return %loss : tensor<f32>
}

graph.func @eval_step() -> () attributes {role = #graph.role<eval>} {
  %x, %y, %valid = graph.next_batch @test {batch = 10, pad_last} : tensor<10x20xf32>, tensor<10xi32>, tensor<10xi1>
  %w1 = graph.read @w1 : tensor<20x64xf32>
  %b1 = graph.read @b1 : tensor<64xf32>
  %w2 = graph.read @w2 : tensor<64x4xf32>
  %b2 = graph.read @b2 : tensor<4xf32>
  %h0 = graph.matmul %x, %w1 : (tensor<10x20xf32>, tensor<20x64xf32>) -> tensor<10x64xf32>
  %h1 = graph.bias_add %h0, %b1 : tensor<10x64xf32>, tensor<64xf32>
  %h = graph.relu %h1 : tensor<10x64xf32>
  %l0 = graph.matmul %h, %w2 : (tensor<10x64xf32>, tensor<64x4xf32>) -> tensor<10x4xf32>
  %logits = graph.bias_add %l0, %b2 : tensor<10x4xf32>, tensor<4xf32>
  %prediction = graph.argmax %logits dimension = 1 : (tensor<10x4xf32>) -> tensor<10xi32>
  %hit = graph.compare eq, %prediction, %y : tensor<10xi32>
  graph.metric "accuracy", %hit, %valid : tensor<10xi1>, tensor<10xi1>
  graph.return
}
