// A character-level GPT: 4 blocks of width 256 with 4 heads over 128 characters, 3.2 million weights, and 12.6 million of n-grams of characters. Names are those of GPT-2. A block is one function, declared
// once and called four times with weights of its own; the network is one, which training, evaluation and prediction call. Dropout drops in training alone.

// Windows of 128 bytes of the text, and the same one byte later: what comes next at each place. The text is ASCII, so that there are 128 of them. Those of the
// held-out text overlap by half, so that each character behind the first 65, but for an end that fills no window, is predicted once from at least 65 before it.
graph.dataset @train : (tensor<128xi32>, tensor<128xi32>) = #graph.text<file = "train.txt", stride = 16> {shuffle = true, seed = 1}
graph.dataset @held_out : (tensor<128xi32>, tensor<128xi32>) = #graph.text<file = "held-out.txt", stride = 64>

graph.variable @wte : tensor<128x256xf32> = #graph.normal<stddev = 0.02, seed = 1>
// Of the character one place before and of that two before, and of what the last three and the last four are together, by a remainder of their numbers: a
// place begins as its n-grams, whose embeddings learn sooner than attention learns to look back.
graph.variable @wte.1 : tensor<128x256xf32> = #graph.normal<stddev = 0.02, seed = 31>
graph.variable @wte.2 : tensor<128x256xf32> = #graph.normal<stddev = 0.02, seed = 32>
graph.variable @wte.trigram : tensor<16381x256xf32> = #graph.normal<stddev = 0.02, seed = 33>
graph.variable @wte.tetragram : tensor<32749x256xf32> = #graph.normal<stddev = 0.02, seed = 34>
graph.variable @wpe : tensor<128x256xf32> = #graph.normal<stddev = 0.02, seed = 2>
graph.variable @h.0.ln_1.weight : tensor<256xf32> = #graph.value<dense<1.0> : tensor<256xf32>>
graph.variable @h.0.ln_1.bias : tensor<256xf32> = #graph.zeros
graph.variable @h.0.attn.qkv.weight : tensor<256x768xf32> = #graph.normal<stddev = 0.02, seed = 3>
graph.variable @h.0.attn.qkv.bias : tensor<768xf32> = #graph.zeros
graph.variable @h.0.attn.proj.weight : tensor<256x256xf32> = #graph.normal<stddev = 0.007, seed = 4>
graph.variable @h.0.attn.proj.bias : tensor<256xf32> = #graph.zeros
graph.variable @h.0.ln_2.weight : tensor<256xf32> = #graph.value<dense<1.0> : tensor<256xf32>>
graph.variable @h.0.ln_2.bias : tensor<256xf32> = #graph.zeros
graph.variable @h.0.mlp.fc.weight : tensor<256x1024xf32> = #graph.normal<stddev = 0.02, seed = 5>
graph.variable @h.0.mlp.fc.bias : tensor<1024xf32> = #graph.zeros
graph.variable @h.0.mlp.proj.weight : tensor<1024x256xf32> = #graph.normal<stddev = 0.007, seed = 6>
graph.variable @h.0.mlp.proj.bias : tensor<256xf32> = #graph.zeros
graph.variable @h.1.ln_1.weight : tensor<256xf32> = #graph.value<dense<1.0> : tensor<256xf32>>
graph.variable @h.1.ln_1.bias : tensor<256xf32> = #graph.zeros
graph.variable @h.1.attn.qkv.weight : tensor<256x768xf32> = #graph.normal<stddev = 0.02, seed = 7>
graph.variable @h.1.attn.qkv.bias : tensor<768xf32> = #graph.zeros
graph.variable @h.1.attn.proj.weight : tensor<256x256xf32> = #graph.normal<stddev = 0.007, seed = 8>
graph.variable @h.1.attn.proj.bias : tensor<256xf32> = #graph.zeros
graph.variable @h.1.ln_2.weight : tensor<256xf32> = #graph.value<dense<1.0> : tensor<256xf32>>
graph.variable @h.1.ln_2.bias : tensor<256xf32> = #graph.zeros
graph.variable @h.1.mlp.fc.weight : tensor<256x1024xf32> = #graph.normal<stddev = 0.02, seed = 9>
graph.variable @h.1.mlp.fc.bias : tensor<1024xf32> = #graph.zeros
graph.variable @h.1.mlp.proj.weight : tensor<1024x256xf32> = #graph.normal<stddev = 0.007, seed = 10>
graph.variable @h.1.mlp.proj.bias : tensor<256xf32> = #graph.zeros
graph.variable @h.2.ln_1.weight : tensor<256xf32> = #graph.value<dense<1.0> : tensor<256xf32>>
graph.variable @h.2.ln_1.bias : tensor<256xf32> = #graph.zeros
graph.variable @h.2.attn.qkv.weight : tensor<256x768xf32> = #graph.normal<stddev = 0.02, seed = 11>
graph.variable @h.2.attn.qkv.bias : tensor<768xf32> = #graph.zeros
graph.variable @h.2.attn.proj.weight : tensor<256x256xf32> = #graph.normal<stddev = 0.007, seed = 12>
graph.variable @h.2.attn.proj.bias : tensor<256xf32> = #graph.zeros
graph.variable @h.2.ln_2.weight : tensor<256xf32> = #graph.value<dense<1.0> : tensor<256xf32>>
graph.variable @h.2.ln_2.bias : tensor<256xf32> = #graph.zeros
graph.variable @h.2.mlp.fc.weight : tensor<256x1024xf32> = #graph.normal<stddev = 0.02, seed = 13>
graph.variable @h.2.mlp.fc.bias : tensor<1024xf32> = #graph.zeros
graph.variable @h.2.mlp.proj.weight : tensor<1024x256xf32> = #graph.normal<stddev = 0.007, seed = 14>
graph.variable @h.2.mlp.proj.bias : tensor<256xf32> = #graph.zeros
graph.variable @h.3.ln_1.weight : tensor<256xf32> = #graph.value<dense<1.0> : tensor<256xf32>>
graph.variable @h.3.ln_1.bias : tensor<256xf32> = #graph.zeros
graph.variable @h.3.attn.qkv.weight : tensor<256x768xf32> = #graph.normal<stddev = 0.02, seed = 15>
graph.variable @h.3.attn.qkv.bias : tensor<768xf32> = #graph.zeros
graph.variable @h.3.attn.proj.weight : tensor<256x256xf32> = #graph.normal<stddev = 0.007, seed = 16>
graph.variable @h.3.attn.proj.bias : tensor<256xf32> = #graph.zeros
graph.variable @h.3.ln_2.weight : tensor<256xf32> = #graph.value<dense<1.0> : tensor<256xf32>>
graph.variable @h.3.ln_2.bias : tensor<256xf32> = #graph.zeros
graph.variable @h.3.mlp.fc.weight : tensor<256x1024xf32> = #graph.normal<stddev = 0.02, seed = 17>
graph.variable @h.3.mlp.fc.bias : tensor<1024xf32> = #graph.zeros
graph.variable @h.3.mlp.proj.weight : tensor<1024x256xf32> = #graph.normal<stddev = 0.007, seed = 18>
graph.variable @h.3.mlp.proj.bias : tensor<256xf32> = #graph.zeros
graph.variable @ln_f.weight : tensor<256xf32> = #graph.value<dense<1.0> : tensor<256xf32>>
graph.variable @ln_f.bias : tensor<256xf32> = #graph.zeros
graph.variable @head.weight : tensor<256x128xf32> = #graph.normal<stddev = 0.02, seed = 19>
// What prediction has written so far, 8 texts side by side; they begin as ends of lines.
graph.variable @written : tensor<8x128xi32> = #graph.value<dense<10> : tensor<8x128xi32>> {trainable = false}

// Rows are the places of all texts. Attention is causal: a place sees those before it and itself.
graph.func private @block(%x: tensor<1024x256xf32>, %norm1_scale: tensor<256xf32>, %norm1_offset: tensor<256xf32>, %qkv: tensor<256x768xf32>, %qkv_bias: tensor<768xf32>, %proj: tensor<256x256xf32>, %proj_bias: tensor<256xf32>, %norm2_scale: tensor<256xf32>, %norm2_offset: tensor<256xf32>, %fc: tensor<256x1024xf32>, %fc_bias: tensor<1024xf32>, %down: tensor<1024x256xf32>, %down_bias: tensor<256xf32>) -> tensor<1024x256xf32> {
  %n1 = graph.layer_norm %x, %norm1_scale, %norm1_offset axis = 1 epsilon = 1.0e-05 : (tensor<1024x256xf32>, tensor<256xf32>, tensor<256xf32>) -> tensor<1024x256xf32>
  %p0 = graph.matmul %n1, %qkv : (tensor<1024x256xf32>, tensor<256x768xf32>) -> tensor<1024x768xf32>
  %p = graph.bias_add %p0, %qkv_bias : tensor<1024x768xf32>, tensor<768xf32>
  %q2 = graph.slice %p start_indices = [0, 0] limit_indices = [1024, 256] strides = [1, 1] : (tensor<1024x768xf32>) -> tensor<1024x256xf32>
  %q3 = graph.reshape %q2 : (tensor<1024x256xf32>) -> tensor<8x128x4x64xf32>
  %q = graph.transpose %q3 permutation = [0, 2, 1, 3] : (tensor<8x128x4x64xf32>) -> tensor<8x4x128x64xf32>
  %k2 = graph.slice %p start_indices = [0, 256] limit_indices = [1024, 512] strides = [1, 1] : (tensor<1024x768xf32>) -> tensor<1024x256xf32>
  %k3 = graph.reshape %k2 : (tensor<1024x256xf32>) -> tensor<8x128x4x64xf32>
  %k = graph.transpose %k3 permutation = [0, 2, 1, 3] : (tensor<8x128x4x64xf32>) -> tensor<8x4x128x64xf32>
  %v2 = graph.slice %p start_indices = [0, 512] limit_indices = [1024, 768] strides = [1, 1] : (tensor<1024x768xf32>) -> tensor<1024x256xf32>
  %v3 = graph.reshape %v2 : (tensor<1024x256xf32>) -> tensor<8x128x4x64xf32>
  %v = graph.transpose %v3 permutation = [0, 2, 1, 3] : (tensor<8x128x4x64xf32>) -> tensor<8x4x128x64xf32>
  %a4 = graph.attention %q, %k, %v {causal} : (tensor<8x4x128x64xf32>, tensor<8x4x128x64xf32>, tensor<8x4x128x64xf32>) -> tensor<8x4x128x64xf32>
  %a3 = graph.transpose %a4 permutation = [0, 2, 1, 3] : (tensor<8x4x128x64xf32>) -> tensor<8x128x4x64xf32>
  %a2 = graph.reshape %a3 : (tensor<8x128x4x64xf32>) -> tensor<1024x256xf32>
  %a1 = graph.matmul %a2, %proj : (tensor<1024x256xf32>, tensor<256x256xf32>) -> tensor<1024x256xf32>
  %a = graph.bias_add %a1, %proj_bias : tensor<1024x256xf32>, tensor<256xf32>
  %a_dropped = graph.dropout %a {rate = 0.05, seed = 1} : tensor<1024x256xf32>
  %y = graph.add %x, %a_dropped : tensor<1024x256xf32>
  %n2 = graph.layer_norm %y, %norm2_scale, %norm2_offset axis = 1 epsilon = 1.0e-05 : (tensor<1024x256xf32>, tensor<256xf32>, tensor<256xf32>) -> tensor<1024x256xf32>
  %u0 = graph.matmul %n2, %fc : (tensor<1024x256xf32>, tensor<256x1024xf32>) -> tensor<1024x1024xf32>
  %u1 = graph.bias_add %u0, %fc_bias : tensor<1024x1024xf32>, tensor<1024xf32>
  %u = graph.gelu %u1 {approximate = "tanh"} : tensor<1024x1024xf32>
  %d0 = graph.matmul %u, %down : (tensor<1024x1024xf32>, tensor<1024x256xf32>) -> tensor<1024x256xf32>
  %d = graph.bias_add %d0, %down_bias : tensor<1024x256xf32>, tensor<256xf32>
  %d_dropped = graph.dropout %d {rate = 0.05, seed = 2} : tensor<1024x256xf32>
  %z = graph.add %y, %d_dropped : tensor<1024x256xf32>
  graph.return %z : tensor<1024x256xf32>
}

// What stands so many places before each place; before the window, ends of lines.
graph.func private @one_before(%ids: tensor<8x128xi32>) -> tensor<8x128xi32> {
  %end = graph.constant dense<10> : tensor<8x1xi32>
  %but_last = graph.slice %ids start_indices = [0, 0] limit_indices = [8, 127] strides = [1, 1] : (tensor<8x128xi32>) -> tensor<8x127xi32>
  %y = graph.concatenate %end, %but_last dimension = 1 : (tensor<8x1xi32>, tensor<8x127xi32>) -> tensor<8x128xi32>
  graph.return %y : tensor<8x128xi32>
}

// The embeddings of the character at each place, of the two before it, of the last three and the last four together, and of the place.
graph.func private @embed(%ids: tensor<8x128xi32>) -> tensor<1024x256xf32> {
  %wte = graph.read @wte : tensor<128x256xf32>
  %wte1 = graph.read @wte.1 : tensor<128x256xf32>
  %wte2 = graph.read @wte.2 : tensor<128x256xf32>
  %wte3 = graph.read @wte.trigram : tensor<16381x256xf32>
  %wte4 = graph.read @wte.tetragram : tensor<32749x256xf32>
  %wpe = graph.read @wpe : tensor<128x256xf32>
  %ids1 = graph.call @one_before(%ids) : (tensor<8x128xi32>) -> tensor<8x128xi32>
  %ids2 = graph.call @one_before(%ids1) : (tensor<8x128xi32>) -> tensor<8x128xi32>
  %ids3 = graph.call @one_before(%ids2) : (tensor<8x128xi32>) -> tensor<8x128xi32>
  %k1 = graph.constant dense<131> : tensor<8x128xi32>
  %k2 = graph.constant dense<17161> : tensor<8x128xi32>
  %k3 = graph.constant dense<2248091> : tensor<8x128xi32>
  %n1 = graph.multiply %ids1, %k1 : tensor<8x128xi32>
  %n2 = graph.multiply %ids2, %k2 : tensor<8x128xi32>
  %n3 = graph.multiply %ids3, %k3 : tensor<8x128xi32>
  %bigram = graph.add %ids, %n1 : tensor<8x128xi32>
  %trigram = graph.add %bigram, %n2 : tensor<8x128xi32>
  %tetragram = graph.add %trigram, %n3 : tensor<8x128xi32>
  %rows3 = graph.constant dense<16381> : tensor<8x128xi32>
  %rows4 = graph.constant dense<32749> : tensor<8x128xi32>
  %row3 = graph.remainder %trigram, %rows3 : tensor<8x128xi32>
  %row4 = graph.remainder %tetragram, %rows4 : tensor<8x128xi32>
  %e0 = graph.embedding %wte, %ids : (tensor<128x256xf32>, tensor<8x128xi32>) -> tensor<8x128x256xf32>
  %e1 = graph.embedding %wte1, %ids1 : (tensor<128x256xf32>, tensor<8x128xi32>) -> tensor<8x128x256xf32>
  %e2 = graph.embedding %wte2, %ids2 : (tensor<128x256xf32>, tensor<8x128xi32>) -> tensor<8x128x256xf32>
  %e3 = graph.embedding %wte3, %row3 : (tensor<16381x256xf32>, tensor<8x128xi32>) -> tensor<8x128x256xf32>
  %e4 = graph.embedding %wte4, %row4 : (tensor<32749x256xf32>, tensor<8x128xi32>) -> tensor<8x128x256xf32>
  %places = graph.broadcast_in_dim %wpe broadcast_dimensions = [1, 2] : (tensor<128x256xf32>) -> tensor<8x128x256xf32>
  %s0 = graph.add %e0, %places : tensor<8x128x256xf32>
  %s1 = graph.add %e1, %e2 : tensor<8x128x256xf32>
  %s2 = graph.add %e3, %e4 : tensor<8x128x256xf32>
  %s3 = graph.add %s0, %s1 : tensor<8x128x256xf32>
  %sum = graph.add %s3, %s2 : tensor<8x128x256xf32>
  %x = graph.reshape %sum : (tensor<8x128x256xf32>) -> tensor<1024x256xf32>
  graph.return %x : tensor<1024x256xf32>
}

// A number for each character that may come next, at each place.
graph.func private @gpt(%ids: tensor<8x128xi32>) -> tensor<1024x128xf32> {
  %x0 = graph.call @embed(%ids) {graph.name = "embed"} : (tensor<8x128xi32>) -> tensor<1024x256xf32>
  %norm1_scale0 = graph.read @h.0.ln_1.weight : tensor<256xf32>
  %norm1_offset0 = graph.read @h.0.ln_1.bias : tensor<256xf32>
  %qkv0 = graph.read @h.0.attn.qkv.weight : tensor<256x768xf32>
  %qkv_bias0 = graph.read @h.0.attn.qkv.bias : tensor<768xf32>
  %proj0 = graph.read @h.0.attn.proj.weight : tensor<256x256xf32>
  %proj_bias0 = graph.read @h.0.attn.proj.bias : tensor<256xf32>
  %norm2_scale0 = graph.read @h.0.ln_2.weight : tensor<256xf32>
  %norm2_offset0 = graph.read @h.0.ln_2.bias : tensor<256xf32>
  %fc0 = graph.read @h.0.mlp.fc.weight : tensor<256x1024xf32>
  %fc_bias0 = graph.read @h.0.mlp.fc.bias : tensor<1024xf32>
  %down0 = graph.read @h.0.mlp.proj.weight : tensor<1024x256xf32>
  %down_bias0 = graph.read @h.0.mlp.proj.bias : tensor<256xf32>
  %x1 = graph.call @block(%x0, %norm1_scale0, %norm1_offset0, %qkv0, %qkv_bias0, %proj0, %proj_bias0, %norm2_scale0, %norm2_offset0, %fc0, %fc_bias0, %down0, %down_bias0) {graph.name = "h.0"}
      : (tensor<1024x256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256x768xf32>, tensor<768xf32>, tensor<256x256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256x1024xf32>, tensor<1024xf32>, tensor<1024x256xf32>, tensor<256xf32>) -> tensor<1024x256xf32>
  %norm1_scale1 = graph.read @h.1.ln_1.weight : tensor<256xf32>
  %norm1_offset1 = graph.read @h.1.ln_1.bias : tensor<256xf32>
  %qkv1 = graph.read @h.1.attn.qkv.weight : tensor<256x768xf32>
  %qkv_bias1 = graph.read @h.1.attn.qkv.bias : tensor<768xf32>
  %proj1 = graph.read @h.1.attn.proj.weight : tensor<256x256xf32>
  %proj_bias1 = graph.read @h.1.attn.proj.bias : tensor<256xf32>
  %norm2_scale1 = graph.read @h.1.ln_2.weight : tensor<256xf32>
  %norm2_offset1 = graph.read @h.1.ln_2.bias : tensor<256xf32>
  %fc1 = graph.read @h.1.mlp.fc.weight : tensor<256x1024xf32>
  %fc_bias1 = graph.read @h.1.mlp.fc.bias : tensor<1024xf32>
  %down1 = graph.read @h.1.mlp.proj.weight : tensor<1024x256xf32>
  %down_bias1 = graph.read @h.1.mlp.proj.bias : tensor<256xf32>
  %x2 = graph.call @block(%x1, %norm1_scale1, %norm1_offset1, %qkv1, %qkv_bias1, %proj1, %proj_bias1, %norm2_scale1, %norm2_offset1, %fc1, %fc_bias1, %down1, %down_bias1) {graph.name = "h.1"}
      : (tensor<1024x256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256x768xf32>, tensor<768xf32>, tensor<256x256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256x1024xf32>, tensor<1024xf32>, tensor<1024x256xf32>, tensor<256xf32>) -> tensor<1024x256xf32>
  %norm1_scale2 = graph.read @h.2.ln_1.weight : tensor<256xf32>
  %norm1_offset2 = graph.read @h.2.ln_1.bias : tensor<256xf32>
  %qkv2 = graph.read @h.2.attn.qkv.weight : tensor<256x768xf32>
  %qkv_bias2 = graph.read @h.2.attn.qkv.bias : tensor<768xf32>
  %proj2 = graph.read @h.2.attn.proj.weight : tensor<256x256xf32>
  %proj_bias2 = graph.read @h.2.attn.proj.bias : tensor<256xf32>
  %norm2_scale2 = graph.read @h.2.ln_2.weight : tensor<256xf32>
  %norm2_offset2 = graph.read @h.2.ln_2.bias : tensor<256xf32>
  %fc2 = graph.read @h.2.mlp.fc.weight : tensor<256x1024xf32>
  %fc_bias2 = graph.read @h.2.mlp.fc.bias : tensor<1024xf32>
  %down2 = graph.read @h.2.mlp.proj.weight : tensor<1024x256xf32>
  %down_bias2 = graph.read @h.2.mlp.proj.bias : tensor<256xf32>
  %x3 = graph.call @block(%x2, %norm1_scale2, %norm1_offset2, %qkv2, %qkv_bias2, %proj2, %proj_bias2, %norm2_scale2, %norm2_offset2, %fc2, %fc_bias2, %down2, %down_bias2) {graph.name = "h.2"}
      : (tensor<1024x256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256x768xf32>, tensor<768xf32>, tensor<256x256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256x1024xf32>, tensor<1024xf32>, tensor<1024x256xf32>, tensor<256xf32>) -> tensor<1024x256xf32>
  %norm1_scale3 = graph.read @h.3.ln_1.weight : tensor<256xf32>
  %norm1_offset3 = graph.read @h.3.ln_1.bias : tensor<256xf32>
  %qkv3 = graph.read @h.3.attn.qkv.weight : tensor<256x768xf32>
  %qkv_bias3 = graph.read @h.3.attn.qkv.bias : tensor<768xf32>
  %proj3 = graph.read @h.3.attn.proj.weight : tensor<256x256xf32>
  %proj_bias3 = graph.read @h.3.attn.proj.bias : tensor<256xf32>
  %norm2_scale3 = graph.read @h.3.ln_2.weight : tensor<256xf32>
  %norm2_offset3 = graph.read @h.3.ln_2.bias : tensor<256xf32>
  %fc3 = graph.read @h.3.mlp.fc.weight : tensor<256x1024xf32>
  %fc_bias3 = graph.read @h.3.mlp.fc.bias : tensor<1024xf32>
  %down3 = graph.read @h.3.mlp.proj.weight : tensor<1024x256xf32>
  %down_bias3 = graph.read @h.3.mlp.proj.bias : tensor<256xf32>
  %x4 = graph.call @block(%x3, %norm1_scale3, %norm1_offset3, %qkv3, %qkv_bias3, %proj3, %proj_bias3, %norm2_scale3, %norm2_offset3, %fc3, %fc_bias3, %down3, %down_bias3) {graph.name = "h.3"}
      : (tensor<1024x256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256x768xf32>, tensor<768xf32>, tensor<256x256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256x1024xf32>, tensor<1024xf32>, tensor<1024x256xf32>, tensor<256xf32>) -> tensor<1024x256xf32>
  %scale = graph.read @ln_f.weight : tensor<256xf32>
  %offset = graph.read @ln_f.bias : tensor<256xf32>
  %head = graph.read @head.weight : tensor<256x128xf32>
  %n = graph.layer_norm %x4, %scale, %offset axis = 1 epsilon = 1.0e-05 : (tensor<1024x256xf32>, tensor<256xf32>, tensor<256xf32>) -> tensor<1024x256xf32>
  %logits = graph.matmul %n, %head : (tensor<1024x256xf32>, tensor<256x128xf32>) -> tensor<1024x128xf32>
  graph.return %logits : tensor<1024x128xf32>
}

graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %ids, %next = graph.next_batch @train {batch = 8} : tensor<8x128xi32>, tensor<8x128xi32>
  %labels = graph.reshape %next : (tensor<8x128xi32>) -> tensor<1024xi32>
  %logits = graph.call @gpt(%ids) : (tensor<8x128xi32>) -> tensor<1024x128xf32>
  %loss = graph.softmax_cross_entropy %logits, %labels : (tensor<1024x128xf32>, tensor<1024xi32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.adamw<learning_rate = #graph.linear_warmup<steps = 100, learning_rate = #graph.cosine_decay<
      initial_learning_rate = 0.002, decay_steps = 3900, alpha = 0.02>>, beta2 = 0.99, weight_decay = #graph.weight_decay<rate = 0.1, exclude = ["*bias", "*ln_*", "w?e*"]>>} : tensor<f32>
  graph.return %loss : tensor<f32>
}

// The mean over the characters of the held-out text of what the network says of the one that comes: nats a character. Of each window the later half counts.
graph.func @eval_step() -> () attributes {role = #graph.role<eval>} {
  %ids, %next, %valid = graph.next_batch @held_out {batch = 8, pad_last} : tensor<8x128xi32>, tensor<8x128xi32>, tensor<8xi1>
  %labels = graph.reshape %next : (tensor<8x128xi32>) -> tensor<1024xi32>
  %logits = graph.call @gpt(%ids) : (tensor<8x128xi32>) -> tensor<1024x128xf32>
  %log = graph.log_softmax %logits : tensor<1024x128xf32>
  %came = graph.one_hot %labels : (tensor<1024xi32>) -> tensor<1024x128xf32>
  %its = graph.multiply %log, %came : tensor<1024x128xf32>
  %minus = graph.reduce_sum %its dimensions = [1] : (tensor<1024x128xf32>) -> tensor<1024xf32>
  %each = graph.negate %minus : tensor<1024xf32>
  %windows = graph.reshape %each : (tensor<1024xf32>) -> tensor<8x128xf32>
  %later = graph.slice %windows start_indices = [0, 64] limit_indices = [8, 128] strides = [1, 1] : (tensor<8x128xf32>) -> tensor<8x64xf32>
  %nats = graph.reduce_mean %later dimensions = [1] : (tensor<8x64xf32>) -> tensor<8xf32>
  graph.metric "nats", %nats, %valid : tensor<8xf32>, tensor<8xi1>
  graph.return
}

// One more character of each text. It is drawn by its probability: the largest of the logits plus -log(-log(u)) of uniform u (Gumbel's trick).
graph.func @predict_step() -> (tensor<8xi32> {graph.name = "character"}) attributes {role = #graph.role<predict>} {
  %ids = graph.read @written : tensor<8x128xi32>
  %all = graph.call @gpt(%ids) : (tensor<8x128xi32>) -> tensor<1024x128xf32>
  %places = graph.reshape %all : (tensor<1024x128xf32>) -> tensor<8x128x128xf32>
  %last = graph.slice %places start_indices = [0, 127, 0] limit_indices = [8, 128, 128] strides = [1, 1, 1] : (tensor<8x128x128xf32>) -> tensor<8x1x128xf32>
  %logits = graph.reshape %last : (tensor<8x1x128xf32>) -> tensor<8x128xf32>
  %u = graph.random_uniform {seed = 5} : tensor<8x128xf32>
  %tiny = graph.constant dense<1.0e-07> : tensor<8x128xf32>
  %above0 = graph.add %u, %tiny : tensor<8x128xf32>
  %log = graph.log %above0 : tensor<8x128xf32>
  %minus = graph.negate %log : tensor<8x128xf32>
  %above = graph.maximum %minus, %tiny : tensor<8x128xf32>
  %loglog = graph.log %above : tensor<8x128xf32>
  %drawn = graph.subtract %logits, %loglog : tensor<8x128xf32>
  %character = graph.argmax %drawn dimension = 1 : (tensor<8x128xf32>) -> tensor<8xi32>
  %kept = graph.slice %ids start_indices = [0, 1] limit_indices = [8, 128] strides = [1, 1] : (tensor<8x128xi32>) -> tensor<8x127xi32>
  %new = graph.reshape %character : (tensor<8xi32>) -> tensor<8x1xi32>
  %written = graph.concatenate %kept, %new dimension = 1 : (tensor<8x127xi32>, tensor<8x1xi32>) -> tensor<8x128xi32>
  graph.assign @written, %written : tensor<8x128xi32>
  graph.return %character : tensor<8xi32>
}
