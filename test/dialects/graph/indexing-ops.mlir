// RUN: graph-opt %s | graph-opt - | FileCheck %s
// RUN: graph-opt --mlir-print-op-generic %s | graph-opt - | FileCheck %s

// Without attributes that say nothing.
// CHECK-LABEL: func @gather
func.func @gather(%t: tensor<100x8xf32>, %i: tensor<4xi32>, %b: tensor<4x1xi64>, %m: tensor<4x10xi1>, %s: tensor<i32>) {
  // CHECK-NEXT: graph.gather %arg0, %arg1 offset_dims = [1] collapsed_slice_dims = [0] start_index_map = [0] index_vector_dim = 1 slice_sizes = [1, 8] : (tensor<100x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  %0 = graph.gather %t, %i offset_dims = [1] collapsed_slice_dims = [0] start_index_map = [0] index_vector_dim = 1 slice_sizes = [1, 8] : (tensor<100x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  // CHECK-NEXT: graph.gather %arg3, %arg2 collapsed_slice_dims = [1] operand_batching_dims = [0] start_indices_batching_dims = [0] start_index_map = [1] index_vector_dim = 1 slice_sizes = [1, 1] : (tensor<4x10xi1>, tensor<4x1xi64>) -> tensor<4xi1>
  %1 = graph.gather %m, %b collapsed_slice_dims = [1] operand_batching_dims = [0] start_indices_batching_dims = [0] start_index_map = [1] index_vector_dim = 1 slice_sizes = [1, 1] : (tensor<4x10xi1>, tensor<4x1xi64>) -> tensor<4xi1>
  // CHECK-NEXT: graph.gather %arg0, %arg4 offset_dims = [0, 1] start_index_map = [0] index_vector_dim = 0 slice_sizes = [2, 8] : (tensor<100x8xf32>, tensor<i32>) -> tensor<2x8xf32>
  %2 = graph.gather %t, %s offset_dims = [0, 1] start_index_map = [0] index_vector_dim = 0 slice_sizes = [2, 8] : (tensor<100x8xf32>, tensor<i32>) -> tensor<2x8xf32>
  return
}

// CHECK-LABEL: func @scatter
func.func @scatter(%t: tensor<100x8xf32>, %i: tensor<4xi32>, %u: tensor<4x8xf32>, %b: tensor<4x1xi64>, %m: tensor<4x10xi32>, %v: tensor<4xi32>) {
  // CHECK-NEXT: graph.scatter %arg0, %arg1, %arg2 update_window_dims = [1] inserted_window_dims = [0] scatter_dims_to_operand_dims = [0] index_vector_dim = 1 : (tensor<100x8xf32>, tensor<4xi32>, tensor<4x8xf32>) -> tensor<100x8xf32>
  %0 = graph.scatter %t, %i, %u update_window_dims = [1] inserted_window_dims = [0] scatter_dims_to_operand_dims = [0] index_vector_dim = 1 : (tensor<100x8xf32>, tensor<4xi32>, tensor<4x8xf32>) -> tensor<100x8xf32>
  // CHECK-NEXT: graph.scatter %arg4, %arg3, %arg5 inserted_window_dims = [1] input_batching_dims = [0] scatter_indices_batching_dims = [0] scatter_dims_to_operand_dims = [1] index_vector_dim = 1 : (tensor<4x10xi32>, tensor<4x1xi64>, tensor<4xi32>) -> tensor<4x10xi32>
  %1 = graph.scatter %m, %b, %v inserted_window_dims = [1] input_batching_dims = [0] scatter_indices_batching_dims = [0] scatter_dims_to_operand_dims = [1] index_vector_dim = 1 : (tensor<4x10xi32>, tensor<4x1xi64>, tensor<4xi32>) -> tensor<4x10xi32>
  return
}

// CHECK-LABEL: func @dynamic
func.func @dynamic(%a: tensor<8x6xf32>, %u: tensor<2x6xf32>, %i: tensor<i32>) {
  // CHECK-NEXT: graph.dynamic_slice %arg0, %arg2, %arg2 slice_sizes = [2, 6] : (tensor<8x6xf32>, tensor<i32>, tensor<i32>) -> tensor<2x6xf32>
  %0 = graph.dynamic_slice %a, %i, %i slice_sizes = [2, 6] : (tensor<8x6xf32>, tensor<i32>, tensor<i32>) -> tensor<2x6xf32>
  // CHECK-NEXT: graph.dynamic_update_slice %arg0, %arg1, %arg2, %arg2 : (tensor<8x6xf32>, tensor<2x6xf32>, tensor<i32>, tensor<i32>) -> tensor<8x6xf32>
  %1 = graph.dynamic_update_slice %a, %u, %i, %i : (tensor<8x6xf32>, tensor<2x6xf32>, tensor<i32>, tensor<i32>) -> tensor<8x6xf32>
  return
}

// CHECK-LABEL: func @lookup
func.func @lookup(%t: tensor<100x8xf32>, %i: tensor<4x5xi32>, %g: tensor<4x5x8xf32>, %a: tensor<4x10xf32>) {
  // CHECK-NEXT: graph.embedding %arg0, %arg1 : (tensor<100x8xf32>, tensor<4x5xi32>) -> tensor<4x5x8xf32>
  %0 = graph.embedding %t, %i : (tensor<100x8xf32>, tensor<4x5xi32>) -> tensor<4x5x8xf32>
  // CHECK-NEXT: graph.embedding_grad %arg1, %arg2 : (tensor<4x5xi32>, tensor<4x5x8xf32>) -> tensor<100x8xf32>
  %1 = graph.embedding_grad %i, %g : (tensor<4x5xi32>, tensor<4x5x8xf32>) -> tensor<100x8xf32>
  // CHECK-NEXT: graph.embedding %arg0, %arg1 {first_row = 100 : i64} : (tensor<100x8xf32>, tensor<4x5xi32>) -> tensor<4x5x8xf32>
  %part = graph.embedding %t, %i {first_row = 100 : i64} : (tensor<100x8xf32>, tensor<4x5xi32>) -> tensor<4x5x8xf32>
  // CHECK-NEXT: graph.sum_rows %arg1, %arg2 {micro_batches = 2 : i64, per_leaf = 1 : i64} : (tensor<4x5xi32>, tensor<4x5x8xf32>) -> (tensor<4x5xi32>, tensor<4x5x8xf32>, tensor<100xi32>, tensor<20xi32>)
  %s:4 = graph.sum_rows %i, %g {micro_batches = 2, per_leaf = 1} : (tensor<4x5xi32>, tensor<4x5x8xf32>) -> (tensor<4x5xi32>, tensor<4x5x8xf32>, tensor<100xi32>, tensor<20xi32>)
  // CHECK-NEXT: graph.distinct %arg1 {rows = 100 : i64} : (tensor<4x5xi32>) -> (tensor<20xi32>, tensor<4x5xi32>, tensor<i64>, tensor<64xi32>)
  %list, %places, %count, %slots = graph.distinct %i {rows = 100} : (tensor<4x5xi32>) -> (tensor<20xi32>, tensor<4x5xi32>, tensor<i64>, tensor<64xi32>)
  // CHECK-NEXT: graph.distinct %arg1 {first_row = 100 : i64, rows = 100 : i64} : (tensor<4x5xi32>) -> (tensor<20xi32>, tensor<4x5xi32>, tensor<i64>, tensor<128xi32>)
  %d:4 = graph.distinct %i {first_row = 100, rows = 100} : (tensor<4x5xi32>) -> (tensor<20xi32>, tensor<4x5xi32>, tensor<i64>, tensor<128xi32>)
  // CHECK-NEXT: graph.count_front %{{.*}} : (tensor<20xi32>) -> tensor<i64>
  %one = graph.count_front %list : (tensor<20xi32>) -> tensor<i64>
  // CHECK-NEXT: graph.count_front %{{.*}} : (tensor<20xi32>) -> tensor<2xi64>
  %each = graph.count_front %list : (tensor<20xi32>) -> tensor<2xi64>
  // CHECK-NEXT: graph.collect "t.gradient", %{{.*}} count %{{.*}} : tensor<i64>, %{{.*}} : tensor<2xi64> {replicas = 2 : i64} : tensor<20xi32> -> tensor<40xi32>
  %some = graph.collect "t.gradient", %list count %count : tensor<i64>, %each : tensor<2xi64> {replicas = 2} : tensor<20xi32> -> tensor<40xi32>
  // CHECK-NEXT: graph.deal "t.rows", %{{.*}} count %{{.*}} : tensor<i64>, %{{.*}} : tensor<2xi64> {replicas = 2 : i64} : tensor<40xi32> -> tensor<20xi32>
  %back = graph.deal "t.rows", %some count %count : tensor<i64>, %each : tensor<2xi64> {replicas = 2} : tensor<40xi32> -> tensor<20xi32>
  // CHECK-NEXT: graph.deal "t.one", %{{.*}} count %{{.*}} : tensor<i64>, %{{.*}} : tensor<i64> {replicas = 1 : i64} : tensor<20xi32> -> tensor<20xi32>
  %there = graph.deal "t.one", %list count %count : tensor<i64>, %one : tensor<i64> {replicas = 1} : tensor<20xi32> -> tensor<20xi32>
  // CHECK-NEXT: graph.collect "t.numbers", %arg1 {replicas = 2 : i64} : tensor<4x5xi32> -> tensor<8x5xi32>
  %all = graph.collect "t.numbers", %i {replicas = 2} : tensor<4x5xi32> -> tensor<8x5xi32>
  // CHECK-NEXT: graph.deal "t.rows", %{{.*}} {replicas = 2 : i64} : tensor<8x5xi32> -> tensor<4x5xi32>
  %own = graph.deal "t.rows", %all {replicas = 2} : tensor<8x5xi32> -> tensor<4x5xi32>
  // CHECK-NEXT: graph.top_k %arg3 k = 2 : (tensor<4x10xf32>) -> (tensor<4x2xf32>, tensor<4x2xi64>)
  %2, %3 = graph.top_k %a k = 2 : (tensor<4x10xf32>) -> (tensor<4x2xf32>, tensor<4x2xi64>)
  return
}

// CHECK-LABEL: func @dot_general
func.func @dot_general(%a: tensor<2x3x4xf32>, %b: tensor<2x5x4xf32>, %v: tensor<3xf32>) {
  // CHECK-NEXT: graph.dot_general %arg0, %arg1 lhs_batching_dimensions = [0] rhs_batching_dimensions = [0] lhs_contracting_dimensions = [2] rhs_contracting_dimensions = [2] precision = tf32 : (tensor<2x3x4xf32>, tensor<2x5x4xf32>) -> tensor<2x3x5xf32>
  %0 = graph.dot_general %a, %b lhs_batching_dimensions = [0] rhs_batching_dimensions = [0] lhs_contracting_dimensions = [2] rhs_contracting_dimensions = [2] precision = tf32 : (tensor<2x3x4xf32>, tensor<2x5x4xf32>) -> tensor<2x3x5xf32>
  // CHECK-NEXT: graph.dot_general %arg2, %arg2 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3x3xf32>
  %1 = graph.dot_general %v, %v : (tensor<3xf32>, tensor<3xf32>) -> tensor<3x3xf32>
  return
}
