// RUN: graph-opt --inline-calls --flatten-scopes --number-draws --simplify %s | FileCheck %s

// One layer, called in training twice and in evaluation: there it drops nothing, but where it says so.
graph.func private @layer(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.dropout %x {rate = 0.5} : tensor<4xf32>
  %b = graph.dropout %a {rate = 0.25, training_mode = true} : tensor<4xf32>
  %c = graph.dropout %b {rate = 0.125, training_mode = false} : tensor<4xf32>
  graph.return %c : tensor<4xf32>
}
// CHECK-LABEL: graph.func @train
// CHECK: %[[N:.*]] = graph.micro_batch_index
// CHECK-NEXT: %[[A:.*]] = graph.dropout %arg0 at %[[N]] {draw = 0 : i64, rate = 5.000000e-01 : f64}
// CHECK-NEXT: %[[B:.*]] = graph.dropout %[[A]] at %[[N]] {draw = 1 : i64, rate = 2.500000e-01 : f64, training_mode = true}
// CHECK-NEXT: %[[C:.*]] = graph.dropout %[[B]] at %[[N]] {draw = 3 : i64, rate = 5.000000e-01 : f64}
// CHECK-NEXT: %[[D:.*]] = graph.dropout %[[C]] at %[[N]] {draw = 4 : i64, rate = 2.500000e-01 : f64, training_mode = true}
// CHECK-NEXT: graph.return %[[D]]
graph.func @train(%x: tensor<4xf32>) -> tensor<4xf32> attributes {role = #graph.role<train>} {
  %a = graph.call @layer(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %b = graph.call @layer(%a) : (tensor<4xf32>) -> tensor<4xf32>
  graph.return %b : tensor<4xf32>
}
// CHECK-LABEL: graph.func @eval
// CHECK: %[[N:.*]] = graph.micro_batch_index
// CHECK-NEXT: %[[A:.*]] = graph.dropout %arg0 at %[[N]] {draw = 1 : i64, rate = 2.500000e-01 : f64, training_mode = true}
// CHECK-NEXT: graph.return %[[A]]
graph.func @eval(%x: tensor<4xf32>) -> tensor<4xf32> attributes {role = #graph.role<eval>} {
  %a = graph.call @layer(%x) : (tensor<4xf32>) -> tensor<4xf32>
  graph.return %a : tensor<4xf32>
}
