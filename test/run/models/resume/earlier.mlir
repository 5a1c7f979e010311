// What the checkpoint in checkpoints/2026-11-22 is of: a matrix that was in parts on two tasks, with its slot, another type, and two data sets.
graph.dataset @train : (tensor<4xf32>) = #graph.synthetic<samples = 100, seed = 1> {shuffle = true, seed = 3}
graph.dataset @other : (tensor<f64>) = #graph.synthetic<samples = 37, seed = 2> {shuffle = true, seed = 4}
graph.variable @w : tensor<4x3xf32> = #graph.normal<stddev = 0.5, seed = 5>
graph.variable @b : tensor<f64> = #graph.value<dense<2.0> : tensor<f64>>
graph.func @train_step() -> (tensor<f64> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x = graph.next_batch @train {batch = 2} : tensor<2x4xf32>
  %y = graph.next_batch @other {batch = 3} : tensor<3xf64>
  %w = graph.read @w : tensor<4x3xf32>
  %b = graph.read @b : tensor<f64>
  %p = graph.matmul %x, %w : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  %p64 = graph.convert %p : (tensor<2x3xf32>) -> tensor<2x3xf64>
  %wide = graph.broadcast_in_dim %b broadcast_dimensions = [] : (tensor<f64>) -> tensor<3xf64>
  %d = graph.subtract %y, %wide : tensor<3xf64>
  %far = graph.multiply %d, %d : tensor<3xf64>
  %large = graph.multiply %p64, %p64 : tensor<2x3xf64>
  %0 = graph.reduce_mean %far dimensions = [0] : (tensor<3xf64>) -> tensor<f64>
  %1 = graph.reduce_mean %large dimensions = [0, 1] : (tensor<2x3xf64>) -> tensor<f64>
  %loss = graph.add %0, %1 : tensor<f64>
  graph.minimize %loss {optimizer = #graph.momentum<learning_rate = 0.1, momentum = 0.9>} : tensor<f64>
  graph.return %loss : tensor<f64>
}
