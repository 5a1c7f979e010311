// RUN: graph-opt %s --resolve-strategy --place --split-input-file --verify-diagnostics
// Errors about GPUs name what is there; variables that are locked while lanes compute are the host's.

module attributes {graph.cluster = #graph.cluster<jobs = [worker = 1], devices = [worker = ["CPU:0", "GPU:0"]], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "in_graph">} {
graph.func @f(%x: tensor<4xf32>) -> (tensor<4xf32>) attributes {role = #graph.role<train>} {
  // expected-error @below {{is placed on "/device:GPU:1", which no device of the cluster is; valid devices are /job:worker/task:0/device:GPU:0, /job:worker/task:0/device:CPU:0; did you mean "/device:GPU:0"?}}
  %y = graph.negate %x {graph.device = #graph.device<"/gpu:1">} : tensor<4xf32>
  graph.return %y : tensor<4xf32>
}
}

// -----

module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 2], devices = [ps = ["CPU:0", "GPU:0"]], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server", async = true>} {
// expected-error @below {{is on "/job:ps/task:0/device:GPU:0", but asynchronous updates lock variables while they compute, which only the host can; place it on "/job:ps/task:0/device:CPU:0"}}
graph.variable @w : tensor<4xf32> = #graph.zeros {graph.device = #graph.device<"/job:ps/gpu:0">}
}

// -----

module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 2], devices = [ps = ["GPU:0"]], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server", replicas_to_aggregate = 1>} {
// expected-error @below {{is on "/job:ps/task:0/device:GPU:0", but backup workers lock variables while they compute, which only the host can; give job ps a CPU:0 in "devices"}}
graph.variable @w : tensor<4xf32> = #graph.zeros
}
