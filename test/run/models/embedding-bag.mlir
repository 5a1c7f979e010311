// Bags of words: the mean of each bag's rows of a large table, classified. Of the table a step touches few rows.
graph.variable @table : tensor<200000x64xf32> = #graph.uniform<low = -0.05, high = 0.05, seed = 1>
graph.variable @w : tensor<64x10xf32> = #graph.normal<stddev = 0.5, seed = 2>
graph.variable @b : tensor<10xf32> = #graph.zeros
graph.dataset @bags : (tensor<8xi32>, tensor<i32>) = #graph.synthetic<samples = 8192, seed = 3, limits = [200000, 10]>
graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %ids, %labels = graph.next_batch @bags {batch = 128} : tensor<128x8xi32>, tensor<128xi32>
  %table = graph.read @table : tensor<200000x64xf32>
  %w = graph.read @w : tensor<64x10xf32>
  %b = graph.read @b : tensor<10xf32>
  %rows = graph.embedding %table, %ids : (tensor<200000x64xf32>, tensor<128x8xi32>) -> tensor<128x8x64xf32>
  %bag = graph.reduce_mean %rows dimensions = [1] : (tensor<128x8x64xf32>) -> tensor<128x64xf32>
  %z = graph.matmul %bag, %w : (tensor<128x64xf32>, tensor<64x10xf32>) -> tensor<128x10xf32>
  %logits = graph.bias_add %z, %b : tensor<128x10xf32>, tensor<10xf32>
  %loss = graph.softmax_cross_entropy %logits, %labels : (tensor<128x10xf32>, tensor<128xi32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.5>} : tensor<f32>
  graph.return %loss : tensor<f32>
}
