"builtin.module"() <{sym_name = "jit_loss"}> ({
  "func.func"() <{arg_attrs = [{}, {}, {}, {}, {}, {}, {}, {}], function_type = (tensor<11xf32>, tensor<6xf32>, tensor<6x6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<11x6xf32>, tensor<4x2x5xi32>, tensor<4x2x5xi32>) -> tensor<f32>, res_attrs = [{jax.result_info = "result[0]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg31: tensor<11xf32> loc("params['decoder.bias']"), %arg32: tensor<6xf32> loc("params['dense.bias']"), %arg33: tensor<6x6xf32> loc("params['dense.weight']"), %arg34: tensor<6xf32> loc("params['norm.bias']"), %arg35: tensor<6xf32> loc("params['norm.weight']"), %arg36: tensor<11x6xf32> loc("params['tok.weight']"), %arg37: tensor<4x2x5xi32> loc("inputs[0]"), %arg38: tensor<4x2x5xi32> loc("inputs[1]")):
    %76 = "func.call"(%arg36, %arg37) <{callee = @_take}> : (tensor<11x6xf32>, tensor<4x2x5xi32>) -> tensor<4x2x5x6xf32>
    %77 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %78 = "stablehlo.broadcast_in_dim"(%77) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4x2x5xi32>
    %79 = "stablehlo.compare"(%arg37, %78) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<4x2x5xi32>, tensor<4x2x5xi32>) -> tensor<4x2x5xi1>
    %80 = "stablehlo.broadcast_in_dim"(%79) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x2x5xi1>) -> tensor<4x2x5x1xi1>
    %81 = "func.call"(%76) <{callee = @stop_gradient}> : (tensor<4x2x5x6xf32>) -> tensor<4x2x5x6xf32>
    %82 = "func.call"(%80, %81, %76) <{callee = @_where_0}> : (tensor<4x2x5x1xi1>, tensor<4x2x5x6xf32>, tensor<4x2x5x6xf32>) -> tensor<4x2x5x6xf32>
    %83 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %84 = "stablehlo.reduce"(%82, %83) <{dimensions = array<i64: 3>}> ({
    ^bb0(%arg43: tensor<f32>, %arg44: tensor<f32>):
      %172 = "stablehlo.add"(%arg43, %arg44) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%172) : (tensor<f32>) -> ()
    }) : (tensor<4x2x5x6xf32>, tensor<f32>) -> tensor<4x2x5xf32>
    %85 = "stablehlo.broadcast_in_dim"(%84) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x2x5xf32>) -> tensor<4x2x5x1xf32>
    %86 = "stablehlo.constant"() <{value = dense<6.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %87 = "stablehlo.broadcast_in_dim"(%86) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x2x5x1xf32>
    %88 = "stablehlo.divide"(%85, %87) : (tensor<4x2x5x1xf32>, tensor<4x2x5x1xf32>) -> tensor<4x2x5x1xf32>
    %89 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %90 = "func.call"(%82, %89) <{callee = @_var}> : (tensor<4x2x5x6xf32>, tensor<i32>) -> tensor<4x2x5x1xf32>
    %91 = "stablehlo.constant"() <{value = dense<9.99999974E-6> : tensor<f32>}> : () -> tensor<f32>
    %92 = "stablehlo.broadcast_in_dim"(%91) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x2x5x1xf32>
    %93 = "stablehlo.add"(%90, %92) : (tensor<4x2x5x1xf32>, tensor<4x2x5x1xf32>) -> tensor<4x2x5x1xf32>
    %94 = "stablehlo.rsqrt"(%93) : (tensor<4x2x5x1xf32>) -> tensor<4x2x5x1xf32>
    %95 = "stablehlo.broadcast_in_dim"(%88) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<4x2x5x1xf32>) -> tensor<4x2x5x6xf32>
    %96 = "stablehlo.subtract"(%82, %95) : (tensor<4x2x5x6xf32>, tensor<4x2x5x6xf32>) -> tensor<4x2x5x6xf32>
    %97 = "stablehlo.broadcast_in_dim"(%94) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<4x2x5x1xf32>) -> tensor<4x2x5x6xf32>
    %98 = "stablehlo.multiply"(%96, %97) : (tensor<4x2x5x6xf32>, tensor<4x2x5x6xf32>) -> tensor<4x2x5x6xf32>
    %99 = "stablehlo.broadcast_in_dim"(%arg35) <{broadcast_dimensions = array<i64: 3>}> : (tensor<6xf32>) -> tensor<1x1x1x6xf32>
    %100 = "stablehlo.broadcast_in_dim"(%99) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x1x1x6xf32>) -> tensor<4x2x5x6xf32>
    %101 = "stablehlo.multiply"(%98, %100) : (tensor<4x2x5x6xf32>, tensor<4x2x5x6xf32>) -> tensor<4x2x5x6xf32>
    %102 = "stablehlo.broadcast_in_dim"(%arg34) <{broadcast_dimensions = array<i64: 3>}> : (tensor<6xf32>) -> tensor<1x1x1x6xf32>
    %103 = "stablehlo.broadcast_in_dim"(%102) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x1x1x6xf32>) -> tensor<4x2x5x6xf32>
    %104 = "stablehlo.add"(%101, %103) : (tensor<4x2x5x6xf32>, tensor<4x2x5x6xf32>) -> tensor<4x2x5x6xf32>
    %105 = "stablehlo.dot_general"(%104, %arg33) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [3], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x2x5x6xf32>, tensor<6x6xf32>) -> tensor<4x2x5x6xf32>
    %106 = "stablehlo.broadcast_in_dim"(%arg32) <{broadcast_dimensions = array<i64: 3>}> : (tensor<6xf32>) -> tensor<1x1x1x6xf32>
    %107 = "stablehlo.broadcast_in_dim"(%106) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x1x1x6xf32>) -> tensor<4x2x5x6xf32>
    %108 = "stablehlo.add"(%105, %107) : (tensor<4x2x5x6xf32>, tensor<4x2x5x6xf32>) -> tensor<4x2x5x6xf32>
    %109 = "stablehlo.constant"() <{value = dense<5.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %110 = "stablehlo.broadcast_in_dim"(%109) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x2x5x6xf32>
    %111 = "stablehlo.multiply"(%110, %108) : (tensor<4x2x5x6xf32>, tensor<4x2x5x6xf32>) -> tensor<4x2x5x6xf32>
    %112 = "stablehlo.negate"(%108) : (tensor<4x2x5x6xf32>) -> tensor<4x2x5x6xf32>
    %113 = "stablehlo.constant"() <{value = dense<0.707106769> : tensor<f32>}> : () -> tensor<f32>
    %114 = "stablehlo.broadcast_in_dim"(%113) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x2x5x6xf32>
    %115 = "stablehlo.multiply"(%112, %114) : (tensor<4x2x5x6xf32>, tensor<4x2x5x6xf32>) -> tensor<4x2x5x6xf32>
    %116 = "chlo.erfc"(%115) : (tensor<4x2x5x6xf32>) -> tensor<4x2x5x6xf32>
    %117 = "stablehlo.multiply"(%111, %116) : (tensor<4x2x5x6xf32>, tensor<4x2x5x6xf32>) -> tensor<4x2x5x6xf32>
    %118 = "stablehlo.dot_general"(%117, %arg36) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [3], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x2x5x6xf32>, tensor<11x6xf32>) -> tensor<4x2x5x11xf32>
    %119 = "stablehlo.broadcast_in_dim"(%arg31) <{broadcast_dimensions = array<i64: 3>}> : (tensor<11xf32>) -> tensor<1x1x1x11xf32>
    %120 = "stablehlo.broadcast_in_dim"(%119) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x1x1x11xf32>) -> tensor<4x2x5x11xf32>
    %121 = "stablehlo.add"(%118, %120) : (tensor<4x2x5x11xf32>, tensor<4x2x5x11xf32>) -> tensor<4x2x5x11xf32>
    %122 = "stablehlo.reshape"(%121) : (tensor<4x2x5x11xf32>) -> tensor<40x11xf32>
    %123 = "stablehlo.reshape"(%arg38) : (tensor<4x2x5xi32>) -> tensor<40xi32>
    %124 = "func.call"(%122) <{callee = @log_softmax}> : (tensor<40x11xf32>) -> tensor<40x11xf32>
    %125 = "stablehlo.constant"() <{value = dense<-100> : tensor<i32>}> : () -> tensor<i32>
    %126 = "stablehlo.broadcast_in_dim"(%125) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<40xi32>
    %127 = "stablehlo.compare"(%123, %126) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<40xi32>, tensor<40xi32>) -> tensor<40xi1>
    %128 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %129 = "func.call"(%127, %123, %128) <{callee = @_where_2}> : (tensor<40xi1>, tensor<40xi32>, tensor<i32>) -> tensor<40xi32>
    %130 = "stablehlo.broadcast_in_dim"(%129) <{broadcast_dimensions = array<i64: 0>}> : (tensor<40xi32>) -> tensor<40x1xi32>
    %131 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<40xi32>
    %132 = "stablehlo.reshape"(%131) : (tensor<40xi32>) -> tensor<40x1xi32>
    %133 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %134 = "stablehlo.broadcast_in_dim"(%133) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<40x1xi32>
    %135 = "stablehlo.compare"(%132, %134) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<40x1xi32>, tensor<40x1xi32>) -> tensor<40x1xi1>
    %136 = "stablehlo.constant"() <{value = dense<40> : tensor<i32>}> : () -> tensor<i32>
    %137 = "stablehlo.broadcast_in_dim"(%136) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<40x1xi32>
    %138 = "stablehlo.add"(%132, %137) : (tensor<40x1xi32>, tensor<40x1xi32>) -> tensor<40x1xi32>
    %139 = "stablehlo.select"(%135, %138, %132) : (tensor<40x1xi1>, tensor<40x1xi32>, tensor<40x1xi32>) -> tensor<40x1xi32>
    %140 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %141 = "stablehlo.broadcast_in_dim"(%140) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<40x1xi32>
    %142 = "stablehlo.compare"(%130, %141) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<40x1xi32>, tensor<40x1xi32>) -> tensor<40x1xi1>
    %143 = "stablehlo.constant"() <{value = dense<11> : tensor<i32>}> : () -> tensor<i32>
    %144 = "stablehlo.broadcast_in_dim"(%143) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<40x1xi32>
    %145 = "stablehlo.add"(%130, %144) : (tensor<40x1xi32>, tensor<40x1xi32>) -> tensor<40x1xi32>
    %146 = "stablehlo.select"(%142, %145, %130) : (tensor<40x1xi1>, tensor<40x1xi32>, tensor<40x1xi32>) -> tensor<40x1xi32>
    %147 = "stablehlo.broadcast_in_dim"(%139) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<40x1xi32>) -> tensor<40x1x1xi32>
    %148 = "stablehlo.broadcast_in_dim"(%146) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<40x1xi32>) -> tensor<40x1x1xi32>
    %149 = "stablehlo.concatenate"(%147, %148) <{dimension = 2 : i64}> : (tensor<40x1x1xi32>, tensor<40x1x1xi32>) -> tensor<40x1x2xi32>
    %150 = "stablehlo.gather"(%124, %149) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<40x11xf32>, tensor<40x1x2xi32>) -> tensor<40x1xf32>
    %151 = "stablehlo.reshape"(%150) : (tensor<40x1xf32>) -> tensor<40xf32>
    %152 = "stablehlo.constant"() <{value = dense<-1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %153 = "stablehlo.broadcast_in_dim"(%152) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<40xf32>
    %154 = "stablehlo.multiply"(%153, %151) : (tensor<40xf32>, tensor<40xf32>) -> tensor<40xf32>
    %155 = "stablehlo.constant"() <{value = dense<-100> : tensor<i32>}> : () -> tensor<i32>
    %156 = "stablehlo.broadcast_in_dim"(%155) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<40xi32>
    %157 = "stablehlo.compare"(%123, %156) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<40xi32>, tensor<40xi32>) -> tensor<40xi1>
    %158 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %159 = "func.call"(%157, %154, %158) <{callee = @_where_3}> : (tensor<40xi1>, tensor<40xf32>, tensor<i32>) -> tensor<40xf32>
    %160 = "stablehlo.constant"() <{value = dense<-100> : tensor<i32>}> : () -> tensor<i32>
    %161 = "stablehlo.broadcast_in_dim"(%160) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<40xi32>
    %162 = "stablehlo.compare"(%123, %161) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<40xi32>, tensor<40xi32>) -> tensor<40xi1>
    %163 = "stablehlo.convert"(%162) : (tensor<40xi1>) -> tensor<40xi32>
    %164 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %165 = "stablehlo.reduce"(%163, %164) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg41: tensor<i32>, %arg42: tensor<i32>):
      %171 = "stablehlo.add"(%arg41, %arg42) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%171) : (tensor<i32>) -> ()
    }) : (tensor<40xi32>, tensor<i32>) -> tensor<i32>
    %166 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %167 = "stablehlo.reduce"(%159, %166) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg39: tensor<f32>, %arg40: tensor<f32>):
      %170 = "stablehlo.add"(%arg39, %arg40) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%170) : (tensor<f32>) -> ()
    }) : (tensor<40xf32>, tensor<f32>) -> tensor<f32>
    %168 = "stablehlo.convert"(%165) : (tensor<i32>) -> tensor<f32>
    %169 = "stablehlo.divide"(%167, %168) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "func.return"(%169) : (tensor<f32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<11x6xf32>, tensor<4x2x5xi32>) -> tensor<4x2x5x6xf32>, res_attrs = [{}], sym_name = "_take", sym_visibility = "private"}> ({
  ^bb0(%arg27: tensor<11x6xf32> loc(unknown), %arg28: tensor<4x2x5xi32> loc(unknown)):
    %52 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %53 = "stablehlo.broadcast_in_dim"(%52) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4x2x5xi32>
    %54 = "stablehlo.compare"(%arg28, %53) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<4x2x5xi32>, tensor<4x2x5xi32>) -> tensor<4x2x5xi1>
    %55 = "stablehlo.constant"() <{value = dense<11> : tensor<i32>}> : () -> tensor<i32>
    %56 = "stablehlo.broadcast_in_dim"(%55) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4x2x5xi32>
    %57 = "stablehlo.add"(%arg28, %56) : (tensor<4x2x5xi32>, tensor<4x2x5xi32>) -> tensor<4x2x5xi32>
    %58 = "func.call"(%54, %57, %arg28) <{callee = @_where}> : (tensor<4x2x5xi1>, tensor<4x2x5xi32>, tensor<4x2x5xi32>) -> tensor<4x2x5xi32>
    %59 = "stablehlo.broadcast_in_dim"(%58) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x2x5xi32>) -> tensor<4x2x5x1xi32>
    %60 = "stablehlo.constant"() <{value = dense<10> : tensor<1xi32>}> : () -> tensor<1xi32>
    %61 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %62 = "stablehlo.broadcast_in_dim"(%61) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4x2x5x1xi32>
    %63 = "stablehlo.compare"(%59, %62) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<4x2x5x1xi32>, tensor<4x2x5x1xi32>) -> tensor<4x2x5x1xi1>
    %64 = "stablehlo.broadcast_in_dim"(%60) <{broadcast_dimensions = array<i64: 3>}> : (tensor<1xi32>) -> tensor<1x1x1x1xi32>
    %65 = "stablehlo.broadcast_in_dim"(%64) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x1x1x1xi32>) -> tensor<4x2x5x1xi32>
    %66 = "stablehlo.compare"(%59, %65) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LE>}> : (tensor<4x2x5x1xi32>, tensor<4x2x5x1xi32>) -> tensor<4x2x5x1xi1>
    %67 = "stablehlo.and"(%63, %66) : (tensor<4x2x5x1xi1>, tensor<4x2x5x1xi1>) -> tensor<4x2x5x1xi1>
    %68 = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>
    %69 = "stablehlo.reduce"(%67, %68) <{dimensions = array<i64: 3>}> ({
    ^bb0(%arg29: tensor<i1>, %arg30: tensor<i1>):
      %75 = "stablehlo.and"(%arg29, %arg30) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%75) : (tensor<i1>) -> ()
    }) : (tensor<4x2x5x1xi1>, tensor<i1>) -> tensor<4x2x5xi1>
    %70 = "stablehlo.gather"(%arg27, %59) <{dimension_numbers = #stablehlo.gather<offset_dims = [3], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 3>, indices_are_sorted = false, slice_sizes = array<i64: 1, 6>}> : (tensor<11x6xf32>, tensor<4x2x5x1xi32>) -> tensor<4x2x5x6xf32>
    %71 = "stablehlo.broadcast_in_dim"(%69) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x2x5xi1>) -> tensor<4x2x5x6xi1>
    %72 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
    %73 = "stablehlo.broadcast_in_dim"(%72) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x2x5x6xf32>
    %74 = "stablehlo.select"(%71, %70, %73) : (tensor<4x2x5x6xi1>, tensor<4x2x5x6xf32>, tensor<4x2x5x6xf32>) -> tensor<4x2x5x6xf32>
    "func.return"(%74) : (tensor<4x2x5x6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<4x2x5xi1>, tensor<4x2x5xi32>, tensor<4x2x5xi32>) -> tensor<4x2x5xi32>, res_attrs = [{}], sym_name = "_where", sym_visibility = "private"}> ({
  ^bb0(%arg24: tensor<4x2x5xi1> loc(unknown), %arg25: tensor<4x2x5xi32> loc(unknown), %arg26: tensor<4x2x5xi32> loc(unknown)):
    %51 = "stablehlo.select"(%arg24, %arg25, %arg26) : (tensor<4x2x5xi1>, tensor<4x2x5xi32>, tensor<4x2x5xi32>) -> tensor<4x2x5xi32>
    "func.return"(%51) : (tensor<4x2x5xi32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<4x2x5x6xf32>) -> tensor<4x2x5x6xf32>, res_attrs = [{}], sym_name = "stop_gradient", sym_visibility = "private"}> ({
  ^bb0(%arg23: tensor<4x2x5x6xf32> loc(unknown)):
    "func.return"(%arg23) : (tensor<4x2x5x6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<4x2x5x1xi1>, tensor<4x2x5x6xf32>, tensor<4x2x5x6xf32>) -> tensor<4x2x5x6xf32>, res_attrs = [{}], sym_name = "_where_0", sym_visibility = "private"}> ({
  ^bb0(%arg20: tensor<4x2x5x1xi1> loc(unknown), %arg21: tensor<4x2x5x6xf32> loc(unknown), %arg22: tensor<4x2x5x6xf32> loc(unknown)):
    %49 = "stablehlo.broadcast_in_dim"(%arg20) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<4x2x5x1xi1>) -> tensor<4x2x5x6xi1>
    %50 = "stablehlo.select"(%49, %arg21, %arg22) : (tensor<4x2x5x6xi1>, tensor<4x2x5x6xf32>, tensor<4x2x5x6xf32>) -> tensor<4x2x5x6xf32>
    "func.return"(%50) : (tensor<4x2x5x6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<4x2x5x6xf32>, tensor<i32>) -> tensor<4x2x5x1xf32>, res_attrs = [{}], sym_name = "_var", sym_visibility = "private"}> ({
  ^bb0(%arg14: tensor<4x2x5x6xf32> loc(unknown), %arg15: tensor<i32> loc(unknown)):
    %26 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %27 = "stablehlo.reduce"(%arg14, %26) <{dimensions = array<i64: 3>}> ({
    ^bb0(%arg18: tensor<f32>, %arg19: tensor<f32>):
      %48 = "stablehlo.add"(%arg18, %arg19) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%48) : (tensor<f32>) -> ()
    }) : (tensor<4x2x5x6xf32>, tensor<f32>) -> tensor<4x2x5xf32>
    %28 = "stablehlo.broadcast_in_dim"(%27) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x2x5xf32>) -> tensor<4x2x5x1xf32>
    %29 = "stablehlo.constant"() <{value = dense<6.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %30 = "stablehlo.broadcast_in_dim"(%29) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x2x5x1xf32>
    %31 = "stablehlo.divide"(%28, %30) : (tensor<4x2x5x1xf32>, tensor<4x2x5x1xf32>) -> tensor<4x2x5x1xf32>
    %32 = "stablehlo.broadcast_in_dim"(%31) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<4x2x5x1xf32>) -> tensor<4x2x5x6xf32>
    %33 = "stablehlo.subtract"(%arg14, %32) : (tensor<4x2x5x6xf32>, tensor<4x2x5x6xf32>) -> tensor<4x2x5x6xf32>
    %34 = "chlo.square"(%33) : (tensor<4x2x5x6xf32>) -> tensor<4x2x5x6xf32>
    %35 = "stablehlo.convert"(%arg15) : (tensor<i32>) -> tensor<f32>
    %36 = "stablehlo.constant"() <{value = dense<6.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %37 = "stablehlo.subtract"(%36, %35) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %38 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %39 = "stablehlo.reduce"(%34, %38) <{dimensions = array<i64: 3>}> ({
    ^bb0(%arg16: tensor<f32>, %arg17: tensor<f32>):
      %47 = "stablehlo.add"(%arg16, %arg17) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%47) : (tensor<f32>) -> ()
    }) : (tensor<4x2x5x6xf32>, tensor<f32>) -> tensor<4x2x5xf32>
    %40 = "stablehlo.broadcast_in_dim"(%39) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x2x5xf32>) -> tensor<4x2x5x1xf32>
    %41 = "stablehlo.broadcast_in_dim"(%37) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x2x5x1xf32>
    %42 = "stablehlo.divide"(%40, %41) : (tensor<4x2x5x1xf32>, tensor<4x2x5x1xf32>) -> tensor<4x2x5x1xf32>
    %43 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %44 = "stablehlo.compare"(%37, %43) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %45 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
    %46 = "func.call"(%44, %42, %45) <{callee = @_where_1}> : (tensor<i1>, tensor<4x2x5x1xf32>, tensor<f32>) -> tensor<4x2x5x1xf32>
    "func.return"(%46) : (tensor<4x2x5x1xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<i1>, tensor<4x2x5x1xf32>, tensor<f32>) -> tensor<4x2x5x1xf32>, res_attrs = [{}], sym_name = "_where_1", sym_visibility = "private"}> ({
  ^bb0(%arg11: tensor<i1> loc(unknown), %arg12: tensor<4x2x5x1xf32> loc(unknown), %arg13: tensor<f32> loc(unknown)):
    %23 = "stablehlo.convert"(%arg13) : (tensor<f32>) -> tensor<f32>
    %24 = "stablehlo.broadcast_in_dim"(%23) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x2x5x1xf32>
    %25 = "stablehlo.select"(%arg11, %arg12, %24) : (tensor<i1>, tensor<4x2x5x1xf32>, tensor<4x2x5x1xf32>) -> tensor<4x2x5x1xf32>
    "func.return"(%25) : (tensor<4x2x5x1xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<40x11xf32>) -> tensor<40x11xf32>, res_attrs = [{}], sym_name = "log_softmax", sym_visibility = "private"}> ({
  ^bb0(%arg6: tensor<40x11xf32> loc(unknown)):
    %6 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %7 = "stablehlo.reduce"(%arg6, %6) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg9: tensor<f32>, %arg10: tensor<f32>):
      %22 = "stablehlo.maximum"(%arg9, %arg10) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%22) : (tensor<f32>) -> ()
    }) : (tensor<40x11xf32>, tensor<f32>) -> tensor<40xf32>
    %8 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %9 = "stablehlo.broadcast_in_dim"(%8) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<40xf32>
    %10 = "stablehlo.maximum"(%9, %7) : (tensor<40xf32>, tensor<40xf32>) -> tensor<40xf32>
    %11 = "stablehlo.broadcast_in_dim"(%10) <{broadcast_dimensions = array<i64: 0>}> : (tensor<40xf32>) -> tensor<40x1xf32>
    %12 = "stablehlo.broadcast_in_dim"(%11) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<40x1xf32>) -> tensor<40x11xf32>
    %13 = "stablehlo.subtract"(%arg6, %12) : (tensor<40x11xf32>, tensor<40x11xf32>) -> tensor<40x11xf32>
    %14 = "stablehlo.exponential"(%13) : (tensor<40x11xf32>) -> tensor<40x11xf32>
    %15 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %16 = "stablehlo.reduce"(%14, %15) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg7: tensor<f32>, %arg8: tensor<f32>):
      %21 = "stablehlo.add"(%arg7, %arg8) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%21) : (tensor<f32>) -> ()
    }) : (tensor<40x11xf32>, tensor<f32>) -> tensor<40xf32>
    %17 = "stablehlo.broadcast_in_dim"(%16) <{broadcast_dimensions = array<i64: 0>}> : (tensor<40xf32>) -> tensor<40x1xf32>
    %18 = "stablehlo.log"(%17) : (tensor<40x1xf32>) -> tensor<40x1xf32>
    %19 = "stablehlo.broadcast_in_dim"(%18) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<40x1xf32>) -> tensor<40x11xf32>
    %20 = "stablehlo.subtract"(%13, %19) : (tensor<40x11xf32>, tensor<40x11xf32>) -> tensor<40x11xf32>
    "func.return"(%20) : (tensor<40x11xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<40xi1>, tensor<40xi32>, tensor<i32>) -> tensor<40xi32>, res_attrs = [{}], sym_name = "_where_2", sym_visibility = "private"}> ({
  ^bb0(%arg3: tensor<40xi1> loc(unknown), %arg4: tensor<40xi32> loc(unknown), %arg5: tensor<i32> loc(unknown)):
    %3 = "stablehlo.convert"(%arg5) : (tensor<i32>) -> tensor<i32>
    %4 = "stablehlo.broadcast_in_dim"(%3) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<40xi32>
    %5 = "stablehlo.select"(%arg3, %arg4, %4) : (tensor<40xi1>, tensor<40xi32>, tensor<40xi32>) -> tensor<40xi32>
    "func.return"(%5) : (tensor<40xi32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<40xi1>, tensor<40xf32>, tensor<i32>) -> tensor<40xf32>, res_attrs = [{}], sym_name = "_where_3", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<40xi1> loc(unknown), %arg1: tensor<40xf32> loc(unknown), %arg2: tensor<i32> loc(unknown)):
    %0 = "stablehlo.convert"(%arg2) : (tensor<i32>) -> tensor<f32>
    %1 = "stablehlo.broadcast_in_dim"(%0) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<40xf32>
    %2 = "stablehlo.select"(%arg0, %arg1, %1) : (tensor<40xi1>, tensor<40xf32>, tensor<40xf32>) -> tensor<40xf32>
    "func.return"(%2) : (tensor<40xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
