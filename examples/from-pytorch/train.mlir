// A network that is written in PyTorch (export.py), trained here: loss.mlir and logits.mlir have its functions, as torchax and JAX wrote them. What is
// said here is what they lack: data, the optimizer, and what is measured. Both functions take images and labels alone, as parameters and buffers, which
// they take in JAX, are variables here: --import_variables=params,buffers.

// What they begin with, drawn as PyTorch does. Without these lines they begin with what a file has: graphrun --init_from params.safetensors.
graph.variable @params.conv1.weight : tensor<16x1x5x5xf32> = #graph.uniform<low = -0.2, high = 0.2, seed = 1>
graph.variable @params.bn.weight : tensor<16xf32> = #graph.value<dense<1.0> : tensor<16xf32>>
graph.variable @params.bn.bias : tensor<16xf32> = #graph.zeros
graph.variable @params.conv2.weight : tensor<32x16x5x5xf32> = #graph.uniform<low = -0.05, high = 0.05, seed = 2>
graph.variable @params.conv2.bias : tensor<32xf32> = #graph.uniform<low = -0.05, high = 0.05, seed = 3>
graph.variable @params.fc1.weight : tensor<64x1568xf32> = #graph.uniform<low = -0.02525, high = 0.02525, seed = 4>
graph.variable @params.fc1.bias : tensor<64xf32> = #graph.uniform<low = -0.02525, high = 0.02525, seed = 5>
graph.variable @params.fc2.weight : tensor<10x64xf32> = #graph.uniform<low = -0.125, high = 0.125, seed = 6>
graph.variable @params.fc2.bias : tensor<10xf32> = #graph.uniform<low = -0.125, high = 0.125, seed = 7>
graph.variable @buffers.bn.running_mean : tensor<16xf32> = #graph.zeros {trainable = false}
graph.variable @buffers.bn.running_var : tensor<16xf32> = #graph.value<dense<1.0> : tensor<16xf32>> {trainable = false}
graph.variable @buffers.bn.num_batches_tracked : tensor<i32> = #graph.zeros {trainable = false}

graph.dataset @train : (tensor<28x28x1xf32>, tensor<i32>) =
    #graph.idx<files = ["train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz"], scale = 0.00392156862745098>
    {shuffle = true, seed = 7}
graph.dataset @test : (tensor<28x28x1xf32>, tensor<i32>) =
    #graph.idx<files = ["t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz"], scale = 0.00392156862745098>

graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x, %y = graph.next_batch @train {batch = 50} : tensor<50x28x28x1xf32>, tensor<50xi32>
  %images = graph.reshape %x : (tensor<50x28x28x1xf32>) -> tensor<50x1x28x28xf32>
  %loss = graph.call @loss(%images, %y) : (tensor<50x1x28x28xf32>, tensor<50xi32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.adam<learning_rate = 0.001>} : tensor<f32>
  graph.return %loss : tensor<f32>
}

graph.func @eval_step() -> () attributes {role = #graph.role<eval>} {
  %x, %y, %valid = graph.next_batch @test {batch = 50, pad_last} : tensor<50x28x28x1xf32>, tensor<50xi32>, tensor<50xi1>
  %images = graph.reshape %x : (tensor<50x28x28x1xf32>) -> tensor<50x1x28x28xf32>
  %logits = graph.call @logits(%images) : (tensor<50x1x28x28xf32>) -> tensor<50x10xf32>
  %class = graph.argmax %logits dimension = 1 : (tensor<50x10xf32>) -> tensor<50xi32>
  %hit = graph.compare eq, %class, %y : tensor<50xi32>
  graph.metric "accuracy", %hit, %valid : tensor<50xi1>, tensor<50xi1>
  graph.return
}
