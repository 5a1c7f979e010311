"builtin.module"() <{sym_name = "jit_loss"}> ({
  "func.func"() <{arg_attrs = [{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}], function_type = (tensor<8xf32>, tensor<8x12xf32>, tensor<12xf32>, tensor<12x8xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<36xf32>, tensor<36x12xf32>, tensor<12xf32>, tensor<12x12xf32>, tensor<1xf32>, tensor<1x12xf32>, tensor<4x5x12xf32>, tensor<4x5xi1>, tensor<4xf32>) -> tensor<f32>, res_attrs = [{jax.result_info = "result[0]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg16: tensor<8xf32> loc("params['encoder.layers.0.linear1.bias']"), %arg17: tensor<8x12xf32> loc("params['encoder.layers.0.linear1.weight']"), %arg18: tensor<12xf32> loc("params['encoder.layers.0.linear2.bias']"), %arg19: tensor<12x8xf32> loc("params['encoder.layers.0.linear2.weight']"), %arg20: tensor<12xf32> loc("params['encoder.layers.0.norm1.bias']"), %arg21: tensor<12xf32> loc("params['encoder.layers.0.norm1.weight']"), %arg22: tensor<12xf32> loc("params['encoder.layers.0.norm2.bias']"), %arg23: tensor<12xf32> loc("params['encoder.layers.0.norm2.weight']"), %arg24: tensor<36xf32> loc("params['encoder.layers.0.self_attn.in_proj_bias']"), %arg25: tensor<36x12xf32> loc("params['encoder.layers.0.self_attn.in_proj_weight']"), %arg26: tensor<12xf32> loc("params['encoder.layers.0.self_attn.out_proj.bias']"), %arg27: tensor<12x12xf32> loc("params['encoder.layers.0.self_attn.out_proj.weight']"), %arg28: tensor<1xf32> loc("params['out.bias']"), %arg29: tensor<1x12xf32> loc("params['out.weight']"), %arg30: tensor<4x5x12xf32> loc("inputs[0]"), %arg31: tensor<4x5xi1> loc("inputs[1]"), %arg32: tensor<4xf32> loc("inputs[2]")):
    %34 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %35 = "stablehlo.broadcast_in_dim"(%34) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x5xf32>
    %36 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %37 = "func.call"(%arg31, %36, %35) <{callee = @_where}> : (tensor<4x5xi1>, tensor<f32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    %38 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %39 = "stablehlo.reduce"(%arg30, %38) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg45: tensor<f32>, %arg46: tensor<f32>):
      %223 = "stablehlo.add"(%arg45, %arg46) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%223) : (tensor<f32>) -> ()
    }) : (tensor<4x5x12xf32>, tensor<f32>) -> tensor<4x5xf32>
    %40 = "stablehlo.broadcast_in_dim"(%39) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x5xf32>) -> tensor<4x5x1xf32>
    %41 = "stablehlo.constant"() <{value = dense<1.200000e+01> : tensor<f32>}> : () -> tensor<f32>
    %42 = "stablehlo.broadcast_in_dim"(%41) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x5x1xf32>
    %43 = "stablehlo.divide"(%40, %42) : (tensor<4x5x1xf32>, tensor<4x5x1xf32>) -> tensor<4x5x1xf32>
    %44 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %45 = "func.call"(%arg30, %44) <{callee = @_var}> : (tensor<4x5x12xf32>, tensor<i32>) -> tensor<4x5x1xf32>
    %46 = "stablehlo.constant"() <{value = dense<9.99999974E-6> : tensor<f32>}> : () -> tensor<f32>
    %47 = "stablehlo.broadcast_in_dim"(%46) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x5x1xf32>
    %48 = "stablehlo.add"(%45, %47) : (tensor<4x5x1xf32>, tensor<4x5x1xf32>) -> tensor<4x5x1xf32>
    %49 = "stablehlo.rsqrt"(%48) : (tensor<4x5x1xf32>) -> tensor<4x5x1xf32>
    %50 = "stablehlo.broadcast_in_dim"(%43) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x5x1xf32>) -> tensor<4x5x12xf32>
    %51 = "stablehlo.subtract"(%arg30, %50) : (tensor<4x5x12xf32>, tensor<4x5x12xf32>) -> tensor<4x5x12xf32>
    %52 = "stablehlo.broadcast_in_dim"(%49) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x5x1xf32>) -> tensor<4x5x12xf32>
    %53 = "stablehlo.multiply"(%51, %52) : (tensor<4x5x12xf32>, tensor<4x5x12xf32>) -> tensor<4x5x12xf32>
    %54 = "stablehlo.broadcast_in_dim"(%arg21) <{broadcast_dimensions = array<i64: 2>}> : (tensor<12xf32>) -> tensor<1x1x12xf32>
    %55 = "stablehlo.broadcast_in_dim"(%54) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x12xf32>) -> tensor<4x5x12xf32>
    %56 = "stablehlo.multiply"(%53, %55) : (tensor<4x5x12xf32>, tensor<4x5x12xf32>) -> tensor<4x5x12xf32>
    %57 = "stablehlo.broadcast_in_dim"(%arg20) <{broadcast_dimensions = array<i64: 2>}> : (tensor<12xf32>) -> tensor<1x1x12xf32>
    %58 = "stablehlo.broadcast_in_dim"(%57) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x12xf32>) -> tensor<4x5x12xf32>
    %59 = "stablehlo.add"(%56, %58) : (tensor<4x5x12xf32>, tensor<4x5x12xf32>) -> tensor<4x5x12xf32>
    %60 = "stablehlo.transpose"(%59) <{permutation = array<i64: 1, 0, 2>}> : (tensor<4x5x12xf32>) -> tensor<5x4x12xf32>
    %61 = "stablehlo.reshape"(%60) : (tensor<5x4x12xf32>) -> tensor<20x12xf32>
    %62 = "stablehlo.transpose"(%arg25) <{permutation = array<i64: 1, 0>}> : (tensor<36x12xf32>) -> tensor<12x36xf32>
    %63 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %64 = "stablehlo.broadcast_in_dim"(%63) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<36xf32>
    %65 = "stablehlo.multiply"(%arg24, %64) : (tensor<36xf32>, tensor<36xf32>) -> tensor<36xf32>
    %66 = "stablehlo.dot_general"(%61, %62) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<20x12xf32>, tensor<12x36xf32>) -> tensor<20x36xf32>
    %67 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %68 = "stablehlo.broadcast_in_dim"(%67) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<20x36xf32>
    %69 = "stablehlo.multiply"(%68, %66) : (tensor<20x36xf32>, tensor<20x36xf32>) -> tensor<20x36xf32>
    %70 = "stablehlo.broadcast_in_dim"(%65) <{broadcast_dimensions = array<i64: 1>}> : (tensor<36xf32>) -> tensor<1x36xf32>
    %71 = "stablehlo.broadcast_in_dim"(%70) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x36xf32>) -> tensor<20x36xf32>
    %72 = "stablehlo.add"(%71, %69) : (tensor<20x36xf32>, tensor<20x36xf32>) -> tensor<20x36xf32>
    %73 = "stablehlo.reshape"(%72) : (tensor<20x36xf32>) -> tensor<5x4x36xf32>
    %74 = "stablehlo.reshape"(%73) : (tensor<5x4x36xf32>) -> tensor<5x4x3x12xf32>
    %75 = "stablehlo.broadcast_in_dim"(%74) <{broadcast_dimensions = array<i64: 1, 2, 3, 4>}> : (tensor<5x4x3x12xf32>) -> tensor<1x5x4x3x12xf32>
    %76 = "stablehlo.transpose"(%75) <{permutation = array<i64: 3, 1, 2, 0, 4>}> : (tensor<1x5x4x3x12xf32>) -> tensor<3x5x4x1x12xf32>
    %77 = "stablehlo.reshape"(%76) : (tensor<3x5x4x1x12xf32>) -> tensor<3x5x4x12xf32>
    %78 = "stablehlo.slice"(%77) <{limit_indices = array<i64: 1, 5, 4, 12>, start_indices = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>}> : (tensor<3x5x4x12xf32>) -> tensor<1x5x4x12xf32>
    %79 = "stablehlo.reshape"(%78) : (tensor<1x5x4x12xf32>) -> tensor<5x4x12xf32>
    %80 = "stablehlo.slice"(%77) <{limit_indices = array<i64: 2, 5, 4, 12>, start_indices = array<i64: 1, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>}> : (tensor<3x5x4x12xf32>) -> tensor<1x5x4x12xf32>
    %81 = "stablehlo.reshape"(%80) : (tensor<1x5x4x12xf32>) -> tensor<5x4x12xf32>
    %82 = "stablehlo.slice"(%77) <{limit_indices = array<i64: 3, 5, 4, 12>, start_indices = array<i64: 2, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>}> : (tensor<3x5x4x12xf32>) -> tensor<1x5x4x12xf32>
    %83 = "stablehlo.reshape"(%82) : (tensor<1x5x4x12xf32>) -> tensor<5x4x12xf32>
    %84 = "stablehlo.reshape"(%79) : (tensor<5x4x12xf32>) -> tensor<5x12x4xf32>
    %85 = "stablehlo.transpose"(%84) <{permutation = array<i64: 1, 0, 2>}> : (tensor<5x12x4xf32>) -> tensor<12x5x4xf32>
    %86 = "stablehlo.reshape"(%81) : (tensor<5x4x12xf32>) -> tensor<5x12x4xf32>
    %87 = "stablehlo.transpose"(%86) <{permutation = array<i64: 1, 0, 2>}> : (tensor<5x12x4xf32>) -> tensor<12x5x4xf32>
    %88 = "stablehlo.reshape"(%83) : (tensor<5x4x12xf32>) -> tensor<5x12x4xf32>
    %89 = "stablehlo.transpose"(%88) <{permutation = array<i64: 1, 0, 2>}> : (tensor<5x12x4xf32>) -> tensor<12x5x4xf32>
    %90 = "stablehlo.reshape"(%37) : (tensor<4x5xf32>) -> tensor<4x1x1x5xf32>
    %91 = "stablehlo.broadcast_in_dim"(%90) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<4x1x1x5xf32>) -> tensor<4x3x1x5xf32>
    %92 = "stablehlo.reshape"(%91) : (tensor<4x3x1x5xf32>) -> tensor<12x1x5xf32>
    %93 = "stablehlo.reshape"(%92) : (tensor<12x1x5xf32>) -> tensor<4x3x1x5xf32>
    %94 = "stablehlo.reshape"(%85) : (tensor<12x5x4xf32>) -> tensor<4x3x5x4xf32>
    %95 = "stablehlo.reshape"(%87) : (tensor<12x5x4xf32>) -> tensor<4x3x5x4xf32>
    %96 = "stablehlo.reshape"(%89) : (tensor<12x5x4xf32>) -> tensor<4x3x5x4xf32>
    %97 = "stablehlo.constant"() <{value = dense<0.707106769> : tensor<f32>}> : () -> tensor<f32>
    %98 = "stablehlo.broadcast_in_dim"(%97) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x3x5x4xf32>
    %99 = "stablehlo.multiply"(%94, %98) : (tensor<4x3x5x4xf32>, tensor<4x3x5x4xf32>) -> tensor<4x3x5x4xf32>
    %100 = "stablehlo.transpose"(%95) <{permutation = array<i64: 0, 1, 3, 2>}> : (tensor<4x3x5x4xf32>) -> tensor<4x3x4x5xf32>
    %101 = "stablehlo.constant"() <{value = dense<0.707106769> : tensor<f32>}> : () -> tensor<f32>
    %102 = "stablehlo.broadcast_in_dim"(%101) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x3x4x5xf32>
    %103 = "stablehlo.multiply"(%100, %102) : (tensor<4x3x4x5xf32>, tensor<4x3x4x5xf32>) -> tensor<4x3x4x5xf32>
    %104 = "stablehlo.reshape"(%99) : (tensor<4x3x5x4xf32>) -> tensor<12x5x4xf32>
    %105 = "stablehlo.reshape"(%103) : (tensor<4x3x4x5xf32>) -> tensor<12x4x5xf32>
    %106 = "stablehlo.dot_general"(%104, %105) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<12x5x4xf32>, tensor<12x4x5xf32>) -> tensor<12x5x5xf32>
    %107 = "stablehlo.reshape"(%106) : (tensor<12x5x5xf32>) -> tensor<4x3x5x5xf32>
    %108 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %109 = "stablehlo.broadcast_in_dim"(%108) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x3x1x5xf32>
    %110 = "stablehlo.multiply"(%93, %109) : (tensor<4x3x1x5xf32>, tensor<4x3x1x5xf32>) -> tensor<4x3x1x5xf32>
    %111 = "stablehlo.broadcast_in_dim"(%110) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<4x3x1x5xf32>) -> tensor<4x3x5x5xf32>
    %112 = "stablehlo.add"(%107, %111) : (tensor<4x3x5x5xf32>, tensor<4x3x5x5xf32>) -> tensor<4x3x5x5xf32>
    %113 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %114 = "stablehlo.reduce"(%112, %113) <{dimensions = array<i64: 3>}> ({
    ^bb0(%arg43: tensor<f32>, %arg44: tensor<f32>):
      %222 = "stablehlo.maximum"(%arg43, %arg44) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%222) : (tensor<f32>) -> ()
    }) : (tensor<4x3x5x5xf32>, tensor<f32>) -> tensor<4x3x5xf32>
    %115 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %116 = "stablehlo.broadcast_in_dim"(%115) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x3x5xf32>
    %117 = "stablehlo.maximum"(%116, %114) : (tensor<4x3x5xf32>, tensor<4x3x5xf32>) -> tensor<4x3x5xf32>
    %118 = "stablehlo.broadcast_in_dim"(%117) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x3x5xf32>) -> tensor<4x3x5x1xf32>
    %119 = "stablehlo.broadcast_in_dim"(%118) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<4x3x5x1xf32>) -> tensor<4x3x5x5xf32>
    %120 = "stablehlo.subtract"(%112, %119) : (tensor<4x3x5x5xf32>, tensor<4x3x5x5xf32>) -> tensor<4x3x5x5xf32>
    %121 = "stablehlo.exponential"(%120) : (tensor<4x3x5x5xf32>) -> tensor<4x3x5x5xf32>
    %122 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %123 = "stablehlo.reduce"(%121, %122) <{dimensions = array<i64: 3>}> ({
    ^bb0(%arg41: tensor<f32>, %arg42: tensor<f32>):
      %221 = "stablehlo.add"(%arg41, %arg42) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%221) : (tensor<f32>) -> ()
    }) : (tensor<4x3x5x5xf32>, tensor<f32>) -> tensor<4x3x5xf32>
    %124 = "stablehlo.broadcast_in_dim"(%123) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x3x5xf32>) -> tensor<4x3x5x1xf32>
    %125 = "stablehlo.broadcast_in_dim"(%124) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<4x3x5x1xf32>) -> tensor<4x3x5x5xf32>
    %126 = "stablehlo.divide"(%121, %125) : (tensor<4x3x5x5xf32>, tensor<4x3x5x5xf32>) -> tensor<4x3x5x5xf32>
    %127 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %128 = "stablehlo.broadcast_in_dim"(%127) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x3x5x5xf32>
    %129 = "stablehlo.compare"(%112, %128) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<4x3x5x5xf32>, tensor<4x3x5x5xf32>) -> tensor<4x3x5x5xi1>
    %130 = "stablehlo.not"(%129) : (tensor<4x3x5x5xi1>) -> tensor<4x3x5x5xi1>
    %131 = "stablehlo.constant"() <{value = dense<false> : tensor<i1>}> : () -> tensor<i1>
    %132 = "stablehlo.reduce"(%130, %131) <{dimensions = array<i64: 3>}> ({
    ^bb0(%arg39: tensor<i1>, %arg40: tensor<i1>):
      %220 = "stablehlo.or"(%arg39, %arg40) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%220) : (tensor<i1>) -> ()
    }) : (tensor<4x3x5x5xi1>, tensor<i1>) -> tensor<4x3x5xi1>
    %133 = "stablehlo.broadcast_in_dim"(%132) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x3x5xi1>) -> tensor<4x3x5x1xi1>
    %134 = "stablehlo.not"(%133) : (tensor<4x3x5x1xi1>) -> tensor<4x3x5x1xi1>
    %135 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %136 = "stablehlo.broadcast_in_dim"(%135) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x3x5x5xf32>
    %137 = "func.call"(%134, %136, %126) <{callee = @_where_1}> : (tensor<4x3x5x1xi1>, tensor<4x3x5x5xf32>, tensor<4x3x5x5xf32>) -> tensor<4x3x5x5xf32>
    %138 = "stablehlo.reshape"(%137) : (tensor<4x3x5x5xf32>) -> tensor<12x5x5xf32>
    %139 = "stablehlo.reshape"(%96) : (tensor<4x3x5x4xf32>) -> tensor<12x5x4xf32>
    %140 = "stablehlo.dot_general"(%138, %139) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<12x5x5xf32>, tensor<12x5x4xf32>) -> tensor<12x5x4xf32>
    %141 = "stablehlo.reshape"(%140) : (tensor<12x5x4xf32>) -> tensor<4x3x5x4xf32>
    %142 = "stablehlo.transpose"(%141) <{permutation = array<i64: 2, 0, 1, 3>}> : (tensor<4x3x5x4xf32>) -> tensor<5x4x3x4xf32>
    %143 = "stablehlo.reshape"(%142) : (tensor<5x4x3x4xf32>) -> tensor<20x12xf32>
    %144 = "stablehlo.transpose"(%arg27) <{permutation = array<i64: 1, 0>}> : (tensor<12x12xf32>) -> tensor<12x12xf32>
    %145 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %146 = "stablehlo.broadcast_in_dim"(%145) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<12xf32>
    %147 = "stablehlo.multiply"(%arg26, %146) : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xf32>
    %148 = "stablehlo.dot_general"(%143, %144) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<20x12xf32>, tensor<12x12xf32>) -> tensor<20x12xf32>
    %149 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %150 = "stablehlo.broadcast_in_dim"(%149) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<20x12xf32>
    %151 = "stablehlo.multiply"(%150, %148) : (tensor<20x12xf32>, tensor<20x12xf32>) -> tensor<20x12xf32>
    %152 = "stablehlo.broadcast_in_dim"(%147) <{broadcast_dimensions = array<i64: 1>}> : (tensor<12xf32>) -> tensor<1x12xf32>
    %153 = "stablehlo.broadcast_in_dim"(%152) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x12xf32>) -> tensor<20x12xf32>
    %154 = "stablehlo.add"(%153, %151) : (tensor<20x12xf32>, tensor<20x12xf32>) -> tensor<20x12xf32>
    %155 = "stablehlo.reshape"(%154) : (tensor<20x12xf32>) -> tensor<5x4x12xf32>
    %156 = "stablehlo.transpose"(%155) <{permutation = array<i64: 1, 0, 2>}> : (tensor<5x4x12xf32>) -> tensor<4x5x12xf32>
    %157 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %158 = "stablehlo.broadcast_in_dim"(%157) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x5x12xf32>
    %159 = "stablehlo.multiply"(%156, %158) : (tensor<4x5x12xf32>, tensor<4x5x12xf32>) -> tensor<4x5x12xf32>
    %160 = "stablehlo.add"(%arg30, %159) : (tensor<4x5x12xf32>, tensor<4x5x12xf32>) -> tensor<4x5x12xf32>
    %161 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %162 = "stablehlo.reduce"(%160, %161) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg37: tensor<f32>, %arg38: tensor<f32>):
      %219 = "stablehlo.add"(%arg37, %arg38) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%219) : (tensor<f32>) -> ()
    }) : (tensor<4x5x12xf32>, tensor<f32>) -> tensor<4x5xf32>
    %163 = "stablehlo.broadcast_in_dim"(%162) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x5xf32>) -> tensor<4x5x1xf32>
    %164 = "stablehlo.constant"() <{value = dense<1.200000e+01> : tensor<f32>}> : () -> tensor<f32>
    %165 = "stablehlo.broadcast_in_dim"(%164) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x5x1xf32>
    %166 = "stablehlo.divide"(%163, %165) : (tensor<4x5x1xf32>, tensor<4x5x1xf32>) -> tensor<4x5x1xf32>
    %167 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %168 = "func.call"(%160, %167) <{callee = @_var}> : (tensor<4x5x12xf32>, tensor<i32>) -> tensor<4x5x1xf32>
    %169 = "stablehlo.constant"() <{value = dense<9.99999974E-6> : tensor<f32>}> : () -> tensor<f32>
    %170 = "stablehlo.broadcast_in_dim"(%169) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x5x1xf32>
    %171 = "stablehlo.add"(%168, %170) : (tensor<4x5x1xf32>, tensor<4x5x1xf32>) -> tensor<4x5x1xf32>
    %172 = "stablehlo.rsqrt"(%171) : (tensor<4x5x1xf32>) -> tensor<4x5x1xf32>
    %173 = "stablehlo.broadcast_in_dim"(%166) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x5x1xf32>) -> tensor<4x5x12xf32>
    %174 = "stablehlo.subtract"(%160, %173) : (tensor<4x5x12xf32>, tensor<4x5x12xf32>) -> tensor<4x5x12xf32>
    %175 = "stablehlo.broadcast_in_dim"(%172) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x5x1xf32>) -> tensor<4x5x12xf32>
    %176 = "stablehlo.multiply"(%174, %175) : (tensor<4x5x12xf32>, tensor<4x5x12xf32>) -> tensor<4x5x12xf32>
    %177 = "stablehlo.broadcast_in_dim"(%arg23) <{broadcast_dimensions = array<i64: 2>}> : (tensor<12xf32>) -> tensor<1x1x12xf32>
    %178 = "stablehlo.broadcast_in_dim"(%177) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x12xf32>) -> tensor<4x5x12xf32>
    %179 = "stablehlo.multiply"(%176, %178) : (tensor<4x5x12xf32>, tensor<4x5x12xf32>) -> tensor<4x5x12xf32>
    %180 = "stablehlo.broadcast_in_dim"(%arg22) <{broadcast_dimensions = array<i64: 2>}> : (tensor<12xf32>) -> tensor<1x1x12xf32>
    %181 = "stablehlo.broadcast_in_dim"(%180) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x12xf32>) -> tensor<4x5x12xf32>
    %182 = "stablehlo.add"(%179, %181) : (tensor<4x5x12xf32>, tensor<4x5x12xf32>) -> tensor<4x5x12xf32>
    %183 = "stablehlo.dot_general"(%182, %arg17) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x5x12xf32>, tensor<8x12xf32>) -> tensor<4x5x8xf32>
    %184 = "stablehlo.broadcast_in_dim"(%arg16) <{broadcast_dimensions = array<i64: 2>}> : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %185 = "stablehlo.broadcast_in_dim"(%184) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x8xf32>) -> tensor<4x5x8xf32>
    %186 = "stablehlo.add"(%183, %185) : (tensor<4x5x8xf32>, tensor<4x5x8xf32>) -> tensor<4x5x8xf32>
    %187 = "func.call"(%186) <{callee = @relu}> : (tensor<4x5x8xf32>) -> tensor<4x5x8xf32>
    %188 = "stablehlo.dot_general"(%187, %arg19) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x5x8xf32>, tensor<12x8xf32>) -> tensor<4x5x12xf32>
    %189 = "stablehlo.broadcast_in_dim"(%arg18) <{broadcast_dimensions = array<i64: 2>}> : (tensor<12xf32>) -> tensor<1x1x12xf32>
    %190 = "stablehlo.broadcast_in_dim"(%189) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x12xf32>) -> tensor<4x5x12xf32>
    %191 = "stablehlo.add"(%188, %190) : (tensor<4x5x12xf32>, tensor<4x5x12xf32>) -> tensor<4x5x12xf32>
    %192 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %193 = "stablehlo.broadcast_in_dim"(%192) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x5x12xf32>
    %194 = "stablehlo.multiply"(%191, %193) : (tensor<4x5x12xf32>, tensor<4x5x12xf32>) -> tensor<4x5x12xf32>
    %195 = "stablehlo.add"(%160, %194) : (tensor<4x5x12xf32>, tensor<4x5x12xf32>) -> tensor<4x5x12xf32>
    %196 = "stablehlo.dot_general"(%195, %arg29) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x5x12xf32>, tensor<1x12xf32>) -> tensor<4x5x1xf32>
    %197 = "stablehlo.broadcast_in_dim"(%arg28) <{broadcast_dimensions = array<i64: 2>}> : (tensor<1xf32>) -> tensor<1x1x1xf32>
    %198 = "stablehlo.broadcast_in_dim"(%197) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x1xf32>) -> tensor<4x5x1xf32>
    %199 = "stablehlo.add"(%196, %198) : (tensor<4x5x1xf32>, tensor<4x5x1xf32>) -> tensor<4x5x1xf32>
    %200 = "stablehlo.reshape"(%199) : (tensor<4x5x1xf32>) -> tensor<4x5xf32>
    %201 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %202 = "stablehlo.reduce"(%200, %201) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg35: tensor<f32>, %arg36: tensor<f32>):
      %218 = "stablehlo.add"(%arg35, %arg36) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%218) : (tensor<f32>) -> ()
    }) : (tensor<4x5xf32>, tensor<f32>) -> tensor<4xf32>
    %203 = "stablehlo.constant"() <{value = dense<5.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %204 = "stablehlo.broadcast_in_dim"(%203) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4xf32>
    %205 = "stablehlo.divide"(%202, %204) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %206 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %207 = "stablehlo.broadcast_in_dim"(%206) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4xf32>
    %208 = "stablehlo.multiply"(%arg32, %207) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %209 = "stablehlo.subtract"(%205, %208) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %210 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %211 = "stablehlo.broadcast_in_dim"(%210) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4xf32>
    %212 = "stablehlo.power"(%209, %211) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %213 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %214 = "stablehlo.reduce"(%212, %213) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg33: tensor<f32>, %arg34: tensor<f32>):
      %217 = "stablehlo.add"(%arg33, %arg34) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%217) : (tensor<f32>) -> ()
    }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %215 = "stablehlo.constant"() <{value = dense<4.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %216 = "stablehlo.divide"(%214, %215) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "func.return"(%216) : (tensor<f32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<4x5xi1>, tensor<f32>, tensor<4x5xf32>) -> tensor<4x5xf32>, res_attrs = [{}], sym_name = "_where", sym_visibility = "private"}> ({
  ^bb0(%arg13: tensor<4x5xi1> loc(unknown), %arg14: tensor<f32> loc(unknown), %arg15: tensor<4x5xf32> loc(unknown)):
    %31 = "stablehlo.convert"(%arg14) : (tensor<f32>) -> tensor<f32>
    %32 = "stablehlo.broadcast_in_dim"(%31) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x5xf32>
    %33 = "stablehlo.select"(%arg13, %32, %arg15) : (tensor<4x5xi1>, tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    "func.return"(%33) : (tensor<4x5xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<4x5x12xf32>, tensor<i32>) -> tensor<4x5x1xf32>, res_attrs = [{}], sym_name = "_var", sym_visibility = "private"}> ({
  ^bb0(%arg7: tensor<4x5x12xf32> loc(unknown), %arg8: tensor<i32> loc(unknown)):
    %8 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %9 = "stablehlo.reduce"(%arg7, %8) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg11: tensor<f32>, %arg12: tensor<f32>):
      %30 = "stablehlo.add"(%arg11, %arg12) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%30) : (tensor<f32>) -> ()
    }) : (tensor<4x5x12xf32>, tensor<f32>) -> tensor<4x5xf32>
    %10 = "stablehlo.broadcast_in_dim"(%9) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x5xf32>) -> tensor<4x5x1xf32>
    %11 = "stablehlo.constant"() <{value = dense<1.200000e+01> : tensor<f32>}> : () -> tensor<f32>
    %12 = "stablehlo.broadcast_in_dim"(%11) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x5x1xf32>
    %13 = "stablehlo.divide"(%10, %12) : (tensor<4x5x1xf32>, tensor<4x5x1xf32>) -> tensor<4x5x1xf32>
    %14 = "stablehlo.broadcast_in_dim"(%13) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x5x1xf32>) -> tensor<4x5x12xf32>
    %15 = "stablehlo.subtract"(%arg7, %14) : (tensor<4x5x12xf32>, tensor<4x5x12xf32>) -> tensor<4x5x12xf32>
    %16 = "chlo.square"(%15) : (tensor<4x5x12xf32>) -> tensor<4x5x12xf32>
    %17 = "stablehlo.convert"(%arg8) : (tensor<i32>) -> tensor<f32>
    %18 = "stablehlo.constant"() <{value = dense<1.200000e+01> : tensor<f32>}> : () -> tensor<f32>
    %19 = "stablehlo.subtract"(%18, %17) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %20 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %21 = "stablehlo.reduce"(%16, %20) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg9: tensor<f32>, %arg10: tensor<f32>):
      %29 = "stablehlo.add"(%arg9, %arg10) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%29) : (tensor<f32>) -> ()
    }) : (tensor<4x5x12xf32>, tensor<f32>) -> tensor<4x5xf32>
    %22 = "stablehlo.broadcast_in_dim"(%21) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x5xf32>) -> tensor<4x5x1xf32>
    %23 = "stablehlo.broadcast_in_dim"(%19) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x5x1xf32>
    %24 = "stablehlo.divide"(%22, %23) : (tensor<4x5x1xf32>, tensor<4x5x1xf32>) -> tensor<4x5x1xf32>
    %25 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %26 = "stablehlo.compare"(%19, %25) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %27 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
    %28 = "func.call"(%26, %24, %27) <{callee = @_where_0}> : (tensor<i1>, tensor<4x5x1xf32>, tensor<f32>) -> tensor<4x5x1xf32>
    "func.return"(%28) : (tensor<4x5x1xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<i1>, tensor<4x5x1xf32>, tensor<f32>) -> tensor<4x5x1xf32>, res_attrs = [{}], sym_name = "_where_0", sym_visibility = "private"}> ({
  ^bb0(%arg4: tensor<i1> loc(unknown), %arg5: tensor<4x5x1xf32> loc(unknown), %arg6: tensor<f32> loc(unknown)):
    %5 = "stablehlo.convert"(%arg6) : (tensor<f32>) -> tensor<f32>
    %6 = "stablehlo.broadcast_in_dim"(%5) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x5x1xf32>
    %7 = "stablehlo.select"(%arg4, %arg5, %6) : (tensor<i1>, tensor<4x5x1xf32>, tensor<4x5x1xf32>) -> tensor<4x5x1xf32>
    "func.return"(%7) : (tensor<4x5x1xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<4x3x5x1xi1>, tensor<4x3x5x5xf32>, tensor<4x3x5x5xf32>) -> tensor<4x3x5x5xf32>, res_attrs = [{}], sym_name = "_where_1", sym_visibility = "private"}> ({
  ^bb0(%arg1: tensor<4x3x5x1xi1> loc(unknown), %arg2: tensor<4x3x5x5xf32> loc(unknown), %arg3: tensor<4x3x5x5xf32> loc(unknown)):
    %3 = "stablehlo.broadcast_in_dim"(%arg1) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<4x3x5x1xi1>) -> tensor<4x3x5x5xi1>
    %4 = "stablehlo.select"(%3, %arg2, %arg3) : (tensor<4x3x5x5xi1>, tensor<4x3x5x5xf32>, tensor<4x3x5x5xf32>) -> tensor<4x3x5x5xf32>
    "func.return"(%4) : (tensor<4x3x5x5xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<4x5x8xf32>) -> tensor<4x5x8xf32>, res_attrs = [{}], sym_name = "relu", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<4x5x8xf32> loc(unknown)):
    %0 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %1 = "stablehlo.broadcast_in_dim"(%0) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x5x8xf32>
    %2 = "stablehlo.maximum"(%arg0, %1) : (tensor<4x5x8xf32>, tensor<4x5x8xf32>) -> tensor<4x5x8xf32>
    "func.return"(%2) : (tensor<4x5x8xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
