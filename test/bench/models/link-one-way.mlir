// Four tensors of 16 MiB cross from task 0 to task 1 in each step, which reads each once: the rate of a link.
graph.variable @a : tensor<4194304xf32> = #graph.zeros {trainable = false, graph.device = #graph.device<"/job:worker/task:0">}
graph.variable @b : tensor<4194304xf32> = #graph.zeros {trainable = false, graph.device = #graph.device<"/job:worker/task:0">}
graph.variable @c : tensor<4194304xf32> = #graph.zeros {trainable = false, graph.device = #graph.device<"/job:worker/task:0">}
graph.variable @d : tensor<4194304xf32> = #graph.zeros {trainable = false, graph.device = #graph.device<"/job:worker/task:0">}
graph.variable @global_step : tensor<i64> = #graph.zeros {trainable = false, graph.device = #graph.device<"/job:worker/task:0">}

graph.func @train_step() -> (tensor<f32> {graph.name = "sum"}) attributes {role = #graph.role<train>} {
  %a = graph.read @a : tensor<4194304xf32>
  %b = graph.read @b : tensor<4194304xf32>
  %c = graph.read @c : tensor<4194304xf32>
  %d = graph.read @d : tensor<4194304xf32>
  %there = graph.scope -> (tensor<f32>) attributes {graph.device = #graph.device<"/job:worker/task:1">} {
    %sa = graph.reduce_sum %a dimensions = [0] : (tensor<4194304xf32>) -> tensor<f32>
    %sb = graph.reduce_sum %b dimensions = [0] : (tensor<4194304xf32>) -> tensor<f32>
    %sc = graph.reduce_sum %c dimensions = [0] : (tensor<4194304xf32>) -> tensor<f32>
    %sd = graph.reduce_sum %d dimensions = [0] : (tensor<4194304xf32>) -> tensor<f32>
    %ab = graph.add %sa, %sb : tensor<f32>
    %cd = graph.add %sc, %sd : tensor<f32>
    %sum = graph.add %ab, %cd : tensor<f32>
    graph.yield %sum : tensor<f32>
  }
  %one = graph.constant dense<1> : tensor<i64>
  graph.assign_add @global_step, %one : tensor<i64>
  graph.return %there : tensor<f32>
}
