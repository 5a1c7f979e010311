// RUN: graph-opt %s --resolve-strategy --place --replicate --split-input-file --verify-diagnostics

module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "all_reduce">} {
graph.variable @n : tensor<i64> = #graph.zeros {trainable = false}
graph.func @look() -> () attributes {role = #graph.role<predict>} {
  %one = graph.constant dense<1> : tensor<i64>
  // expected-error @below {{writes @n in a function that the chief alone runs, but under all_reduce every replica has a copy of its own; expected writes in the train function}}
  graph.assign_add @n, %one : tensor<i64>
  graph.return
}
}

// -----

module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "all_reduce">} {
// expected-note @below {{aggregation declared here}}
graph.variable @v : tensor<1x4xf32> = #graph.zeros {trainable = false, aggregation = "first_replica"}
graph.dataset @d : (tensor<4xf32>) = #graph.synthetic<samples = 100, seed = 7>
graph.func @train() -> () attributes {role = #graph.role<train>} {
  %x = graph.next_batch @d {batch = 1} : tensor<1x4xf32>
  // expected-error @below {{has aggregation "first_replica", but under all_reduce every replica counts; expected "mean" or "sum"}}
  graph.assign @v, %x : tensor<1x4xf32>
  graph.return
}
}
