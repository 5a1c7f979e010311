// RUN: graph-opt --split-input-file --differentiate --simplify %s | FileCheck %s

// A multi-layer perceptron's backward pass: transposed products by flags, the mask of relu from its result, the seed of
// the loss folded into the constant, and no gradient by the data.
graph.variable @w1 : tensor<8x6xf32> = #graph.glorot_uniform<seed = 1>
graph.variable @b1 : tensor<6xf32> = #graph.zeros
graph.variable @w2 : tensor<6x3xf32> = #graph.glorot_uniform<seed = 2>
graph.dataset @train : (tensor<8xf32>, tensor<i32>) = #graph.synthetic<samples = 100, limits = [0, 3]>
// CHECK-LABEL: graph.func @mlp
graph.func @mlp() -> tensor<f32> attributes {role = #graph.role<train>} {
  // CHECK: %[[DATA:.*]]:2 = graph.next_batch
  %x, %y = graph.next_batch @train {batch = 4} : tensor<4x8xf32>, tensor<4xi32>
  %w1 = graph.read @w1 : tensor<8x6xf32>
  %b1 = graph.read @b1 : tensor<6xf32>
  // CHECK: %[[W2:.*]] = graph.read @w2
  %w2 = graph.read @w2 : tensor<6x3xf32>
  %h0 = graph.matmul %x, %w1 : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %h1 = graph.bias_add %h0, %b1 : tensor<4x6xf32>, tensor<6xf32>
  // CHECK: %[[H:.*]] = graph.relu
  %h = graph.relu %h1 : tensor<4x6xf32>
  // CHECK: %[[LOGITS:.*]] = graph.matmul %[[H]], %[[W2]]
  %logits = graph.matmul %h, %w2 : (tensor<4x6xf32>, tensor<6x3xf32>) -> tensor<4x3xf32>
  %loss = graph.softmax_cross_entropy %logits, %y : (tensor<4x3xf32>, tensor<4xi32>) -> tensor<f32>
  // CHECK: %[[G:.*]] = graph.softmax_cross_entropy_grad %[[LOGITS]], %[[DATA]]#1, %{{.*}}
  // CHECK: %[[GH:.*]] = graph.matmul %[[G]], %[[W2]] {transpose_b}
  // CHECK: %[[GW2:.*]] = graph.matmul %[[H]], %[[G]] {transpose_a}
  // CHECK: %[[P:.*]] = graph.compare gt, %[[H]]
  // CHECK: %[[GR:.*]] = graph.select %[[P]], %[[GH]]
  // CHECK: %[[GB:.*]] = graph.reduce_sum %[[GR]] dimensions = [0]
  // CHECK: %[[GW1:.*]] = graph.matmul %[[DATA]]#0, %[[GR]] {transpose_a}
  // CHECK-NOT: graph.matmul
  // CHECK: graph.apply_sgd @w1, %[[GW1]]
  // CHECK: graph.apply_sgd @b1, %[[GB]]
  // CHECK: graph.apply_sgd @w2, %[[GW2]]
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.1>} : tensor<f32>
  graph.return %loss : tensor<f32>
}

// -----

// The gradients of a product have its precision.
graph.variable @a : tensor<4x3xf32> = #graph.zeros
graph.variable @b : tensor<3x5xf32> = #graph.zeros
// CHECK-LABEL: graph.func @precision
graph.func @precision() attributes {role = #graph.role<train>} {
  %a = graph.read @a : tensor<4x3xf32>
  %b = graph.read @b : tensor<3x5xf32>
  // CHECK-COUNT-3: graph.matmul {{.*}} precision = tf32 {{.*}}: (tensor
  // CHECK-NOT: graph.matmul
  %c = graph.matmul %a, %b precision = tf32 : (tensor<4x3xf32>, tensor<3x5xf32>) -> tensor<4x5xf32>
  %s = graph.multiply %c, %c : tensor<4x5xf32>
  %loss = graph.reduce_sum %s dimensions = [0, 1] : (tensor<4x5xf32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.1>} : tensor<f32>
  graph.return
}

// -----

// All four ways to store the operands of a product; operand and gradient have the same shape.
graph.variable @a : tensor<2x3x4xf32> = #graph.zeros
graph.variable @b : tensor<2x5x3xf32> = #graph.zeros
// CHECK-LABEL: graph.func @transposed
graph.func @transposed() attributes {role = #graph.role<train>} {
  // CHECK: %[[A:.*]] = graph.read @a
  // CHECK: %[[B:.*]] = graph.read @b
  %a = graph.read @a : tensor<2x3x4xf32>
  %b = graph.read @b : tensor<2x5x3xf32>
  %c = graph.matmul %a, %b {transpose_a, transpose_b} : (tensor<2x3x4xf32>, tensor<2x5x3xf32>) -> tensor<2x4x5xf32>
  // CHECK: graph.matmul %[[B]], %{{.*}} {transpose_a, transpose_b} : (tensor<2x5x3xf32>, tensor<2x4x5xf32>) -> tensor<2x3x4xf32>
  // CHECK: graph.matmul %{{.*}}, %[[A]] {transpose_a, transpose_b} : (tensor<2x4x5xf32>, tensor<2x3x4xf32>) -> tensor<2x5x3xf32>
  %loss = graph.reduce_sum %c dimensions = [0, 1, 2] : (tensor<2x4x5xf32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.1>} : tensor<f32>
  graph.return
}
