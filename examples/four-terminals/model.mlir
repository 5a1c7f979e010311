// The perceptron of the field's first tutorial on parameter servers, 784-100-10, on MNIST's files or, with the same names, Fashion-MNIST's.

// hid_w and sm_w: truncated normal, of deviation 1/28 and 1/√100.
graph.variable @hid_w : tensor<784x100xf32> = #graph.normal<stddev = 0.0357142857, seed = 1, truncated = true>
graph.variable @hid_b : tensor<100xf32> = #graph.zeros
graph.variable @sm_w : tensor<100x10xf32> = #graph.normal<stddev = 0.1, seed = 2, truncated = true>
graph.variable @sm_b : tensor<10xf32> = #graph.zeros

graph.dataset @train : (tensor<784xf32>, tensor<i32>) =
    #graph.idx<files = ["train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz"], scale = 0.00392156862745098>
    {shuffle = true, seed = 1}
graph.dataset @test : (tensor<784xf32>, tensor<i32>) =
    #graph.idx<files = ["t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz"], scale = 0.00392156862745098>

graph.func private @network(%x: tensor<100x784xf32>) -> tensor<100x10xf32> {
  %hid_w = graph.read @hid_w : tensor<784x100xf32>
  %hid_b = graph.read @hid_b : tensor<100xf32>
  %sm_w = graph.read @sm_w : tensor<100x10xf32>
  %sm_b = graph.read @sm_b : tensor<10xf32>
  %hid_lin = graph.matmul %x, %hid_w : (tensor<100x784xf32>, tensor<784x100xf32>) -> tensor<100x100xf32>
  %sum = graph.bias_add %hid_lin, %hid_b : tensor<100x100xf32>, tensor<100xf32>
  %hid = graph.relu %sum : tensor<100x100xf32>
  %sm_lin = graph.matmul %hid, %sm_w : (tensor<100x100xf32>, tensor<100x10xf32>) -> tensor<100x10xf32>
  %y = graph.bias_add %sm_lin, %sm_b : tensor<100x10xf32>, tensor<10xf32>
  graph.return %y : tensor<100x10xf32>
}

graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x, %y = graph.next_batch @train {batch = 100} : tensor<100x784xf32>, tensor<100xi32>
  %logits = graph.call @network(%x) : (tensor<100x784xf32>) -> tensor<100x10xf32>
  %loss = graph.softmax_cross_entropy %logits, %y : (tensor<100x10xf32>, tensor<100xi32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.adagrad<learning_rate = 0.01, initial_accumulator_value = 0.1>} : tensor<f32>
  graph.return %loss : tensor<f32>
}

graph.func @eval_step() -> () attributes {role = #graph.role<eval>} {
  %x, %y, %valid = graph.next_batch @test {batch = 100, pad_last} : tensor<100x784xf32>, tensor<100xi32>, tensor<100xi1>
  %logits = graph.call @network(%x) : (tensor<100x784xf32>) -> tensor<100x10xf32>
  %class = graph.argmax %logits dimension = 1 : (tensor<100x10xf32>) -> tensor<100xi32>
  %hit = graph.compare eq, %class, %y : tensor<100xi32>
  graph.metric "accuracy", %hit, %valid : tensor<100xi1>, tensor<100xi1>
  graph.return
}
