// RUN: graph-opt %s --split-input-file --resolve-strategy --place --replicate --partition --verify-diagnostics
// With backup workers replicas get variables as they are before the updates of the step.

module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 3], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server", replicas_to_aggregate = 2>} {
graph.variable @w : tensor<4xf32> = #graph.zeros
graph.variable @global_step : tensor<i64> = #graph.zeros {trainable = false}
graph.func @train() -> (tensor<4xf32>) attributes {role = #graph.role<train>} {
  %w = graph.read @w : tensor<4xf32>
  %g = graph.add %w, %w : tensor<4xf32>
  // expected-note @below {{made here, on "/job:ps/task:0/device:CPU:0"}}
  graph.apply_sgd @w, %g {learning_rate = 0.1} : tensor<4xf32>
  %after = graph.read @w : tensor<4xf32>
  %one = graph.constant dense<1> : tensor<i64>
  graph.assign_add @global_step, %one : tensor<i64>
  // expected-error @below {{takes a value that a parameter server makes by the step's updates or with another task}}
  graph.return %after : tensor<4xf32>
}
}

// -----

// expected-error @below {{replicas_to_aggregate is 4, but there are 3 replicas}}
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 3], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server", replicas_to_aggregate = 4>} {
}

// -----

module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 3], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server", replicas_to_aggregate = 2>} {
graph.variable @w : tensor<4xf32> = #graph.zeros
graph.dataset @d : (tensor<4xf32>) = #graph.synthetic<samples = 100, seed = 7>
// expected-error @below {{never advances @global_step, by whose value late gradients are known}}
graph.func @train() -> () attributes {role = #graph.role<train>} {
  %x = graph.next_batch @d {batch = 4} : tensor<4x4xf32>
  %g = graph.reduce_sum %x dimensions = [0] : (tensor<4x4xf32>) -> tensor<4xf32>
  graph.apply_sgd @w, %g {learning_rate = 0.1} : tensor<4xf32>
  graph.return
}
}
