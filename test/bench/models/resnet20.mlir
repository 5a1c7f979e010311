// CIFAR-10 ResNet-20: 16, 32 and 64 channels, 3 blocks each, batch norm by the batch's own statistics, 1x1 convolutions on the shortcuts
// that change the shape, batch 64, softmax cross-entropy, SGD, float32, features last, on synthetic data. Running values are not kept.
graph.variable @stem : tensor<3x3x3x16xf32> = #graph.normal<mean = 0.0, stddev = 0.2722, seed = 1>
graph.variable @stem_scale : tensor<16xf32> = #graph.value<dense<1.0> : tensor<16xf32>>
graph.variable @stem_offset : tensor<16xf32> = #graph.zeros
graph.variable @a1_1 : tensor<3x3x16x16xf32> = #graph.normal<mean = 0.0, stddev = 0.1179, seed = 2>
graph.variable @a1_1_scale : tensor<16xf32> = #graph.value<dense<1.0> : tensor<16xf32>>
graph.variable @a1_1_offset : tensor<16xf32> = #graph.zeros
graph.variable @a1_2 : tensor<3x3x16x16xf32> = #graph.normal<mean = 0.0, stddev = 0.1179, seed = 3>
graph.variable @a1_2_scale : tensor<16xf32> = #graph.value<dense<1.0> : tensor<16xf32>>
graph.variable @a1_2_offset : tensor<16xf32> = #graph.zeros
graph.variable @a2_1 : tensor<3x3x16x16xf32> = #graph.normal<mean = 0.0, stddev = 0.1179, seed = 4>
graph.variable @a2_1_scale : tensor<16xf32> = #graph.value<dense<1.0> : tensor<16xf32>>
graph.variable @a2_1_offset : tensor<16xf32> = #graph.zeros
graph.variable @a2_2 : tensor<3x3x16x16xf32> = #graph.normal<mean = 0.0, stddev = 0.1179, seed = 5>
graph.variable @a2_2_scale : tensor<16xf32> = #graph.value<dense<1.0> : tensor<16xf32>>
graph.variable @a2_2_offset : tensor<16xf32> = #graph.zeros
graph.variable @a3_1 : tensor<3x3x16x16xf32> = #graph.normal<mean = 0.0, stddev = 0.1179, seed = 6>
graph.variable @a3_1_scale : tensor<16xf32> = #graph.value<dense<1.0> : tensor<16xf32>>
graph.variable @a3_1_offset : tensor<16xf32> = #graph.zeros
graph.variable @a3_2 : tensor<3x3x16x16xf32> = #graph.normal<mean = 0.0, stddev = 0.1179, seed = 7>
graph.variable @a3_2_scale : tensor<16xf32> = #graph.value<dense<1.0> : tensor<16xf32>>
graph.variable @a3_2_offset : tensor<16xf32> = #graph.zeros
graph.variable @b1_1 : tensor<3x3x16x32xf32> = #graph.normal<mean = 0.0, stddev = 0.1179, seed = 8>
graph.variable @b1_1_scale : tensor<32xf32> = #graph.value<dense<1.0> : tensor<32xf32>>
graph.variable @b1_1_offset : tensor<32xf32> = #graph.zeros
graph.variable @b1_2 : tensor<3x3x32x32xf32> = #graph.normal<mean = 0.0, stddev = 0.0833, seed = 9>
graph.variable @b1_2_scale : tensor<32xf32> = #graph.value<dense<1.0> : tensor<32xf32>>
graph.variable @b1_2_offset : tensor<32xf32> = #graph.zeros
graph.variable @b1_short : tensor<1x1x16x32xf32> = #graph.normal<mean = 0.0, stddev = 0.3536, seed = 10>
graph.variable @b2_1 : tensor<3x3x32x32xf32> = #graph.normal<mean = 0.0, stddev = 0.0833, seed = 11>
graph.variable @b2_1_scale : tensor<32xf32> = #graph.value<dense<1.0> : tensor<32xf32>>
graph.variable @b2_1_offset : tensor<32xf32> = #graph.zeros
graph.variable @b2_2 : tensor<3x3x32x32xf32> = #graph.normal<mean = 0.0, stddev = 0.0833, seed = 12>
graph.variable @b2_2_scale : tensor<32xf32> = #graph.value<dense<1.0> : tensor<32xf32>>
graph.variable @b2_2_offset : tensor<32xf32> = #graph.zeros
graph.variable @b3_1 : tensor<3x3x32x32xf32> = #graph.normal<mean = 0.0, stddev = 0.0833, seed = 13>
graph.variable @b3_1_scale : tensor<32xf32> = #graph.value<dense<1.0> : tensor<32xf32>>
graph.variable @b3_1_offset : tensor<32xf32> = #graph.zeros
graph.variable @b3_2 : tensor<3x3x32x32xf32> = #graph.normal<mean = 0.0, stddev = 0.0833, seed = 14>
graph.variable @b3_2_scale : tensor<32xf32> = #graph.value<dense<1.0> : tensor<32xf32>>
graph.variable @b3_2_offset : tensor<32xf32> = #graph.zeros
graph.variable @c1_1 : tensor<3x3x32x64xf32> = #graph.normal<mean = 0.0, stddev = 0.0833, seed = 15>
graph.variable @c1_1_scale : tensor<64xf32> = #graph.value<dense<1.0> : tensor<64xf32>>
graph.variable @c1_1_offset : tensor<64xf32> = #graph.zeros
graph.variable @c1_2 : tensor<3x3x64x64xf32> = #graph.normal<mean = 0.0, stddev = 0.0589, seed = 16>
graph.variable @c1_2_scale : tensor<64xf32> = #graph.value<dense<1.0> : tensor<64xf32>>
graph.variable @c1_2_offset : tensor<64xf32> = #graph.zeros
graph.variable @c1_short : tensor<1x1x32x64xf32> = #graph.normal<mean = 0.0, stddev = 0.2500, seed = 17>
graph.variable @c2_1 : tensor<3x3x64x64xf32> = #graph.normal<mean = 0.0, stddev = 0.0589, seed = 18>
graph.variable @c2_1_scale : tensor<64xf32> = #graph.value<dense<1.0> : tensor<64xf32>>
graph.variable @c2_1_offset : tensor<64xf32> = #graph.zeros
graph.variable @c2_2 : tensor<3x3x64x64xf32> = #graph.normal<mean = 0.0, stddev = 0.0589, seed = 19>
graph.variable @c2_2_scale : tensor<64xf32> = #graph.value<dense<1.0> : tensor<64xf32>>
graph.variable @c2_2_offset : tensor<64xf32> = #graph.zeros
graph.variable @c3_1 : tensor<3x3x64x64xf32> = #graph.normal<mean = 0.0, stddev = 0.0589, seed = 20>
graph.variable @c3_1_scale : tensor<64xf32> = #graph.value<dense<1.0> : tensor<64xf32>>
graph.variable @c3_1_offset : tensor<64xf32> = #graph.zeros
graph.variable @c3_2 : tensor<3x3x64x64xf32> = #graph.normal<mean = 0.0, stddev = 0.0589, seed = 21>
graph.variable @c3_2_scale : tensor<64xf32> = #graph.value<dense<1.0> : tensor<64xf32>>
graph.variable @c3_2_offset : tensor<64xf32> = #graph.zeros
graph.variable @dense : tensor<64x10xf32> = #graph.glorot_uniform<seed = 99>
graph.variable @bias : tensor<10xf32> = #graph.zeros
graph.dataset @train : (tensor<32x32x3xf32>, tensor<i32>) = #graph.synthetic<samples = 512, seed = 7, limits = [0, 10]>

// Two convolutions and a shortcut: of one shape, and to half the places and twice the channels.
graph.func private @block16(%x: tensor<64x32x32x16xf32>, %w1: tensor<3x3x16x16xf32>, %scale1: tensor<16xf32>, %offset1: tensor<16xf32>,
                            %w2: tensor<3x3x16x16xf32>, %scale2: tensor<16xf32>, %offset2: tensor<16xf32>) -> tensor<64x32x32x16xf32> {
  %c1 = graph.convolution %x, %w1 padding_low = [1, 1] padding_high = [1, 1] {nhwc, hwio}
      : (tensor<64x32x32x16xf32>, tensor<3x3x16x16xf32>) -> tensor<64x32x32x16xf32>
  %n1, %n1_mean, %n1_var = graph.batch_norm_training %c1, %scale1, %offset1 feature_index = 3 epsilon = 1.0e-05
      : (tensor<64x32x32x16xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<64x32x32x16xf32>, tensor<16xf32>, tensor<16xf32>)
  %r1 = graph.relu %n1 : tensor<64x32x32x16xf32>
  %c2 = graph.convolution %r1, %w2 padding_low = [1, 1] padding_high = [1, 1] {nhwc, hwio}
      : (tensor<64x32x32x16xf32>, tensor<3x3x16x16xf32>) -> tensor<64x32x32x16xf32>
  %n2, %n2_mean, %n2_var = graph.batch_norm_training %c2, %scale2, %offset2 feature_index = 3 epsilon = 1.0e-05
      : (tensor<64x32x32x16xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<64x32x32x16xf32>, tensor<16xf32>, tensor<16xf32>)
  %sum = graph.add %n2, %x : tensor<64x32x32x16xf32>
  %y = graph.relu %sum : tensor<64x32x32x16xf32>
  graph.return %y : tensor<64x32x32x16xf32>
}
graph.func private @halve32(%x: tensor<64x32x32x16xf32>, %w1: tensor<3x3x16x32xf32>, %scale1: tensor<32xf32>, %offset1: tensor<32xf32>,
                            %w2: tensor<3x3x32x32xf32>, %scale2: tensor<32xf32>, %offset2: tensor<32xf32>, %wshort: tensor<1x1x16x32xf32>) -> tensor<64x16x16x32xf32> {
  %c1 = graph.convolution %x, %w1 window_strides = [2, 2] padding_low = [0, 0] padding_high = [1, 1] {nhwc, hwio}
      : (tensor<64x32x32x16xf32>, tensor<3x3x16x32xf32>) -> tensor<64x16x16x32xf32>
  %n1, %n1_mean, %n1_var = graph.batch_norm_training %c1, %scale1, %offset1 feature_index = 3 epsilon = 1.0e-05
      : (tensor<64x16x16x32xf32>, tensor<32xf32>, tensor<32xf32>) -> (tensor<64x16x16x32xf32>, tensor<32xf32>, tensor<32xf32>)
  %r1 = graph.relu %n1 : tensor<64x16x16x32xf32>
  %c2 = graph.convolution %r1, %w2 padding_low = [1, 1] padding_high = [1, 1] {nhwc, hwio}
      : (tensor<64x16x16x32xf32>, tensor<3x3x32x32xf32>) -> tensor<64x16x16x32xf32>
  %n2, %n2_mean, %n2_var = graph.batch_norm_training %c2, %scale2, %offset2 feature_index = 3 epsilon = 1.0e-05
      : (tensor<64x16x16x32xf32>, tensor<32xf32>, tensor<32xf32>) -> (tensor<64x16x16x32xf32>, tensor<32xf32>, tensor<32xf32>)
  %short = graph.convolution %x, %wshort window_strides = [2, 2] {nhwc, hwio}
      : (tensor<64x32x32x16xf32>, tensor<1x1x16x32xf32>) -> tensor<64x16x16x32xf32>
  %sum = graph.add %n2, %short : tensor<64x16x16x32xf32>
  %y = graph.relu %sum : tensor<64x16x16x32xf32>
  graph.return %y : tensor<64x16x16x32xf32>
}
graph.func private @block32(%x: tensor<64x16x16x32xf32>, %w1: tensor<3x3x32x32xf32>, %scale1: tensor<32xf32>, %offset1: tensor<32xf32>,
                            %w2: tensor<3x3x32x32xf32>, %scale2: tensor<32xf32>, %offset2: tensor<32xf32>) -> tensor<64x16x16x32xf32> {
  %c1 = graph.convolution %x, %w1 padding_low = [1, 1] padding_high = [1, 1] {nhwc, hwio}
      : (tensor<64x16x16x32xf32>, tensor<3x3x32x32xf32>) -> tensor<64x16x16x32xf32>
  %n1, %n1_mean, %n1_var = graph.batch_norm_training %c1, %scale1, %offset1 feature_index = 3 epsilon = 1.0e-05
      : (tensor<64x16x16x32xf32>, tensor<32xf32>, tensor<32xf32>) -> (tensor<64x16x16x32xf32>, tensor<32xf32>, tensor<32xf32>)
  %r1 = graph.relu %n1 : tensor<64x16x16x32xf32>
  %c2 = graph.convolution %r1, %w2 padding_low = [1, 1] padding_high = [1, 1] {nhwc, hwio}
      : (tensor<64x16x16x32xf32>, tensor<3x3x32x32xf32>) -> tensor<64x16x16x32xf32>
  %n2, %n2_mean, %n2_var = graph.batch_norm_training %c2, %scale2, %offset2 feature_index = 3 epsilon = 1.0e-05
      : (tensor<64x16x16x32xf32>, tensor<32xf32>, tensor<32xf32>) -> (tensor<64x16x16x32xf32>, tensor<32xf32>, tensor<32xf32>)
  %sum = graph.add %n2, %x : tensor<64x16x16x32xf32>
  %y = graph.relu %sum : tensor<64x16x16x32xf32>
  graph.return %y : tensor<64x16x16x32xf32>
}
graph.func private @halve64(%x: tensor<64x16x16x32xf32>, %w1: tensor<3x3x32x64xf32>, %scale1: tensor<64xf32>, %offset1: tensor<64xf32>,
                            %w2: tensor<3x3x64x64xf32>, %scale2: tensor<64xf32>, %offset2: tensor<64xf32>, %wshort: tensor<1x1x32x64xf32>) -> tensor<64x8x8x64xf32> {
  %c1 = graph.convolution %x, %w1 window_strides = [2, 2] padding_low = [0, 0] padding_high = [1, 1] {nhwc, hwio}
      : (tensor<64x16x16x32xf32>, tensor<3x3x32x64xf32>) -> tensor<64x8x8x64xf32>
  %n1, %n1_mean, %n1_var = graph.batch_norm_training %c1, %scale1, %offset1 feature_index = 3 epsilon = 1.0e-05
      : (tensor<64x8x8x64xf32>, tensor<64xf32>, tensor<64xf32>) -> (tensor<64x8x8x64xf32>, tensor<64xf32>, tensor<64xf32>)
  %r1 = graph.relu %n1 : tensor<64x8x8x64xf32>
  %c2 = graph.convolution %r1, %w2 padding_low = [1, 1] padding_high = [1, 1] {nhwc, hwio}
      : (tensor<64x8x8x64xf32>, tensor<3x3x64x64xf32>) -> tensor<64x8x8x64xf32>
  %n2, %n2_mean, %n2_var = graph.batch_norm_training %c2, %scale2, %offset2 feature_index = 3 epsilon = 1.0e-05
      : (tensor<64x8x8x64xf32>, tensor<64xf32>, tensor<64xf32>) -> (tensor<64x8x8x64xf32>, tensor<64xf32>, tensor<64xf32>)
  %short = graph.convolution %x, %wshort window_strides = [2, 2] {nhwc, hwio}
      : (tensor<64x16x16x32xf32>, tensor<1x1x32x64xf32>) -> tensor<64x8x8x64xf32>
  %sum = graph.add %n2, %short : tensor<64x8x8x64xf32>
  %y = graph.relu %sum : tensor<64x8x8x64xf32>
  graph.return %y : tensor<64x8x8x64xf32>
}
graph.func private @block64(%x: tensor<64x8x8x64xf32>, %w1: tensor<3x3x64x64xf32>, %scale1: tensor<64xf32>, %offset1: tensor<64xf32>,
                            %w2: tensor<3x3x64x64xf32>, %scale2: tensor<64xf32>, %offset2: tensor<64xf32>) -> tensor<64x8x8x64xf32> {
  %c1 = graph.convolution %x, %w1 padding_low = [1, 1] padding_high = [1, 1] {nhwc, hwio}
      : (tensor<64x8x8x64xf32>, tensor<3x3x64x64xf32>) -> tensor<64x8x8x64xf32>
  %n1, %n1_mean, %n1_var = graph.batch_norm_training %c1, %scale1, %offset1 feature_index = 3 epsilon = 1.0e-05
      : (tensor<64x8x8x64xf32>, tensor<64xf32>, tensor<64xf32>) -> (tensor<64x8x8x64xf32>, tensor<64xf32>, tensor<64xf32>)
  %r1 = graph.relu %n1 : tensor<64x8x8x64xf32>
  %c2 = graph.convolution %r1, %w2 padding_low = [1, 1] padding_high = [1, 1] {nhwc, hwio}
      : (tensor<64x8x8x64xf32>, tensor<3x3x64x64xf32>) -> tensor<64x8x8x64xf32>
  %n2, %n2_mean, %n2_var = graph.batch_norm_training %c2, %scale2, %offset2 feature_index = 3 epsilon = 1.0e-05
      : (tensor<64x8x8x64xf32>, tensor<64xf32>, tensor<64xf32>) -> (tensor<64x8x8x64xf32>, tensor<64xf32>, tensor<64xf32>)
  %sum = graph.add %n2, %x : tensor<64x8x8x64xf32>
  %y = graph.relu %sum : tensor<64x8x8x64xf32>
  graph.return %y : tensor<64x8x8x64xf32>
}

graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %images, %labels = graph.next_batch @train {batch = 64} : tensor<64x32x32x3xf32>, tensor<64xi32>
  %stem = graph.read @stem : tensor<3x3x3x16xf32>
  %stem_scale = graph.read @stem_scale : tensor<16xf32>
  %stem_offset = graph.read @stem_offset : tensor<16xf32>
  %c0 = graph.convolution %images, %stem padding_low = [1, 1] padding_high = [1, 1] {nhwc, hwio}
      : (tensor<64x32x32x3xf32>, tensor<3x3x3x16xf32>) -> tensor<64x32x32x16xf32>
  %n0, %n0_mean, %n0_var = graph.batch_norm_training %c0, %stem_scale, %stem_offset feature_index = 3 epsilon = 1.0e-05
      : (tensor<64x32x32x16xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<64x32x32x16xf32>, tensor<16xf32>, tensor<16xf32>)
  %a0 = graph.relu %n0 : tensor<64x32x32x16xf32>
  %a1_1 = graph.read @a1_1 : tensor<3x3x16x16xf32>
  %a1_1_scale = graph.read @a1_1_scale : tensor<16xf32>
  %a1_1_offset = graph.read @a1_1_offset : tensor<16xf32>
  %a1_2 = graph.read @a1_2 : tensor<3x3x16x16xf32>
  %a1_2_scale = graph.read @a1_2_scale : tensor<16xf32>
  %a1_2_offset = graph.read @a1_2_offset : tensor<16xf32>
  %a1 = graph.call @block16(%a0, %a1_1, %a1_1_scale, %a1_1_offset, %a1_2, %a1_2_scale, %a1_2_offset) {graph.name = "a1"}
      : (tensor<64x32x32x16xf32>, tensor<3x3x16x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<3x3x16x16xf32>, tensor<16xf32>, tensor<16xf32>)
      -> tensor<64x32x32x16xf32>
  %a2_1 = graph.read @a2_1 : tensor<3x3x16x16xf32>
  %a2_1_scale = graph.read @a2_1_scale : tensor<16xf32>
  %a2_1_offset = graph.read @a2_1_offset : tensor<16xf32>
  %a2_2 = graph.read @a2_2 : tensor<3x3x16x16xf32>
  %a2_2_scale = graph.read @a2_2_scale : tensor<16xf32>
  %a2_2_offset = graph.read @a2_2_offset : tensor<16xf32>
  %a2 = graph.call @block16(%a1, %a2_1, %a2_1_scale, %a2_1_offset, %a2_2, %a2_2_scale, %a2_2_offset) {graph.name = "a2"}
      : (tensor<64x32x32x16xf32>, tensor<3x3x16x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<3x3x16x16xf32>, tensor<16xf32>, tensor<16xf32>)
      -> tensor<64x32x32x16xf32>
  %a3_1 = graph.read @a3_1 : tensor<3x3x16x16xf32>
  %a3_1_scale = graph.read @a3_1_scale : tensor<16xf32>
  %a3_1_offset = graph.read @a3_1_offset : tensor<16xf32>
  %a3_2 = graph.read @a3_2 : tensor<3x3x16x16xf32>
  %a3_2_scale = graph.read @a3_2_scale : tensor<16xf32>
  %a3_2_offset = graph.read @a3_2_offset : tensor<16xf32>
  %a3 = graph.call @block16(%a2, %a3_1, %a3_1_scale, %a3_1_offset, %a3_2, %a3_2_scale, %a3_2_offset) {graph.name = "a3"}
      : (tensor<64x32x32x16xf32>, tensor<3x3x16x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<3x3x16x16xf32>, tensor<16xf32>, tensor<16xf32>)
      -> tensor<64x32x32x16xf32>
  %b1_1 = graph.read @b1_1 : tensor<3x3x16x32xf32>
  %b1_1_scale = graph.read @b1_1_scale : tensor<32xf32>
  %b1_1_offset = graph.read @b1_1_offset : tensor<32xf32>
  %b1_2 = graph.read @b1_2 : tensor<3x3x32x32xf32>
  %b1_2_scale = graph.read @b1_2_scale : tensor<32xf32>
  %b1_2_offset = graph.read @b1_2_offset : tensor<32xf32>
  %b1_short = graph.read @b1_short : tensor<1x1x16x32xf32>
  %b1 = graph.call @halve32(%a3, %b1_1, %b1_1_scale, %b1_1_offset, %b1_2, %b1_2_scale, %b1_2_offset, %b1_short) {graph.name = "b1"}
      : (tensor<64x32x32x16xf32>, tensor<3x3x16x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<3x3x32x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<1x1x16x32xf32>)
      -> tensor<64x16x16x32xf32>
  %b2_1 = graph.read @b2_1 : tensor<3x3x32x32xf32>
  %b2_1_scale = graph.read @b2_1_scale : tensor<32xf32>
  %b2_1_offset = graph.read @b2_1_offset : tensor<32xf32>
  %b2_2 = graph.read @b2_2 : tensor<3x3x32x32xf32>
  %b2_2_scale = graph.read @b2_2_scale : tensor<32xf32>
  %b2_2_offset = graph.read @b2_2_offset : tensor<32xf32>
  %b2 = graph.call @block32(%b1, %b2_1, %b2_1_scale, %b2_1_offset, %b2_2, %b2_2_scale, %b2_2_offset) {graph.name = "b2"}
      : (tensor<64x16x16x32xf32>, tensor<3x3x32x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<3x3x32x32xf32>, tensor<32xf32>, tensor<32xf32>)
      -> tensor<64x16x16x32xf32>
  %b3_1 = graph.read @b3_1 : tensor<3x3x32x32xf32>
  %b3_1_scale = graph.read @b3_1_scale : tensor<32xf32>
  %b3_1_offset = graph.read @b3_1_offset : tensor<32xf32>
  %b3_2 = graph.read @b3_2 : tensor<3x3x32x32xf32>
  %b3_2_scale = graph.read @b3_2_scale : tensor<32xf32>
  %b3_2_offset = graph.read @b3_2_offset : tensor<32xf32>
  %b3 = graph.call @block32(%b2, %b3_1, %b3_1_scale, %b3_1_offset, %b3_2, %b3_2_scale, %b3_2_offset) {graph.name = "b3"}
      : (tensor<64x16x16x32xf32>, tensor<3x3x32x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<3x3x32x32xf32>, tensor<32xf32>, tensor<32xf32>)
      -> tensor<64x16x16x32xf32>
  %c1_1 = graph.read @c1_1 : tensor<3x3x32x64xf32>
  %c1_1_scale = graph.read @c1_1_scale : tensor<64xf32>
  %c1_1_offset = graph.read @c1_1_offset : tensor<64xf32>
  %c1_2 = graph.read @c1_2 : tensor<3x3x64x64xf32>
  %c1_2_scale = graph.read @c1_2_scale : tensor<64xf32>
  %c1_2_offset = graph.read @c1_2_offset : tensor<64xf32>
  %c1_short = graph.read @c1_short : tensor<1x1x32x64xf32>
  %c1 = graph.call @halve64(%b3, %c1_1, %c1_1_scale, %c1_1_offset, %c1_2, %c1_2_scale, %c1_2_offset, %c1_short) {graph.name = "c1"}
      : (tensor<64x16x16x32xf32>, tensor<3x3x32x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<3x3x64x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<1x1x32x64xf32>)
      -> tensor<64x8x8x64xf32>
  %c2_1 = graph.read @c2_1 : tensor<3x3x64x64xf32>
  %c2_1_scale = graph.read @c2_1_scale : tensor<64xf32>
  %c2_1_offset = graph.read @c2_1_offset : tensor<64xf32>
  %c2_2 = graph.read @c2_2 : tensor<3x3x64x64xf32>
  %c2_2_scale = graph.read @c2_2_scale : tensor<64xf32>
  %c2_2_offset = graph.read @c2_2_offset : tensor<64xf32>
  %c2 = graph.call @block64(%c1, %c2_1, %c2_1_scale, %c2_1_offset, %c2_2, %c2_2_scale, %c2_2_offset) {graph.name = "c2"}
      : (tensor<64x8x8x64xf32>, tensor<3x3x64x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<3x3x64x64xf32>, tensor<64xf32>, tensor<64xf32>)
      -> tensor<64x8x8x64xf32>
  %c3_1 = graph.read @c3_1 : tensor<3x3x64x64xf32>
  %c3_1_scale = graph.read @c3_1_scale : tensor<64xf32>
  %c3_1_offset = graph.read @c3_1_offset : tensor<64xf32>
  %c3_2 = graph.read @c3_2 : tensor<3x3x64x64xf32>
  %c3_2_scale = graph.read @c3_2_scale : tensor<64xf32>
  %c3_2_offset = graph.read @c3_2_offset : tensor<64xf32>
  %c3 = graph.call @block64(%c2, %c3_1, %c3_1_scale, %c3_1_offset, %c3_2, %c3_2_scale, %c3_2_offset) {graph.name = "c3"}
      : (tensor<64x8x8x64xf32>, tensor<3x3x64x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<3x3x64x64xf32>, tensor<64xf32>, tensor<64xf32>)
      -> tensor<64x8x8x64xf32>
  %pooled = graph.reduce_mean %c3 dimensions = [1, 2] : (tensor<64x8x8x64xf32>) -> tensor<64x64xf32>
  %dense = graph.read @dense : tensor<64x10xf32>
  %bias = graph.read @bias : tensor<10xf32>
  %l0 = graph.matmul %pooled, %dense : (tensor<64x64xf32>, tensor<64x10xf32>) -> tensor<64x10xf32>
  %logits = graph.bias_add %l0, %bias : tensor<64x10xf32>, tensor<10xf32>
  %loss = graph.softmax_cross_entropy %logits, %labels : (tensor<64x10xf32>, tensor<64xi32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.01>} : tensor<f32>
  graph.return %loss : tensor<f32>
}
