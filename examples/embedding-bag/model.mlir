// Which language a piece of text is in, from its trigrams: an embedding of each, their mean (a bag), a dense layer. The table is large and a batch touches few of
// its rows.

// A row of 32 numbers for each of 65,536 hashed trigrams, 8 MiB.
graph.variable @embedding.weight : tensor<65536x32xf32> = #graph.normal<stddev = 0.1, seed = 1>
graph.variable @fc.weight : tensor<32x5xf32> = #graph.glorot_uniform<seed = 2>
graph.variable @fc.bias : tensor<5xf32> = #graph.zeros

graph.dataset @train : (tensor<64xi32>, tensor<i32>) = #graph.npy<files = ["train-bags.npy", "train-labels.npy"]> {shuffle = true, seed = 3}
graph.dataset @test : (tensor<64xi32>, tensor<i32>) = #graph.npy<files = ["test-bags.npy", "test-labels.npy"]>

// The mean of the rows of a bag, as torch.nn.EmbeddingBag(mode="mean").
graph.func private @bag(%rows: tensor<64x64xi32>) -> tensor<64x32xf32> {
  %table = graph.read @embedding.weight : tensor<65536x32xf32>
  %each = graph.embedding %table, %rows : (tensor<65536x32xf32>, tensor<64x64xi32>) -> tensor<64x64x32xf32>
  %y = graph.reduce_mean %each dimensions = [1] : (tensor<64x64x32xf32>) -> tensor<64x32xf32>
  graph.return %y : tensor<64x32xf32>
}
graph.func private @network(%rows: tensor<64x64xi32>) -> tensor<64x5xf32> {
  %x = graph.call @bag(%rows) : (tensor<64x64xi32>) -> tensor<64x32xf32>
  %w = graph.read @fc.weight : tensor<32x5xf32>
  %b = graph.read @fc.bias : tensor<5xf32>
  %m = graph.matmul %x, %w : (tensor<64x32xf32>, tensor<32x5xf32>) -> tensor<64x5xf32>
  %y = graph.bias_add %m, %b : tensor<64x5xf32>, tensor<5xf32>
  graph.return %y : tensor<64x5xf32>
}

graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %rows, %y = graph.next_batch @train {batch = 64} : tensor<64x64xi32>, tensor<64xi32>
  %logits = graph.call @network(%rows) : (tensor<64x64xi32>) -> tensor<64x5xf32>
  %loss = graph.softmax_cross_entropy %logits, %y : (tensor<64x5xf32>, tensor<64xi32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 5.0>} : tensor<f32>
  graph.return %loss : tensor<f32>
}

graph.func @eval_step() -> () attributes {role = #graph.role<eval>} {
  %rows, %y, %valid = graph.next_batch @test {batch = 64, pad_last} : tensor<64x64xi32>, tensor<64xi32>, tensor<64xi1>
  %logits = graph.call @network(%rows) : (tensor<64x64xi32>) -> tensor<64x5xf32>
  %class = graph.argmax %logits dimension = 1 : (tensor<64x5xf32>) -> tensor<64xi32>
  %hit = graph.compare eq, %class, %y : tensor<64xi32>
  graph.metric "accuracy", %hit, %valid : tensor<64xi1>, tensor<64xi1>
  graph.return
}
