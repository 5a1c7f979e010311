// char-gpt's layers in two small blocks: embeddings of characters and places, causal attention, layer norms, GELU, dropout behind the embedding and at the end of each
// branch; AdamW by a schedule, with decay of matrices alone and gradients clipped by their global norm; held-out windows are evaluated without dropout.
graph.dataset @train : (tensor<12xi32>, tensor<12xi32>) = #graph.text<file = "train.txt", stride = 3> {shuffle = true, seed = 1}
graph.dataset @held_out : (tensor<12xi32>, tensor<12xi32>) = #graph.text<file = "held-out.txt">
graph.variable @wte : tensor<128x32xf32> = #graph.normal<stddev = 0.1, seed = 1>
graph.variable @wpe : tensor<12x32xf32> = #graph.normal<stddev = 0.1, seed = 2>
graph.variable @h.0.ln_1.weight : tensor<32xf32> = #graph.value<dense<1.0> : tensor<32xf32>>
graph.variable @h.0.ln_1.bias : tensor<32xf32> = #graph.zeros
graph.variable @h.0.attn.qkv.weight : tensor<32x96xf32> = #graph.normal<stddev = 0.1, seed = 3>
graph.variable @h.0.attn.qkv.bias : tensor<96xf32> = #graph.zeros
graph.variable @h.0.attn.proj.weight : tensor<32x32xf32> = #graph.normal<stddev = 0.1, seed = 4>
graph.variable @h.0.attn.proj.bias : tensor<32xf32> = #graph.zeros
graph.variable @h.0.ln_2.weight : tensor<32xf32> = #graph.value<dense<1.0> : tensor<32xf32>>
graph.variable @h.0.ln_2.bias : tensor<32xf32> = #graph.zeros
graph.variable @h.0.mlp.fc.weight : tensor<32x64xf32> = #graph.normal<stddev = 0.1, seed = 5>
graph.variable @h.0.mlp.fc.bias : tensor<64xf32> = #graph.zeros
graph.variable @h.0.mlp.proj.weight : tensor<64x32xf32> = #graph.normal<stddev = 0.1, seed = 6>
graph.variable @h.0.mlp.proj.bias : tensor<32xf32> = #graph.zeros
graph.variable @h.1.ln_1.weight : tensor<32xf32> = #graph.value<dense<1.0> : tensor<32xf32>>
graph.variable @h.1.ln_1.bias : tensor<32xf32> = #graph.zeros
graph.variable @h.1.attn.qkv.weight : tensor<32x96xf32> = #graph.normal<stddev = 0.1, seed = 7>
graph.variable @h.1.attn.qkv.bias : tensor<96xf32> = #graph.zeros
graph.variable @h.1.attn.proj.weight : tensor<32x32xf32> = #graph.normal<stddev = 0.1, seed = 8>
graph.variable @h.1.attn.proj.bias : tensor<32xf32> = #graph.zeros
graph.variable @h.1.ln_2.weight : tensor<32xf32> = #graph.value<dense<1.0> : tensor<32xf32>>
graph.variable @h.1.ln_2.bias : tensor<32xf32> = #graph.zeros
graph.variable @h.1.mlp.fc.weight : tensor<32x64xf32> = #graph.normal<stddev = 0.1, seed = 9>
graph.variable @h.1.mlp.fc.bias : tensor<64xf32> = #graph.zeros
graph.variable @h.1.mlp.proj.weight : tensor<64x32xf32> = #graph.normal<stddev = 0.1, seed = 10>
graph.variable @h.1.mlp.proj.bias : tensor<32xf32> = #graph.zeros
graph.variable @ln_f.weight : tensor<32xf32> = #graph.value<dense<1.0> : tensor<32xf32>>
graph.variable @ln_f.bias : tensor<32xf32> = #graph.zeros
graph.variable @head.weight : tensor<32x128xf32> = #graph.normal<stddev = 0.1, seed = 11>

graph.func private @block(%x: tensor<24x32xf32>, %n1s: tensor<32xf32>, %n1o: tensor<32xf32>, %qkv: tensor<32x96xf32>, %qkvb: tensor<96xf32>, %proj: tensor<32x32xf32>, %projb: tensor<32xf32>, %n2s: tensor<32xf32>, %n2o: tensor<32xf32>, %fc: tensor<32x64xf32>, %fcb: tensor<64xf32>, %down: tensor<64x32xf32>, %downb: tensor<32xf32>) -> tensor<24x32xf32> {
  %n1 = graph.layer_norm %x, %n1s, %n1o axis = 1 epsilon = 1.0e-05 : (tensor<24x32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<24x32xf32>
  %p0 = graph.matmul %n1, %qkv : (tensor<24x32xf32>, tensor<32x96xf32>) -> tensor<24x96xf32>
  %p = graph.bias_add %p0, %qkvb : tensor<24x96xf32>, tensor<96xf32>
  %q2 = graph.slice %p start_indices = [0, 0] limit_indices = [24, 32] strides = [1, 1] : (tensor<24x96xf32>) -> tensor<24x32xf32>
  %q3 = graph.reshape %q2 : (tensor<24x32xf32>) -> tensor<2x12x2x16xf32>
  %q = graph.transpose %q3 permutation = [0, 2, 1, 3] : (tensor<2x12x2x16xf32>) -> tensor<2x2x12x16xf32>
  %k2 = graph.slice %p start_indices = [0, 32] limit_indices = [24, 64] strides = [1, 1] : (tensor<24x96xf32>) -> tensor<24x32xf32>
  %k3 = graph.reshape %k2 : (tensor<24x32xf32>) -> tensor<2x12x2x16xf32>
  %k = graph.transpose %k3 permutation = [0, 2, 1, 3] : (tensor<2x12x2x16xf32>) -> tensor<2x2x12x16xf32>
  %v2 = graph.slice %p start_indices = [0, 64] limit_indices = [24, 96] strides = [1, 1] : (tensor<24x96xf32>) -> tensor<24x32xf32>
  %v3 = graph.reshape %v2 : (tensor<24x32xf32>) -> tensor<2x12x2x16xf32>
  %v = graph.transpose %v3 permutation = [0, 2, 1, 3] : (tensor<2x12x2x16xf32>) -> tensor<2x2x12x16xf32>
  %a4 = graph.attention %q, %k, %v {causal} : (tensor<2x2x12x16xf32>, tensor<2x2x12x16xf32>, tensor<2x2x12x16xf32>) -> tensor<2x2x12x16xf32>
  %a3 = graph.transpose %a4 permutation = [0, 2, 1, 3] : (tensor<2x2x12x16xf32>) -> tensor<2x12x2x16xf32>
  %a2 = graph.reshape %a3 : (tensor<2x12x2x16xf32>) -> tensor<24x32xf32>
  %a1 = graph.matmul %a2, %proj : (tensor<24x32xf32>, tensor<32x32xf32>) -> tensor<24x32xf32>
  %a0 = graph.bias_add %a1, %projb : tensor<24x32xf32>, tensor<32xf32>
  %a = graph.dropout %a0 {rate = 0.1, seed = 1} : tensor<24x32xf32>
  %y = graph.add %x, %a : tensor<24x32xf32>
  %n2 = graph.layer_norm %y, %n2s, %n2o axis = 1 epsilon = 1.0e-05 : (tensor<24x32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<24x32xf32>
  %u0 = graph.matmul %n2, %fc : (tensor<24x32xf32>, tensor<32x64xf32>) -> tensor<24x64xf32>
  %u1 = graph.bias_add %u0, %fcb : tensor<24x64xf32>, tensor<64xf32>
  %u = graph.gelu %u1 {approximate = "tanh"} : tensor<24x64xf32>
  %d1 = graph.matmul %u, %down : (tensor<24x64xf32>, tensor<64x32xf32>) -> tensor<24x32xf32>
  %d0 = graph.bias_add %d1, %downb : tensor<24x32xf32>, tensor<32xf32>
  %d = graph.dropout %d0 {rate = 0.1, seed = 1} : tensor<24x32xf32>
  %z = graph.add %y, %d : tensor<24x32xf32>
  graph.return %z : tensor<24x32xf32>
}

graph.func private @gpt(%ids: tensor<2x12xi32>) -> tensor<24x128xf32> {
  %wte = graph.read @wte : tensor<128x32xf32>
  %wpe = graph.read @wpe : tensor<12x32xf32>
  %e = graph.embedding %wte, %ids : (tensor<128x32xf32>, tensor<2x12xi32>) -> tensor<2x12x32xf32> loc("embed/characters")
  %places = graph.broadcast_in_dim %wpe broadcast_dimensions = [1, 2] : (tensor<12x32xf32>) -> tensor<2x12x32xf32> loc("embed/places")
  %sum = graph.add %e, %places : tensor<2x12x32xf32> loc("embed/sum")
  %rows = graph.reshape %sum : (tensor<2x12x32xf32>) -> tensor<24x32xf32> loc("embed/rows")
  %x0 = graph.dropout %rows {rate = 0.1, seed = 1} : tensor<24x32xf32> loc("embed/dropout")
  %n1s0 = graph.read @h.0.ln_1.weight : tensor<32xf32>
  %n1o0 = graph.read @h.0.ln_1.bias : tensor<32xf32>
  %qkv0 = graph.read @h.0.attn.qkv.weight : tensor<32x96xf32>
  %qkvb0 = graph.read @h.0.attn.qkv.bias : tensor<96xf32>
  %proj0 = graph.read @h.0.attn.proj.weight : tensor<32x32xf32>
  %projb0 = graph.read @h.0.attn.proj.bias : tensor<32xf32>
  %n2s0 = graph.read @h.0.ln_2.weight : tensor<32xf32>
  %n2o0 = graph.read @h.0.ln_2.bias : tensor<32xf32>
  %fc0 = graph.read @h.0.mlp.fc.weight : tensor<32x64xf32>
  %fcb0 = graph.read @h.0.mlp.fc.bias : tensor<64xf32>
  %down0 = graph.read @h.0.mlp.proj.weight : tensor<64x32xf32>
  %downb0 = graph.read @h.0.mlp.proj.bias : tensor<32xf32>
  %x1 = graph.call @block(%x0, %n1s0, %n1o0, %qkv0, %qkvb0, %proj0, %projb0, %n2s0, %n2o0, %fc0, %fcb0, %down0, %downb0) {graph.name = "h.0"}
      : (tensor<24x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32x96xf32>, tensor<96xf32>, tensor<32x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32x64xf32>, tensor<64xf32>, tensor<64x32xf32>, tensor<32xf32>) -> tensor<24x32xf32>
  %n1s1 = graph.read @h.1.ln_1.weight : tensor<32xf32>
  %n1o1 = graph.read @h.1.ln_1.bias : tensor<32xf32>
  %qkv1 = graph.read @h.1.attn.qkv.weight : tensor<32x96xf32>
  %qkvb1 = graph.read @h.1.attn.qkv.bias : tensor<96xf32>
  %proj1 = graph.read @h.1.attn.proj.weight : tensor<32x32xf32>
  %projb1 = graph.read @h.1.attn.proj.bias : tensor<32xf32>
  %n2s1 = graph.read @h.1.ln_2.weight : tensor<32xf32>
  %n2o1 = graph.read @h.1.ln_2.bias : tensor<32xf32>
  %fc1 = graph.read @h.1.mlp.fc.weight : tensor<32x64xf32>
  %fcb1 = graph.read @h.1.mlp.fc.bias : tensor<64xf32>
  %down1 = graph.read @h.1.mlp.proj.weight : tensor<64x32xf32>
  %downb1 = graph.read @h.1.mlp.proj.bias : tensor<32xf32>
  %x2 = graph.call @block(%x1, %n1s1, %n1o1, %qkv1, %qkvb1, %proj1, %projb1, %n2s1, %n2o1, %fc1, %fcb1, %down1, %downb1) {graph.name = "h.1"}
      : (tensor<24x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32x96xf32>, tensor<96xf32>, tensor<32x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32x64xf32>, tensor<64xf32>, tensor<64x32xf32>, tensor<32xf32>) -> tensor<24x32xf32>
  %scale = graph.read @ln_f.weight : tensor<32xf32>
  %offset = graph.read @ln_f.bias : tensor<32xf32>
  %head = graph.read @head.weight : tensor<32x128xf32>
  %n = graph.layer_norm %x2, %scale, %offset axis = 1 epsilon = 1.0e-05 : (tensor<24x32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<24x32xf32> loc("head/norm")
  %logits = graph.matmul %n, %head : (tensor<24x32xf32>, tensor<32x128xf32>) -> tensor<24x128xf32> loc("head/matmul")
  graph.return %logits : tensor<24x128xf32>
}

graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %ids, %next = graph.next_batch @train {batch = 2} : tensor<2x12xi32>, tensor<2x12xi32>
  %labels = graph.reshape %next : (tensor<2x12xi32>) -> tensor<24xi32> loc("head/labels")
  %logits = graph.call @gpt(%ids) : (tensor<2x12xi32>) -> tensor<24x128xf32>
  %loss = graph.softmax_cross_entropy %logits, %labels : (tensor<24x128xf32>, tensor<24xi32>) -> tensor<f32> loc("head/loss")
  graph.minimize %loss {optimizer = #graph.adamw<learning_rate = #graph.linear_warmup<steps = 2, learning_rate = #graph.cosine_decay<
      initial_learning_rate = 0.01, decay_steps = 20>>, beta2 = 0.99, weight_decay = #graph.weight_decay<rate = 0.1, exclude = ["*bias", "*ln_*"]>>,
      clip_global_norm = 1.0} : tensor<f32>
  graph.return %loss : tensor<f32>
}

graph.func @eval_step() -> () attributes {role = #graph.role<eval>} {
  %ids, %next, %valid = graph.next_batch @held_out {batch = 2, pad_last} : tensor<2x12xi32>, tensor<2x12xi32>, tensor<2xi1>
  %labels = graph.reshape %next : (tensor<2x12xi32>) -> tensor<24xi32>
  %logits = graph.call @gpt(%ids) : (tensor<2x12xi32>) -> tensor<24x128xf32>
  %log = graph.log_softmax %logits : tensor<24x128xf32>
  %came = graph.one_hot %labels : (tensor<24xi32>) -> tensor<24x128xf32>
  %its = graph.multiply %log, %came : tensor<24x128xf32>
  %sums = graph.reduce_sum %its dimensions = [1] : (tensor<24x128xf32>) -> tensor<24xf32>
  %windows = graph.reshape %sums : (tensor<24xf32>) -> tensor<2x12xf32>
  %nats = graph.reduce_mean %windows dimensions = [1] : (tensor<2x12xf32>) -> tensor<2xf32>
  graph.metric "nats", %nats, %valid : tensor<2xf32>, tensor<2xi1>
  graph.return
}
