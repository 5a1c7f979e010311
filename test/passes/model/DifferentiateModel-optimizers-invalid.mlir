// RUN: graph-opt --split-input-file --differentiate --verify-diagnostics %s

graph.variable @w : tensor<4xf32> = #graph.zeros
graph.func @no_such_frozen() attributes {role = #graph.role<train>} {
  %w = graph.read @w : tensor<4xf32>
  %loss = graph.reduce_sum %w dimensions = [0] : (tensor<4xf32>) -> tensor<f32>
  // expected-error@+1 {{frozen has the pattern "v*", which no variable that would be trained matches}}
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.1>, frozen = ["v*"]} : tensor<f32>
  graph.return
}

// -----

graph.variable @w : tensor<4xf32> = #graph.zeros
graph.func @no_such_decay() attributes {role = #graph.role<train>} {
  %w = graph.read @w : tensor<4xf32>
  %loss = graph.reduce_sum %w dimensions = [0] : (tensor<4xf32>) -> tensor<f32>
  // expected-error@+1 {{weight_decay has the pattern "*bais", which no variable that is trained matches}}
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.1, weight_decay = #graph.weight_decay<rate = 0.1, exclude = ["*bais"]>>} : tensor<f32>
  graph.return
}

// -----

graph.variable @w : tensor<4xf32> = #graph.zeros
// expected-error@+1 {{has moving_averages, but reads no variable that has one; expected a graph.minimize with moving_average}}
graph.func @no_averages() attributes {role = #graph.role<eval>, moving_averages} {
  %w = graph.read @w : tensor<4xf32>
  graph.metric "w", %w : tensor<4xf32>
  graph.return
}

// -----

graph.variable @w : tensor<4xf32> = #graph.zeros
graph.func @stuck(%x: tensor<4xf32>) attributes {role = #graph.role<train>} {
  // expected-note@+1 {{the variable is read here}}
  %w = graph.read @w : tensor<4xf32>
  // expected-error@+1 {{is not differentiable, but the loss depends on a trained variable through it}}
  %s = graph.gradient_squares @w, %w : (tensor<4xf32>) -> tensor<4xf64>
  %loss = graph.reduce_sum %s dimensions = [0] : (tensor<4xf64>) -> tensor<f64>
  // expected-note@+1 {{its gradients are taken here}}
  %g = graph.gradients %loss, [@w] : (tensor<f64>) -> tensor<4xf32>
  graph.return
}

// -----

// expected-note@+1 {{the variable is declared here}}
graph.variable @w : tensor<4xbf16> = #graph.zeros
graph.func @train() attributes {role = #graph.role<train>} {
  %w = graph.read @w : tensor<4xbf16>
  %wide = graph.convert %w : (tensor<4xbf16>) -> tensor<4xf32>
  %loss = graph.reduce_sum %wide dimensions = [0] : (tensor<4xf32>) -> tensor<f32>
  // expected-error@+1 {{would train @w, which is 'tensor<4xbf16>'; expected f32 or f64 that is converted where it is read, or trainable = false}}
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.1>} : tensor<f32>
  graph.return
}
