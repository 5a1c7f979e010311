// RUN: graph-opt --import-stablehlo --split-input-file %s | FileCheck %s

// Ops whose attributes are written otherwise.
// CHECK-LABEL: graph.func private @compare(
// CHECK-NEXT:   graph.compare ge, %arg0, %arg1 : tensor<2x3xf32>
func.func @compare(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> (tensor<2x3xi1>) {
  %r = "stablehlo.compare"(%a, %b) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  return %r : tensor<2x3xi1>
}

// -----

// CHECK-LABEL: graph.func private @iota(
// CHECK-NEXT:   graph.iota dimension = 1 : tensor<2x3xi32>
func.func @iota() -> (tensor<2x3xi32>) {
  %r = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<2x3xi32>
  return %r : tensor<2x3xi32>
}

// -----

// CHECK-LABEL: graph.func private @transpose(
// CHECK-NEXT:   graph.transpose %arg0 permutation = [1, 0]
func.func @transpose(%a: tensor<2x3xf32>) -> (tensor<3x2xf32>) {
  %r = "stablehlo.transpose"(%a) <{permutation = array<i64: 1, 0>}> : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}

// -----

// CHECK-LABEL: graph.func private @reverse(
// CHECK-NEXT:   graph.reverse %arg0 dimensions = [0, 1]
func.func @reverse(%a: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %r = "stablehlo.reverse"(%a) {dimensions = dense<[0, 1]> : tensor<2xi64>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: graph.func private @slice(
// CHECK-NEXT:   graph.slice %arg0 start_indices = [1, 0] limit_indices = [2, 3] strides = [1, 2]
func.func @slice(%a: tensor<2x3xf32>) -> (tensor<1x2xf32>) {
  %r = "stablehlo.slice"(%a) <{start_indices = array<i64: 1, 0>, limit_indices = array<i64: 2, 3>, strides = array<i64: 1, 2>}> : (tensor<2x3xf32>) -> tensor<1x2xf32>
  return %r : tensor<1x2xf32>
}

// -----

// CHECK-LABEL: graph.func private @pad(
// CHECK-NEXT:   graph.pad %arg0, %arg1 edge_padding_low = [1, -1] edge_padding_high = [0, 2] interior_padding = [0, 1]
func.func @pad(%a: tensor<2x3xf32>, %b: tensor<f32>) -> (tensor<3x6xf32>) {
  %r = "stablehlo.pad"(%a, %b) <{edge_padding_low = array<i64: 1, -1>, edge_padding_high = array<i64: 0, 2>, interior_padding = array<i64: 0, 1>}> : (tensor<2x3xf32>, tensor<f32>) -> tensor<3x6xf32>
  return %r : tensor<3x6xf32>
}

// -----

// CHECK-LABEL: graph.func private @concatenate(
// CHECK-NEXT:   graph.concatenate %arg0, %arg1 dimension = 0
func.func @concatenate(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> (tensor<4x3xf32>) {
  %r = "stablehlo.concatenate"(%a, %b) <{dimension = 0 : i64}> : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}

// -----

// CHECK-LABEL: graph.func private @dynamic_slice(
// CHECK-NEXT:   graph.dynamic_slice %arg0, %arg1, %arg1 slice_sizes = [1, 2]
func.func @dynamic_slice(%a: tensor<2x3xf32>, %b: tensor<i32>) -> (tensor<1x2xf32>) {
  %r = "stablehlo.dynamic_slice"(%a, %b, %b) <{slice_sizes = array<i64: 1, 2>}> : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
  return %r : tensor<1x2xf32>
}

// -----

// CHECK-LABEL: graph.func private @dynamic_update_slice(
// CHECK-NEXT:   graph.dynamic_update_slice %arg0, %arg1, %arg2, %arg2
func.func @dynamic_update_slice(%a: tensor<2x3xf32>, %b: tensor<1x2xf32>, %c: tensor<i32>) -> (tensor<2x3xf32>) {
  %r = "stablehlo.dynamic_update_slice"(%a, %b, %c, %c) : (tensor<2x3xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: graph.func private @dot_general(
// CHECK-NEXT:   graph.dot_general %arg0, %arg1 lhs_batching_dimensions = [0] rhs_batching_dimensions = [2] lhs_contracting_dimensions = [2] rhs_contracting_dimensions = [1]
func.func @dot_general(%a: tensor<2x4x3xf32>, %b: tensor<5x3x2xf32>) -> (tensor<2x4x5xf32>) {
  %r = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [2], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>}> : (tensor<2x4x3xf32>, tensor<5x3x2xf32>) -> tensor<2x4x5xf32>
  return %r : tensor<2x4x5xf32>
}

// -----

// CHECK-LABEL: graph.func private @gather(
// CHECK-NEXT:   graph.gather %arg0, %arg1 offset_dims = [1] collapsed_slice_dims = [0] start_index_map = [0] index_vector_dim = 1 slice_sizes = [1, 3]
func.func @gather(%a: tensor<9x4xf32>, %b: tensor<2x1xi32>) -> (tensor<2x3xf32>) {
  %r = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 3>}> : (tensor<9x4xf32>, tensor<2x1xi32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: graph.func private @scatter(
// CHECK-NEXT:   graph.scatter %arg0, %arg1, %arg2 update_window_dims = [1] inserted_window_dims = [0] scatter_dims_to_operand_dims = [0] index_vector_dim = 1
func.func @scatter(%a: tensor<9x4xf32>, %b: tensor<2x1xi32>, %c: tensor<2x4xf32>) -> (tensor<9x4xf32>) {
  %r = "stablehlo.scatter"(%a, %b, %c) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = "stablehlo.add"(%y, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<9x4xf32>, tensor<2x1xi32>, tensor<2x4xf32>) -> tensor<9x4xf32>
  return %r : tensor<9x4xf32>
}

// -----

// A predicate of one element, and dimensions in another order.
// CHECK-LABEL: graph.func private @select(
// CHECK-NEXT:   %[[P:.*]] = graph.broadcast_in_dim %arg0 broadcast_dimensions = []
// CHECK-NEXT:   graph.select %[[P]], %arg1, %arg2
func.func @select(%a: tensor<i1>, %b: tensor<2x3xf32>, %c: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %r = "stablehlo.select"(%a, %b, %c) : (tensor<i1>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: graph.func private @select_all(
// CHECK-NEXT:   graph.select %arg0, %arg1, %arg2
func.func @select_all(%a: tensor<2x3xi1>, %b: tensor<2x3xf32>, %c: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %r = "stablehlo.select"(%a, %b, %c) : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: graph.func private @broadcast(
// CHECK-NEXT:   %[[T:.*]] = graph.transpose %arg0 permutation = [1, 0]
// CHECK-NEXT:   graph.broadcast_in_dim %[[T]] broadcast_dimensions = [0, 2]
func.func @broadcast(%a: tensor<2x3xf32>) -> (tensor<3x4x2xf32>) {
  %r = "stablehlo.broadcast_in_dim"(%a) <{broadcast_dimensions = array<i64: 2, 0>}> : (tensor<2x3xf32>) -> tensor<3x4x2xf32>
  return %r : tensor<3x4x2xf32>
}

// -----

// What changes nothing, and what has no op of its own.
// CHECK-LABEL: graph.func private @same(
// CHECK-NEXT:   graph.return %arg0, %arg0
func.func @same(%a: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %b = "stablehlo.broadcast_in_dim"(%a) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %c = "stablehlo.convert"(%b) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %r:2 = "stablehlo.optimization_barrier"(%a, %c) : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  return %r#0, %r#1 : tensor<2x3xf32>, tensor<2x3xf32>
}

// -----

// CHECK-LABEL: graph.func private @convert(
// CHECK-NEXT:   graph.convert %arg0
func.func @convert(%a: tensor<2x3xf32>) -> (tensor<2x3xi32>) {
  %r = "stablehlo.convert"(%a) : (tensor<2x3xf32>) -> tensor<2x3xi32>
  return %r : tensor<2x3xi32>
}

// -----

// CHECK-LABEL: graph.func private @square(
// CHECK-NEXT:   graph.multiply %arg0, %arg0
func.func @square(%a: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %r = "chlo.square"(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: graph.func private @erfc(
// CHECK-DAG:    %[[E:.*]] = graph.erf %arg0
// CHECK-DAG:    %[[ONE:.*]] = graph.constant dense<1.0{{.*}}>
// CHECK:        graph.subtract %[[ONE]], %[[E]]
func.func @erfc(%a: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %r = "chlo.erfc"(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

// Reductions, which begin with nothing, or with a value of their own.
// CHECK-LABEL: graph.func private @sum(
// CHECK-NEXT:   graph.constant
// CHECK-NEXT:   %[[R:.*]] = graph.reduce_sum %arg0 dimensions = [0, 1]
// CHECK-NEXT:   graph.return %[[R]]
func.func @sum(%a: tensor<2x3x4xf32>) -> (tensor<4xf32>) {
  %z = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
  %r = "stablehlo.reduce"(%a, %z) <{dimensions = array<i64: 1, 0>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = "stablehlo.add"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// CHECK-LABEL: graph.func private @max(
// CHECK-NEXT:   graph.constant
// CHECK-NEXT:   %[[R:.*]] = graph.reduce_max %arg0 dimensions = [0, 1]
// CHECK-NEXT:   graph.return %[[R]]
func.func @max(%a: tensor<2x3x4xf32>) -> (tensor<4xf32>) {
  %z = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
  %r = "stablehlo.reduce"(%a, %z) <{dimensions = array<i64: 1, 0>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = "stablehlo.maximum"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// CHECK-LABEL: graph.func private @min(
// CHECK-NEXT:   graph.constant
// CHECK-NEXT:   %[[R:.*]] = graph.reduce_min %arg0 dimensions = [0, 1]
// CHECK-NEXT:   graph.return %[[R]]
func.func @min(%a: tensor<2x3x4xi32>) -> (tensor<4xi32>) {
  %z = "stablehlo.constant"() <{value = dense<2147483647> : tensor<i32>}> : () -> tensor<i32>
  %r = "stablehlo.reduce"(%a, %z) <{dimensions = array<i64: 1, 0>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %s = "stablehlo.minimum"(%x, %y) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%s) : (tensor<i32>) -> ()
  }) : (tensor<2x3x4xi32>, tensor<i32>) -> tensor<4xi32>
  return %r : tensor<4xi32>
}

// -----

// CHECK-LABEL: graph.func private @prod(
// CHECK-NEXT:   graph.constant
// CHECK-NEXT:   %[[R:.*]] = graph.reduce_prod %arg0 dimensions = [0, 1]
// CHECK-NEXT:   graph.return %[[R]]
func.func @prod(%a: tensor<2x3x4xf32>) -> (tensor<4xf32>) {
  %z = "stablehlo.constant"() <{value = dense<1.0> : tensor<f32>}> : () -> tensor<f32>
  %r = "stablehlo.reduce"(%a, %z) <{dimensions = array<i64: 1, 0>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = "stablehlo.multiply"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// CHECK-LABEL: graph.func private @all(
// CHECK-NEXT:   graph.constant
// CHECK-NEXT:   %[[R:.*]] = graph.reduce_and %arg0 dimensions = [0, 1]
// CHECK-NEXT:   graph.return %[[R]]
func.func @all(%a: tensor<2x3x4xi1>) -> (tensor<4xi1>) {
  %z = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>
  %r = "stablehlo.reduce"(%a, %z) <{dimensions = array<i64: 1, 0>}> ({
  ^bb0(%x: tensor<i1>, %y: tensor<i1>):
    %s = "stablehlo.and"(%x, %y) : (tensor<i1>, tensor<i1>) -> tensor<i1>
    "stablehlo.return"(%s) : (tensor<i1>) -> ()
  }) : (tensor<2x3x4xi1>, tensor<i1>) -> tensor<4xi1>
  return %r : tensor<4xi1>
}

// -----

// CHECK-LABEL: graph.func private @any(
// CHECK-NEXT:   graph.constant
// CHECK-NEXT:   %[[R:.*]] = graph.reduce_or %arg0 dimensions = [0, 1]
// CHECK-NEXT:   graph.return %[[R]]
func.func @any(%a: tensor<2x3x4xi1>) -> (tensor<4xi1>) {
  %z = "stablehlo.constant"() <{value = dense<false> : tensor<i1>}> : () -> tensor<i1>
  %r = "stablehlo.reduce"(%a, %z) <{dimensions = array<i64: 1, 0>}> ({
  ^bb0(%x: tensor<i1>, %y: tensor<i1>):
    %s = "stablehlo.or"(%x, %y) : (tensor<i1>, tensor<i1>) -> tensor<i1>
    "stablehlo.return"(%s) : (tensor<i1>) -> ()
  }) : (tensor<2x3x4xi1>, tensor<i1>) -> tensor<4xi1>
  return %r : tensor<4xi1>
}

// -----

// CHECK-LABEL: graph.func private @maxi(
// CHECK-NEXT:   graph.constant
// CHECK-NEXT:   %[[R:.*]] = graph.reduce_max %arg0 dimensions = [0, 1]
// CHECK-NEXT:   graph.return %[[R]]
func.func @maxi(%a: tensor<2x3x4xi32>) -> (tensor<4xi32>) {
  %z = "stablehlo.constant"() <{value = dense<-2147483648> : tensor<i32>}> : () -> tensor<i32>
  %r = "stablehlo.reduce"(%a, %z) <{dimensions = array<i64: 1, 0>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %s = "stablehlo.maximum"(%x, %y) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%s) : (tensor<i32>) -> ()
  }) : (tensor<2x3x4xi32>, tensor<i32>) -> tensor<4xi32>
  return %r : tensor<4xi32>
}

// -----

// CHECK-LABEL: graph.func private @maxu(
// CHECK-NEXT:   graph.constant
// CHECK-NEXT:   %[[R:.*]] = graph.reduce_max %arg0 dimensions = [0, 1]
// CHECK-NEXT:   graph.return %[[R]]
func.func @maxu(%a: tensor<2x3x4xui32>) -> (tensor<4xui32>) {
  %z = "stablehlo.constant"() <{value = dense<0> : tensor<ui32>}> : () -> tensor<ui32>
  %r = "stablehlo.reduce"(%a, %z) <{dimensions = array<i64: 1, 0>}> ({
  ^bb0(%x: tensor<ui32>, %y: tensor<ui32>):
    %s = "stablehlo.maximum"(%x, %y) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    "stablehlo.return"(%s) : (tensor<ui32>) -> ()
  }) : (tensor<2x3x4xui32>, tensor<ui32>) -> tensor<4xui32>
  return %r : tensor<4xui32>
}

// -----

// CHECK-LABEL: graph.func private @own(
// CHECK-NEXT:   %[[Z:.*]] = graph.constant
// CHECK-NEXT:   %[[R:.*]] = graph.reduce_max %arg0 dimensions = [0, 1]
// CHECK-NEXT:   %[[B:.*]] = graph.broadcast_in_dim %[[Z]] broadcast_dimensions = []
// CHECK-NEXT:   graph.maximum %[[B]], %[[R]]
func.func @own(%a: tensor<2x3x4xf32>) -> (tensor<4xf32>) {
  %z = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
  %r = "stablehlo.reduce"(%a, %z) <{dimensions = array<i64: 1, 0>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = "stablehlo.maximum"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// As JAX writes argmax and argmin.
// CHECK-LABEL: graph.func private @argmax(
// CHECK: %[[V:.*]] = graph.reduce_max %arg0 dimensions = [1]
// CHECK-NEXT: %[[I:.*]] = graph.argmax %arg0 dimension = 1
// CHECK-NEXT: graph.return %[[V]], %[[I]]
func.func @argmax(%x: tensor<4x5xf32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %i = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<4x5xi32>
  %s = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
  %z = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %r:2 = "stablehlo.reduce"(%x, %i, %s, %z) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>, %ai: tensor<i32>, %b: tensor<f32>, %bi: tensor<i32>):
    %0 = "stablehlo.compare"(%a, %b) <{comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %1 = "stablehlo.compare"(%a, %a) <{comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = "stablehlo.or"(%0, %1) : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %3 = "stablehlo.compare"(%a, %b) <{comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %4 = "stablehlo.compare"(%ai, %bi) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %5 = "stablehlo.and"(%3, %4) : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %6 = "stablehlo.or"(%2, %5) : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %7 = "stablehlo.select"(%2, %a, %b) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %8 = "stablehlo.select"(%6, %ai, %bi) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%7, %8) : (tensor<f32>, tensor<i32>) -> ()
  }) : (tensor<4x5xf32>, tensor<4x5xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xi32>
}

// -----

// CHECK-LABEL: graph.func private @argmin(
// CHECK: %[[N:.*]] = graph.not %arg0
// CHECK-NEXT: graph.reduce_min %arg0 dimensions = [1]
// CHECK-NEXT: graph.argmax %[[N]] dimension = 1
func.func @argmin(%x: tensor<4x5xi32>) -> (tensor<4xi32>, tensor<4xi32>) {
  %i = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<4x5xi32>
  %s = "stablehlo.constant"() <{value = dense<2147483647> : tensor<i32>}> : () -> tensor<i32>
  %z = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %r:2 = "stablehlo.reduce"(%x, %i, %s, %z) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<i32>, %ai: tensor<i32>, %b: tensor<i32>, %bi: tensor<i32>):
    %0 = "stablehlo.compare"(%a, %b) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %1 = "stablehlo.compare"(%a, %a) <{comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %2 = "stablehlo.or"(%0, %1) : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %3 = "stablehlo.compare"(%a, %b) <{comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %4 = "stablehlo.compare"(%ai, %bi) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %5 = "stablehlo.and"(%3, %4) : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %6 = "stablehlo.or"(%2, %5) : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %7 = "stablehlo.select"(%2, %a, %b) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %8 = "stablehlo.select"(%6, %ai, %bi) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%7, %8) : (tensor<i32>, tensor<i32>) -> ()
  }) : (tensor<4x5xi32>, tensor<4x5xi32>, tensor<i32>, tensor<i32>) -> (tensor<4xi32>, tensor<4xi32>)
  return %r#0, %r#1 : tensor<4xi32>, tensor<4xi32>
}

// -----

// Whole rows of a table, by numbers: an embedding.
// CHECK-LABEL: graph.func private @rows(
// CHECK-NEXT: %[[FIRST:.*]] = graph.constant dense<0> : tensor<i32>
// CHECK-NEXT: %[[LAST:.*]] = graph.constant dense<8> : tensor<i32>
// CHECK-NEXT: %[[IN:.*]] = graph.clamp %[[FIRST]], %arg1, %[[LAST]]
// CHECK-NEXT: %[[IDS:.*]] = graph.reshape %[[IN]] : (tensor<2x3x1xi32>) -> tensor<2x3xi32>
// CHECK-NEXT: graph.embedding %arg0, %[[IDS]] : (tensor<9x4xf32>, tensor<2x3xi32>) -> tensor<2x3x4xf32>
func.func @rows(%a: tensor<9x4xf32>, %b: tensor<2x3x1xi32>) -> (tensor<2x3x4xf32>) {
  %r = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, slice_sizes = array<i64: 1, 4>}> : (tensor<9x4xf32>, tensor<2x3x1xi32>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}
