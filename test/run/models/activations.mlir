// Layers whose activations a step keeps between its passes: products, a norm, GELU and dropout, wide against their variables.
graph.variable @in : tensor<32x64xf32> = #graph.glorot_uniform<seed = 1>
graph.variable @scale0 : tensor<64xf32> = #graph.value<dense<1.0> : tensor<64xf32>>
graph.variable @offset0 : tensor<64xf32> = #graph.zeros
graph.variable @up0 : tensor<64x128xf32> = #graph.glorot_uniform<seed = 2>
graph.variable @bias0 : tensor<128xf32> = #graph.zeros
graph.variable @down0 : tensor<128x64xf32> = #graph.glorot_uniform<seed = 3>
graph.variable @scale1 : tensor<64xf32> = #graph.value<dense<1.0> : tensor<64xf32>>
graph.variable @offset1 : tensor<64xf32> = #graph.zeros
graph.variable @up1 : tensor<64x128xf32> = #graph.glorot_uniform<seed = 4>
graph.variable @bias1 : tensor<128xf32> = #graph.zeros
graph.variable @down1 : tensor<128x64xf32> = #graph.glorot_uniform<seed = 5>
graph.variable @scale2 : tensor<64xf32> = #graph.value<dense<1.0> : tensor<64xf32>>
graph.variable @offset2 : tensor<64xf32> = #graph.zeros
graph.variable @up2 : tensor<64x128xf32> = #graph.glorot_uniform<seed = 6>
graph.variable @bias2 : tensor<128xf32> = #graph.zeros
graph.variable @down2 : tensor<128x64xf32> = #graph.glorot_uniform<seed = 7>
graph.variable @scale3 : tensor<64xf32> = #graph.value<dense<1.0> : tensor<64xf32>>
graph.variable @offset3 : tensor<64xf32> = #graph.zeros
graph.variable @up3 : tensor<64x128xf32> = #graph.glorot_uniform<seed = 8>
graph.variable @bias3 : tensor<128xf32> = #graph.zeros
graph.variable @down3 : tensor<128x64xf32> = #graph.glorot_uniform<seed = 9>
graph.variable @out : tensor<64x4xf32> = #graph.glorot_uniform<seed = 99>
graph.dataset @train : (tensor<32xf32>, tensor<i32>) = #graph.synthetic<samples = 2048, seed = 7, limits = [0, 4]>

graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %data, %labels = graph.next_batch @train {batch = 128} : tensor<128x32xf32>, tensor<128xi32>
  %in = graph.read @in : tensor<32x64xf32>
  %x0 = graph.matmul %data, %in : (tensor<128x32xf32>, tensor<32x64xf32>) -> tensor<128x64xf32>
  %scale0 = graph.read @scale0 : tensor<64xf32>  %offset0 = graph.read @offset0 : tensor<64xf32>
  %up0 = graph.read @up0 : tensor<64x128xf32>  %bias0 = graph.read @bias0 : tensor<128xf32>  %down0 = graph.read @down0 : tensor<128x64xf32>
  %n0 = graph.layer_norm %x0, %scale0, %offset0 axis = 1 epsilon = 1.0e-05 : (tensor<128x64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<128x64xf32>
  %u0 = graph.matmul %n0, %up0 : (tensor<128x64xf32>, tensor<64x128xf32>) -> tensor<128x128xf32>
  %v0 = graph.bias_add %u0, %bias0 : tensor<128x128xf32>, tensor<128xf32>
  %g0 = graph.gelu %v0 : tensor<128x128xf32>
  %m0 = graph.dropout %g0 {rate = 0.25, seed = 3} : tensor<128x128xf32>
  %d0 = graph.matmul %m0, %down0 : (tensor<128x128xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
  %x1 = graph.add %x0, %d0 : tensor<128x64xf32>
  %scale1 = graph.read @scale1 : tensor<64xf32>  %offset1 = graph.read @offset1 : tensor<64xf32>
  %up1 = graph.read @up1 : tensor<64x128xf32>  %bias1 = graph.read @bias1 : tensor<128xf32>  %down1 = graph.read @down1 : tensor<128x64xf32>
  %n1 = graph.layer_norm %x1, %scale1, %offset1 axis = 1 epsilon = 1.0e-05 : (tensor<128x64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<128x64xf32>
  %u1 = graph.matmul %n1, %up1 : (tensor<128x64xf32>, tensor<64x128xf32>) -> tensor<128x128xf32>
  %v1 = graph.bias_add %u1, %bias1 : tensor<128x128xf32>, tensor<128xf32>
  %g1 = graph.gelu %v1 : tensor<128x128xf32>
  %m1 = graph.dropout %g1 {rate = 0.25, seed = 4} : tensor<128x128xf32>
  %d1 = graph.matmul %m1, %down1 : (tensor<128x128xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
  %x2 = graph.add %x1, %d1 : tensor<128x64xf32>
  %scale2 = graph.read @scale2 : tensor<64xf32>  %offset2 = graph.read @offset2 : tensor<64xf32>
  %up2 = graph.read @up2 : tensor<64x128xf32>  %bias2 = graph.read @bias2 : tensor<128xf32>  %down2 = graph.read @down2 : tensor<128x64xf32>
  %n2 = graph.layer_norm %x2, %scale2, %offset2 axis = 1 epsilon = 1.0e-05 : (tensor<128x64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<128x64xf32>
  %u2 = graph.matmul %n2, %up2 : (tensor<128x64xf32>, tensor<64x128xf32>) -> tensor<128x128xf32>
  %v2 = graph.bias_add %u2, %bias2 : tensor<128x128xf32>, tensor<128xf32>
  %g2 = graph.gelu %v2 : tensor<128x128xf32>
  %m2 = graph.dropout %g2 {rate = 0.25, seed = 5} : tensor<128x128xf32>
  %d2 = graph.matmul %m2, %down2 : (tensor<128x128xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
  %x3 = graph.add %x2, %d2 : tensor<128x64xf32>
  %scale3 = graph.read @scale3 : tensor<64xf32>  %offset3 = graph.read @offset3 : tensor<64xf32>
  %up3 = graph.read @up3 : tensor<64x128xf32>  %bias3 = graph.read @bias3 : tensor<128xf32>  %down3 = graph.read @down3 : tensor<128x64xf32>
  %n3 = graph.layer_norm %x3, %scale3, %offset3 axis = 1 epsilon = 1.0e-05 : (tensor<128x64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<128x64xf32>
  %u3 = graph.matmul %n3, %up3 : (tensor<128x64xf32>, tensor<64x128xf32>) -> tensor<128x128xf32>
  %v3 = graph.bias_add %u3, %bias3 : tensor<128x128xf32>, tensor<128xf32>
  %g3 = graph.gelu %v3 : tensor<128x128xf32>
  %m3 = graph.dropout %g3 {rate = 0.25, seed = 6} : tensor<128x128xf32>
  %d3 = graph.matmul %m3, %down3 : (tensor<128x128xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
  %x4 = graph.add %x3, %d3 : tensor<128x64xf32>
  %out = graph.read @out : tensor<64x4xf32>
  %logits = graph.matmul %x4, %out : (tensor<128x64xf32>, tensor<64x4xf32>) -> tensor<128x4xf32>
  %loss = graph.softmax_cross_entropy %logits, %labels : (tensor<128x4xf32>, tensor<128xi32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.momentum<learning_rate = 0.05, momentum = 0.9>} : tensor<f32>
  graph.return %loss : tensor<f32>
}
