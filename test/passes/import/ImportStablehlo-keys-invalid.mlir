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
