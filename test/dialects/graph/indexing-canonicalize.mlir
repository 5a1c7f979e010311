// RUN: graph-opt --split-input-file --canonicalize %s | FileCheck %s

// CHECK-LABEL: func @gather
// CHECK-NEXT: %[[C:.*]] = graph.constant dense<2.000000e+00> : tensor<4x8xf32>
// CHECK-NEXT: return %[[C]]
func.func @gather(%i: tensor<4xi32>) -> tensor<4x8xf32> {
  %t = graph.constant dense<2.0> : tensor<100x8xf32>
  %0 = graph.gather %t, %i offset_dims = [1] collapsed_slice_dims = [0] start_index_map = [0] index_vector_dim = 1 slice_sizes = [1, 8] : (tensor<100x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// Starts that are known make a slice, within the operand whatever they are; a whole slice is the operand.
// CHECK-LABEL: func @dynamic_slice
// CHECK-DAG: %[[S:.*]] = graph.slice %arg0 start_indices = [0, 4] limit_indices = [2, 6] strides = [1, 1] : (tensor<8x6xf32>) -> tensor<2x2xf32>
// CHECK-DAG: %[[C:.*]] = graph.constant dense<2.000000e+00> : tensor<3xf32>
// CHECK: return %[[S]], %arg0, %[[C]]
func.func @dynamic_slice(%a: tensor<8x6xf32>, %i: tensor<i32>) -> (tensor<2x2xf32>, tensor<8x6xf32>, tensor<3xf32>) {
  %before = graph.constant dense<-7> : tensor<i32>
  %behind = graph.constant dense<9> : tensor<i32>
  %0 = graph.dynamic_slice %a, %before, %behind slice_sizes = [2, 2] : (tensor<8x6xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
  %1 = graph.dynamic_slice %a, %i, %i slice_sizes = [8, 6] : (tensor<8x6xf32>, tensor<i32>, tensor<i32>) -> tensor<8x6xf32>
  %twos = graph.constant dense<2.0> : tensor<9xf32>
  %2 = graph.dynamic_slice %twos, %i slice_sizes = [3] : (tensor<9xf32>, tensor<i32>) -> tensor<3xf32>
  return %0, %1, %2 : tensor<2x2xf32>, tensor<8x6xf32>, tensor<3xf32>
}

// -----

// CHECK-LABEL: func @dynamic_update_slice
// CHECK-NEXT: return %arg1
func.func @dynamic_update_slice(%a: tensor<8xf32>, %u: tensor<8xf32>, %i: tensor<i32>) -> tensor<8xf32> {
  %0 = graph.dynamic_update_slice %a, %u, %i : (tensor<8xf32>, tensor<8xf32>, tensor<i32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// What a loop writes piece by piece into a constant is these pieces side by side, whatever their order; a start that reaches beyond is the nearest
// that does not.
// CHECK-LABEL: func @written
// CHECK: %[[ZERO:.*]] = graph.constant dense<0.000000e+00> : tensor<1x4xf32>
// CHECK-NEXT: graph.concatenate %[[ZERO]], %arg0, %[[ZERO]], %arg1 dimension = 0
func.func @written(%a: tensor<1x4xf32>, %c: tensor<2x4xf32>) -> tensor<5x4xf32> {
  %zero = graph.constant dense<0.0> : tensor<5x4xf32>
  %0 = graph.constant dense<0> : tensor<i32>
  %1 = graph.constant dense<1> : tensor<i32>
  %9 = graph.constant dense<9> : tensor<i32>
  %first = graph.dynamic_update_slice %zero, %c, %9, %0 : (tensor<5x4xf32>, tensor<2x4xf32>, tensor<i32>, tensor<i32>) -> tensor<5x4xf32>
  %second = graph.dynamic_update_slice %first, %a, %1, %0 : (tensor<5x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<5x4xf32>
  return %second : tensor<5x4xf32>
}

// CHECK-LABEL: func @over
// CHECK-NEXT: %[[A:.*]] = graph.slice %arg0 start_indices = [0, 0] limit_indices = [3, 1]
// CHECK-NEXT: %[[B:.*]] = graph.slice %arg1 start_indices = [0, 1] limit_indices = [3, 2]
// CHECK-NEXT: graph.concatenate %[[A]], %arg2, %[[B]] dimension = 1
func.func @over(%a: tensor<3x2xf32>, %b: tensor<3x2xf32>, %c: tensor<3x2xf32>) -> tensor<3x4xf32> {
  %0 = graph.constant dense<0> : tensor<i64>
  %1 = graph.constant dense<1> : tensor<i64>
  %ab = graph.concatenate %a, %b dimension = 1 : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x4xf32>
  %d = graph.dynamic_update_slice %ab, %c, %0, %1 : (tensor<3x4xf32>, tensor<3x2xf32>, tensor<i64>, tensor<i64>) -> tensor<3x4xf32>
  return %d : tensor<3x4xf32>
}

// Not into what has an owner, at a place that is not known, or along two dimensions.
// CHECK-LABEL: func @stays
// CHECK-COUNT-3: graph.dynamic_update_slice
func.func @stays(%x: tensor<5x4xf32>, %a: tensor<1x4xf32>, %b: tensor<1x1xf32>, %i: tensor<i32>) -> (tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>) {
  %zero = graph.constant dense<0.0> : tensor<5x4xf32>
  %0 = graph.constant dense<0> : tensor<i32>
  %p = graph.dynamic_update_slice %x, %a, %0, %0 : (tensor<5x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<5x4xf32>
  %q = graph.dynamic_update_slice %zero, %a, %i, %0 : (tensor<5x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<5x4xf32>
  %r = graph.dynamic_update_slice %zero, %b, %0, %0 : (tensor<5x4xf32>, tensor<1x1xf32>, tensor<i32>, tensor<i32>) -> tensor<5x4xf32>
  return %p, %q, %r : tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>
}

// -----

// Weights of a layer: three dimensions are two, without a transpose; a transposed product by its flag.
// CHECK-LABEL: func @dot_general
// CHECK-DAG: %[[X:.*]] = graph.reshape %arg0 : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
// CHECK-DAG: %[[P:.*]] = graph.matmul %[[X]], %arg1 : (tensor<6x4xf32>, tensor<4x5xf32>) -> tensor<6x5xf32>
// CHECK-DAG: %[[Y:.*]] = graph.reshape %[[P]] : (tensor<6x5xf32>) -> tensor<2x3x5xf32>
// CHECK-DAG: %[[W:.*]] = graph.matmul %{{.*}}, %{{.*}} {transpose_a} : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<4x4xf32>
// CHECK: return %[[Y]], %[[W]]
func.func @dot_general(%x: tensor<2x3x4xf32>, %w: tensor<4x5xf32>) -> (tensor<2x3x5xf32>, tensor<4x4xf32>) {
  %0 = graph.dot_general %x, %w lhs_contracting_dimensions = [2] rhs_contracting_dimensions = [0] : (tensor<2x3x4xf32>, tensor<4x5xf32>) -> tensor<2x3x5xf32>
  %1 = graph.dot_general %x, %x lhs_contracting_dimensions = [0, 1] rhs_contracting_dimensions = [0, 1] : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<4x4xf32>
  return %0, %1 : tensor<2x3x5xf32>, tensor<4x4xf32>
}

// -----

// Heads: what stands between the batching dimensions is moved, and what is made stands where the product was asked to.
// CHECK-LABEL: func @heads
// CHECK-DAG: %[[A:.*]] = graph.transpose %arg0 permutation = [0, 2, 1, 3] {graph.device = #graph.device<"/job:ps">}
// CHECK-DAG: %[[Q:.*]] = graph.reshape %[[A]] {graph.device = #graph.device<"/job:ps">} : (tensor<2x2x3x4xf32>) -> tensor<4x3x4xf32>
// CHECK: graph.matmul %[[Q]], %{{.*}} precision = bf16 {graph.device = #graph.device<"/job:ps">, transpose_b} : (tensor<4x3x4xf32>, tensor<4x5x4xf32>) -> tensor<4x3x5xf32>
func.func @heads(%q: tensor<2x3x2x4xf32>, %k: tensor<2x5x2x4xf32>) -> tensor<2x2x3x5xf32> {
  %0 = graph.dot_general %q, %k lhs_batching_dimensions = [0, 2] rhs_batching_dimensions = [0, 2] lhs_contracting_dimensions = [3] rhs_contracting_dimensions = [3] precision = bf16 {graph.device = #graph.device<"/job:ps">} : (tensor<2x3x2x4xf32>, tensor<2x5x2x4xf32>) -> tensor<2x2x3x5xf32>
  return %0 : tensor<2x2x3x5xf32>
}
