// Ops of every way to be computed, none of them known to passes or runtime.
graph.variable @table : tensor<10x4xf32> = #graph.normal<stddev = 0.5, seed = 1>
graph.variable @w : tensor<4x3xf32> = #graph.normal<stddev = 0.5, seed = 2>
graph.variable @b : tensor<3xf32> = #graph.normal<stddev = 0.5, seed = 4>
graph.dataset @synth : (tensor<4xf32>, tensor<i32>) = #graph.synthetic<samples = 600, seed = 3, limits = [0, 10]>

graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x, %rows = graph.next_batch @synth {batch = 6} : tensor<6x4xf32>, tensor<6xi32>
  %table = graph.read @table : tensor<10x4xf32>
  %w = graph.read @w : tensor<4x3xf32>
  %gathered = extra.gather %table, %rows : (tensor<10x4xf32>, tensor<6xi32>) -> tensor<6x4xf32>
  %h = graph.subtract %gathered, %x : tensor<6x4xf32>
  %sums = extra.cumsum %h : tensor<6x4xf32>
  %bounded = graph.tanh %sums : tensor<6x4xf32>
  %positive, %negative = extra.parts %bounded : tensor<6x4xf32>
  %p = extra.softplus %positive : tensor<6x4xf32>
  %n = extra.cube %negative : tensor<6x4xf32>
  %both = graph.add %p, %n : tensor<6x4xf32>
  %y = graph.matmul %both, %w : (tensor<6x4xf32>, tensor<4x3xf32>) -> tensor<6x3xf32>
  %planes = graph.reshape %both : (tensor<6x4xf32>) -> tensor<3x2x4xf32>
  %b = graph.read @b : tensor<3xf32>
  %means = extra.average_pool %planes {window = array<i64: 1, 2>, scale = 2.0 : f64} : (tensor<3x2x4xf32>) -> tensor<3x2x2xf32>
  %pooled = extra.add_per_plane %means, %b : tensor<3x2x2xf32>, tensor<3xf32>
  %rest = graph.reshape %pooled : (tensor<3x2x2xf32>) -> tensor<6x2xf32>
  %penalty = extra.sum_of_squares %rest : (tensor<6x2xf32>) -> tensor<6xf32>
  %sum, %squares = extra.moments %y : (tensor<6x3xf32>) -> (tensor<6xf32>, tensor<6xf32>)
  %again = extra.sum_of_squares %y : (tensor<6x3xf32>) -> tensor<6xf32>
  %0 = graph.subtract %squares, %sum : tensor<6xf32>
  %1 = graph.add %0, %again : tensor<6xf32>
  %2 = graph.add %1, %penalty : tensor<6xf32>
  %loss = graph.reduce_mean %2 dimensions = [0] : (tensor<6xf32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #extra.adagrad<learning_rate = 0.1 : f64>} : tensor<f32>
  graph.return %loss : tensor<f32>
}
