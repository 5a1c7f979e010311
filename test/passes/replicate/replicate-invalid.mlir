// RUN: graph-opt %s --resolve-strategy --place --replicate --split-input-file --verify-diagnostics

module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server">} {
// expected-note @below {{variable declared here}}
graph.variable @last : tensor<4xf32> = #graph.zeros {trainable = false}
graph.func @train(%x: tensor<4xf32>) -> () attributes {role = #graph.role<train>} {
  // expected-error @below {{gives @last a value that differs in each of the 2 replicas; declare on the variable what that means: aggregation = "mean", "sum" or "first_replica"}}
  graph.assign @last, %x : tensor<4xf32>
  graph.return
}
}

// -----

// The same on one device, where micro-batches are the replicas.
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 1], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "one_device", micro_batches = 3>} {
// expected-note @below {{variable declared here}}
graph.variable @last : tensor<4xf32> = #graph.zeros {trainable = false}
graph.func @train(%x: tensor<4xf32>) -> () attributes {role = #graph.role<train>} {
  // expected-error @below {{gives @last a value that differs in each of the 3 replicas}}
  graph.assign_add @last, %x : tensor<4xf32>
  graph.return
}
}

// -----

module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server">} {
// expected-note @below {{aggregation declared here}}
graph.variable @last : tensor<4xi32> = #graph.zeros {trainable = false, aggregation = "mean"}
graph.func @train(%x: tensor<4xi32>) -> () attributes {role = #graph.role<train>} {
  // expected-error @below {{cannot take the mean of 'i32' values; expected "sum" or "first_replica"}}
  graph.assign @last, %x : tensor<4xi32>
  graph.return
}
}

// -----

module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server">} {
// expected-note @below {{aggregation declared here}}
graph.variable @last : tensor<4xi32> = #graph.zeros {trainable = false, aggregation = "first_replica"}
graph.func @train(%x: tensor<4xi32>) -> () attributes {role = #graph.role<train>} {
  // expected-error @below {{has aggregation "first_replica", but under a parameter server every replica sends; expected "mean" or "sum"}}
  graph.assign @last, %x : tensor<4xi32>
  graph.return
}
}

// -----

module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server">} {
graph.func @train(%x: tensor<4xf32>) -> (tensor<4xf32>) attributes {role = #graph.role<train>} {
  // expected-note @below {{computed here, on "/job:worker/device:CPU:0"}}
  %y = graph.negate %x : tensor<4xf32>
  // expected-error @below {{is on "/job:ps/task:0/device:CPU:0", but takes a value that each of the 2 replicas computes for itself; only variables' updates leave the replicas}}
  %z = graph.abs %y {graph.device = #graph.device<"/job:ps/task:0">} : tensor<4xf32>
  graph.return %z : tensor<4xf32>
}
}

// -----

// Of row numbers there is no mean.
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server">} {
graph.variable @w : tensor<9x5xf32> = #graph.zeros
graph.func @train(%g: tensor<4x5xf32>, %n: tensor<4xi32>) -> () attributes {role = #graph.role<train>} {
  // expected-error @below {{takes a value beside its gradient that differs in each micro-batch or replica; expected one that follows from variables alone}}
  graph.apply_sgd_rows @w, %g at %n {learning_rate = 0.1} : tensor<4x5xf32>, tensor<4xi32>
  graph.return
}
}

// -----

// Nor one of what each micro-batch of a device would have.
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 1], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "one_device", micro_batches = 2>} {
graph.variable @w : tensor<9x5xf32> = #graph.zeros
graph.dataset @d : (tensor<5xf32>, tensor<i32>) = #graph.synthetic<samples = 100, seed = 7, limits = [0, 9]>
graph.func @train() -> () attributes {role = #graph.role<train>} {
  %g, %n = graph.next_batch @d {batch = 4} : tensor<4x5xf32>, tensor<4xi32>
  // expected-error @below {{takes a value beside its gradient that differs in each micro-batch or replica}}
  graph.apply_sgd_rows @w, %g at %n {learning_rate = 0.1} : tensor<4x5xf32>, tensor<4xi32>
  graph.return
}
}
