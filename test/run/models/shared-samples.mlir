// A critic that trains twice a step and a generator that trains once, as in a generative adversarial network, each on the next samples of one data set. What takes samples is a function, and one call takes more of them than the others.
graph.dataset @train : (tensor<f32>, tensor<f32>) = #graph.synthetic<samples = 200, seed = 5> {shuffle = true, seed = 3}
graph.variable @a : tensor<f32> = #graph.value<dense<0.5> : tensor<f32>>
graph.variable @c : tensor<f32> = #graph.value<dense<0.7> : tensor<f32>>
graph.variable @k : tensor<f32> = #graph.value<dense<1.3> : tensor<f32>>

graph.func private @critic(%x: tensor<4xf32>) -> tensor<f32> {
  %c = graph.read @c : tensor<f32>
  %k = graph.read @k : tensor<f32>
  %h = graph.multiply %x, %c : tensor<4xf32>
  %t = graph.tanh %h : tensor<4xf32>
  %s = graph.multiply %t, %k : tensor<4xf32>
  %m = graph.reduce_mean %s dimensions = [0] : (tensor<4xf32>) -> tensor<f32>
  graph.return %m : tensor<f32>
}
graph.func private @batch() -> (tensor<4xf32>, tensor<4xf32>) {
  %x, %z = graph.next_batch @train {batch = 4} : tensor<4xf32>, tensor<4xf32>
  graph.return %x, %z : tensor<4xf32>, tensor<4xf32>
}
graph.func private @critic_loss() -> tensor<f32> {
  %x, %z = graph.call @batch() : () -> (tensor<4xf32>, tensor<4xf32>)
  %a = graph.read @a : tensor<f32>
  %fake = graph.multiply %z, %a : tensor<4xf32>
  %df = graph.call @critic(%fake) : (tensor<4xf32>) -> tensor<f32>
  %dr = graph.call @critic(%x) : (tensor<4xf32>) -> tensor<f32>
  %loss = graph.subtract %df, %dr : tensor<f32>
  graph.return %loss : tensor<f32>
}
graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}, tensor<f32> {graph.name = "first"}) attributes {role = #graph.role<train>} {
  %first = graph.call @critic_loss() : () -> tensor<f32>
  graph.minimize %first {optimizer = #graph.rmsprop<learning_rate = 0.01>, variables = [@c, @k]} : tensor<f32>
  %second = graph.call @critic_loss() : () -> tensor<f32>
  graph.minimize %second {optimizer = #graph.rmsprop<learning_rate = 0.01>, variables = [@c, @k]} : tensor<f32>
  %x, %z = graph.next_batch @train {batch = 8} : tensor<8xf32>, tensor<8xf32>
  %half = graph.slice %z start_indices = [2] limit_indices = [6] strides = [1] : (tensor<8xf32>) -> tensor<4xf32>
  %a = graph.read @a : tensor<f32>
  %fake = graph.multiply %half, %a : tensor<4xf32>
  %df = graph.call @critic(%fake) : (tensor<4xf32>) -> tensor<f32>
  %loss = graph.negate %df : tensor<f32>
  graph.minimize %loss {optimizer = #graph.adam<learning_rate = 0.02, beta1 = 0.5>, variables = [@a]} : tensor<f32>
  graph.return %loss, %first : tensor<f32>, tensor<f32>
}
