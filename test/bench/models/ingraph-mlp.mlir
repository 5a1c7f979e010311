// 784-512-10 in two tasks: the first layer on task 0, the second and the loss on task 1; batch 128, SGD, float32.
graph.variable @w1 : tensor<784x512xf32> = #graph.glorot_uniform<seed = 1>
graph.variable @w2 : tensor<512x10xf32> = #graph.glorot_uniform<seed = 2>
graph.dataset @train : (tensor<784xf32>, tensor<i32>) = #graph.synthetic<samples = 4096, seed = 7, limits = [0, 10]>

graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x, %y = graph.next_batch @train {batch = 128} : tensor<128x784xf32>, tensor<128xi32>
  %h = graph.scope -> (tensor<128x512xf32>) attributes {graph.device = #graph.device<"/job:worker/task:0">} {
    %w1 = graph.read @w1 : tensor<784x512xf32>
    %h0 = graph.matmul %x, %w1 : (tensor<128x784xf32>, tensor<784x512xf32>) -> tensor<128x512xf32>
    %h1 = graph.relu %h0 : tensor<128x512xf32>
    graph.yield %h1 : tensor<128x512xf32>
  }
  %loss = graph.scope -> (tensor<f32>) attributes {graph.device = #graph.device<"/job:worker/task:1">} {
    %w2 = graph.read @w2 : tensor<512x10xf32>
    %logits = graph.matmul %h, %w2 : (tensor<128x512xf32>, tensor<512x10xf32>) -> tensor<128x10xf32>
    %l = graph.softmax_cross_entropy %logits, %y : (tensor<128x10xf32>, tensor<128xi32>) -> tensor<f32>
    graph.yield %l : tensor<f32>
  }
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.01>} : tensor<f32>
  graph.return %loss : tensor<f32>
}
