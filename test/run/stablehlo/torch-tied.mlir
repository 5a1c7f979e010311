"builtin.module"() <{sym_name = "jit_loss"}> ({
  "func.func"() <{arg_attrs = [{}, {}, {}, {}, {}], function_type = (tensor<8xf32>, tensor<8x8xf32>, tensor<11x8xf32>, tensor<4x7xi32>, tensor<4x7xi32>) -> tensor<f32>, res_attrs = [{jax.result_info = "result[0]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg22: tensor<8xf32> loc("params['hidden.bias']"), %arg23: tensor<8x8xf32> loc("params['hidden.weight']"), %arg24: tensor<11x8xf32> loc("params['tok.weight']"), %arg25: tensor<4x7xi32> loc("inputs[0]"), %arg26: tensor<4x7xi32> loc("inputs[1]")):
    %50 = "func.call"(%arg24, %arg25) <{callee = @_take}> : (tensor<11x8xf32>, tensor<4x7xi32>) -> tensor<4x7x8xf32>
    %51 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %52 = "stablehlo.broadcast_in_dim"(%51) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4x7xi32>
    %53 = "stablehlo.compare"(%arg25, %52) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<4x7xi32>, tensor<4x7xi32>) -> tensor<4x7xi1>
    %54 = "stablehlo.broadcast_in_dim"(%53) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x7xi1>) -> tensor<4x7x1xi1>
    %55 = "func.call"(%50) <{callee = @stop_gradient}> : (tensor<4x7x8xf32>) -> tensor<4x7x8xf32>
    %56 = "func.call"(%54, %55, %50) <{callee = @_where_0}> : (tensor<4x7x1xi1>, tensor<4x7x8xf32>, tensor<4x7x8xf32>) -> tensor<4x7x8xf32>
    %57 = "stablehlo.dot_general"(%56, %arg23) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x7x8xf32>, tensor<8x8xf32>) -> tensor<4x7x8xf32>
    %58 = "stablehlo.broadcast_in_dim"(%arg22) <{broadcast_dimensions = array<i64: 2>}> : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %59 = "stablehlo.broadcast_in_dim"(%58) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x8xf32>) -> tensor<4x7x8xf32>
    %60 = "stablehlo.add"(%57, %59) : (tensor<4x7x8xf32>, tensor<4x7x8xf32>) -> tensor<4x7x8xf32>
    %61 = "stablehlo.tanh"(%60) : (tensor<4x7x8xf32>) -> tensor<4x7x8xf32>
    %62 = "stablehlo.dot_general"(%61, %arg24) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x7x8xf32>, tensor<11x8xf32>) -> tensor<4x7x11xf32>
    %63 = "stablehlo.reshape"(%62) : (tensor<4x7x11xf32>) -> tensor<28x11xf32>
    %64 = "stablehlo.reshape"(%arg26) : (tensor<4x7xi32>) -> tensor<28xi32>
    %65 = "func.call"(%63) <{callee = @log_softmax}> : (tensor<28x11xf32>) -> tensor<28x11xf32>
    %66 = "stablehlo.constant"() <{value = dense<-100> : tensor<i32>}> : () -> tensor<i32>
    %67 = "stablehlo.broadcast_in_dim"(%66) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<28xi32>
    %68 = "stablehlo.compare"(%64, %67) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<28xi32>, tensor<28xi32>) -> tensor<28xi1>
    %69 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %70 = "func.call"(%68, %64, %69) <{callee = @_where_1}> : (tensor<28xi1>, tensor<28xi32>, tensor<i32>) -> tensor<28xi32>
    %71 = "stablehlo.broadcast_in_dim"(%70) <{broadcast_dimensions = array<i64: 0>}> : (tensor<28xi32>) -> tensor<28x1xi32>
    %72 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<28xi32>
    %73 = "stablehlo.reshape"(%72) : (tensor<28xi32>) -> tensor<28x1xi32>
    %74 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %75 = "stablehlo.broadcast_in_dim"(%74) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<28x1xi32>
    %76 = "stablehlo.compare"(%73, %75) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<28x1xi32>, tensor<28x1xi32>) -> tensor<28x1xi1>
    %77 = "stablehlo.constant"() <{value = dense<28> : tensor<i32>}> : () -> tensor<i32>
    %78 = "stablehlo.broadcast_in_dim"(%77) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<28x1xi32>
    %79 = "stablehlo.add"(%73, %78) : (tensor<28x1xi32>, tensor<28x1xi32>) -> tensor<28x1xi32>
    %80 = "stablehlo.select"(%76, %79, %73) : (tensor<28x1xi1>, tensor<28x1xi32>, tensor<28x1xi32>) -> tensor<28x1xi32>
    %81 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %82 = "stablehlo.broadcast_in_dim"(%81) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<28x1xi32>
    %83 = "stablehlo.compare"(%71, %82) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<28x1xi32>, tensor<28x1xi32>) -> tensor<28x1xi1>
    %84 = "stablehlo.constant"() <{value = dense<11> : tensor<i32>}> : () -> tensor<i32>
    %85 = "stablehlo.broadcast_in_dim"(%84) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<28x1xi32>
    %86 = "stablehlo.add"(%71, %85) : (tensor<28x1xi32>, tensor<28x1xi32>) -> tensor<28x1xi32>
    %87 = "stablehlo.select"(%83, %86, %71) : (tensor<28x1xi1>, tensor<28x1xi32>, tensor<28x1xi32>) -> tensor<28x1xi32>
    %88 = "stablehlo.broadcast_in_dim"(%80) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<28x1xi32>) -> tensor<28x1x1xi32>
    %89 = "stablehlo.broadcast_in_dim"(%87) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<28x1xi32>) -> tensor<28x1x1xi32>
    %90 = "stablehlo.concatenate"(%88, %89) <{dimension = 2 : i64}> : (tensor<28x1x1xi32>, tensor<28x1x1xi32>) -> tensor<28x1x2xi32>
    %91 = "stablehlo.gather"(%65, %90) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<28x11xf32>, tensor<28x1x2xi32>) -> tensor<28x1xf32>
    %92 = "stablehlo.reshape"(%91) : (tensor<28x1xf32>) -> tensor<28xf32>
    %93 = "stablehlo.constant"() <{value = dense<-1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %94 = "stablehlo.broadcast_in_dim"(%93) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<28xf32>
    %95 = "stablehlo.multiply"(%94, %92) : (tensor<28xf32>, tensor<28xf32>) -> tensor<28xf32>
    %96 = "stablehlo.constant"() <{value = dense<-100> : tensor<i32>}> : () -> tensor<i32>
    %97 = "stablehlo.broadcast_in_dim"(%96) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<28xi32>
    %98 = "stablehlo.compare"(%64, %97) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<28xi32>, tensor<28xi32>) -> tensor<28xi1>
    %99 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %100 = "func.call"(%98, %95, %99) <{callee = @_where_2}> : (tensor<28xi1>, tensor<28xf32>, tensor<i32>) -> tensor<28xf32>
    %101 = "stablehlo.constant"() <{value = dense<-100> : tensor<i32>}> : () -> tensor<i32>
    %102 = "stablehlo.broadcast_in_dim"(%101) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<28xi32>
    %103 = "stablehlo.compare"(%64, %102) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<28xi32>, tensor<28xi32>) -> tensor<28xi1>
    %104 = "stablehlo.convert"(%103) : (tensor<28xi1>) -> tensor<28xi32>
    %105 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %106 = "stablehlo.reduce"(%104, %105) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg29: tensor<i32>, %arg30: tensor<i32>):
      %112 = "stablehlo.add"(%arg29, %arg30) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%112) : (tensor<i32>) -> ()
    }) : (tensor<28xi32>, tensor<i32>) -> tensor<i32>
    %107 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %108 = "stablehlo.reduce"(%100, %107) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg27: tensor<f32>, %arg28: tensor<f32>):
      %111 = "stablehlo.add"(%arg27, %arg28) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%111) : (tensor<f32>) -> ()
    }) : (tensor<28xf32>, tensor<f32>) -> tensor<f32>
    %109 = "stablehlo.convert"(%106) : (tensor<i32>) -> tensor<f32>
    %110 = "stablehlo.divide"(%108, %109) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "func.return"(%110) : (tensor<f32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<11x8xf32>, tensor<4x7xi32>) -> tensor<4x7x8xf32>, res_attrs = [{}], sym_name = "_take", sym_visibility = "private"}> ({
  ^bb0(%arg18: tensor<11x8xf32> loc(unknown), %arg19: tensor<4x7xi32> loc(unknown)):
    %26 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %27 = "stablehlo.broadcast_in_dim"(%26) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4x7xi32>
    %28 = "stablehlo.compare"(%arg19, %27) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<4x7xi32>, tensor<4x7xi32>) -> tensor<4x7xi1>
    %29 = "stablehlo.constant"() <{value = dense<11> : tensor<i32>}> : () -> tensor<i32>
    %30 = "stablehlo.broadcast_in_dim"(%29) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4x7xi32>
    %31 = "stablehlo.add"(%arg19, %30) : (tensor<4x7xi32>, tensor<4x7xi32>) -> tensor<4x7xi32>
    %32 = "func.call"(%28, %31, %arg19) <{callee = @_where}> : (tensor<4x7xi1>, tensor<4x7xi32>, tensor<4x7xi32>) -> tensor<4x7xi32>
    %33 = "stablehlo.broadcast_in_dim"(%32) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x7xi32>) -> tensor<4x7x1xi32>
    %34 = "stablehlo.constant"() <{value = dense<10> : tensor<1xi32>}> : () -> tensor<1xi32>
    %35 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %36 = "stablehlo.broadcast_in_dim"(%35) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4x7x1xi32>
    %37 = "stablehlo.compare"(%33, %36) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<4x7x1xi32>, tensor<4x7x1xi32>) -> tensor<4x7x1xi1>
    %38 = "stablehlo.broadcast_in_dim"(%34) <{broadcast_dimensions = array<i64: 2>}> : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %39 = "stablehlo.broadcast_in_dim"(%38) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x1xi32>) -> tensor<4x7x1xi32>
    %40 = "stablehlo.compare"(%33, %39) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LE>}> : (tensor<4x7x1xi32>, tensor<4x7x1xi32>) -> tensor<4x7x1xi1>
    %41 = "stablehlo.and"(%37, %40) : (tensor<4x7x1xi1>, tensor<4x7x1xi1>) -> tensor<4x7x1xi1>
    %42 = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>
    %43 = "stablehlo.reduce"(%41, %42) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg20: tensor<i1>, %arg21: tensor<i1>):
      %49 = "stablehlo.and"(%arg20, %arg21) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%49) : (tensor<i1>) -> ()
    }) : (tensor<4x7x1xi1>, tensor<i1>) -> tensor<4x7xi1>
    %44 = "stablehlo.gather"(%arg18, %33) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8>}> : (tensor<11x8xf32>, tensor<4x7x1xi32>) -> tensor<4x7x8xf32>
    %45 = "stablehlo.broadcast_in_dim"(%43) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x7xi1>) -> tensor<4x7x8xi1>
    %46 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
    %47 = "stablehlo.broadcast_in_dim"(%46) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x7x8xf32>
    %48 = "stablehlo.select"(%45, %44, %47) : (tensor<4x7x8xi1>, tensor<4x7x8xf32>, tensor<4x7x8xf32>) -> tensor<4x7x8xf32>
    "func.return"(%48) : (tensor<4x7x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<4x7xi1>, tensor<4x7xi32>, tensor<4x7xi32>) -> tensor<4x7xi32>, res_attrs = [{}], sym_name = "_where", sym_visibility = "private"}> ({
  ^bb0(%arg15: tensor<4x7xi1> loc(unknown), %arg16: tensor<4x7xi32> loc(unknown), %arg17: tensor<4x7xi32> loc(unknown)):
    %25 = "stablehlo.select"(%arg15, %arg16, %arg17) : (tensor<4x7xi1>, tensor<4x7xi32>, tensor<4x7xi32>) -> tensor<4x7xi32>
    "func.return"(%25) : (tensor<4x7xi32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<4x7x8xf32>) -> tensor<4x7x8xf32>, res_attrs = [{}], sym_name = "stop_gradient", sym_visibility = "private"}> ({
  ^bb0(%arg14: tensor<4x7x8xf32> loc(unknown)):
    "func.return"(%arg14) : (tensor<4x7x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<4x7x1xi1>, tensor<4x7x8xf32>, tensor<4x7x8xf32>) -> tensor<4x7x8xf32>, res_attrs = [{}], sym_name = "_where_0", sym_visibility = "private"}> ({
  ^bb0(%arg11: tensor<4x7x1xi1> loc(unknown), %arg12: tensor<4x7x8xf32> loc(unknown), %arg13: tensor<4x7x8xf32> loc(unknown)):
    %23 = "stablehlo.broadcast_in_dim"(%arg11) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x7x1xi1>) -> tensor<4x7x8xi1>
    %24 = "stablehlo.select"(%23, %arg12, %arg13) : (tensor<4x7x8xi1>, tensor<4x7x8xf32>, tensor<4x7x8xf32>) -> tensor<4x7x8xf32>
    "func.return"(%24) : (tensor<4x7x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<28x11xf32>) -> tensor<28x11xf32>, res_attrs = [{}], sym_name = "log_softmax", sym_visibility = "private"}> ({
  ^bb0(%arg6: tensor<28x11xf32> loc(unknown)):
    %6 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %7 = "stablehlo.reduce"(%arg6, %6) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg9: tensor<f32>, %arg10: tensor<f32>):
      %22 = "stablehlo.maximum"(%arg9, %arg10) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%22) : (tensor<f32>) -> ()
    }) : (tensor<28x11xf32>, tensor<f32>) -> tensor<28xf32>
    %8 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %9 = "stablehlo.broadcast_in_dim"(%8) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<28xf32>
    %10 = "stablehlo.maximum"(%9, %7) : (tensor<28xf32>, tensor<28xf32>) -> tensor<28xf32>
    %11 = "stablehlo.broadcast_in_dim"(%10) <{broadcast_dimensions = array<i64: 0>}> : (tensor<28xf32>) -> tensor<28x1xf32>
    %12 = "stablehlo.broadcast_in_dim"(%11) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<28x1xf32>) -> tensor<28x11xf32>
    %13 = "stablehlo.subtract"(%arg6, %12) : (tensor<28x11xf32>, tensor<28x11xf32>) -> tensor<28x11xf32>
    %14 = "stablehlo.exponential"(%13) : (tensor<28x11xf32>) -> tensor<28x11xf32>
    %15 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %16 = "stablehlo.reduce"(%14, %15) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg7: tensor<f32>, %arg8: tensor<f32>):
      %21 = "stablehlo.add"(%arg7, %arg8) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%21) : (tensor<f32>) -> ()
    }) : (tensor<28x11xf32>, tensor<f32>) -> tensor<28xf32>
    %17 = "stablehlo.broadcast_in_dim"(%16) <{broadcast_dimensions = array<i64: 0>}> : (tensor<28xf32>) -> tensor<28x1xf32>
    %18 = "stablehlo.log"(%17) : (tensor<28x1xf32>) -> tensor<28x1xf32>
    %19 = "stablehlo.broadcast_in_dim"(%18) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<28x1xf32>) -> tensor<28x11xf32>
    %20 = "stablehlo.subtract"(%13, %19) : (tensor<28x11xf32>, tensor<28x11xf32>) -> tensor<28x11xf32>
    "func.return"(%20) : (tensor<28x11xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<28xi1>, tensor<28xi32>, tensor<i32>) -> tensor<28xi32>, res_attrs = [{}], sym_name = "_where_1", sym_visibility = "private"}> ({
  ^bb0(%arg3: tensor<28xi1> loc(unknown), %arg4: tensor<28xi32> loc(unknown), %arg5: tensor<i32> loc(unknown)):
    %3 = "stablehlo.convert"(%arg5) : (tensor<i32>) -> tensor<i32>
    %4 = "stablehlo.broadcast_in_dim"(%3) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<28xi32>
    %5 = "stablehlo.select"(%arg3, %arg4, %4) : (tensor<28xi1>, tensor<28xi32>, tensor<28xi32>) -> tensor<28xi32>
    "func.return"(%5) : (tensor<28xi32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<28xi1>, tensor<28xf32>, tensor<i32>) -> tensor<28xf32>, res_attrs = [{}], sym_name = "_where_2", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<28xi1> loc(unknown), %arg1: tensor<28xf32> loc(unknown), %arg2: tensor<i32> loc(unknown)):
    %0 = "stablehlo.convert"(%arg2) : (tensor<i32>) -> tensor<f32>
    %1 = "stablehlo.broadcast_in_dim"(%0) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<28xf32>
    %2 = "stablehlo.select"(%arg0, %arg1, %1) : (tensor<28xi1>, tensor<28xf32>, tensor<28xf32>) -> tensor<28xf32>
    "func.return"(%2) : (tensor<28xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
