// A tensor of 64 MiB that task 0 has changed crosses to task 1 in each step, which reads it once: the cost of a send.
graph.variable @w : tensor<16777216xf32> = #graph.zeros {trainable = false, graph.device = #graph.device<"/job:worker/task:0">}
graph.variable @global_step : tensor<i64> = #graph.zeros {trainable = false, graph.device = #graph.device<"/job:worker/task:0">}

graph.func @train_step() -> (tensor<f32> {graph.name = "sum"}) attributes {role = #graph.role<train>} {
  %w = graph.read @w : tensor<16777216xf32>
  %sum = graph.reduce_sum %w dimensions = [0] {graph.device = #graph.device<"/job:worker/task:1">} : (tensor<16777216xf32>) -> tensor<f32>
  %change = graph.constant dense<0.5> : tensor<16777216xf32>
  graph.assign_add @w, %change : tensor<16777216xf32>
  %one = graph.constant dense<1> : tensor<i64>
  graph.assign_add @global_step, %one : tensor<i64>
  graph.return %sum : tensor<f32>
}
