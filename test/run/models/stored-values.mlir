// A value that is computed from a trained variable, stored, averaged over steps and read again: a target without a gradient (graph.stop_gradient), as of a slowly moving teacher, beside the value itself with one.
graph.dataset @train : (tensor<3xf32>, tensor<f32>) = #graph.synthetic<samples = 200, seed = 5> {shuffle = true, seed = 3}
graph.variable @w : tensor<3xf32> = #graph.value<dense<[0.5, -0.25, 0.125]> : tensor<3xf32>>
graph.variable @last : tensor<3xf32> = #graph.zeros {trainable = false}
graph.variable @teacher : tensor<3xf32> = #graph.value<dense<0.1> : tensor<3xf32>> {trainable = false}
graph.func private @predict(%x: tensor<4x3xf32>, %w: tensor<3xf32>) -> tensor<4xf32> {
  %wide = graph.broadcast_in_dim %w broadcast_dimensions = [1] : (tensor<3xf32>) -> tensor<4x3xf32>
  %p = graph.multiply %x, %wide : tensor<4x3xf32>
  %y = graph.reduce_sum %p dimensions = [1] : (tensor<4x3xf32>) -> tensor<4xf32>
  graph.return %y : tensor<4xf32>
}
graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x, %y = graph.next_batch @train {batch = 4} : tensor<4x3xf32>, tensor<4xf32>
  %w = graph.read @w : tensor<3xf32>
  %t = graph.tanh %w : tensor<3xf32>
  graph.assign @last, %t : tensor<3xf32>
  graph.assign_moving_average @teacher, %t {momentum = 0.75} : tensor<3xf32>
  %teacher = graph.read @teacher : tensor<3xf32>
  %target = graph.stop_gradient %teacher : tensor<3xf32>
  %mine = graph.call @predict(%x, %t) : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4xf32>
  %its = graph.call @predict(%x, %target) : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4xf32>
  %d = graph.subtract %mine, %its : tensor<4xf32>
  %e = graph.subtract %mine, %y : tensor<4xf32>
  %p = graph.multiply %d, %e : tensor<4xf32>
  %q = graph.multiply %e, %e : tensor<4xf32>
  %s = graph.add %p, %q : tensor<4xf32>
  %loss = graph.reduce_mean %s dimensions = [0] : (tensor<4xf32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.1>} : tensor<f32>
  graph.return %loss : tensor<f32>
}
