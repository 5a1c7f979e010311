// RUN: graph-opt --recognize-composites --split-input-file %s | FileCheck %s

// CHECK-LABEL: graph.func @softmax
// CHECK-NEXT: %[[P:.*]] = graph.softmax %arg0 : tensor<4x8xf32>
// CHECK-NEXT: graph.return %[[P]]
graph.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {role = #graph.role<predict>} {
  %most = graph.reduce_max %x dimensions = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %m = graph.broadcast_in_dim %most broadcast_dimensions = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %z = graph.subtract %x, %m : tensor<4x8xf32>
  %e = graph.exponential %z : tensor<4x8xf32>
  %sum = graph.reduce_sum %e dimensions = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %s = graph.broadcast_in_dim %sum broadcast_dimensions = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %p = graph.divide %e, %s : tensor<4x8xf32>
  graph.return %p : tensor<4x8xf32>
}

// -----

// As JAX has it: with a maximum that changes nothing, and a dimension of 1 that a reduction leaves. What is made has the device of the last op.
// CHECK-LABEL: graph.func @kept
// CHECK-NEXT: %[[P:.*]] = graph.softmax %arg0 {graph.device = #graph.device<"/job:worker/task:1">} : tensor<2x4x8xf32>
// CHECK-NEXT: %[[L:.*]] = graph.log_softmax %arg0 : tensor<2x4x8xf32>
// CHECK-NEXT: graph.return %[[P]], %[[L]]
graph.func @kept(%x: tensor<2x4x8xf32>) -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>) attributes {role = #graph.role<predict>} {
  %least = graph.constant dense<0xFF800000> : tensor<2x4xf32>
  %max = graph.reduce_max %x dimensions = [2] : (tensor<2x4x8xf32>) -> tensor<2x4xf32>
  %most = graph.maximum %least, %max : tensor<2x4xf32>
  %kept = graph.broadcast_in_dim %most broadcast_dimensions = [0, 1] : (tensor<2x4xf32>) -> tensor<2x4x1xf32>
  %m = graph.broadcast_in_dim %kept broadcast_dimensions = [0, 1, 2] : (tensor<2x4x1xf32>) -> tensor<2x4x8xf32>
  %z = graph.subtract %x, %m : tensor<2x4x8xf32>
  %e = graph.exponential %z : tensor<2x4x8xf32>
  %sum = graph.reduce_sum %e dimensions = [2] : (tensor<2x4x8xf32>) -> tensor<2x4xf32>
  %one = graph.reshape %sum : (tensor<2x4xf32>) -> tensor<2x4x1xf32>
  %s = graph.broadcast_in_dim %one broadcast_dimensions = [0, 1, 2] : (tensor<2x4x1xf32>) -> tensor<2x4x8xf32>
  %p = graph.divide %e, %s {graph.device = #graph.device<"/job:worker/task:1">} : tensor<2x4x8xf32>
  %e2 = graph.exponential %z : tensor<2x4x8xf32>
  %sum2 = graph.reduce_sum %e2 dimensions = [2] : (tensor<2x4x8xf32>) -> tensor<2x4xf32>
  %one2 = graph.reshape %sum2 : (tensor<2x4xf32>) -> tensor<2x4x1xf32>
  %log = graph.log %one2 : tensor<2x4x1xf32>
  %logs = graph.broadcast_in_dim %log broadcast_dimensions = [0, 1, 2] : (tensor<2x4x1xf32>) -> tensor<2x4x8xf32>
  %l = graph.subtract %z, %logs : tensor<2x4x8xf32>
  graph.return %p, %l : tensor<2x4x8xf32>, tensor<2x4x8xf32>
}

// -----

// Not along the last dimension; a sum of something else; a power that is used elsewhere too; less than another row's maximum.
// CHECK-LABEL: graph.func @no_softmax
// CHECK-NOT: graph.softmax
graph.func @no_softmax(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) attributes {role = #graph.role<predict>} {
  %most0 = graph.reduce_max %x dimensions = [0] : (tensor<4x4xf32>) -> tensor<4xf32>
  %m0 = graph.broadcast_in_dim %most0 broadcast_dimensions = [1] : (tensor<4xf32>) -> tensor<4x4xf32>
  %z0 = graph.subtract %x, %m0 : tensor<4x4xf32>
  %e0 = graph.exponential %z0 : tensor<4x4xf32>
  %sum0 = graph.reduce_sum %e0 dimensions = [0] : (tensor<4x4xf32>) -> tensor<4xf32>
  %s0 = graph.broadcast_in_dim %sum0 broadcast_dimensions = [1] : (tensor<4xf32>) -> tensor<4x4xf32>
  %p0 = graph.divide %e0, %s0 : tensor<4x4xf32>

  %most = graph.reduce_max %x dimensions = [1] : (tensor<4x4xf32>) -> tensor<4xf32>
  %m = graph.broadcast_in_dim %most broadcast_dimensions = [0] : (tensor<4xf32>) -> tensor<4x4xf32>
  %z = graph.subtract %x, %m : tensor<4x4xf32>
  %e1 = graph.exponential %z : tensor<4x4xf32>
  %sum1 = graph.reduce_sum %y dimensions = [1] : (tensor<4x4xf32>) -> tensor<4xf32>
  %s1 = graph.broadcast_in_dim %sum1 broadcast_dimensions = [0] : (tensor<4xf32>) -> tensor<4x4xf32>
  %p1 = graph.divide %e1, %s1 : tensor<4x4xf32>

  %e2 = graph.exponential %z : tensor<4x4xf32>
  %sum2 = graph.reduce_sum %e2 dimensions = [1] : (tensor<4x4xf32>) -> tensor<4xf32>
  %s2 = graph.broadcast_in_dim %sum2 broadcast_dimensions = [0] : (tensor<4xf32>) -> tensor<4x4xf32>
  %p2 = graph.divide %e2, %s2 : tensor<4x4xf32>

  %n = graph.broadcast_in_dim %most broadcast_dimensions = [1] : (tensor<4xf32>) -> tensor<4x4xf32>
  %z3 = graph.subtract %x, %n : tensor<4x4xf32>
  %e3 = graph.exponential %z3 : tensor<4x4xf32>
  %sum3 = graph.reduce_sum %e3 dimensions = [1] : (tensor<4x4xf32>) -> tensor<4xf32>
  %s3 = graph.broadcast_in_dim %sum3 broadcast_dimensions = [0] : (tensor<4xf32>) -> tensor<4x4xf32>
  %p3 = graph.divide %e3, %s3 : tensor<4x4xf32>
  graph.return %p0, %p1, %p2, %e2, %p3 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// CHECK-LABEL: graph.func @attention
// CHECK-NEXT: %[[A:.*]] = graph.attention %arg0, %arg1, %arg2 {scale = 5.000000e-01 : f64} : (tensor<2x6x4xf32>, tensor<2x8x4xf32>, tensor<2x8x3xf32>) -> tensor<2x6x3xf32>
// CHECK-NEXT: graph.return %[[A]]
graph.func @attention(%q: tensor<2x6x4xf32>, %k: tensor<2x8x4xf32>, %v: tensor<2x8x3xf32>) -> tensor<2x6x3xf32> attributes {role = #graph.role<predict>} {
  %two = graph.constant dense<2.0> : tensor<2x6x8xf32>
  %qk = graph.matmul %q, %k {transpose_b} : (tensor<2x6x4xf32>, tensor<2x8x4xf32>) -> tensor<2x6x8xf32>
  %s = graph.divide %qk, %two : tensor<2x6x8xf32>
  %p = graph.softmax %s : tensor<2x6x8xf32>
  %y = graph.matmul %p, %v : (tensor<2x6x8xf32>, tensor<2x8x3xf32>) -> tensor<2x6x3xf32>
  graph.return %y : tensor<2x6x3xf32>
}

// -----

// Factors the other way round, each product transposed; heads in dimensions of their own between the products.
// CHECK-LABEL: graph.func @transposed
// CHECK-DAG: %[[Q:.*]] = graph.reshape %arg0 : (tensor<4x6x4xf32>) -> tensor<2x2x6x4xf32>
// CHECK-DAG: %[[K:.*]] = graph.reshape %arg1 : (tensor<4x8x4xf32>) -> tensor<2x2x8x4xf32>
// CHECK-DAG: %[[V:.*]] = graph.reshape %arg2 : (tensor<4x8x3xf32>) -> tensor<2x2x8x3xf32>
// CHECK: %[[A:.*]] = graph.attention %[[Q]], %[[K]], %[[V]] {scale = 3.000000e+00 : f64}
// CHECK: %[[T:.*]] = graph.transpose %[[A]] permutation = [0, 1, 3, 2]
// CHECK: %[[R:.*]] = graph.reshape %[[T]] : (tensor<2x2x3x6xf32>) -> tensor<4x3x6xf32>
// CHECK: graph.return %[[R]]
graph.func @transposed(%q: tensor<4x6x4xf32>, %k: tensor<4x8x4xf32>, %v: tensor<4x8x3xf32>) -> tensor<4x3x6xf32> attributes {role = #graph.role<predict>} {
  %three = graph.constant dense<3.0> : tensor<2x2x8x6xf32>
  %kq = graph.matmul %k, %q {transpose_b} : (tensor<4x8x4xf32>, tensor<4x6x4xf32>) -> tensor<4x8x6xf32>
  %heads = graph.reshape %kq : (tensor<4x8x6xf32>) -> tensor<2x2x8x6xf32>
  %qk = graph.transpose %heads permutation = [0, 1, 3, 2] : (tensor<2x2x8x6xf32>) -> tensor<2x2x6x8xf32>
  %threes = graph.transpose %three permutation = [0, 1, 3, 2] : (tensor<2x2x8x6xf32>) -> tensor<2x2x6x8xf32>
  %s = graph.multiply %threes, %qk : tensor<2x2x6x8xf32>
  %p = graph.softmax %s : tensor<2x2x6x8xf32>
  %joined = graph.reshape %p : (tensor<2x2x6x8xf32>) -> tensor<4x6x8xf32>
  %y = graph.matmul %v, %joined {transpose_a, transpose_b} : (tensor<4x8x3xf32>, tensor<4x6x8xf32>) -> tensor<4x3x6xf32>
  graph.return %y : tensor<4x3x6xf32>
}

// -----

// Masks that leave query i the keys up to i: a constant, by its opposite, by what is added, and by counting.
// CHECK-LABEL: graph.func @causal
// CHECK: graph.attention %arg0, %arg0, %arg0 {causal, scale = 1.000000e+00 : f64}
// CHECK: graph.attention %arg0, %arg0, %arg0 {causal, scale = 1.000000e+00 : f64}
// CHECK: graph.attention %arg0, %arg0, %arg0 {causal, scale = 1.000000e+00 : f64}
// CHECK: graph.attention %arg0, %arg0, %arg0 {causal, scale = 1.000000e+00 : f64}
// CHECK-NOT: graph.matmul
graph.func @causal(%x: tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>) attributes {role = #graph.role<predict>} {
  %fill = graph.constant dense<-1.0e9> : tensor<2x3x3xf32>
  %lower = graph.constant dense<[[true, false, false], [true, true, false], [true, true, true]]> : tensor<3x3xi1>
  %l = graph.broadcast_in_dim %lower broadcast_dimensions = [1, 2] : (tensor<3x3xi1>) -> tensor<2x3x3xi1>
  %s0 = graph.matmul %x, %x {transpose_b} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x3xf32>
  %m0 = graph.select %l, %s0, %fill : tensor<2x3x3xf32>
  %p0 = graph.softmax %m0 : tensor<2x3x3xf32>
  %y0 = graph.matmul %p0, %x : (tensor<2x3x3xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>

  %upper = graph.constant dense<[[false, true, true], [false, false, true], [false, false, false]]> : tensor<3x3xi1>
  %u = graph.broadcast_in_dim %upper broadcast_dimensions = [1, 2] : (tensor<3x3xi1>) -> tensor<2x3x3xi1>
  %s1 = graph.matmul %x, %x {transpose_b} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x3xf32>
  %m1 = graph.select %u, %fill, %s1 : tensor<2x3x3xf32>
  %p1 = graph.softmax %m1 : tensor<2x3x3xf32>
  %y1 = graph.matmul %p1, %x : (tensor<2x3x3xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>

  %zero = graph.constant dense<0.0> : tensor<3x3xf32>
  %least = graph.constant dense<-1.0e30> : tensor<3x3xf32>
  %bias = graph.select %lower, %zero, %least : tensor<3x3xf32>
  %b = graph.broadcast_in_dim %bias broadcast_dimensions = [1, 2] : (tensor<3x3xf32>) -> tensor<2x3x3xf32>
  %s2 = graph.matmul %x, %x {transpose_b} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x3xf32>
  %m2 = graph.add %b, %s2 : tensor<2x3x3xf32>
  %p2 = graph.softmax %m2 : tensor<2x3x3xf32>
  %y2 = graph.matmul %p2, %x : (tensor<2x3x3xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>

  %i = graph.iota dimension = 0 : tensor<3xi32>
  %key = graph.broadcast_in_dim %i broadcast_dimensions = [2] : (tensor<3xi32>) -> tensor<1x3x3xi32>
  %query = graph.broadcast_in_dim %i broadcast_dimensions = [1] : (tensor<3xi32>) -> tensor<1x3x3xi32>
  %le = graph.compare le, %key, %query : tensor<1x3x3xi32>
  %number = graph.convert %le : (tensor<1x3x3xi1>) -> tensor<1x3x3xf32>
  %none = graph.constant dense<0.0> : tensor<1x3x3xf32>
  %ne = graph.compare ne, %number, %none : tensor<1x3x3xf32>
  %n = graph.broadcast_in_dim %ne broadcast_dimensions = [0, 1, 2] : (tensor<1x3x3xi1>) -> tensor<2x3x3xi1>
  %s3 = graph.matmul %x, %x {transpose_b} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x3xf32>
  %m3 = graph.select %n, %s3, %fill : tensor<2x3x3xf32>
  %p3 = graph.softmax %m3 : tensor<2x3x3xf32>
  %y3 = graph.matmul %p3, %x : (tensor<2x3x3xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  graph.return %y0, %y1, %y2, %y3 : tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>
}

// -----

// Masks of the data, by a select of a finite constant: the mean of the values where a query attends to no key.
// CHECK-LABEL: graph.func @masked
// CHECK-DAG: %[[M:.*]] = graph.reshape %arg1 : (tensor<2x3xi1>) -> tensor<2x1x3xi1>
// CHECK: %[[A:.*]] = graph.attention %arg0, %arg0, %arg0 mask %[[M]] {scale = 1.000000e+00 : f64}
// CHECK: %[[B:.*]] = graph.reduce_or %[[M]] dimensions = [2] : (tensor<2x1x3xi1>) -> tensor<2x1xi1>
// CHECK: %[[SUM:.*]] = graph.reduce_sum %arg0 dimensions = [1] : (tensor<2x3x4xf32>) -> tensor<2x4xf32>
// CHECK: %[[MEAN:.*]] = graph.divide %[[SUM]]
// CHECK: %[[MEANS:.*]] = graph.broadcast_in_dim %[[MEAN]] broadcast_dimensions = [0, 2] : (tensor<2x4xf32>) -> tensor<2x3x4xf32>
// CHECK: graph.select %{{.*}}, %[[A]], %[[MEANS]]
// CHECK: %[[NOT:.*]] = graph.not
// CHECK: %[[A2:.*]] = graph.attention %arg0, %arg0, %arg0 mask %[[NOT]]
// CHECK: graph.select %{{.*}}, %[[A2]], %{{.*}}
// CHECK-NOT: graph.softmax
graph.func @masked(%x: tensor<2x3x4xf32>, %looks: tensor<2x3xi1>) -> (tensor<2x3x4xf32>, tensor<2x3x4xf32>) attributes {role = #graph.role<predict>} {
  %fill = graph.constant dense<-1.0e30> : tensor<2x3x3xf32>
  %l = graph.broadcast_in_dim %looks broadcast_dimensions = [0, 2] : (tensor<2x3xi1>) -> tensor<2x3x3xi1>
  %s1 = graph.matmul %x, %x {transpose_b} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x3xf32>
  %m1 = graph.select %l, %s1, %fill : tensor<2x3x3xf32>
  %p1 = graph.softmax %m1 : tensor<2x3x3xf32>
  %y1 = graph.matmul %p1, %x : (tensor<2x3x3xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %s2 = graph.matmul %x, %x {transpose_b} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x3xf32>
  %m2 = graph.select %l, %fill, %s2 : tensor<2x3x3xf32>
  %p2 = graph.softmax %m2 : tensor<2x3x3xf32>
  %y2 = graph.matmul %p2, %x : (tensor<2x3x3xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  graph.return %y1, %y2 : tensor<2x3x4xf32>, tensor<2x3x4xf32>
}

// -----

// Weights that are used twice; scores that are; a mask of the data that is added and finite (scores that are masked have a gradient); one that is
// not small enough; a product of lower precision; a mean over queries.
// CHECK-LABEL: graph.func @no_attention
// CHECK-NOT: graph.attention
graph.func @no_attention(%x: tensor<2x3x4xf32>, %looks: tensor<2x3xi1>)
    -> (tensor<2x3x4xf32>, tensor<2x3x3xf32>, tensor<2x3x4xf32>, tensor<2x3x3xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>)
    attributes {role = #graph.role<predict>} {
  %s0 = graph.matmul %x, %x {transpose_b} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x3xf32>
  %p0 = graph.softmax %s0 : tensor<2x3x3xf32>
  %y0 = graph.matmul %p0, %x : (tensor<2x3x3xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %s1 = graph.matmul %x, %x {transpose_b} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x3xf32>
  %p1 = graph.softmax %s1 : tensor<2x3x3xf32>
  %y1 = graph.matmul %p1, %x : (tensor<2x3x3xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %l = graph.broadcast_in_dim %looks broadcast_dimensions = [0, 2] : (tensor<2x3xi1>) -> tensor<2x3x3xi1>
  %zero = graph.constant dense<0.0> : tensor<2x3x3xf32>
  %least = graph.constant dense<-1.0e30> : tensor<2x3x3xf32>
  %bias = graph.select %l, %zero, %least : tensor<2x3x3xf32>
  %s2 = graph.matmul %x, %x {transpose_b} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x3xf32>
  %m2 = graph.add %s2, %bias : tensor<2x3x3xf32>
  %p2 = graph.softmax %m2 : tensor<2x3x3xf32>
  %y2 = graph.matmul %p2, %x : (tensor<2x3x3xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %less = graph.constant dense<-1.0e4> : tensor<2x3x3xf32>
  %s3 = graph.matmul %x, %x {transpose_b} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x3xf32>
  %m3 = graph.select %l, %s3, %less : tensor<2x3x3xf32>
  %p3 = graph.softmax %m3 : tensor<2x3x3xf32>
  %y3 = graph.matmul %p3, %x : (tensor<2x3x3xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %s4 = graph.matmul %x, %x precision = bf16 {transpose_b} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x3xf32>
  %p4 = graph.softmax %s4 : tensor<2x3x3xf32>
  %y4 = graph.matmul %p4, %x : (tensor<2x3x3xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %s5 = graph.matmul %x, %x {transpose_b} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x3xf32>
  %p5 = graph.softmax %s5 : tensor<2x3x3xf32>
  %y5 = graph.matmul %p5, %x {transpose_a} : (tensor<2x3x3xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  graph.return %y0, %p0, %y1, %s1, %y2, %y3, %y4, %y5
      : tensor<2x3x4xf32>, tensor<2x3x3xf32>, tensor<2x3x4xf32>, tensor<2x3x3xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>
}
