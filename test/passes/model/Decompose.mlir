// RUN: graph-opt --split-input-file --decompose %s | FileCheck %s
// RUN: graph-opt --split-input-file --decompose --cse %s | FileCheck %s --check-prefix=CSE

// CHECK-LABEL: func @softmax
func.func @softmax(%x: tensor<4x10xf32>) -> tensor<4x10xf32> {
  // CHECK: %[[MAX:.*]] = graph.reduce_max %arg0 dimensions = [1] {graph.device = #graph.device<"/device:GPU:1">}
  // CHECK: %[[B:.*]] = graph.broadcast_in_dim %[[MAX]] broadcast_dimensions = [0]
  // CHECK: %[[Z:.*]] = graph.subtract %arg0, %[[B]]
  // CHECK: %[[E:.*]] = graph.exponential %[[Z]]
  // CHECK: %[[S:.*]] = graph.reduce_sum %[[E]] dimensions = [1]
  // CHECK: %[[SB:.*]] = graph.broadcast_in_dim %[[S]] broadcast_dimensions = [0]
  // CHECK: graph.divide %[[E]], %[[SB]] {graph.device
  %p = graph.softmax %x {graph.device = #graph.device<"/gpu:1">} : tensor<4x10xf32>
  return %p : tensor<4x10xf32>
}

// -----

// CHECK-LABEL: func @log_softmax
// CHECK: %[[Z:.*]] = graph.subtract
// CHECK: %[[E:.*]] = graph.exponential %[[Z]]
// CHECK: %[[S:.*]] = graph.reduce_sum %[[E]]
// CHECK: %[[L:.*]] = graph.log %[[S]]
// CHECK: %[[B:.*]] = graph.broadcast_in_dim %[[L]]
// CHECK: graph.subtract %[[Z]], %[[B]]
func.func @log_softmax(%x: tensor<4x10xf64>) -> tensor<4x10xf64> {
  %p = graph.log_softmax %x : tensor<4x10xf64>
  return %p : tensor<4x10xf64>
}

// -----

// The loss and its gradient share the work of the softmax.
// CHECK-LABEL: func @cross_entropy
// CSE-LABEL: func @cross_entropy
// CSE-COUNT-1: graph.exponential
// CSE-NOT: graph.exponential
func.func @cross_entropy(%x: tensor<4x10xf32>, %y: tensor<4xi32>) -> (tensor<f32>, tensor<4x10xf32>) {
  // CHECK: %[[CLASSES:.*]] = graph.iota dimension = 1 : tensor<4x10xi32>
  // CHECK: %[[MASK:.*]] = graph.compare eq, %{{.*}}, %[[CLASSES]]
  // CHECK: %[[PICK:.*]] = graph.select %[[MASK]]
  // CHECK: %[[P:.*]] = graph.reduce_sum %[[PICK]] dimensions = [1]
  // CHECK: %[[D:.*]] = graph.subtract %{{.*}}, %[[P]] : tensor<4xf32>
  // CHECK: %[[S:.*]] = graph.reduce_sum %[[D]] dimensions = [0]
  // CHECK: graph.divide %[[S]]
  %loss = graph.softmax_cross_entropy %x, %y : (tensor<4x10xf32>, tensor<4xi32>) -> tensor<f32>
  // CHECK: %[[T:.*]] = graph.convert %{{.*}} : (tensor<4x10xi1>) -> tensor<4x10xf32>
  // CHECK: %[[SCALE:.*]] = graph.divide %[[L:.*]], %{{.*}} : tensor<f32>
  // CHECK: graph.subtract %{{.*}}, %[[T]]
  // CHECK: graph.multiply
  %g = graph.softmax_cross_entropy_grad %x, %y, %loss : (tensor<4x10xf32>, tensor<4xi32>, tensor<f32>) -> tensor<4x10xf32>
  return %loss, %g : tensor<f32>, tensor<4x10xf32>
}

// -----

// CHECK-LABEL: func @rest
// CSE-LABEL: func @rest
// CHECK-NOT: graph.{{nll_loss|reduce_mean|logistic|rsqrt|sign|one_hot|power}}
// CHECK: return
func.func @rest(%x: tensor<4x10xf32>, %y: tensor<4xi64>) -> (tensor<f32>, tensor<4xf32>, tensor<4x10xf32>, tensor<4x10xi32>) {
  %loss = graph.nll_loss %x, %y : (tensor<4x10xf32>, tensor<4xi64>) -> tensor<f32>
  %m = graph.reduce_mean %x dimensions = [1] : (tensor<4x10xf32>) -> tensor<4xf32>
  %a = graph.logistic %x : tensor<4x10xf32>
  %b = graph.rsqrt %a : tensor<4x10xf32>
  %c = graph.sign %b : tensor<4x10xf32>
  %d = graph.power %c, %x : tensor<4x10xf32>
  %e = graph.one_hot %y : (tensor<4xi64>) -> tensor<4x10xi32>
  return %loss, %m, %d, %e : tensor<f32>, tensor<4xf32>, tensor<4x10xf32>, tensor<4x10xi32>
}

// -----

// bias_add and relu stay: a matmul kernel may do them.
// CHECK-LABEL: func @kept
// CHECK: graph.bias_add
// CHECK: graph.relu
func.func @kept(%x: tensor<4x10xf32>, %b: tensor<10xf32>) -> tensor<4x10xf32> {
  %a = graph.bias_add %x, %b : tensor<4x10xf32>, tensor<10xf32>
  %r = graph.relu %a : tensor<4x10xf32>
  return %r : tensor<4x10xf32>
}

// -----

// The scale of a loss's own gradient is a constant.
// CHECK-LABEL: func @constant_scale
// CHECK: %[[SCALE:.*]] = graph.constant dense<2.500000e-01> : tensor<4x10xf32>
// CHECK-NOT: graph.divide {{.*}} : tensor<f32>
// CHECK: graph.multiply %{{.*}}, %[[SCALE]]
func.func @constant_scale(%x: tensor<4x10xf32>, %y: tensor<4xi32>) -> tensor<4x10xf32> {
  %one = graph.constant dense<1.0> : tensor<f32>
  %g = graph.softmax_cross_entropy_grad %x, %y, %one : (tensor<4x10xf32>, tensor<4xi32>, tensor<f32>) -> tensor<4x10xf32>
  return %g : tensor<4x10xf32>
}

// -----

// The least index at which the element is the largest; a NaN counts as largest.
// CHECK-LABEL: func @argmax
// CHECK: %[[MAX:.*]] = graph.reduce_max %arg0 dimensions = [1]
// CHECK: %[[MOST:.*]] = graph.broadcast_in_dim %[[MAX]] broadcast_dimensions = [0]
// CHECK: %[[EQUAL:.*]] = graph.compare eq, %arg0, %[[MOST]]
// CHECK: %[[NAN:.*]] = graph.compare ne, %arg0, %arg0
// CHECK: %[[FOUND:.*]] = graph.or %[[EQUAL]], %[[NAN]]
// CHECK: %[[NONE:.*]] = graph.constant dense<2147483647> : tensor<4x10xi32>
// CHECK: %[[PLACE:.*]] = graph.iota dimension = 1 : tensor<4x10xi32>
// CHECK: %[[CANDIDATES:.*]] = graph.select %[[FOUND]], %[[PLACE]], %[[NONE]]
// CHECK: graph.reduce_min %[[CANDIDATES]] dimensions = [1]
func.func @argmax(%x: tensor<4x10xf32>) -> tensor<4xi32> {
  %c = graph.argmax %x dimension = 1 : (tensor<4x10xf32>) -> tensor<4xi32>
  return %c : tensor<4xi32>
}
