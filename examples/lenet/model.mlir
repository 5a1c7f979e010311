// LeNet-5 with ReLU and max pools, on Fashion-MNIST. The network is one function, which training, evaluation and prediction call.

// What is learned. Filters are height, width, input features, output features (HWIO); they begin as Glorot's normal, whose deviation is
// sqrt(2 / (fan_in + fan_out)) with the window in both fans.
graph.variable @conv1.weight : tensor<5x5x1x6xf32> = #graph.normal<stddev = 0.107, seed = 1>
graph.variable @conv1.bias : tensor<6xf32> = #graph.zeros
graph.variable @conv2.weight : tensor<5x5x6x16xf32> = #graph.normal<stddev = 0.0603, seed = 2>
graph.variable @conv2.bias : tensor<16xf32> = #graph.zeros
graph.variable @fc1.weight : tensor<400x120xf32> = #graph.glorot_uniform<seed = 3>
graph.variable @fc1.bias : tensor<120xf32> = #graph.zeros
graph.variable @fc2.weight : tensor<120x84xf32> = #graph.glorot_uniform<seed = 4>
graph.variable @fc2.bias : tensor<84xf32> = #graph.zeros
graph.variable @fc3.weight : tensor<84x10xf32> = #graph.glorot_uniform<seed = 5>
graph.variable @fc3.bias : tensor<10xf32> = #graph.zeros

graph.dataset @train : (tensor<28x28x1xf32>, tensor<i32>) =
    #graph.idx<files = ["train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz"], scale = 0.011109, offset = -0.81029>
    {shuffle = true, seed = 7}
graph.dataset @test : (tensor<28x28x1xf32>, tensor<i32>) =
    #graph.idx<files = ["t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz"], scale = 0.011109, offset = -0.81029>

// Images to one number a class. A private function has no role: each graph.call stands for its ops.
graph.func private @lenet(%x: tensor<100x28x28x1xf32>) -> tensor<100x10xf32> {
  %w1 = graph.read @conv1.weight : tensor<5x5x1x6xf32>
  %b1 = graph.read @conv1.bias : tensor<6xf32>
  %w2 = graph.read @conv2.weight : tensor<5x5x6x16xf32>
  %b2 = graph.read @conv2.bias : tensor<16xf32>
  %w3 = graph.read @fc1.weight : tensor<400x120xf32>
  %b3 = graph.read @fc1.bias : tensor<120xf32>
  %w4 = graph.read @fc2.weight : tensor<120x84xf32>
  %b4 = graph.read @fc2.bias : tensor<84xf32>
  %w5 = graph.read @fc3.weight : tensor<84x10xf32>
  %b5 = graph.read @fc3.bias : tensor<10xf32>
  // 28×28, two more places on each side so that the result is as large, then halved.
  %c1 = graph.convolution %x, %w1 padding_low = [2, 2] padding_high = [2, 2] {nhwc, hwio}
      : (tensor<100x28x28x1xf32>, tensor<5x5x1x6xf32>) -> tensor<100x28x28x6xf32>
  %a1 = graph.bias_add %c1, %b1 : tensor<100x28x28x6xf32>, tensor<6xf32>
  %r1 = graph.relu %a1 : tensor<100x28x28x6xf32>
  %p1 = graph.max_pool %r1 window_dimensions = [2, 2] window_strides = [2, 2] {nhwc}
      : (tensor<100x28x28x6xf32>) -> tensor<100x14x14x6xf32>
  // 14×14, no padding: 10×10, then halved to 5×5 of 16 features, which make 400 numbers.
  %c2 = graph.convolution %p1, %w2 {nhwc, hwio} : (tensor<100x14x14x6xf32>, tensor<5x5x6x16xf32>) -> tensor<100x10x10x16xf32>
  %a2 = graph.bias_add %c2, %b2 : tensor<100x10x10x16xf32>, tensor<16xf32>
  %r2 = graph.relu %a2 : tensor<100x10x10x16xf32>
  %p2 = graph.max_pool %r2 window_dimensions = [2, 2] window_strides = [2, 2] {nhwc}
      : (tensor<100x10x10x16xf32>) -> tensor<100x5x5x16xf32>
  %flat = graph.reshape %p2 : (tensor<100x5x5x16xf32>) -> tensor<100x400xf32>
  %m3 = graph.matmul %flat, %w3 : (tensor<100x400xf32>, tensor<400x120xf32>) -> tensor<100x120xf32>
  %a3 = graph.bias_add %m3, %b3 : tensor<100x120xf32>, tensor<120xf32>
  %r3 = graph.relu %a3 : tensor<100x120xf32>
  %m4 = graph.matmul %r3, %w4 : (tensor<100x120xf32>, tensor<120x84xf32>) -> tensor<100x84xf32>
  %a4 = graph.bias_add %m4, %b4 : tensor<100x84xf32>, tensor<84xf32>
  %r4 = graph.relu %a4 : tensor<100x84xf32>
  %m5 = graph.matmul %r4, %w5 : (tensor<100x84xf32>, tensor<84x10xf32>) -> tensor<100x10xf32>
  %logits = graph.bias_add %m5, %b5 : tensor<100x10xf32>, tensor<10xf32>
  graph.return %logits : tensor<100x10xf32>
}

graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x, %y = graph.next_batch @train {batch = 100} : tensor<100x28x28x1xf32>, tensor<100xi32>
  %logits = graph.call @lenet(%x) : (tensor<100x28x28x1xf32>) -> tensor<100x10xf32>
  %loss = graph.softmax_cross_entropy %logits, %y : (tensor<100x10xf32>, tensor<100xi32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.momentum<learning_rate = 0.02, momentum = 0.9>} : tensor<f32>
  graph.return %loss : tensor<f32>
}

graph.func @eval_step() -> () attributes {role = #graph.role<eval>} {
  %x, %y, %valid = graph.next_batch @test {batch = 100, pad_last} : tensor<100x28x28x1xf32>, tensor<100xi32>, tensor<100xi1>
  %logits = graph.call @lenet(%x) : (tensor<100x28x28x1xf32>) -> tensor<100x10xf32>
  %class = graph.argmax %logits dimension = 1 : (tensor<100x10xf32>) -> tensor<100xi32>
  %hit = graph.compare eq, %class, %y : tensor<100xi32>
  graph.metric "accuracy", %hit, %valid : tensor<100xi1>, tensor<100xi1>
  graph.return
}

// What the network takes the test images for, 100 a step, beside what they are.
graph.func @predict_step() -> (tensor<100xi32> {graph.name = "class"}, tensor<100xi32> {graph.name = "label"})
    attributes {role = #graph.role<predict>} {
  %x, %y = graph.next_batch @test {batch = 100} : tensor<100x28x28x1xf32>, tensor<100xi32>
  %logits = graph.call @lenet(%x) : (tensor<100x28x28x1xf32>) -> tensor<100x10xf32>
  %class = graph.argmax %logits dimension = 1 : (tensor<100x10xf32>) -> tensor<100xi32>
  graph.return %class, %y : tensor<100xi32>, tensor<100xi32>
}
