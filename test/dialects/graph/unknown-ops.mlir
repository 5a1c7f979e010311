// RUN: graph-opt --split-input-file --verify-diagnostics %s

// An unknown op is refused at its place, with what it was probably meant to be: an op spelt alike, or the one that other
// frameworks call so. In functions of the graph dialect that holds for ops of unknown dialects as well.

func.func @f(%x: tensor<f32>) {
  // expected-error@+1 {{custom op 'graph.exponetial' is unknown; did you mean 'graph.exponential'?}}
  %y = graph.exponetial %x : tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error@+1 {{custom op 'graph.matmull' is unknown; did you mean 'graph.matmul'?}}
  %y = graph.matmull %x : tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error@+1 {{custom op 'graph.one_hott' is unknown; did you mean 'graph.one_hot'?}}
  %y = graph.one_hott %x : tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error@+1 {{custom op 'graph.softmax_crossentropy' is unknown; did you mean 'graph.softmax_cross_entropy'?}}
  %y = graph.softmax_crossentropy %x : tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error@+1 {{custom op 'graph.exp' is unknown; did you mean 'graph.exponential'?}}
  %y = graph.exp %x : tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error@+1 {{custom op 'graph.neg' is unknown; did you mean 'graph.negate'?}}
  %y = graph.neg %x : tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error@+1 {{custom op 'graph.batchnorm' is unknown; did you mean 'graph.batch_norm_training' (or 'graph.batch_norm_inference', of given values)?}}
  %y = graph.batchnorm %x : tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error@+1 {{custom op 'graph.sigmoid' is unknown; did you mean 'graph.logistic'?}}
  %y = graph.sigmoid %x : tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error@+1 {{custom op 'graph.mul' is unknown; did you mean 'graph.multiply'?}}
  %y = graph.mul %x : tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error@+1 {{custom op 'graph.sub' is unknown; did you mean 'graph.subtract'?}}
  %y = graph.sub %x : tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error@+1 {{custom op 'graph.div' is unknown; did you mean 'graph.divide'?}}
  %y = graph.div %x : tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error@+1 {{custom op 'graph.pow' is unknown; did you mean 'graph.power'?}}
  %y = graph.pow %x : tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error@+1 {{custom op 'graph.sum' is unknown; did you mean 'graph.reduce_sum' (or 'graph.add' of two)?}}
  %y = graph.sum %x : tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error@+1 {{custom op 'graph.mean' is unknown; did you mean 'graph.reduce_mean'?}}
  %y = graph.mean %x : tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error@+1 {{custom op 'graph.max' is unknown; did you mean 'graph.maximum' of two or 'graph.reduce_max' over dimensions?}}
  %y = graph.max %x : tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error@+1 {{custom op 'graph.gemm' is unknown; did you mean 'graph.matmul'?}}
  %y = graph.gemm %x : tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error@+1 {{custom op 'graph.convert_element_type' is unknown; did you mean 'graph.convert'?}}
  %y = graph.convert_element_type %x : tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error@+1 {{custom op 'graph.where' is unknown; did you mean 'graph.select'?}}
  %y = graph.where %x : tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error@+1 {{custom op 'graph.expand_dims' is unknown; did you mean 'graph.reshape'?}}
  %y = graph.expand_dims %x : tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error@+1 {{custom op 'graph.concat' is unknown; did you mean 'graph.concatenate'?}}
  %y = graph.concat %x : tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error@+1 {{custom op 'graph.square' is unknown; did you mean 'graph.multiply' of the value with itself?}}
  %y = graph.square %x : tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error@+1 {{custom op 'graph.placeholder' is unknown; did you mean an argument of the function?}}
  %y = graph.placeholder %x : tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error@+1 {{custom op 'graph.adam' is unknown; did you mean 'graph.minimize'?}}
  %y = graph.adam %x : tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error@+1 {{custom op 'graph.conv2d' is unknown; did you mean 'graph.convolution'?}}
  %y = graph.conv2d %x : tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error@+1 {{custom op 'graph.frobnicate' is unknown; docs/status.md lists the ops}}
  %y = graph.frobnicate %x : tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error@+1 {{custom op 'dist.recieve' is unknown; did you mean 'dist.receive'?}}
  %y = dist.recieve %x : tensor<f32>
  return
}

// -----

graph.func @f(%x: tensor<f32>) attributes {role = #graph.role<predict>} {
  // expected-error@+1 {{custom op 'stablehlo.add' is unknown; did you mean 'graph.add'? What JAX has written is read in MLIR's generic form alone (docs/import.md)}}
  %y = stablehlo.add %x : tensor<f32>
  graph.return
}

// -----

graph.func @f(%x: tensor<f32>) attributes {role = #graph.role<predict>} {
  // expected-error@+1 {{custom op 'grpah.exponential' is unknown; did you mean 'graph.exponential'?}}
  %y = grpah.exponential %x : tensor<f32>
  graph.return
}

// -----

graph.func @f(%x: tensor<f32>) attributes {role = #graph.role<predict>} {
  // expected-error@+1 {{custom op 'tanh' is unknown; did you mean 'graph.tanh'?}}
  %y = tanh %x : tensor<f32>
  graph.return
}

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error@+1 {{custom op 'graph.log1p' is unknown; did you mean 'graph.log_plus_one'?}}
  %y = graph.log1p %x : tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error@+1 {{custom op 'graph.prod' is unknown; did you mean 'graph.reduce_prod' (or 'graph.multiply' of two)?}}
  %y = graph.prod %x : tensor<f32>
  return
}

// -----

graph.func @f(%x: tensor<f32>) attributes {role = #graph.role<predict>} {
  // expected-error@+1 {{custom op 'stablehlo.reduce_window' is unknown; did you mean 'graph.max_pool' or 'graph.avg_pool'? What JAX has written is read in MLIR's generic form alone (docs/import.md)}}
  %y = stablehlo.reduce_window %x : tensor<f32>
  graph.return
}

// -----

graph.func @f(%x: tensor<f32>) attributes {role = #graph.role<predict>} {
  // expected-error@+1 {{custom op 'stablehlo.select_and_scatter' is unknown; did you mean 'graph.max_pool', whose gradient graphc makes by itself? What JAX has written is read in MLIR's generic form alone (docs/import.md)}}
  %y = stablehlo.select_and_scatter %x : tensor<f32>
  graph.return
}

// -----

graph.func @f(%x: tensor<f32>) attributes {role = #graph.role<predict>} {
  // expected-error@+1 {{custom op 'stablehlo.reduce' is unknown; did you mean 'graph.reduce_sum', 'graph.reduce_max', 'graph.reduce_min', 'graph.reduce_prod', 'graph.reduce_mean', 'graph.reduce_and' or 'graph.reduce_or'? What JAX has written is read in MLIR's generic form alone (docs/import.md)}}
  %y = stablehlo.reduce %x : tensor<f32>
  graph.return
}

// -----

graph.func @f(%x: tensor<f32>) attributes {role = #graph.role<predict>} {
  // expected-error@+1 {{custom op 'stablehlo.while' is unknown; this version has nothing of the kind (docs/status.md lists the ops). What JAX has written is read in MLIR's generic form alone (docs/import.md)}}
  %y = stablehlo.while %x : tensor<f32>
  graph.return
}
