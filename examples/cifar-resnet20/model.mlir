// ResNet-20 of He, Zhang, Ren and Sun (2015) for images of 32×32×3: a convolution, nine blocks of two in three stages of 16, 32 and 64 channels, a
// global mean, a dense layer. Names are those of torchvision's ResNet. Layers are functions that take weights as operands, so that one is
// declared once and called wherever its shape occurs; those without statistics of a batch serve training, evaluation and prediction alike.

// Images as CIFAR-10's binary files have them: channels first, bytes. In training each is moved by up to 4 places, and every second one turned.
graph.dataset @train : (tensor<3x32x32xf32>, tensor<i32>) =
    #graph.cifar10<files = ["data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin", "data_batch_5.bin"],
                   scale = 0.00392156862745098>
    {shuffle = true, seed = 1, transforms = [#graph.random_crop<padding = 4>, #graph.random_flip,
      #graph.normalize<mean = [0.4914, 0.4822, 0.4465], stddev = [0.247, 0.2435, 0.2616]>]}
graph.dataset @test : (tensor<3x32x32xf32>, tensor<i32>) = #graph.cifar10<files = ["test_batch.bin"], scale = 0.00392156862745098>
    {transforms = [#graph.normalize<mean = [0.4914, 0.4822, 0.4465], stddev = [0.247, 0.2435, 0.2616]>]}

// Filters are height, width, input features, output features; their deviation is sqrt(2 / (window places · output features)). Behind each
// convolution stands a batch norm: its scale (weight) and offset (bias) are trained; the running mean and variance follow the batches'
// own, and where several replicas or micro-batches make a step, their mean.
graph.variable @conv1.weight : tensor<3x3x3x16xf32> = #graph.normal<stddev = 0.1179, seed = 1>
graph.variable @bn1.weight : tensor<16xf32> = #graph.value<dense<1.0> : tensor<16xf32>>  graph.variable @bn1.bias : tensor<16xf32> = #graph.zeros
graph.variable @bn1.running_mean : tensor<16xf32> = #graph.zeros {trainable = false, aggregation = "mean"}  graph.variable @bn1.running_var : tensor<16xf32> = #graph.value<dense<1.0> : tensor<16xf32>> {trainable = false, aggregation = "mean"}
graph.variable @layer1.0.conv1.weight : tensor<3x3x16x16xf32> = #graph.normal<stddev = 0.1179, seed = 2>
graph.variable @layer1.0.bn1.weight : tensor<16xf32> = #graph.value<dense<1.0> : tensor<16xf32>>  graph.variable @layer1.0.bn1.bias : tensor<16xf32> = #graph.zeros
graph.variable @layer1.0.bn1.running_mean : tensor<16xf32> = #graph.zeros {trainable = false, aggregation = "mean"}  graph.variable @layer1.0.bn1.running_var : tensor<16xf32> = #graph.value<dense<1.0> : tensor<16xf32>> {trainable = false, aggregation = "mean"}
graph.variable @layer1.0.conv2.weight : tensor<3x3x16x16xf32> = #graph.normal<stddev = 0.1179, seed = 3>
graph.variable @layer1.0.bn2.weight : tensor<16xf32> = #graph.value<dense<1.0> : tensor<16xf32>>  graph.variable @layer1.0.bn2.bias : tensor<16xf32> = #graph.zeros
graph.variable @layer1.0.bn2.running_mean : tensor<16xf32> = #graph.zeros {trainable = false, aggregation = "mean"}  graph.variable @layer1.0.bn2.running_var : tensor<16xf32> = #graph.value<dense<1.0> : tensor<16xf32>> {trainable = false, aggregation = "mean"}
graph.variable @layer1.1.conv1.weight : tensor<3x3x16x16xf32> = #graph.normal<stddev = 0.1179, seed = 4>
graph.variable @layer1.1.bn1.weight : tensor<16xf32> = #graph.value<dense<1.0> : tensor<16xf32>>  graph.variable @layer1.1.bn1.bias : tensor<16xf32> = #graph.zeros
graph.variable @layer1.1.bn1.running_mean : tensor<16xf32> = #graph.zeros {trainable = false, aggregation = "mean"}  graph.variable @layer1.1.bn1.running_var : tensor<16xf32> = #graph.value<dense<1.0> : tensor<16xf32>> {trainable = false, aggregation = "mean"}
graph.variable @layer1.1.conv2.weight : tensor<3x3x16x16xf32> = #graph.normal<stddev = 0.1179, seed = 5>
graph.variable @layer1.1.bn2.weight : tensor<16xf32> = #graph.value<dense<1.0> : tensor<16xf32>>  graph.variable @layer1.1.bn2.bias : tensor<16xf32> = #graph.zeros
graph.variable @layer1.1.bn2.running_mean : tensor<16xf32> = #graph.zeros {trainable = false, aggregation = "mean"}  graph.variable @layer1.1.bn2.running_var : tensor<16xf32> = #graph.value<dense<1.0> : tensor<16xf32>> {trainable = false, aggregation = "mean"}
graph.variable @layer1.2.conv1.weight : tensor<3x3x16x16xf32> = #graph.normal<stddev = 0.1179, seed = 6>
graph.variable @layer1.2.bn1.weight : tensor<16xf32> = #graph.value<dense<1.0> : tensor<16xf32>>  graph.variable @layer1.2.bn1.bias : tensor<16xf32> = #graph.zeros
graph.variable @layer1.2.bn1.running_mean : tensor<16xf32> = #graph.zeros {trainable = false, aggregation = "mean"}  graph.variable @layer1.2.bn1.running_var : tensor<16xf32> = #graph.value<dense<1.0> : tensor<16xf32>> {trainable = false, aggregation = "mean"}
graph.variable @layer1.2.conv2.weight : tensor<3x3x16x16xf32> = #graph.normal<stddev = 0.1179, seed = 7>
graph.variable @layer1.2.bn2.weight : tensor<16xf32> = #graph.value<dense<1.0> : tensor<16xf32>>  graph.variable @layer1.2.bn2.bias : tensor<16xf32> = #graph.zeros
graph.variable @layer1.2.bn2.running_mean : tensor<16xf32> = #graph.zeros {trainable = false, aggregation = "mean"}  graph.variable @layer1.2.bn2.running_var : tensor<16xf32> = #graph.value<dense<1.0> : tensor<16xf32>> {trainable = false, aggregation = "mean"}
graph.variable @layer2.0.conv1.weight : tensor<3x3x16x32xf32> = #graph.normal<stddev = 0.0833, seed = 8>
graph.variable @layer2.0.bn1.weight : tensor<32xf32> = #graph.value<dense<1.0> : tensor<32xf32>>  graph.variable @layer2.0.bn1.bias : tensor<32xf32> = #graph.zeros
graph.variable @layer2.0.bn1.running_mean : tensor<32xf32> = #graph.zeros {trainable = false, aggregation = "mean"}  graph.variable @layer2.0.bn1.running_var : tensor<32xf32> = #graph.value<dense<1.0> : tensor<32xf32>> {trainable = false, aggregation = "mean"}
graph.variable @layer2.0.conv2.weight : tensor<3x3x32x32xf32> = #graph.normal<stddev = 0.0833, seed = 9>
graph.variable @layer2.0.bn2.weight : tensor<32xf32> = #graph.value<dense<1.0> : tensor<32xf32>>  graph.variable @layer2.0.bn2.bias : tensor<32xf32> = #graph.zeros
graph.variable @layer2.0.bn2.running_mean : tensor<32xf32> = #graph.zeros {trainable = false, aggregation = "mean"}  graph.variable @layer2.0.bn2.running_var : tensor<32xf32> = #graph.value<dense<1.0> : tensor<32xf32>> {trainable = false, aggregation = "mean"}
graph.variable @layer2.0.downsample.0.weight : tensor<1x1x16x32xf32> = #graph.normal<stddev = 0.2500, seed = 10>
graph.variable @layer2.0.downsample.1.weight : tensor<32xf32> = #graph.value<dense<1.0> : tensor<32xf32>>  graph.variable @layer2.0.downsample.1.bias : tensor<32xf32> = #graph.zeros
graph.variable @layer2.0.downsample.1.running_mean : tensor<32xf32> = #graph.zeros {trainable = false, aggregation = "mean"}  graph.variable @layer2.0.downsample.1.running_var : tensor<32xf32> = #graph.value<dense<1.0> : tensor<32xf32>> {trainable = false, aggregation = "mean"}
graph.variable @layer2.1.conv1.weight : tensor<3x3x32x32xf32> = #graph.normal<stddev = 0.0833, seed = 11>
graph.variable @layer2.1.bn1.weight : tensor<32xf32> = #graph.value<dense<1.0> : tensor<32xf32>>  graph.variable @layer2.1.bn1.bias : tensor<32xf32> = #graph.zeros
graph.variable @layer2.1.bn1.running_mean : tensor<32xf32> = #graph.zeros {trainable = false, aggregation = "mean"}  graph.variable @layer2.1.bn1.running_var : tensor<32xf32> = #graph.value<dense<1.0> : tensor<32xf32>> {trainable = false, aggregation = "mean"}
graph.variable @layer2.1.conv2.weight : tensor<3x3x32x32xf32> = #graph.normal<stddev = 0.0833, seed = 12>
graph.variable @layer2.1.bn2.weight : tensor<32xf32> = #graph.value<dense<1.0> : tensor<32xf32>>  graph.variable @layer2.1.bn2.bias : tensor<32xf32> = #graph.zeros
graph.variable @layer2.1.bn2.running_mean : tensor<32xf32> = #graph.zeros {trainable = false, aggregation = "mean"}  graph.variable @layer2.1.bn2.running_var : tensor<32xf32> = #graph.value<dense<1.0> : tensor<32xf32>> {trainable = false, aggregation = "mean"}
graph.variable @layer2.2.conv1.weight : tensor<3x3x32x32xf32> = #graph.normal<stddev = 0.0833, seed = 13>
graph.variable @layer2.2.bn1.weight : tensor<32xf32> = #graph.value<dense<1.0> : tensor<32xf32>>  graph.variable @layer2.2.bn1.bias : tensor<32xf32> = #graph.zeros
graph.variable @layer2.2.bn1.running_mean : tensor<32xf32> = #graph.zeros {trainable = false, aggregation = "mean"}  graph.variable @layer2.2.bn1.running_var : tensor<32xf32> = #graph.value<dense<1.0> : tensor<32xf32>> {trainable = false, aggregation = "mean"}
graph.variable @layer2.2.conv2.weight : tensor<3x3x32x32xf32> = #graph.normal<stddev = 0.0833, seed = 14>
graph.variable @layer2.2.bn2.weight : tensor<32xf32> = #graph.value<dense<1.0> : tensor<32xf32>>  graph.variable @layer2.2.bn2.bias : tensor<32xf32> = #graph.zeros
graph.variable @layer2.2.bn2.running_mean : tensor<32xf32> = #graph.zeros {trainable = false, aggregation = "mean"}  graph.variable @layer2.2.bn2.running_var : tensor<32xf32> = #graph.value<dense<1.0> : tensor<32xf32>> {trainable = false, aggregation = "mean"}
graph.variable @layer3.0.conv1.weight : tensor<3x3x32x64xf32> = #graph.normal<stddev = 0.0589, seed = 15>
graph.variable @layer3.0.bn1.weight : tensor<64xf32> = #graph.value<dense<1.0> : tensor<64xf32>>  graph.variable @layer3.0.bn1.bias : tensor<64xf32> = #graph.zeros
graph.variable @layer3.0.bn1.running_mean : tensor<64xf32> = #graph.zeros {trainable = false, aggregation = "mean"}  graph.variable @layer3.0.bn1.running_var : tensor<64xf32> = #graph.value<dense<1.0> : tensor<64xf32>> {trainable = false, aggregation = "mean"}
graph.variable @layer3.0.conv2.weight : tensor<3x3x64x64xf32> = #graph.normal<stddev = 0.0589, seed = 16>
graph.variable @layer3.0.bn2.weight : tensor<64xf32> = #graph.value<dense<1.0> : tensor<64xf32>>  graph.variable @layer3.0.bn2.bias : tensor<64xf32> = #graph.zeros
graph.variable @layer3.0.bn2.running_mean : tensor<64xf32> = #graph.zeros {trainable = false, aggregation = "mean"}  graph.variable @layer3.0.bn2.running_var : tensor<64xf32> = #graph.value<dense<1.0> : tensor<64xf32>> {trainable = false, aggregation = "mean"}
graph.variable @layer3.0.downsample.0.weight : tensor<1x1x32x64xf32> = #graph.normal<stddev = 0.1768, seed = 17>
graph.variable @layer3.0.downsample.1.weight : tensor<64xf32> = #graph.value<dense<1.0> : tensor<64xf32>>  graph.variable @layer3.0.downsample.1.bias : tensor<64xf32> = #graph.zeros
graph.variable @layer3.0.downsample.1.running_mean : tensor<64xf32> = #graph.zeros {trainable = false, aggregation = "mean"}  graph.variable @layer3.0.downsample.1.running_var : tensor<64xf32> = #graph.value<dense<1.0> : tensor<64xf32>> {trainable = false, aggregation = "mean"}
graph.variable @layer3.1.conv1.weight : tensor<3x3x64x64xf32> = #graph.normal<stddev = 0.0589, seed = 18>
graph.variable @layer3.1.bn1.weight : tensor<64xf32> = #graph.value<dense<1.0> : tensor<64xf32>>  graph.variable @layer3.1.bn1.bias : tensor<64xf32> = #graph.zeros
graph.variable @layer3.1.bn1.running_mean : tensor<64xf32> = #graph.zeros {trainable = false, aggregation = "mean"}  graph.variable @layer3.1.bn1.running_var : tensor<64xf32> = #graph.value<dense<1.0> : tensor<64xf32>> {trainable = false, aggregation = "mean"}
graph.variable @layer3.1.conv2.weight : tensor<3x3x64x64xf32> = #graph.normal<stddev = 0.0589, seed = 19>
graph.variable @layer3.1.bn2.weight : tensor<64xf32> = #graph.value<dense<1.0> : tensor<64xf32>>  graph.variable @layer3.1.bn2.bias : tensor<64xf32> = #graph.zeros
graph.variable @layer3.1.bn2.running_mean : tensor<64xf32> = #graph.zeros {trainable = false, aggregation = "mean"}  graph.variable @layer3.1.bn2.running_var : tensor<64xf32> = #graph.value<dense<1.0> : tensor<64xf32>> {trainable = false, aggregation = "mean"}
graph.variable @layer3.2.conv1.weight : tensor<3x3x64x64xf32> = #graph.normal<stddev = 0.0589, seed = 20>
graph.variable @layer3.2.bn1.weight : tensor<64xf32> = #graph.value<dense<1.0> : tensor<64xf32>>  graph.variable @layer3.2.bn1.bias : tensor<64xf32> = #graph.zeros
graph.variable @layer3.2.bn1.running_mean : tensor<64xf32> = #graph.zeros {trainable = false, aggregation = "mean"}  graph.variable @layer3.2.bn1.running_var : tensor<64xf32> = #graph.value<dense<1.0> : tensor<64xf32>> {trainable = false, aggregation = "mean"}
graph.variable @layer3.2.conv2.weight : tensor<3x3x64x64xf32> = #graph.normal<stddev = 0.0589, seed = 21>
graph.variable @layer3.2.bn2.weight : tensor<64xf32> = #graph.value<dense<1.0> : tensor<64xf32>>  graph.variable @layer3.2.bn2.bias : tensor<64xf32> = #graph.zeros
graph.variable @layer3.2.bn2.running_mean : tensor<64xf32> = #graph.zeros {trainable = false, aggregation = "mean"}  graph.variable @layer3.2.bn2.running_var : tensor<64xf32> = #graph.value<dense<1.0> : tensor<64xf32>> {trainable = false, aggregation = "mean"}
graph.variable @fc.weight : tensor<64x10xf32> = #graph.glorot_uniform<seed = 22>
graph.variable @fc.bias : tensor<10xf32> = #graph.zeros

// What training, evaluation and prediction share.

// Channels first, as stored, to features last.
graph.func private @images(%x: tensor<64x3x32x32xf32>) -> tensor<64x32x32x3xf32> {
  %y = graph.transpose %x permutation = [0, 2, 3, 1] : (tensor<64x3x32x32xf32>) -> tensor<64x32x32x3xf32>
  graph.return %y : tensor<64x32x32x3xf32>
}
graph.func private @stem(%x: tensor<64x32x32x3xf32>, %w: tensor<3x3x3x16xf32>) -> tensor<64x32x32x16xf32> {
  %y = graph.convolution %x, %w padding_low = [1, 1] padding_high = [1, 1] {nhwc, hwio} : (tensor<64x32x32x3xf32>, tensor<3x3x3x16xf32>) -> tensor<64x32x32x16xf32>
  graph.return %y : tensor<64x32x32x16xf32>
}
graph.func private @conv16(%x: tensor<64x32x32x16xf32>, %w: tensor<3x3x16x16xf32>) -> tensor<64x32x32x16xf32> {
  %y = graph.convolution %x, %w padding_low = [1, 1] padding_high = [1, 1] {nhwc, hwio} : (tensor<64x32x32x16xf32>, tensor<3x3x16x16xf32>) -> tensor<64x32x32x16xf32>
  graph.return %y : tensor<64x32x32x16xf32>
}
graph.func private @conv32(%x: tensor<64x16x16x32xf32>, %w: tensor<3x3x32x32xf32>) -> tensor<64x16x16x32xf32> {
  %y = graph.convolution %x, %w padding_low = [1, 1] padding_high = [1, 1] {nhwc, hwio} : (tensor<64x16x16x32xf32>, tensor<3x3x32x32xf32>) -> tensor<64x16x16x32xf32>
  graph.return %y : tensor<64x16x16x32xf32>
}
graph.func private @conv64(%x: tensor<64x8x8x64xf32>, %w: tensor<3x3x64x64xf32>) -> tensor<64x8x8x64xf32> {
  %y = graph.convolution %x, %w padding_low = [1, 1] padding_high = [1, 1] {nhwc, hwio} : (tensor<64x8x8x64xf32>, tensor<3x3x64x64xf32>) -> tensor<64x8x8x64xf32>
  graph.return %y : tensor<64x8x8x64xf32>
}
// To half the height and width and 32 features; what goes around it by windows of one place.
graph.func private @reduce32(%x: tensor<64x32x32x16xf32>, %w: tensor<3x3x16x32xf32>) -> tensor<64x16x16x32xf32> {
  %y = graph.convolution %x, %w window_strides = [2, 2] padding_low = [1, 1] padding_high = [1, 1] {nhwc, hwio} : (tensor<64x32x32x16xf32>, tensor<3x3x16x32xf32>) -> tensor<64x16x16x32xf32>
  graph.return %y : tensor<64x16x16x32xf32>
}
graph.func private @downsample32(%x: tensor<64x32x32x16xf32>, %w: tensor<1x1x16x32xf32>) -> tensor<64x16x16x32xf32> {
  %y = graph.convolution %x, %w window_strides = [2, 2] {nhwc, hwio} : (tensor<64x32x32x16xf32>, tensor<1x1x16x32xf32>) -> tensor<64x16x16x32xf32>
  graph.return %y : tensor<64x16x16x32xf32>
}
// To half the height and width and 64 features; what goes around it by windows of one place.
graph.func private @reduce64(%x: tensor<64x16x16x32xf32>, %w: tensor<3x3x32x64xf32>) -> tensor<64x8x8x64xf32> {
  %y = graph.convolution %x, %w window_strides = [2, 2] padding_low = [1, 1] padding_high = [1, 1] {nhwc, hwio} : (tensor<64x16x16x32xf32>, tensor<3x3x32x64xf32>) -> tensor<64x8x8x64xf32>
  graph.return %y : tensor<64x8x8x64xf32>
}
graph.func private @downsample64(%x: tensor<64x16x16x32xf32>, %w: tensor<1x1x32x64xf32>) -> tensor<64x8x8x64xf32> {
  %y = graph.convolution %x, %w window_strides = [2, 2] {nhwc, hwio} : (tensor<64x16x16x32xf32>, tensor<1x1x32x64xf32>) -> tensor<64x8x8x64xf32>
  graph.return %y : tensor<64x8x8x64xf32>
}
// What a block ends with: what went around it is added.
graph.func private @join16(%x: tensor<64x32x32x16xf32>, %around: tensor<64x32x32x16xf32>) -> tensor<64x32x32x16xf32> {
  %sum = graph.add %x, %around : tensor<64x32x32x16xf32>
  %y = graph.relu %sum : tensor<64x32x32x16xf32>
  graph.return %y : tensor<64x32x32x16xf32>
}
graph.func private @join32(%x: tensor<64x16x16x32xf32>, %around: tensor<64x16x16x32xf32>) -> tensor<64x16x16x32xf32> {
  %sum = graph.add %x, %around : tensor<64x16x16x32xf32>
  %y = graph.relu %sum : tensor<64x16x16x32xf32>
  graph.return %y : tensor<64x16x16x32xf32>
}
graph.func private @join64(%x: tensor<64x8x8x64xf32>, %around: tensor<64x8x8x64xf32>) -> tensor<64x8x8x64xf32> {
  %sum = graph.add %x, %around : tensor<64x8x8x64xf32>
  %y = graph.relu %sum : tensor<64x8x8x64xf32>
  graph.return %y : tensor<64x8x8x64xf32>
}
// The mean of each feature over the image, and a number a class.
graph.func private @head(%x: tensor<64x8x8x64xf32>) -> tensor<64x10xf32> {
  %w = graph.read @fc.weight : tensor<64x10xf32>
  %b = graph.read @fc.bias : tensor<10xf32>
  %mean = graph.reduce_mean %x dimensions = [1, 2] : (tensor<64x8x8x64xf32>) -> tensor<64x64xf32>
  %m = graph.matmul %mean, %w : (tensor<64x64xf32>, tensor<64x10xf32>) -> tensor<64x10xf32>
  %y = graph.bias_add %m, %b : tensor<64x10xf32>, tensor<10xf32>
  graph.return %y : tensor<64x10xf32>
}

// Batch norms: in training by the batch's own mean and variance, which the caller keeps; else by the running ones.

graph.func private @norm16_train(%x: tensor<64x32x32x16xf32>, %weight: tensor<16xf32>, %bias: tensor<16xf32>) -> (tensor<64x32x32x16xf32>, tensor<16xf32>, tensor<16xf32>) {
  %y, %mean, %var = graph.batch_norm_training %x, %weight, %bias feature_index = 3 epsilon = 1.0e-05 : (tensor<64x32x32x16xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<64x32x32x16xf32>, tensor<16xf32>, tensor<16xf32>)
  graph.return %y, %mean, %var : tensor<64x32x32x16xf32>, tensor<16xf32>, tensor<16xf32>
}
graph.func private @norm16(%x: tensor<64x32x32x16xf32>, %weight: tensor<16xf32>, %bias: tensor<16xf32>, %mean: tensor<16xf32>, %var: tensor<16xf32>) -> tensor<64x32x32x16xf32> {
  %y = graph.batch_norm_inference %x, %weight, %bias, %mean, %var feature_index = 3 epsilon = 1.0e-05 : (tensor<64x32x32x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<64x32x32x16xf32>
  graph.return %y : tensor<64x32x32x16xf32>
}
graph.func private @norm32_train(%x: tensor<64x16x16x32xf32>, %weight: tensor<32xf32>, %bias: tensor<32xf32>) -> (tensor<64x16x16x32xf32>, tensor<32xf32>, tensor<32xf32>) {
  %y, %mean, %var = graph.batch_norm_training %x, %weight, %bias feature_index = 3 epsilon = 1.0e-05 : (tensor<64x16x16x32xf32>, tensor<32xf32>, tensor<32xf32>) -> (tensor<64x16x16x32xf32>, tensor<32xf32>, tensor<32xf32>)
  graph.return %y, %mean, %var : tensor<64x16x16x32xf32>, tensor<32xf32>, tensor<32xf32>
}
graph.func private @norm32(%x: tensor<64x16x16x32xf32>, %weight: tensor<32xf32>, %bias: tensor<32xf32>, %mean: tensor<32xf32>, %var: tensor<32xf32>) -> tensor<64x16x16x32xf32> {
  %y = graph.batch_norm_inference %x, %weight, %bias, %mean, %var feature_index = 3 epsilon = 1.0e-05 : (tensor<64x16x16x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<64x16x16x32xf32>
  graph.return %y : tensor<64x16x16x32xf32>
}
graph.func private @norm64_train(%x: tensor<64x8x8x64xf32>, %weight: tensor<64xf32>, %bias: tensor<64xf32>) -> (tensor<64x8x8x64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %y, %mean, %var = graph.batch_norm_training %x, %weight, %bias feature_index = 3 epsilon = 1.0e-05 : (tensor<64x8x8x64xf32>, tensor<64xf32>, tensor<64xf32>) -> (tensor<64x8x8x64xf32>, tensor<64xf32>, tensor<64xf32>)
  graph.return %y, %mean, %var : tensor<64x8x8x64xf32>, tensor<64xf32>, tensor<64xf32>
}
graph.func private @norm64(%x: tensor<64x8x8x64xf32>, %weight: tensor<64xf32>, %bias: tensor<64xf32>, %mean: tensor<64xf32>, %var: tensor<64xf32>) -> tensor<64x8x8x64xf32> {
  %y = graph.batch_norm_inference %x, %weight, %bias, %mean, %var feature_index = 3 epsilon = 1.0e-05 : (tensor<64x8x8x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<64x8x8x64xf32>
  graph.return %y : tensor<64x8x8x64xf32>
}

// The network twice: with the batches' statistics, keeping their running averages, and by these.

graph.func private @network_train(%pixels: tensor<64x3x32x32xf32>) -> tensor<64x10xf32> {
  %x = graph.call @images(%pixels) : (tensor<64x3x32x32xf32>) -> tensor<64x32x32x3xf32>
  %h0w = graph.read @conv1.weight : tensor<3x3x3x16xf32>
  %h0s = graph.read @bn1.weight : tensor<16xf32>  %h0o = graph.read @bn1.bias : tensor<16xf32>
  %h0c = graph.call @stem(%x, %h0w) {graph.name = "conv1"} : (tensor<64x32x32x3xf32>, tensor<3x3x3x16xf32>) -> tensor<64x32x32x16xf32>
  %h0n, %h0m, %h0v = graph.call @norm16_train(%h0c, %h0s, %h0o) {graph.name = "bn1"} : (tensor<64x32x32x16xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<64x32x32x16xf32>, tensor<16xf32>, tensor<16xf32>)
  graph.assign_moving_average @bn1.running_mean, %h0m {momentum = 0.9} : tensor<16xf32>  graph.assign_moving_average @bn1.running_var, %h0v {momentum = 0.9} : tensor<16xf32>
  %h0 = graph.relu %h0n : tensor<64x32x32x16xf32>
  // layer1.0
  %a1w = graph.read @layer1.0.conv1.weight : tensor<3x3x16x16xf32>
  %a1s = graph.read @layer1.0.bn1.weight : tensor<16xf32>  %a1o = graph.read @layer1.0.bn1.bias : tensor<16xf32>
  %a1c = graph.call @conv16(%h0, %a1w) {graph.name = "layer1.0.conv1"} : (tensor<64x32x32x16xf32>, tensor<3x3x16x16xf32>) -> tensor<64x32x32x16xf32>
  %a1n, %a1m, %a1v = graph.call @norm16_train(%a1c, %a1s, %a1o) {graph.name = "layer1.0.bn1"} : (tensor<64x32x32x16xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<64x32x32x16xf32>, tensor<16xf32>, tensor<16xf32>)
  graph.assign_moving_average @layer1.0.bn1.running_mean, %a1m {momentum = 0.9} : tensor<16xf32>  graph.assign_moving_average @layer1.0.bn1.running_var, %a1v {momentum = 0.9} : tensor<16xf32>
  %a1 = graph.relu %a1n : tensor<64x32x32x16xf32>
  %b1w = graph.read @layer1.0.conv2.weight : tensor<3x3x16x16xf32>
  %b1s = graph.read @layer1.0.bn2.weight : tensor<16xf32>  %b1o = graph.read @layer1.0.bn2.bias : tensor<16xf32>
  %b1c = graph.call @conv16(%a1, %b1w) {graph.name = "layer1.0.conv2"} : (tensor<64x32x32x16xf32>, tensor<3x3x16x16xf32>) -> tensor<64x32x32x16xf32>
  %b1, %b1m, %b1v = graph.call @norm16_train(%b1c, %b1s, %b1o) {graph.name = "layer1.0.bn2"} : (tensor<64x32x32x16xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<64x32x32x16xf32>, tensor<16xf32>, tensor<16xf32>)
  graph.assign_moving_average @layer1.0.bn2.running_mean, %b1m {momentum = 0.9} : tensor<16xf32>  graph.assign_moving_average @layer1.0.bn2.running_var, %b1v {momentum = 0.9} : tensor<16xf32>
  %h1 = graph.call @join16(%b1, %h0) : (tensor<64x32x32x16xf32>, tensor<64x32x32x16xf32>) -> tensor<64x32x32x16xf32>
  // layer1.1
  %a2w = graph.read @layer1.1.conv1.weight : tensor<3x3x16x16xf32>
  %a2s = graph.read @layer1.1.bn1.weight : tensor<16xf32>  %a2o = graph.read @layer1.1.bn1.bias : tensor<16xf32>
  %a2c = graph.call @conv16(%h1, %a2w) {graph.name = "layer1.1.conv1"} : (tensor<64x32x32x16xf32>, tensor<3x3x16x16xf32>) -> tensor<64x32x32x16xf32>
  %a2n, %a2m, %a2v = graph.call @norm16_train(%a2c, %a2s, %a2o) {graph.name = "layer1.1.bn1"} : (tensor<64x32x32x16xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<64x32x32x16xf32>, tensor<16xf32>, tensor<16xf32>)
  graph.assign_moving_average @layer1.1.bn1.running_mean, %a2m {momentum = 0.9} : tensor<16xf32>  graph.assign_moving_average @layer1.1.bn1.running_var, %a2v {momentum = 0.9} : tensor<16xf32>
  %a2 = graph.relu %a2n : tensor<64x32x32x16xf32>
  %b2w = graph.read @layer1.1.conv2.weight : tensor<3x3x16x16xf32>
  %b2s = graph.read @layer1.1.bn2.weight : tensor<16xf32>  %b2o = graph.read @layer1.1.bn2.bias : tensor<16xf32>
  %b2c = graph.call @conv16(%a2, %b2w) {graph.name = "layer1.1.conv2"} : (tensor<64x32x32x16xf32>, tensor<3x3x16x16xf32>) -> tensor<64x32x32x16xf32>
  %b2, %b2m, %b2v = graph.call @norm16_train(%b2c, %b2s, %b2o) {graph.name = "layer1.1.bn2"} : (tensor<64x32x32x16xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<64x32x32x16xf32>, tensor<16xf32>, tensor<16xf32>)
  graph.assign_moving_average @layer1.1.bn2.running_mean, %b2m {momentum = 0.9} : tensor<16xf32>  graph.assign_moving_average @layer1.1.bn2.running_var, %b2v {momentum = 0.9} : tensor<16xf32>
  %h2 = graph.call @join16(%b2, %h1) : (tensor<64x32x32x16xf32>, tensor<64x32x32x16xf32>) -> tensor<64x32x32x16xf32>
  // layer1.2
  %a3w = graph.read @layer1.2.conv1.weight : tensor<3x3x16x16xf32>
  %a3s = graph.read @layer1.2.bn1.weight : tensor<16xf32>  %a3o = graph.read @layer1.2.bn1.bias : tensor<16xf32>
  %a3c = graph.call @conv16(%h2, %a3w) {graph.name = "layer1.2.conv1"} : (tensor<64x32x32x16xf32>, tensor<3x3x16x16xf32>) -> tensor<64x32x32x16xf32>
  %a3n, %a3m, %a3v = graph.call @norm16_train(%a3c, %a3s, %a3o) {graph.name = "layer1.2.bn1"} : (tensor<64x32x32x16xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<64x32x32x16xf32>, tensor<16xf32>, tensor<16xf32>)
  graph.assign_moving_average @layer1.2.bn1.running_mean, %a3m {momentum = 0.9} : tensor<16xf32>  graph.assign_moving_average @layer1.2.bn1.running_var, %a3v {momentum = 0.9} : tensor<16xf32>
  %a3 = graph.relu %a3n : tensor<64x32x32x16xf32>
  %b3w = graph.read @layer1.2.conv2.weight : tensor<3x3x16x16xf32>
  %b3s = graph.read @layer1.2.bn2.weight : tensor<16xf32>  %b3o = graph.read @layer1.2.bn2.bias : tensor<16xf32>
  %b3c = graph.call @conv16(%a3, %b3w) {graph.name = "layer1.2.conv2"} : (tensor<64x32x32x16xf32>, tensor<3x3x16x16xf32>) -> tensor<64x32x32x16xf32>
  %b3, %b3m, %b3v = graph.call @norm16_train(%b3c, %b3s, %b3o) {graph.name = "layer1.2.bn2"} : (tensor<64x32x32x16xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<64x32x32x16xf32>, tensor<16xf32>, tensor<16xf32>)
  graph.assign_moving_average @layer1.2.bn2.running_mean, %b3m {momentum = 0.9} : tensor<16xf32>  graph.assign_moving_average @layer1.2.bn2.running_var, %b3v {momentum = 0.9} : tensor<16xf32>
  %h3 = graph.call @join16(%b3, %h2) : (tensor<64x32x32x16xf32>, tensor<64x32x32x16xf32>) -> tensor<64x32x32x16xf32>
  // layer2.0
  %a4w = graph.read @layer2.0.conv1.weight : tensor<3x3x16x32xf32>
  %a4s = graph.read @layer2.0.bn1.weight : tensor<32xf32>  %a4o = graph.read @layer2.0.bn1.bias : tensor<32xf32>
  %a4c = graph.call @reduce32(%h3, %a4w) {graph.name = "layer2.0.conv1"} : (tensor<64x32x32x16xf32>, tensor<3x3x16x32xf32>) -> tensor<64x16x16x32xf32>
  %a4n, %a4m, %a4v = graph.call @norm32_train(%a4c, %a4s, %a4o) {graph.name = "layer2.0.bn1"} : (tensor<64x16x16x32xf32>, tensor<32xf32>, tensor<32xf32>) -> (tensor<64x16x16x32xf32>, tensor<32xf32>, tensor<32xf32>)
  graph.assign_moving_average @layer2.0.bn1.running_mean, %a4m {momentum = 0.9} : tensor<32xf32>  graph.assign_moving_average @layer2.0.bn1.running_var, %a4v {momentum = 0.9} : tensor<32xf32>
  %a4 = graph.relu %a4n : tensor<64x16x16x32xf32>
  %b4w = graph.read @layer2.0.conv2.weight : tensor<3x3x32x32xf32>
  %b4s = graph.read @layer2.0.bn2.weight : tensor<32xf32>  %b4o = graph.read @layer2.0.bn2.bias : tensor<32xf32>
  %b4c = graph.call @conv32(%a4, %b4w) {graph.name = "layer2.0.conv2"} : (tensor<64x16x16x32xf32>, tensor<3x3x32x32xf32>) -> tensor<64x16x16x32xf32>
  %b4, %b4m, %b4v = graph.call @norm32_train(%b4c, %b4s, %b4o) {graph.name = "layer2.0.bn2"} : (tensor<64x16x16x32xf32>, tensor<32xf32>, tensor<32xf32>) -> (tensor<64x16x16x32xf32>, tensor<32xf32>, tensor<32xf32>)
  graph.assign_moving_average @layer2.0.bn2.running_mean, %b4m {momentum = 0.9} : tensor<32xf32>  graph.assign_moving_average @layer2.0.bn2.running_var, %b4v {momentum = 0.9} : tensor<32xf32>
  %d4w = graph.read @layer2.0.downsample.0.weight : tensor<1x1x16x32xf32>
  %d4s = graph.read @layer2.0.downsample.1.weight : tensor<32xf32>  %d4o = graph.read @layer2.0.downsample.1.bias : tensor<32xf32>
  %d4c = graph.call @downsample32(%h3, %d4w) {graph.name = "layer2.0.downsample.0"} : (tensor<64x32x32x16xf32>, tensor<1x1x16x32xf32>) -> tensor<64x16x16x32xf32>
  %d4, %d4m, %d4v = graph.call @norm32_train(%d4c, %d4s, %d4o) {graph.name = "layer2.0.downsample.1"} : (tensor<64x16x16x32xf32>, tensor<32xf32>, tensor<32xf32>) -> (tensor<64x16x16x32xf32>, tensor<32xf32>, tensor<32xf32>)
  graph.assign_moving_average @layer2.0.downsample.1.running_mean, %d4m {momentum = 0.9} : tensor<32xf32>  graph.assign_moving_average @layer2.0.downsample.1.running_var, %d4v {momentum = 0.9} : tensor<32xf32>
  %h4 = graph.call @join32(%b4, %d4) : (tensor<64x16x16x32xf32>, tensor<64x16x16x32xf32>) -> tensor<64x16x16x32xf32>
  // layer2.1
  %a5w = graph.read @layer2.1.conv1.weight : tensor<3x3x32x32xf32>
  %a5s = graph.read @layer2.1.bn1.weight : tensor<32xf32>  %a5o = graph.read @layer2.1.bn1.bias : tensor<32xf32>
  %a5c = graph.call @conv32(%h4, %a5w) {graph.name = "layer2.1.conv1"} : (tensor<64x16x16x32xf32>, tensor<3x3x32x32xf32>) -> tensor<64x16x16x32xf32>
  %a5n, %a5m, %a5v = graph.call @norm32_train(%a5c, %a5s, %a5o) {graph.name = "layer2.1.bn1"} : (tensor<64x16x16x32xf32>, tensor<32xf32>, tensor<32xf32>) -> (tensor<64x16x16x32xf32>, tensor<32xf32>, tensor<32xf32>)
  graph.assign_moving_average @layer2.1.bn1.running_mean, %a5m {momentum = 0.9} : tensor<32xf32>  graph.assign_moving_average @layer2.1.bn1.running_var, %a5v {momentum = 0.9} : tensor<32xf32>
  %a5 = graph.relu %a5n : tensor<64x16x16x32xf32>
  %b5w = graph.read @layer2.1.conv2.weight : tensor<3x3x32x32xf32>
  %b5s = graph.read @layer2.1.bn2.weight : tensor<32xf32>  %b5o = graph.read @layer2.1.bn2.bias : tensor<32xf32>
  %b5c = graph.call @conv32(%a5, %b5w) {graph.name = "layer2.1.conv2"} : (tensor<64x16x16x32xf32>, tensor<3x3x32x32xf32>) -> tensor<64x16x16x32xf32>
  %b5, %b5m, %b5v = graph.call @norm32_train(%b5c, %b5s, %b5o) {graph.name = "layer2.1.bn2"} : (tensor<64x16x16x32xf32>, tensor<32xf32>, tensor<32xf32>) -> (tensor<64x16x16x32xf32>, tensor<32xf32>, tensor<32xf32>)
  graph.assign_moving_average @layer2.1.bn2.running_mean, %b5m {momentum = 0.9} : tensor<32xf32>  graph.assign_moving_average @layer2.1.bn2.running_var, %b5v {momentum = 0.9} : tensor<32xf32>
  %h5 = graph.call @join32(%b5, %h4) : (tensor<64x16x16x32xf32>, tensor<64x16x16x32xf32>) -> tensor<64x16x16x32xf32>
  // layer2.2
  %a6w = graph.read @layer2.2.conv1.weight : tensor<3x3x32x32xf32>
  %a6s = graph.read @layer2.2.bn1.weight : tensor<32xf32>  %a6o = graph.read @layer2.2.bn1.bias : tensor<32xf32>
  %a6c = graph.call @conv32(%h5, %a6w) {graph.name = "layer2.2.conv1"} : (tensor<64x16x16x32xf32>, tensor<3x3x32x32xf32>) -> tensor<64x16x16x32xf32>
  %a6n, %a6m, %a6v = graph.call @norm32_train(%a6c, %a6s, %a6o) {graph.name = "layer2.2.bn1"} : (tensor<64x16x16x32xf32>, tensor<32xf32>, tensor<32xf32>) -> (tensor<64x16x16x32xf32>, tensor<32xf32>, tensor<32xf32>)
  graph.assign_moving_average @layer2.2.bn1.running_mean, %a6m {momentum = 0.9} : tensor<32xf32>  graph.assign_moving_average @layer2.2.bn1.running_var, %a6v {momentum = 0.9} : tensor<32xf32>
  %a6 = graph.relu %a6n : tensor<64x16x16x32xf32>
  %b6w = graph.read @layer2.2.conv2.weight : tensor<3x3x32x32xf32>
  %b6s = graph.read @layer2.2.bn2.weight : tensor<32xf32>  %b6o = graph.read @layer2.2.bn2.bias : tensor<32xf32>
  %b6c = graph.call @conv32(%a6, %b6w) {graph.name = "layer2.2.conv2"} : (tensor<64x16x16x32xf32>, tensor<3x3x32x32xf32>) -> tensor<64x16x16x32xf32>
  %b6, %b6m, %b6v = graph.call @norm32_train(%b6c, %b6s, %b6o) {graph.name = "layer2.2.bn2"} : (tensor<64x16x16x32xf32>, tensor<32xf32>, tensor<32xf32>) -> (tensor<64x16x16x32xf32>, tensor<32xf32>, tensor<32xf32>)
  graph.assign_moving_average @layer2.2.bn2.running_mean, %b6m {momentum = 0.9} : tensor<32xf32>  graph.assign_moving_average @layer2.2.bn2.running_var, %b6v {momentum = 0.9} : tensor<32xf32>
  %h6 = graph.call @join32(%b6, %h5) : (tensor<64x16x16x32xf32>, tensor<64x16x16x32xf32>) -> tensor<64x16x16x32xf32>
  // layer3.0
  %a7w = graph.read @layer3.0.conv1.weight : tensor<3x3x32x64xf32>
  %a7s = graph.read @layer3.0.bn1.weight : tensor<64xf32>  %a7o = graph.read @layer3.0.bn1.bias : tensor<64xf32>
  %a7c = graph.call @reduce64(%h6, %a7w) {graph.name = "layer3.0.conv1"} : (tensor<64x16x16x32xf32>, tensor<3x3x32x64xf32>) -> tensor<64x8x8x64xf32>
  %a7n, %a7m, %a7v = graph.call @norm64_train(%a7c, %a7s, %a7o) {graph.name = "layer3.0.bn1"} : (tensor<64x8x8x64xf32>, tensor<64xf32>, tensor<64xf32>) -> (tensor<64x8x8x64xf32>, tensor<64xf32>, tensor<64xf32>)
  graph.assign_moving_average @layer3.0.bn1.running_mean, %a7m {momentum = 0.9} : tensor<64xf32>  graph.assign_moving_average @layer3.0.bn1.running_var, %a7v {momentum = 0.9} : tensor<64xf32>
  %a7 = graph.relu %a7n : tensor<64x8x8x64xf32>
  %b7w = graph.read @layer3.0.conv2.weight : tensor<3x3x64x64xf32>
  %b7s = graph.read @layer3.0.bn2.weight : tensor<64xf32>  %b7o = graph.read @layer3.0.bn2.bias : tensor<64xf32>
  %b7c = graph.call @conv64(%a7, %b7w) {graph.name = "layer3.0.conv2"} : (tensor<64x8x8x64xf32>, tensor<3x3x64x64xf32>) -> tensor<64x8x8x64xf32>
  %b7, %b7m, %b7v = graph.call @norm64_train(%b7c, %b7s, %b7o) {graph.name = "layer3.0.bn2"} : (tensor<64x8x8x64xf32>, tensor<64xf32>, tensor<64xf32>) -> (tensor<64x8x8x64xf32>, tensor<64xf32>, tensor<64xf32>)
  graph.assign_moving_average @layer3.0.bn2.running_mean, %b7m {momentum = 0.9} : tensor<64xf32>  graph.assign_moving_average @layer3.0.bn2.running_var, %b7v {momentum = 0.9} : tensor<64xf32>
  %d7w = graph.read @layer3.0.downsample.0.weight : tensor<1x1x32x64xf32>
  %d7s = graph.read @layer3.0.downsample.1.weight : tensor<64xf32>  %d7o = graph.read @layer3.0.downsample.1.bias : tensor<64xf32>
  %d7c = graph.call @downsample64(%h6, %d7w) {graph.name = "layer3.0.downsample.0"} : (tensor<64x16x16x32xf32>, tensor<1x1x32x64xf32>) -> tensor<64x8x8x64xf32>
  %d7, %d7m, %d7v = graph.call @norm64_train(%d7c, %d7s, %d7o) {graph.name = "layer3.0.downsample.1"} : (tensor<64x8x8x64xf32>, tensor<64xf32>, tensor<64xf32>) -> (tensor<64x8x8x64xf32>, tensor<64xf32>, tensor<64xf32>)
  graph.assign_moving_average @layer3.0.downsample.1.running_mean, %d7m {momentum = 0.9} : tensor<64xf32>  graph.assign_moving_average @layer3.0.downsample.1.running_var, %d7v {momentum = 0.9} : tensor<64xf32>
  %h7 = graph.call @join64(%b7, %d7) : (tensor<64x8x8x64xf32>, tensor<64x8x8x64xf32>) -> tensor<64x8x8x64xf32>
  // layer3.1
  %a8w = graph.read @layer3.1.conv1.weight : tensor<3x3x64x64xf32>
  %a8s = graph.read @layer3.1.bn1.weight : tensor<64xf32>  %a8o = graph.read @layer3.1.bn1.bias : tensor<64xf32>
  %a8c = graph.call @conv64(%h7, %a8w) {graph.name = "layer3.1.conv1"} : (tensor<64x8x8x64xf32>, tensor<3x3x64x64xf32>) -> tensor<64x8x8x64xf32>
  %a8n, %a8m, %a8v = graph.call @norm64_train(%a8c, %a8s, %a8o) {graph.name = "layer3.1.bn1"} : (tensor<64x8x8x64xf32>, tensor<64xf32>, tensor<64xf32>) -> (tensor<64x8x8x64xf32>, tensor<64xf32>, tensor<64xf32>)
  graph.assign_moving_average @layer3.1.bn1.running_mean, %a8m {momentum = 0.9} : tensor<64xf32>  graph.assign_moving_average @layer3.1.bn1.running_var, %a8v {momentum = 0.9} : tensor<64xf32>
  %a8 = graph.relu %a8n : tensor<64x8x8x64xf32>
  %b8w = graph.read @layer3.1.conv2.weight : tensor<3x3x64x64xf32>
  %b8s = graph.read @layer3.1.bn2.weight : tensor<64xf32>  %b8o = graph.read @layer3.1.bn2.bias : tensor<64xf32>
  %b8c = graph.call @conv64(%a8, %b8w) {graph.name = "layer3.1.conv2"} : (tensor<64x8x8x64xf32>, tensor<3x3x64x64xf32>) -> tensor<64x8x8x64xf32>
  %b8, %b8m, %b8v = graph.call @norm64_train(%b8c, %b8s, %b8o) {graph.name = "layer3.1.bn2"} : (tensor<64x8x8x64xf32>, tensor<64xf32>, tensor<64xf32>) -> (tensor<64x8x8x64xf32>, tensor<64xf32>, tensor<64xf32>)
  graph.assign_moving_average @layer3.1.bn2.running_mean, %b8m {momentum = 0.9} : tensor<64xf32>  graph.assign_moving_average @layer3.1.bn2.running_var, %b8v {momentum = 0.9} : tensor<64xf32>
  %h8 = graph.call @join64(%b8, %h7) : (tensor<64x8x8x64xf32>, tensor<64x8x8x64xf32>) -> tensor<64x8x8x64xf32>
  // layer3.2
  %a9w = graph.read @layer3.2.conv1.weight : tensor<3x3x64x64xf32>
  %a9s = graph.read @layer3.2.bn1.weight : tensor<64xf32>  %a9o = graph.read @layer3.2.bn1.bias : tensor<64xf32>
  %a9c = graph.call @conv64(%h8, %a9w) {graph.name = "layer3.2.conv1"} : (tensor<64x8x8x64xf32>, tensor<3x3x64x64xf32>) -> tensor<64x8x8x64xf32>
  %a9n, %a9m, %a9v = graph.call @norm64_train(%a9c, %a9s, %a9o) {graph.name = "layer3.2.bn1"} : (tensor<64x8x8x64xf32>, tensor<64xf32>, tensor<64xf32>) -> (tensor<64x8x8x64xf32>, tensor<64xf32>, tensor<64xf32>)
  graph.assign_moving_average @layer3.2.bn1.running_mean, %a9m {momentum = 0.9} : tensor<64xf32>  graph.assign_moving_average @layer3.2.bn1.running_var, %a9v {momentum = 0.9} : tensor<64xf32>
  %a9 = graph.relu %a9n : tensor<64x8x8x64xf32>
  %b9w = graph.read @layer3.2.conv2.weight : tensor<3x3x64x64xf32>
  %b9s = graph.read @layer3.2.bn2.weight : tensor<64xf32>  %b9o = graph.read @layer3.2.bn2.bias : tensor<64xf32>
  %b9c = graph.call @conv64(%a9, %b9w) {graph.name = "layer3.2.conv2"} : (tensor<64x8x8x64xf32>, tensor<3x3x64x64xf32>) -> tensor<64x8x8x64xf32>
  %b9, %b9m, %b9v = graph.call @norm64_train(%b9c, %b9s, %b9o) {graph.name = "layer3.2.bn2"} : (tensor<64x8x8x64xf32>, tensor<64xf32>, tensor<64xf32>) -> (tensor<64x8x8x64xf32>, tensor<64xf32>, tensor<64xf32>)
  graph.assign_moving_average @layer3.2.bn2.running_mean, %b9m {momentum = 0.9} : tensor<64xf32>  graph.assign_moving_average @layer3.2.bn2.running_var, %b9v {momentum = 0.9} : tensor<64xf32>
  %h9 = graph.call @join64(%b9, %h8) : (tensor<64x8x8x64xf32>, tensor<64x8x8x64xf32>) -> tensor<64x8x8x64xf32>
  %logits = graph.call @head(%h9) : (tensor<64x8x8x64xf32>) -> tensor<64x10xf32>
  graph.return %logits : tensor<64x10xf32>
}

graph.func private @network(%pixels: tensor<64x3x32x32xf32>) -> tensor<64x10xf32> {
  %x = graph.call @images(%pixels) : (tensor<64x3x32x32xf32>) -> tensor<64x32x32x3xf32>
  %h0w = graph.read @conv1.weight : tensor<3x3x3x16xf32>
  %h0s = graph.read @bn1.weight : tensor<16xf32>  %h0o = graph.read @bn1.bias : tensor<16xf32>
  %h0c = graph.call @stem(%x, %h0w) {graph.name = "conv1"} : (tensor<64x32x32x3xf32>, tensor<3x3x3x16xf32>) -> tensor<64x32x32x16xf32>
  %h0m = graph.read @bn1.running_mean : tensor<16xf32>  %h0v = graph.read @bn1.running_var : tensor<16xf32>
  %h0n = graph.call @norm16(%h0c, %h0s, %h0o, %h0m, %h0v) {graph.name = "bn1"} : (tensor<64x32x32x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<64x32x32x16xf32>
  %h0 = graph.relu %h0n : tensor<64x32x32x16xf32>
  // layer1.0
  %a1w = graph.read @layer1.0.conv1.weight : tensor<3x3x16x16xf32>
  %a1s = graph.read @layer1.0.bn1.weight : tensor<16xf32>  %a1o = graph.read @layer1.0.bn1.bias : tensor<16xf32>
  %a1c = graph.call @conv16(%h0, %a1w) {graph.name = "layer1.0.conv1"} : (tensor<64x32x32x16xf32>, tensor<3x3x16x16xf32>) -> tensor<64x32x32x16xf32>
  %a1m = graph.read @layer1.0.bn1.running_mean : tensor<16xf32>  %a1v = graph.read @layer1.0.bn1.running_var : tensor<16xf32>
  %a1n = graph.call @norm16(%a1c, %a1s, %a1o, %a1m, %a1v) {graph.name = "layer1.0.bn1"} : (tensor<64x32x32x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<64x32x32x16xf32>
  %a1 = graph.relu %a1n : tensor<64x32x32x16xf32>
  %b1w = graph.read @layer1.0.conv2.weight : tensor<3x3x16x16xf32>
  %b1s = graph.read @layer1.0.bn2.weight : tensor<16xf32>  %b1o = graph.read @layer1.0.bn2.bias : tensor<16xf32>
  %b1c = graph.call @conv16(%a1, %b1w) {graph.name = "layer1.0.conv2"} : (tensor<64x32x32x16xf32>, tensor<3x3x16x16xf32>) -> tensor<64x32x32x16xf32>
  %b1m = graph.read @layer1.0.bn2.running_mean : tensor<16xf32>  %b1v = graph.read @layer1.0.bn2.running_var : tensor<16xf32>
  %b1 = graph.call @norm16(%b1c, %b1s, %b1o, %b1m, %b1v) {graph.name = "layer1.0.bn2"} : (tensor<64x32x32x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<64x32x32x16xf32>
  %h1 = graph.call @join16(%b1, %h0) : (tensor<64x32x32x16xf32>, tensor<64x32x32x16xf32>) -> tensor<64x32x32x16xf32>
  // layer1.1
  %a2w = graph.read @layer1.1.conv1.weight : tensor<3x3x16x16xf32>
  %a2s = graph.read @layer1.1.bn1.weight : tensor<16xf32>  %a2o = graph.read @layer1.1.bn1.bias : tensor<16xf32>
  %a2c = graph.call @conv16(%h1, %a2w) {graph.name = "layer1.1.conv1"} : (tensor<64x32x32x16xf32>, tensor<3x3x16x16xf32>) -> tensor<64x32x32x16xf32>
  %a2m = graph.read @layer1.1.bn1.running_mean : tensor<16xf32>  %a2v = graph.read @layer1.1.bn1.running_var : tensor<16xf32>
  %a2n = graph.call @norm16(%a2c, %a2s, %a2o, %a2m, %a2v) {graph.name = "layer1.1.bn1"} : (tensor<64x32x32x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<64x32x32x16xf32>
  %a2 = graph.relu %a2n : tensor<64x32x32x16xf32>
  %b2w = graph.read @layer1.1.conv2.weight : tensor<3x3x16x16xf32>
  %b2s = graph.read @layer1.1.bn2.weight : tensor<16xf32>  %b2o = graph.read @layer1.1.bn2.bias : tensor<16xf32>
  %b2c = graph.call @conv16(%a2, %b2w) {graph.name = "layer1.1.conv2"} : (tensor<64x32x32x16xf32>, tensor<3x3x16x16xf32>) -> tensor<64x32x32x16xf32>
  %b2m = graph.read @layer1.1.bn2.running_mean : tensor<16xf32>  %b2v = graph.read @layer1.1.bn2.running_var : tensor<16xf32>
  %b2 = graph.call @norm16(%b2c, %b2s, %b2o, %b2m, %b2v) {graph.name = "layer1.1.bn2"} : (tensor<64x32x32x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<64x32x32x16xf32>
  %h2 = graph.call @join16(%b2, %h1) : (tensor<64x32x32x16xf32>, tensor<64x32x32x16xf32>) -> tensor<64x32x32x16xf32>
  // layer1.2
  %a3w = graph.read @layer1.2.conv1.weight : tensor<3x3x16x16xf32>
  %a3s = graph.read @layer1.2.bn1.weight : tensor<16xf32>  %a3o = graph.read @layer1.2.bn1.bias : tensor<16xf32>
  %a3c = graph.call @conv16(%h2, %a3w) {graph.name = "layer1.2.conv1"} : (tensor<64x32x32x16xf32>, tensor<3x3x16x16xf32>) -> tensor<64x32x32x16xf32>
  %a3m = graph.read @layer1.2.bn1.running_mean : tensor<16xf32>  %a3v = graph.read @layer1.2.bn1.running_var : tensor<16xf32>
  %a3n = graph.call @norm16(%a3c, %a3s, %a3o, %a3m, %a3v) {graph.name = "layer1.2.bn1"} : (tensor<64x32x32x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<64x32x32x16xf32>
  %a3 = graph.relu %a3n : tensor<64x32x32x16xf32>
  %b3w = graph.read @layer1.2.conv2.weight : tensor<3x3x16x16xf32>
  %b3s = graph.read @layer1.2.bn2.weight : tensor<16xf32>  %b3o = graph.read @layer1.2.bn2.bias : tensor<16xf32>
  %b3c = graph.call @conv16(%a3, %b3w) {graph.name = "layer1.2.conv2"} : (tensor<64x32x32x16xf32>, tensor<3x3x16x16xf32>) -> tensor<64x32x32x16xf32>
  %b3m = graph.read @layer1.2.bn2.running_mean : tensor<16xf32>  %b3v = graph.read @layer1.2.bn2.running_var : tensor<16xf32>
  %b3 = graph.call @norm16(%b3c, %b3s, %b3o, %b3m, %b3v) {graph.name = "layer1.2.bn2"} : (tensor<64x32x32x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<64x32x32x16xf32>
  %h3 = graph.call @join16(%b3, %h2) : (tensor<64x32x32x16xf32>, tensor<64x32x32x16xf32>) -> tensor<64x32x32x16xf32>
  // layer2.0
  %a4w = graph.read @layer2.0.conv1.weight : tensor<3x3x16x32xf32>
  %a4s = graph.read @layer2.0.bn1.weight : tensor<32xf32>  %a4o = graph.read @layer2.0.bn1.bias : tensor<32xf32>
  %a4c = graph.call @reduce32(%h3, %a4w) {graph.name = "layer2.0.conv1"} : (tensor<64x32x32x16xf32>, tensor<3x3x16x32xf32>) -> tensor<64x16x16x32xf32>
  %a4m = graph.read @layer2.0.bn1.running_mean : tensor<32xf32>  %a4v = graph.read @layer2.0.bn1.running_var : tensor<32xf32>
  %a4n = graph.call @norm32(%a4c, %a4s, %a4o, %a4m, %a4v) {graph.name = "layer2.0.bn1"} : (tensor<64x16x16x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<64x16x16x32xf32>
  %a4 = graph.relu %a4n : tensor<64x16x16x32xf32>
  %b4w = graph.read @layer2.0.conv2.weight : tensor<3x3x32x32xf32>
  %b4s = graph.read @layer2.0.bn2.weight : tensor<32xf32>  %b4o = graph.read @layer2.0.bn2.bias : tensor<32xf32>
  %b4c = graph.call @conv32(%a4, %b4w) {graph.name = "layer2.0.conv2"} : (tensor<64x16x16x32xf32>, tensor<3x3x32x32xf32>) -> tensor<64x16x16x32xf32>
  %b4m = graph.read @layer2.0.bn2.running_mean : tensor<32xf32>  %b4v = graph.read @layer2.0.bn2.running_var : tensor<32xf32>
  %b4 = graph.call @norm32(%b4c, %b4s, %b4o, %b4m, %b4v) {graph.name = "layer2.0.bn2"} : (tensor<64x16x16x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<64x16x16x32xf32>
  %d4w = graph.read @layer2.0.downsample.0.weight : tensor<1x1x16x32xf32>
  %d4s = graph.read @layer2.0.downsample.1.weight : tensor<32xf32>  %d4o = graph.read @layer2.0.downsample.1.bias : tensor<32xf32>
  %d4c = graph.call @downsample32(%h3, %d4w) {graph.name = "layer2.0.downsample.0"} : (tensor<64x32x32x16xf32>, tensor<1x1x16x32xf32>) -> tensor<64x16x16x32xf32>
  %d4m = graph.read @layer2.0.downsample.1.running_mean : tensor<32xf32>  %d4v = graph.read @layer2.0.downsample.1.running_var : tensor<32xf32>
  %d4 = graph.call @norm32(%d4c, %d4s, %d4o, %d4m, %d4v) {graph.name = "layer2.0.downsample.1"} : (tensor<64x16x16x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<64x16x16x32xf32>
  %h4 = graph.call @join32(%b4, %d4) : (tensor<64x16x16x32xf32>, tensor<64x16x16x32xf32>) -> tensor<64x16x16x32xf32>
  // layer2.1
  %a5w = graph.read @layer2.1.conv1.weight : tensor<3x3x32x32xf32>
  %a5s = graph.read @layer2.1.bn1.weight : tensor<32xf32>  %a5o = graph.read @layer2.1.bn1.bias : tensor<32xf32>
  %a5c = graph.call @conv32(%h4, %a5w) {graph.name = "layer2.1.conv1"} : (tensor<64x16x16x32xf32>, tensor<3x3x32x32xf32>) -> tensor<64x16x16x32xf32>
  %a5m = graph.read @layer2.1.bn1.running_mean : tensor<32xf32>  %a5v = graph.read @layer2.1.bn1.running_var : tensor<32xf32>
  %a5n = graph.call @norm32(%a5c, %a5s, %a5o, %a5m, %a5v) {graph.name = "layer2.1.bn1"} : (tensor<64x16x16x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<64x16x16x32xf32>
  %a5 = graph.relu %a5n : tensor<64x16x16x32xf32>
  %b5w = graph.read @layer2.1.conv2.weight : tensor<3x3x32x32xf32>
  %b5s = graph.read @layer2.1.bn2.weight : tensor<32xf32>  %b5o = graph.read @layer2.1.bn2.bias : tensor<32xf32>
  %b5c = graph.call @conv32(%a5, %b5w) {graph.name = "layer2.1.conv2"} : (tensor<64x16x16x32xf32>, tensor<3x3x32x32xf32>) -> tensor<64x16x16x32xf32>
  %b5m = graph.read @layer2.1.bn2.running_mean : tensor<32xf32>  %b5v = graph.read @layer2.1.bn2.running_var : tensor<32xf32>
  %b5 = graph.call @norm32(%b5c, %b5s, %b5o, %b5m, %b5v) {graph.name = "layer2.1.bn2"} : (tensor<64x16x16x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<64x16x16x32xf32>
  %h5 = graph.call @join32(%b5, %h4) : (tensor<64x16x16x32xf32>, tensor<64x16x16x32xf32>) -> tensor<64x16x16x32xf32>
  // layer2.2
  %a6w = graph.read @layer2.2.conv1.weight : tensor<3x3x32x32xf32>
  %a6s = graph.read @layer2.2.bn1.weight : tensor<32xf32>  %a6o = graph.read @layer2.2.bn1.bias : tensor<32xf32>
  %a6c = graph.call @conv32(%h5, %a6w) {graph.name = "layer2.2.conv1"} : (tensor<64x16x16x32xf32>, tensor<3x3x32x32xf32>) -> tensor<64x16x16x32xf32>
  %a6m = graph.read @layer2.2.bn1.running_mean : tensor<32xf32>  %a6v = graph.read @layer2.2.bn1.running_var : tensor<32xf32>
  %a6n = graph.call @norm32(%a6c, %a6s, %a6o, %a6m, %a6v) {graph.name = "layer2.2.bn1"} : (tensor<64x16x16x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<64x16x16x32xf32>
  %a6 = graph.relu %a6n : tensor<64x16x16x32xf32>
  %b6w = graph.read @layer2.2.conv2.weight : tensor<3x3x32x32xf32>
  %b6s = graph.read @layer2.2.bn2.weight : tensor<32xf32>  %b6o = graph.read @layer2.2.bn2.bias : tensor<32xf32>
  %b6c = graph.call @conv32(%a6, %b6w) {graph.name = "layer2.2.conv2"} : (tensor<64x16x16x32xf32>, tensor<3x3x32x32xf32>) -> tensor<64x16x16x32xf32>
  %b6m = graph.read @layer2.2.bn2.running_mean : tensor<32xf32>  %b6v = graph.read @layer2.2.bn2.running_var : tensor<32xf32>
  %b6 = graph.call @norm32(%b6c, %b6s, %b6o, %b6m, %b6v) {graph.name = "layer2.2.bn2"} : (tensor<64x16x16x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<64x16x16x32xf32>
  %h6 = graph.call @join32(%b6, %h5) : (tensor<64x16x16x32xf32>, tensor<64x16x16x32xf32>) -> tensor<64x16x16x32xf32>
  // layer3.0
  %a7w = graph.read @layer3.0.conv1.weight : tensor<3x3x32x64xf32>
  %a7s = graph.read @layer3.0.bn1.weight : tensor<64xf32>  %a7o = graph.read @layer3.0.bn1.bias : tensor<64xf32>
  %a7c = graph.call @reduce64(%h6, %a7w) {graph.name = "layer3.0.conv1"} : (tensor<64x16x16x32xf32>, tensor<3x3x32x64xf32>) -> tensor<64x8x8x64xf32>
  %a7m = graph.read @layer3.0.bn1.running_mean : tensor<64xf32>  %a7v = graph.read @layer3.0.bn1.running_var : tensor<64xf32>
  %a7n = graph.call @norm64(%a7c, %a7s, %a7o, %a7m, %a7v) {graph.name = "layer3.0.bn1"} : (tensor<64x8x8x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<64x8x8x64xf32>
  %a7 = graph.relu %a7n : tensor<64x8x8x64xf32>
  %b7w = graph.read @layer3.0.conv2.weight : tensor<3x3x64x64xf32>
  %b7s = graph.read @layer3.0.bn2.weight : tensor<64xf32>  %b7o = graph.read @layer3.0.bn2.bias : tensor<64xf32>
  %b7c = graph.call @conv64(%a7, %b7w) {graph.name = "layer3.0.conv2"} : (tensor<64x8x8x64xf32>, tensor<3x3x64x64xf32>) -> tensor<64x8x8x64xf32>
  %b7m = graph.read @layer3.0.bn2.running_mean : tensor<64xf32>  %b7v = graph.read @layer3.0.bn2.running_var : tensor<64xf32>
  %b7 = graph.call @norm64(%b7c, %b7s, %b7o, %b7m, %b7v) {graph.name = "layer3.0.bn2"} : (tensor<64x8x8x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<64x8x8x64xf32>
  %d7w = graph.read @layer3.0.downsample.0.weight : tensor<1x1x32x64xf32>
  %d7s = graph.read @layer3.0.downsample.1.weight : tensor<64xf32>  %d7o = graph.read @layer3.0.downsample.1.bias : tensor<64xf32>
  %d7c = graph.call @downsample64(%h6, %d7w) {graph.name = "layer3.0.downsample.0"} : (tensor<64x16x16x32xf32>, tensor<1x1x32x64xf32>) -> tensor<64x8x8x64xf32>
  %d7m = graph.read @layer3.0.downsample.1.running_mean : tensor<64xf32>  %d7v = graph.read @layer3.0.downsample.1.running_var : tensor<64xf32>
  %d7 = graph.call @norm64(%d7c, %d7s, %d7o, %d7m, %d7v) {graph.name = "layer3.0.downsample.1"} : (tensor<64x8x8x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<64x8x8x64xf32>
  %h7 = graph.call @join64(%b7, %d7) : (tensor<64x8x8x64xf32>, tensor<64x8x8x64xf32>) -> tensor<64x8x8x64xf32>
  // layer3.1
  %a8w = graph.read @layer3.1.conv1.weight : tensor<3x3x64x64xf32>
  %a8s = graph.read @layer3.1.bn1.weight : tensor<64xf32>  %a8o = graph.read @layer3.1.bn1.bias : tensor<64xf32>
  %a8c = graph.call @conv64(%h7, %a8w) {graph.name = "layer3.1.conv1"} : (tensor<64x8x8x64xf32>, tensor<3x3x64x64xf32>) -> tensor<64x8x8x64xf32>
  %a8m = graph.read @layer3.1.bn1.running_mean : tensor<64xf32>  %a8v = graph.read @layer3.1.bn1.running_var : tensor<64xf32>
  %a8n = graph.call @norm64(%a8c, %a8s, %a8o, %a8m, %a8v) {graph.name = "layer3.1.bn1"} : (tensor<64x8x8x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<64x8x8x64xf32>
  %a8 = graph.relu %a8n : tensor<64x8x8x64xf32>
  %b8w = graph.read @layer3.1.conv2.weight : tensor<3x3x64x64xf32>
  %b8s = graph.read @layer3.1.bn2.weight : tensor<64xf32>  %b8o = graph.read @layer3.1.bn2.bias : tensor<64xf32>
  %b8c = graph.call @conv64(%a8, %b8w) {graph.name = "layer3.1.conv2"} : (tensor<64x8x8x64xf32>, tensor<3x3x64x64xf32>) -> tensor<64x8x8x64xf32>
  %b8m = graph.read @layer3.1.bn2.running_mean : tensor<64xf32>  %b8v = graph.read @layer3.1.bn2.running_var : tensor<64xf32>
  %b8 = graph.call @norm64(%b8c, %b8s, %b8o, %b8m, %b8v) {graph.name = "layer3.1.bn2"} : (tensor<64x8x8x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<64x8x8x64xf32>
  %h8 = graph.call @join64(%b8, %h7) : (tensor<64x8x8x64xf32>, tensor<64x8x8x64xf32>) -> tensor<64x8x8x64xf32>
  // layer3.2
  %a9w = graph.read @layer3.2.conv1.weight : tensor<3x3x64x64xf32>
  %a9s = graph.read @layer3.2.bn1.weight : tensor<64xf32>  %a9o = graph.read @layer3.2.bn1.bias : tensor<64xf32>
  %a9c = graph.call @conv64(%h8, %a9w) {graph.name = "layer3.2.conv1"} : (tensor<64x8x8x64xf32>, tensor<3x3x64x64xf32>) -> tensor<64x8x8x64xf32>
  %a9m = graph.read @layer3.2.bn1.running_mean : tensor<64xf32>  %a9v = graph.read @layer3.2.bn1.running_var : tensor<64xf32>
  %a9n = graph.call @norm64(%a9c, %a9s, %a9o, %a9m, %a9v) {graph.name = "layer3.2.bn1"} : (tensor<64x8x8x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<64x8x8x64xf32>
  %a9 = graph.relu %a9n : tensor<64x8x8x64xf32>
  %b9w = graph.read @layer3.2.conv2.weight : tensor<3x3x64x64xf32>
  %b9s = graph.read @layer3.2.bn2.weight : tensor<64xf32>  %b9o = graph.read @layer3.2.bn2.bias : tensor<64xf32>
  %b9c = graph.call @conv64(%a9, %b9w) {graph.name = "layer3.2.conv2"} : (tensor<64x8x8x64xf32>, tensor<3x3x64x64xf32>) -> tensor<64x8x8x64xf32>
  %b9m = graph.read @layer3.2.bn2.running_mean : tensor<64xf32>  %b9v = graph.read @layer3.2.bn2.running_var : tensor<64xf32>
  %b9 = graph.call @norm64(%b9c, %b9s, %b9o, %b9m, %b9v) {graph.name = "layer3.2.bn2"} : (tensor<64x8x8x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<64x8x8x64xf32>
  %h9 = graph.call @join64(%b9, %h8) : (tensor<64x8x8x64xf32>, tensor<64x8x8x64xf32>) -> tensor<64x8x8x64xf32>
  %logits = graph.call @head(%h9) : (tensor<64x8x8x64xf32>) -> tensor<64x10xf32>
  graph.return %logits : tensor<64x10xf32>
}

// 469 steps of two batches of 64 are an epoch of 60,000 images. The rate rises for 100 steps and then falls along half a cosine to the end of the
// third epoch; for CIFAR-10's 50,000 an epoch is 391.
graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x, %y = graph.next_batch @train {batch = 64} : tensor<64x3x32x32xf32>, tensor<64xi32>
  %logits = graph.call @network_train(%x) : (tensor<64x3x32x32xf32>) -> tensor<64x10xf32>
  %loss = graph.softmax_cross_entropy %logits, %y : (tensor<64x10xf32>, tensor<64xi32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.momentum<
      learning_rate = #graph.linear_warmup<steps = 100, learning_rate = #graph.cosine_decay<initial_learning_rate = 0.1, decay_steps = 1307>>,
      momentum = 0.9, nesterov = true, weight_decay = #graph.weight_decay<rate = 0.0005, exclude = ["*bn*", "*downsample.1*", "*.bias"]>>}
      : tensor<f32>
  graph.return %loss : tensor<f32>
}

graph.func @eval_step() -> () attributes {role = #graph.role<eval>} {
  %x, %y, %valid = graph.next_batch @test {batch = 64, pad_last} : tensor<64x3x32x32xf32>, tensor<64xi32>, tensor<64xi1>
  %logits = graph.call @network(%x) : (tensor<64x3x32x32xf32>) -> tensor<64x10xf32>
  %class = graph.argmax %logits dimension = 1 : (tensor<64x10xf32>) -> tensor<64xi32>
  %hit = graph.compare eq, %class, %y : tensor<64xi32>
  graph.metric "accuracy", %hit, %valid : tensor<64xi1>, tensor<64xi1>
  graph.return
}

// What it takes the test images for, 64 a step, beside what they are.
graph.func @predict_step() -> (tensor<64xi32> {graph.name = "class"}, tensor<64xi32> {graph.name = "label"})
    attributes {role = #graph.role<predict>} {
  %x, %y = graph.next_batch @test {batch = 64} : tensor<64x3x32x32xf32>, tensor<64xi32>
  %logits = graph.call @network(%x) : (tensor<64x3x32x32xf32>) -> tensor<64x10xf32>
  %class = graph.argmax %logits dimension = 1 : (tensor<64x10xf32>) -> tensor<64xi32>
  graph.return %class, %y : tensor<64xi32>, tensor<64xi32>
}
