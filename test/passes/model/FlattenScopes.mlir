// RUN: graph-opt --flatten-scopes %s | FileCheck %s

// CHECK-LABEL: graph.func @nested
// CHECK-NOT: graph.scope
graph.func @nested(%a: tensor<4xf32>) -> tensor<4xf32> attributes {role = #graph.role<predict>} {
  %r = graph.scope -> (tensor<4xf32>) attributes {graph.device = #graph.device<"/job:worker/task:1">} {
    // CHECK: graph.negate %arg0 {graph.device = #graph.device<"/job:worker/task:1/device:GPU:1">}
    %b = graph.negate %a {graph.device = #graph.device<"/gpu:1">} : tensor<4xf32>
    %c = graph.scope -> (tensor<4xf32>) attributes {graph.device = #graph.device<"/job:ps">} {
      // The task belongs to the outer scope's job and is not taken.
      // CHECK: graph.abs %{{.*}} {graph.device = #graph.device<"/job:ps">}
      %d = graph.abs %b : tensor<4xf32>
      graph.yield %d : tensor<4xf32>
    }
    // CHECK: %[[E:.*]] = graph.exponential %{{.*}} {graph.device = #graph.device<"/job:worker/task:1">}
    %e = graph.exponential %c : tensor<4xf32>
    graph.yield %e : tensor<4xf32>
  }
  // CHECK: graph.return %[[E]]
  graph.return %r : tensor<4xf32>
}

// A scope that yields nothing, and ops after it stay where they were.
// CHECK-LABEL: graph.func @effects
graph.func @effects() attributes {role = #graph.role<predict>} {
  %a = graph.constant dense<1.0> : tensor<f32>
  graph.scope attributes {graph.device = #graph.device<"/cpu:0">} {
    // CHECK: graph.summary "first", %{{.*}} {graph.device = #graph.device<"/device:CPU:0">}
    graph.summary "first", %a : tensor<f32>
  }
  // CHECK: graph.summary "second", %{{[^{]*}} : tensor<f32>
  graph.summary "second", %a : tensor<f32>
  graph.return
}
