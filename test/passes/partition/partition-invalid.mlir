// RUN: graph-opt %s --resolve-strategy --place --replicate --partition --split-input-file --verify-diagnostics

module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server", async = true>} {
graph.variable @w : tensor<4xf32> = #graph.zeros
// expected-error @below {{never advances @global_step, by which asynchronous updates are counted}}
graph.func @train(%g: tensor<4xf32>) -> () attributes {role = #graph.role<train>} {
  graph.apply_sgd @w, %g {learning_rate = 0.1} : tensor<4xf32>
  graph.return
}
}

// -----

module attributes {graph.cluster = #graph.cluster<jobs = [worker = 1], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "one_device">} {
graph.func @f(%x: tensor<4xf32>) -> (tensor<4xf32> {graph.name = "y"}) attributes {role = #graph.role<predict>} {
  graph.summary "y", %x : tensor<4xf32>
  // expected-error @below {{a second fetch of function @f is named "y"; results and summaries need names of their own}}
  graph.return %x : tensor<4xf32>
}
}

// -----

module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 1000], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server", micro_batches = 64000>} {
graph.dataset @d : (tensor<i32>) = #graph.synthetic<samples = 100, seed = 7, limits = [10]>
graph.func @train() -> () attributes {role = #graph.role<train>} {
  // expected-error @below {{takes more than 2^46 samples a step over all replicas and micro-batches}}
  %y = graph.next_batch @d {batch = 4294967295} : tensor<4294967295xi32>
  graph.return
}
}
