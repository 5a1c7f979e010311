// RUN: graph-opt %s --resolve-strategy --verify-placed --split-input-file --verify-diagnostics

#t0 = #graph.device<"/job:t/task:0/device:CPU:0">
#t1 = #graph.device<"/job:t/task:1/device:CPU:0">
module attributes {graph.cluster = #graph.cluster<jobs = [t = 2], chief = "/job:t/task:0">,
                   graph.strategy = #graph.strategy<name = "in_graph">} {
// expected-note @below {{variable declared here}}
graph.variable @w : tensor<4xf32> = #graph.zeros {graph.device = #t0}
graph.func @f() -> () attributes {role = #graph.role<predict>, graph.device = #t0} {
  // expected-error @below {{is on "/job:t/task:1/device:CPU:0", but its variable @w is on "/job:t/task:0/device:CPU:0"}}
  %w = graph.read @w {graph.device = #t1} : tensor<4xf32>
  graph.return {graph.device = #t0}
}
}

// -----

#t0 = #graph.device<"/job:t/task:0/device:CPU:0">
#t1 = #graph.device<"/job:t/task:1/device:CPU:0">
module attributes {graph.cluster = #graph.cluster<jobs = [t = 2], chief = "/job:t/task:0">,
                   graph.strategy = #graph.strategy<name = "in_graph">} {
graph.variable @w : tensor<4xf32> = #graph.zeros {graph.device = #t0}
// expected-note @below {{variable declared here}}
graph.variable @m : tensor<4xf32> = #graph.zeros {graph.device = #t1, graph.slot_of = @w, trainable = false}
graph.func @f(%g: tensor<4xf32>) -> () attributes {role = #graph.role<train>, graph.device = #t0} {
  // expected-error @below {{but its variable @m is on "/job:t/task:1/device:CPU:0"}}
  graph.apply_momentum @w, @m, %g {learning_rate = 0.1, momentum = 0.9, graph.device = #t0} : tensor<4xf32>
  graph.return {graph.device = #t0}
}
}

// -----

module attributes {graph.cluster = #graph.cluster<jobs = [t = 2], chief = "/job:t/task:0">,
                   graph.strategy = #graph.strategy<name = "in_graph">} {
// expected-error @below {{expected a device of the cluster after place, found none}}
graph.variable @w : tensor<4xf32> = #graph.zeros
}

// -----

#t0 = #graph.device<"/job:t/task:0/device:CPU:0">
module attributes {graph.cluster = #graph.cluster<jobs = [t = 2], chief = "/job:t/task:0">,
                   graph.strategy = #graph.strategy<name = "in_graph">} {
graph.func @f(%g: tensor<4xf32>) -> () attributes {role = #graph.role<train>, graph.device = #t0} {
  // expected-error @below {{expected a device of the cluster after place, found "/job:t/device:CPU:0"}}
  %n = graph.negate %g {graph.device = #graph.device<"/job:t/device:CPU:0">} : tensor<4xf32>
  graph.return {graph.device = #t0}
}
}

// -----

#t0 = #graph.device<"/job:t/task:0/device:CPU:0">
module attributes {graph.cluster = #graph.cluster<jobs = [t = 1], chief = "/job:t/task:0">,
                   graph.strategy = #graph.strategy<name = "in_graph">} {
graph.func @f(%x: tensor<4xf32>) -> (tensor<4xf32>) attributes {role = #graph.role<predict>, graph.device = #t0} {
  // expected-error @below {{expected to be gone after place}}
  %y = graph.scope -> (tensor<4xf32>) attributes {graph.device = #t0} {
    graph.yield %x : tensor<4xf32>
  }
  graph.return {graph.device = #t0} %y : tensor<4xf32>
}
}
