// Layers in bf16 whose weights are f32: read, rounded, multiplied; their gradients are f32 again where they are summed.
graph.variable @w1 : tensor<20x64xf32> = #graph.glorot_uniform<seed = 1>
graph.variable @b1 : tensor<64xf32> = #graph.zeros
graph.variable @w2 : tensor<64x4xf32> = #graph.glorot_uniform<seed = 2>
graph.dataset @train : (tensor<20xf32>, tensor<i32>) = #graph.synthetic<samples = 203, seed = 7, limits = [0, 4]>
    {shuffle = true, seed = 11}

graph.func private @layer(%x: tensor<8x20xf32>) -> tensor<8x4xf32> {
  %w1 = graph.read @w1 : tensor<20x64xf32>
  %b1 = graph.read @b1 : tensor<64xf32>
  %w2 = graph.read @w2 : tensor<64x4xf32>
  %x16 = graph.convert %x : (tensor<8x20xf32>) -> tensor<8x20xbf16>
  %w16 = graph.convert %w1 : (tensor<20x64xf32>) -> tensor<20x64xbf16>
  %b16 = graph.convert %b1 : (tensor<64xf32>) -> tensor<64xbf16>
  %v16 = graph.convert %w2 : (tensor<64x4xf32>) -> tensor<64x4xbf16>
  %h0 = graph.matmul %x16, %w16 : (tensor<8x20xbf16>, tensor<20x64xbf16>) -> tensor<8x64xbf16>
  %h1 = graph.bias_add %h0, %b16 : tensor<8x64xbf16>, tensor<64xbf16>
  %h = graph.gelu %h1 : tensor<8x64xbf16>
  %l = graph.matmul %h, %v16 : (tensor<8x64xbf16>, tensor<64x4xbf16>) -> tensor<8x4xbf16>
  %logits = graph.convert %l : (tensor<8x4xbf16>) -> tensor<8x4xf32>
  graph.return %logits : tensor<8x4xf32>
}

graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x, %y = graph.next_batch @train {batch = 8} : tensor<8x20xf32>, tensor<8xi32>
  %logits = graph.call @layer(%x) : (tensor<8x20xf32>) -> tensor<8x4xf32>
  %loss = graph.softmax_cross_entropy %logits, %y : (tensor<8x4xf32>, tensor<8xi32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.momentum<learning_rate = 0.05, momentum = 0.9>} : tensor<f32>
  graph.return %loss : tensor<f32>
}

graph.func @predict(%x: tensor<8x20xf32>) -> (tensor<8x4xbf16> {graph.name = "scores"}) attributes {role = #graph.role<predict>} {
  %logits = graph.call @layer(%x) : (tensor<8x20xf32>) -> tensor<8x4xf32>
  %scores = graph.convert %logits : (tensor<8x4xf32>) -> tensor<8x4xbf16>
  graph.return %scores : tensor<8x4xbf16>
}
