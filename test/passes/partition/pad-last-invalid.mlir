// RUN: graph-opt %s --split-input-file --resolve-strategy --place --replicate --partition --verify-partitioned --verify-diagnostics
// Replicas that do not wait for each other have no epoch in common whose last batch could be padded; one alone has, and so has a step
// that all of them make.

module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server", async = true>} {
graph.variable @w : tensor<f32> = #graph.zeros
graph.variable @global_step : tensor<i64> = #graph.zeros {trainable = false}
graph.dataset @d : (tensor<f32>) = #graph.synthetic<samples = 10, seed = 7>
graph.func @train() -> () attributes {role = #graph.role<train>} {
  // expected-error @below {{pads the last batch of an epoch (pad_last), but the replicas of @train do not wait for each other, so they have no epoch in common}}
  // expected-note @below {{without pad_last batches run over the end of the data set; with the gradients of all replicas in each step (neither "update": "async" nor "replicas_to_aggregate") epochs have an end}}
  %x, %valid = graph.next_batch @d {batch = 4, pad_last} : tensor<4xf32>, tensor<4xi1>
  %g = graph.reduce_sum %x dimensions = [0] : (tensor<4xf32>) -> tensor<f32>
  graph.apply_sgd @w, %g {learning_rate = 0.1} : tensor<f32>
  %one = graph.constant dense<1> : tensor<i64>
  graph.assign_add @global_step, %one : tensor<i64>
  graph.return
}
graph.func @eval() -> () attributes {role = #graph.role<eval>} {
  %x, %valid = graph.next_batch @d {batch = 4, pad_last} : tensor<4xf32>, tensor<4xi1>
  graph.metric "mean", %x, %valid : tensor<4xf32>, tensor<4xi1>
  graph.return
}
}

// -----

module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 3], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server", replicas_to_aggregate = 2>} {
graph.variable @w : tensor<f32> = #graph.zeros
graph.variable @global_step : tensor<i64> = #graph.zeros {trainable = false}
graph.dataset @d : (tensor<f32>) = #graph.synthetic<samples = 10, seed = 7>
graph.func @train() -> () attributes {role = #graph.role<train>} {
  // expected-error @below {{the replicas of @train do not wait for each other}}
  // expected-note @below {{without pad_last}}
  %x, %valid = graph.next_batch @d {batch = 4, pad_last} : tensor<4xf32>, tensor<4xi1>
  %g = graph.reduce_sum %x dimensions = [0] : (tensor<4xf32>) -> tensor<f32>
  graph.apply_sgd @w, %g {learning_rate = 0.1} : tensor<f32>
  %one = graph.constant dense<1> : tensor<i64>
  graph.assign_add @global_step, %one : tensor<i64>
  graph.return
}
}

// -----

module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 1], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server", async = true>} {
graph.variable @w : tensor<f32> = #graph.zeros
graph.variable @global_step : tensor<i64> = #graph.zeros {trainable = false}
graph.dataset @d : (tensor<f32>) = #graph.synthetic<samples = 10, seed = 7>
graph.func @train() -> () attributes {role = #graph.role<train>} {
  %x, %valid = graph.next_batch @d {batch = 4, pad_last} : tensor<4xf32>, tensor<4xi1>
  %g = graph.reduce_sum %x dimensions = [0] : (tensor<4xf32>) -> tensor<f32>
  graph.apply_sgd @w, %g {learning_rate = 0.1} : tensor<f32>
  %one = graph.constant dense<1> : tensor<i64>
  graph.assign_add @global_step, %one : tensor<i64>
  graph.return
}
}
