graph.variable @"NAME" : tensor<f32> = #graph.value<dense<1.0> : tensor<f32>>
graph.dataset @d : (tensor<f32>) = #graph.synthetic<samples = 8, seed = 1>
graph.func @t() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x = graph.next_batch @d {batch = 1} : tensor<1xf32>
  %s = graph.reshape %x : (tensor<1xf32>) -> tensor<f32>
  %w = graph.read @"NAME" : tensor<f32>
  %l = graph.multiply %w, %s : tensor<f32>
  graph.minimize %l {optimizer = #graph.sgd<learning_rate = 0.1>} : tensor<f32>
  graph.return %l : tensor<f32>
}
