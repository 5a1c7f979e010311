// One layer with dropout, which training, evaluation and prediction call; training draws noise besides.
graph.variable @w1 : tensor<20x64xf32> = #graph.glorot_uniform<seed = 1>
graph.variable @w2 : tensor<64x4xf32> = #graph.glorot_uniform<seed = 2>
graph.dataset @train : (tensor<20xf32>, tensor<i32>) = #graph.synthetic<samples = 203, seed = 7, limits = [0, 4]>
    {shuffle = true, seed = 11}
graph.dataset @test : (tensor<20xf32>, tensor<i32>) = #graph.synthetic<samples = 56, seed = 8, limits = [0, 4]>

graph.func private @network(%x: tensor<8x20xf32>) -> tensor<8x4xf32> {
  %w1 = graph.read @w1 : tensor<20x64xf32>
  %w2 = graph.read @w2 : tensor<64x4xf32>
  %h0 = graph.matmul %x, %w1 : (tensor<8x20xf32>, tensor<20x64xf32>) -> tensor<8x64xf32>
  %h1 = graph.gelu %h0 : tensor<8x64xf32>
  %h = graph.dropout %h1 {rate = 0.25, seed = 3} : tensor<8x64xf32>
  %logits = graph.matmul %h, %w2 : (tensor<8x64xf32>, tensor<64x4xf32>) -> tensor<8x4xf32>
  graph.return %logits : tensor<8x4xf32>
}

graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x, %y = graph.next_batch @train {batch = 8} : tensor<8x20xf32>, tensor<8xi32>
  %a = graph.random_uniform {low = 0.9, high = 1.1, seed = 3} : tensor<8x20xf32>
  %scaled = graph.multiply %x, %a : tensor<8x20xf32>
  %logits = graph.call @network(%scaled) : (tensor<8x20xf32>) -> tensor<8x4xf32>
  %z = graph.random_normal {stddev = 0.1, seed = 3} : tensor<8x4xf32>
  %noisy = graph.add %logits, %z : tensor<8x4xf32>
  %loss = graph.softmax_cross_entropy %noisy, %y : (tensor<8x4xf32>, tensor<8xi32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.momentum<learning_rate = 0.05, momentum = 0.9>} : tensor<f32>
  graph.return %loss : tensor<f32>
}

graph.func @eval_step() -> () attributes {role = #graph.role<eval>} {
  %x, %y, %valid = graph.next_batch @test {batch = 8, pad_last} : tensor<8x20xf32>, tensor<8xi32>, tensor<8xi1>
  %logits = graph.call @network(%x) : (tensor<8x20xf32>) -> tensor<8x4xf32>
  graph.metric "mean", %logits : tensor<8x4xf32>
  graph.return
}
