// The network of TensorFlow's CIFAR-10 tutorial: two convolutions of 64 features with pools and local response normalization, then 384, 192, 10.
// Its names, sizes and first values are those of cifar10.py.

// Images as CIFAR-10's binary files have them: channels first, bytes. In training each is moved by up to 4 places, and @standardized takes the
// middle 24×24: a random crop of 24×24.
graph.dataset @train_images : (tensor<3x32x32xf32>, tensor<i32>) =
    #graph.cifar10<files = ["data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin", "data_batch_5.bin"]>
    {shuffle = true, seed = 1, transforms = [#graph.random_crop<padding = 4>, #graph.random_flip]}
graph.dataset @test_images : (tensor<3x32x32xf32>, tensor<i32>) = #graph.cifar10<files = ["test_batch.bin"]>

graph.variable @conv1.weights : tensor<5x5x3x64xf32> = #graph.normal<stddev = 0.05, seed = 1, truncated = true>
graph.variable @conv1.biases : tensor<64xf32> = #graph.zeros
graph.variable @conv2.weights : tensor<5x5x64x64xf32> = #graph.normal<stddev = 0.05, seed = 2, truncated = true>
graph.variable @conv2.biases : tensor<64xf32> = #graph.value<dense<0.1> : tensor<64xf32>>
graph.variable @local3.weights : tensor<2304x384xf32> = #graph.normal<stddev = 0.04, seed = 3, truncated = true>
graph.variable @local3.biases : tensor<384xf32> = #graph.value<dense<0.1> : tensor<384xf32>>
graph.variable @local4.weights : tensor<384x192xf32> = #graph.normal<stddev = 0.04, seed = 4, truncated = true>
graph.variable @local4.biases : tensor<192xf32> = #graph.value<dense<0.1> : tensor<192xf32>>
graph.variable @softmax_linear.weights : tensor<192x10xf32> = #graph.normal<stddev = 0.00520833333, seed = 5, truncated = true>
graph.variable @softmax_linear.biases : tensor<10xf32> = #graph.zeros

// The middle of each image, features last, with mean 0 and deviation 1: tf.image.per_image_standardization, whose deviation is at least
// 1/√1728.
graph.func private @standardized(%stored: tensor<128x3x32x32xf32>) -> tensor<128x24x24x3xf32> {
  %middle = graph.slice %stored start_indices = [0, 0, 4, 4] limit_indices = [128, 3, 28, 28] strides = [1, 1, 1, 1]
      : (tensor<128x3x32x32xf32>) -> tensor<128x3x24x24xf32>
  %image = graph.transpose %middle permutation = [0, 2, 3, 1] : (tensor<128x3x24x24xf32>) -> tensor<128x24x24x3xf32>
  %mean = graph.reduce_mean %image dimensions = [1, 2, 3] : (tensor<128x24x24x3xf32>) -> tensor<128xf32>
  %means = graph.broadcast_in_dim %mean broadcast_dimensions = [0] : (tensor<128xf32>) -> tensor<128x24x24x3xf32>
  %centered = graph.subtract %image, %means : tensor<128x24x24x3xf32>
  %squares = graph.multiply %centered, %centered : tensor<128x24x24x3xf32>
  %variance = graph.reduce_mean %squares dimensions = [1, 2, 3] : (tensor<128x24x24x3xf32>) -> tensor<128xf32>
  %deviation = graph.sqrt %variance : tensor<128xf32>
  %least = graph.constant dense<0.0240562612> : tensor<128xf32>
  %divisor = graph.maximum %deviation, %least : tensor<128xf32>
  %divisors = graph.broadcast_in_dim %divisor broadcast_dimensions = [0] : (tensor<128xf32>) -> tensor<128x24x24x3xf32>
  %y = graph.divide %centered, %divisors : tensor<128x24x24x3xf32>
  graph.return %y : tensor<128x24x24x3xf32>
}

// tf.nn.lrn(x, 4, bias=1.0, alpha=0.001 / 9.0, beta=0.75): x / (1 + alpha · the sum of the squares of the features up to 4 away)^0.75. The sums are
// one product with a band of ones.
graph.func private @norm(%x: tensor<128x12x12x64xf32>) -> tensor<128x12x12x64xf32> {
  %square = graph.multiply %x, %x : tensor<128x12x12x64xf32>
  %rows = graph.reshape %square : (tensor<128x12x12x64xf32>) -> tensor<18432x64xf32>
  %i = graph.iota dimension = 0 : tensor<64x64xi32>
  %j = graph.iota dimension = 1 : tensor<64x64xi32>
  %apart = graph.subtract %i, %j : tensor<64x64xi32>
  %distance = graph.abs %apart : tensor<64x64xi32>
  %radius = graph.constant dense<4> : tensor<64x64xi32>
  %near = graph.compare le, %distance, %radius : tensor<64x64xi32>
  %band = graph.convert %near : (tensor<64x64xi1>) -> tensor<64x64xf32>
  %sums = graph.matmul %rows, %band : (tensor<18432x64xf32>, tensor<64x64xf32>) -> tensor<18432x64xf32>
  %mean = graph.reshape %sums : (tensor<18432x64xf32>) -> tensor<128x12x12x64xf32>
  %alpha = graph.constant dense<1.11111111e-04> : tensor<128x12x12x64xf32>
  %one = graph.constant dense<1.0> : tensor<128x12x12x64xf32>
  %scaled = graph.multiply %mean, %alpha : tensor<128x12x12x64xf32>
  %base = graph.add %scaled, %one : tensor<128x12x12x64xf32>
  // base^-0.75
  %half = graph.rsqrt %base : tensor<128x12x12x64xf32>
  %quarter = graph.sqrt %half : tensor<128x12x12x64xf32>
  %factor = graph.multiply %half, %quarter : tensor<128x12x12x64xf32>
  %y = graph.multiply %x, %factor : tensor<128x12x12x64xf32>
  graph.return %y : tensor<128x12x12x64xf32>
}

// A pool of 3×3 in steps of 2 with padding "SAME" lies so that what is missing is missing at the high end.
graph.func private @inference(%stored: tensor<128x3x32x32xf32>) -> tensor<128x10xf32> {
  %images = graph.call @standardized(%stored) : (tensor<128x3x32x32xf32>) -> tensor<128x24x24x3xf32>
  %w1 = graph.read @conv1.weights : tensor<5x5x3x64xf32>
  %b1 = graph.read @conv1.biases : tensor<64xf32>
  %w2 = graph.read @conv2.weights : tensor<5x5x64x64xf32>
  %b2 = graph.read @conv2.biases : tensor<64xf32>
  %w3 = graph.read @local3.weights : tensor<2304x384xf32>
  %b3 = graph.read @local3.biases : tensor<384xf32>
  %w4 = graph.read @local4.weights : tensor<384x192xf32>
  %b4 = graph.read @local4.biases : tensor<192xf32>
  %w5 = graph.read @softmax_linear.weights : tensor<192x10xf32>
  %b5 = graph.read @softmax_linear.biases : tensor<10xf32>
  %c1 = graph.convolution %images, %w1 padding_low = [2, 2] padding_high = [2, 2] {nhwc, hwio}
      : (tensor<128x24x24x3xf32>, tensor<5x5x3x64xf32>) -> tensor<128x24x24x64xf32>
  %a1 = graph.bias_add %c1, %b1 : tensor<128x24x24x64xf32>, tensor<64xf32>
  %conv1 = graph.relu %a1 : tensor<128x24x24x64xf32>
  %pool1 = graph.max_pool %conv1 window_dimensions = [3, 3] window_strides = [2, 2] padding_high = [1, 1] {nhwc}
      : (tensor<128x24x24x64xf32>) -> tensor<128x12x12x64xf32>
  %norm1 = graph.call @norm(%pool1) : (tensor<128x12x12x64xf32>) -> tensor<128x12x12x64xf32>
  %c2 = graph.convolution %norm1, %w2 padding_low = [2, 2] padding_high = [2, 2] {nhwc, hwio}
      : (tensor<128x12x12x64xf32>, tensor<5x5x64x64xf32>) -> tensor<128x12x12x64xf32>
  %a2 = graph.bias_add %c2, %b2 : tensor<128x12x12x64xf32>, tensor<64xf32>
  %conv2 = graph.relu %a2 : tensor<128x12x12x64xf32>
  %norm2 = graph.call @norm(%conv2) : (tensor<128x12x12x64xf32>) -> tensor<128x12x12x64xf32>
  %pool2 = graph.max_pool %norm2 window_dimensions = [3, 3] window_strides = [2, 2] padding_high = [1, 1] {nhwc}
      : (tensor<128x12x12x64xf32>) -> tensor<128x6x6x64xf32>
  %flat = graph.reshape %pool2 : (tensor<128x6x6x64xf32>) -> tensor<128x2304xf32>
  %m3 = graph.matmul %flat, %w3 : (tensor<128x2304xf32>, tensor<2304x384xf32>) -> tensor<128x384xf32>
  %a3 = graph.bias_add %m3, %b3 : tensor<128x384xf32>, tensor<384xf32>
  %local3 = graph.relu %a3 : tensor<128x384xf32>
  %m4 = graph.matmul %local3, %w4 : (tensor<128x384xf32>, tensor<384x192xf32>) -> tensor<128x192xf32>
  %a4 = graph.bias_add %m4, %b4 : tensor<128x192xf32>, tensor<192xf32>
  %local4 = graph.relu %a4 : tensor<128x192xf32>
  %m5 = graph.matmul %local4, %w5 : (tensor<128x192xf32>, tensor<192x10xf32>) -> tensor<128x10xf32>
  %logits = graph.bias_add %m5, %b5 : tensor<128x10xf32>, tensor<10xf32>
  graph.return %logits : tensor<128x10xf32>
}

// The rate is divided by 10 each 350 epochs of 50,000 images in batches of 128; the weights of the two local
// layers decay.
graph.func @train() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %images, %labels = graph.next_batch @train_images {batch = 128} : tensor<128x3x32x32xf32>, tensor<128xi32>
  %logits = graph.call @inference(%images) : (tensor<128x3x32x32xf32>) -> tensor<128x10xf32>
  %loss = graph.softmax_cross_entropy %logits, %labels : (tensor<128x10xf32>, tensor<128xi32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.sgd<
      learning_rate = #graph.piecewise_constant<boundaries = [136718, 273437, 410156], values = [0.1, 0.01, 0.001, 0.0001]>,
      weight_decay = #graph.weight_decay<rate = 0.004, exclude = ["conv*", "*.biases", "softmax_linear*"]>>} : tensor<f32>
  graph.return %loss : tensor<f32>
}

graph.func @eval() -> () attributes {role = #graph.role<eval>} {
  %images, %labels, %valid = graph.next_batch @test_images {batch = 128, pad_last} : tensor<128x3x32x32xf32>, tensor<128xi32>, tensor<128xi1>
  %logits = graph.call @inference(%images) : (tensor<128x3x32x32xf32>) -> tensor<128x10xf32>
  %class = graph.argmax %logits dimension = 1 : (tensor<128x10xf32>) -> tensor<128xi32>
  %hit = graph.compare eq, %class, %labels : tensor<128xi32>
  graph.metric "precision @ 1", %hit, %valid : tensor<128xi1>, tensor<128xi1>
  graph.return
}
