// RUN: graph-opt --flatten-scopes %s | FileCheck %s

// A scope's rule is for the variables first used inside that have no device; its device is theirs, not that of the operations.
// CHECK: graph.variable @dealt {{.*}}{graph.device = #graph.device<"/job:ps">, graph.device_rule = "round_robin"}
graph.variable @dealt : tensor<4xf32> = #graph.zeros
// CHECK: graph.variable @own {{.*}}{graph.device = #graph.device<"/job:worker">}
graph.variable @own : tensor<4xf32> = #graph.zeros {graph.device = #graph.device<"/job:worker">}
// CHECK: graph.variable @pinned {{.*}}{graph.device = #graph.device<"/job:ps/task:1">, graph.device_rule = "pin"}
graph.variable @pinned : tensor<4xf32> = #graph.zeros
// CHECK-LABEL: graph.func @rules
graph.func @rules() -> tensor<4xf32> attributes {role = #graph.role<predict>} {
  %r = graph.scope -> (tensor<4xf32>) attributes {graph.device = #graph.device<"/job:worker">} {
    %s = graph.scope -> (tensor<4xf32>) attributes {graph.device = #graph.device<"/job:ps">, graph.device_rule = "round_robin"} {
      // CHECK: graph.read @dealt {graph.device = #graph.device<"/job:worker">}
      %a = graph.read @dealt : tensor<4xf32>
      %b = graph.read @own : tensor<4xf32>
      // CHECK: graph.add {{.*}}{graph.device = #graph.device<"/job:worker">}
      %c = graph.add %a, %b : tensor<4xf32>
      graph.yield %c : tensor<4xf32>
    }
    graph.yield %s : tensor<4xf32>
  }
  %p = graph.scope -> (tensor<4xf32>) attributes {graph.device = #graph.device<"/job:ps/task:1">, graph.device_rule = "pin"} {
    %d = graph.read @pinned : tensor<4xf32>
    // CHECK: graph.multiply {{.*}}{graph.device = #graph.device<"/job:ps/task:1">}
    %e = graph.multiply %r, %d : tensor<4xf32>
    graph.yield %e : tensor<4xf32>
  }
  // Colocation goes to what has neither a device nor a neighbour of its own.
  %q = graph.scope -> (tensor<4xf32>) attributes {graph.colocate_with = @own} {
    // CHECK: graph.negate {{.*}}{graph.colocate_with = @own}
    %f = graph.negate %p : tensor<4xf32>
    // CHECK: graph.abs {{.*}}{graph.device = #graph.device<"/device:CPU:0">}
    %g = graph.abs %f {graph.device = #graph.device<"/cpu:0">} : tensor<4xf32>
    graph.yield %g : tensor<4xf32>
  }
  graph.return %q : tensor<4xf32>
}

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

// A name is graph.name afterwards, whether the model gave it so or by the op's location.
// CHECK-LABEL: graph.func @names
graph.func @names(%x: tensor<4xf32>) -> tensor<4xf32> attributes {role = #graph.role<predict>} {
  // CHECK: graph.negate %{{.*}} {graph.name = "by/location"}
  %a = graph.negate %x : tensor<4xf32> loc("by/location")
  // CHECK: graph.abs %{{.*}} {graph.name = "by/attribute"}
  %b = graph.abs %a {graph.name = "by/attribute"} : tensor<4xf32>
  // CHECK: graph.negate %{{[^{]*}} :
  %c = graph.negate %b : tensor<4xf32>
  graph.return %c : tensor<4xf32>
}
