// y = (x·w1)·w2 in two tasks, as the annotations say: w1 and its product on task 0, w2, its product and the loss on task 1. Gradients follow
// their forward operation, updates their variable.
graph.variable @w1 : tensor<4x3xf32> = #graph.glorot_uniform<seed = 1>
graph.variable @w2 : tensor<3x1xf32> = #graph.glorot_uniform<seed = 2>

graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %h = graph.scope -> (tensor<1x3xf32>) attributes {graph.device = #graph.device<"/job:worker/task:0">} {
    %x = graph.constant dense<[[1.0, 2.0, 3.0, 4.0]]> : tensor<1x4xf32>
    %w1 = graph.read @w1 : tensor<4x3xf32>
    %product = graph.matmul %x, %w1 : (tensor<1x4xf32>, tensor<4x3xf32>) -> tensor<1x3xf32>
    graph.yield %product : tensor<1x3xf32>
  }
  %loss = graph.scope -> (tensor<f32>) attributes {graph.device = #graph.device<"/job:worker/task:1">} {
    %w2 = graph.read @w2 : tensor<3x1xf32>
    %y = graph.matmul %h, %w2 : (tensor<1x3xf32>, tensor<3x1xf32>) -> tensor<1x1xf32>
    %square = graph.multiply %y, %y : tensor<1x1xf32>
    %mean = graph.reduce_mean %square dimensions = [0, 1] : (tensor<1x1xf32>) -> tensor<f32>
    graph.yield %mean : tensor<f32>
  }
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.001>} : tensor<f32>
  graph.return %loss : tensor<f32>
}
