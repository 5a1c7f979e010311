// The perceptron of the DistributedDataParallel tutorials, 784-512-10, on MNIST's files or, with the same names, Fashion-MNIST's.

// Weights lie as torch.nn.Linear keeps them, output features first, and begin uniform in ±1/√(input features), as there.
graph.variable @fc1.weight : tensor<512x784xf32> = #graph.uniform<low = -0.0357142857, high = 0.0357142857, seed = 1>
graph.variable @fc1.bias : tensor<512xf32> = #graph.uniform<low = -0.0357142857, high = 0.0357142857, seed = 2>
graph.variable @fc2.weight : tensor<10x512xf32> = #graph.uniform<low = -0.0441941738, high = 0.0441941738, seed = 3>
graph.variable @fc2.bias : tensor<10xf32> = #graph.uniform<low = -0.0441941738, high = 0.0441941738, seed = 4>

// transforms.ToTensor() and Normalize((0.1307,), (0.3081,)). The seed is the sampler's: each rank takes its share of one permutation an epoch.
graph.dataset @train : (tensor<784xf32>, tensor<i32>) =
    #graph.idx<files = ["train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz"], scale = 0.00392156862745098>
    {shuffle = true, seed = 0, transforms = [#graph.normalize<mean = [0.1307], stddev = [0.3081]>]}
graph.dataset @test : (tensor<784xf32>, tensor<i32>) =
    #graph.idx<files = ["t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz"], scale = 0.00392156862745098>
    {transforms = [#graph.normalize<mean = [0.1307], stddev = [0.3081]>]}

graph.func private @forward(%x: tensor<64x784xf32>) -> tensor<64x10xf32> {
  %w1 = graph.read @fc1.weight : tensor<512x784xf32>
  %b1 = graph.read @fc1.bias : tensor<512xf32>
  %w2 = graph.read @fc2.weight : tensor<10x512xf32>
  %b2 = graph.read @fc2.bias : tensor<10xf32>
  %m1 = graph.matmul %x, %w1 {transpose_b} : (tensor<64x784xf32>, tensor<512x784xf32>) -> tensor<64x512xf32>
  %a1 = graph.bias_add %m1, %b1 : tensor<64x512xf32>, tensor<512xf32>
  %h = graph.relu %a1 : tensor<64x512xf32>
  %m2 = graph.matmul %h, %w2 {transpose_b} : (tensor<64x512xf32>, tensor<10x512xf32>) -> tensor<64x10xf32>
  %a2 = graph.bias_add %m2, %b2 : tensor<64x10xf32>, tensor<10xf32>
  %y = graph.log_softmax %a2 : tensor<64x10xf32>
  graph.return %y : tensor<64x10xf32>
}

// F.nll_loss(output, target), loss.backward(), optimizer.step()
graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %data, %target = graph.next_batch @train {batch = 64} : tensor<64x784xf32>, tensor<64xi32>
  %output = graph.call @forward(%data) : (tensor<64x784xf32>) -> tensor<64x10xf32>
  %loss = graph.nll_loss %output, %target : (tensor<64x10xf32>, tensor<64xi32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.01>} : tensor<f32>
  graph.return %loss : tensor<f32>
}

graph.func @test_step() -> () attributes {role = #graph.role<eval>} {
  %data, %target, %valid = graph.next_batch @test {batch = 64, pad_last} : tensor<64x784xf32>, tensor<64xi32>, tensor<64xi1>
  %output = graph.call @forward(%data) : (tensor<64x784xf32>) -> tensor<64x10xf32>
  %pred = graph.argmax %output dimension = 1 : (tensor<64x10xf32>) -> tensor<64xi32>
  %correct = graph.compare eq, %pred, %target : tensor<64xi32>
  graph.metric "accuracy", %correct, %valid : tensor<64xi1>, tensor<64xi1>
  graph.return
}
