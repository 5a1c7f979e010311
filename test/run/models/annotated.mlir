// Says itself where things go: a narrow encoder with its variable on the first worker, the rest on the second, by scopes, and a bias
// beside another variable.
graph.variable @w1 : tensor<6x5xf32> = #graph.glorot_uniform<seed = 1>
graph.variable @w2 : tensor<5x3xf32> = #graph.glorot_uniform<seed = 2>
graph.variable @b2 : tensor<3xf32> = #graph.zeros {graph.colocate_with = @w2}
graph.dataset @train : (tensor<6xf32>, tensor<i32>) = #graph.synthetic<samples = 61, seed = 7, limits = [0, 3]>
    {shuffle = true, seed = 11}

graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x, %y = graph.next_batch @train {batch = 4} : tensor<4x6xf32>, tensor<4xi32>
  %h = graph.scope -> (tensor<4x5xf32>) attributes {graph.device = #graph.device<"/job:worker/task:0">} {
    %w1 = graph.read @w1 : tensor<6x5xf32>
    %product = graph.matmul %x, %w1 : (tensor<4x6xf32>, tensor<6x5xf32>) -> tensor<4x5xf32>
    %relu = graph.relu %product : tensor<4x5xf32>
    graph.yield %relu : tensor<4x5xf32>
  }
  %loss = graph.scope -> (tensor<f32>) attributes {graph.device = #graph.device<"/job:worker/task:1">} {
    %w2 = graph.read @w2 : tensor<5x3xf32>
    %b2 = graph.read @b2 : tensor<3xf32>
    %product = graph.matmul %h, %w2 : (tensor<4x5xf32>, tensor<5x3xf32>) -> tensor<4x3xf32>
    %logits = graph.bias_add %product, %b2 : tensor<4x3xf32>, tensor<3xf32>
    %loss = graph.softmax_cross_entropy %logits, %y : (tensor<4x3xf32>, tensor<4xi32>) -> tensor<f32>
    graph.yield %loss : tensor<f32>
  }
  graph.minimize %loss {optimizer = #graph.momentum<learning_rate = 0.05, momentum = 0.9>} : tensor<f32>
  graph.return %loss : tensor<f32>
}
