// A vision transformer of 4 pre-norm blocks on 32x32 images: patches of 4x4, width 96, 3 heads, a class token, batch 32; GELU by erf, layer norm,
// AdamW with a linear warm-up and a cosine, the gradients' norm bounded by 1, float32, on synthetic data. The same work as
// test/bench/peers/single.py's case vit.
graph.variable @patches : tensor<4x4x3x96xf32> = #graph.normal<stddev = 0.05, seed = 1>
graph.variable @patches_bias : tensor<96xf32> = #graph.zeros
graph.variable @class_token : tensor<1x96xf32> = #graph.zeros
graph.variable @positions : tensor<65x96xf32> = #graph.normal<stddev = 0.02, seed = 2>
graph.variable @norm1_scale0 : tensor<96xf32> = #graph.value<dense<1.0> : tensor<96xf32>>
graph.variable @norm1_offset0 : tensor<96xf32> = #graph.zeros
graph.variable @qkv0 : tensor<96x288xf32> = #graph.normal<stddev = 0.05, seed = 3>
graph.variable @qkv_bias0 : tensor<288xf32> = #graph.zeros
graph.variable @out0 : tensor<96x96xf32> = #graph.normal<stddev = 0.05, seed = 4>
graph.variable @out_bias0 : tensor<96xf32> = #graph.zeros
graph.variable @norm2_scale0 : tensor<96xf32> = #graph.value<dense<1.0> : tensor<96xf32>>
graph.variable @norm2_offset0 : tensor<96xf32> = #graph.zeros
graph.variable @up0 : tensor<96x384xf32> = #graph.normal<stddev = 0.05, seed = 5>
graph.variable @up_bias0 : tensor<384xf32> = #graph.zeros
graph.variable @down0 : tensor<384x96xf32> = #graph.normal<stddev = 0.05, seed = 6>
graph.variable @down_bias0 : tensor<96xf32> = #graph.zeros
graph.variable @norm1_scale1 : tensor<96xf32> = #graph.value<dense<1.0> : tensor<96xf32>>
graph.variable @norm1_offset1 : tensor<96xf32> = #graph.zeros
graph.variable @qkv1 : tensor<96x288xf32> = #graph.normal<stddev = 0.05, seed = 7>
graph.variable @qkv_bias1 : tensor<288xf32> = #graph.zeros
graph.variable @out1 : tensor<96x96xf32> = #graph.normal<stddev = 0.05, seed = 8>
graph.variable @out_bias1 : tensor<96xf32> = #graph.zeros
graph.variable @norm2_scale1 : tensor<96xf32> = #graph.value<dense<1.0> : tensor<96xf32>>
graph.variable @norm2_offset1 : tensor<96xf32> = #graph.zeros
graph.variable @up1 : tensor<96x384xf32> = #graph.normal<stddev = 0.05, seed = 9>
graph.variable @up_bias1 : tensor<384xf32> = #graph.zeros
graph.variable @down1 : tensor<384x96xf32> = #graph.normal<stddev = 0.05, seed = 10>
graph.variable @down_bias1 : tensor<96xf32> = #graph.zeros
graph.variable @norm1_scale2 : tensor<96xf32> = #graph.value<dense<1.0> : tensor<96xf32>>
graph.variable @norm1_offset2 : tensor<96xf32> = #graph.zeros
graph.variable @qkv2 : tensor<96x288xf32> = #graph.normal<stddev = 0.05, seed = 11>
graph.variable @qkv_bias2 : tensor<288xf32> = #graph.zeros
graph.variable @out2 : tensor<96x96xf32> = #graph.normal<stddev = 0.05, seed = 12>
graph.variable @out_bias2 : tensor<96xf32> = #graph.zeros
graph.variable @norm2_scale2 : tensor<96xf32> = #graph.value<dense<1.0> : tensor<96xf32>>
graph.variable @norm2_offset2 : tensor<96xf32> = #graph.zeros
graph.variable @up2 : tensor<96x384xf32> = #graph.normal<stddev = 0.05, seed = 13>
graph.variable @up_bias2 : tensor<384xf32> = #graph.zeros
graph.variable @down2 : tensor<384x96xf32> = #graph.normal<stddev = 0.05, seed = 14>
graph.variable @down_bias2 : tensor<96xf32> = #graph.zeros
graph.variable @norm1_scale3 : tensor<96xf32> = #graph.value<dense<1.0> : tensor<96xf32>>
graph.variable @norm1_offset3 : tensor<96xf32> = #graph.zeros
graph.variable @qkv3 : tensor<96x288xf32> = #graph.normal<stddev = 0.05, seed = 15>
graph.variable @qkv_bias3 : tensor<288xf32> = #graph.zeros
graph.variable @out3 : tensor<96x96xf32> = #graph.normal<stddev = 0.05, seed = 16>
graph.variable @out_bias3 : tensor<96xf32> = #graph.zeros
graph.variable @norm2_scale3 : tensor<96xf32> = #graph.value<dense<1.0> : tensor<96xf32>>
graph.variable @norm2_offset3 : tensor<96xf32> = #graph.zeros
graph.variable @up3 : tensor<96x384xf32> = #graph.normal<stddev = 0.05, seed = 17>
graph.variable @up_bias3 : tensor<384xf32> = #graph.zeros
graph.variable @down3 : tensor<384x96xf32> = #graph.normal<stddev = 0.05, seed = 18>
graph.variable @down_bias3 : tensor<96xf32> = #graph.zeros
graph.variable @norm_scale : tensor<96xf32> = #graph.value<dense<1.0> : tensor<96xf32>>
graph.variable @norm_offset : tensor<96xf32> = #graph.zeros
graph.variable @head : tensor<96x10xf32> = #graph.normal<stddev = 0.05, seed = 19>
graph.variable @head_bias : tensor<10xf32> = #graph.zeros
graph.dataset @train : (tensor<32x32x3xf32>, tensor<i32>) = #graph.synthetic<samples = 256, seed = 7, limits = [0, 10]>

// Rows are the tokens of all images.
graph.func private @block(%x: tensor<2080x96xf32>,
    %norm1_scale: tensor<96xf32>, %norm1_offset: tensor<96xf32>, %qkv: tensor<96x288xf32>, %qkv_bias: tensor<288xf32>, %out: tensor<96x96xf32>, %out_bias: tensor<96xf32>,
    %norm2_scale: tensor<96xf32>, %norm2_offset: tensor<96xf32>, %up: tensor<96x384xf32>, %up_bias: tensor<384xf32>, %down: tensor<384x96xf32>, %down_bias: tensor<96xf32>) -> tensor<2080x96xf32> {
  %n1 = graph.layer_norm %x, %norm1_scale, %norm1_offset axis = 1 epsilon = 1.0e-06 : (tensor<2080x96xf32>, tensor<96xf32>, tensor<96xf32>) -> tensor<2080x96xf32>
  %p0 = graph.matmul %n1, %qkv : (tensor<2080x96xf32>, tensor<96x288xf32>) -> tensor<2080x288xf32>
  %p = graph.bias_add %p0, %qkv_bias : tensor<2080x288xf32>, tensor<288xf32>
  %q2 = graph.slice %p start_indices = [0, 0] limit_indices = [2080, 96] strides = [1, 1] : (tensor<2080x288xf32>) -> tensor<2080x96xf32>
  %q3 = graph.reshape %q2 : (tensor<2080x96xf32>) -> tensor<32x65x3x32xf32>
  %q = graph.transpose %q3 permutation = [0, 2, 1, 3] : (tensor<32x65x3x32xf32>) -> tensor<32x3x65x32xf32>
  %k2 = graph.slice %p start_indices = [0, 96] limit_indices = [2080, 192] strides = [1, 1] : (tensor<2080x288xf32>) -> tensor<2080x96xf32>
  %k3 = graph.reshape %k2 : (tensor<2080x96xf32>) -> tensor<32x65x3x32xf32>
  %k = graph.transpose %k3 permutation = [0, 2, 1, 3] : (tensor<32x65x3x32xf32>) -> tensor<32x3x65x32xf32>
  %v2 = graph.slice %p start_indices = [0, 192] limit_indices = [2080, 288] strides = [1, 1] : (tensor<2080x288xf32>) -> tensor<2080x96xf32>
  %v3 = graph.reshape %v2 : (tensor<2080x96xf32>) -> tensor<32x65x3x32xf32>
  %v = graph.transpose %v3 permutation = [0, 2, 1, 3] : (tensor<32x65x3x32xf32>) -> tensor<32x3x65x32xf32>
  %a4 = graph.attention %q, %k, %v : (tensor<32x3x65x32xf32>, tensor<32x3x65x32xf32>, tensor<32x3x65x32xf32>) -> tensor<32x3x65x32xf32>
  %a3 = graph.transpose %a4 permutation = [0, 2, 1, 3] : (tensor<32x3x65x32xf32>) -> tensor<32x65x3x32xf32>
  %a2 = graph.reshape %a3 : (tensor<32x65x3x32xf32>) -> tensor<2080x96xf32>
  %a1 = graph.matmul %a2, %out : (tensor<2080x96xf32>, tensor<96x96xf32>) -> tensor<2080x96xf32>
  %a = graph.bias_add %a1, %out_bias : tensor<2080x96xf32>, tensor<96xf32>
  %y = graph.add %x, %a : tensor<2080x96xf32>
  %n2 = graph.layer_norm %y, %norm2_scale, %norm2_offset axis = 1 epsilon = 1.0e-06 : (tensor<2080x96xf32>, tensor<96xf32>, tensor<96xf32>) -> tensor<2080x96xf32>
  %u0 = graph.matmul %n2, %up : (tensor<2080x96xf32>, tensor<96x384xf32>) -> tensor<2080x384xf32>
  %u1 = graph.bias_add %u0, %up_bias : tensor<2080x384xf32>, tensor<384xf32>
  %u = graph.gelu %u1 : tensor<2080x384xf32>
  %d0 = graph.matmul %u, %down : (tensor<2080x384xf32>, tensor<384x96xf32>) -> tensor<2080x96xf32>
  %d = graph.bias_add %d0, %down_bias : tensor<2080x96xf32>, tensor<96xf32>
  %z = graph.add %y, %d : tensor<2080x96xf32>
  graph.return %z : tensor<2080x96xf32>
}

graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %images, %labels = graph.next_batch @train {batch = 32} : tensor<32x32x32x3xf32>, tensor<32xi32>
  %patches = graph.read @patches : tensor<4x4x3x96xf32>
  %patches_bias = graph.read @patches_bias : tensor<96xf32>
  %class_token = graph.read @class_token : tensor<1x96xf32>
  %positions = graph.read @positions : tensor<65x96xf32>
  %c0 = graph.convolution %images, %patches window_strides = [4, 4] {nhwc, hwio} : (tensor<32x32x32x3xf32>, tensor<4x4x3x96xf32>) -> tensor<32x8x8x96xf32>
  %c1 = graph.reshape %c0 : (tensor<32x8x8x96xf32>) -> tensor<2048x96xf32>
  %c2 = graph.bias_add %c1, %patches_bias : tensor<2048x96xf32>, tensor<96xf32>
  %c = graph.reshape %c2 : (tensor<2048x96xf32>) -> tensor<32x64x96xf32>
  %k = graph.broadcast_in_dim %class_token broadcast_dimensions = [1, 2] : (tensor<1x96xf32>) -> tensor<32x1x96xf32>
  %e0 = graph.concatenate %k, %c dimension = 1 : (tensor<32x1x96xf32>, tensor<32x64x96xf32>) -> tensor<32x65x96xf32>
  %s = graph.broadcast_in_dim %positions broadcast_dimensions = [1, 2] : (tensor<65x96xf32>) -> tensor<32x65x96xf32>
  %e = graph.add %e0, %s : tensor<32x65x96xf32>
  %x0 = graph.reshape %e : (tensor<32x65x96xf32>) -> tensor<2080x96xf32>
  %norm1_scale0 = graph.read @norm1_scale0 : tensor<96xf32>
  %norm1_offset0 = graph.read @norm1_offset0 : tensor<96xf32>
  %qkv0 = graph.read @qkv0 : tensor<96x288xf32>
  %qkv_bias0 = graph.read @qkv_bias0 : tensor<288xf32>
  %out0 = graph.read @out0 : tensor<96x96xf32>
  %out_bias0 = graph.read @out_bias0 : tensor<96xf32>
  %norm2_scale0 = graph.read @norm2_scale0 : tensor<96xf32>
  %norm2_offset0 = graph.read @norm2_offset0 : tensor<96xf32>
  %up0 = graph.read @up0 : tensor<96x384xf32>
  %up_bias0 = graph.read @up_bias0 : tensor<384xf32>
  %down0 = graph.read @down0 : tensor<384x96xf32>
  %down_bias0 = graph.read @down_bias0 : tensor<96xf32>
  %x1 = graph.call @block(%x0,
      %norm1_scale0, %norm1_offset0, %qkv0, %qkv_bias0, %out0, %out_bias0,
      %norm2_scale0, %norm2_offset0, %up0, %up_bias0, %down0, %down_bias0) {graph.name = "block0"}
      : (tensor<2080x96xf32>,
      tensor<96xf32>, tensor<96xf32>, tensor<96x288xf32>, tensor<288xf32>, tensor<96x96xf32>, tensor<96xf32>,
      tensor<96xf32>, tensor<96xf32>, tensor<96x384xf32>, tensor<384xf32>, tensor<384x96xf32>, tensor<96xf32>) -> tensor<2080x96xf32>
  %norm1_scale1 = graph.read @norm1_scale1 : tensor<96xf32>
  %norm1_offset1 = graph.read @norm1_offset1 : tensor<96xf32>
  %qkv1 = graph.read @qkv1 : tensor<96x288xf32>
  %qkv_bias1 = graph.read @qkv_bias1 : tensor<288xf32>
  %out1 = graph.read @out1 : tensor<96x96xf32>
  %out_bias1 = graph.read @out_bias1 : tensor<96xf32>
  %norm2_scale1 = graph.read @norm2_scale1 : tensor<96xf32>
  %norm2_offset1 = graph.read @norm2_offset1 : tensor<96xf32>
  %up1 = graph.read @up1 : tensor<96x384xf32>
  %up_bias1 = graph.read @up_bias1 : tensor<384xf32>
  %down1 = graph.read @down1 : tensor<384x96xf32>
  %down_bias1 = graph.read @down_bias1 : tensor<96xf32>
  %x2 = graph.call @block(%x1,
      %norm1_scale1, %norm1_offset1, %qkv1, %qkv_bias1, %out1, %out_bias1,
      %norm2_scale1, %norm2_offset1, %up1, %up_bias1, %down1, %down_bias1) {graph.name = "block1"}
      : (tensor<2080x96xf32>,
      tensor<96xf32>, tensor<96xf32>, tensor<96x288xf32>, tensor<288xf32>, tensor<96x96xf32>, tensor<96xf32>,
      tensor<96xf32>, tensor<96xf32>, tensor<96x384xf32>, tensor<384xf32>, tensor<384x96xf32>, tensor<96xf32>) -> tensor<2080x96xf32>
  %norm1_scale2 = graph.read @norm1_scale2 : tensor<96xf32>
  %norm1_offset2 = graph.read @norm1_offset2 : tensor<96xf32>
  %qkv2 = graph.read @qkv2 : tensor<96x288xf32>
  %qkv_bias2 = graph.read @qkv_bias2 : tensor<288xf32>
  %out2 = graph.read @out2 : tensor<96x96xf32>
  %out_bias2 = graph.read @out_bias2 : tensor<96xf32>
  %norm2_scale2 = graph.read @norm2_scale2 : tensor<96xf32>
  %norm2_offset2 = graph.read @norm2_offset2 : tensor<96xf32>
  %up2 = graph.read @up2 : tensor<96x384xf32>
  %up_bias2 = graph.read @up_bias2 : tensor<384xf32>
  %down2 = graph.read @down2 : tensor<384x96xf32>
  %down_bias2 = graph.read @down_bias2 : tensor<96xf32>
  %x3 = graph.call @block(%x2,
      %norm1_scale2, %norm1_offset2, %qkv2, %qkv_bias2, %out2, %out_bias2,
      %norm2_scale2, %norm2_offset2, %up2, %up_bias2, %down2, %down_bias2) {graph.name = "block2"}
      : (tensor<2080x96xf32>,
      tensor<96xf32>, tensor<96xf32>, tensor<96x288xf32>, tensor<288xf32>, tensor<96x96xf32>, tensor<96xf32>,
      tensor<96xf32>, tensor<96xf32>, tensor<96x384xf32>, tensor<384xf32>, tensor<384x96xf32>, tensor<96xf32>) -> tensor<2080x96xf32>
  %norm1_scale3 = graph.read @norm1_scale3 : tensor<96xf32>
  %norm1_offset3 = graph.read @norm1_offset3 : tensor<96xf32>
  %qkv3 = graph.read @qkv3 : tensor<96x288xf32>
  %qkv_bias3 = graph.read @qkv_bias3 : tensor<288xf32>
  %out3 = graph.read @out3 : tensor<96x96xf32>
  %out_bias3 = graph.read @out_bias3 : tensor<96xf32>
  %norm2_scale3 = graph.read @norm2_scale3 : tensor<96xf32>
  %norm2_offset3 = graph.read @norm2_offset3 : tensor<96xf32>
  %up3 = graph.read @up3 : tensor<96x384xf32>
  %up_bias3 = graph.read @up_bias3 : tensor<384xf32>
  %down3 = graph.read @down3 : tensor<384x96xf32>
  %down_bias3 = graph.read @down_bias3 : tensor<96xf32>
  %x4 = graph.call @block(%x3,
      %norm1_scale3, %norm1_offset3, %qkv3, %qkv_bias3, %out3, %out_bias3,
      %norm2_scale3, %norm2_offset3, %up3, %up_bias3, %down3, %down_bias3) {graph.name = "block3"}
      : (tensor<2080x96xf32>,
      tensor<96xf32>, tensor<96xf32>, tensor<96x288xf32>, tensor<288xf32>, tensor<96x96xf32>, tensor<96xf32>,
      tensor<96xf32>, tensor<96xf32>, tensor<96x384xf32>, tensor<384xf32>, tensor<384x96xf32>, tensor<96xf32>) -> tensor<2080x96xf32>
  %norm_scale = graph.read @norm_scale : tensor<96xf32>
  %norm_offset = graph.read @norm_offset : tensor<96xf32>
  %head = graph.read @head : tensor<96x10xf32>
  %head_bias = graph.read @head_bias : tensor<10xf32>
  %r = graph.reshape %x4 : (tensor<2080x96xf32>) -> tensor<32x65x96xf32>
  %f0 = graph.slice %r start_indices = [0, 0, 0] limit_indices = [32, 1, 96] strides = [1, 1, 1] : (tensor<32x65x96xf32>) -> tensor<32x1x96xf32>
  %f = graph.reshape %f0 : (tensor<32x1x96xf32>) -> tensor<32x96xf32>
  %n = graph.layer_norm %f, %norm_scale, %norm_offset axis = 1 epsilon = 1.0e-06 : (tensor<32x96xf32>, tensor<96xf32>, tensor<96xf32>) -> tensor<32x96xf32>
  %l0 = graph.matmul %n, %head : (tensor<32x96xf32>, tensor<96x10xf32>) -> tensor<32x10xf32>
  %logits = graph.bias_add %l0, %head_bias : tensor<32x10xf32>, tensor<10xf32>
  %loss = graph.softmax_cross_entropy %logits, %labels : (tensor<32x10xf32>, tensor<32xi32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.adamw<learning_rate = #graph.linear_warmup<steps = 100, learning_rate = #graph.cosine_decay<
      initial_learning_rate = 0.001, decay_steps = 900>>, weight_decay = 0.01>, clip_global_norm = 1.0} : tensor<f32>
  graph.return %loss : tensor<f32>
}
