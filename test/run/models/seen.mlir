// Counts how often each sample was trained with: the gradient is minus the number of times that a batch has it.
graph.variable @seen : tensor<24xf32> = #graph.zeros
graph.dataset @train : (tensor<i32>) = #graph.npy<files = ["numbers.npy"]> {shuffle = true, seed = 3}

graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %numbers = graph.next_batch @train {batch = 2} : tensor<2xi32>
  %all = graph.constant dense<[[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23],
                               [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23]]> : tensor<2x24xi32>
  %each = graph.broadcast_in_dim %numbers broadcast_dimensions = [0] : (tensor<2xi32>) -> tensor<2x24xi32>
  %is = graph.compare eq, %each, %all : tensor<2x24xi32>
  %ones = graph.convert %is : (tensor<2x24xi1>) -> tensor<2x24xf32>
  %has = graph.reduce_sum %ones dimensions = [0] : (tensor<2x24xf32>) -> tensor<24xf32>
  %seen = graph.read @seen : tensor<24xf32>
  %product = graph.multiply %has, %seen : tensor<24xf32>
  %sum = graph.reduce_sum %product dimensions = [0] : (tensor<24xf32>) -> tensor<f32>
  %loss = graph.negate %sum : tensor<f32>
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 1.0>} : tensor<f32>
  graph.return %loss : tensor<f32>
}
