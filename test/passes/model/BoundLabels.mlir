// RUN: graph-opt --bound-labels --split-input-file %s | FileCheck %s

// The labels of a loss, as they come from the data set, are its classes: through what moves elements or gives integers more bits.
graph.dataset @d : (tensor<4xf32>, tensor<i32>) = #graph.idx<files = ["x", "y"]>
// CHECK-LABEL: graph.func @train
graph.func @train() -> tensor<f32> attributes {role = #graph.role<train>} {
  // CHECK: graph.next_batch @d {batch = 6 : i64, classes = [0, 4]}
  %x, %y = graph.next_batch @d {batch = 6} : tensor<6x4xf32>, tensor<6xi32>
  %loss = graph.softmax_cross_entropy %x, %y : (tensor<6x4xf32>, tensor<6xi32>) -> tensor<f32>
  graph.return %loss : tensor<f32>
}
// CHECK-LABEL: graph.func @eval
graph.func @eval() -> tensor<f32> attributes {role = #graph.role<eval>} {
  // CHECK: graph.next_batch @d {batch = 6 : i64, classes = [0, 4], pad_last}
  %x, %y, %v = graph.next_batch @d {batch = 6, pad_last} : tensor<6x4xf32>, tensor<6xi32>, tensor<6xi1>
  %r = graph.reshape %x : (tensor<6x4xf32>) -> tensor<3x2x4xf32>
  %wide = graph.convert %y : (tensor<6xi32>) -> tensor<6xi64>
  %s = graph.reshape %wide : (tensor<6xi64>) -> tensor<2x3xi64>
  %t = graph.transpose %s permutation = [1, 0] : (tensor<2x3xi64>) -> tensor<3x2xi64>
  %p = graph.log_softmax %r : tensor<3x2x4xf32>
  %loss = graph.nll_loss %p, %t : (tensor<3x2x4xf32>, tensor<3x2xi64>) -> tensor<f32>
  graph.return %loss : tensor<f32>
}

// -----

// Several data sets in one batch, and the fewest classes of several losses; what is written already counts where it is fewer.
graph.dataset @d : (tensor<4xf32>, tensor<i32>, tensor<i32>) = #graph.idx<files = ["x", "y", "z"]>
graph.dataset @e : (tensor<4xf32>, tensor<i32>) = #graph.idx<files = ["u", "v"]>
// CHECK-LABEL: graph.func @several
graph.func @several() -> (tensor<f32>, tensor<f32>) attributes {role = #graph.role<train>} {
  // CHECK: graph.next_batch @d {batch = 2 : i64, classes = [0, 3, 2]}
  %x, %y, %z = graph.next_batch @d {batch = 2, classes = [0, 5, 2]} : tensor<2x4xf32>, tensor<2xi32>, tensor<2xi32>
  // CHECK: graph.next_batch @e {batch = 2 : i64, classes = [0, 4]}
  %u, %v = graph.next_batch @e {batch = 2} : tensor<2x4xf32>, tensor<2xi32>
  %all = graph.concatenate %x, %u dimension = 0 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
  %labels = graph.concatenate %y, %v dimension = 0 : (tensor<2xi32>, tensor<2xi32>) -> tensor<4xi32>
  %a = graph.softmax_cross_entropy %all, %labels : (tensor<4x4xf32>, tensor<4xi32>) -> tensor<f32>
  %few = graph.slice %x start_indices = [0, 0] limit_indices = [2, 3] strides = [1, 1] : (tensor<2x4xf32>) -> tensor<2x3xf32>
  %b = graph.softmax_cross_entropy %few, %y : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<f32>
  %c = graph.softmax_cross_entropy %few, %z : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<f32>
  %s = graph.add %a, %c : tensor<f32>
  graph.return %s, %b : tensor<f32>, tensor<f32>
}

// -----

// No bound: labels that the model computes, only some of a component's, fewer bits, one_hot (zeros are its meaning), labels that are fed.
graph.dataset @d : (tensor<4xf32>, tensor<2xi32>, tensor<i64>) = #graph.idx<files = ["x", "y", "z"]>
// CHECK-LABEL: graph.func @free
graph.func @free(%fed: tensor<6xi32>) -> (tensor<f32>, tensor<6x4xf32>) attributes {role = #graph.role<train>} {
  // CHECK: graph.next_batch @d {batch = 6 : i64}
  %x, %y, %z = graph.next_batch @d {batch = 6} : tensor<6x4xf32>, tensor<6x2xi32>, tensor<6xi64>
  %part = graph.slice %y start_indices = [0, 1] limit_indices = [6, 2] strides = [1, 1] : (tensor<6x2xi32>) -> tensor<6x1xi32>
  %first = graph.reshape %part : (tensor<6x1xi32>) -> tensor<6xi32>
  %narrow = graph.convert %z : (tensor<6xi64>) -> tensor<6xi32>
  %one = graph.constant dense<1> : tensor<6xi32>
  %moved = graph.subtract %first, %one : tensor<6xi32>
  %a = graph.softmax_cross_entropy %x, %first : (tensor<6x4xf32>, tensor<6xi32>) -> tensor<f32>
  %b = graph.softmax_cross_entropy %x, %narrow : (tensor<6x4xf32>, tensor<6xi32>) -> tensor<f32>
  %c = graph.softmax_cross_entropy %x, %moved : (tensor<6x4xf32>, tensor<6xi32>) -> tensor<f32>
  %e = graph.softmax_cross_entropy %x, %fed : (tensor<6x4xf32>, tensor<6xi32>) -> tensor<f32>
  %hot = graph.one_hot %z : (tensor<6xi64>) -> tensor<6x4xf32>
  %s = graph.add %a, %b : tensor<f32>
  %t = graph.add %s, %c : tensor<f32>
  %r = graph.add %t, %e : tensor<f32>
  graph.return %r, %hot : tensor<f32>, tensor<6x4xf32>
}

// -----

// Synthetic labels are below their limit: where that is one of the classes there is nothing to look for.
graph.dataset @fits : (tensor<4xf32>, tensor<i32>) = #graph.synthetic<samples = 60, seed = 7, limits = [0, 4]>
graph.dataset @beyond : (tensor<4xf32>, tensor<i32>) = #graph.synthetic<samples = 60, seed = 7, limits = [0, 5]>
// CHECK-LABEL: graph.func @synthetic
graph.func @synthetic() -> (tensor<f32>, tensor<f32>) attributes {role = #graph.role<train>} {
  // CHECK: graph.next_batch @fits {batch = 6 : i64}
  %x, %y = graph.next_batch @fits {batch = 6} : tensor<6x4xf32>, tensor<6xi32>
  // CHECK: graph.next_batch @beyond {batch = 6 : i64, classes = [0, 4]}
  %u, %v = graph.next_batch @beyond {batch = 6} : tensor<6x4xf32>, tensor<6xi32>
  %a = graph.softmax_cross_entropy %x, %y : (tensor<6x4xf32>, tensor<6xi32>) -> tensor<f32>
  %b = graph.softmax_cross_entropy %u, %v : (tensor<6x4xf32>, tensor<6xi32>) -> tensor<f32>
  graph.return %a, %b : tensor<f32>, tensor<f32>
}

// -----

// Numbers of a table's rows are looked at as labels are.
graph.dataset @words : (tensor<5xi32>) = #graph.idx<files = ["words.gz"]>
graph.variable @table : tensor<100x8xf32> = #graph.zeros
// CHECK-LABEL: graph.func @rows
graph.func @rows() -> (tensor<6x5x8xf32>) attributes {role = #graph.role<train>} {
  // CHECK: graph.next_batch @words {batch = 6 : i64, classes = [100]}
  %ids = graph.next_batch @words {batch = 6} : tensor<6x5xi32>
  %table = graph.read @table : tensor<100x8xf32>
  %x = graph.embedding %table, %ids : (tensor<100x8xf32>, tensor<6x5xi32>) -> tensor<6x5x8xf32>
  graph.return %x : tensor<6x5x8xf32>
}

// -----

// Bytes that become wider integers keep their values; those that become bytes of the other sign do not.
graph.dataset @bytes : (tensor<4xf32>, tensor<ui8>, tensor<ui8>, tensor<i8>) = #graph.npy<files = ["x.npy", "y.npy", "z.npy", "w.npy"]>
// CHECK-LABEL: graph.func @signs
graph.func @signs() -> (tensor<f32>, tensor<f32>, tensor<f32>) attributes {role = #graph.role<train>} {
  // CHECK: graph.next_batch @bytes {batch = 6 : i64, classes = [0, 4, 0, 0]}
  %x, %y, %z, %w = graph.next_batch @bytes {batch = 6} : tensor<6x4xf32>, tensor<6xui8>, tensor<6xui8>, tensor<6xi8>
  %wide = graph.convert %y : (tensor<6xui8>) -> tensor<6xi32>
  %a = graph.softmax_cross_entropy %x, %wide : (tensor<6x4xf32>, tensor<6xi32>) -> tensor<f32>
  %signed = graph.convert %z : (tensor<6xui8>) -> tensor<6xi8>
  %s = graph.convert %signed : (tensor<6xi8>) -> tensor<6xi32>
  %b = graph.softmax_cross_entropy %x, %s : (tensor<6x4xf32>, tensor<6xi32>) -> tensor<f32>
  %unsigned = graph.convert %w : (tensor<6xi8>) -> tensor<6xui32>
  %u = graph.convert %unsigned : (tensor<6xui32>) -> tensor<6xi64>
  %c = graph.softmax_cross_entropy %x, %u : (tensor<6x4xf32>, tensor<6xi64>) -> tensor<f32>
  graph.return %a, %b, %c : tensor<f32>, tensor<f32>, tensor<f32>
}
