// Two data sets in batches of different sizes, of which weights depend.
graph.dataset @train : (tensor<f32>) = #graph.synthetic<samples = 100, seed = 1> {shuffle = true, seed = 3}
graph.dataset @other : (tensor<f32>) = #graph.synthetic<samples = 37, seed = 2> {shuffle = true, seed = 4}
graph.variable @a : tensor<f32> = #graph.zeros
graph.variable @b : tensor<f32> = #graph.zeros
graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}, tensor<f32> {graph.name = "other"}) attributes {role = #graph.role<train>} {
  %x = graph.next_batch @train {batch = 2} : tensor<2xf32>
  %y = graph.next_batch @other {batch = 3} : tensor<3xf32>
  %a = graph.read @a : tensor<f32>
  %b = graph.read @b : tensor<f32>
  %wide_a = graph.broadcast_in_dim %a broadcast_dimensions = [] : (tensor<f32>) -> tensor<2xf32>
  %wide_b = graph.broadcast_in_dim %b broadcast_dimensions = [] : (tensor<f32>) -> tensor<3xf32>
  %da = graph.subtract %x, %wide_a : tensor<2xf32>
  %db = graph.subtract %y, %wide_b : tensor<3xf32>
  %sa = graph.multiply %da, %da : tensor<2xf32>
  %sb = graph.multiply %db, %db : tensor<3xf32>
  %la = graph.reduce_mean %sa dimensions = [0] : (tensor<2xf32>) -> tensor<f32>
  %lb = graph.reduce_mean %sb dimensions = [0] : (tensor<3xf32>) -> tensor<f32>
  %loss = graph.add %la, %lb : tensor<f32>
  graph.minimize %loss {optimizer = #graph.momentum<learning_rate = 0.1, momentum = 0.9>} : tensor<f32>
  graph.return %loss, %lb : tensor<f32>, tensor<f32>
}
