// The network of "Multi-worker training with Keras", on MNIST's files or, with the same names, Fashion-MNIST's: Conv2D(32, 3), Dense(128), Dense(10).

// Kernels as Keras keeps and begins them: height, width, input, output features, Glorot's uniform, of which √(6 / (9 + 288)) is the limit for the
// convolution, the window in both fans.
graph.variable @conv2d.kernel : tensor<3x3x1x32xf32> = #graph.uniform<low = -0.142133811, high = 0.142133811, seed = 1>
graph.variable @conv2d.bias : tensor<32xf32> = #graph.zeros
graph.variable @dense.kernel : tensor<21632x128xf32> = #graph.glorot_uniform<seed = 2>
graph.variable @dense.bias : tensor<128xf32> = #graph.zeros
graph.variable @dense_1.kernel : tensor<128x10xf32> = #graph.glorot_uniform<seed = 3>
graph.variable @dense_1.bias : tensor<10xf32> = #graph.zeros

graph.dataset @train : (tensor<28x28x1xf32>, tensor<i32>) =
    #graph.idx<files = ["train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz"], scale = 0.00392156862745098>
    {shuffle = true, seed = 1}
graph.dataset @test : (tensor<28x28x1xf32>, tensor<i32>) =
    #graph.idx<files = ["t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz"], scale = 0.00392156862745098>

graph.func private @cnn(%x: tensor<64x28x28x1xf32>) -> tensor<64x10xf32> {
  %w1 = graph.read @conv2d.kernel : tensor<3x3x1x32xf32>
  %b1 = graph.read @conv2d.bias : tensor<32xf32>
  %w2 = graph.read @dense.kernel : tensor<21632x128xf32>
  %b2 = graph.read @dense.bias : tensor<128xf32>
  %w3 = graph.read @dense_1.kernel : tensor<128x10xf32>
  %b3 = graph.read @dense_1.bias : tensor<10xf32>
  %c1 = graph.convolution %x, %w1 {nhwc, hwio} : (tensor<64x28x28x1xf32>, tensor<3x3x1x32xf32>) -> tensor<64x26x26x32xf32>
  %a1 = graph.bias_add %c1, %b1 : tensor<64x26x26x32xf32>, tensor<32xf32>
  %r1 = graph.relu %a1 : tensor<64x26x26x32xf32>
  %flat = graph.reshape %r1 : (tensor<64x26x26x32xf32>) -> tensor<64x21632xf32>
  %m2 = graph.matmul %flat, %w2 : (tensor<64x21632xf32>, tensor<21632x128xf32>) -> tensor<64x128xf32>
  %a2 = graph.bias_add %m2, %b2 : tensor<64x128xf32>, tensor<128xf32>
  %r2 = graph.relu %a2 : tensor<64x128xf32>
  %m3 = graph.matmul %r2, %w3 : (tensor<64x128xf32>, tensor<128x10xf32>) -> tensor<64x10xf32>
  %logits = graph.bias_add %m3, %b3 : tensor<64x10xf32>, tensor<10xf32>
  graph.return %logits : tensor<64x10xf32>
}

graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x, %y = graph.next_batch @train {batch = 64} : tensor<64x28x28x1xf32>, tensor<64xi32>
  %logits = graph.call @cnn(%x) : (tensor<64x28x28x1xf32>) -> tensor<64x10xf32>
  %loss = graph.softmax_cross_entropy %logits, %y : (tensor<64x10xf32>, tensor<64xi32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.001>} : tensor<f32>
  graph.return %loss : tensor<f32>
}

graph.func @test_step() -> () attributes {role = #graph.role<eval>} {
  %x, %y, %valid = graph.next_batch @test {batch = 64, pad_last} : tensor<64x28x28x1xf32>, tensor<64xi32>, tensor<64xi1>
  %logits = graph.call @cnn(%x) : (tensor<64x28x28x1xf32>) -> tensor<64x10xf32>
  %class = graph.argmax %logits dimension = 1 : (tensor<64x10xf32>) -> tensor<64xi32>
  %hit = graph.compare eq, %class, %y : tensor<64xi32>
  graph.metric "accuracy", %hit, %valid : tensor<64xi1>, tensor<64xi1>
  graph.return
}
