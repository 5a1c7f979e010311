// A deeper perceptron with a bottleneck, whose layers have names: placement rules of cluster.json put its parts on three tasks. Each part
// draws random numbers: noise on what comes in, dropout.
// What crosses between them is narrow: 8 x 4 values after the encoder.
graph.variable @encoder_w1 : tensor<24x48xf32> = #graph.glorot_uniform<seed = 1>
graph.variable @encoder_b1 : tensor<48xf32> = #graph.zeros
graph.variable @encoder_w2 : tensor<48x4xf32> = #graph.glorot_uniform<seed = 2>
graph.variable @middle_w : tensor<4x12xf32> = #graph.glorot_uniform<seed = 3>
graph.variable @middle_b : tensor<12xf32> = #graph.zeros
graph.variable @head_w : tensor<12x5xf32> = #graph.glorot_uniform<seed = 4>
graph.variable @head_b : tensor<5xf32> = #graph.zeros
graph.dataset @train : (tensor<24xf32>, tensor<i32>) = #graph.synthetic<samples = 199, seed = 7, limits = [0, 5]>
    {shuffle = true, seed = 11}

graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x, %y = graph.next_batch @train {batch = 8} : tensor<8x24xf32>, tensor<8xi32>
  %w1 = graph.read @encoder_w1 : tensor<24x48xf32>
  %b1 = graph.read @encoder_b1 : tensor<48xf32>
  %w2 = graph.read @encoder_w2 : tensor<48x4xf32>
  %w3 = graph.read @middle_w : tensor<4x12xf32>
  %b3 = graph.read @middle_b : tensor<12xf32>
  %w4 = graph.read @head_w : tensor<12x5xf32>
  %b4 = graph.read @head_b : tensor<5xf32>
  %noise = graph.random_normal {stddev = 0.05, seed = 5} : tensor<8x24xf32> loc("encoder/noise")
  %noisy = graph.add %x, %noise : tensor<8x24xf32> loc("encoder/noisy")
  %e0 = graph.matmul %noisy, %w1 : (tensor<8x24xf32>, tensor<24x48xf32>) -> tensor<8x48xf32> loc("encoder/dense1")
  %e1 = graph.bias_add %e0, %b1 : tensor<8x48xf32>, tensor<48xf32> loc("encoder/bias1")
  %e2 = graph.tanh %e1 : tensor<8x48xf32> loc("encoder/tanh")
  %code = graph.matmul %e2, %w2 : (tensor<8x48xf32>, tensor<48x4xf32>) -> tensor<8x4xf32> loc("encoder/dense2")
  %m0 = graph.matmul %code, %w3 : (tensor<8x4xf32>, tensor<4x12xf32>) -> tensor<8x12xf32> loc("middle/dense")
  %m1 = graph.bias_add %m0, %b3 : tensor<8x12xf32>, tensor<12xf32> loc("middle/bias")
  %m2 = graph.relu %m1 : tensor<8x12xf32> loc("middle/relu")
  %m3 = graph.dropout %m2 {rate = 0.2, seed = 6} : tensor<8x12xf32> loc("middle/dropout")
  %m4 = graph.dropout %m3 {rate = 0.2, seed = 6} : tensor<8x12xf32> loc("head/dropout")
  %l0 = graph.matmul %m4, %w4 : (tensor<8x12xf32>, tensor<12x5xf32>) -> tensor<8x5xf32> loc("head/dense")
  %logits = graph.bias_add %l0, %b4 : tensor<8x5xf32>, tensor<5xf32> loc("head/bias")
  %loss = graph.softmax_cross_entropy %logits, %y : (tensor<8x5xf32>, tensor<8xi32>) -> tensor<f32> loc("head/loss")
  graph.minimize %loss {optimizer = #graph.momentum<learning_rate = 0.05, momentum = 0.9>} : tensor<f32>
  graph.return %loss : tensor<f32>
}
