// RUN: %build/test/bin/extra-opt --split-input-file --verify-diagnostics --differentiate %s

graph.variable @v : tensor<4x3xf32> = #graph.zeros
graph.func @clipped() attributes {role = #graph.role<train>} {
  %v = graph.read @v : tensor<4x3xf32>
  %loss = graph.reduce_sum %v dimensions = [0, 1] : (tensor<4x3xf32>) -> tensor<f32>
  // expected-error@+1 {{has clip_norm, which the optimizer #extra.adagrad<learning_rate = 1.000000e-01 : f64> does not take}}
  graph.minimize %loss {optimizer = #extra.adagrad<learning_rate = 0.1 : f64>, clip_norm = 1.0} : tensor<f32>
  graph.return
}

// -----

graph.variable @v : tensor<4x3xf32> = #graph.zeros
graph.func @shown() attributes {role = #graph.role<train>} {
  %v = graph.read @v : tensor<4x3xf32>
  %loss = graph.reduce_sum %v dimensions = [0, 1] : (tensor<4x3xf32>) -> tensor<f32>
  // expected-error@+1 {{has learning_rate_summary, but the optimizer #extra.adagrad<learning_rate = 1.000000e-01 : f64> does not say its learning rate}}
  graph.minimize %loss {optimizer = #extra.adagrad<learning_rate = 0.1 : f64>, learning_rate_summary = "rate"} : tensor<f32>
  graph.return
}
