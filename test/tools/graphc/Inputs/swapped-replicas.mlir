module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server", async = true>,
                   graph.replicas = #graph.replicas<["/job:worker/task:1", "/job:worker/task:0"]>} {
graph.variable @w : tensor<4xf32> = #graph.zeros
graph.dataset @d : (tensor<4xf32>) = #graph.synthetic<samples = 100, seed = 7>
graph.func @train() -> () attributes {role = #graph.role<train>} {
  %x = graph.next_batch @d {batch = 1} : tensor<1x4xf32>
  %w = graph.read @w : tensor<4xf32>
  %r = graph.reshape %x : (tensor<1x4xf32>) -> tensor<4xf32>
  %g = graph.multiply %r, %w : tensor<4xf32>
  %l = graph.reduce_mean %g dimensions = [0] : (tensor<4xf32>) -> tensor<f32>
  graph.minimize %l {optimizer = #graph.sgd<learning_rate = 0.1>} : tensor<f32>
  graph.return
}
}
