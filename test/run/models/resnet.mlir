// ResNet-20's layers with one block of each kind: 3x3 convolutions that move by one place and by two, of windows of one place around a block, each with a batch
// norm, by its own statistics in training and by running ones in evaluation; images as CIFAR-10 has them, moved and turned at random.
graph.dataset @train : (tensor<3x32x32xf32>, tensor<i32>) = #graph.cifar10<files = ["data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin", "data_batch_5.bin"], scale = 0.00392156862745098>
    {shuffle = true, seed = 1, transforms = [#graph.random_crop<padding = 4>, #graph.random_flip,
      #graph.normalize<mean = [0.4914, 0.4822, 0.4465], stddev = [0.247, 0.2435, 0.2616]>]}
graph.dataset @test : (tensor<3x32x32xf32>, tensor<i32>) = #graph.cifar10<files = ["test_batch.bin"], scale = 0.00392156862745098>
    {transforms = [#graph.normalize<mean = [0.4914, 0.4822, 0.4465], stddev = [0.247, 0.2435, 0.2616]>]}

graph.variable @conv1.weight : tensor<3x3x3x16xf32> = #graph.normal<stddev = 0.1179, seed = 1>
graph.variable @bn1.weight : tensor<16xf32> = #graph.value<dense<1.0> : tensor<16xf32>>  graph.variable @bn1.bias : tensor<16xf32> = #graph.zeros
graph.variable @bn1.running_mean : tensor<16xf32> = #graph.zeros {trainable = false, aggregation = "mean"}
graph.variable @bn1.running_var : tensor<16xf32> = #graph.value<dense<1.0> : tensor<16xf32>> {trainable = false, aggregation = "mean"}
graph.variable @layer1.conv1.weight : tensor<3x3x16x16xf32> = #graph.normal<stddev = 0.1179, seed = 2>
graph.variable @layer1.bn1.weight : tensor<16xf32> = #graph.value<dense<1.0> : tensor<16xf32>>  graph.variable @layer1.bn1.bias : tensor<16xf32> = #graph.zeros
graph.variable @layer1.bn1.running_mean : tensor<16xf32> = #graph.zeros {trainable = false, aggregation = "mean"}
graph.variable @layer1.bn1.running_var : tensor<16xf32> = #graph.value<dense<1.0> : tensor<16xf32>> {trainable = false, aggregation = "mean"}
graph.variable @layer1.conv2.weight : tensor<3x3x16x16xf32> = #graph.normal<stddev = 0.1179, seed = 3>
graph.variable @layer1.bn2.weight : tensor<16xf32> = #graph.value<dense<1.0> : tensor<16xf32>>  graph.variable @layer1.bn2.bias : tensor<16xf32> = #graph.zeros
graph.variable @layer1.bn2.running_mean : tensor<16xf32> = #graph.zeros {trainable = false, aggregation = "mean"}
graph.variable @layer1.bn2.running_var : tensor<16xf32> = #graph.value<dense<1.0> : tensor<16xf32>> {trainable = false, aggregation = "mean"}
graph.variable @layer2.conv1.weight : tensor<3x3x16x32xf32> = #graph.normal<stddev = 0.0833, seed = 4>
graph.variable @layer2.bn1.weight : tensor<32xf32> = #graph.value<dense<1.0> : tensor<32xf32>>  graph.variable @layer2.bn1.bias : tensor<32xf32> = #graph.zeros
graph.variable @layer2.bn1.running_mean : tensor<32xf32> = #graph.zeros {trainable = false, aggregation = "mean"}
graph.variable @layer2.bn1.running_var : tensor<32xf32> = #graph.value<dense<1.0> : tensor<32xf32>> {trainable = false, aggregation = "mean"}
graph.variable @layer2.conv2.weight : tensor<3x3x32x32xf32> = #graph.normal<stddev = 0.0833, seed = 5>
graph.variable @layer2.bn2.weight : tensor<32xf32> = #graph.value<dense<1.0> : tensor<32xf32>>  graph.variable @layer2.bn2.bias : tensor<32xf32> = #graph.zeros
graph.variable @layer2.bn2.running_mean : tensor<32xf32> = #graph.zeros {trainable = false, aggregation = "mean"}
graph.variable @layer2.bn2.running_var : tensor<32xf32> = #graph.value<dense<1.0> : tensor<32xf32>> {trainable = false, aggregation = "mean"}
graph.variable @layer2.downsample.weight : tensor<1x1x16x32xf32> = #graph.normal<stddev = 0.25, seed = 6>
graph.variable @layer2.bn3.weight : tensor<32xf32> = #graph.value<dense<1.0> : tensor<32xf32>>  graph.variable @layer2.bn3.bias : tensor<32xf32> = #graph.zeros
graph.variable @layer2.bn3.running_mean : tensor<32xf32> = #graph.zeros {trainable = false, aggregation = "mean"}
graph.variable @layer2.bn3.running_var : tensor<32xf32> = #graph.value<dense<1.0> : tensor<32xf32>> {trainable = false, aggregation = "mean"}
graph.variable @fc.weight : tensor<32x10xf32> = #graph.glorot_uniform<seed = 7>
graph.variable @fc.bias : tensor<10xf32> = #graph.zeros

graph.func private @network_train(%pixels: tensor<4x3x32x32xf32>) -> tensor<4x10xf32> {
  %x = graph.transpose %pixels permutation = [0, 2, 3, 1] : (tensor<4x3x32x32xf32>) -> tensor<4x32x32x3xf32> loc("stem/nhwc")
  %aw = graph.read @conv1.weight : tensor<3x3x3x16xf32>  %as = graph.read @bn1.weight : tensor<16xf32>  %ao = graph.read @bn1.bias : tensor<16xf32>
  %ac = graph.convolution %x, %aw padding_low = [1, 1] padding_high = [1, 1] {nhwc, hwio} : (tensor<4x32x32x3xf32>, tensor<3x3x3x16xf32>) -> tensor<4x32x32x16xf32> loc("stem/conv1")
  %a, %am, %av = graph.batch_norm_training %ac, %as, %ao feature_index = 3 epsilon = 1.0e-05 : (tensor<4x32x32x16xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<4x32x32x16xf32>, tensor<16xf32>, tensor<16xf32>) loc("stem/bn1")
  graph.assign_moving_average @bn1.running_mean, %am {momentum = 0.9} : tensor<16xf32>  graph.assign_moving_average @bn1.running_var, %av {momentum = 0.9} : tensor<16xf32>
  %h0 = graph.relu %a : tensor<4x32x32x16xf32> loc("stem/relu")
  %bw = graph.read @layer1.conv1.weight : tensor<3x3x16x16xf32>  %bs = graph.read @layer1.bn1.weight : tensor<16xf32>  %bo = graph.read @layer1.bn1.bias : tensor<16xf32>
  %bc = graph.convolution %h0, %bw padding_low = [1, 1] padding_high = [1, 1] {nhwc, hwio} : (tensor<4x32x32x16xf32>, tensor<3x3x16x16xf32>) -> tensor<4x32x32x16xf32> loc("layer1/layer1.conv1")
  %b, %bm, %bv = graph.batch_norm_training %bc, %bs, %bo feature_index = 3 epsilon = 1.0e-05 : (tensor<4x32x32x16xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<4x32x32x16xf32>, tensor<16xf32>, tensor<16xf32>) loc("layer1/layer1.bn1")
  graph.assign_moving_average @layer1.bn1.running_mean, %bm {momentum = 0.9} : tensor<16xf32>  graph.assign_moving_average @layer1.bn1.running_var, %bv {momentum = 0.9} : tensor<16xf32>
  %h1 = graph.relu %b : tensor<4x32x32x16xf32> loc("layer1/relu1")
  %cw = graph.read @layer1.conv2.weight : tensor<3x3x16x16xf32>  %cs = graph.read @layer1.bn2.weight : tensor<16xf32>  %co = graph.read @layer1.bn2.bias : tensor<16xf32>
  %cc = graph.convolution %h1, %cw padding_low = [1, 1] padding_high = [1, 1] {nhwc, hwio} : (tensor<4x32x32x16xf32>, tensor<3x3x16x16xf32>) -> tensor<4x32x32x16xf32> loc("layer1/layer1.conv2")
  %c, %cm, %cv = graph.batch_norm_training %cc, %cs, %co feature_index = 3 epsilon = 1.0e-05 : (tensor<4x32x32x16xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<4x32x32x16xf32>, tensor<16xf32>, tensor<16xf32>) loc("layer1/layer1.bn2")
  graph.assign_moving_average @layer1.bn2.running_mean, %cm {momentum = 0.9} : tensor<16xf32>  graph.assign_moving_average @layer1.bn2.running_var, %cv {momentum = 0.9} : tensor<16xf32>
  %j1 = graph.add %c, %h0 : tensor<4x32x32x16xf32> loc("layer1/join")  %h2 = graph.relu %j1 : tensor<4x32x32x16xf32> loc("layer1/relu2")
  %dw = graph.read @layer2.conv1.weight : tensor<3x3x16x32xf32>  %ds = graph.read @layer2.bn1.weight : tensor<32xf32>  %do = graph.read @layer2.bn1.bias : tensor<32xf32>
  %dc = graph.convolution %h2, %dw window_strides = [2, 2] padding_low = [1, 1] padding_high = [1, 1] {nhwc, hwio} : (tensor<4x32x32x16xf32>, tensor<3x3x16x32xf32>) -> tensor<4x16x16x32xf32> loc("layer2/layer2.conv1")
  %d, %dm, %dv = graph.batch_norm_training %dc, %ds, %do feature_index = 3 epsilon = 1.0e-05 : (tensor<4x16x16x32xf32>, tensor<32xf32>, tensor<32xf32>) -> (tensor<4x16x16x32xf32>, tensor<32xf32>, tensor<32xf32>) loc("layer2/layer2.bn1")
  graph.assign_moving_average @layer2.bn1.running_mean, %dm {momentum = 0.9} : tensor<32xf32>  graph.assign_moving_average @layer2.bn1.running_var, %dv {momentum = 0.9} : tensor<32xf32>
  %h3 = graph.relu %d : tensor<4x16x16x32xf32> loc("layer2/relu1")
  %ew = graph.read @layer2.conv2.weight : tensor<3x3x32x32xf32>  %es = graph.read @layer2.bn2.weight : tensor<32xf32>  %eo = graph.read @layer2.bn2.bias : tensor<32xf32>
  %ec = graph.convolution %h3, %ew padding_low = [1, 1] padding_high = [1, 1] {nhwc, hwio} : (tensor<4x16x16x32xf32>, tensor<3x3x32x32xf32>) -> tensor<4x16x16x32xf32> loc("layer2/layer2.conv2")
  %e, %em, %ev = graph.batch_norm_training %ec, %es, %eo feature_index = 3 epsilon = 1.0e-05 : (tensor<4x16x16x32xf32>, tensor<32xf32>, tensor<32xf32>) -> (tensor<4x16x16x32xf32>, tensor<32xf32>, tensor<32xf32>) loc("layer2/layer2.bn2")
  graph.assign_moving_average @layer2.bn2.running_mean, %em {momentum = 0.9} : tensor<32xf32>  graph.assign_moving_average @layer2.bn2.running_var, %ev {momentum = 0.9} : tensor<32xf32>
  %fw = graph.read @layer2.downsample.weight : tensor<1x1x16x32xf32>  %fs = graph.read @layer2.bn3.weight : tensor<32xf32>  %fo = graph.read @layer2.bn3.bias : tensor<32xf32>
  %fc = graph.convolution %h2, %fw window_strides = [2, 2] {nhwc, hwio} : (tensor<4x32x32x16xf32>, tensor<1x1x16x32xf32>) -> tensor<4x16x16x32xf32> loc("layer2/layer2.downsample")
  %f, %fm, %fv = graph.batch_norm_training %fc, %fs, %fo feature_index = 3 epsilon = 1.0e-05 : (tensor<4x16x16x32xf32>, tensor<32xf32>, tensor<32xf32>) -> (tensor<4x16x16x32xf32>, tensor<32xf32>, tensor<32xf32>) loc("layer2/layer2.bn3")
  graph.assign_moving_average @layer2.bn3.running_mean, %fm {momentum = 0.9} : tensor<32xf32>  graph.assign_moving_average @layer2.bn3.running_var, %fv {momentum = 0.9} : tensor<32xf32>
  %j2 = graph.add %e, %f : tensor<4x16x16x32xf32> loc("layer2/join")  %h4 = graph.relu %j2 : tensor<4x16x16x32xf32> loc("layer2/relu2")
  %mean = graph.reduce_mean %h4 dimensions = [1, 2] : (tensor<4x16x16x32xf32>) -> tensor<4x32xf32> loc("fc/mean")
  %fcw = graph.read @fc.weight : tensor<32x10xf32>  %fcb = graph.read @fc.bias : tensor<10xf32>
  %m = graph.matmul %mean, %fcw : (tensor<4x32xf32>, tensor<32x10xf32>) -> tensor<4x10xf32> loc("fc/matmul")
  %logits = graph.bias_add %m, %fcb : tensor<4x10xf32>, tensor<10xf32> loc("fc/bias")
  graph.return %logits : tensor<4x10xf32>
}

graph.func private @network(%pixels: tensor<4x3x32x32xf32>) -> tensor<4x10xf32> {
  %x = graph.transpose %pixels permutation = [0, 2, 3, 1] : (tensor<4x3x32x32xf32>) -> tensor<4x32x32x3xf32> loc("stem/nhwc")
  %aw = graph.read @conv1.weight : tensor<3x3x3x16xf32>  %as = graph.read @bn1.weight : tensor<16xf32>  %ao = graph.read @bn1.bias : tensor<16xf32>
  %ac = graph.convolution %x, %aw padding_low = [1, 1] padding_high = [1, 1] {nhwc, hwio} : (tensor<4x32x32x3xf32>, tensor<3x3x3x16xf32>) -> tensor<4x32x32x16xf32> loc("stem/conv1")
  %am = graph.read @bn1.running_mean : tensor<16xf32>  %av = graph.read @bn1.running_var : tensor<16xf32>
  %a = graph.batch_norm_inference %ac, %as, %ao, %am, %av feature_index = 3 epsilon = 1.0e-05 : (tensor<4x32x32x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<4x32x32x16xf32> loc("stem/bn1")
  %h0 = graph.relu %a : tensor<4x32x32x16xf32> loc("stem/relu")
  %bw = graph.read @layer1.conv1.weight : tensor<3x3x16x16xf32>  %bs = graph.read @layer1.bn1.weight : tensor<16xf32>  %bo = graph.read @layer1.bn1.bias : tensor<16xf32>
  %bc = graph.convolution %h0, %bw padding_low = [1, 1] padding_high = [1, 1] {nhwc, hwio} : (tensor<4x32x32x16xf32>, tensor<3x3x16x16xf32>) -> tensor<4x32x32x16xf32> loc("layer1/layer1.conv1")
  %bm = graph.read @layer1.bn1.running_mean : tensor<16xf32>  %bv = graph.read @layer1.bn1.running_var : tensor<16xf32>
  %b = graph.batch_norm_inference %bc, %bs, %bo, %bm, %bv feature_index = 3 epsilon = 1.0e-05 : (tensor<4x32x32x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<4x32x32x16xf32> loc("layer1/layer1.bn1")
  %h1 = graph.relu %b : tensor<4x32x32x16xf32> loc("layer1/relu1")
  %cw = graph.read @layer1.conv2.weight : tensor<3x3x16x16xf32>  %cs = graph.read @layer1.bn2.weight : tensor<16xf32>  %co = graph.read @layer1.bn2.bias : tensor<16xf32>
  %cc = graph.convolution %h1, %cw padding_low = [1, 1] padding_high = [1, 1] {nhwc, hwio} : (tensor<4x32x32x16xf32>, tensor<3x3x16x16xf32>) -> tensor<4x32x32x16xf32> loc("layer1/layer1.conv2")
  %cm = graph.read @layer1.bn2.running_mean : tensor<16xf32>  %cv = graph.read @layer1.bn2.running_var : tensor<16xf32>
  %c = graph.batch_norm_inference %cc, %cs, %co, %cm, %cv feature_index = 3 epsilon = 1.0e-05 : (tensor<4x32x32x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<4x32x32x16xf32> loc("layer1/layer1.bn2")
  %j1 = graph.add %c, %h0 : tensor<4x32x32x16xf32> loc("layer1/join")  %h2 = graph.relu %j1 : tensor<4x32x32x16xf32> loc("layer1/relu2")
  %dw = graph.read @layer2.conv1.weight : tensor<3x3x16x32xf32>  %ds = graph.read @layer2.bn1.weight : tensor<32xf32>  %do = graph.read @layer2.bn1.bias : tensor<32xf32>
  %dc = graph.convolution %h2, %dw window_strides = [2, 2] padding_low = [1, 1] padding_high = [1, 1] {nhwc, hwio} : (tensor<4x32x32x16xf32>, tensor<3x3x16x32xf32>) -> tensor<4x16x16x32xf32> loc("layer2/layer2.conv1")
  %dm = graph.read @layer2.bn1.running_mean : tensor<32xf32>  %dv = graph.read @layer2.bn1.running_var : tensor<32xf32>
  %d = graph.batch_norm_inference %dc, %ds, %do, %dm, %dv feature_index = 3 epsilon = 1.0e-05 : (tensor<4x16x16x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<4x16x16x32xf32> loc("layer2/layer2.bn1")
  %h3 = graph.relu %d : tensor<4x16x16x32xf32> loc("layer2/relu1")
  %ew = graph.read @layer2.conv2.weight : tensor<3x3x32x32xf32>  %es = graph.read @layer2.bn2.weight : tensor<32xf32>  %eo = graph.read @layer2.bn2.bias : tensor<32xf32>
  %ec = graph.convolution %h3, %ew padding_low = [1, 1] padding_high = [1, 1] {nhwc, hwio} : (tensor<4x16x16x32xf32>, tensor<3x3x32x32xf32>) -> tensor<4x16x16x32xf32> loc("layer2/layer2.conv2")
  %em = graph.read @layer2.bn2.running_mean : tensor<32xf32>  %ev = graph.read @layer2.bn2.running_var : tensor<32xf32>
  %e = graph.batch_norm_inference %ec, %es, %eo, %em, %ev feature_index = 3 epsilon = 1.0e-05 : (tensor<4x16x16x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<4x16x16x32xf32> loc("layer2/layer2.bn2")
  %fw = graph.read @layer2.downsample.weight : tensor<1x1x16x32xf32>  %fs = graph.read @layer2.bn3.weight : tensor<32xf32>  %fo = graph.read @layer2.bn3.bias : tensor<32xf32>
  %fc = graph.convolution %h2, %fw window_strides = [2, 2] {nhwc, hwio} : (tensor<4x32x32x16xf32>, tensor<1x1x16x32xf32>) -> tensor<4x16x16x32xf32> loc("layer2/layer2.downsample")
  %fm = graph.read @layer2.bn3.running_mean : tensor<32xf32>  %fv = graph.read @layer2.bn3.running_var : tensor<32xf32>
  %f = graph.batch_norm_inference %fc, %fs, %fo, %fm, %fv feature_index = 3 epsilon = 1.0e-05 : (tensor<4x16x16x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<4x16x16x32xf32> loc("layer2/layer2.bn3")
  %j2 = graph.add %e, %f : tensor<4x16x16x32xf32> loc("layer2/join")  %h4 = graph.relu %j2 : tensor<4x16x16x32xf32> loc("layer2/relu2")
  %mean = graph.reduce_mean %h4 dimensions = [1, 2] : (tensor<4x16x16x32xf32>) -> tensor<4x32xf32> loc("fc/mean")
  %fcw = graph.read @fc.weight : tensor<32x10xf32>  %fcb = graph.read @fc.bias : tensor<10xf32>
  %m = graph.matmul %mean, %fcw : (tensor<4x32xf32>, tensor<32x10xf32>) -> tensor<4x10xf32> loc("fc/matmul")
  %logits = graph.bias_add %m, %fcb : tensor<4x10xf32>, tensor<10xf32> loc("fc/bias")
  graph.return %logits : tensor<4x10xf32>
}

graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x, %y = graph.next_batch @train {batch = 4} : tensor<4x3x32x32xf32>, tensor<4xi32>
  %logits = graph.call @network_train(%x) : (tensor<4x3x32x32xf32>) -> tensor<4x10xf32>
  %loss = graph.softmax_cross_entropy %logits, %y : (tensor<4x10xf32>, tensor<4xi32>) -> tensor<f32> loc("fc/loss")
  graph.minimize %loss {optimizer = #graph.momentum<
      learning_rate = #graph.linear_warmup<steps = 2, learning_rate = #graph.cosine_decay<initial_learning_rate = 0.1, decay_steps = 20>>,
      momentum = 0.9, nesterov = true, weight_decay = #graph.weight_decay<rate = 0.0005, exclude = ["*bn*", "*.bias"]>>} : tensor<f32>
  graph.return %loss : tensor<f32>
}

graph.func @eval_step() -> () attributes {role = #graph.role<eval>} {
  %x, %y, %valid = graph.next_batch @test {batch = 4, pad_last} : tensor<4x3x32x32xf32>, tensor<4xi32>, tensor<4xi1>
  %logits = graph.call @network(%x) : (tensor<4x3x32x32xf32>) -> tensor<4x10xf32>
  %class = graph.argmax %logits dimension = 1 : (tensor<4x10xf32>) -> tensor<4xi32>
  %hit = graph.compare eq, %class, %y : tensor<4xi32>
  graph.metric "accuracy", %hit, %valid : tensor<4xi1>, tensor<4xi1>
  graph.return
}
