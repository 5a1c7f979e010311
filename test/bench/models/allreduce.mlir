// One gradient of 64 MiB that is made anew each step, summed over the workers and applied: a step is its all-reduce, one pass
// that writes the gradient and one that updates the variable. `measure.py` puts other sizes in the place of 16777216.
graph.variable @w : tensor<16777216xf32> = #graph.zeros
graph.variable @c : tensor<f32> = #graph.value<dense<1.0> : tensor<f32>> {trainable = false}
graph.variable @global_step : tensor<i64> = #graph.zeros {trainable = false}

graph.func @train_step() -> () attributes {role = #graph.role<train>} {
  %c = graph.read @c : tensor<f32>
  %g = graph.broadcast_in_dim %c broadcast_dimensions = [] : (tensor<f32>) -> tensor<16777216xf32>
  graph.apply_sgd @w, %g {learning_rate = 0.01} : tensor<16777216xf32>
  %one = graph.constant dense<1> : tensor<i64>
  graph.assign_add @global_step, %one : tensor<i64>
  graph.return
}
