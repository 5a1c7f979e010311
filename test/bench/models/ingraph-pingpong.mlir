// A scalar crosses between two tasks ten times in one step: the cost of a hop.
graph.variable @w : tensor<1xf32> = #graph.zeros {trainable = false, graph.device = #graph.device<"/job:worker/task:0">}
graph.variable @global_step : tensor<i64> = #graph.zeros {trainable = false, graph.device = #graph.device<"/job:worker/task:0">}

graph.func @train_step() -> (tensor<1xf32> {graph.name = "h"}) attributes {role = #graph.role<train>} {
  %h0 = graph.read @w : tensor<1xf32>
  %one = graph.constant dense<1.0> : tensor<1xf32>
  %h1 = graph.add %h0, %one {graph.device = #graph.device<"/job:worker/task:1">} : tensor<1xf32>
  %h2 = graph.add %h1, %one {graph.device = #graph.device<"/job:worker/task:0">} : tensor<1xf32>
  %h3 = graph.add %h2, %one {graph.device = #graph.device<"/job:worker/task:1">} : tensor<1xf32>
  %h4 = graph.add %h3, %one {graph.device = #graph.device<"/job:worker/task:0">} : tensor<1xf32>
  %h5 = graph.add %h4, %one {graph.device = #graph.device<"/job:worker/task:1">} : tensor<1xf32>
  %h6 = graph.add %h5, %one {graph.device = #graph.device<"/job:worker/task:0">} : tensor<1xf32>
  %h7 = graph.add %h6, %one {graph.device = #graph.device<"/job:worker/task:1">} : tensor<1xf32>
  %h8 = graph.add %h7, %one {graph.device = #graph.device<"/job:worker/task:0">} : tensor<1xf32>
  %h9 = graph.add %h8, %one {graph.device = #graph.device<"/job:worker/task:1">} : tensor<1xf32>
  %h10 = graph.add %h9, %one {graph.device = #graph.device<"/job:worker/task:0">} : tensor<1xf32>
  %count = graph.constant dense<1> : tensor<i64>
  graph.assign_add @global_step, %count : tensor<i64>
  graph.return %h10 : tensor<1xf32>
}
