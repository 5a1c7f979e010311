// A deeper perceptron with a narrow middle: 24-48-40-6-40-4. The names in loc() and of the variables are what placement rules match;
// nothing here names a machine.
graph.variable @"encoder/w1" : tensor<24x48xf32> = #graph.glorot_uniform<seed = 1>
graph.variable @"encoder/b1" : tensor<48xf32> = #graph.zeros
graph.variable @"encoder/w2" : tensor<48x40xf32> = #graph.glorot_uniform<seed = 2>
graph.variable @"bottleneck/w" : tensor<40x6xf32> = #graph.glorot_uniform<seed = 3>
graph.variable @"bottleneck/b" : tensor<6xf32> = #graph.zeros
graph.variable @"decoder/w1" : tensor<6x40xf32> = #graph.glorot_uniform<seed = 4>
graph.variable @"decoder/w2" : tensor<40x4xf32> = #graph.glorot_uniform<seed = 5>
graph.variable @"decoder/b2" : tensor<4xf32> = #graph.zeros
graph.dataset @train : (tensor<24xf32>, tensor<i32>) = #graph.synthetic<samples = 203, seed = 7, limits = [0, 4]>
    {shuffle = true, seed = 11}
graph.dataset @test : (tensor<24xf32>, tensor<i32>) = #graph.synthetic<samples = 57, seed = 8, limits = [0, 4]>

graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x, %y = graph.next_batch @train {batch = 8} : tensor<8x24xf32>, tensor<8xi32>
  %w1 = graph.read @"encoder/w1" : tensor<24x48xf32>
  %b1 = graph.read @"encoder/b1" : tensor<48xf32>
  %w2 = graph.read @"encoder/w2" : tensor<48x40xf32>
  %w3 = graph.read @"bottleneck/w" : tensor<40x6xf32>
  %b3 = graph.read @"bottleneck/b" : tensor<6xf32>
  %w4 = graph.read @"decoder/w1" : tensor<6x40xf32>
  %w5 = graph.read @"decoder/w2" : tensor<40x4xf32>
  %b5 = graph.read @"decoder/b2" : tensor<4xf32>
  %e0 = graph.matmul %x, %w1 : (tensor<8x24xf32>, tensor<24x48xf32>) -> tensor<8x48xf32> loc("encoder/dense1")
  %e1 = graph.bias_add %e0, %b1 : tensor<8x48xf32>, tensor<48xf32> loc("encoder/bias1")
  %e2 = graph.relu %e1 : tensor<8x48xf32> loc("encoder/relu1")
  %e3 = graph.matmul %e2, %w2 : (tensor<8x48xf32>, tensor<48x40xf32>) -> tensor<8x40xf32> loc("encoder/dense2")
  %e4 = graph.tanh %e3 : tensor<8x40xf32> loc("encoder/tanh2")
  %m0 = graph.matmul %e4, %w3 : (tensor<8x40xf32>, tensor<40x6xf32>) -> tensor<8x6xf32> loc("bottleneck/dense")
  %m1 = graph.bias_add %m0, %b3 : tensor<8x6xf32>, tensor<6xf32> loc("bottleneck/bias")
  %m2 = graph.relu %m1 : tensor<8x6xf32> loc("bottleneck/relu")
  %d0 = graph.matmul %m2, %w4 : (tensor<8x6xf32>, tensor<6x40xf32>) -> tensor<8x40xf32> loc("decoder/dense1")
  %d1 = graph.relu %d0 : tensor<8x40xf32> loc("decoder/relu1")
  %d2 = graph.matmul %d1, %w5 : (tensor<8x40xf32>, tensor<40x4xf32>) -> tensor<8x4xf32> loc("decoder/dense2")
  %logits = graph.bias_add %d2, %b5 : tensor<8x4xf32>, tensor<4xf32> loc("decoder/bias2")
  %loss = graph.softmax_cross_entropy %logits, %y : (tensor<8x4xf32>, tensor<8xi32>) -> tensor<f32> loc("decoder/loss")
  graph.minimize %loss {optimizer = #graph.momentum<learning_rate = 0.05, momentum = 0.9>} : tensor<f32>
  graph.return %loss : tensor<f32>
}

graph.func @eval_step() -> () attributes {role = #graph.role<eval>} {
  %x, %y, %valid = graph.next_batch @test {batch = 10, pad_last} : tensor<10x24xf32>, tensor<10xi32>, tensor<10xi1>
  %w1 = graph.read @"encoder/w1" : tensor<24x48xf32>
  %b1 = graph.read @"encoder/b1" : tensor<48xf32>
  %w2 = graph.read @"encoder/w2" : tensor<48x40xf32>
  %w3 = graph.read @"bottleneck/w" : tensor<40x6xf32>
  %b3 = graph.read @"bottleneck/b" : tensor<6xf32>
  %w4 = graph.read @"decoder/w1" : tensor<6x40xf32>
  %w5 = graph.read @"decoder/w2" : tensor<40x4xf32>
  %b5 = graph.read @"decoder/b2" : tensor<4xf32>
  %e0 = graph.matmul %x, %w1 : (tensor<10x24xf32>, tensor<24x48xf32>) -> tensor<10x48xf32> loc("encoder/dense1")
  %e1 = graph.bias_add %e0, %b1 : tensor<10x48xf32>, tensor<48xf32> loc("encoder/bias1")
  %e2 = graph.relu %e1 : tensor<10x48xf32> loc("encoder/relu1")
  %e3 = graph.matmul %e2, %w2 : (tensor<10x48xf32>, tensor<48x40xf32>) -> tensor<10x40xf32> loc("encoder/dense2")
  %e4 = graph.tanh %e3 : tensor<10x40xf32> loc("encoder/tanh2")
  %m0 = graph.matmul %e4, %w3 : (tensor<10x40xf32>, tensor<40x6xf32>) -> tensor<10x6xf32> loc("bottleneck/dense")
  %m1 = graph.bias_add %m0, %b3 : tensor<10x6xf32>, tensor<6xf32> loc("bottleneck/bias")
  %m2 = graph.relu %m1 : tensor<10x6xf32> loc("bottleneck/relu")
  %d0 = graph.matmul %m2, %w4 : (tensor<10x6xf32>, tensor<6x40xf32>) -> tensor<10x40xf32> loc("decoder/dense1")
  %d1 = graph.relu %d0 : tensor<10x40xf32> loc("decoder/relu1")
  %d2 = graph.matmul %d1, %w5 : (tensor<10x40xf32>, tensor<40x4xf32>) -> tensor<10x4xf32> loc("decoder/dense2")
  %logits = graph.bias_add %d2, %b5 : tensor<10x4xf32>, tensor<4xf32> loc("decoder/bias2")
  %prediction = graph.argmax %logits dimension = 1 : (tensor<10x4xf32>) -> tensor<10xi32>
  %hit = graph.compare eq, %prediction, %y : tensor<10xi32>
  graph.metric "accuracy", %hit, %valid : tensor<10xi1>, tensor<10xi1>
  graph.return
}
