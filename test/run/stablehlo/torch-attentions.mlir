"builtin.module"() <{sym_name = "jit_loss"}> ({
  "func.func"() <{arg_attrs = [{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}], function_type = (tensor<18xf32>, tensor<6x4xf32>, tensor<6xf32>, tensor<6x6xf32>, tensor<6x6xf32>, tensor<6x5xf32>, tensor<18xf32>, tensor<18x6xf32>, tensor<6xf32>, tensor<6x6xf32>, tensor<1xf32>, tensor<1x6xf32>, tensor<18xf32>, tensor<18x6xf32>, tensor<6xf32>, tensor<6x6xf32>, tensor<18xf32>, tensor<18x6xf32>, tensor<18xf32>, tensor<18x6xf32>, tensor<6xf32>, tensor<6x6xf32>, tensor<4x4x6xf32>, tensor<4x4xi1>, tensor<4xf32>) -> tensor<f32>, res_attrs = [{jax.result_info = "result[0]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg22: tensor<18xf32> loc("params['cross.in_proj_bias']"), %arg23: tensor<6x4xf32> loc("params['cross.k_proj_weight']"), %arg24: tensor<6xf32> loc("params['cross.out_proj.bias']"), %arg25: tensor<6x6xf32> loc("params['cross.out_proj.weight']"), %arg26: tensor<6x6xf32> loc("params['cross.q_proj_weight']"), %arg27: tensor<6x5xf32> loc("params['cross.v_proj_weight']"), %arg28: tensor<18xf32> loc("params['masked.in_proj_bias']"), %arg29: tensor<18x6xf32> loc("params['masked.in_proj_weight']"), %arg30: tensor<6xf32> loc("params['masked.out_proj.bias']"), %arg31: tensor<6x6xf32> loc("params['masked.out_proj.weight']"), %arg32: tensor<1xf32> loc("params['out.bias']"), %arg33: tensor<1x6xf32> loc("params['out.weight']"), %arg34: tensor<18xf32> loc("params['plain.in_proj_bias']"), %arg35: tensor<18x6xf32> loc("params['plain.in_proj_weight']"), %arg36: tensor<6xf32> loc("params['plain.out_proj.bias']"), %arg37: tensor<6x6xf32> loc("params['plain.out_proj.weight']"), %arg38: tensor<18xf32> loc("params['qkv.bias']"), %arg39: tensor<18x6xf32> loc("params['qkv.weight']"), %arg40: tensor<18xf32> loc("params['weighted.in_proj_bias']"), %arg41: tensor<18x6xf32> loc("params['weighted.in_proj_weight']"), %arg42: tensor<6xf32> loc("params['weighted.out_proj.bias']"), %arg43: tensor<6x6xf32> loc("params['weighted.out_proj.weight']"), %arg44: tensor<4x4x6xf32> loc("inputs[0]"), %arg45: tensor<4x4xi1> loc("inputs[1]"), %arg46: tensor<4xf32> loc("inputs[2]")):
    %26 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %27 = "stablehlo.broadcast_in_dim"(%26) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x4xf32>
    %28 = "func.call"(%27) <{callee = @triu}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %29 = "stablehlo.transpose"(%arg44) <{permutation = array<i64: 1, 0, 2>}> : (tensor<4x4x6xf32>) -> tensor<4x4x6xf32>
    %30 = "stablehlo.reshape"(%29) : (tensor<4x4x6xf32>) -> tensor<16x6xf32>
    %31 = "stablehlo.transpose"(%arg35) <{permutation = array<i64: 1, 0>}> : (tensor<18x6xf32>) -> tensor<6x18xf32>
    %32 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %33 = "stablehlo.broadcast_in_dim"(%32) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<18xf32>
    %34 = "stablehlo.multiply"(%arg34, %33) : (tensor<18xf32>, tensor<18xf32>) -> tensor<18xf32>
    %35 = "stablehlo.dot_general"(%30, %31) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<16x6xf32>, tensor<6x18xf32>) -> tensor<16x18xf32>
    %36 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %37 = "stablehlo.broadcast_in_dim"(%36) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x18xf32>
    %38 = "stablehlo.multiply"(%37, %35) : (tensor<16x18xf32>, tensor<16x18xf32>) -> tensor<16x18xf32>
    %39 = "stablehlo.broadcast_in_dim"(%34) <{broadcast_dimensions = array<i64: 1>}> : (tensor<18xf32>) -> tensor<1x18xf32>
    %40 = "stablehlo.broadcast_in_dim"(%39) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x18xf32>) -> tensor<16x18xf32>
    %41 = "stablehlo.add"(%40, %38) : (tensor<16x18xf32>, tensor<16x18xf32>) -> tensor<16x18xf32>
    %42 = "stablehlo.reshape"(%41) : (tensor<16x18xf32>) -> tensor<4x4x18xf32>
    %43 = "stablehlo.reshape"(%42) : (tensor<4x4x18xf32>) -> tensor<4x4x3x6xf32>
    %44 = "stablehlo.broadcast_in_dim"(%43) <{broadcast_dimensions = array<i64: 1, 2, 3, 4>}> : (tensor<4x4x3x6xf32>) -> tensor<1x4x4x3x6xf32>
    %45 = "stablehlo.transpose"(%44) <{permutation = array<i64: 3, 1, 2, 0, 4>}> : (tensor<1x4x4x3x6xf32>) -> tensor<3x4x4x1x6xf32>
    %46 = "stablehlo.reshape"(%45) : (tensor<3x4x4x1x6xf32>) -> tensor<3x4x4x6xf32>
    %47 = "stablehlo.slice"(%46) <{limit_indices = array<i64: 1, 4, 4, 6>, start_indices = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>}> : (tensor<3x4x4x6xf32>) -> tensor<1x4x4x6xf32>
    %48 = "stablehlo.reshape"(%47) : (tensor<1x4x4x6xf32>) -> tensor<4x4x6xf32>
    %49 = "stablehlo.slice"(%46) <{limit_indices = array<i64: 2, 4, 4, 6>, start_indices = array<i64: 1, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>}> : (tensor<3x4x4x6xf32>) -> tensor<1x4x4x6xf32>
    %50 = "stablehlo.reshape"(%49) : (tensor<1x4x4x6xf32>) -> tensor<4x4x6xf32>
    %51 = "stablehlo.slice"(%46) <{limit_indices = array<i64: 3, 4, 4, 6>, start_indices = array<i64: 2, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>}> : (tensor<3x4x4x6xf32>) -> tensor<1x4x4x6xf32>
    %52 = "stablehlo.reshape"(%51) : (tensor<1x4x4x6xf32>) -> tensor<4x4x6xf32>
    %53 = "stablehlo.reshape"(%48) : (tensor<4x4x6xf32>) -> tensor<4x8x3xf32>
    %54 = "stablehlo.transpose"(%53) <{permutation = array<i64: 1, 0, 2>}> : (tensor<4x8x3xf32>) -> tensor<8x4x3xf32>
    %55 = "stablehlo.reshape"(%50) : (tensor<4x4x6xf32>) -> tensor<4x8x3xf32>
    %56 = "stablehlo.transpose"(%55) <{permutation = array<i64: 1, 0, 2>}> : (tensor<4x8x3xf32>) -> tensor<8x4x3xf32>
    %57 = "stablehlo.reshape"(%52) : (tensor<4x4x6xf32>) -> tensor<4x8x3xf32>
    %58 = "stablehlo.transpose"(%57) <{permutation = array<i64: 1, 0, 2>}> : (tensor<4x8x3xf32>) -> tensor<8x4x3xf32>
    %59 = "stablehlo.reshape"(%54) : (tensor<8x4x3xf32>) -> tensor<4x2x4x3xf32>
    %60 = "stablehlo.reshape"(%56) : (tensor<8x4x3xf32>) -> tensor<4x2x4x3xf32>
    %61 = "stablehlo.reshape"(%58) : (tensor<8x4x3xf32>) -> tensor<4x2x4x3xf32>
    %62 = "stablehlo.constant"() <{value = dense<0.75983566> : tensor<f32>}> : () -> tensor<f32>
    %63 = "stablehlo.broadcast_in_dim"(%62) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x2x4x3xf32>
    %64 = "stablehlo.multiply"(%59, %63) : (tensor<4x2x4x3xf32>, tensor<4x2x4x3xf32>) -> tensor<4x2x4x3xf32>
    %65 = "stablehlo.transpose"(%60) <{permutation = array<i64: 0, 1, 3, 2>}> : (tensor<4x2x4x3xf32>) -> tensor<4x2x3x4xf32>
    %66 = "stablehlo.constant"() <{value = dense<0.75983566> : tensor<f32>}> : () -> tensor<f32>
    %67 = "stablehlo.broadcast_in_dim"(%66) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x2x3x4xf32>
    %68 = "stablehlo.multiply"(%65, %67) : (tensor<4x2x3x4xf32>, tensor<4x2x3x4xf32>) -> tensor<4x2x3x4xf32>
    %69 = "stablehlo.reshape"(%64) : (tensor<4x2x4x3xf32>) -> tensor<8x4x3xf32>
    %70 = "stablehlo.reshape"(%68) : (tensor<4x2x3x4xf32>) -> tensor<8x3x4xf32>
    %71 = "stablehlo.dot_general"(%69, %70) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x4x3xf32>, tensor<8x3x4xf32>) -> tensor<8x4x4xf32>
    %72 = "stablehlo.reshape"(%71) : (tensor<8x4x4xf32>) -> tensor<4x2x4x4xf32>
    %73 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %74 = "stablehlo.reduce"(%72, %73) <{dimensions = array<i64: 3>}> ({
    ^bb0(%arg91: tensor<f32>, %arg92: tensor<f32>):
      %627 = "stablehlo.maximum"(%arg91, %arg92) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%627) : (tensor<f32>) -> ()
    }) : (tensor<4x2x4x4xf32>, tensor<f32>) -> tensor<4x2x4xf32>
    %75 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %76 = "stablehlo.broadcast_in_dim"(%75) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x2x4xf32>
    %77 = "stablehlo.maximum"(%76, %74) : (tensor<4x2x4xf32>, tensor<4x2x4xf32>) -> tensor<4x2x4xf32>
    %78 = "stablehlo.broadcast_in_dim"(%77) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x2x4xf32>) -> tensor<4x2x4x1xf32>
    %79 = "stablehlo.broadcast_in_dim"(%78) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<4x2x4x1xf32>) -> tensor<4x2x4x4xf32>
    %80 = "stablehlo.subtract"(%72, %79) : (tensor<4x2x4x4xf32>, tensor<4x2x4x4xf32>) -> tensor<4x2x4x4xf32>
    %81 = "stablehlo.exponential"(%80) : (tensor<4x2x4x4xf32>) -> tensor<4x2x4x4xf32>
    %82 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %83 = "stablehlo.reduce"(%81, %82) <{dimensions = array<i64: 3>}> ({
    ^bb0(%arg89: tensor<f32>, %arg90: tensor<f32>):
      %626 = "stablehlo.add"(%arg89, %arg90) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%626) : (tensor<f32>) -> ()
    }) : (tensor<4x2x4x4xf32>, tensor<f32>) -> tensor<4x2x4xf32>
    %84 = "stablehlo.broadcast_in_dim"(%83) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x2x4xf32>) -> tensor<4x2x4x1xf32>
    %85 = "stablehlo.broadcast_in_dim"(%84) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<4x2x4x1xf32>) -> tensor<4x2x4x4xf32>
    %86 = "stablehlo.divide"(%81, %85) : (tensor<4x2x4x4xf32>, tensor<4x2x4x4xf32>) -> tensor<4x2x4x4xf32>
    %87 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %88 = "stablehlo.broadcast_in_dim"(%87) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x2x4x4xf32>
    %89 = "stablehlo.compare"(%72, %88) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<4x2x4x4xf32>, tensor<4x2x4x4xf32>) -> tensor<4x2x4x4xi1>
    %90 = "stablehlo.not"(%89) : (tensor<4x2x4x4xi1>) -> tensor<4x2x4x4xi1>
    %91 = "stablehlo.constant"() <{value = dense<false> : tensor<i1>}> : () -> tensor<i1>
    %92 = "stablehlo.reduce"(%90, %91) <{dimensions = array<i64: 3>}> ({
    ^bb0(%arg87: tensor<i1>, %arg88: tensor<i1>):
      %625 = "stablehlo.or"(%arg87, %arg88) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%625) : (tensor<i1>) -> ()
    }) : (tensor<4x2x4x4xi1>, tensor<i1>) -> tensor<4x2x4xi1>
    %93 = "stablehlo.broadcast_in_dim"(%92) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x2x4xi1>) -> tensor<4x2x4x1xi1>
    %94 = "stablehlo.not"(%93) : (tensor<4x2x4x1xi1>) -> tensor<4x2x4x1xi1>
    %95 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %96 = "stablehlo.broadcast_in_dim"(%95) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x2x4x4xf32>
    %97 = "func.call"(%94, %96, %86) <{callee = @_where}> : (tensor<4x2x4x1xi1>, tensor<4x2x4x4xf32>, tensor<4x2x4x4xf32>) -> tensor<4x2x4x4xf32>
    %98 = "stablehlo.reshape"(%97) : (tensor<4x2x4x4xf32>) -> tensor<8x4x4xf32>
    %99 = "stablehlo.reshape"(%61) : (tensor<4x2x4x3xf32>) -> tensor<8x4x3xf32>
    %100 = "stablehlo.dot_general"(%98, %99) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x4x4xf32>, tensor<8x4x3xf32>) -> tensor<8x4x3xf32>
    %101 = "stablehlo.reshape"(%100) : (tensor<8x4x3xf32>) -> tensor<4x2x4x3xf32>
    %102 = "stablehlo.transpose"(%101) <{permutation = array<i64: 2, 0, 1, 3>}> : (tensor<4x2x4x3xf32>) -> tensor<4x4x2x3xf32>
    %103 = "stablehlo.reshape"(%102) : (tensor<4x4x2x3xf32>) -> tensor<16x6xf32>
    %104 = "stablehlo.transpose"(%arg37) <{permutation = array<i64: 1, 0>}> : (tensor<6x6xf32>) -> tensor<6x6xf32>
    %105 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %106 = "stablehlo.broadcast_in_dim"(%105) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6xf32>
    %107 = "stablehlo.multiply"(%arg36, %106) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %108 = "stablehlo.dot_general"(%103, %104) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<16x6xf32>, tensor<6x6xf32>) -> tensor<16x6xf32>
    %109 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %110 = "stablehlo.broadcast_in_dim"(%109) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x6xf32>
    %111 = "stablehlo.multiply"(%110, %108) : (tensor<16x6xf32>, tensor<16x6xf32>) -> tensor<16x6xf32>
    %112 = "stablehlo.broadcast_in_dim"(%107) <{broadcast_dimensions = array<i64: 1>}> : (tensor<6xf32>) -> tensor<1x6xf32>
    %113 = "stablehlo.broadcast_in_dim"(%112) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x6xf32>) -> tensor<16x6xf32>
    %114 = "stablehlo.add"(%113, %111) : (tensor<16x6xf32>, tensor<16x6xf32>) -> tensor<16x6xf32>
    %115 = "stablehlo.reshape"(%114) : (tensor<16x6xf32>) -> tensor<4x4x6xf32>
    %116 = "stablehlo.transpose"(%115) <{permutation = array<i64: 1, 0, 2>}> : (tensor<4x4x6xf32>) -> tensor<4x4x6xf32>
    %117 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %118 = "stablehlo.broadcast_in_dim"(%117) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x4xf32>
    %119 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %120 = "func.call"(%arg45, %119, %118) <{callee = @_where_0}> : (tensor<4x4xi1>, tensor<f32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %121 = "stablehlo.transpose"(%arg44) <{permutation = array<i64: 1, 0, 2>}> : (tensor<4x4x6xf32>) -> tensor<4x4x6xf32>
    %122 = "stablehlo.reshape"(%121) : (tensor<4x4x6xf32>) -> tensor<16x6xf32>
    %123 = "stablehlo.transpose"(%arg29) <{permutation = array<i64: 1, 0>}> : (tensor<18x6xf32>) -> tensor<6x18xf32>
    %124 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %125 = "stablehlo.broadcast_in_dim"(%124) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<18xf32>
    %126 = "stablehlo.multiply"(%arg28, %125) : (tensor<18xf32>, tensor<18xf32>) -> tensor<18xf32>
    %127 = "stablehlo.dot_general"(%122, %123) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<16x6xf32>, tensor<6x18xf32>) -> tensor<16x18xf32>
    %128 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %129 = "stablehlo.broadcast_in_dim"(%128) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x18xf32>
    %130 = "stablehlo.multiply"(%129, %127) : (tensor<16x18xf32>, tensor<16x18xf32>) -> tensor<16x18xf32>
    %131 = "stablehlo.broadcast_in_dim"(%126) <{broadcast_dimensions = array<i64: 1>}> : (tensor<18xf32>) -> tensor<1x18xf32>
    %132 = "stablehlo.broadcast_in_dim"(%131) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x18xf32>) -> tensor<16x18xf32>
    %133 = "stablehlo.add"(%132, %130) : (tensor<16x18xf32>, tensor<16x18xf32>) -> tensor<16x18xf32>
    %134 = "stablehlo.reshape"(%133) : (tensor<16x18xf32>) -> tensor<4x4x18xf32>
    %135 = "stablehlo.reshape"(%134) : (tensor<4x4x18xf32>) -> tensor<4x4x3x6xf32>
    %136 = "stablehlo.broadcast_in_dim"(%135) <{broadcast_dimensions = array<i64: 1, 2, 3, 4>}> : (tensor<4x4x3x6xf32>) -> tensor<1x4x4x3x6xf32>
    %137 = "stablehlo.transpose"(%136) <{permutation = array<i64: 3, 1, 2, 0, 4>}> : (tensor<1x4x4x3x6xf32>) -> tensor<3x4x4x1x6xf32>
    %138 = "stablehlo.reshape"(%137) : (tensor<3x4x4x1x6xf32>) -> tensor<3x4x4x6xf32>
    %139 = "stablehlo.slice"(%138) <{limit_indices = array<i64: 1, 4, 4, 6>, start_indices = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>}> : (tensor<3x4x4x6xf32>) -> tensor<1x4x4x6xf32>
    %140 = "stablehlo.reshape"(%139) : (tensor<1x4x4x6xf32>) -> tensor<4x4x6xf32>
    %141 = "stablehlo.slice"(%138) <{limit_indices = array<i64: 2, 4, 4, 6>, start_indices = array<i64: 1, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>}> : (tensor<3x4x4x6xf32>) -> tensor<1x4x4x6xf32>
    %142 = "stablehlo.reshape"(%141) : (tensor<1x4x4x6xf32>) -> tensor<4x4x6xf32>
    %143 = "stablehlo.slice"(%138) <{limit_indices = array<i64: 3, 4, 4, 6>, start_indices = array<i64: 2, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>}> : (tensor<3x4x4x6xf32>) -> tensor<1x4x4x6xf32>
    %144 = "stablehlo.reshape"(%143) : (tensor<1x4x4x6xf32>) -> tensor<4x4x6xf32>
    %145 = "stablehlo.broadcast_in_dim"(%28) <{broadcast_dimensions = array<i64: 1, 2>}> : (tensor<4x4xf32>) -> tensor<1x4x4xf32>
    %146 = "stablehlo.reshape"(%140) : (tensor<4x4x6xf32>) -> tensor<4x12x2xf32>
    %147 = "stablehlo.transpose"(%146) <{permutation = array<i64: 1, 0, 2>}> : (tensor<4x12x2xf32>) -> tensor<12x4x2xf32>
    %148 = "stablehlo.reshape"(%142) : (tensor<4x4x6xf32>) -> tensor<4x12x2xf32>
    %149 = "stablehlo.transpose"(%148) <{permutation = array<i64: 1, 0, 2>}> : (tensor<4x12x2xf32>) -> tensor<12x4x2xf32>
    %150 = "stablehlo.reshape"(%144) : (tensor<4x4x6xf32>) -> tensor<4x12x2xf32>
    %151 = "stablehlo.transpose"(%150) <{permutation = array<i64: 1, 0, 2>}> : (tensor<4x12x2xf32>) -> tensor<12x4x2xf32>
    %152 = "stablehlo.reshape"(%120) : (tensor<4x4xf32>) -> tensor<4x1x1x4xf32>
    %153 = "stablehlo.broadcast_in_dim"(%152) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<4x1x1x4xf32>) -> tensor<4x3x1x4xf32>
    %154 = "stablehlo.reshape"(%153) : (tensor<4x3x1x4xf32>) -> tensor<12x1x4xf32>
    %155 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %156 = "stablehlo.broadcast_in_dim"(%155) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<12x1x4xf32>
    %157 = "stablehlo.multiply"(%154, %156) : (tensor<12x1x4xf32>, tensor<12x1x4xf32>) -> tensor<12x1x4xf32>
    %158 = "stablehlo.convert"(%145) : (tensor<1x4x4xf32>) -> tensor<1x4x4xf32>
    %159 = "stablehlo.broadcast_in_dim"(%158) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x4x4xf32>) -> tensor<12x4x4xf32>
    %160 = "stablehlo.broadcast_in_dim"(%157) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<12x1x4xf32>) -> tensor<12x4x4xf32>
    %161 = "stablehlo.add"(%159, %160) : (tensor<12x4x4xf32>, tensor<12x4x4xf32>) -> tensor<12x4x4xf32>
    %162 = "stablehlo.reshape"(%161) : (tensor<12x4x4xf32>) -> tensor<4x3x4x4xf32>
    %163 = "stablehlo.reshape"(%147) : (tensor<12x4x2xf32>) -> tensor<4x3x4x2xf32>
    %164 = "stablehlo.reshape"(%149) : (tensor<12x4x2xf32>) -> tensor<4x3x4x2xf32>
    %165 = "stablehlo.reshape"(%151) : (tensor<12x4x2xf32>) -> tensor<4x3x4x2xf32>
    %166 = "stablehlo.constant"() <{value = dense<0.840896427> : tensor<f32>}> : () -> tensor<f32>
    %167 = "stablehlo.broadcast_in_dim"(%166) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x3x4x2xf32>
    %168 = "stablehlo.multiply"(%163, %167) : (tensor<4x3x4x2xf32>, tensor<4x3x4x2xf32>) -> tensor<4x3x4x2xf32>
    %169 = "stablehlo.transpose"(%164) <{permutation = array<i64: 0, 1, 3, 2>}> : (tensor<4x3x4x2xf32>) -> tensor<4x3x2x4xf32>
    %170 = "stablehlo.constant"() <{value = dense<0.840896427> : tensor<f32>}> : () -> tensor<f32>
    %171 = "stablehlo.broadcast_in_dim"(%170) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x3x2x4xf32>
    %172 = "stablehlo.multiply"(%169, %171) : (tensor<4x3x2x4xf32>, tensor<4x3x2x4xf32>) -> tensor<4x3x2x4xf32>
    %173 = "stablehlo.reshape"(%168) : (tensor<4x3x4x2xf32>) -> tensor<12x4x2xf32>
    %174 = "stablehlo.reshape"(%172) : (tensor<4x3x2x4xf32>) -> tensor<12x2x4xf32>
    %175 = "stablehlo.dot_general"(%173, %174) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<12x4x2xf32>, tensor<12x2x4xf32>) -> tensor<12x4x4xf32>
    %176 = "stablehlo.reshape"(%175) : (tensor<12x4x4xf32>) -> tensor<4x3x4x4xf32>
    %177 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %178 = "stablehlo.broadcast_in_dim"(%177) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x3x4x4xf32>
    %179 = "stablehlo.multiply"(%162, %178) : (tensor<4x3x4x4xf32>, tensor<4x3x4x4xf32>) -> tensor<4x3x4x4xf32>
    %180 = "stablehlo.add"(%176, %179) : (tensor<4x3x4x4xf32>, tensor<4x3x4x4xf32>) -> tensor<4x3x4x4xf32>
    %181 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %182 = "stablehlo.reduce"(%180, %181) <{dimensions = array<i64: 3>}> ({
    ^bb0(%arg85: tensor<f32>, %arg86: tensor<f32>):
      %624 = "stablehlo.maximum"(%arg85, %arg86) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%624) : (tensor<f32>) -> ()
    }) : (tensor<4x3x4x4xf32>, tensor<f32>) -> tensor<4x3x4xf32>
    %183 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %184 = "stablehlo.broadcast_in_dim"(%183) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x3x4xf32>
    %185 = "stablehlo.maximum"(%184, %182) : (tensor<4x3x4xf32>, tensor<4x3x4xf32>) -> tensor<4x3x4xf32>
    %186 = "stablehlo.broadcast_in_dim"(%185) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x3x4xf32>) -> tensor<4x3x4x1xf32>
    %187 = "stablehlo.broadcast_in_dim"(%186) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<4x3x4x1xf32>) -> tensor<4x3x4x4xf32>
    %188 = "stablehlo.subtract"(%180, %187) : (tensor<4x3x4x4xf32>, tensor<4x3x4x4xf32>) -> tensor<4x3x4x4xf32>
    %189 = "stablehlo.exponential"(%188) : (tensor<4x3x4x4xf32>) -> tensor<4x3x4x4xf32>
    %190 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %191 = "stablehlo.reduce"(%189, %190) <{dimensions = array<i64: 3>}> ({
    ^bb0(%arg83: tensor<f32>, %arg84: tensor<f32>):
      %623 = "stablehlo.add"(%arg83, %arg84) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%623) : (tensor<f32>) -> ()
    }) : (tensor<4x3x4x4xf32>, tensor<f32>) -> tensor<4x3x4xf32>
    %192 = "stablehlo.broadcast_in_dim"(%191) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x3x4xf32>) -> tensor<4x3x4x1xf32>
    %193 = "stablehlo.broadcast_in_dim"(%192) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<4x3x4x1xf32>) -> tensor<4x3x4x4xf32>
    %194 = "stablehlo.divide"(%189, %193) : (tensor<4x3x4x4xf32>, tensor<4x3x4x4xf32>) -> tensor<4x3x4x4xf32>
    %195 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %196 = "stablehlo.broadcast_in_dim"(%195) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x3x4x4xf32>
    %197 = "stablehlo.compare"(%180, %196) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<4x3x4x4xf32>, tensor<4x3x4x4xf32>) -> tensor<4x3x4x4xi1>
    %198 = "stablehlo.not"(%197) : (tensor<4x3x4x4xi1>) -> tensor<4x3x4x4xi1>
    %199 = "stablehlo.constant"() <{value = dense<false> : tensor<i1>}> : () -> tensor<i1>
    %200 = "stablehlo.reduce"(%198, %199) <{dimensions = array<i64: 3>}> ({
    ^bb0(%arg81: tensor<i1>, %arg82: tensor<i1>):
      %622 = "stablehlo.or"(%arg81, %arg82) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%622) : (tensor<i1>) -> ()
    }) : (tensor<4x3x4x4xi1>, tensor<i1>) -> tensor<4x3x4xi1>
    %201 = "stablehlo.broadcast_in_dim"(%200) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x3x4xi1>) -> tensor<4x3x4x1xi1>
    %202 = "stablehlo.not"(%201) : (tensor<4x3x4x1xi1>) -> tensor<4x3x4x1xi1>
    %203 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %204 = "stablehlo.broadcast_in_dim"(%203) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x3x4x4xf32>
    %205 = "func.call"(%202, %204, %194) <{callee = @_where_1}> : (tensor<4x3x4x1xi1>, tensor<4x3x4x4xf32>, tensor<4x3x4x4xf32>) -> tensor<4x3x4x4xf32>
    %206 = "stablehlo.reshape"(%205) : (tensor<4x3x4x4xf32>) -> tensor<12x4x4xf32>
    %207 = "stablehlo.reshape"(%165) : (tensor<4x3x4x2xf32>) -> tensor<12x4x2xf32>
    %208 = "stablehlo.dot_general"(%206, %207) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<12x4x4xf32>, tensor<12x4x2xf32>) -> tensor<12x4x2xf32>
    %209 = "stablehlo.reshape"(%208) : (tensor<12x4x2xf32>) -> tensor<4x3x4x2xf32>
    %210 = "stablehlo.transpose"(%209) <{permutation = array<i64: 2, 0, 1, 3>}> : (tensor<4x3x4x2xf32>) -> tensor<4x4x3x2xf32>
    %211 = "stablehlo.reshape"(%210) : (tensor<4x4x3x2xf32>) -> tensor<16x6xf32>
    %212 = "stablehlo.transpose"(%arg31) <{permutation = array<i64: 1, 0>}> : (tensor<6x6xf32>) -> tensor<6x6xf32>
    %213 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %214 = "stablehlo.broadcast_in_dim"(%213) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6xf32>
    %215 = "stablehlo.multiply"(%arg30, %214) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %216 = "stablehlo.dot_general"(%211, %212) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<16x6xf32>, tensor<6x6xf32>) -> tensor<16x6xf32>
    %217 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %218 = "stablehlo.broadcast_in_dim"(%217) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x6xf32>
    %219 = "stablehlo.multiply"(%218, %216) : (tensor<16x6xf32>, tensor<16x6xf32>) -> tensor<16x6xf32>
    %220 = "stablehlo.broadcast_in_dim"(%215) <{broadcast_dimensions = array<i64: 1>}> : (tensor<6xf32>) -> tensor<1x6xf32>
    %221 = "stablehlo.broadcast_in_dim"(%220) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x6xf32>) -> tensor<16x6xf32>
    %222 = "stablehlo.add"(%221, %219) : (tensor<16x6xf32>, tensor<16x6xf32>) -> tensor<16x6xf32>
    %223 = "stablehlo.reshape"(%222) : (tensor<16x6xf32>) -> tensor<4x4x6xf32>
    %224 = "stablehlo.transpose"(%223) <{permutation = array<i64: 1, 0, 2>}> : (tensor<4x4x6xf32>) -> tensor<4x4x6xf32>
    %225 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %226 = "stablehlo.broadcast_in_dim"(%225) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x4x6xf32>
    %227 = "stablehlo.multiply"(%224, %226) : (tensor<4x4x6xf32>, tensor<4x4x6xf32>) -> tensor<4x4x6xf32>
    %228 = "stablehlo.add"(%116, %227) : (tensor<4x4x6xf32>, tensor<4x4x6xf32>) -> tensor<4x4x6xf32>
    %229 = "stablehlo.transpose"(%arg44) <{permutation = array<i64: 1, 0, 2>}> : (tensor<4x4x6xf32>) -> tensor<4x4x6xf32>
    %230 = "stablehlo.reshape"(%229) : (tensor<4x4x6xf32>) -> tensor<16x6xf32>
    %231 = "stablehlo.transpose"(%arg41) <{permutation = array<i64: 1, 0>}> : (tensor<18x6xf32>) -> tensor<6x18xf32>
    %232 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %233 = "stablehlo.broadcast_in_dim"(%232) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<18xf32>
    %234 = "stablehlo.multiply"(%arg40, %233) : (tensor<18xf32>, tensor<18xf32>) -> tensor<18xf32>
    %235 = "stablehlo.dot_general"(%230, %231) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<16x6xf32>, tensor<6x18xf32>) -> tensor<16x18xf32>
    %236 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %237 = "stablehlo.broadcast_in_dim"(%236) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x18xf32>
    %238 = "stablehlo.multiply"(%237, %235) : (tensor<16x18xf32>, tensor<16x18xf32>) -> tensor<16x18xf32>
    %239 = "stablehlo.broadcast_in_dim"(%234) <{broadcast_dimensions = array<i64: 1>}> : (tensor<18xf32>) -> tensor<1x18xf32>
    %240 = "stablehlo.broadcast_in_dim"(%239) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x18xf32>) -> tensor<16x18xf32>
    %241 = "stablehlo.add"(%240, %238) : (tensor<16x18xf32>, tensor<16x18xf32>) -> tensor<16x18xf32>
    %242 = "stablehlo.reshape"(%241) : (tensor<16x18xf32>) -> tensor<4x4x18xf32>
    %243 = "stablehlo.reshape"(%242) : (tensor<4x4x18xf32>) -> tensor<4x4x3x6xf32>
    %244 = "stablehlo.broadcast_in_dim"(%243) <{broadcast_dimensions = array<i64: 1, 2, 3, 4>}> : (tensor<4x4x3x6xf32>) -> tensor<1x4x4x3x6xf32>
    %245 = "stablehlo.transpose"(%244) <{permutation = array<i64: 3, 1, 2, 0, 4>}> : (tensor<1x4x4x3x6xf32>) -> tensor<3x4x4x1x6xf32>
    %246 = "stablehlo.reshape"(%245) : (tensor<3x4x4x1x6xf32>) -> tensor<3x4x4x6xf32>
    %247 = "stablehlo.slice"(%246) <{limit_indices = array<i64: 1, 4, 4, 6>, start_indices = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>}> : (tensor<3x4x4x6xf32>) -> tensor<1x4x4x6xf32>
    %248 = "stablehlo.reshape"(%247) : (tensor<1x4x4x6xf32>) -> tensor<4x4x6xf32>
    %249 = "stablehlo.slice"(%246) <{limit_indices = array<i64: 2, 4, 4, 6>, start_indices = array<i64: 1, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>}> : (tensor<3x4x4x6xf32>) -> tensor<1x4x4x6xf32>
    %250 = "stablehlo.reshape"(%249) : (tensor<1x4x4x6xf32>) -> tensor<4x4x6xf32>
    %251 = "stablehlo.slice"(%246) <{limit_indices = array<i64: 3, 4, 4, 6>, start_indices = array<i64: 2, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>}> : (tensor<3x4x4x6xf32>) -> tensor<1x4x4x6xf32>
    %252 = "stablehlo.reshape"(%251) : (tensor<1x4x4x6xf32>) -> tensor<4x4x6xf32>
    %253 = "stablehlo.broadcast_in_dim"(%28) <{broadcast_dimensions = array<i64: 1, 2>}> : (tensor<4x4xf32>) -> tensor<1x4x4xf32>
    %254 = "stablehlo.transpose"(%248) <{permutation = array<i64: 1, 0, 2>}> : (tensor<4x4x6xf32>) -> tensor<4x4x6xf32>
    %255 = "stablehlo.transpose"(%250) <{permutation = array<i64: 1, 0, 2>}> : (tensor<4x4x6xf32>) -> tensor<4x4x6xf32>
    %256 = "stablehlo.transpose"(%252) <{permutation = array<i64: 1, 0, 2>}> : (tensor<4x4x6xf32>) -> tensor<4x4x6xf32>
    %257 = "stablehlo.constant"() <{value = dense<0.408248305> : tensor<f32>}> : () -> tensor<f32>
    %258 = "stablehlo.broadcast_in_dim"(%257) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x4x6xf32>
    %259 = "stablehlo.multiply"(%254, %258) : (tensor<4x4x6xf32>, tensor<4x4x6xf32>) -> tensor<4x4x6xf32>
    %260 = "stablehlo.transpose"(%255) <{permutation = array<i64: 0, 2, 1>}> : (tensor<4x4x6xf32>) -> tensor<4x6x4xf32>
    %261 = "stablehlo.convert"(%253) : (tensor<1x4x4xf32>) -> tensor<1x4x4xf32>
    %262 = "stablehlo.dot_general"(%259, %260) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x4x6xf32>, tensor<4x6x4xf32>) -> tensor<4x4x4xf32>
    %263 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %264 = "stablehlo.broadcast_in_dim"(%263) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x4x4xf32>
    %265 = "stablehlo.multiply"(%262, %264) : (tensor<4x4x4xf32>, tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
    %266 = "stablehlo.broadcast_in_dim"(%261) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x4x4xf32>) -> tensor<4x4x4xf32>
    %267 = "stablehlo.add"(%266, %265) : (tensor<4x4x4xf32>, tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
    %268 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %269 = "stablehlo.reduce"(%267, %268) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg79: tensor<f32>, %arg80: tensor<f32>):
      %621 = "stablehlo.maximum"(%arg79, %arg80) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%621) : (tensor<f32>) -> ()
    }) : (tensor<4x4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
    %270 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %271 = "stablehlo.broadcast_in_dim"(%270) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x4xf32>
    %272 = "stablehlo.maximum"(%271, %269) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %273 = "stablehlo.broadcast_in_dim"(%272) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x4xf32>) -> tensor<4x4x1xf32>
    %274 = "stablehlo.broadcast_in_dim"(%273) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x4x1xf32>) -> tensor<4x4x4xf32>
    %275 = "stablehlo.subtract"(%267, %274) : (tensor<4x4x4xf32>, tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
    %276 = "stablehlo.exponential"(%275) : (tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
    %277 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %278 = "stablehlo.reduce"(%276, %277) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg77: tensor<f32>, %arg78: tensor<f32>):
      %620 = "stablehlo.add"(%arg77, %arg78) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%620) : (tensor<f32>) -> ()
    }) : (tensor<4x4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
    %279 = "stablehlo.broadcast_in_dim"(%278) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x4xf32>) -> tensor<4x4x1xf32>
    %280 = "stablehlo.broadcast_in_dim"(%279) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x4x1xf32>) -> tensor<4x4x4xf32>
    %281 = "stablehlo.divide"(%276, %280) : (tensor<4x4x4xf32>, tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
    %282 = "stablehlo.dot_general"(%281, %256) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x4x4xf32>, tensor<4x4x6xf32>) -> tensor<4x4x6xf32>
    %283 = "stablehlo.transpose"(%282) <{permutation = array<i64: 1, 0, 2>}> : (tensor<4x4x6xf32>) -> tensor<4x4x6xf32>
    %284 = "stablehlo.reshape"(%283) : (tensor<4x4x6xf32>) -> tensor<16x6xf32>
    %285 = "stablehlo.transpose"(%arg43) <{permutation = array<i64: 1, 0>}> : (tensor<6x6xf32>) -> tensor<6x6xf32>
    %286 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %287 = "stablehlo.broadcast_in_dim"(%286) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6xf32>
    %288 = "stablehlo.multiply"(%arg42, %287) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %289 = "stablehlo.dot_general"(%284, %285) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<16x6xf32>, tensor<6x6xf32>) -> tensor<16x6xf32>
    %290 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %291 = "stablehlo.broadcast_in_dim"(%290) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x6xf32>
    %292 = "stablehlo.multiply"(%291, %289) : (tensor<16x6xf32>, tensor<16x6xf32>) -> tensor<16x6xf32>
    %293 = "stablehlo.broadcast_in_dim"(%288) <{broadcast_dimensions = array<i64: 1>}> : (tensor<6xf32>) -> tensor<1x6xf32>
    %294 = "stablehlo.broadcast_in_dim"(%293) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x6xf32>) -> tensor<16x6xf32>
    %295 = "stablehlo.add"(%294, %292) : (tensor<16x6xf32>, tensor<16x6xf32>) -> tensor<16x6xf32>
    %296 = "stablehlo.reshape"(%295) : (tensor<16x6xf32>) -> tensor<4x4x6xf32>
    %297 = "stablehlo.transpose"(%296) <{permutation = array<i64: 1, 0, 2>}> : (tensor<4x4x6xf32>) -> tensor<4x4x6xf32>
    %298 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %299 = "stablehlo.broadcast_in_dim"(%298) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x4x6xf32>
    %300 = "stablehlo.multiply"(%297, %299) : (tensor<4x4x6xf32>, tensor<4x4x6xf32>) -> tensor<4x4x6xf32>
    %301 = "stablehlo.add"(%228, %300) : (tensor<4x4x6xf32>, tensor<4x4x6xf32>) -> tensor<4x4x6xf32>
    %302 = "stablehlo.slice"(%arg44) <{limit_indices = array<i64: 4, 4, 6>, start_indices = array<i64: 0, 1, 0>, strides = array<i64: 1, 1, 1>}> : (tensor<4x4x6xf32>) -> tensor<4x3x6xf32>
    %303 = "stablehlo.transpose"(%302) <{permutation = array<i64: 1, 0, 2>}> : (tensor<4x3x6xf32>) -> tensor<3x4x6xf32>
    %304 = "stablehlo.slice"(%arg44) <{limit_indices = array<i64: 4, 4, 4>, start_indices = array<i64: 0, 0, 0>, strides = array<i64: 1, 1, 1>}> : (tensor<4x4x6xf32>) -> tensor<4x4x4xf32>
    %305 = "stablehlo.transpose"(%304) <{permutation = array<i64: 1, 0, 2>}> : (tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
    %306 = "stablehlo.slice"(%arg44) <{limit_indices = array<i64: 4, 4, 6>, start_indices = array<i64: 0, 0, 1>, strides = array<i64: 1, 1, 1>}> : (tensor<4x4x6xf32>) -> tensor<4x4x5xf32>
    %307 = "stablehlo.transpose"(%306) <{permutation = array<i64: 1, 0, 2>}> : (tensor<4x4x5xf32>) -> tensor<4x4x5xf32>
    %308 = "stablehlo.slice"(%arg22) <{limit_indices = array<i64: 6>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<18xf32>) -> tensor<6xf32>
    %309 = "stablehlo.slice"(%arg22) <{limit_indices = array<i64: 12>, start_indices = array<i64: 6>, strides = array<i64: 1>}> : (tensor<18xf32>) -> tensor<6xf32>
    %310 = "stablehlo.slice"(%arg22) <{limit_indices = array<i64: 18>, start_indices = array<i64: 12>, strides = array<i64: 1>}> : (tensor<18xf32>) -> tensor<6xf32>
    %311 = "stablehlo.reshape"(%303) : (tensor<3x4x6xf32>) -> tensor<12x6xf32>
    %312 = "stablehlo.transpose"(%arg26) <{permutation = array<i64: 1, 0>}> : (tensor<6x6xf32>) -> tensor<6x6xf32>
    %313 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %314 = "stablehlo.broadcast_in_dim"(%313) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6xf32>
    %315 = "stablehlo.multiply"(%308, %314) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %316 = "stablehlo.dot_general"(%311, %312) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<12x6xf32>, tensor<6x6xf32>) -> tensor<12x6xf32>
    %317 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %318 = "stablehlo.broadcast_in_dim"(%317) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<12x6xf32>
    %319 = "stablehlo.multiply"(%318, %316) : (tensor<12x6xf32>, tensor<12x6xf32>) -> tensor<12x6xf32>
    %320 = "stablehlo.broadcast_in_dim"(%315) <{broadcast_dimensions = array<i64: 1>}> : (tensor<6xf32>) -> tensor<1x6xf32>
    %321 = "stablehlo.broadcast_in_dim"(%320) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x6xf32>) -> tensor<12x6xf32>
    %322 = "stablehlo.add"(%321, %319) : (tensor<12x6xf32>, tensor<12x6xf32>) -> tensor<12x6xf32>
    %323 = "stablehlo.reshape"(%322) : (tensor<12x6xf32>) -> tensor<3x4x6xf32>
    %324 = "stablehlo.reshape"(%305) : (tensor<4x4x4xf32>) -> tensor<16x4xf32>
    %325 = "stablehlo.transpose"(%arg23) <{permutation = array<i64: 1, 0>}> : (tensor<6x4xf32>) -> tensor<4x6xf32>
    %326 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %327 = "stablehlo.broadcast_in_dim"(%326) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6xf32>
    %328 = "stablehlo.multiply"(%309, %327) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %329 = "stablehlo.dot_general"(%324, %325) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<16x4xf32>, tensor<4x6xf32>) -> tensor<16x6xf32>
    %330 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %331 = "stablehlo.broadcast_in_dim"(%330) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x6xf32>
    %332 = "stablehlo.multiply"(%331, %329) : (tensor<16x6xf32>, tensor<16x6xf32>) -> tensor<16x6xf32>
    %333 = "stablehlo.broadcast_in_dim"(%328) <{broadcast_dimensions = array<i64: 1>}> : (tensor<6xf32>) -> tensor<1x6xf32>
    %334 = "stablehlo.broadcast_in_dim"(%333) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x6xf32>) -> tensor<16x6xf32>
    %335 = "stablehlo.add"(%334, %332) : (tensor<16x6xf32>, tensor<16x6xf32>) -> tensor<16x6xf32>
    %336 = "stablehlo.reshape"(%335) : (tensor<16x6xf32>) -> tensor<4x4x6xf32>
    %337 = "stablehlo.reshape"(%307) : (tensor<4x4x5xf32>) -> tensor<16x5xf32>
    %338 = "stablehlo.transpose"(%arg27) <{permutation = array<i64: 1, 0>}> : (tensor<6x5xf32>) -> tensor<5x6xf32>
    %339 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %340 = "stablehlo.broadcast_in_dim"(%339) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6xf32>
    %341 = "stablehlo.multiply"(%310, %340) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %342 = "stablehlo.dot_general"(%337, %338) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<16x5xf32>, tensor<5x6xf32>) -> tensor<16x6xf32>
    %343 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %344 = "stablehlo.broadcast_in_dim"(%343) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x6xf32>
    %345 = "stablehlo.multiply"(%344, %342) : (tensor<16x6xf32>, tensor<16x6xf32>) -> tensor<16x6xf32>
    %346 = "stablehlo.broadcast_in_dim"(%341) <{broadcast_dimensions = array<i64: 1>}> : (tensor<6xf32>) -> tensor<1x6xf32>
    %347 = "stablehlo.broadcast_in_dim"(%346) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x6xf32>) -> tensor<16x6xf32>
    %348 = "stablehlo.add"(%347, %345) : (tensor<16x6xf32>, tensor<16x6xf32>) -> tensor<16x6xf32>
    %349 = "stablehlo.reshape"(%348) : (tensor<16x6xf32>) -> tensor<4x4x6xf32>
    %350 = "stablehlo.reshape"(%323) : (tensor<3x4x6xf32>) -> tensor<3x8x3xf32>
    %351 = "stablehlo.transpose"(%350) <{permutation = array<i64: 1, 0, 2>}> : (tensor<3x8x3xf32>) -> tensor<8x3x3xf32>
    %352 = "stablehlo.reshape"(%336) : (tensor<4x4x6xf32>) -> tensor<4x8x3xf32>
    %353 = "stablehlo.transpose"(%352) <{permutation = array<i64: 1, 0, 2>}> : (tensor<4x8x3xf32>) -> tensor<8x4x3xf32>
    %354 = "stablehlo.reshape"(%349) : (tensor<4x4x6xf32>) -> tensor<4x8x3xf32>
    %355 = "stablehlo.transpose"(%354) <{permutation = array<i64: 1, 0, 2>}> : (tensor<4x8x3xf32>) -> tensor<8x4x3xf32>
    %356 = "stablehlo.reshape"(%351) : (tensor<8x3x3xf32>) -> tensor<4x2x3x3xf32>
    %357 = "stablehlo.reshape"(%353) : (tensor<8x4x3xf32>) -> tensor<4x2x4x3xf32>
    %358 = "stablehlo.reshape"(%355) : (tensor<8x4x3xf32>) -> tensor<4x2x4x3xf32>
    %359 = "stablehlo.constant"() <{value = dense<0.75983566> : tensor<f32>}> : () -> tensor<f32>
    %360 = "stablehlo.broadcast_in_dim"(%359) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x2x3x3xf32>
    %361 = "stablehlo.multiply"(%356, %360) : (tensor<4x2x3x3xf32>, tensor<4x2x3x3xf32>) -> tensor<4x2x3x3xf32>
    %362 = "stablehlo.transpose"(%357) <{permutation = array<i64: 0, 1, 3, 2>}> : (tensor<4x2x4x3xf32>) -> tensor<4x2x3x4xf32>
    %363 = "stablehlo.constant"() <{value = dense<0.75983566> : tensor<f32>}> : () -> tensor<f32>
    %364 = "stablehlo.broadcast_in_dim"(%363) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x2x3x4xf32>
    %365 = "stablehlo.multiply"(%362, %364) : (tensor<4x2x3x4xf32>, tensor<4x2x3x4xf32>) -> tensor<4x2x3x4xf32>
    %366 = "stablehlo.reshape"(%361) : (tensor<4x2x3x3xf32>) -> tensor<8x3x3xf32>
    %367 = "stablehlo.reshape"(%365) : (tensor<4x2x3x4xf32>) -> tensor<8x3x4xf32>
    %368 = "stablehlo.dot_general"(%366, %367) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x3x3xf32>, tensor<8x3x4xf32>) -> tensor<8x3x4xf32>
    %369 = "stablehlo.reshape"(%368) : (tensor<8x3x4xf32>) -> tensor<4x2x3x4xf32>
    %370 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %371 = "stablehlo.reduce"(%369, %370) <{dimensions = array<i64: 3>}> ({
    ^bb0(%arg75: tensor<f32>, %arg76: tensor<f32>):
      %619 = "stablehlo.maximum"(%arg75, %arg76) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%619) : (tensor<f32>) -> ()
    }) : (tensor<4x2x3x4xf32>, tensor<f32>) -> tensor<4x2x3xf32>
    %372 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %373 = "stablehlo.broadcast_in_dim"(%372) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x2x3xf32>
    %374 = "stablehlo.maximum"(%373, %371) : (tensor<4x2x3xf32>, tensor<4x2x3xf32>) -> tensor<4x2x3xf32>
    %375 = "stablehlo.broadcast_in_dim"(%374) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x2x3xf32>) -> tensor<4x2x3x1xf32>
    %376 = "stablehlo.broadcast_in_dim"(%375) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<4x2x3x1xf32>) -> tensor<4x2x3x4xf32>
    %377 = "stablehlo.subtract"(%369, %376) : (tensor<4x2x3x4xf32>, tensor<4x2x3x4xf32>) -> tensor<4x2x3x4xf32>
    %378 = "stablehlo.exponential"(%377) : (tensor<4x2x3x4xf32>) -> tensor<4x2x3x4xf32>
    %379 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %380 = "stablehlo.reduce"(%378, %379) <{dimensions = array<i64: 3>}> ({
    ^bb0(%arg73: tensor<f32>, %arg74: tensor<f32>):
      %618 = "stablehlo.add"(%arg73, %arg74) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%618) : (tensor<f32>) -> ()
    }) : (tensor<4x2x3x4xf32>, tensor<f32>) -> tensor<4x2x3xf32>
    %381 = "stablehlo.broadcast_in_dim"(%380) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x2x3xf32>) -> tensor<4x2x3x1xf32>
    %382 = "stablehlo.broadcast_in_dim"(%381) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<4x2x3x1xf32>) -> tensor<4x2x3x4xf32>
    %383 = "stablehlo.divide"(%378, %382) : (tensor<4x2x3x4xf32>, tensor<4x2x3x4xf32>) -> tensor<4x2x3x4xf32>
    %384 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %385 = "stablehlo.broadcast_in_dim"(%384) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x2x3x4xf32>
    %386 = "stablehlo.compare"(%369, %385) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<4x2x3x4xf32>, tensor<4x2x3x4xf32>) -> tensor<4x2x3x4xi1>
    %387 = "stablehlo.not"(%386) : (tensor<4x2x3x4xi1>) -> tensor<4x2x3x4xi1>
    %388 = "stablehlo.constant"() <{value = dense<false> : tensor<i1>}> : () -> tensor<i1>
    %389 = "stablehlo.reduce"(%387, %388) <{dimensions = array<i64: 3>}> ({
    ^bb0(%arg71: tensor<i1>, %arg72: tensor<i1>):
      %617 = "stablehlo.or"(%arg71, %arg72) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%617) : (tensor<i1>) -> ()
    }) : (tensor<4x2x3x4xi1>, tensor<i1>) -> tensor<4x2x3xi1>
    %390 = "stablehlo.broadcast_in_dim"(%389) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x2x3xi1>) -> tensor<4x2x3x1xi1>
    %391 = "stablehlo.not"(%390) : (tensor<4x2x3x1xi1>) -> tensor<4x2x3x1xi1>
    %392 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %393 = "stablehlo.broadcast_in_dim"(%392) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x2x3x4xf32>
    %394 = "func.call"(%391, %393, %383) <{callee = @_where_2}> : (tensor<4x2x3x1xi1>, tensor<4x2x3x4xf32>, tensor<4x2x3x4xf32>) -> tensor<4x2x3x4xf32>
    %395 = "stablehlo.reshape"(%394) : (tensor<4x2x3x4xf32>) -> tensor<8x3x4xf32>
    %396 = "stablehlo.reshape"(%358) : (tensor<4x2x4x3xf32>) -> tensor<8x4x3xf32>
    %397 = "stablehlo.dot_general"(%395, %396) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x3x4xf32>, tensor<8x4x3xf32>) -> tensor<8x3x3xf32>
    %398 = "stablehlo.reshape"(%397) : (tensor<8x3x3xf32>) -> tensor<4x2x3x3xf32>
    %399 = "stablehlo.transpose"(%398) <{permutation = array<i64: 2, 0, 1, 3>}> : (tensor<4x2x3x3xf32>) -> tensor<3x4x2x3xf32>
    %400 = "stablehlo.reshape"(%399) : (tensor<3x4x2x3xf32>) -> tensor<12x6xf32>
    %401 = "stablehlo.transpose"(%arg25) <{permutation = array<i64: 1, 0>}> : (tensor<6x6xf32>) -> tensor<6x6xf32>
    %402 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %403 = "stablehlo.broadcast_in_dim"(%402) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6xf32>
    %404 = "stablehlo.multiply"(%arg24, %403) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %405 = "stablehlo.dot_general"(%400, %401) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<12x6xf32>, tensor<6x6xf32>) -> tensor<12x6xf32>
    %406 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %407 = "stablehlo.broadcast_in_dim"(%406) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<12x6xf32>
    %408 = "stablehlo.multiply"(%407, %405) : (tensor<12x6xf32>, tensor<12x6xf32>) -> tensor<12x6xf32>
    %409 = "stablehlo.broadcast_in_dim"(%404) <{broadcast_dimensions = array<i64: 1>}> : (tensor<6xf32>) -> tensor<1x6xf32>
    %410 = "stablehlo.broadcast_in_dim"(%409) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x6xf32>) -> tensor<12x6xf32>
    %411 = "stablehlo.add"(%410, %408) : (tensor<12x6xf32>, tensor<12x6xf32>) -> tensor<12x6xf32>
    %412 = "stablehlo.reshape"(%411) : (tensor<12x6xf32>) -> tensor<3x4x6xf32>
    %413 = "stablehlo.transpose"(%412) <{permutation = array<i64: 1, 0, 2>}> : (tensor<3x4x6xf32>) -> tensor<4x3x6xf32>
    %414 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %415 = "stablehlo.reduce"(%413, %414) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg69: tensor<f32>, %arg70: tensor<f32>):
      %616 = "stablehlo.add"(%arg69, %arg70) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%616) : (tensor<f32>) -> ()
    }) : (tensor<4x3x6xf32>, tensor<f32>) -> tensor<4x6xf32>
    %416 = "stablehlo.broadcast_in_dim"(%415) <{broadcast_dimensions = array<i64: 0, 2>}> : (tensor<4x6xf32>) -> tensor<4x1x6xf32>
    %417 = "stablehlo.constant"() <{value = dense<3.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %418 = "stablehlo.broadcast_in_dim"(%417) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x1x6xf32>
    %419 = "stablehlo.divide"(%416, %418) : (tensor<4x1x6xf32>, tensor<4x1x6xf32>) -> tensor<4x1x6xf32>
    %420 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %421 = "stablehlo.broadcast_in_dim"(%420) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x1x6xf32>
    %422 = "stablehlo.multiply"(%419, %421) : (tensor<4x1x6xf32>, tensor<4x1x6xf32>) -> tensor<4x1x6xf32>
    %423 = "stablehlo.broadcast_in_dim"(%422) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x1x6xf32>) -> tensor<4x4x6xf32>
    %424 = "stablehlo.add"(%301, %423) : (tensor<4x4x6xf32>, tensor<4x4x6xf32>) -> tensor<4x4x6xf32>
    %425 = "stablehlo.dot_general"(%arg44, %arg39) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x4x6xf32>, tensor<18x6xf32>) -> tensor<4x4x18xf32>
    %426 = "stablehlo.broadcast_in_dim"(%arg38) <{broadcast_dimensions = array<i64: 2>}> : (tensor<18xf32>) -> tensor<1x1x18xf32>
    %427 = "stablehlo.broadcast_in_dim"(%426) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x18xf32>) -> tensor<4x4x18xf32>
    %428 = "stablehlo.add"(%425, %427) : (tensor<4x4x18xf32>, tensor<4x4x18xf32>) -> tensor<4x4x18xf32>
    %429 = "stablehlo.slice"(%428) <{limit_indices = array<i64: 4, 4, 6>, start_indices = array<i64: 0, 0, 0>, strides = array<i64: 1, 1, 1>}> : (tensor<4x4x18xf32>) -> tensor<4x4x6xf32>
    %430 = "stablehlo.slice"(%428) <{limit_indices = array<i64: 4, 4, 12>, start_indices = array<i64: 0, 0, 6>, strides = array<i64: 1, 1, 1>}> : (tensor<4x4x18xf32>) -> tensor<4x4x6xf32>
    %431 = "stablehlo.slice"(%428) <{limit_indices = array<i64: 4, 4, 18>, start_indices = array<i64: 0, 0, 12>, strides = array<i64: 1, 1, 1>}> : (tensor<4x4x18xf32>) -> tensor<4x4x6xf32>
    %432 = "stablehlo.constant"() <{value = dense<0.638943076> : tensor<f32>}> : () -> tensor<f32>
    %433 = "stablehlo.broadcast_in_dim"(%432) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x4x6xf32>
    %434 = "stablehlo.multiply"(%429, %433) : (tensor<4x4x6xf32>, tensor<4x4x6xf32>) -> tensor<4x4x6xf32>
    %435 = "stablehlo.transpose"(%430) <{permutation = array<i64: 0, 2, 1>}> : (tensor<4x4x6xf32>) -> tensor<4x6x4xf32>
    %436 = "stablehlo.constant"() <{value = dense<0.638943076> : tensor<f32>}> : () -> tensor<f32>
    %437 = "stablehlo.broadcast_in_dim"(%436) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x6x4xf32>
    %438 = "stablehlo.multiply"(%435, %437) : (tensor<4x6x4xf32>, tensor<4x6x4xf32>) -> tensor<4x6x4xf32>
    %439 = "stablehlo.dot_general"(%434, %438) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x4x6xf32>, tensor<4x6x4xf32>) -> tensor<4x4x4xf32>
    %440 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %441 = "stablehlo.reduce"(%439, %440) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg67: tensor<f32>, %arg68: tensor<f32>):
      %615 = "stablehlo.maximum"(%arg67, %arg68) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%615) : (tensor<f32>) -> ()
    }) : (tensor<4x4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
    %442 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %443 = "stablehlo.broadcast_in_dim"(%442) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x4xf32>
    %444 = "stablehlo.maximum"(%443, %441) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %445 = "stablehlo.broadcast_in_dim"(%444) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x4xf32>) -> tensor<4x4x1xf32>
    %446 = "stablehlo.broadcast_in_dim"(%445) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x4x1xf32>) -> tensor<4x4x4xf32>
    %447 = "stablehlo.subtract"(%439, %446) : (tensor<4x4x4xf32>, tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
    %448 = "stablehlo.exponential"(%447) : (tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
    %449 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %450 = "stablehlo.reduce"(%448, %449) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg65: tensor<f32>, %arg66: tensor<f32>):
      %614 = "stablehlo.add"(%arg65, %arg66) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%614) : (tensor<f32>) -> ()
    }) : (tensor<4x4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
    %451 = "stablehlo.broadcast_in_dim"(%450) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x4xf32>) -> tensor<4x4x1xf32>
    %452 = "stablehlo.broadcast_in_dim"(%451) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x4x1xf32>) -> tensor<4x4x4xf32>
    %453 = "stablehlo.divide"(%448, %452) : (tensor<4x4x4xf32>, tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
    %454 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %455 = "stablehlo.broadcast_in_dim"(%454) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x4x4xf32>
    %456 = "stablehlo.compare"(%439, %455) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<4x4x4xf32>, tensor<4x4x4xf32>) -> tensor<4x4x4xi1>
    %457 = "stablehlo.not"(%456) : (tensor<4x4x4xi1>) -> tensor<4x4x4xi1>
    %458 = "stablehlo.constant"() <{value = dense<false> : tensor<i1>}> : () -> tensor<i1>
    %459 = "stablehlo.reduce"(%457, %458) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg63: tensor<i1>, %arg64: tensor<i1>):
      %613 = "stablehlo.or"(%arg63, %arg64) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%613) : (tensor<i1>) -> ()
    }) : (tensor<4x4x4xi1>, tensor<i1>) -> tensor<4x4xi1>
    %460 = "stablehlo.broadcast_in_dim"(%459) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x4xi1>) -> tensor<4x4x1xi1>
    %461 = "stablehlo.not"(%460) : (tensor<4x4x1xi1>) -> tensor<4x4x1xi1>
    %462 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %463 = "stablehlo.broadcast_in_dim"(%462) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x4x4xf32>
    %464 = "func.call"(%461, %463, %453) <{callee = @_where_3}> : (tensor<4x4x1xi1>, tensor<4x4x4xf32>, tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
    %465 = "stablehlo.dot_general"(%464, %431) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x4x4xf32>, tensor<4x4x6xf32>) -> tensor<4x4x6xf32>
    %466 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %467 = "stablehlo.broadcast_in_dim"(%466) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x4x6xf32>
    %468 = "stablehlo.multiply"(%465, %467) : (tensor<4x4x6xf32>, tensor<4x4x6xf32>) -> tensor<4x4x6xf32>
    %469 = "stablehlo.add"(%424, %468) : (tensor<4x4x6xf32>, tensor<4x4x6xf32>) -> tensor<4x4x6xf32>
    %470 = "stablehlo.constant"() <{value = dense<-8.366600e-01> : tensor<f32>}> : () -> tensor<f32>
    %471 = "stablehlo.broadcast_in_dim"(%470) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x4x6xf32>
    %472 = "stablehlo.multiply"(%431, %471) : (tensor<4x4x6xf32>, tensor<4x4x6xf32>) -> tensor<4x4x6xf32>
    %473 = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>
    %474 = "stablehlo.broadcast_in_dim"(%473) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<4x4xi1>
    %475 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<4xi32>
    %476 = "stablehlo.broadcast_in_dim"(%475) <{broadcast_dimensions = array<i64: 1>}> : (tensor<4xi32>) -> tensor<1x4xi32>
    %477 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<4xi32>
    %478 = "stablehlo.broadcast_in_dim"(%477) <{broadcast_dimensions = array<i64: 0>}> : (tensor<4xi32>) -> tensor<4x1xi32>
    %479 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %480 = "stablehlo.broadcast_in_dim"(%479) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4x1xi32>
    %481 = "stablehlo.multiply"(%478, %480) : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x1xi32>
    %482 = "stablehlo.broadcast_in_dim"(%476) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x4xi32>) -> tensor<4x4xi32>
    %483 = "stablehlo.broadcast_in_dim"(%481) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x1xi32>) -> tensor<4x4xi32>
    %484 = "stablehlo.subtract"(%482, %483) : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi32>
    %485 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %486 = "stablehlo.broadcast_in_dim"(%485) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4x4xi32>
    %487 = "stablehlo.compare"(%484, %486) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LE>}> : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
    %488 = "stablehlo.and"(%487, %474) : (tensor<4x4xi1>, tensor<4x4xi1>) -> tensor<4x4xi1>
    %489 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %490 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %491 = "func.call"(%488, %489, %490) <{callee = @_where_4}> : (tensor<4x4xi1>, tensor<f32>, tensor<f32>) -> tensor<4x4xf32>
    %492 = "stablehlo.transpose"(%429) <{permutation = array<i64: 0, 2, 1>}> : (tensor<4x4x6xf32>) -> tensor<4x6x4xf32>
    %493 = "stablehlo.constant"() <{value = dense<8.366600e-01> : tensor<f32>}> : () -> tensor<f32>
    %494 = "stablehlo.broadcast_in_dim"(%493) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x6x4xf32>
    %495 = "stablehlo.multiply"(%492, %494) : (tensor<4x6x4xf32>, tensor<4x6x4xf32>) -> tensor<4x6x4xf32>
    %496 = "stablehlo.dot_general"(%472, %495) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x4x6xf32>, tensor<4x6x4xf32>) -> tensor<4x4x4xf32>
    %497 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %498 = "stablehlo.broadcast_in_dim"(%497) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x4xf32>
    %499 = "stablehlo.multiply"(%491, %498) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %500 = "stablehlo.broadcast_in_dim"(%499) <{broadcast_dimensions = array<i64: 1, 2>}> : (tensor<4x4xf32>) -> tensor<1x4x4xf32>
    %501 = "stablehlo.broadcast_in_dim"(%500) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x4x4xf32>) -> tensor<4x4x4xf32>
    %502 = "stablehlo.add"(%496, %501) : (tensor<4x4x4xf32>, tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
    %503 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %504 = "stablehlo.reduce"(%502, %503) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg61: tensor<f32>, %arg62: tensor<f32>):
      %612 = "stablehlo.maximum"(%arg61, %arg62) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%612) : (tensor<f32>) -> ()
    }) : (tensor<4x4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
    %505 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %506 = "stablehlo.broadcast_in_dim"(%505) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x4xf32>
    %507 = "stablehlo.maximum"(%506, %504) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %508 = "stablehlo.broadcast_in_dim"(%507) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x4xf32>) -> tensor<4x4x1xf32>
    %509 = "stablehlo.broadcast_in_dim"(%508) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x4x1xf32>) -> tensor<4x4x4xf32>
    %510 = "stablehlo.subtract"(%502, %509) : (tensor<4x4x4xf32>, tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
    %511 = "stablehlo.exponential"(%510) : (tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
    %512 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %513 = "stablehlo.reduce"(%511, %512) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg59: tensor<f32>, %arg60: tensor<f32>):
      %611 = "stablehlo.add"(%arg59, %arg60) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%611) : (tensor<f32>) -> ()
    }) : (tensor<4x4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
    %514 = "stablehlo.broadcast_in_dim"(%513) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x4xf32>) -> tensor<4x4x1xf32>
    %515 = "stablehlo.broadcast_in_dim"(%514) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x4x1xf32>) -> tensor<4x4x4xf32>
    %516 = "stablehlo.divide"(%511, %515) : (tensor<4x4x4xf32>, tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
    %517 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %518 = "stablehlo.broadcast_in_dim"(%517) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x4x4xf32>
    %519 = "stablehlo.compare"(%502, %518) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<4x4x4xf32>, tensor<4x4x4xf32>) -> tensor<4x4x4xi1>
    %520 = "stablehlo.not"(%519) : (tensor<4x4x4xi1>) -> tensor<4x4x4xi1>
    %521 = "stablehlo.constant"() <{value = dense<false> : tensor<i1>}> : () -> tensor<i1>
    %522 = "stablehlo.reduce"(%520, %521) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg57: tensor<i1>, %arg58: tensor<i1>):
      %610 = "stablehlo.or"(%arg57, %arg58) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%610) : (tensor<i1>) -> ()
    }) : (tensor<4x4x4xi1>, tensor<i1>) -> tensor<4x4xi1>
    %523 = "stablehlo.broadcast_in_dim"(%522) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x4xi1>) -> tensor<4x4x1xi1>
    %524 = "stablehlo.not"(%523) : (tensor<4x4x1xi1>) -> tensor<4x4x1xi1>
    %525 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %526 = "stablehlo.broadcast_in_dim"(%525) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x4x4xf32>
    %527 = "func.call"(%524, %526, %516) <{callee = @_where_3}> : (tensor<4x4x1xi1>, tensor<4x4x4xf32>, tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
    %528 = "stablehlo.dot_general"(%527, %430) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x4x4xf32>, tensor<4x4x6xf32>) -> tensor<4x4x6xf32>
    %529 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %530 = "stablehlo.broadcast_in_dim"(%529) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x4x6xf32>
    %531 = "stablehlo.multiply"(%528, %530) : (tensor<4x4x6xf32>, tensor<4x4x6xf32>) -> tensor<4x4x6xf32>
    %532 = "stablehlo.add"(%469, %531) : (tensor<4x4x6xf32>, tensor<4x4x6xf32>) -> tensor<4x4x6xf32>
    %533 = "stablehlo.broadcast_in_dim"(%arg45) <{broadcast_dimensions = array<i64: 0, 2>}> : (tensor<4x4xi1>) -> tensor<4x1x4xi1>
    %534 = "stablehlo.not"(%533) : (tensor<4x1x4xi1>) -> tensor<4x1x4xi1>
    %535 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %536 = "stablehlo.broadcast_in_dim"(%535) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x1x4xf32>
    %537 = "stablehlo.not"(%534) : (tensor<4x1x4xi1>) -> tensor<4x1x4xi1>
    %538 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %539 = "func.call"(%537, %538, %536) <{callee = @_where_5}> : (tensor<4x1x4xi1>, tensor<f32>, tensor<4x1x4xf32>) -> tensor<4x1x4xf32>
    %540 = "stablehlo.constant"() <{value = dense<0.638943076> : tensor<f32>}> : () -> tensor<f32>
    %541 = "stablehlo.broadcast_in_dim"(%540) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x4x6xf32>
    %542 = "stablehlo.multiply"(%430, %541) : (tensor<4x4x6xf32>, tensor<4x4x6xf32>) -> tensor<4x4x6xf32>
    %543 = "stablehlo.transpose"(%431) <{permutation = array<i64: 0, 2, 1>}> : (tensor<4x4x6xf32>) -> tensor<4x6x4xf32>
    %544 = "stablehlo.constant"() <{value = dense<0.638943076> : tensor<f32>}> : () -> tensor<f32>
    %545 = "stablehlo.broadcast_in_dim"(%544) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x6x4xf32>
    %546 = "stablehlo.multiply"(%543, %545) : (tensor<4x6x4xf32>, tensor<4x6x4xf32>) -> tensor<4x6x4xf32>
    %547 = "stablehlo.dot_general"(%542, %546) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x4x6xf32>, tensor<4x6x4xf32>) -> tensor<4x4x4xf32>
    %548 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %549 = "stablehlo.broadcast_in_dim"(%548) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x1x4xf32>
    %550 = "stablehlo.multiply"(%539, %549) : (tensor<4x1x4xf32>, tensor<4x1x4xf32>) -> tensor<4x1x4xf32>
    %551 = "stablehlo.broadcast_in_dim"(%550) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x1x4xf32>) -> tensor<4x4x4xf32>
    %552 = "stablehlo.add"(%547, %551) : (tensor<4x4x4xf32>, tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
    %553 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %554 = "stablehlo.reduce"(%552, %553) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg55: tensor<f32>, %arg56: tensor<f32>):
      %609 = "stablehlo.maximum"(%arg55, %arg56) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%609) : (tensor<f32>) -> ()
    }) : (tensor<4x4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
    %555 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %556 = "stablehlo.broadcast_in_dim"(%555) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x4xf32>
    %557 = "stablehlo.maximum"(%556, %554) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %558 = "stablehlo.broadcast_in_dim"(%557) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x4xf32>) -> tensor<4x4x1xf32>
    %559 = "stablehlo.broadcast_in_dim"(%558) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x4x1xf32>) -> tensor<4x4x4xf32>
    %560 = "stablehlo.subtract"(%552, %559) : (tensor<4x4x4xf32>, tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
    %561 = "stablehlo.exponential"(%560) : (tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
    %562 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %563 = "stablehlo.reduce"(%561, %562) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg53: tensor<f32>, %arg54: tensor<f32>):
      %608 = "stablehlo.add"(%arg53, %arg54) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%608) : (tensor<f32>) -> ()
    }) : (tensor<4x4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
    %564 = "stablehlo.broadcast_in_dim"(%563) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x4xf32>) -> tensor<4x4x1xf32>
    %565 = "stablehlo.broadcast_in_dim"(%564) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x4x1xf32>) -> tensor<4x4x4xf32>
    %566 = "stablehlo.divide"(%561, %565) : (tensor<4x4x4xf32>, tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
    %567 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %568 = "stablehlo.broadcast_in_dim"(%567) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x4x4xf32>
    %569 = "stablehlo.compare"(%552, %568) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<4x4x4xf32>, tensor<4x4x4xf32>) -> tensor<4x4x4xi1>
    %570 = "stablehlo.not"(%569) : (tensor<4x4x4xi1>) -> tensor<4x4x4xi1>
    %571 = "stablehlo.constant"() <{value = dense<false> : tensor<i1>}> : () -> tensor<i1>
    %572 = "stablehlo.reduce"(%570, %571) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg51: tensor<i1>, %arg52: tensor<i1>):
      %607 = "stablehlo.or"(%arg51, %arg52) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%607) : (tensor<i1>) -> ()
    }) : (tensor<4x4x4xi1>, tensor<i1>) -> tensor<4x4xi1>
    %573 = "stablehlo.broadcast_in_dim"(%572) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x4xi1>) -> tensor<4x4x1xi1>
    %574 = "stablehlo.not"(%573) : (tensor<4x4x1xi1>) -> tensor<4x4x1xi1>
    %575 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %576 = "stablehlo.broadcast_in_dim"(%575) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x4x4xf32>
    %577 = "func.call"(%574, %576, %566) <{callee = @_where_3}> : (tensor<4x4x1xi1>, tensor<4x4x4xf32>, tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
    %578 = "stablehlo.dot_general"(%577, %429) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x4x4xf32>, tensor<4x4x6xf32>) -> tensor<4x4x6xf32>
    %579 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %580 = "stablehlo.broadcast_in_dim"(%579) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x4x6xf32>
    %581 = "stablehlo.multiply"(%578, %580) : (tensor<4x4x6xf32>, tensor<4x4x6xf32>) -> tensor<4x4x6xf32>
    %582 = "stablehlo.add"(%532, %581) : (tensor<4x4x6xf32>, tensor<4x4x6xf32>) -> tensor<4x4x6xf32>
    %583 = "stablehlo.tanh"(%582) : (tensor<4x4x6xf32>) -> tensor<4x4x6xf32>
    %584 = "stablehlo.dot_general"(%583, %arg33) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x4x6xf32>, tensor<1x6xf32>) -> tensor<4x4x1xf32>
    %585 = "stablehlo.broadcast_in_dim"(%arg32) <{broadcast_dimensions = array<i64: 2>}> : (tensor<1xf32>) -> tensor<1x1x1xf32>
    %586 = "stablehlo.broadcast_in_dim"(%585) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x1xf32>) -> tensor<4x4x1xf32>
    %587 = "stablehlo.add"(%584, %586) : (tensor<4x4x1xf32>, tensor<4x4x1xf32>) -> tensor<4x4x1xf32>
    %588 = "stablehlo.reshape"(%587) : (tensor<4x4x1xf32>) -> tensor<4x4xf32>
    %589 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %590 = "stablehlo.reduce"(%588, %589) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg49: tensor<f32>, %arg50: tensor<f32>):
      %606 = "stablehlo.add"(%arg49, %arg50) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%606) : (tensor<f32>) -> ()
    }) : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
    %591 = "stablehlo.constant"() <{value = dense<4.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %592 = "stablehlo.broadcast_in_dim"(%591) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4xf32>
    %593 = "stablehlo.divide"(%590, %592) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %594 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %595 = "stablehlo.broadcast_in_dim"(%594) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4xf32>
    %596 = "stablehlo.multiply"(%arg46, %595) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %597 = "stablehlo.subtract"(%593, %596) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %598 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %599 = "stablehlo.broadcast_in_dim"(%598) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4xf32>
    %600 = "stablehlo.power"(%597, %599) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %601 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %602 = "stablehlo.reduce"(%600, %601) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg47: tensor<f32>, %arg48: tensor<f32>):
      %605 = "stablehlo.add"(%arg47, %arg48) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%605) : (tensor<f32>) -> ()
    }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %603 = "stablehlo.constant"() <{value = dense<4.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %604 = "stablehlo.divide"(%602, %603) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "func.return"(%604) : (tensor<f32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<4x4xf32>) -> tensor<4x4xf32>, res_attrs = [{}], sym_name = "triu", sym_visibility = "private"}> ({
  ^bb0(%arg21: tensor<4x4xf32> loc(unknown)):
    %17 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<4x4xi32>
    %18 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %19 = "stablehlo.broadcast_in_dim"(%18) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4x4xi32>
    %20 = "stablehlo.add"(%17, %19) : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi32>
    %21 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<4x4xi32>
    %22 = "stablehlo.compare"(%20, %21) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
    %23 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %24 = "stablehlo.broadcast_in_dim"(%23) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x4xf32>
    %25 = "stablehlo.select"(%22, %24, %arg21) : (tensor<4x4xi1>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    "func.return"(%25) : (tensor<4x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<4x2x4x1xi1>, tensor<4x2x4x4xf32>, tensor<4x2x4x4xf32>) -> tensor<4x2x4x4xf32>, res_attrs = [{}], sym_name = "_where", sym_visibility = "private"}> ({
  ^bb0(%arg18: tensor<4x2x4x1xi1> loc(unknown), %arg19: tensor<4x2x4x4xf32> loc(unknown), %arg20: tensor<4x2x4x4xf32> loc(unknown)):
    %15 = "stablehlo.broadcast_in_dim"(%arg18) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<4x2x4x1xi1>) -> tensor<4x2x4x4xi1>
    %16 = "stablehlo.select"(%15, %arg19, %arg20) : (tensor<4x2x4x4xi1>, tensor<4x2x4x4xf32>, tensor<4x2x4x4xf32>) -> tensor<4x2x4x4xf32>
    "func.return"(%16) : (tensor<4x2x4x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<4x4xi1>, tensor<f32>, tensor<4x4xf32>) -> tensor<4x4xf32>, res_attrs = [{}], sym_name = "_where_0", sym_visibility = "private"}> ({
  ^bb0(%arg15: tensor<4x4xi1> loc(unknown), %arg16: tensor<f32> loc(unknown), %arg17: tensor<4x4xf32> loc(unknown)):
    %12 = "stablehlo.convert"(%arg16) : (tensor<f32>) -> tensor<f32>
    %13 = "stablehlo.broadcast_in_dim"(%12) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x4xf32>
    %14 = "stablehlo.select"(%arg15, %13, %arg17) : (tensor<4x4xi1>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    "func.return"(%14) : (tensor<4x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<4x3x4x1xi1>, tensor<4x3x4x4xf32>, tensor<4x3x4x4xf32>) -> tensor<4x3x4x4xf32>, res_attrs = [{}], sym_name = "_where_1", sym_visibility = "private"}> ({
  ^bb0(%arg12: tensor<4x3x4x1xi1> loc(unknown), %arg13: tensor<4x3x4x4xf32> loc(unknown), %arg14: tensor<4x3x4x4xf32> loc(unknown)):
    %10 = "stablehlo.broadcast_in_dim"(%arg12) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<4x3x4x1xi1>) -> tensor<4x3x4x4xi1>
    %11 = "stablehlo.select"(%10, %arg13, %arg14) : (tensor<4x3x4x4xi1>, tensor<4x3x4x4xf32>, tensor<4x3x4x4xf32>) -> tensor<4x3x4x4xf32>
    "func.return"(%11) : (tensor<4x3x4x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<4x2x3x1xi1>, tensor<4x2x3x4xf32>, tensor<4x2x3x4xf32>) -> tensor<4x2x3x4xf32>, res_attrs = [{}], sym_name = "_where_2", sym_visibility = "private"}> ({
  ^bb0(%arg9: tensor<4x2x3x1xi1> loc(unknown), %arg10: tensor<4x2x3x4xf32> loc(unknown), %arg11: tensor<4x2x3x4xf32> loc(unknown)):
    %8 = "stablehlo.broadcast_in_dim"(%arg9) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<4x2x3x1xi1>) -> tensor<4x2x3x4xi1>
    %9 = "stablehlo.select"(%8, %arg10, %arg11) : (tensor<4x2x3x4xi1>, tensor<4x2x3x4xf32>, tensor<4x2x3x4xf32>) -> tensor<4x2x3x4xf32>
    "func.return"(%9) : (tensor<4x2x3x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<4x4x1xi1>, tensor<4x4x4xf32>, tensor<4x4x4xf32>) -> tensor<4x4x4xf32>, res_attrs = [{}], sym_name = "_where_3", sym_visibility = "private"}> ({
  ^bb0(%arg6: tensor<4x4x1xi1> loc(unknown), %arg7: tensor<4x4x4xf32> loc(unknown), %arg8: tensor<4x4x4xf32> loc(unknown)):
    %6 = "stablehlo.broadcast_in_dim"(%arg6) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x4x1xi1>) -> tensor<4x4x4xi1>
    %7 = "stablehlo.select"(%6, %arg7, %arg8) : (tensor<4x4x4xi1>, tensor<4x4x4xf32>, tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
    "func.return"(%7) : (tensor<4x4x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<4x4xi1>, tensor<f32>, tensor<f32>) -> tensor<4x4xf32>, res_attrs = [{}], sym_name = "_where_4", sym_visibility = "private"}> ({
  ^bb0(%arg3: tensor<4x4xi1> loc(unknown), %arg4: tensor<f32> loc(unknown), %arg5: tensor<f32> loc(unknown)):
    %3 = "stablehlo.broadcast_in_dim"(%arg4) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x4xf32>
    %4 = "stablehlo.broadcast_in_dim"(%arg5) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x4xf32>
    %5 = "stablehlo.select"(%arg3, %3, %4) : (tensor<4x4xi1>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    "func.return"(%5) : (tensor<4x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<4x1x4xi1>, tensor<f32>, tensor<4x1x4xf32>) -> tensor<4x1x4xf32>, res_attrs = [{}], sym_name = "_where_5", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<4x1x4xi1> loc(unknown), %arg1: tensor<f32> loc(unknown), %arg2: tensor<4x1x4xf32> loc(unknown)):
    %0 = "stablehlo.convert"(%arg1) : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.broadcast_in_dim"(%0) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x1x4xf32>
    %2 = "stablehlo.select"(%arg0, %1, %arg2) : (tensor<4x1x4xi1>, tensor<4x1x4xf32>, tensor<4x1x4xf32>) -> tensor<4x1x4xf32>
    "func.return"(%2) : (tensor<4x1x4xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
