// embedding-bag's layers: the mean of rows of a table that is large beside what a batch touches, so that rows travel and not the table, and a dense layer.
// Few words are in many bags, so that micro-batches and workers have rows in common.
graph.variable @table : tensor<20000x16xf32> = #graph.uniform<low = -0.05, high = 0.05, seed = 1>
graph.variable @fc.weight : tensor<16x5xf32> = #graph.glorot_uniform<seed = 2>
graph.variable @fc.bias : tensor<5xf32> = #graph.zeros
graph.dataset @train : (tensor<8xi32>, tensor<i32>) = #graph.synthetic<samples = 500, seed = 3, limits = [300, 5]> {shuffle = true, seed = 4}
graph.dataset @test : (tensor<8xi32>, tensor<i32>) = #graph.synthetic<samples = 90, seed = 5, limits = [300, 5]>

graph.func private @network(%words: tensor<32x8xi32>) -> tensor<32x5xf32> {
  %table = graph.read @table : tensor<20000x16xf32>
  %each = graph.embedding %table, %words : (tensor<20000x16xf32>, tensor<32x8xi32>) -> tensor<32x8x16xf32> loc("bag/rows")
  %bag = graph.reduce_mean %each dimensions = [1] : (tensor<32x8x16xf32>) -> tensor<32x16xf32> loc("bag/mean")
  %w = graph.read @fc.weight : tensor<16x5xf32>
  %b = graph.read @fc.bias : tensor<5xf32>
  %m = graph.matmul %bag, %w : (tensor<32x16xf32>, tensor<16x5xf32>) -> tensor<32x5xf32> loc("fc/matmul")
  %y = graph.bias_add %m, %b : tensor<32x5xf32>, tensor<5xf32> loc("fc/bias")
  graph.return %y : tensor<32x5xf32>
}

graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %words, %y = graph.next_batch @train {batch = 32} : tensor<32x8xi32>, tensor<32xi32>
  %logits = graph.call @network(%words) : (tensor<32x8xi32>) -> tensor<32x5xf32>
  %loss = graph.softmax_cross_entropy %logits, %y : (tensor<32x5xf32>, tensor<32xi32>) -> tensor<f32> loc("fc/loss")
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 5.0>} : tensor<f32>
  graph.return %loss : tensor<f32>
}

graph.func @eval_step() -> () attributes {role = #graph.role<eval>} {
  %words, %y, %valid = graph.next_batch @test {batch = 32, pad_last} : tensor<32x8xi32>, tensor<32xi32>, tensor<32xi1>
  %logits = graph.call @network(%words) : (tensor<32x8xi32>) -> tensor<32x5xf32>
  %class = graph.argmax %logits dimension = 1 : (tensor<32x5xf32>) -> tensor<32xi32>
  %hit = graph.compare eq, %class, %y : tensor<32xi32>
  graph.metric "accuracy", %hit, %valid : tensor<32xi1>, tensor<32xi1>
  graph.return
}
