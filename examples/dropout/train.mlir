// A network with dropout that Flax or PyTorch has written (from-linen, from-nnx, from-torch), trained here.
graph.dataset @train : (tensor<8xf32>, tensor<i32>) = #graph.synthetic<samples = 640, seed = 1, limits = [0, 4]>

graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x, %y = graph.next_batch @train {batch = 32} : tensor<32x8xf32>, tensor<32xi32>
  %key = graph.random_uniform {low = 0, high = 4294967296, seed = 3} : tensor<2xui32>
  graph.summary "key", %key : tensor<2xui32>
  %loss = graph.call @loss(%key, %x, %y) : (tensor<2xui32>, tensor<32x8xf32>, tensor<32xi32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.adam<learning_rate = 0.01>} : tensor<f32>
  graph.return %loss : tensor<f32>
}

graph.func @eval_step() -> () attributes {role = #graph.role<eval>} {
  %x, %y, %valid = graph.next_batch @train {batch = 32, pad_last} : tensor<32x8xf32>, tensor<32xi32>, tensor<32xi1>
  %logits = graph.call @logits(%x) : (tensor<32x8xf32>) -> tensor<32x4xf32>
  %class = graph.argmax %logits dimension = 1 : (tensor<32x4xf32>) -> tensor<32xi32>
  %hit = graph.compare eq, %class, %y : tensor<32xi32>
  graph.metric "accuracy", %hit, %valid : tensor<32xi1>, tensor<32xi1>
  graph.return
}

graph.func @predict(%x: tensor<32x8xf32> {graph.name = "x"}) -> (tensor<32x4xf32> {graph.name = "logits"})
    attributes {role = #graph.role<predict>} {
  %logits = graph.call @logits(%x) : (tensor<32x8xf32>) -> tensor<32x4xf32>
  graph.return %logits : tensor<32x4xf32>
}
