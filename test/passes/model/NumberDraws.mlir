// RUN: graph-opt --number-draws --split-input-file %s | FileCheck %s
// RUN: graph-opt --number-draws --differentiate --simplify --split-input-file %s | FileCheck %s --check-prefix=GRADIENT

// Two that are equal are two, and each gradient has its op's number.
// CHECK-LABEL: graph.func @twice
// GRADIENT-LABEL: graph.func @twice
graph.variable @w : tensor<4xf32> = #graph.zeros
graph.func @twice() attributes {role = #graph.role<train>} {
  %w = graph.read @w : tensor<4xf32>
  // CHECK: %[[N:.*]] = graph.micro_batch_index
  // CHECK: %[[A:.*]] = graph.dropout %{{.*}} at %[[N]] {draw = 0 : i64, rate = 5.000000e-01 : f64}
  // CHECK: %[[B:.*]] = graph.dropout %{{.*}} at %[[N]] {draw = 1 : i64, rate = 5.000000e-01 : f64}
  // GRADIENT: %[[N:.*]] = graph.micro_batch_index
  // GRADIENT: %[[A:.*]] = graph.dropout %{{.*}} at %[[N]] {draw = 0 : i64
  // GRADIENT: %[[B:.*]] = graph.dropout %{{.*}} at %[[N]] {draw = 1 : i64
  %a = graph.dropout %w {rate = 0.5} : tensor<4xf32>
  %b = graph.dropout %w {rate = 0.5} : tensor<4xf32>
  %p = graph.multiply %a, %b : tensor<4xf32>
  %loss = graph.reduce_sum %p dimensions = [0] : (tensor<4xf32>) -> tensor<f32>
  // GRADIENT-DAG: graph.dropout %[[A]] at %[[N]] {draw = 1 : i64
  // GRADIENT-DAG: graph.dropout %[[B]] at %[[N]] {draw = 0 : i64
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.1>} : tensor<f32>
  graph.return
}

// -----

// What the model numbers keeps its number, and nobody else gets it. A scalar of the model's own is left.
// CHECK-LABEL: graph.func @given
graph.func @given(%k: tensor<i64>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) attributes {role = #graph.role<predict>} {
  // CHECK: %[[N:.*]] = graph.micro_batch_index
  // CHECK: graph.random_uniform at %[[N]] {draw = 1 : i64}
  %a = graph.random_uniform : tensor<4xf32>
  // CHECK: graph.random_uniform at %[[N]] {draw = 0 : i64}
  %b = graph.random_uniform {draw = 0} : tensor<4xf32>
  // CHECK: graph.random_normal at %arg0 {draw = 2 : i64}
  %c = graph.random_normal at %k {draw = 2} : tensor<4xf32>
  // CHECK: graph.random_uniform at %[[N]] {draw = 3 : i64}
  %d = graph.random_uniform : tensor<4xf32>
  graph.return %a, %b, %c, %d : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
