// RUN: graph-opt --split-input-file --verify-diagnostics %s

graph.func @f(%x: tensor<4xf32>) attributes {role = #graph.role<train>} {
  // expected-note@+1 {{the loss is computed here}}
  %n = graph.negate %x : tensor<4xf32>
  // (C1) expected-error@+1 {{loss must be a scalar float, tensor<f32> or tensor<f64>, got 'tensor<4xf32>'}}
  graph.minimize %n {optimizer = #graph.sgd<learning_rate = 0.1>} : tensor<4xf32>
  graph.return
}

// -----

graph.func @f(%x: tensor<i32>) attributes {role = #graph.role<train>} {
  // (C1) expected-error@+1 {{loss must be a scalar float, tensor<f32> or tensor<f64>, got 'tensor<i32>'}}
  graph.minimize %x {optimizer = #graph.sgd<learning_rate = 0.1>} : tensor<i32>
  graph.return
}

// -----

graph.func @f(%x: tensor<f32>) attributes {role = #graph.role<train>} {
  // expected-error@+1 {{attribute 'optimizer' failed to satisfy constraint: #graph.sgd, #graph.momentum, #graph.adam, #graph.adamw, #graph.adagrad or #graph.rmsprop}}
  graph.minimize %x {optimizer = #graph.zeros} : tensor<f32>
  graph.return
}

// -----

graph.func @f(%x: tensor<f32>) attributes {role = #graph.role<train>} {
  // (C2) expected-error@+1 {{no variable @w in this module, expected a graph.variable}}
  graph.minimize %x {optimizer = #graph.sgd<learning_rate = 0.1>, variables = [@w]} : tensor<f32>
  graph.return
}

// -----

graph.dataset @d : (tensor<4xf32>) = #graph.synthetic<samples = 10>
graph.func @f(%x: tensor<f32>) attributes {role = #graph.role<train>} {
  // (C2) expected-error@+1 {{no variable @d in this module, expected a graph.variable}}
  graph.minimize %x {optimizer = #graph.sgd<learning_rate = 0.1>, variables = [@d]} : tensor<f32>
  graph.return
}

// -----

graph.variable @w : tensor<f32> = #graph.zeros
graph.func @f(%x: tensor<f32>) attributes {role = #graph.role<train>} {
  // (C2) expected-error@+1 {{variable @w is listed twice}}
  graph.minimize %x {optimizer = #graph.sgd<learning_rate = 0.1>, variables = [@w, @w]} : tensor<f32>
  graph.return
}

// -----

graph.variable @w : tensor<f32> = #graph.zeros
graph.variable @v : tensor<f32> = #graph.zeros
graph.func @f(%x: tensor<f32>) attributes {role = #graph.role<train>} {
  // (C2) expected-error@+1 {{variable @w is listed twice}}
  graph.minimize %x {optimizer = #graph.sgd<learning_rate = 0.1>, variables = [@w, @v, @w]} : tensor<f32>
  graph.return
}

// -----

// expected-note@+1 {{the variable is declared here}}
graph.variable @w : tensor<f32> = #graph.zeros {trainable = false}
graph.func @f(%x: tensor<f32>) attributes {role = #graph.role<train>} {
  // (C2) expected-error@+1 {{variable @w must be trainable and of f32 or f64}}
  graph.minimize %x {optimizer = #graph.sgd<learning_rate = 0.1>, variables = [@w]} : tensor<f32>
  graph.return
}

// -----

// expected-note@+1 {{the variable is declared here}}
graph.variable @w : tensor<i32> = #graph.zeros
graph.func @f(%x: tensor<f32>) attributes {role = #graph.role<train>} {
  // (C2) expected-error@+1 {{variable @w must be trainable and of f32 or f64}}
  graph.minimize %x {optimizer = #graph.sgd<learning_rate = 0.1>, variables = [@w]} : tensor<f32>
  graph.return
}

// -----

func.func @mask(%v: tensor<4xf32>, %m: tensor<3xi1>) {
  // (C1) expected-error@+1 {{mask must have the shape of the values, got 'tensor<3xi1>' and 'tensor<4xf32>'}}
  graph.metric "m", %v, %m : tensor<4xf32>, tensor<3xi1>
  return
}

// -----

func.func @mask_of_scalar(%v: tensor<f32>, %m: tensor<1xi1>) {
  // (C1) expected-error@+1 {{mask must have the shape of the values, got 'tensor<1xi1>' and 'tensor<f32>'}}
  graph.metric "m", %v, %m : tensor<f32>, tensor<1xi1>
  return
}

// -----

func.func @sum_of_f32(%s: tensor<f32>, %n: tensor<i64>) {
  // (C1) expected-error@+1 {{has a sum of type 'tensor<f32>'; expected a scalar of i64 or f64}}
  graph.metric_sums "m", %s, %n : tensor<f32>, tensor<i64>
  return
}

// -----

func.func @count_of_each(%s: tensor<f64>, %n: tensor<2xi64>) {
  // (C1) expected-error@+1 {{has a count of type 'tensor<2xi64>'; expected a scalar of i64}}
  graph.metric_sums "m", %s, %n : tensor<f64>, tensor<2xi64>
  return
}

// -----

func.func @nameless_sums(%s: tensor<f64>, %n: tensor<i64>) {
  // expected-error@+1 {{name must not be empty}}
  graph.metric_sums "", %s, %n : tensor<f64>, tensor<i64>
  return
}

// -----

func.func @nameless(%v: tensor<f32>) {
  // expected-error@+1 {{name must not be empty}}
  graph.metric "", %v : tensor<f32>
  return
}

// -----

func.func @nameless_summary(%v: tensor<f32>) {
  // (C1) expected-error@+1 {{name must not be empty}}
  graph.summary "", %v : tensor<f32>
  return
}

// -----

func.func @reduction(%v: tensor<f32>) {
  // (C2) expected-error@+1 {{reduction must be "mean", "sum" or "first_replica", got "avg"}}
  graph.summary "s", %v {reduction = "avg"} : tensor<f32>
  return
}

// -----

func.func @reduction_case(%v: tensor<f32>) {
  // (C2) expected-error@+1 {{reduction must be "mean", "sum" or "first_replica", got "Mean"}}
  graph.summary "s", %v {reduction = "Mean"} : tensor<f32>
  return
}

// -----

graph.dataset @d : (tensor<4xf32>) = #graph.synthetic<samples = 100, seed = 7>
func.func @leaves() {
  // (C1) expected-error@+1 {{sums 4 values, its own and the one behind it, which are no whole leaves of 3}}
  %s:2 = graph.repeat 3 -> (tensor<1x4xf32>, tensor<1x4xf32>) attributes {per_leaf = 3} {
    %x = graph.next_batch @d {batch = 1, micro_batches = 4} : tensor<1x4xf32>
    graph.yield %x : tensor<1x4xf32>
  }
  return
}

// -----

graph.dataset @d : (tensor<4xf32>) = #graph.synthetic<samples = 100, seed = 7>
func.func @kept() {
  // (C2) expected-error@+1 {{must have 2 results for each value that it yields, ('tensor<1x4xf32>', 'tensor<1x4xf32>'), got ('tensor<1x4xf32>')}}
  %s = graph.repeat 3 -> (tensor<1x4xf32>) {
    %x = graph.next_batch @d {batch = 1, micro_batches = 4} : tensor<1x4xf32>
    graph.yield %x : tensor<1x4xf32>
  }
  return
}

// -----

func.func @effect(%x: tensor<4xf32>) {
  %s:2 = graph.repeat 3 -> (tensor<4xf32>, tensor<4xf32>) {
    // (graph.repeat C3) expected-error@+1 {{has an effect, and is repeated; what is repeated takes batches and computes}}
    graph.metric "m", %x : tensor<4xf32>
    graph.yield %x : tensor<4xf32>
  }
  return
}

// -----

graph.func @train_step(%x: tensor<4xf32>) attributes {role = #graph.role<train>} {
  graph.repeat 3 {
    // (graph.repeat C3) expected-error@+1 {{is a loop in a loop, which no lane has; expected one of all its micro-batches}}
    graph.repeat 3 {
      graph.yield
    }
    graph.yield
  }
  graph.return
}

// -----

graph.dataset @d : (tensor<4xf32>) = #graph.synthetic<samples = 100, seed = 7>
func.func @batches() {
  %s:2 = graph.repeat 3 -> (tensor<1x4xf32>, tensor<1x4xf32>) {
    // (graph.repeat C3) expected-error@+1 {{takes micro-batches 2 to 4, but a step has 4}}
    %x = graph.next_batch @d {batch = 1, micro_batch = 2, micro_batches = 4} : tensor<1x4xf32>
    graph.yield %x : tensor<1x4xf32>
  }
  return
}

// -----

graph.func @f() attributes {role = #graph.role<train>} {
  %c = graph.constant dense<1.0> : tensor<4xf32>
  // (graph.repeat C4) expected-error@+1 {{repeats 4294967295 times; expected at most 2147483647}}
  %s:32 = graph.repeat 4294967295 -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    graph.yield %c : tensor<4xf32>
  }
  graph.return
}
