// linreg in two tasks: w lives on task 0, the loss and its gradient are made on task 1.
graph.variable @w : tensor<4x1xf32> = #graph.value<dense<2.0> : tensor<4x1xf32>> {graph.device = #graph.device<"/job:worker/task:0">}

graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %w = graph.read @w : tensor<4x1xf32>
  %loss = graph.scope -> (tensor<f32>) attributes {graph.device = #graph.device<"/job:worker/task:1">} {
    %x = graph.constant dense<[[1.0, 2.0, 3.0, 4.0]]> : tensor<1x4xf32>
    %y = graph.matmul %x, %w : (tensor<1x4xf32>, tensor<4x1xf32>) -> tensor<1x1xf32>
    %square = graph.multiply %y, %y : tensor<1x1xf32>
    %mean = graph.reduce_mean %square dimensions = [0, 1] : (tensor<1x1xf32>) -> tensor<f32>
    graph.yield %mean : tensor<f32>
  }
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.001>} : tensor<f32>
  graph.return %loss : tensor<f32>
}
