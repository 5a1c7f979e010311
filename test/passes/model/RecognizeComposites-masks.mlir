// RUN: graph-opt --recognize-composites --split-input-file %s | FileCheck %s

// PyTorch's safe softmax of a sequence with padding: the root of the scale on both sides, a mask of 0 and -inf added, and 0 for a query whose keys are all
// masked. Heads have a dimension of their own between the products.
// CHECK-LABEL: graph.func @safe(
// CHECK-DAG: %[[M:.*]] = graph.reshape %arg3 : (tensor<2x3xi1>) -> tensor<2x1x1x3xi1>
// CHECK-DAG: %[[NOT:.*]] = graph.not %[[M]]
// CHECK-DAG: %[[Q:.*]] = graph.reshape %arg0 : (tensor<4x3x4xf32>) -> tensor<2x2x3x4xf32>
// CHECK-DAG: %[[K:.*]] = graph.reshape %arg1 : (tensor<4x3x4xf32>) -> tensor<2x2x3x4xf32>
// CHECK-DAG: %[[V:.*]] = graph.reshape %arg2 : (tensor<4x3x4xf32>) -> tensor<2x2x3x4xf32>
// CHECK: graph.attention %[[Q]], %[[K]], %[[V]] mask %[[NOT]] {scale = 0.4999999{{[0-9]*}} : f64}
// CHECK-NOT: graph.multiply
// CHECK-NOT: graph.softmax
graph.func @safe(%q: tensor<4x3x4xf32>, %k: tensor<4x3x4xf32>, %v: tensor<4x3x4xf32>, %pad: tensor<2x3xi1>) -> tensor<4x3x4xf32>
    attributes {role = #graph.role<predict>} {
  %least = graph.constant dense<0xFF800000> : tensor<2x2x3x3xf32>
  %leastOf = graph.constant dense<0xFF800000> : tensor<2x3xf32>
  %zeroOf = graph.constant dense<0.0> : tensor<2x3xf32>
  %zero = graph.constant dense<0.0> : tensor<2x2x3x3xf32>
  %root = graph.constant dense<0.70710678118654752> : tensor<4x3x4xf32>
  %rootT = graph.constant dense<-0.70710678118654752> : tensor<2x2x4x3xf32>
  %q2 = graph.multiply %q, %root : tensor<4x3x4xf32>
  %heads = graph.reshape %k : (tensor<4x3x4xf32>) -> tensor<2x2x3x4xf32>
  %kt = graph.transpose %heads permutation = [0, 1, 3, 2] : (tensor<2x2x3x4xf32>) -> tensor<2x2x4x3xf32>
  %k2 = graph.multiply %rootT, %kt : tensor<2x2x4x3xf32>
  %minus = graph.constant dense<-1.0> : tensor<4x4x3xf32>
  %k3 = graph.reshape %k2 : (tensor<2x2x4x3xf32>) -> tensor<4x4x3xf32>
  %k4 = graph.multiply %k3, %minus : tensor<4x4x3xf32>
  %bias = graph.select %pad, %leastOf, %zeroOf : tensor<2x3xf32>
  %b1 = graph.reshape %bias : (tensor<2x3xf32>) -> tensor<2x1x1x3xf32>
  %b = graph.broadcast_in_dim %b1 broadcast_dimensions = [0, 1, 2, 3] : (tensor<2x1x1x3xf32>) -> tensor<2x2x3x3xf32>
  %s1 = graph.matmul %q2, %k4 : (tensor<4x3x4xf32>, tensor<4x4x3xf32>) -> tensor<4x3x3xf32>
  %s2 = graph.reshape %s1 : (tensor<4x3x3xf32>) -> tensor<2x2x3x3xf32>
  %s = graph.add %s2, %b : tensor<2x2x3x3xf32>
  %p = graph.softmax %s : tensor<2x2x3x3xf32>
  %eq = graph.compare eq, %s, %least : tensor<2x2x3x3xf32>
  %ne = graph.not %eq : tensor<2x2x3x3xi1>
  %any = graph.reduce_or %ne dimensions = [3] : (tensor<2x2x3x3xi1>) -> tensor<2x2x3xi1>
  %kept = graph.reshape %any : (tensor<2x2x3xi1>) -> tensor<2x2x3x1xi1>
  %all = graph.not %kept : tensor<2x2x3x1xi1>
  %rows = graph.broadcast_in_dim %all broadcast_dimensions = [0, 1, 2, 3] : (tensor<2x2x3x1xi1>) -> tensor<2x2x3x3xi1>
  %w = graph.select %rows, %zero, %p : tensor<2x2x3x3xf32>
  %w1 = graph.reshape %w : (tensor<2x2x3x3xf32>) -> tensor<4x3x3xf32>
  %y = graph.matmul %w1, %v : (tensor<4x3x3xf32>, tensor<4x3x4xf32>) -> tensor<4x3x4xf32>
  graph.return %y : tensor<4x3x4xf32>
}

// -----

// The same question asked in other ways, of matrices: all are -inf; the largest is; a select the other way round. No mask: the softmax alone is safe.
// CHECK-LABEL: graph.func @other_tests(
// CHECK: graph.attention %arg0, %arg0, %arg0 {scale = 1.000000e+00 : f64} : (tensor<3x4xf32>
// CHECK: graph.attention %arg0, %arg0, %arg0 {scale = 2.000000e+00 : f64}
// CHECK: %[[M:.*]] = graph.reshape %arg1 : (tensor<3xi1>) -> tensor<1x3xi1>
// CHECK: graph.attention %arg0, %arg0, %arg0 mask %[[M]] {scale = 1.000000e+00 : f64}
// CHECK-NOT: graph.select
graph.func @other_tests(%x: tensor<3x4xf32>, %looks: tensor<3xi1>) -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>)
    attributes {role = #graph.role<predict>} {
  %least = graph.constant dense<0xFF800000> : tensor<3x3xf32>
  %leastOf = graph.constant dense<0xFF800000> : tensor<3xf32>
  %zero = graph.constant dense<0.0> : tensor<3x3xf32>
  %two = graph.constant dense<2.0> : tensor<3x3xf32>
  %s0 = graph.matmul %x, %x {transpose_b} : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x3xf32>
  %p0 = graph.softmax %s0 : tensor<3x3xf32>
  %eq = graph.compare eq, %least, %s0 : tensor<3x3xf32>
  %all = graph.reduce_and %eq dimensions = [1] : (tensor<3x3xi1>) -> tensor<3xi1>
  %rows0 = graph.broadcast_in_dim %all broadcast_dimensions = [0] : (tensor<3xi1>) -> tensor<3x3xi1>
  %w0 = graph.select %rows0, %zero, %p0 : tensor<3x3xf32>
  %y0 = graph.matmul %w0, %x : (tensor<3x3xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>

  %d1 = graph.matmul %x, %x {transpose_b} : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x3xf32>
  %s1 = graph.multiply %d1, %two : tensor<3x3xf32>
  %p1 = graph.softmax %s1 : tensor<3x3xf32>
  %most = graph.reduce_max %s1 dimensions = [1] : (tensor<3x3xf32>) -> tensor<3xf32>
  %none = graph.compare eq, %most, %leastOf : tensor<3xf32>
  %rows1 = graph.broadcast_in_dim %none broadcast_dimensions = [0] : (tensor<3xi1>) -> tensor<3x3xi1>
  %w1 = graph.select %rows1, %zero, %p1 : tensor<3x3xf32>
  %y1 = graph.matmul %w1, %x : (tensor<3x3xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>

  %d2 = graph.matmul %x, %x {transpose_b} : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x3xf32>
  %l = graph.broadcast_in_dim %looks broadcast_dimensions = [1] : (tensor<3xi1>) -> tensor<3x3xi1>
  %s2 = graph.select %l, %d2, %least : tensor<3x3xf32>
  %p2 = graph.softmax %s2 : tensor<3x3xf32>
  %ne = graph.compare ne, %s2, %least : tensor<3x3xf32>
  %any = graph.reduce_or %ne dimensions = [1] : (tensor<3x3xi1>) -> tensor<3xi1>
  %rows2 = graph.broadcast_in_dim %any broadcast_dimensions = [0] : (tensor<3xi1>) -> tensor<3x3xi1>
  %w2 = graph.select %rows2, %p2, %zero : tensor<3x3xf32>
  %y2 = graph.matmul %w2, %x : (tensor<3x3xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  graph.return %y0, %y1, %y2 : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>
}

// -----

// A plain softmax, of scores with a mask of zeros, as torchax adds it, or with a constant of 0 and -inf that leaves each query a key: causal, or not.
// CHECK-LABEL: graph.func @constants(
// CHECK: %[[C:.*]] = graph.constant dense<{{\[\[\[}}true, true, false], [false, true, true], [false, false, true]]]> : tensor<1x3x3xi1>
// CHECK: graph.attention %arg0, %arg0, %arg0 {scale = 5.000000e-01 : f64}
// CHECK: graph.attention %arg0, %arg0, %arg0 {causal, scale = 1.000000e+00 : f64}
// CHECK: graph.attention %arg0, %arg0, %arg0 mask %[[C]] {scale = 1.000000e+00 : f64}
graph.func @constants(%x: tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>) attributes {role = #graph.role<predict>} {
  %half = graph.constant dense<0.5> : tensor<2x3x4xf32>
  %zero = graph.constant dense<0.0> : tensor<2x3x3xf32>
  %q0 = graph.multiply %x, %half : tensor<2x3x4xf32>
  %d0 = graph.matmul %q0, %x {transpose_b} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x3xf32>
  %s0 = graph.add %d0, %zero : tensor<2x3x3xf32>
  %p0 = graph.softmax %s0 : tensor<2x3x3xf32>
  %y0 = graph.matmul %p0, %x : (tensor<2x3x3xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>

  %upper = graph.constant dense<[[0.0, 0xFF800000, 0xFF800000], [0.0, 0.0, 0xFF800000], [0.0, 0.0, 0.0]]> : tensor<3x3xf32>
  %b1 = graph.broadcast_in_dim %upper broadcast_dimensions = [1, 2] : (tensor<3x3xf32>) -> tensor<2x3x3xf32>
  %d1 = graph.matmul %x, %x {transpose_b} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x3xf32>
  %s1 = graph.add %b1, %d1 : tensor<2x3x3xf32>
  %p1 = graph.softmax %s1 : tensor<2x3x3xf32>
  %y1 = graph.matmul %p1, %x : (tensor<2x3x3xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>

  %next = graph.constant dense<[[0.0, 0.0, 0xFF800000], [0xFF800000, 0.0, 0.0], [0xFF800000, -1.0e30, 0.0]]> : tensor<3x3xf32>
  %b2 = graph.broadcast_in_dim %next broadcast_dimensions = [1, 2] : (tensor<3x3xf32>) -> tensor<2x3x3xf32>
  %d2 = graph.matmul %x, %x {transpose_b} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x3xf32>
  %s2 = graph.add %d2, %b2 : tensor<2x3x3xf32>
  %p2 = graph.softmax %s2 : tensor<2x3x3xf32>
  %y2 = graph.matmul %p2, %x : (tensor<2x3x3xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  graph.return %y0, %y1, %y2 : tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>
}

// -----

// nn.MultiheadAttention with both of its masks: batch and heads are one dimension of the scores, and two of the padding's mask. The sum of both is causal, and a
// mask of the data. In the second a mask is filled into one that is filled into zeros. In the third the causal mask is repeated for batch and heads together.
// CHECK-LABEL: graph.func @sums(
// CHECK: %[[H:.*]] = graph.broadcast_in_dim %{{.*}} : (tensor<2x1x1x3xi1>) -> tensor<2x2x1x3xi1>
// CHECK: %[[M:.*]] = graph.reshape %[[H]] : (tensor<2x2x1x3xi1>) -> tensor<4x1x3xi1>
// CHECK: %[[NOT:.*]] = graph.not %[[M]]
// CHECK: graph.attention %arg0, %arg0, %arg0 mask %[[NOT]] {causal, scale = 1.000000e+00 : f64}
// CHECK: %[[AND:.*]] = graph.and %{{.*}}, %{{.*}} : tensor<4x3x3xi1>
// CHECK: graph.attention %arg0, %arg0, %arg0 mask %[[AND]] {scale = 1.000000e+00 : f64}
// CHECK: graph.attention %{{.*}}, %{{.*}}, %{{.*}} {causal, scale = 1.000000e+00 : f64} : (tensor<2x2x3x4xf32>
// CHECK-NOT: graph.softmax
graph.func @sums(%x: tensor<4x3x4xf32>, %pad: tensor<2x3xi1>, %rows: tensor<3xi1>, %looks: tensor<4x3xi1>)
    -> (tensor<4x3x4xf32>, tensor<4x3x4xf32>, tensor<4x3x4xf32>)
    attributes {role = #graph.role<predict>} {
  %least = graph.constant dense<0xFF800000> : tensor<4x3x3xf32>
  %zero = graph.constant dense<0.0> : tensor<4x3x3xf32>
  %leastOf = graph.constant dense<0xFF800000> : tensor<2x3xf32>
  %zeroOf = graph.constant dense<0.0> : tensor<2x3xf32>
  %upper = graph.constant dense<[[0.0, 0xFF800000, 0xFF800000], [0.0, 0.0, 0xFF800000], [0.0, 0.0, 0.0]]> : tensor<3x3xf32>
  %u = graph.broadcast_in_dim %upper broadcast_dimensions = [1, 2] : (tensor<3x3xf32>) -> tensor<4x3x3xf32>
  %bias = graph.select %pad, %leastOf, %zeroOf : tensor<2x3xf32>
  %b1 = graph.reshape %bias : (tensor<2x3xf32>) -> tensor<2x1x1x3xf32>
  %b2 = graph.broadcast_in_dim %b1 broadcast_dimensions = [0, 1, 2, 3] : (tensor<2x1x1x3xf32>) -> tensor<2x2x1x3xf32>
  %b3 = graph.reshape %b2 : (tensor<2x2x1x3xf32>) -> tensor<4x1x3xf32>
  %b4 = graph.broadcast_in_dim %b3 broadcast_dimensions = [0, 1, 2] : (tensor<4x1x3xf32>) -> tensor<4x3x3xf32>
  %b = graph.add %u, %b4 : tensor<4x3x3xf32>
  %d0 = graph.matmul %x, %x {transpose_b} : (tensor<4x3x4xf32>, tensor<4x3x4xf32>) -> tensor<4x3x3xf32>
  %s0 = graph.add %d0, %b : tensor<4x3x3xf32>
  %p0 = graph.softmax %s0 : tensor<4x3x3xf32>
  %eq0 = graph.compare eq, %s0, %least : tensor<4x3x3xf32>
  %all0 = graph.reduce_and %eq0 dimensions = [2] : (tensor<4x3x3xi1>) -> tensor<4x3xi1>
  %r0 = graph.broadcast_in_dim %all0 broadcast_dimensions = [0, 1] : (tensor<4x3xi1>) -> tensor<4x3x3xi1>
  %w0 = graph.select %r0, %zero, %p0 : tensor<4x3x3xf32>
  %y0 = graph.matmul %w0, %x : (tensor<4x3x3xf32>, tensor<4x3x4xf32>) -> tensor<4x3x4xf32>

  %l = graph.broadcast_in_dim %looks broadcast_dimensions = [0, 2] : (tensor<4x3xi1>) -> tensor<4x3x3xi1>
  %r = graph.broadcast_in_dim %rows broadcast_dimensions = [1] : (tensor<3xi1>) -> tensor<4x3x3xi1>
  %nr = graph.not %r : tensor<4x3x3xi1>
  %fill0 = graph.select %l, %zero, %least : tensor<4x3x3xf32>
  %fill1 = graph.select %nr, %least, %fill0 : tensor<4x3x3xf32>
  %d1 = graph.matmul %x, %x {transpose_b} : (tensor<4x3x4xf32>, tensor<4x3x4xf32>) -> tensor<4x3x3xf32>
  %s1 = graph.add %d1, %fill1 : tensor<4x3x3xf32>
  %p1 = graph.softmax %s1 : tensor<4x3x3xf32>
  %eq1 = graph.compare eq, %s1, %least : tensor<4x3x3xf32>
  %all1 = graph.reduce_and %eq1 dimensions = [2] : (tensor<4x3x3xi1>) -> tensor<4x3xi1>
  %r1 = graph.broadcast_in_dim %all1 broadcast_dimensions = [0, 1] : (tensor<4x3xi1>) -> tensor<4x3x3xi1>
  %w1 = graph.select %r1, %zero, %p1 : tensor<4x3x3xf32>
  %y1 = graph.matmul %w1, %x : (tensor<4x3x3xf32>, tensor<4x3x4xf32>) -> tensor<4x3x4xf32>
  %u4 = graph.reshape %u : (tensor<4x3x3xf32>) -> tensor<2x2x3x3xf32>
  %d2 = graph.matmul %x, %x {transpose_b} : (tensor<4x3x4xf32>, tensor<4x3x4xf32>) -> tensor<4x3x3xf32>
  %h2 = graph.reshape %d2 : (tensor<4x3x3xf32>) -> tensor<2x2x3x3xf32>
  %s2 = graph.add %h2, %u4 : tensor<2x2x3x3xf32>
  %p2 = graph.softmax %s2 : tensor<2x2x3x3xf32>
  %w2 = graph.reshape %p2 : (tensor<2x2x3x3xf32>) -> tensor<4x3x3xf32>
  %y2 = graph.matmul %w2, %x : (tensor<4x3x3xf32>, tensor<4x3x4xf32>) -> tensor<4x3x4xf32>
  graph.return %y0, %y1, %y2 : tensor<4x3x4xf32>, tensor<4x3x4xf32>, tensor<4x3x4xf32>
}

// -----

// Counted masks of -inf: differences of places, as torchax writes tril and triu, are causal; a window has each query's own key.
// CHECK-LABEL: graph.func @counted(
// CHECK: graph.attention %arg0, %arg0, %arg0 {causal, scale = 1.000000e+00 : f64}
// CHECK: graph.attention %arg0, %arg0, %arg0 {causal, scale = 1.000000e+00 : f64}
// CHECK: graph.attention %arg0, %arg0, %arg0 mask %{{.*}} {scale = 1.000000e+00 : f64} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<1x3x3xi1>)
// CHECK-NOT: graph.softmax
graph.func @counted(%x: tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>) attributes {role = #graph.role<predict>} {
  %least = graph.constant dense<0xFF800000> : tensor<2x3x3xf32>
  %leastOf = graph.constant dense<0xFF800000> : tensor<3x3xf32>
  %zeroOf = graph.constant dense<0.0> : tensor<3x3xf32>
  %i = graph.iota dimension = 0 : tensor<3x3xi32>
  %j = graph.iota dimension = 1 : tensor<3x3xi32>
  %none = graph.constant dense<0> : tensor<3x3xi32>
  %one = graph.constant dense<1> : tensor<3x3xi32>
  %two = graph.constant dense<2> : tensor<3x3xi32>
  %ji = graph.subtract %j, %i : tensor<3x3xi32>
  %lower = graph.compare le, %ji, %none : tensor<3x3xi32>
  %not = graph.not %lower : tensor<3x3xi1>
  %bias = graph.select %not, %leastOf, %zeroOf : tensor<3x3xf32>
  %b0 = graph.broadcast_in_dim %bias broadcast_dimensions = [1, 2] : (tensor<3x3xf32>) -> tensor<2x3x3xf32>
  %d0 = graph.matmul %x, %x {transpose_b} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x3xf32>
  %s0 = graph.add %d0, %b0 : tensor<2x3x3xf32>
  %p0 = graph.softmax %s0 : tensor<2x3x3xf32>
  %y0 = graph.matmul %p0, %x : (tensor<2x3x3xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %upper = graph.compare ge, %ji, %one : tensor<3x3xi32>
  %u = graph.broadcast_in_dim %upper broadcast_dimensions = [1, 2] : (tensor<3x3xi1>) -> tensor<2x3x3xi1>
  %d1 = graph.matmul %x, %x {transpose_b} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x3xf32>
  %s1 = graph.select %u, %least, %d1 : tensor<2x3x3xf32>
  %p1 = graph.softmax %s1 : tensor<2x3x3xf32>
  %y1 = graph.matmul %p1, %x : (tensor<2x3x3xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %distance = graph.abs %ji : tensor<3x3xi32>
  %near = graph.compare lt, %distance, %two : tensor<3x3xi32>
  %n = graph.broadcast_in_dim %near broadcast_dimensions = [1, 2] : (tensor<3x3xi1>) -> tensor<2x3x3xi1>
  %d2 = graph.matmul %x, %x {transpose_b} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x3xf32>
  %s2 = graph.select %n, %d2, %least : tensor<2x3x3xf32>
  %p2 = graph.softmax %s2 : tensor<2x3x3xf32>
  %y2 = graph.matmul %p2, %x : (tensor<2x3x3xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  graph.return %y0, %y1, %y2 : tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>
}

// -----

// A plain softmax of scores of which all of a query may be -inf gives NaN, and attention would give 0: masks of the data, by select either way round and by a
// sum, a constant that leaves query 1 no key, and a counted mask that leaves query 0 none.
// CHECK-LABEL: graph.func @no_number(
// CHECK-NOT: graph.attention
graph.func @no_number(%x: tensor<2x3x4xf32>, %looks: tensor<2x3xi1>)
    -> (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>)
    attributes {role = #graph.role<predict>} {
  %least = graph.constant dense<0xFF800000> : tensor<2x3x3xf32>
  %zero = graph.constant dense<0.0> : tensor<2x3x3xf32>
  %l = graph.broadcast_in_dim %looks broadcast_dimensions = [0, 2] : (tensor<2x3xi1>) -> tensor<2x3x3xi1>
  %d0 = graph.matmul %x, %x {transpose_b} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x3xf32>
  %s0 = graph.select %l, %d0, %least : tensor<2x3x3xf32>
  %p0 = graph.softmax %s0 : tensor<2x3x3xf32>
  %y0 = graph.matmul %p0, %x : (tensor<2x3x3xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %d1 = graph.matmul %x, %x {transpose_b} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x3xf32>
  %s1 = graph.select %l, %least, %d1 : tensor<2x3x3xf32>
  %p1 = graph.softmax %s1 : tensor<2x3x3xf32>
  %y1 = graph.matmul %p1, %x : (tensor<2x3x3xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %bias = graph.select %l, %zero, %least : tensor<2x3x3xf32>
  %d2 = graph.matmul %x, %x {transpose_b} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x3xf32>
  %s2 = graph.add %d2, %bias : tensor<2x3x3xf32>
  %p2 = graph.softmax %s2 : tensor<2x3x3xf32>
  %y2 = graph.matmul %p2, %x : (tensor<2x3x3xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %empty = graph.constant dense<[[0.0, 0.0, 0.0], [0xFF800000, 0xFF800000, 0xFF800000], [0.0, 0.0, 0.0]]> : tensor<3x3xf32>
  %e = graph.broadcast_in_dim %empty broadcast_dimensions = [1, 2] : (tensor<3x3xf32>) -> tensor<2x3x3xf32>
  %d3 = graph.matmul %x, %x {transpose_b} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x3xf32>
  %s3 = graph.add %d3, %e : tensor<2x3x3xf32>
  %p3 = graph.softmax %s3 : tensor<2x3x3xf32>
  %y3 = graph.matmul %p3, %x : (tensor<2x3x3xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %i = graph.iota dimension = 1 : tensor<2x3x3xi32>
  %j = graph.iota dimension = 2 : tensor<2x3x3xi32>
  %before = graph.compare lt, %j, %i : tensor<2x3x3xi32>
  %d4 = graph.matmul %x, %x {transpose_b} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x3xf32>
  %s4 = graph.select %before, %d4, %least : tensor<2x3x3xf32>
  %p4 = graph.softmax %s4 : tensor<2x3x3xf32>
  %y4 = graph.matmul %p4, %x : (tensor<2x3x3xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  graph.return %y0, %y1, %y2, %y3, %y4 : tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>
}

// -----

// Scales that differ between the two sides.
// CHECK-LABEL: graph.func @two_scales(
// CHECK-NOT: graph.attention
graph.func @two_scales(%x: tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<2x3x4xf32>) attributes {role = #graph.role<predict>} {
  %half = graph.constant dense<0.5> : tensor<2x3x4xf32>
  %three = graph.constant dense<3.0> : tensor<2x3x4xf32>
  %q0 = graph.multiply %x, %half : tensor<2x3x4xf32>
  %k0 = graph.multiply %x, %three : tensor<2x3x4xf32>
  %d0 = graph.matmul %q0, %k0 {transpose_b} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x3xf32>
  %p0 = graph.softmax %d0 : tensor<2x3x3xf32>
  %y0 = graph.matmul %p0, %x : (tensor<2x3x3xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %fours = graph.constant dense<4.0> : tensor<2x4x3xf32>
  %q1 = graph.divide %x, %three : tensor<2x3x4xf32>
  %t = graph.transpose %x permutation = [0, 2, 1] : (tensor<2x3x4xf32>) -> tensor<2x4x3xf32>
  %k1 = graph.divide %t, %fours : tensor<2x4x3xf32>
  %d1 = graph.matmul %q1, %k1 : (tensor<2x3x4xf32>, tensor<2x4x3xf32>) -> tensor<2x3x3xf32>
  %p1 = graph.softmax %d1 : tensor<2x3x3xf32>
  %y1 = graph.matmul %p1, %x : (tensor<2x3x3xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  graph.return %y0, %y1 : tensor<2x3x4xf32>, tensor<2x3x4xf32>
}

// -----

// Masks that depend on the scores; a mask of -inf with one of a finite number (a query without keys would attend to those of the second); a test of other scores
// than those of the softmax, for another row, for some instead of all, or whose zero is none.
// CHECK-LABEL: graph.func @others(
// CHECK-NOT: graph.attention
graph.func @others(%x: tensor<3x4xf32>, %looks: tensor<3x3xi1>, %other: tensor<3x3xf32>)
    -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) attributes {role = #graph.role<predict>} {
  %least = graph.constant dense<0xFF800000> : tensor<3x3xf32>
  %fill = graph.constant dense<-1.0e30> : tensor<3x3xf32>
  %zero = graph.constant dense<0.0> : tensor<3x3xf32>
  %one = graph.constant dense<1.0> : tensor<3x3xf32>
  %d0 = graph.matmul %x, %x {transpose_b} : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x3xf32>
  %positive = graph.compare gt, %d0, %zero : tensor<3x3xf32>
  %s0 = graph.select %positive, %d0, %fill : tensor<3x3xf32>
  %p0 = graph.softmax %s0 : tensor<3x3xf32>
  %y0 = graph.matmul %p0, %x : (tensor<3x3xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>

  %d1 = graph.matmul %x, %x {transpose_b} : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x3xf32>
  %large = graph.compare gt, %d1, %one : tensor<3x3xf32>
  %b1 = graph.select %large, %zero, %least : tensor<3x3xf32>
  %s1 = graph.add %d1, %b1 : tensor<3x3xf32>
  %p1 = graph.softmax %s1 : tensor<3x3xf32>
  %eq1 = graph.compare eq, %s1, %least : tensor<3x3xf32>
  %all1 = graph.reduce_and %eq1 dimensions = [1] : (tensor<3x3xi1>) -> tensor<3xi1>
  %r1 = graph.broadcast_in_dim %all1 broadcast_dimensions = [0] : (tensor<3xi1>) -> tensor<3x3xi1>
  %w1 = graph.select %r1, %zero, %p1 : tensor<3x3xf32>
  %y1 = graph.matmul %w1, %x : (tensor<3x3xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>

  %causal = graph.constant dense<[[true, false, false], [true, true, false], [true, true, true]]> : tensor<3x3xi1>
  %d2 = graph.matmul %x, %x {transpose_b} : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x3xf32>
  %m2 = graph.select %causal, %d2, %fill : tensor<3x3xf32>
  %s2 = graph.select %looks, %m2, %least : tensor<3x3xf32>
  %p2 = graph.softmax %s2 : tensor<3x3xf32>
  %eq2 = graph.compare eq, %s2, %least : tensor<3x3xf32>
  %all2 = graph.reduce_and %eq2 dimensions = [1] : (tensor<3x3xi1>) -> tensor<3xi1>
  %r2 = graph.broadcast_in_dim %all2 broadcast_dimensions = [0] : (tensor<3xi1>) -> tensor<3x3xi1>
  %w2 = graph.select %r2, %zero, %p2 : tensor<3x3xf32>
  %y2 = graph.matmul %w2, %x : (tensor<3x3xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>

  %d3 = graph.matmul %x, %x {transpose_b} : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x3xf32>
  %p3 = graph.softmax %d3 : tensor<3x3xf32>
  %eq3 = graph.compare eq, %other, %least : tensor<3x3xf32>
  %all3 = graph.reduce_and %eq3 dimensions = [1] : (tensor<3x3xi1>) -> tensor<3xi1>
  %r3 = graph.broadcast_in_dim %all3 broadcast_dimensions = [0] : (tensor<3xi1>) -> tensor<3x3xi1>
  %w3 = graph.select %r3, %zero, %p3 : tensor<3x3xf32>
  %y3 = graph.matmul %w3, %x : (tensor<3x3xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>

  %d4 = graph.matmul %x, %x {transpose_b} : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x3xf32>
  %p4 = graph.softmax %d4 : tensor<3x3xf32>
  %eq4 = graph.compare eq, %d4, %least : tensor<3x3xf32>
  %all4 = graph.reduce_and %eq4 dimensions = [1] : (tensor<3x3xi1>) -> tensor<3xi1>
  %r4 = graph.broadcast_in_dim %all4 broadcast_dimensions = [1] : (tensor<3xi1>) -> tensor<3x3xi1>
  %w4 = graph.select %r4, %zero, %p4 : tensor<3x3xf32>
  %y4 = graph.matmul %w4, %x : (tensor<3x3xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>

  %d5 = graph.matmul %x, %x {transpose_b} : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x3xf32>
  %p5 = graph.softmax %d5 : tensor<3x3xf32>
  %eq5 = graph.compare eq, %d5, %least : tensor<3x3xf32>
  %any5 = graph.reduce_or %eq5 dimensions = [1] : (tensor<3x3xi1>) -> tensor<3xi1>
  %r5 = graph.broadcast_in_dim %any5 broadcast_dimensions = [0] : (tensor<3xi1>) -> tensor<3x3xi1>
  %w5 = graph.select %r5, %zero, %p5 : tensor<3x3xf32>
  %y5 = graph.matmul %w5, %x : (tensor<3x3xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>

  %d6 = graph.matmul %x, %x {transpose_b} : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x3xf32>
  %p6 = graph.softmax %d6 : tensor<3x3xf32>
  %eq6 = graph.compare eq, %d6, %least : tensor<3x3xf32>
  %all6 = graph.reduce_and %eq6 dimensions = [1] : (tensor<3x3xi1>) -> tensor<3xi1>
  %r6 = graph.broadcast_in_dim %all6 broadcast_dimensions = [0] : (tensor<3xi1>) -> tensor<3x3xi1>
  %w6 = graph.select %r6, %one, %p6 : tensor<3x3xf32>
  %y6 = graph.matmul %w6, %x : (tensor<3x3xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  graph.return %y0, %y1, %y2, %y3, %y4, %y5, %y6
      : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>
}

// -----

// A safe softmax that is no part of an attention (a dropout stands between): scores of 0 in rows of -inf keep the gradient finite. Its device stays.
// CHECK-LABEL: graph.func @dropout(
// CHECK: %[[S:.*]] = graph.add
// CHECK: %[[P:.*]] = graph.broadcast_in_dim
// CHECK: %[[F:.*]] = graph.select %[[P]], %{{.*}}, %[[S]] {graph.device = #graph.device<"/job:worker/task:1">} : tensor<2x3x3xf32>
// CHECK: %[[W:.*]] = graph.softmax %[[F]] {graph.device = #graph.device<"/job:worker/task:1">} : tensor<2x3x3xf32>
// CHECK: %[[Z:.*]] = graph.select %[[P]], %{{.*}}, %[[W]] : tensor<2x3x3xf32>
// CHECK: graph.multiply %[[Z]], %arg2
// CHECK-NOT: graph.attention
graph.func @dropout(%x: tensor<2x3x4xf32>, %pad: tensor<2x3xi1>, %keep: tensor<2x3x3xf32>) -> tensor<2x3x4xf32> attributes {role = #graph.role<predict>} {
  %least = graph.constant dense<0xFF800000> : tensor<2x3x3xf32>
  %zero = graph.constant dense<0.0> : tensor<2x3x3xf32>
  %l = graph.broadcast_in_dim %pad broadcast_dimensions = [0, 2] : (tensor<2x3xi1>) -> tensor<2x3x3xi1>
  %b = graph.select %l, %least, %zero : tensor<2x3x3xf32>
  %d = graph.matmul %x, %x {transpose_b} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x3xf32>
  %s = graph.add %d, %b : tensor<2x3x3xf32>
  %p = graph.softmax %s {graph.device = #graph.device<"/job:worker/task:1">} : tensor<2x3x3xf32>
  %eq = graph.compare eq, %s, %least : tensor<2x3x3xf32>
  %all = graph.reduce_and %eq dimensions = [2] : (tensor<2x3x3xi1>) -> tensor<2x3xi1>
  %r = graph.broadcast_in_dim %all broadcast_dimensions = [0, 1] : (tensor<2x3xi1>) -> tensor<2x3x3xi1>
  %w = graph.select %r, %zero, %p : tensor<2x3x3xf32>
  %dropped = graph.multiply %w, %keep : tensor<2x3x3xf32>
  %y = graph.matmul %dropped, %x : (tensor<2x3x3xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  graph.return %y : tensor<2x3x4xf32>
}

// -----

// A matrix whose scores are all -inf is no row of -inf: a query without a key stays NaN in a matrix that has others.
// CHECK-LABEL: graph.func @whole_matrix(
// CHECK-NOT: graph.attention
// CHECK: graph.return
graph.func @whole_matrix(%x: tensor<2x3x4xf32>, %looks: tensor<2x3x3xi1>) -> tensor<2x3x4xf32> attributes {role = #graph.role<predict>} {
  %least = graph.constant dense<0xFF800000> : tensor<2x3x3xf32>
  %zero = graph.constant dense<0.0> : tensor<2x3x3xf32>
  %d = graph.matmul %x, %x {transpose_b} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x3xf32>
  %s = graph.select %looks, %d, %least : tensor<2x3x3xf32>
  %p = graph.softmax %s : tensor<2x3x3xf32>
  %eq = graph.compare eq, %s, %least : tensor<2x3x3xf32>
  %flat = graph.reshape %eq : (tensor<2x3x3xi1>) -> tensor<2x9xi1>
  %all = graph.reduce_and %flat dimensions = [1] : (tensor<2x9xi1>) -> tensor<2xi1>
  %wide = graph.broadcast_in_dim %all broadcast_dimensions = [0] : (tensor<2xi1>) -> tensor<2x9xi1>
  %r = graph.reshape %wide : (tensor<2x9xi1>) -> tensor<2x3x3xi1>
  %w = graph.select %r, %zero, %p : tensor<2x3x3xf32>
  %y = graph.matmul %w, %x : (tensor<2x3x3xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  graph.return %y : tensor<2x3x4xf32>
}
