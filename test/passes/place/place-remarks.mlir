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

// -----

// What touches a variable is where that is, once a wish; a wish for the replicas' job is for their part.
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server">} {
// expected-note @below {{variable declared here}}
graph.variable @w : tensor<4xf32> = #graph.zeros
graph.func @f() -> (tensor<4xf32>, tensor<4xf32>) attributes {role = #graph.role<train>} {
  // expected-remark @below {{is pinned to "/job:worker/task:1", but its variable @w is on "/job:ps/task:0/device:CPU:0"; state is touched where it is stored}}
  %w = graph.read @w {graph.device = #graph.device<"/job:worker/task:1">} : tensor<4xf32>
  %v = graph.read @w {graph.device = #graph.device<"/job:worker/task:1">} : tensor<4xf32>
  %u = graph.read @w {graph.device = #graph.device<"/job:worker">} : tensor<4xf32>
  %s = graph.add %v, %u : tensor<4xf32>
  graph.return %w, %s : tensor<4xf32>, tensor<4xf32>
}
}

// -----

module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "mirrored">} {
// expected-note @below {{variable declared here}}
graph.variable @w : tensor<4xf32> = #graph.zeros
graph.func @f() -> (tensor<4xf32>) attributes {role = #graph.role<train>} {
  // expected-remark @below {{is pinned to "/job:worker/task:1", but its variable @w is on "/job:worker/task:0/device:CPU:0"}}
  %w = graph.read @w {graph.device = #graph.device<"/job:worker/task:1">} : tensor<4xf32>
  graph.return %w : tensor<4xf32>
}
}

// -----

// expected-remark @below {{placement rule "w1" has no effect: under the strategy all_reduce every worker keeps all variables}}
// expected-remark @below {{placement rule "w2" has no effect: no variable and no operation's name}}
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "all_reduce">,
                   graph.placement = [["w1", #graph.device<"/job:worker/task:1">], ["w2", #graph.device<"/job:worker/task:1">]]} {
graph.variable @w1 : tensor<4xf32> = #graph.zeros
}
