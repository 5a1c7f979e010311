// RUN: graph-opt --split-input-file --verify-diagnostics %s

func.func @gather_vector(%t: tensor<100x8xf32>, %i: tensor<4xi32>) {
  // (C1) expected-error@+1 {{index_vector_dim must be from 0 to the rank 1 of start_indices, got 2}}
  %0 = graph.gather %t, %i offset_dims = [1] collapsed_slice_dims = [0] start_index_map = [0] index_vector_dim = 2 slice_sizes = [1, 8] : (tensor<100x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @gather_map(%t: tensor<100x8xf32>, %i: tensor<4xi32>) {
  // (C1) expected-error@+1 {{start_index_map must have one entry for each of the 4 entries of an index vector, got 1}}
  %0 = graph.gather %t, %i offset_dims = [1] collapsed_slice_dims = [0] start_index_map = [0] index_vector_dim = 0 slice_sizes = [1, 8] : (tensor<100x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @gather_sizes(%t: tensor<100x8xf32>, %i: tensor<4xi32>) {
  // (C2) expected-error@+1 {{slice_sizes must have one entry for each of the 2 dimensions of the operand, got 1}}
  %0 = graph.gather %t, %i offset_dims = [1] collapsed_slice_dims = [0] start_index_map = [0] index_vector_dim = 1 slice_sizes = [1] : (tensor<100x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @gather_size(%t: tensor<100x8xf32>, %i: tensor<4xi32>) {
  // (C2) expected-error@+1 {{slice size of dimension 1 must be from 1 to 8, got 9}}
  %0 = graph.gather %t, %i offset_dims = [1] collapsed_slice_dims = [0] start_index_map = [0] index_vector_dim = 1 slice_sizes = [1, 9] : (tensor<100x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @gather_size_zero(%t: tensor<100x8xf32>, %i: tensor<4xi32>) {
  // (C2) expected-error@+1 {{slice size of dimension 1 must be from 1 to 8, got 0}}
  %0 = graph.gather %t, %i offset_dims = [1] collapsed_slice_dims = [0] start_index_map = [0] index_vector_dim = 1 slice_sizes = [1, 0] : (tensor<100x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @gather_collapsed(%t: tensor<100x8xf32>, %i: tensor<4xi32>) {
  // (C3) expected-error@+1 {{collapsed_slice_dims must be strictly increasing and less than the rank 2 of the operand, got [2]}}
  %0 = graph.gather %t, %i offset_dims = [1] collapsed_slice_dims = [2] start_index_map = [0] index_vector_dim = 1 slice_sizes = [1, 8] : (tensor<100x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @gather_batching(%t: tensor<100x8xf32>, %i: tensor<4xi32>) {
  // (C3) expected-error@+1 {{operand_batching_dims must be strictly increasing and less than the rank 2 of the operand, got [-1]}}
  %0 = graph.gather %t, %i operand_batching_dims = [-1] start_indices_batching_dims = [0] start_index_map = [0] index_vector_dim = 1 slice_sizes = [1, 8] : (tensor<100x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @gather_map_beyond(%t: tensor<100x8xf32>, %i: tensor<4xi32>) {
  // (C3) expected-error@+1 {{start_index_map must name dimensions of the operand, which has rank 2, each once, got [2]}}
  %0 = graph.gather %t, %i offset_dims = [1] collapsed_slice_dims = [0] start_index_map = [2] index_vector_dim = 1 slice_sizes = [1, 8] : (tensor<100x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @gather_both(%t: tensor<100x8xf32>, %i: tensor<4xi32>) {
  // (C3) expected-error@+1 {{dimension 0 of operand_batching_dims must not be in collapsed_slice_dims or start_index_map as well}}
  %0 = graph.gather %t, %i offset_dims = [1] operand_batching_dims = [0] start_indices_batching_dims = [0] start_index_map = [0] index_vector_dim = 1 slice_sizes = [1, 8] : (tensor<100x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @gather_left_away(%t: tensor<100x8xf32>, %i: tensor<4xi32>) {
  // (C4) expected-error@+1 {{slice size of dimension 0, which is left away, must be 1, got 2}}
  %0 = graph.gather %t, %i offset_dims = [1] collapsed_slice_dims = [0] start_index_map = [0] index_vector_dim = 1 slice_sizes = [2, 8] : (tensor<100x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @gather_batching_entries(%t: tensor<100x8xf32>, %i: tensor<4xi32>) {
  // (C5) expected-error@+1 {{start_indices_batching_dims must have an entry for each of operand_batching_dims, each once, a dimension of start_indices other than index_vector_dim, got []}}
  %0 = graph.gather %t, %i offset_dims = [1] operand_batching_dims = [0] start_index_map = [1] index_vector_dim = 1 slice_sizes = [1, 8] : (tensor<100x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @gather_batching_sizes(%t: tensor<100x8xf32>, %i: tensor<4xi32>) {
  // (C5) expected-error@+1 {{batching dimensions must have the same size, got 100 of dimension 0 of the operand and 4 of dimension 0 of start_indices}}
  %0 = graph.gather %t, %i offset_dims = [1] operand_batching_dims = [0] start_indices_batching_dims = [0] start_index_map = [1] index_vector_dim = 1 slice_sizes = [1, 8] : (tensor<100x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @gather_offset(%t: tensor<100x8xf32>, %i: tensor<4xi32>) {
  // (C6) expected-error@+1 {{offset_dims must be strictly increasing, less than the rank 2, and one for each of the 1 dimensions that windows keep, got [0, 1]}}
  %0 = graph.gather %t, %i offset_dims = [0, 1] collapsed_slice_dims = [0] start_index_map = [0] index_vector_dim = 1 slice_sizes = [1, 8] : (tensor<100x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @gather_type(%t: tensor<100x8xf32>, %i: tensor<4xi32>) {
  // expected-error@+1 {{result must be of type 'tensor<4x8xf32>', got 'tensor<8x4xf32>'}}
  %0 = graph.gather %t, %i offset_dims = [1] collapsed_slice_dims = [0] start_index_map = [0] index_vector_dim = 1 slice_sizes = [1, 8] : (tensor<100x8xf32>, tensor<4xi32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @scatter_map(%t: tensor<100x8xf32>, %i: tensor<4xi32>, %u: tensor<4x8xf32>) {
  // (C1) expected-error@+1 {{scatter_dims_to_operand_dims must have one entry for each of the 1 entries of an index vector, got 2}}
  %0 = graph.scatter %t, %i, %u update_window_dims = [1] inserted_window_dims = [0] scatter_dims_to_operand_dims = [0, 1] index_vector_dim = 1 : (tensor<100x8xf32>, tensor<4xi32>, tensor<4x8xf32>) -> tensor<100x8xf32>
  return
}

// -----

func.func @scatter_element(%t: tensor<100x8xf32>, %i: tensor<4xi32>, %u: tensor<4x8xf64>) {
  // (C2) expected-error@+1 {{operand and updates must have the same element type, got 'tensor<100x8xf32>' and 'tensor<4x8xf64>'}}
  %0 = graph.scatter %t, %i, %u update_window_dims = [1] inserted_window_dims = [0] scatter_dims_to_operand_dims = [0] index_vector_dim = 1 : (tensor<100x8xf32>, tensor<4xi32>, tensor<4x8xf64>) -> tensor<100x8xf32>
  return
}

// -----

func.func @scatter_inserted(%t: tensor<100x8xf32>, %i: tensor<4xi32>, %u: tensor<4x8xf32>) {
  // (C3) expected-error@+1 {{inserted_window_dims must be strictly increasing and less than the rank 2 of the operand, got [0, 0]}}
  %0 = graph.scatter %t, %i, %u update_window_dims = [1] inserted_window_dims = [0, 0] scatter_dims_to_operand_dims = [0] index_vector_dim = 1 : (tensor<100x8xf32>, tensor<4xi32>, tensor<4x8xf32>) -> tensor<100x8xf32>
  return
}

// -----

func.func @scatter_window(%t: tensor<100x8xf32>, %i: tensor<4xi32>, %u: tensor<4x8xf32>) {
  // (C4) expected-error@+1 {{update_window_dims must be strictly increasing, less than the rank 2, and one for each of the 1 dimensions that windows keep, got []}}
  %0 = graph.scatter %t, %i, %u inserted_window_dims = [0] scatter_dims_to_operand_dims = [0] index_vector_dim = 1 : (tensor<100x8xf32>, tensor<4xi32>, tensor<4x8xf32>) -> tensor<100x8xf32>
  return
}

// -----

func.func @scatter_window_size(%t: tensor<100x8xf32>, %i: tensor<4xi32>, %u: tensor<4x9xf32>) {
  // (C4) expected-error@+1 {{dimension 1 of the updates must be at most 8 as dimension 1 of the operand is, got 9}}
  %0 = graph.scatter %t, %i, %u update_window_dims = [1] inserted_window_dims = [0] scatter_dims_to_operand_dims = [0] index_vector_dim = 1 : (tensor<100x8xf32>, tensor<4xi32>, tensor<4x9xf32>) -> tensor<100x8xf32>
  return
}

// -----

func.func @scatter_batching(%t: tensor<100x8xf32>, %i: tensor<4xi32>, %u: tensor<4x8xf32>) {
  // (C5) expected-error@+1 {{scatter_indices_batching_dims must have an entry for each of input_batching_dims, each once, a dimension of scatter_indices other than index_vector_dim, got [1]}}
  %0 = graph.scatter %t, %i, %u update_window_dims = [1] input_batching_dims = [0] scatter_indices_batching_dims = [1] scatter_dims_to_operand_dims = [1] index_vector_dim = 1 : (tensor<100x8xf32>, tensor<4xi32>, tensor<4x8xf32>) -> tensor<100x8xf32>
  return
}

// -----

func.func @scatter_others(%t: tensor<100x8xf32>, %i: tensor<4xi32>, %u: tensor<5x8xf32>) {
  // (C6) expected-error@+1 {{dimensions of the updates beside update_window_dims must be those of scatter_indices without index_vector_dim, [4], got [5]}}
  %0 = graph.scatter %t, %i, %u update_window_dims = [1] inserted_window_dims = [0] scatter_dims_to_operand_dims = [0] index_vector_dim = 1 : (tensor<100x8xf32>, tensor<4xi32>, tensor<5x8xf32>) -> tensor<100x8xf32>
  return
}

// -----

func.func @slice_starts(%a: tensor<8x6xf32>, %u: tensor<2x6xf32>, %i: tensor<i32>, %j: tensor<i64>, %v: tensor<1xi32>) {
  // (C1) expected-error@+1 {{expected a start for each of the 2 dimensions of the operand, got 1}}
  %0 = graph.dynamic_slice %a, %i slice_sizes = [2, 6] : (tensor<8x6xf32>, tensor<i32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @slice_start_types(%a: tensor<8x6xf32>, %u: tensor<2x6xf32>, %i: tensor<i32>, %j: tensor<i64>, %v: tensor<1xi32>) {
  // (C1) expected-error@+1 {{starts must be scalars, all of the same type, got 'tensor<i32>' and 'tensor<i64>'}}
  %0 = graph.dynamic_slice %a, %i, %j slice_sizes = [2, 6] : (tensor<8x6xf32>, tensor<i32>, tensor<i64>) -> tensor<2x6xf32>
  return
}

// -----

func.func @slice_start_rank(%a: tensor<8x6xf32>, %u: tensor<2x6xf32>, %i: tensor<i32>, %j: tensor<i64>, %v: tensor<1xi32>) {
  // (C1) expected-error@+1 {{starts must be scalars, all of the same type, got 'tensor<1xi32>' and 'tensor<1xi32>'}}
  %0 = graph.dynamic_slice %a, %v, %v slice_sizes = [2, 6] : (tensor<8x6xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @slice_sizes(%a: tensor<8x6xf32>, %u: tensor<2x6xf32>, %i: tensor<i32>, %j: tensor<i64>, %v: tensor<1xi32>) {
  // (C2) expected-error@+1 {{slice_sizes must have one entry for each of the 2 dimensions of the operand, got 3}}
  %0 = graph.dynamic_slice %a, %i, %i slice_sizes = [2, 6, 1] : (tensor<8x6xf32>, tensor<i32>, tensor<i32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @slice_size(%a: tensor<8x6xf32>, %u: tensor<2x6xf32>, %i: tensor<i32>, %j: tensor<i64>, %v: tensor<1xi32>) {
  // (C2) expected-error@+1 {{slice size of dimension 0 must be from 1 to 8, got 9}}
  %0 = graph.dynamic_slice %a, %i, %i slice_sizes = [9, 6] : (tensor<8x6xf32>, tensor<i32>, tensor<i32>) -> tensor<9x6xf32>
  return
}

// -----

func.func @update_starts(%a: tensor<8x6xf32>, %u: tensor<2x6xf32>, %i: tensor<i32>, %j: tensor<i64>, %v: tensor<1xi32>) {
  // (C1) expected-error@+1 {{expected a start for each of the 2 dimensions of the operand, got 1}}
  %0 = graph.dynamic_update_slice %a, %u, %i : (tensor<8x6xf32>, tensor<2x6xf32>, tensor<i32>) -> tensor<8x6xf32>
  return
}

// -----

func.func @update_size(%a: tensor<8x6xf32>, %u: tensor<2x6xf32>, %i: tensor<i32>, %j: tensor<i64>, %v: tensor<1xi32>) {
  // (C2) expected-error@+1 {{update must have the operand's element type and rank and be no larger along any dimension, got operand 'tensor<2x6xf32>' and update 'tensor<8x6xf32>'}}
  %0 = graph.dynamic_update_slice %u, %a, %i, %i : (tensor<2x6xf32>, tensor<8x6xf32>, tensor<i32>, tensor<i32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @table_rank(%t: tensor<8xf32>, %i: tensor<4xi32>) {
  // (C1) expected-error@+1 {{table must have two dimensions, got 'tensor<8xf32>'}}
  %0 = graph.embedding %t, %i : (tensor<8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @table_gradient(%t: tensor<100x8xf32>, %i: tensor<4xi32>, %g: tensor<4x8xf32>) {
  // (C1) expected-error@+1 {{result must have two dimensions, and the gradient a row of it for each of the ids, got ids 'tensor<4xi32>', gradient 'tensor<4x8xf32>' and result 'tensor<100x9xf32>'}}
  %0 = graph.embedding_grad %i, %g : (tensor<4xi32>, tensor<4x8xf32>) -> tensor<100x9xf32>
  return
}

// -----

func.func @first_row(%t: tensor<100x8xf32>, %i: tensor<4xi32>) {
  // (C2) expected-error@+1 {{attribute 'first_row' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  %0 = graph.embedding %t, %i {first_row = -1 : i64} : (tensor<100x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @first_row_of_gradient(%i: tensor<4xi32>, %g: tensor<4x8xf32>) {
  // (C2) expected-error@+1 {{attribute 'first_row' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  %0 = graph.embedding_grad %i, %g {first_row = -1 : i64} : (tensor<4xi32>, tensor<4x8xf32>) -> tensor<100x8xf32>
  return
}

// -----

func.func @a_row_for_each(%i: tensor<4xi32>, %g: tensor<5x8xf32>) {
  // (C1) expected-error@+1 {{expected a row for each number, and results of their types, got numbers 'tensor<4xi32>', rows 'tensor<5x8xf32>' and results 'tensor<4xi32>' and 'tensor<5x8xf32>'}}
  %s:4 = graph.sum_rows %i, %g {micro_batches = 2, per_leaf = 1} : (tensor<4xi32>, tensor<5x8xf32>) -> (tensor<4xi32>, tensor<5x8xf32>, tensor<100xi32>, tensor<4xi32>)
  return
}

// -----

func.func @pieces(%i: tensor<4xi32>, %g: tensor<4x8xf32>) {
  // (C2) expected-error@+1 {{expected micro_batches that divide 4 numbers, and per_leaf that divides them, got 3 and 1}}
  %s:4 = graph.sum_rows %i, %g {micro_batches = 3, per_leaf = 1} : (tensor<4xi32>, tensor<4x8xf32>) -> (tensor<4xi32>, tensor<4x8xf32>, tensor<100xi32>, tensor<4xi32>)
  return
}

// -----

func.func @memory_of_rows(%i: tensor<4xi32>, %g: tensor<4x8xf32>) {
  // (C3) expected-error@+1 {{expected memory of type i32 for each row of the table, and for each of fewer than 2^31 numbers, got 'tensor<100xi64>' and 'tensor<4xi32>' of 4 numbers}}
  %s:4 = graph.sum_rows %i, %g {micro_batches = 2, per_leaf = 1} : (tensor<4xi32>, tensor<4x8xf32>) -> (tensor<4xi32>, tensor<4x8xf32>, tensor<100xi64>, tensor<4xi32>)
  return
}

// -----

func.func @first_row_of_sums(%i: tensor<4xi32>, %g: tensor<4x8xf32>) {
  // (C4) expected-error@+1 {{attribute 'first_row' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  %s:4 = graph.sum_rows %i, %g {first_row = -1 : i64, micro_batches = 2, per_leaf = 1} : (tensor<4xi32>, tensor<4x8xf32>) -> (tensor<4xi32>, tensor<4x8xf32>, tensor<100xi32>, tensor<4xi32>)
  return
}

// -----

func.func @list_and_places(%i: tensor<4xi32>) {
  // (C1) expected-error@+1 {{expected a list of 4 places, places like the numbers 'tensor<4xi32>', and a count of type i64, got 'tensor<5xi32>', 'tensor<4xi32>' and 'tensor<i64>'}}
  %d:4 = graph.distinct %i {rows = 9} : (tensor<4xi32>) -> (tensor<5xi32>, tensor<4xi32>, tensor<i64>, tensor<8xi32>)
  return
}

// -----

func.func @count_of_distinct(%i: tensor<4xi32>) {
  // (C1) expected-error@+1 {{and a count of type i64, got 'tensor<4xi32>', 'tensor<4xi32>' and 'tensor<i32>'}}
  %d:4 = graph.distinct %i {rows = 9} : (tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<i32>, tensor<8xi32>)
  return
}

// -----

func.func @slots(%i: tensor<4xi32>) {
  // (C2) expected-error@+1 {{expected memory of type i32, a power of two at least twice the 4 numbers, of which there are fewer than 2^30, got 'tensor<4xi32>'}}
  %d:4 = graph.distinct %i {rows = 9} : (tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<i64>, tensor<4xi32>)
  return
}

// -----

func.func @slots_no_power_of_two(%i: tensor<4xi32>) {
  // (C2) expected-error@+1 {{got 'tensor<9xi32>'}}
  %d:4 = graph.distinct %i {rows = 9} : (tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<i64>, tensor<9xi32>)
  return
}

// -----

func.func @rows_of_distinct(%i: tensor<4xi32>) {
  // (C3) expected-error@+1 {{attribute 'rows' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
  %d:4 = graph.distinct %i {rows = 0 : i64} : (tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<i64>, tensor<8xi32>)
  return
}

// -----

func.func @pieces_of_numbers(%i: tensor<4xi32>) {
  // (C1) expected-error@+1 {{expected numbers of one dimension and an i64 for each of some equal pieces of them, got 'tensor<4xi32>' and 'tensor<3xi64>'}}
  %n = graph.count_front %i : (tensor<4xi32>) -> tensor<3xi64>
  return
}

// -----

func.func @numbers_of_two_dimensions(%i: tensor<2x2xi32>) {
  // (C1) expected-error@+1 {{expected numbers of one dimension}}
  %n = graph.count_front %i : (tensor<2x2xi32>) -> tensor<i64>
  return
}

// -----

func.func @counts_of_each(%i: tensor<4xi32>, %n: tensor<i64>) {
  // (C2) expected-error@+1 {{expected a count of type tensor<i64> and counts of type 'tensor<2xi64>', got 'tensor<i64>' and 'tensor<i64>'}}
  %0 = graph.collect "t.numbers", %i count %n : tensor<i64>, %n : tensor<i64> {replicas = 2} : tensor<4xi32> -> tensor<8xi32>
  return
}

// -----

func.func @count_of_one(%i: tensor<4xi32>, %n: tensor<i32>, %m: tensor<i64>) {
  // (C2) expected-error@+1 {{expected a count of type tensor<i64> and counts of type 'tensor<i64>', got 'tensor<i32>' and 'tensor<i64>'}}
  %0 = graph.deal "t.numbers", %i count %n : tensor<i32>, %m : tensor<i64> {replicas = 1} : tensor<4xi32> -> tensor<4xi32>
  return
}

// -----

func.func @collected(%i: tensor<4xi32>) {
  // (C1) expected-error@+1 {{expected a value with a dimension, and 2 of it along dimension 0, got 'tensor<4xi32>' and 'tensor<4xi32>'}}
  %0 = graph.collect "t.numbers", %i {replicas = 2} : tensor<4xi32> -> tensor<4xi32>
  return
}

// -----

func.func @dealt(%i: tensor<f32>) {
  // (C1) expected-error@+1 {{expected a value with a dimension, and 1 of it along dimension 0, got 'tensor<f32>' and 'tensor<f32>'}}
  %0 = graph.deal "t.rows", %i {replicas = 1} : tensor<f32> -> tensor<f32>
  return
}

// -----

func.func @top_of_scalar(%a: tensor<4x10xf32>, %s: tensor<f32>) {
  // (C1) expected-error@+1 {{k must be from 1 to the size of the operand's last dimension, got 1 and 'tensor<f32>'}}
  %0:2 = graph.top_k %s k = 1 : (tensor<f32>) -> (tensor<f32>, tensor<i32>)
  return
}

// -----

func.func @top_k_beyond(%a: tensor<4x10xf32>, %s: tensor<f32>) {
  // (C1) expected-error@+1 {{k must be from 1 to the size of the operand's last dimension, got 11 and 'tensor<4x10xf32>'}}
  %0:2 = graph.top_k %a k = 11 : (tensor<4x10xf32>) -> (tensor<4x11xf32>, tensor<4x11xi32>)
  return
}

// -----

func.func @top_k_none(%a: tensor<4x10xf32>, %s: tensor<f32>) {
  // (C1) expected-error@+1 {{attribute 'k' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
  %0:2 = graph.top_k %a k = 0 : (tensor<4x10xf32>) -> (tensor<4x1xf32>, tensor<4x1xi32>)
  return
}

// -----

func.func @top_k_values(%a: tensor<4x10xf32>, %s: tensor<f32>) {
  // (C2) expected-error@+1 {{values must be of type 'tensor<4x2xf32>', got 'tensor<4x3xf32>'}}
  %0:2 = graph.top_k %a k = 2 : (tensor<4x10xf32>) -> (tensor<4x3xf32>, tensor<4x2xi32>)
  return
}

// -----

func.func @top_k_indices(%a: tensor<4x10xf32>, %s: tensor<f32>) {
  // (C2) expected-error@+1 {{indices must be of type 'tensor<4x2xi32>' or 'tensor<4x2xi64>', got 'tensor<4x3xi64>'}}
  %0:2 = graph.top_k %a k = 2 : (tensor<4x10xf32>) -> (tensor<4x2xf32>, tensor<4x3xi64>)
  return
}

// -----

func.func @top_k_long(%a: tensor<2147483649xf32>) {
  // (C2) expected-error@+1 {{indices must be of type 'tensor<2xi64>', as the last dimension of 'tensor<2147483649xf32>' has indices that no i32 holds}}
  %0:2 = graph.top_k %a k = 2 : (tensor<2147483649xf32>) -> (tensor<2xf32>, tensor<2xi32>)
  return
}

// -----

func.func @dot_element(%a: tensor<2x3x4xf32>, %b: tensor<2x5x4xf32>, %d: tensor<2x5x4xf64>) {
  // (C1) expected-error@+1 {{operands must have the same element type, got 'tensor<2x3x4xf32>' and 'tensor<2x5x4xf64>'}}
  %0 = graph.dot_general %a, %d lhs_batching_dimensions = [0] rhs_batching_dimensions = [0] lhs_contracting_dimensions = [2] rhs_contracting_dimensions = [2] : (tensor<2x3x4xf32>, tensor<2x5x4xf64>) -> tensor<2x3x5xf32>
  return
}

// -----

func.func @dot_entries(%a: tensor<2x3x4xf32>, %b: tensor<2x5x4xf32>, %d: tensor<2x5x4xf64>) {
  // (C2) expected-error@+1 {{operands must have as many batching dimensions each, and contracting ones, got 1 and 1 batching, 1 and 2 contracting}}
  %0 = graph.dot_general %a, %b lhs_batching_dimensions = [0] rhs_batching_dimensions = [0] lhs_contracting_dimensions = [2] rhs_contracting_dimensions = [1, 2] : (tensor<2x3x4xf32>, tensor<2x5x4xf32>) -> tensor<2x3x5xf32>
  return
}

// -----

func.func @dot_twice(%a: tensor<2x3x4xf32>, %b: tensor<2x5x4xf32>, %d: tensor<2x5x4xf64>) {
  // (C3) expected-error@+1 {{batching and contracting dimensions must be dimensions of their operand, each named once, got [0] and [0] of 'tensor<2x3x4xf32>', [0] and [2] of 'tensor<2x5x4xf32>'}}
  %0 = graph.dot_general %a, %b lhs_batching_dimensions = [0] rhs_batching_dimensions = [0] lhs_contracting_dimensions = [0] rhs_contracting_dimensions = [2] : (tensor<2x3x4xf32>, tensor<2x5x4xf32>) -> tensor<2x3x5xf32>
  return
}

// -----

func.func @dot_beyond(%a: tensor<2x3x4xf32>, %b: tensor<2x5x4xf32>, %d: tensor<2x5x4xf64>) {
  // (C3) expected-error@+1 {{batching and contracting dimensions must be dimensions of their operand, each named once, got [0] and [3] of 'tensor<2x3x4xf32>', [0] and [2] of 'tensor<2x5x4xf32>'}}
  %0 = graph.dot_general %a, %b lhs_batching_dimensions = [0] rhs_batching_dimensions = [0] lhs_contracting_dimensions = [3] rhs_contracting_dimensions = [2] : (tensor<2x3x4xf32>, tensor<2x5x4xf32>) -> tensor<2x3x5xf32>
  return
}

// -----

func.func @dot_contracting(%a: tensor<2x3x4xf32>, %b: tensor<2x5x4xf32>, %d: tensor<2x5x4xf64>) {
  // (C4) expected-error@+1 {{contracting dimensions differ: 4 is dimension 2 of 'tensor<2x3x4xf32>', 5 dimension 1 of 'tensor<2x5x4xf32>'}}
  %0 = graph.dot_general %a, %b lhs_batching_dimensions = [0] rhs_batching_dimensions = [0] lhs_contracting_dimensions = [2] rhs_contracting_dimensions = [1] : (tensor<2x3x4xf32>, tensor<2x5x4xf32>) -> tensor<2x3x5xf32>
  return
}

// -----

func.func @dot_batching(%a: tensor<2x3x4xf32>, %b: tensor<2x5x4xf32>, %d: tensor<2x5x4xf64>) {
  // (C4) expected-error@+1 {{batching dimensions differ: 3 is dimension 1 of 'tensor<2x3x4xf32>', 2 dimension 0 of 'tensor<2x5x4xf32>'}}
  %0 = graph.dot_general %a, %b lhs_batching_dimensions = [1] rhs_batching_dimensions = [0] lhs_contracting_dimensions = [2] rhs_contracting_dimensions = [2] : (tensor<2x3x4xf32>, tensor<2x5x4xf32>) -> tensor<2x3x5xf32>
  return
}

// -----

func.func @dot_precision(%d: tensor<2x5x4xf64>) {
  // (C5) expected-error@+1 {{precision tf32 is for operands of f32, got 'tensor<2x5x4xf64>'; expected ieee}}
  %0 = graph.dot_general %d, %d lhs_batching_dimensions = [0] rhs_batching_dimensions = [0] lhs_contracting_dimensions = [2] rhs_contracting_dimensions = [2] precision = tf32 : (tensor<2x5x4xf64>, tensor<2x5x4xf64>) -> tensor<2x5x5xf64>
  return
}
