// One gradient of 64 MiB, made anew each step as a dense layer's is for one sample, summed over the workers and applied. A step is
// the all-reduce and two passes over memory, which a process alone makes too: measure.py takes what they cost off, and puts other sizes
// in the place of 4096.
graph.variable @w : tensor<4096x4096xf32> = #graph.zeros
graph.variable @x : tensor<1x4096xf32> = #graph.value<dense<0.5> : tensor<1x4096xf32>> {trainable = false}
graph.variable @y : tensor<1x4096xf32> = #graph.value<dense<2.0> : tensor<1x4096xf32>> {trainable = false}
graph.variable @global_step : tensor<i64> = #graph.zeros {trainable = false}

graph.func @train_step() -> () attributes {role = #graph.role<train>} {
  %x = graph.read @x : tensor<1x4096xf32>
  %y = graph.read @y : tensor<1x4096xf32>
  %g = graph.matmul %x, %y {transpose_a} : (tensor<1x4096xf32>, tensor<1x4096xf32>) -> tensor<4096x4096xf32>
  graph.apply_sgd @w, %g {learning_rate = 0.01} : tensor<4096x4096xf32>
  %one = graph.constant dense<1> : tensor<i64>
  graph.assign_add @global_step, %one : tensor<i64>
  graph.return
}
