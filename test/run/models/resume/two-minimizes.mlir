// Two minimize in one step, of unlike optimizers: a step is one all the same.
graph.variable @a : tensor<2xf64> = #graph.value<dense<[1.0, 2.0]> : tensor<2xf64>>
graph.variable @b : tensor<2xf64> = #graph.value<dense<[3.0, 5.0]> : tensor<2xf64>>
graph.func @t() -> (tensor<f64> {graph.name = "loss"}, tensor<f64> {graph.name = "loss2"}) attributes {role = #graph.role<train>} {
  %a = graph.read @a : tensor<2xf64>
  %b = graph.read @b : tensor<2xf64>
  %c = graph.multiply %a, %b : tensor<2xf64>
  %l = graph.reduce_sum %c dimensions = [0] : (tensor<2xf64>) -> tensor<f64>
  graph.minimize %l {optimizer = #graph.sgd<learning_rate = 0.5>, variables = [@a]} : tensor<f64>
  %a2 = graph.read @a : tensor<2xf64>
  %d = graph.multiply %a2, %b : tensor<2xf64>
  %l2 = graph.reduce_sum %d dimensions = [0] : (tensor<2xf64>) -> tensor<f64>
  graph.minimize %l2 {optimizer = #graph.momentum<learning_rate = 0.25, momentum = 0.5>} : tensor<f64>
  graph.return %l, %l2 : tensor<f64>, tensor<f64>
}
