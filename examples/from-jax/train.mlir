// A network that is written in Flax (export.py), trained here: loss.mlir and logits.mlir have its functions, as JAX wrote them. What is
// said here is what they lack: data, the optimizer, and what is measured. Both functions take images and labels alone, as the weights that they take in
// JAX, `params`, are variables here.

// What the weights begin with. Without these lines they begin with what a file has: graphrun --init_from params.npz.
graph.variable @params.Conv_0.kernel : tensor<5x5x1x16xf32> = #graph.normal<stddev = 0.2, seed = 1, truncated = true>
graph.variable @params.Conv_0.bias : tensor<16xf32> = #graph.zeros
graph.variable @params.Conv_1.kernel : tensor<5x5x16x32xf32> = #graph.normal<stddev = 0.05, seed = 2, truncated = true>
graph.variable @params.Conv_1.bias : tensor<32xf32> = #graph.zeros
graph.variable @params.Dense_0.kernel : tensor<1568x64xf32> = #graph.glorot_uniform<seed = 3>
graph.variable @params.Dense_0.bias : tensor<64xf32> = #graph.zeros
graph.variable @params.Dense_1.kernel : tensor<64x10xf32> = #graph.glorot_uniform<seed = 4>
graph.variable @params.Dense_1.bias : tensor<10xf32> = #graph.zeros

graph.dataset @train : (tensor<28x28x1xf32>, tensor<i32>) =
    #graph.idx<files = ["train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz"], scale = 0.00392156862745098>
    {shuffle = true, seed = 7}
graph.dataset @test : (tensor<28x28x1xf32>, tensor<i32>) =
    #graph.idx<files = ["t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz"], scale = 0.00392156862745098>

graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x, %y = graph.next_batch @train {batch = 50} : tensor<50x28x28x1xf32>, tensor<50xi32>
  %loss = graph.call @loss(%x, %y) : (tensor<50x28x28x1xf32>, tensor<50xi32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.adam<learning_rate = 0.001>} : tensor<f32>
  graph.return %loss : tensor<f32>
}

graph.func @eval_step() -> () attributes {role = #graph.role<eval>} {
  %x, %y, %valid = graph.next_batch @test {batch = 50, pad_last} : tensor<50x28x28x1xf32>, tensor<50xi32>, tensor<50xi1>
  %logits = graph.call @logits(%x) : (tensor<50x28x28x1xf32>) -> tensor<50x10xf32>
  %class = graph.argmax %logits dimension = 1 : (tensor<50x10xf32>) -> tensor<50xi32>
  %hit = graph.compare eq, %class, %y : tensor<50xi32>
  graph.metric "accuracy", %hit, %valid : tensor<50xi1>, tensor<50xi1>
  graph.return
}
