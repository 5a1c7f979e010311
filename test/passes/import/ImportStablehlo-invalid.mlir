// RUN: graph-opt --import-stablehlo --split-input-file --verify-diagnostics %s

// What cannot be imported is said at once: each kind once, with how often it is there.
func.func @unsupported(%x: tensor<4xf32>, %n: tensor<i32>, %h: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi1>, tensor<4xf32>) {
  // expected-error@+1 {{8 operations cannot be imported: stablehlo.cbrt, 2 times, and what is named below}}
  %a = "stablehlo.cbrt"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %b = "stablehlo.cbrt"(%a) : (tensor<4xf32>) -> tensor<4xf32>
  // expected-note@+1 {{stablehlo.convert of tensor<4xf16> (expected tensors of i1, i8, ui8, i32, ui32, i64, bf16, f32 or f64, of static shape and not empty), 2 times, here first}}
  %c = "stablehlo.convert"(%b) : (tensor<4xf32>) -> tensor<4xf16>
  // expected-note@+1 {{stablehlo.negate of tensor<4xf16> (expected tensors of i1, i8, ui8, i32, ui32, i64, bf16, f32 or f64, of static shape and not empty), 2 times, here first}}
  %d = "stablehlo.negate"(%c) : (tensor<4xf16>) -> tensor<4xf16>
  %i = "stablehlo.negate"(%d) : (tensor<4xf16>) -> tensor<4xf16>
  %j = "stablehlo.convert"(%i) : (tensor<4xf16>) -> tensor<4xf32>
  %dead = "stablehlo.cbrt"(%x) : (tensor<4xf32>) -> tensor<4xf32> // what nobody uses need not be imported
  // expected-note@+1 {{stablehlo.compare by total order}}
  %e = "stablehlo.compare"(%x, %b) <{compare_type = #stablehlo<comparison_type TOTALORDER>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  // expected-note@+1 {{stablehlo.exponential with the attribute colour}}
  %f = "stablehlo.exponential"(%b) {colour = "blue", mhlo.sharding = "{replicated}"} : (tensor<4xf32>) -> tensor<4xf32>
  return %f, %e, %j : tensor<4xf32>, tensor<4xi1>, tensor<4xf32>
}

// -----

func.func @reduce(%x: tensor<4xf32>, %n: tensor<4xi32>, %s: tensor<f32>, %i: tensor<i32>) -> (tensor<f32>, tensor<f32>) {
  // expected-error@+1 {{2 operations cannot be imported: stablehlo.reduce of several operands, other than argmax and argmin, and what is named below}}
  %r:2 = "stablehlo.reduce"(%x, %n, %s, %i) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<i32>):
    "stablehlo.return"(%a, %b) : (tensor<f32>, tensor<i32>) -> ()
  }) : (tensor<4xf32>, tensor<4xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
  // expected-note@+1 {{stablehlo.reduce by more than one operation, or one that is none of add, maximum, minimum, multiply, and, or}}
  %q = "stablehlo.reduce"(%x, %s) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %t = "stablehlo.subtract"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%t) : (tensor<f32>) -> ()
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %q, %r#0 : tensor<f32>, tensor<f32>
}

// -----

func.func @scatters(%x: tensor<9x4xf32>, %i: tensor<2x1xi32>, %u: tensor<2x4xf32>) -> (tensor<9x4xf32>, tensor<9x4xf32>) {
  // expected-error@+1 {{2 operations cannot be imported: stablehlo.scatter that sets several pieces, and what is named below}}
  %r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    "stablehlo.return"(%b) : (tensor<f32>) -> ()
  }) : (tensor<9x4xf32>, tensor<2x1xi32>, tensor<2x4xf32>) -> tensor<9x4xf32>
  // expected-note@+1 {{stablehlo.scatter that does not add}}
  %s = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = "stablehlo.multiply"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) : (tensor<9x4xf32>, tensor<2x1xi32>, tensor<2x4xf32>) -> tensor<9x4xf32>
  return %r, %s : tensor<9x4xf32>, tensor<9x4xf32>
}

// -----

// Floats of bits that are none of a random number's, and other elements than f32.
func.func @bits(%x: tensor<4xui32>, %y: tensor<4xf64>) -> (tensor<4xf32>, tensor<4xf64>) {
  // expected-error@+1 {{2 operations cannot be imported: stablehlo.bitcast_convert of other bits than those of a random number, and what is named below}}
  %a = "stablehlo.bitcast_convert"(%x) : (tensor<4xui32>) -> tensor<4xf32>
  // expected-note@+1 {{chlo.erf_inv of other elements than f32}}
  %b = "chlo.erf_inv"(%y) : (tensor<4xf64>) -> tensor<4xf64>
  return %a, %b : tensor<4xf32>, tensor<4xf64>
}

// -----

func.func @windows(%x: tensor<8x4x6x6xf32>, %w: tensor<8x4x3x3xf32>, %s: tensor<f32>) -> (tensor<4x8x4x4xf32>, tensor<f32>, tensor<7x4x5x5xf32>, tensor<8x4x5x5xf32>, tensor<8x4x10x10xf32>) {
  // expected-error@+1 {{5 operations cannot be imported: stablehlo.convolution with groups of the batch, and what is named below}}
  %c = "stablehlo.convolution"(%x, %w) <{batch_group_count = 2 : i64, dimension_numbers = #stablehlo.conv<[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]>, feature_group_count = 1 : i64}> : (tensor<8x4x6x6xf32>, tensor<8x4x3x3xf32>) -> tensor<4x8x4x4xf32>
  // expected-note@+1 {{stablehlo.convolution without a dimension of space, or of other ranks}}
  %d = "stablehlo.convolution"(%s, %s) <{dimension_numbers = #stablehlo.conv<[b, f]x[o, i]->[b, f]>}> : (tensor<f32>, tensor<f32>) -> tensor<f32>
  // expected-note@+1 {{stablehlo.reduce_window that is no pool: windows over batch or features}}
  %e = "stablehlo.reduce_window"(%x, %s) <{window_dimensions = array<i64: 2, 1, 2, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) : (tensor<8x4x6x6xf32>, tensor<f32>) -> tensor<7x4x5x5xf32>
  // expected-note@+1 {{stablehlo.reduce_window that begins with a value of its own}}
  %f = "stablehlo.reduce_window"(%x, %s) <{window_dimensions = array<i64: 1, 1, 2, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) : (tensor<8x4x6x6xf32>, tensor<f32>) -> tensor<8x4x5x5xf32>
  // expected-note@+1 {{stablehlo.reduce_window with a dilated operand}}
  %g = "stablehlo.reduce_window"(%x, %s) <{base_dilations = array<i64: 1, 1, 2, 2>, window_dimensions = array<i64: 1, 1, 2, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) : (tensor<8x4x6x6xf32>, tensor<f32>) -> tensor<8x4x10x10xf32>
  return %c, %d, %e, %f, %g : tensor<4x8x4x4xf32>, tensor<f32>, tensor<7x4x5x5xf32>, tensor<8x4x5x5xf32>, tensor<8x4x10x10xf32>
}

// -----

// What is not as StableHLO has it.
func.func @malformed(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'stablehlo.add' has 1 operands; expected 2}}
  %a = "stablehlo.add"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

func.func @malformed(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  // expected-error@+1 {{'stablehlo.transpose' has no attribute 'permutation'}}
  %a = "stablehlo.transpose"(%x) : (tensor<4xf32>) -> tensor<2x2xf32>
  return %a : tensor<2x2xf32>
}

// -----

func.func @malformed(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'stablehlo.reverse' attribute 'dimensions' is "0"; expected integers, as array<i64: 1, 2>}}
  %a = "stablehlo.reverse"(%x) <{dimensions = "0"}> : (tensor<4xf32>) -> tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

func.func @malformed() -> tensor<4xf32> {
  // expected-error@+1 {{'stablehlo.iota' attribute 'iota_dimension' is "0"; expected an integer}}
  %a = "stablehlo.iota"() <{iota_dimension = "0"}> : () -> tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

func.func @malformed() -> tensor<4xf32> {
  // expected-error@+1 {{'stablehlo.iota' has no attribute 'iota_dimension'}}
  %a = "stablehlo.iota"() : () -> tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

func.func @malformed() -> tensor<4xf32> {
  // expected-error@+1 {{'stablehlo.constant' has no attribute 'value' of dense elements}}
  %a = "stablehlo.constant"() <{value = 1.0 : f32}> : () -> tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

func.func @malformed(%x: tensor<4xf32>) -> tensor<4xi1> {
  // expected-error@+1 {{'stablehlo.compare' has no attribute 'comparison_direction', or it is none of StableHLO's}}
  %a = "stablehlo.compare"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return %a : tensor<4xi1>
}

// -----

func.func @malformed(%x: tensor<4xf32>) -> tensor<4xi1> {
  // expected-error@+1 {{'stablehlo.compare' has the comparison direction UP; expected EQ, NE, LT, LE, GT or GE}}
  %a = "stablehlo.compare"(%x, %x) <{comparison_direction = #stablehlo<comparison_direction UP>}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return %a : tensor<4xi1>
}

// -----

func.func @malformed(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error@+1 {{'stablehlo.dot_general' has no attribute 'dot_dimension_numbers', or it is none of StableHLO's}}
  %a = "stablehlo.dot_general"(%x, %x) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %a : tensor<4x4xf32>
}

// -----

func.func @malformed(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'stablehlo.add' has no result}}
  "stablehlo.add"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> ()
  return %x : tensor<4xf32>
}

// -----

func.func @malformed(%x: tensor<4xf32>) -> tensor<4xi32> {
  // expected-error@+1 {{'stablehlo.optimization_barrier' has other results than its operands make}}
  %a = "stablehlo.optimization_barrier"(%x) : (tensor<4xf32>) -> tensor<4xi32>
  return %a : tensor<4xi32>
}

// -----

func.func @malformed(%x: tensor<8x4x6x6xf32>, %w: tensor<8x4x3x3xf32>) -> tensor<8x8x4x4xf32> {
  // expected-error@+1 {{'stablehlo.convolution' has dimension numbers that do not fit its operands}}
  %c = "stablehlo.convolution"(%x, %w) <{dimension_numbers = #stablehlo.conv<[b, f, 0, 0]x[o, i, 0, 1]->[b, f, 0, 1]>}> : (tensor<8x4x6x6xf32>, tensor<8x4x3x3xf32>) -> tensor<8x8x4x4xf32>
  return %c : tensor<8x8x4x4xf32>
}

// -----

func.func @malformed(%x: tensor<8x4x6x6xf32>, %w: tensor<8x4x3x3xf32>) -> tensor<8x8x4x4xf32> {
  // expected-error@+1 {{'stablehlo.convolution' has windows over 2 dimensions and attributes for another number}}
  %c = "stablehlo.convolution"(%x, %w) <{dimension_numbers = #stablehlo.conv<[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]>, window_strides = array<i64: 1>}> : (tensor<8x4x6x6xf32>, tensor<8x4x3x3xf32>) -> tensor<8x8x4x4xf32>
  return %c : tensor<8x8x4x4xf32>
}

// -----

func.func @malformed(%x: tensor<8x4x6x6xf32>, %w: tensor<8x4x3x3xf32>) -> tensor<8x8x4x4xf32> {
  // expected-error@+1 {{'stablehlo.convolution' has windows over 2 dimensions and attributes for another number}}
  %c = "stablehlo.convolution"(%x, %w) <{dimension_numbers = #stablehlo.conv<[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]>, lhs_dilation = array<i64: 1>}> : (tensor<8x4x6x6xf32>, tensor<8x4x3x3xf32>) -> tensor<8x8x4x4xf32>
  return %c : tensor<8x8x4x4xf32>
}

// -----

func.func @malformed(%x: tensor<8x4x6x6xf32>, %w: tensor<8x4x3x3xf32>) -> tensor<8x8x4x4xf32> {
  // expected-error@+1 {{'stablehlo.convolution' has a dilation that is not from 1 to 2^25}}
  %c = "stablehlo.convolution"(%x, %w) <{dimension_numbers = #stablehlo.conv<[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]>, lhs_dilation = array<i64: 0, 4611686018427387904>}> : (tensor<8x4x6x6xf32>, tensor<8x4x3x3xf32>) -> tensor<8x8x4x4xf32>
  return %c : tensor<8x8x4x4xf32>
}

// -----

func.func @malformed(%x: tensor<8x4x6x6xf32>, %s: tensor<f32>) -> tensor<8x4x6x6xf32> {
  // expected-error@+1 {{'stablehlo.reduce_window' has windows over 2 dimensions and an operand of 4}}
  %f = "stablehlo.reduce_window"(%x, %s) <{window_dimensions = array<i64: 2, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) : (tensor<8x4x6x6xf32>, tensor<f32>) -> tensor<8x4x6x6xf32>
  return %f : tensor<8x4x6x6xf32>
}

// -----

// What the types forbid is said of the op that is made.
func.func @types(%x: tensor<4xf32>, %y: tensor<5xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'graph.add' op requires the same}}
  %a = "stablehlo.add"(%x, %y) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

// expected-error@+1 {{@branches has 2 blocks; expected one: control flow cannot be imported}}
func.func @branches(%x: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^end
^end:
  return %x : tensor<4xf32>
}

// -----

// expected-error@+1 {{@declared has 0 blocks; expected one: control flow cannot be imported}}
func.func private @declared(tensor<4xf32>) -> tensor<4xf32>

// -----

// expected-error@+1 {{@dynamic takes or gives a 'tensor<?xf32>'; expected tensors of i1, i8, ui8, i32, ui32, i64, bf16, f32 or f64, of static shape and not empty}}
func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}

// -----

module @jit_f attributes {mhlo.num_partitions = 4 : i32} {
  // expected-error@+1 {{is of a program for 4 devices (mhlo.num_partitions); expected one for one device, which graphc partitions}}
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}

// -----

// expected-error@+1 {{@params.w is no variable of type 'tensor<4xf32>', which it would have to be as an argument of a function that is imported}}
graph.variable @params.w : tensor<5xf32> = #graph.zeros
func.func @taken(%x: tensor<4xf32> loc("params['w']")) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// Its own form is not read, but named.
func.func @pretty(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{custom op 'stablehlo.add' is unknown; docs/status.md lists the ops. What JAX has written is read in MLIR's generic form alone (docs/import.md)}}
  %y = stablehlo.add %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @attribute(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{1 operation cannot be imported: stablehlo.custom_call}}
  %y = "stablehlo.custom_call"(%x) {call_target_name = "lapack", a = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0>]} : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @attribute(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'offset_dims' is given twice}}
  %y = "stablehlo.add"(%x, %x) {a = #stablehlo.gather<offset_dims = [1], offset_dims = [2]>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @attribute(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{expected a dimension of space from 0 to 9, got 10}}
  %y = "stablehlo.add"(%x, %x) {a = #stablehlo.conv<[b, 10]x[o, i]->[b, f]>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @attribute(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{expected a letter for a dimension, got batch}}
  %y = "stablehlo.add"(%x, %x) {a = #stablehlo.conv<[batch, 0]x[o, i]->[b, f]>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @attribute(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{expected a number, a list of numbers or an attribute}}
  %y = "stablehlo.add"(%x, %x) {a = #stablehlo.gather<offset_dims = >} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// Loops: a bound that is data, and more iterations than there is room for.
func.func @data(%x: tensor<4xf32>, %n: tensor<i32>) -> tensor<4xf32> {
  %i0 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  // expected-error@+1 {{1 operation cannot be imported: stablehlo.while whose number of iterations is not known, or above 1048576}}
  %r:2 = "stablehlo.while"(%i0, %x) ({
  ^bb0(%i: tensor<i32>, %a: tensor<4xf32>):
    %b = "stablehlo.add"(%n, %n) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %c = "stablehlo.compare"(%i, %b) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%i: tensor<i32>, %a: tensor<4xf32>):
    %m = "stablehlo.negate"(%a) : (tensor<4xf32>) -> tensor<4xf32>
    %one = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %j = "stablehlo.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%j, %m) : (tensor<i32>, tensor<4xf32>) -> ()
  }) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
  return %r#1 : tensor<4xf32>
}

// -----

func.func @many(%x: tensor<4xf32>, %n: tensor<i32>) -> tensor<4xf32> {
  %i0 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  // expected-error@+1 {{its loops have more than 262144 operations one iteration behind the other; expected fewer iterations, or smaller ones}}
  %r:2 = "stablehlo.while"(%i0, %x) ({
  ^bb0(%i: tensor<i32>, %a: tensor<4xf32>):
    %b = "stablehlo.constant"() <{value = dense<1000000> : tensor<i32>}> : () -> tensor<i32>
    %c = "stablehlo.compare"(%i, %b) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%i: tensor<i32>, %a: tensor<4xf32>):
    %m = "stablehlo.negate"(%a) : (tensor<4xf32>) -> tensor<4xf32>
    %one = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %j = "stablehlo.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%j, %m) : (tensor<i32>, tensor<4xf32>) -> ()
  }) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
  return %r#1 : tensor<4xf32>
}

// -----

// MLIR does not look into regions of ops that it does not know.
func.func @before(%x: tensor<4xf32>) -> tensor<4xf32> {
  %i0 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %r:2 = "stablehlo.while"(%i0, %x) ({
  ^bb0(%i: tensor<i32>, %a: tensor<4xf32>):
    %b = "stablehlo.constant"() <{value = dense<3> : tensor<i32>}> : () -> tensor<i32>
    %c = "stablehlo.compare"(%i, %b) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%i: tensor<i32>, %a: tensor<4xf32>):
    // expected-error@+1 {{'stablehlo.negate' has an operand that is made behind it}}
    %m = "stablehlo.negate"(%k) : (tensor<4xf32>) -> tensor<4xf32>
    %k = "stablehlo.negate"(%m) : (tensor<4xf32>) -> tensor<4xf32>
    %one = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %j = "stablehlo.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%j, %m) : (tensor<i32>, tensor<4xf32>) -> ()
  }) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
  return %r#1 : tensor<4xf32>
}

// -----

module @"jit_a\01" {
  // expected-error@+1 {{its name, "}}
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}

// -----

// expected-error@+1 {{params['a.b'] and params['a']['b'] would both be the variable @params.a.b; expected other keys in one of them}}
func.func @same(%a: tensor<4xf32> loc("params['a.b']"), %b: tensor<4xf32> loc("params['a']['b']")) -> tensor<4xf32> {
  %y = "stablehlo.add"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @top(%x: tensor<4xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{'chlo.top_k' has 1 results; expected 2}}
  %y = "chlo.top_k"(%x) {k = 2 : i64} : (tensor<4xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

// expected-error@+1 {{@endless does not end with func.return}}
"func.func"() <{function_type = (tensor<4xf32>) -> tensor<4xf32>, sym_name = "endless"}> ({
^bb0(%x: tensor<4xf32>):
  %y = "stablehlo.sine"(%x) : (tensor<4xf32>) -> tensor<4xf32>
}) : () -> ()

// -----

func.func @fields(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error@+1 {{has dimension numbers with 'lhs_contracting_dimension', which is not known or of another kind; expected lhs_batching_dimensions, rhs_batching_dimensions, lhs_contracting_dimensions, rhs_contracting_dimensions}}
  %a = "stablehlo.dot_general"(%x, %x) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimension = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %a : tensor<4x4xf32>
}

// -----

func.func @vectors(%x: tensor<5x3xf32>, %i: tensor<i32>) -> tensor<3xf32> {
  // expected-error@+1 {{index_vector_dim}}
  %a = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 5>, slice_sizes = array<i64: 1, 3>}> : (tensor<5x3xf32>, tensor<i32>) -> tensor<3xf32>
  return %a : tensor<3xf32>
}

// -----

func.func @far(%x: tensor<8x4x6x6xf32>, %w: tensor<8x4x3x3xf32>) -> tensor<8x8x4x4xf32> {
  // expected-error@+1 {{'stablehlo.convolution' has a stride, a dilation or a padding beyond 2^31}}
  %c = "stablehlo.convolution"(%x, %w) <{dimension_numbers = #stablehlo.conv<[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]>, padding = dense<9223372036854775807> : tensor<2x2xi64>}> : (tensor<8x4x6x6xf32>, tensor<8x4x3x3xf32>) -> tensor<8x8x4x4xf32>
  return %c : tensor<8x8x4x4xf32>
}
