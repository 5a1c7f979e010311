// RUN: graph-opt %s --place --verify-placed --split-input-file --verify-diagnostics
// No wish is dropped silently.

module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "one_device">} {
// expected-remark @below {{is placed on "/job:worker/task:1" by the model, like 1 other operation or variable elsewhere; strategy one_device computes everything on "/job:worker/task:0/device:CPU:0"}}
graph.variable @w : tensor<4xf32> = #graph.zeros {graph.device = #graph.device<"/job:worker/task:1">}
graph.func @f(%x: tensor<4xf32>) -> (tensor<4xf32>) attributes {role = #graph.role<predict>} {
  %y = graph.negate %x {graph.device = #graph.device<"/gpu:0">} : tensor<4xf32>
  %z = graph.negate %y {graph.device = #graph.device<"/task:0">} : tensor<4xf32>
  graph.return %z : tensor<4xf32>
}
}

// -----

// Between graphs, a wish for one task is not for every replica: once a wish.
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server">} {
graph.func @f(%x: tensor<4xf32>) -> (tensor<4xf32>) attributes {role = #graph.role<train>} {
  // expected-remark @below {{is placed on "/job:worker/task:1" by the model or a placement rule; every replica computes it on its own task}}
  %y = graph.negate %x {graph.device = #graph.device<"/job:worker/task:1">} : tensor<4xf32>
  %z = graph.negate %y {graph.device = #graph.device<"/job:worker/task:1">} : tensor<4xf32>
  %u = graph.negate %z {graph.device = #graph.device<"/job:worker">} : tensor<4xf32>
  graph.return %u : tensor<4xf32>
}
}

// -----

module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "mirrored">} {
graph.func @f(%x: tensor<4xf32>) -> (tensor<4xf32>) attributes {role = #graph.role<train>} {
  // expected-remark @below {{every tower computes it on its own device}}
  %y = graph.negate %x {graph.device = #graph.device<"/job:worker/task:1">} : tensor<4xf32>
  graph.return %y : tensor<4xf32>
}
}

// -----

module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "in_graph">, graph.soft_placement} {
graph.func @f(%x: tensor<4xf32>) -> (tensor<4xf32>) attributes {role = #graph.role<train>} {
  // expected-remark @below {{is placed on "/job:worker/task:1/device:GPU:0", which no device of the cluster is; soft placement takes "/job:worker/task:1/device:CPU:0"}}
  %y = graph.negate %x {graph.device = #graph.device<"/job:worker/task:1/gpu:0">} : tensor<4xf32>
  graph.return %y : tensor<4xf32>
}
}
