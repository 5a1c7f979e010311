// The perceptron with which the field's tutorials of several workers begin, 784-128-10, on MNIST's files or, with the same names,
// Fashion-MNIST's.

graph.variable @hidden.kernel : tensor<784x128xf32> = #graph.glorot_uniform<seed = 1>
graph.variable @hidden.bias : tensor<128xf32> = #graph.zeros
graph.variable @logits.kernel : tensor<128x10xf32> = #graph.glorot_uniform<seed = 2>
graph.variable @logits.bias : tensor<10xf32> = #graph.zeros

// Pixels from 0 to 1, as the tutorials have them: 1/255 of what is stored.
graph.dataset @train : (tensor<784xf32>, tensor<i32>) =
    #graph.idx<files = ["train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz"], scale = 0.00392156862745098>
    {shuffle = true, seed = 42}
graph.dataset @test : (tensor<784xf32>, tensor<i32>) =
    #graph.idx<files = ["t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz"], scale = 0.00392156862745098>

// A Dense layer: x·kernel + bias. 64 is the batch of training and evaluation alike, so that both can call these.
graph.func private @hidden(%x: tensor<64x784xf32>) -> tensor<64x128xf32> {
  %kernel = graph.read @hidden.kernel : tensor<784x128xf32>
  %bias = graph.read @hidden.bias : tensor<128xf32>
  %product = graph.matmul %x, %kernel : (tensor<64x784xf32>, tensor<784x128xf32>) -> tensor<64x128xf32>
  %sum = graph.bias_add %product, %bias : tensor<64x128xf32>, tensor<128xf32>
  %y = graph.relu %sum : tensor<64x128xf32>
  graph.return %y : tensor<64x128xf32>
}
graph.func private @logits(%x: tensor<64x128xf32>) -> tensor<64x10xf32> {
  %kernel = graph.read @logits.kernel : tensor<128x10xf32>
  %bias = graph.read @logits.bias : tensor<10xf32>
  %product = graph.matmul %x, %kernel : (tensor<64x128xf32>, tensor<128x10xf32>) -> tensor<64x10xf32>
  %y = graph.bias_add %product, %bias : tensor<64x10xf32>, tensor<10xf32>
  graph.return %y : tensor<64x10xf32>
}
graph.func private @network(%x: tensor<64x784xf32>) -> tensor<64x10xf32> {
  %h = graph.call @hidden(%x) : (tensor<64x784xf32>) -> tensor<64x128xf32>
  %y = graph.call @logits(%h) : (tensor<64x128xf32>) -> tensor<64x10xf32>
  graph.return %y : tensor<64x10xf32>
}

// The rate is 0.1 for each replica, of which cluster.json has two.
graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x, %y = graph.next_batch @train {batch = 64} : tensor<64x784xf32>, tensor<64xi32>
  %logits = graph.call @network(%x) : (tensor<64x784xf32>) -> tensor<64x10xf32>
  %loss = graph.softmax_cross_entropy %logits, %y : (tensor<64x10xf32>, tensor<64xi32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.2>} : tensor<f32>
  graph.return %loss : tensor<f32>
}

graph.func @eval_step() -> () attributes {role = #graph.role<eval>} {
  %x, %y, %valid = graph.next_batch @test {batch = 64, pad_last} : tensor<64x784xf32>, tensor<64xi32>, tensor<64xi1>
  %logits = graph.call @network(%x) : (tensor<64x784xf32>) -> tensor<64x10xf32>
  %class = graph.argmax %logits dimension = 1 : (tensor<64x10xf32>) -> tensor<64xi32>
  %hit = graph.compare eq, %class, %y : tensor<64xi32>
  graph.metric "accuracy", %hit, %valid : tensor<64xi1>, tensor<64xi1>
  graph.return
}
