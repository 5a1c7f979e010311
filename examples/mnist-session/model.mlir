// The network of "TensorFlow Mechanics 101", 784-128-32-10, on MNIST's files or, with the same names, Fashion-MNIST's.

// Weights begin as a truncated normal of deviation 1/√(input features).
graph.variable @hidden1.weights : tensor<784x128xf32> = #graph.normal<stddev = 0.0357142857, seed = 1, truncated = true>
graph.variable @hidden1.biases : tensor<128xf32> = #graph.zeros
graph.variable @hidden2.weights : tensor<128x32xf32> = #graph.normal<stddev = 0.0883883476, seed = 2, truncated = true>
graph.variable @hidden2.biases : tensor<32xf32> = #graph.zeros
graph.variable @softmax_linear.weights : tensor<32x10xf32> = #graph.normal<stddev = 0.176776695, seed = 3, truncated = true>
graph.variable @softmax_linear.biases : tensor<10xf32> = #graph.zeros

graph.dataset @train : (tensor<784xf32>, tensor<i32>) =
    #graph.idx<files = ["train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz"], scale = 0.00392156862745098>
    {shuffle = true, seed = 1}
graph.dataset @test : (tensor<784xf32>, tensor<i32>) =
    #graph.idx<files = ["t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz"], scale = 0.00392156862745098>

graph.func private @inference(%images: tensor<100x784xf32>) -> tensor<100x10xf32> {
  %w1 = graph.read @hidden1.weights : tensor<784x128xf32>
  %b1 = graph.read @hidden1.biases : tensor<128xf32>
  %w2 = graph.read @hidden2.weights : tensor<128x32xf32>
  %b2 = graph.read @hidden2.biases : tensor<32xf32>
  %w3 = graph.read @softmax_linear.weights : tensor<32x10xf32>
  %b3 = graph.read @softmax_linear.biases : tensor<10xf32>
  %m1 = graph.matmul %images, %w1 : (tensor<100x784xf32>, tensor<784x128xf32>) -> tensor<100x128xf32>
  %a1 = graph.bias_add %m1, %b1 : tensor<100x128xf32>, tensor<128xf32>
  %hidden1 = graph.relu %a1 : tensor<100x128xf32>
  %m2 = graph.matmul %hidden1, %w2 : (tensor<100x128xf32>, tensor<128x32xf32>) -> tensor<100x32xf32>
  %a2 = graph.bias_add %m2, %b2 : tensor<100x32xf32>, tensor<32xf32>
  %hidden2 = graph.relu %a2 : tensor<100x32xf32>
  %m3 = graph.matmul %hidden2, %w3 : (tensor<100x32xf32>, tensor<32x10xf32>) -> tensor<100x10xf32>
  %logits = graph.bias_add %m3, %b3 : tensor<100x10xf32>, tensor<10xf32>
  graph.return %logits : tensor<100x10xf32>
}

graph.func @training() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %images, %labels = graph.next_batch @train {batch = 100} : tensor<100x784xf32>, tensor<100xi32>
  %logits = graph.call @inference(%images) : (tensor<100x784xf32>) -> tensor<100x10xf32>
  %loss = graph.softmax_cross_entropy %logits, %labels : (tensor<100x10xf32>, tensor<100xi32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.01>} : tensor<f32>
  graph.return %loss : tensor<f32>
}

graph.func @evaluation() -> () attributes {role = #graph.role<eval>} {
  %images, %labels, %valid = graph.next_batch @test {batch = 100, pad_last} : tensor<100x784xf32>, tensor<100xi32>, tensor<100xi1>
  %logits = graph.call @inference(%images) : (tensor<100x784xf32>) -> tensor<100x10xf32>
  %class = graph.argmax %logits dimension = 1 : (tensor<100x10xf32>) -> tensor<100xi32>
  %hit = graph.compare eq, %class, %labels : tensor<100xi32>
  graph.metric "accuracy", %hit, %valid : tensor<100xi1>, tensor<100xi1>
  graph.return
}
