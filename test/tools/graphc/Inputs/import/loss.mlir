"builtin.module"() <{sym_name = "jit_loss"}> ({
  "func.func"() <{function_type = (tensor<3x1xf32>, tensor<8x3xf32>, tensor<8x1xf32>) -> tensor<f32>, sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%w: tensor<3x1xf32> loc("params['w']"), %x: tensor<8x3xf32> loc("x"), %y: tensor<8x1xf32> loc("y")):
    %p = "stablehlo.dot_general"(%x, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x3xf32>, tensor<3x1xf32>) -> tensor<8x1xf32> loc("jit(loss)/Line/dot_general"("line.py":7:3))
    %d = "stablehlo.subtract"(%p, %y) : (tensor<8x1xf32>, tensor<8x1xf32>) -> tensor<8x1xf32> loc("line.py":7:1)
    %s = "chlo.square"(%d) : (tensor<8x1xf32>) -> tensor<8x1xf32> loc(unknown)
    %z = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32> loc(unknown)
    %r = "stablehlo.reduce"(%s, %z) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32> loc(unknown)
      "stablehlo.return"(%c) : (tensor<f32>) -> () loc(unknown)
    }) : (tensor<8x1xf32>, tensor<f32>) -> tensor<f32> loc(unknown)
    "func.return"(%r) : (tensor<f32>) -> () loc(unknown)
  }) : () -> () loc(unknown)
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> () loc(unknown)
