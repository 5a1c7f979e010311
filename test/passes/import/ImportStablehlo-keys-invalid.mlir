// RUN: graph-opt --import-stablehlo --split-input-file --verify-diagnostics %s

// A key that is a constant is said, one that follows from an argument is not.
func.func @drop(%key: tensor<4xui32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c = "stablehlo.constant"() <{value = dense<7> : tensor<4xui32>}> : () -> tensor<4xui32>
  %n = "stablehlo.not"(%c) : (tensor<4xui32>) -> tensor<4xui32>
  // expected-warning@+1 {{random numbers of a key that is a constant: they are the same in each step; expected a key that follows from an argument}}
  %a = func.call @_uniform(%n) : (tensor<4xui32>) -> tensor<4xf32>
  %x = "stablehlo.xor"(%n, %key) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
  %b = func.call @_uniform(%x) : (tensor<4xui32>) -> tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}
func.func private @_uniform(%key: tensor<4xui32>) -> tensor<4xf32> {
  %nine = "stablehlo.constant"() <{value = dense<9> : tensor<4xui32>}> : () -> tensor<4xui32>
  %m = "stablehlo.shift_right_logical"(%key, %nine) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
  %one = "stablehlo.constant"() <{value = dense<1065353216> : tensor<4xui32>}> : () -> tensor<4xui32>
  %bits = "stablehlo.or"(%m, %one) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
  %f = "stablehlo.bitcast_convert"(%bits) : (tensor<4xui32>) -> tensor<4xf32>
  return %f : tensor<4xf32>
}

// -----

// What tells signs apart keeps ui64 out.
func.func @signs(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{2 operations cannot be imported: stablehlo.iota of tensor<4xui64>}}
  %i = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<4xui64>
  // expected-note@+1 {{stablehlo.convert of tensor<4xui64>}}
  %f = "stablehlo.convert"(%i) : (tensor<4xui64>) -> tensor<4xf32>
  return %f : tensor<4xf32>
}

// -----

// A constant that has not its type's shape.
func.func @shape() -> tensor<4xui32> {
  // expected-error@+1 {{'graph.constant' op result must be of type 'tensor<3xi64>', got 'tensor<400000xi64>'}}
  %c = "stablehlo.constant"() <{value = dense<[1, 2, 3]> : tensor<3xui64>}> : () -> tensor<400000xui64>
  %s = "stablehlo.slice"(%c) <{start_indices = array<i64: 0>, limit_indices = array<i64: 4>, strides = array<i64: 1>}> : (tensor<400000xui64>) -> tensor<4xui64>
  %d = "stablehlo.convert"(%s) : (tensor<4xui64>) -> tensor<4xui32>
  return %d : tensor<4xui32>
}

// -----

// What has an effect stays, and with it what calls it and the loop in which it is.
func.func @effects(%x: tensor<4xf32>, %n: tensor<i32>) -> tensor<4xf32> {
  %unused = func.call @log(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %x : tensor<4xf32>
}
func.func private @log(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{1 operation cannot be imported: stablehlo.custom_call}}
  %y = "stablehlo.custom_call"(%x) <{call_target_name = "log", has_side_effect = true}> : (tensor<4xf32>) -> tensor<4xf32>
  return %x : tensor<4xf32>
}

// -----

// A key from a loop that takes an argument follows from that.
func.func @loop(%key: tensor<4xui32>) -> tensor<4xf32> {
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %c = "stablehlo.constant"() <{value = dense<7> : tensor<4xui32>}> : () -> tensor<4xui32>
  %w:2 = "stablehlo.while"(%zero, %c) ({
  ^bb0(%i: tensor<i32>, %k: tensor<4xui32>):
    %two = "stablehlo.constant"() <{value = dense<2> : tensor<i32>}> : () -> tensor<i32>
    %less = "stablehlo.compare"(%i, %two) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%less) : (tensor<i1>) -> ()
  }, {
  ^bb0(%i: tensor<i32>, %k: tensor<4xui32>):
    %one = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %next = "stablehlo.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %mixed = "stablehlo.xor"(%k, %key) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %dead = "stablehlo.cbrt"(%k) : (tensor<4xui32>) -> tensor<4xui32>
    "stablehlo.return"(%next, %mixed) : (tensor<i32>, tensor<4xui32>) -> ()
  }) : (tensor<i32>, tensor<4xui32>) -> (tensor<i32>, tensor<4xui32>)
  %a = func.call @_uniform(%w#1) : (tensor<4xui32>) -> tensor<4xf32>
  return %a : tensor<4xf32>
}
func.func private @_uniform(%key: tensor<4xui32>) -> tensor<4xf32> {
  %nine = "stablehlo.constant"() <{value = dense<9> : tensor<4xui32>}> : () -> tensor<4xui32>
  %m = "stablehlo.shift_right_logical"(%key, %nine) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
  %one = "stablehlo.constant"() <{value = dense<1065353216> : tensor<4xui32>}> : () -> tensor<4xui32>
  %bits = "stablehlo.or"(%m, %one) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
  %f = "stablehlo.bitcast_convert"(%bits) : (tensor<4xui32>) -> tensor<4xf32>
  return %f : tensor<4xf32>
}
