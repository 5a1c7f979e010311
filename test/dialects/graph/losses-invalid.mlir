// RUN: graph-opt --split-input-file --verify-diagnostics %s

func.func @dense_vector(%x: tensor<10xf32>) {
  // (C1) expected-error@+1 {{logits must have at least 2 dimensions, got 'tensor<10xf32>'}}
  %0 = graph.dense_softmax_cross_entropy %x, %x : (tensor<10xf32>, tensor<10xf32>) -> tensor<f32>
  return
}

// -----

func.func @dense_targets(%x: tensor<4x10xf32>, %t: tensor<10x4xf32>) {
  // (C2) expected-error@+1 {{targets must have the type of the logits, 'tensor<4x10xf32>', got 'tensor<10x4xf32>'}}
  %0 = graph.dense_softmax_cross_entropy %x, %t : (tensor<4x10xf32>, tensor<10x4xf32>) -> tensor<f32>
  return
}

// -----

func.func @dense_grad_vector(%x: tensor<10xf32>, %u: tensor<f32>) {
  // (C1) expected-error@+1 {{logits must have at least 2 dimensions, got 'tensor<10xf32>'}}
  %0 = graph.dense_softmax_cross_entropy_grad %x, %x, %u : (tensor<10xf32>, tensor<10xf32>, tensor<f32>) -> tensor<10xf32>
  return
}

// -----

func.func @dense_grad_targets(%x: tensor<4x10xf32>, %t: tensor<4x10xf64>, %u: tensor<f32>) {
  // (C2) expected-error@+1 {{targets must have the type of the logits, 'tensor<4x10xf32>', got 'tensor<4x10xf64>'}}
  %0 = graph.dense_softmax_cross_entropy_grad %x, %t, %u : (tensor<4x10xf32>, tensor<4x10xf64>, tensor<f32>) -> tensor<4x10xf32>
  return
}

// -----

func.func @dense_grad_upstream(%x: tensor<4x10xf32>, %u: tensor<4xf32>) {
  // (C3) expected-error@+1 {{upstream must be 'tensor<f32>', got 'tensor<4xf32>'}}
  %0 = graph.dense_softmax_cross_entropy_grad %x, %x, %u : (tensor<4x10xf32>, tensor<4x10xf32>, tensor<4xf32>) -> tensor<4x10xf32>
  return
}

// -----

func.func @sigmoid_targets(%x: tensor<4x10xf32>, %t: tensor<4xf32>) {
  // (C1) expected-error@+1 {{targets must have the type of the logits, 'tensor<4x10xf32>', got 'tensor<4xf32>'}}
  %0 = graph.sigmoid_cross_entropy %x, %t : (tensor<4x10xf32>, tensor<4xf32>) -> tensor<f32>
  return
}
