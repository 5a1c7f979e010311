// A block of a decoder: attention that is one call forward and one backward, whose operands are cut out of one product.
graph.variable @embedding : tensor<12x32xf32> = #graph.normal<stddev = 0.3, seed = 1>
graph.variable @scale : tensor<32xf32> = #graph.value<dense<1.0> : tensor<32xf32>>
graph.variable @offset : tensor<32xf32> = #graph.zeros
graph.variable @qkv : tensor<32x96xf32> = #graph.normal<stddev = 0.2, seed = 2>
graph.variable @out : tensor<32x32xf32> = #graph.normal<stddev = 0.2, seed = 3>
graph.variable @head : tensor<32x12xf32> = #graph.normal<stddev = 0.2, seed = 4>
graph.dataset @train : (tensor<24xi32>, tensor<24xi32>) = #graph.synthetic<samples = 50, seed = 7, limits = [12, 12]> {shuffle = true, seed = 11}

graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %ids, %labels = graph.next_batch @train {batch = 4} : tensor<4x24xi32>, tensor<4x24xi32>
  %embedding = graph.read @embedding : tensor<12x32xf32>
  %scale = graph.read @scale : tensor<32xf32>
  %offset = graph.read @offset : tensor<32xf32>
  %qkv = graph.read @qkv : tensor<32x96xf32>
  %out = graph.read @out : tensor<32x32xf32>
  %head = graph.read @head : tensor<32x12xf32>
  %e = graph.embedding %embedding, %ids : (tensor<12x32xf32>, tensor<4x24xi32>) -> tensor<4x24x32xf32>
  %x = graph.reshape %e : (tensor<4x24x32xf32>) -> tensor<96x32xf32>
  %n = graph.layer_norm %x, %scale, %offset axis = 1 epsilon = 1.0e-05 : (tensor<96x32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<96x32xf32>
  %p = graph.matmul %n, %qkv : (tensor<96x32xf32>, tensor<32x96xf32>) -> tensor<96x96xf32>
  %q2 = graph.slice %p start_indices = [0, 0] limit_indices = [96, 32] strides = [1, 1] : (tensor<96x96xf32>) -> tensor<96x32xf32>
  %k2 = graph.slice %p start_indices = [0, 32] limit_indices = [96, 64] strides = [1, 1] : (tensor<96x96xf32>) -> tensor<96x32xf32>
  %v2 = graph.slice %p start_indices = [0, 64] limit_indices = [96, 96] strides = [1, 1] : (tensor<96x96xf32>) -> tensor<96x32xf32>
  %q3 = graph.reshape %q2 : (tensor<96x32xf32>) -> tensor<4x24x2x16xf32>
  %k3 = graph.reshape %k2 : (tensor<96x32xf32>) -> tensor<4x24x2x16xf32>
  %v3 = graph.reshape %v2 : (tensor<96x32xf32>) -> tensor<4x24x2x16xf32>
  %q = graph.transpose %q3 permutation = [0, 2, 1, 3] : (tensor<4x24x2x16xf32>) -> tensor<4x2x24x16xf32>
  %k = graph.transpose %k3 permutation = [0, 2, 1, 3] : (tensor<4x24x2x16xf32>) -> tensor<4x2x24x16xf32>
  %v = graph.transpose %v3 permutation = [0, 2, 1, 3] : (tensor<4x24x2x16xf32>) -> tensor<4x2x24x16xf32>
  %a4 = graph.attention %q, %k, %v {causal} : (tensor<4x2x24x16xf32>, tensor<4x2x24x16xf32>, tensor<4x2x24x16xf32>) -> tensor<4x2x24x16xf32>
  %a3 = graph.transpose %a4 permutation = [0, 2, 1, 3] : (tensor<4x2x24x16xf32>) -> tensor<4x24x2x16xf32>
  %a2 = graph.reshape %a3 : (tensor<4x24x2x16xf32>) -> tensor<96x32xf32>
  %a1 = graph.matmul %a2, %out : (tensor<96x32xf32>, tensor<32x32xf32>) -> tensor<96x32xf32>
  %y = graph.add %x, %a1 : tensor<96x32xf32>
  %logits = graph.matmul %y, %head : (tensor<96x32xf32>, tensor<32x12xf32>) -> tensor<96x12xf32>
  %l = graph.reshape %labels : (tensor<4x24xi32>) -> tensor<96xi32>
  %loss = graph.softmax_cross_entropy %logits, %l : (tensor<96x12xf32>, tensor<96xi32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.1>} : tensor<f32>
  graph.return %loss : tensor<f32>
}
