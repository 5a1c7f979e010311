// RUN: graph-opt --import-stablehlo --split-input-file %s | FileCheck %s

// A loop of three iterations, as lax.scan makes it: one behind the other, each with its number.
// CHECK-LABEL: graph.func private @scan(
// CHECK-SAME: %[[X:.*]]: tensor<3x4xf32>, %[[H:.*]]: tensor<4xf32>)
// CHECK: graph.constant dense<0>
// CHECK-NEXT: %[[N0:.*]] = graph.constant dense<0> : tensor<i32>
// CHECK: %[[R0:.*]] = graph.call @scan.at(%[[X]], %[[N0]])
// CHECK: %[[H1:.*]] = graph.add %[[H]], %[[R0]]
// CHECK: graph.constant dense<1>
// CHECK: %[[N1:.*]] = graph.constant dense<1> : tensor<i32>
// CHECK: %[[R1:.*]] = graph.call @scan.at(%[[X]], %[[N1]])
// CHECK: %[[H2:.*]] = graph.add %[[H1]], %[[R1]]
// CHECK: %[[N2:.*]] = graph.constant dense<2> : tensor<i32>
// CHECK: %[[R2:.*]] = graph.call @scan.at(%[[X]], %[[N2]])
// CHECK: %[[H3:.*]] = graph.add %[[H2]], %[[R2]]
// CHECK: graph.return %[[H3]]
func.func @scan(%x: tensor<3x4xf32>, %h: tensor<4xf32>) -> tensor<4xf32> {
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %r:3 = "stablehlo.while"(%x, %zero, %h) ({
  ^bb0(%a: tensor<3x4xf32>, %i: tensor<i32>, %b: tensor<4xf32>):
    %three = "stablehlo.constant"() <{value = dense<3> : tensor<i32>}> : () -> tensor<i32>
    %c = "stablehlo.compare"(%i, %three) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%a: tensor<3x4xf32>, %i: tensor<i32>, %b: tensor<4xf32>):
    %row = func.call @at(%a, %i) : (tensor<3x4xf32>, tensor<i32>) -> tensor<4xf32>
    %next = "stablehlo.add"(%b, %row) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %one = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %j = "stablehlo.add"(%one, %i) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%a, %j, %next) : (tensor<3x4xf32>, tensor<i32>, tensor<4xf32>) -> ()
  }) : (tensor<3x4xf32>, tensor<i32>, tensor<4xf32>) -> (tensor<3x4xf32>, tensor<i32>, tensor<4xf32>)
  return %r#2 : tensor<4xf32>
}
func.func private @at(%x: tensor<3x4xf32>, %i: tensor<i32>) -> tensor<4xf32> {
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %s = "stablehlo.dynamic_slice"(%x, %i, %zero) <{slice_sizes = array<i64: 1, 4>}> : (tensor<3x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
  %y = "stablehlo.reshape"(%s) : (tensor<1x4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// The bound may be carried along, and inclusive; steps may be longer. 2, 5, 8.
// CHECK-LABEL: graph.func private @steps(
// CHECK-COUNT-3: graph.negate
// CHECK-NOT: graph.negate
// CHECK: graph.return
func.func @steps(%x: tensor<4xf32>) -> tensor<4xf32> {
  %two = "stablehlo.constant"() <{value = dense<2> : tensor<i64>}> : () -> tensor<i64>
  %eight = "stablehlo.constant"() <{value = dense<8> : tensor<i64>}> : () -> tensor<i64>
  %r:3 = "stablehlo.while"(%two, %eight, %x) ({
  ^bb0(%i: tensor<i64>, %n: tensor<i64>, %a: tensor<4xf32>):
    %c = "stablehlo.compare"(%i, %n) <{comparison_direction = #stablehlo<comparison_direction LE>}> : (tensor<i64>, tensor<i64>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%i: tensor<i64>, %n: tensor<i64>, %a: tensor<4xf32>):
    %b = "stablehlo.negate"(%a) : (tensor<4xf32>) -> tensor<4xf32>
    %three = "stablehlo.constant"() <{value = dense<3> : tensor<i64>}> : () -> tensor<i64>
    %j = "stablehlo.add"(%i, %three) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    "stablehlo.return"(%j, %n, %b) : (tensor<i64>, tensor<i64>, tensor<4xf32>) -> ()
  }) : (tensor<i64>, tensor<i64>, tensor<4xf32>) -> (tensor<i64>, tensor<i64>, tensor<4xf32>)
  return %r#2 : tensor<4xf32>
}

// -----

// None at all.
// CHECK-LABEL: graph.func private @none(
// CHECK-NOT: graph.negate
// CHECK: graph.return %arg0
func.func @none(%x: tensor<4xf32>) -> tensor<4xf32> {
  %eight = "stablehlo.constant"() <{value = dense<8> : tensor<i32>}> : () -> tensor<i32>
  %r:2 = "stablehlo.while"(%eight, %x) ({
  ^bb0(%i: tensor<i32>, %a: tensor<4xf32>):
    %n = "stablehlo.constant"() <{value = dense<8> : tensor<i32>}> : () -> tensor<i32>
    %c = "stablehlo.compare"(%i, %n) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%i: tensor<i32>, %a: tensor<4xf32>):
    %b = "stablehlo.negate"(%a) : (tensor<4xf32>) -> tensor<4xf32>
    %one = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %j = "stablehlo.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%j, %b) : (tensor<i32>, tensor<4xf32>) -> ()
  }) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
  return %r#1 : tensor<4xf32>
}
