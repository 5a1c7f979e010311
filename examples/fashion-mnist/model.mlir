// A multilayer perceptron, 784-512-10, on Fashion-MNIST. No word about machines: cluster-*.json says how it is spread.

// What is learned: two layers of weights and biases, with the values they begin with.
graph.variable @w1 : tensor<784x512xf32> = #graph.glorot_uniform<seed = 1>
graph.variable @b1 : tensor<512xf32> = #graph.zeros
graph.variable @w2 : tensor<512x10xf32> = #graph.glorot_uniform<seed = 2>
graph.variable @b2 : tensor<10xf32> = #graph.zeros

// Where samples come from: one image of 784 pixels and its class 0…9. A pixel is stored · scale + offset, which gives the training set
// mean 0 and variance 1 (72.94 and 90.02² as stored). The training data comes in an order of its own in each epoch, the test data as
// it stands in the files.
graph.dataset @train : (tensor<784xf32>, tensor<i32>) =
    #graph.idx<files = ["train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz"], scale = 0.011109, offset = -0.81029>
    {shuffle = true, seed = 7}
graph.dataset @test : (tensor<784xf32>, tensor<i32>) =
    #graph.idx<files = ["t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz"], scale = 0.011109, offset = -0.81029>

// One training step of one replica. "batch" is each replica's own: two workers take 256 samples a step.
graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x, %y = graph.next_batch @train {batch = 128} : tensor<128x784xf32>, tensor<128xi32>
  %w1 = graph.read @w1 : tensor<784x512xf32>
  %b1 = graph.read @b1 : tensor<512xf32>
  %w2 = graph.read @w2 : tensor<512x10xf32>
  %b2 = graph.read @b2 : tensor<10xf32>
  // Hidden layer: relu(x·w1 + b1).
  %h0 = graph.matmul %x, %w1 : (tensor<128x784xf32>, tensor<784x512xf32>) -> tensor<128x512xf32>
  %h1 = graph.bias_add %h0, %b1 : tensor<128x512xf32>, tensor<512xf32>
  %h = graph.relu %h1 : tensor<128x512xf32>
  // One number a class; the loss is the mean over the batch.
  %l0 = graph.matmul %h, %w2 : (tensor<128x512xf32>, tensor<512x10xf32>) -> tensor<128x10xf32>
  %logits = graph.bias_add %l0, %b2 : tensor<128x10xf32>, tensor<10xf32>
  %loss = graph.softmax_cross_entropy %logits, %y : (tensor<128x10xf32>, tensor<128xi32>) -> tensor<f32>
  // Stands for the gradients of all four variables, their updates, and one more on the step counter.
  graph.minimize %loss {optimizer = #graph.momentum<learning_rate = 0.01, momentum = 0.9>} : tensor<f32>
  graph.return %loss : tensor<f32>
}

// One step of evaluation, run until every test image was seen once. %valid is false where the last batch is padded.
graph.func @eval_step() -> () attributes {role = #graph.role<eval>} {
  %x, %y, %valid = graph.next_batch @test {batch = 100, pad_last} : tensor<100x784xf32>, tensor<100xi32>, tensor<100xi1>
  %w1 = graph.read @w1 : tensor<784x512xf32>
  %b1 = graph.read @b1 : tensor<512xf32>
  %w2 = graph.read @w2 : tensor<512x10xf32>
  %b2 = graph.read @b2 : tensor<10xf32>
  %h0 = graph.matmul %x, %w1 : (tensor<100x784xf32>, tensor<784x512xf32>) -> tensor<100x512xf32>
  %h1 = graph.bias_add %h0, %b1 : tensor<100x512xf32>, tensor<512xf32>
  %h = graph.relu %h1 : tensor<100x512xf32>
  %l0 = graph.matmul %h, %w2 : (tensor<100x512xf32>, tensor<512x10xf32>) -> tensor<100x10xf32>
  %logits = graph.bias_add %l0, %b2 : tensor<100x10xf32>, tensor<10xf32>
  %prediction = graph.argmax %logits dimension = 1 : (tensor<100x10xf32>) -> tensor<100xi32>
  %hit = graph.compare eq, %prediction, %y : tensor<100xi32>
  graph.metric "accuracy", %hit, %valid : tensor<100xi1>, tensor<100xi1>
  graph.return
}
