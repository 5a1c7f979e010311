// What a network has that is of a micro-batch: batch norm, whose running values are kept; layer norm, attention.
graph.variable @w1 : tensor<20x32xf32> = #graph.glorot_uniform<seed = 1>
graph.variable @scale : tensor<32xf32> = #graph.value<dense<1.0> : tensor<32xf32>>
graph.variable @offset : tensor<32xf32> = #graph.zeros
graph.variable @mean : tensor<32xf32> = #graph.zeros {trainable = false, aggregation = "mean"}
graph.variable @variance : tensor<32xf32> = #graph.value<dense<1.0> : tensor<32xf32>> {trainable = false, aggregation = "mean"}
graph.variable @scale2 : tensor<32xf32> = #graph.value<dense<1.0> : tensor<32xf32>>
graph.variable @offset2 : tensor<32xf32> = #graph.zeros
graph.variable @w2 : tensor<32x4xf32> = #graph.glorot_uniform<seed = 2>
graph.dataset @train : (tensor<20xf32>, tensor<i32>) = #graph.synthetic<samples = 203, seed = 7, limits = [0, 4]>
    {shuffle = true, seed = 11}
graph.dataset @test : (tensor<20xf32>, tensor<i32>) = #graph.synthetic<samples = 57, seed = 8, limits = [0, 4]>

graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x, %y = graph.next_batch @train {batch = 8} : tensor<8x20xf32>, tensor<8xi32>
  %w1 = graph.read @w1 : tensor<20x32xf32>
  %scale = graph.read @scale : tensor<32xf32>
  %offset = graph.read @offset : tensor<32xf32>
  %scale2 = graph.read @scale2 : tensor<32xf32>
  %offset2 = graph.read @offset2 : tensor<32xf32>
  %w2 = graph.read @w2 : tensor<32x4xf32>
  %h0 = graph.matmul %x, %w1 : (tensor<8x20xf32>, tensor<20x32xf32>) -> tensor<8x32xf32>
  %h1, %m, %v = graph.batch_norm_training %h0, %scale, %offset feature_index = 1 epsilon = 1.0e-05
      : (tensor<8x32xf32>, tensor<32xf32>, tensor<32xf32>) -> (tensor<8x32xf32>, tensor<32xf32>, tensor<32xf32>)
  graph.assign_moving_average @mean, %m {momentum = 0.9} : tensor<32xf32>
  graph.assign_moving_average @variance, %v {momentum = 0.9} : tensor<32xf32>
  %h2 = graph.relu %h1 : tensor<8x32xf32>
  %s = graph.reshape %h2 : (tensor<8x32xf32>) -> tensor<2x4x8x4xf32>
  %a = graph.attention %s, %s, %s {causal} : (tensor<2x4x8x4xf32>, tensor<2x4x8x4xf32>, tensor<2x4x8x4xf32>) -> tensor<2x4x8x4xf32>
  %h4 = graph.reshape %a : (tensor<2x4x8x4xf32>) -> tensor<8x32xf32>
  %h5 = graph.layer_norm %h4, %scale2, %offset2 axis = 1 epsilon = 1.0e-05 : (tensor<8x32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<8x32xf32>
  %logits = graph.matmul %h5, %w2 : (tensor<8x32xf32>, tensor<32x4xf32>) -> tensor<8x4xf32>
  %loss = graph.softmax_cross_entropy %logits, %y : (tensor<8x4xf32>, tensor<8xi32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.momentum<learning_rate = 0.05, momentum = 0.9>} : tensor<f32>
  graph.return %loss : tensor<f32>
}

graph.func @eval_step() -> () attributes {role = #graph.role<eval>} {
  %x, %y, %valid = graph.next_batch @test {batch = 10, pad_last} : tensor<10x20xf32>, tensor<10xi32>, tensor<10xi1>
  %w1 = graph.read @w1 : tensor<20x32xf32>
  %scale = graph.read @scale : tensor<32xf32>
  %offset = graph.read @offset : tensor<32xf32>
  %mean = graph.read @mean : tensor<32xf32>
  %variance = graph.read @variance : tensor<32xf32>
  %w2 = graph.read @w2 : tensor<32x4xf32>
  %h0 = graph.matmul %x, %w1 : (tensor<10x20xf32>, tensor<20x32xf32>) -> tensor<10x32xf32>
  %h1 = graph.batch_norm_inference %h0, %scale, %offset, %mean, %variance feature_index = 1 epsilon = 1.0e-05
      : (tensor<10x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<10x32xf32>
  %logits = graph.matmul %h1, %w2 : (tensor<10x32xf32>, tensor<32x4xf32>) -> tensor<10x4xf32>
  %prediction = graph.argmax %logits dimension = 1 : (tensor<10x4xf32>) -> tensor<10xi32>
  %hit = graph.compare eq, %prediction, %y : tensor<10xi32>
  graph.metric "accuracy", %hit, %valid : tensor<10xi1>, tensor<10xi1>
  graph.return
}
