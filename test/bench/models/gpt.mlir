// A decoder of four pre-norm blocks: width 256, 4 heads, 128 places, 512 words, batch 8; tanh-GELU, causal attention, layer norm, learned
// positions, SGD, float32, on synthetic data. The same work as test/bench/peers/single.py's case gpt.
graph.variable @embedding : tensor<512x256xf32> = #graph.normal<stddev = 0.05, seed = 1>
graph.variable @positions : tensor<128x256xf32> = #graph.normal<stddev = 0.05, seed = 2>
graph.variable @norm1_scale0 : tensor<256xf32> = #graph.value<dense<1.0> : tensor<256xf32>>
graph.variable @norm1_offset0 : tensor<256xf32> = #graph.zeros
graph.variable @qkv0 : tensor<256x768xf32> = #graph.normal<stddev = 0.05, seed = 3>
graph.variable @qkv_bias0 : tensor<768xf32> = #graph.zeros
graph.variable @out0 : tensor<256x256xf32> = #graph.normal<stddev = 0.05, seed = 4>
graph.variable @out_bias0 : tensor<256xf32> = #graph.zeros
graph.variable @norm2_scale0 : tensor<256xf32> = #graph.value<dense<1.0> : tensor<256xf32>>
graph.variable @norm2_offset0 : tensor<256xf32> = #graph.zeros
graph.variable @up0 : tensor<256x1024xf32> = #graph.normal<stddev = 0.05, seed = 5>
graph.variable @up_bias0 : tensor<1024xf32> = #graph.zeros
graph.variable @down0 : tensor<1024x256xf32> = #graph.normal<stddev = 0.05, seed = 6>
graph.variable @down_bias0 : tensor<256xf32> = #graph.zeros
graph.variable @norm1_scale1 : tensor<256xf32> = #graph.value<dense<1.0> : tensor<256xf32>>
graph.variable @norm1_offset1 : tensor<256xf32> = #graph.zeros
graph.variable @qkv1 : tensor<256x768xf32> = #graph.normal<stddev = 0.05, seed = 7>
graph.variable @qkv_bias1 : tensor<768xf32> = #graph.zeros
graph.variable @out1 : tensor<256x256xf32> = #graph.normal<stddev = 0.05, seed = 8>
graph.variable @out_bias1 : tensor<256xf32> = #graph.zeros
graph.variable @norm2_scale1 : tensor<256xf32> = #graph.value<dense<1.0> : tensor<256xf32>>
graph.variable @norm2_offset1 : tensor<256xf32> = #graph.zeros
graph.variable @up1 : tensor<256x1024xf32> = #graph.normal<stddev = 0.05, seed = 9>
graph.variable @up_bias1 : tensor<1024xf32> = #graph.zeros
graph.variable @down1 : tensor<1024x256xf32> = #graph.normal<stddev = 0.05, seed = 10>
graph.variable @down_bias1 : tensor<256xf32> = #graph.zeros
graph.variable @norm1_scale2 : tensor<256xf32> = #graph.value<dense<1.0> : tensor<256xf32>>
graph.variable @norm1_offset2 : tensor<256xf32> = #graph.zeros
graph.variable @qkv2 : tensor<256x768xf32> = #graph.normal<stddev = 0.05, seed = 11>
graph.variable @qkv_bias2 : tensor<768xf32> = #graph.zeros
graph.variable @out2 : tensor<256x256xf32> = #graph.normal<stddev = 0.05, seed = 12>
graph.variable @out_bias2 : tensor<256xf32> = #graph.zeros
graph.variable @norm2_scale2 : tensor<256xf32> = #graph.value<dense<1.0> : tensor<256xf32>>
graph.variable @norm2_offset2 : tensor<256xf32> = #graph.zeros
graph.variable @up2 : tensor<256x1024xf32> = #graph.normal<stddev = 0.05, seed = 13>
graph.variable @up_bias2 : tensor<1024xf32> = #graph.zeros
graph.variable @down2 : tensor<1024x256xf32> = #graph.normal<stddev = 0.05, seed = 14>
graph.variable @down_bias2 : tensor<256xf32> = #graph.zeros
graph.variable @norm1_scale3 : tensor<256xf32> = #graph.value<dense<1.0> : tensor<256xf32>>
graph.variable @norm1_offset3 : tensor<256xf32> = #graph.zeros
graph.variable @qkv3 : tensor<256x768xf32> = #graph.normal<stddev = 0.05, seed = 15>
graph.variable @qkv_bias3 : tensor<768xf32> = #graph.zeros
graph.variable @out3 : tensor<256x256xf32> = #graph.normal<stddev = 0.05, seed = 16>
graph.variable @out_bias3 : tensor<256xf32> = #graph.zeros
graph.variable @norm2_scale3 : tensor<256xf32> = #graph.value<dense<1.0> : tensor<256xf32>>
graph.variable @norm2_offset3 : tensor<256xf32> = #graph.zeros
graph.variable @up3 : tensor<256x1024xf32> = #graph.normal<stddev = 0.05, seed = 17>
graph.variable @up_bias3 : tensor<1024xf32> = #graph.zeros
graph.variable @down3 : tensor<1024x256xf32> = #graph.normal<stddev = 0.05, seed = 18>
graph.variable @down_bias3 : tensor<256xf32> = #graph.zeros
graph.variable @norm_scale : tensor<256xf32> = #graph.value<dense<1.0> : tensor<256xf32>>
graph.variable @norm_offset : tensor<256xf32> = #graph.zeros
graph.variable @head : tensor<256x512xf32> = #graph.normal<stddev = 0.05, seed = 19>
graph.dataset @train : (tensor<128xi32>, tensor<128xi32>) = #graph.synthetic<samples = 256, seed = 7, limits = [512, 512]>

// Rows are the places of all sequences.
graph.func private @block(%x: tensor<1024x256xf32>,
    %norm1_scale: tensor<256xf32>, %norm1_offset: tensor<256xf32>, %qkv: tensor<256x768xf32>, %qkv_bias: tensor<768xf32>,
    %out: tensor<256x256xf32>, %out_bias: tensor<256xf32>, %norm2_scale: tensor<256xf32>, %norm2_offset: tensor<256xf32>,
    %up: tensor<256x1024xf32>, %up_bias: tensor<1024xf32>, %down: tensor<1024x256xf32>, %down_bias: tensor<256xf32>) -> tensor<1024x256xf32> {
  %n1 = graph.layer_norm %x, %norm1_scale, %norm1_offset axis = 1 epsilon = 1.0e-05 : (tensor<1024x256xf32>, tensor<256xf32>, tensor<256xf32>) -> tensor<1024x256xf32>
  %p0 = graph.matmul %n1, %qkv : (tensor<1024x256xf32>, tensor<256x768xf32>) -> tensor<1024x768xf32>
  %p = graph.bias_add %p0, %qkv_bias : tensor<1024x768xf32>, tensor<768xf32>
  %q2 = graph.slice %p start_indices = [0, 0] limit_indices = [1024, 256] strides = [1, 1] : (tensor<1024x768xf32>) -> tensor<1024x256xf32>
  %q3 = graph.reshape %q2 : (tensor<1024x256xf32>) -> tensor<8x128x4x64xf32>
  %q = graph.transpose %q3 permutation = [0, 2, 1, 3] : (tensor<8x128x4x64xf32>) -> tensor<8x4x128x64xf32>
  %k2 = graph.slice %p start_indices = [0, 256] limit_indices = [1024, 512] strides = [1, 1] : (tensor<1024x768xf32>) -> tensor<1024x256xf32>
  %k3 = graph.reshape %k2 : (tensor<1024x256xf32>) -> tensor<8x128x4x64xf32>
  %k = graph.transpose %k3 permutation = [0, 2, 1, 3] : (tensor<8x128x4x64xf32>) -> tensor<8x4x128x64xf32>
  %v2 = graph.slice %p start_indices = [0, 512] limit_indices = [1024, 768] strides = [1, 1] : (tensor<1024x768xf32>) -> tensor<1024x256xf32>
  %v3 = graph.reshape %v2 : (tensor<1024x256xf32>) -> tensor<8x128x4x64xf32>
  %v = graph.transpose %v3 permutation = [0, 2, 1, 3] : (tensor<8x128x4x64xf32>) -> tensor<8x4x128x64xf32>
  %a4 = graph.attention %q, %k, %v {causal} : (tensor<8x4x128x64xf32>, tensor<8x4x128x64xf32>, tensor<8x4x128x64xf32>) -> tensor<8x4x128x64xf32>
  %a3 = graph.transpose %a4 permutation = [0, 2, 1, 3] : (tensor<8x4x128x64xf32>) -> tensor<8x128x4x64xf32>
  %a2 = graph.reshape %a3 : (tensor<8x128x4x64xf32>) -> tensor<1024x256xf32>
  %a1 = graph.matmul %a2, %out : (tensor<1024x256xf32>, tensor<256x256xf32>) -> tensor<1024x256xf32>
  %a = graph.bias_add %a1, %out_bias : tensor<1024x256xf32>, tensor<256xf32>
  %y = graph.add %x, %a : tensor<1024x256xf32>
  %n2 = graph.layer_norm %y, %norm2_scale, %norm2_offset axis = 1 epsilon = 1.0e-05 : (tensor<1024x256xf32>, tensor<256xf32>, tensor<256xf32>) -> tensor<1024x256xf32>
  %u0 = graph.matmul %n2, %up : (tensor<1024x256xf32>, tensor<256x1024xf32>) -> tensor<1024x1024xf32>
  %u1 = graph.bias_add %u0, %up_bias : tensor<1024x1024xf32>, tensor<1024xf32>
  %u = graph.gelu %u1 {approximate = "tanh"} : tensor<1024x1024xf32>
  %d0 = graph.matmul %u, %down : (tensor<1024x1024xf32>, tensor<1024x256xf32>) -> tensor<1024x256xf32>
  %d = graph.bias_add %d0, %down_bias : tensor<1024x256xf32>, tensor<256xf32>
  %z = graph.add %y, %d : tensor<1024x256xf32>
  graph.return %z : tensor<1024x256xf32>
}

graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %ids, %labels = graph.next_batch @train {batch = 8} : tensor<8x128xi32>, tensor<8x128xi32>
  %embedding = graph.read @embedding : tensor<512x256xf32>
  %positions = graph.read @positions : tensor<128x256xf32>
  %e = graph.embedding %embedding, %ids : (tensor<512x256xf32>, tensor<8x128xi32>) -> tensor<8x128x256xf32>
  %s = graph.broadcast_in_dim %positions broadcast_dimensions = [1, 2] : (tensor<128x256xf32>) -> tensor<8x128x256xf32>
  %h = graph.add %e, %s : tensor<8x128x256xf32>
  %x0 = graph.reshape %h : (tensor<8x128x256xf32>) -> tensor<1024x256xf32>
  %norm1_scale0 = graph.read @norm1_scale0 : tensor<256xf32>
  %norm1_offset0 = graph.read @norm1_offset0 : tensor<256xf32>
  %qkv0 = graph.read @qkv0 : tensor<256x768xf32>
  %qkv_bias0 = graph.read @qkv_bias0 : tensor<768xf32>
  %out0 = graph.read @out0 : tensor<256x256xf32>
  %out_bias0 = graph.read @out_bias0 : tensor<256xf32>
  %norm2_scale0 = graph.read @norm2_scale0 : tensor<256xf32>
  %norm2_offset0 = graph.read @norm2_offset0 : tensor<256xf32>
  %up0 = graph.read @up0 : tensor<256x1024xf32>
  %up_bias0 = graph.read @up_bias0 : tensor<1024xf32>
  %down0 = graph.read @down0 : tensor<1024x256xf32>
  %down_bias0 = graph.read @down_bias0 : tensor<256xf32>
  %x1 = graph.call @block(%x0,
      %norm1_scale0, %norm1_offset0, %qkv0, %qkv_bias0, %out0, %out_bias0,
      %norm2_scale0, %norm2_offset0, %up0, %up_bias0, %down0, %down_bias0) {graph.name = "block0"}
      : (tensor<1024x256xf32>,
      tensor<256xf32>, tensor<256xf32>, tensor<256x768xf32>, tensor<768xf32>, tensor<256x256xf32>, tensor<256xf32>,
      tensor<256xf32>, tensor<256xf32>, tensor<256x1024xf32>, tensor<1024xf32>, tensor<1024x256xf32>, tensor<256xf32>) -> tensor<1024x256xf32>
  %norm1_scale1 = graph.read @norm1_scale1 : tensor<256xf32>
  %norm1_offset1 = graph.read @norm1_offset1 : tensor<256xf32>
  %qkv1 = graph.read @qkv1 : tensor<256x768xf32>
  %qkv_bias1 = graph.read @qkv_bias1 : tensor<768xf32>
  %out1 = graph.read @out1 : tensor<256x256xf32>
  %out_bias1 = graph.read @out_bias1 : tensor<256xf32>
  %norm2_scale1 = graph.read @norm2_scale1 : tensor<256xf32>
  %norm2_offset1 = graph.read @norm2_offset1 : tensor<256xf32>
  %up1 = graph.read @up1 : tensor<256x1024xf32>
  %up_bias1 = graph.read @up_bias1 : tensor<1024xf32>
  %down1 = graph.read @down1 : tensor<1024x256xf32>
  %down_bias1 = graph.read @down_bias1 : tensor<256xf32>
  %x2 = graph.call @block(%x1,
      %norm1_scale1, %norm1_offset1, %qkv1, %qkv_bias1, %out1, %out_bias1,
      %norm2_scale1, %norm2_offset1, %up1, %up_bias1, %down1, %down_bias1) {graph.name = "block1"}
      : (tensor<1024x256xf32>,
      tensor<256xf32>, tensor<256xf32>, tensor<256x768xf32>, tensor<768xf32>, tensor<256x256xf32>, tensor<256xf32>,
      tensor<256xf32>, tensor<256xf32>, tensor<256x1024xf32>, tensor<1024xf32>, tensor<1024x256xf32>, tensor<256xf32>) -> tensor<1024x256xf32>
  %norm1_scale2 = graph.read @norm1_scale2 : tensor<256xf32>
  %norm1_offset2 = graph.read @norm1_offset2 : tensor<256xf32>
  %qkv2 = graph.read @qkv2 : tensor<256x768xf32>
  %qkv_bias2 = graph.read @qkv_bias2 : tensor<768xf32>
  %out2 = graph.read @out2 : tensor<256x256xf32>
  %out_bias2 = graph.read @out_bias2 : tensor<256xf32>
  %norm2_scale2 = graph.read @norm2_scale2 : tensor<256xf32>
  %norm2_offset2 = graph.read @norm2_offset2 : tensor<256xf32>
  %up2 = graph.read @up2 : tensor<256x1024xf32>
  %up_bias2 = graph.read @up_bias2 : tensor<1024xf32>
  %down2 = graph.read @down2 : tensor<1024x256xf32>
  %down_bias2 = graph.read @down_bias2 : tensor<256xf32>
  %x3 = graph.call @block(%x2,
      %norm1_scale2, %norm1_offset2, %qkv2, %qkv_bias2, %out2, %out_bias2,
      %norm2_scale2, %norm2_offset2, %up2, %up_bias2, %down2, %down_bias2) {graph.name = "block2"}
      : (tensor<1024x256xf32>,
      tensor<256xf32>, tensor<256xf32>, tensor<256x768xf32>, tensor<768xf32>, tensor<256x256xf32>, tensor<256xf32>,
      tensor<256xf32>, tensor<256xf32>, tensor<256x1024xf32>, tensor<1024xf32>, tensor<1024x256xf32>, tensor<256xf32>) -> tensor<1024x256xf32>
  %norm1_scale3 = graph.read @norm1_scale3 : tensor<256xf32>
  %norm1_offset3 = graph.read @norm1_offset3 : tensor<256xf32>
  %qkv3 = graph.read @qkv3 : tensor<256x768xf32>
  %qkv_bias3 = graph.read @qkv_bias3 : tensor<768xf32>
  %out3 = graph.read @out3 : tensor<256x256xf32>
  %out_bias3 = graph.read @out_bias3 : tensor<256xf32>
  %norm2_scale3 = graph.read @norm2_scale3 : tensor<256xf32>
  %norm2_offset3 = graph.read @norm2_offset3 : tensor<256xf32>
  %up3 = graph.read @up3 : tensor<256x1024xf32>
  %up_bias3 = graph.read @up_bias3 : tensor<1024xf32>
  %down3 = graph.read @down3 : tensor<1024x256xf32>
  %down_bias3 = graph.read @down_bias3 : tensor<256xf32>
  %x4 = graph.call @block(%x3,
      %norm1_scale3, %norm1_offset3, %qkv3, %qkv_bias3, %out3, %out_bias3,
      %norm2_scale3, %norm2_offset3, %up3, %up_bias3, %down3, %down_bias3) {graph.name = "block3"}
      : (tensor<1024x256xf32>,
      tensor<256xf32>, tensor<256xf32>, tensor<256x768xf32>, tensor<768xf32>, tensor<256x256xf32>, tensor<256xf32>,
      tensor<256xf32>, tensor<256xf32>, tensor<256x1024xf32>, tensor<1024xf32>, tensor<1024x256xf32>, tensor<256xf32>) -> tensor<1024x256xf32>
  %norm_scale = graph.read @norm_scale : tensor<256xf32>
  %norm_offset = graph.read @norm_offset : tensor<256xf32>
  %head = graph.read @head : tensor<256x512xf32>
  %n = graph.layer_norm %x4, %norm_scale, %norm_offset axis = 1 epsilon = 1.0e-05 : (tensor<1024x256xf32>, tensor<256xf32>, tensor<256xf32>) -> tensor<1024x256xf32>
  %logits = graph.matmul %n, %head : (tensor<1024x256xf32>, tensor<256x512xf32>) -> tensor<1024x512xf32>
  %y = graph.reshape %labels : (tensor<8x128xi32>) -> tensor<1024xi32>
  %loss = graph.softmax_cross_entropy %logits, %y : (tensor<1024x512xf32>, tensor<1024xi32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.01>} : tensor<f32>
  graph.return %loss : tensor<f32>
}
