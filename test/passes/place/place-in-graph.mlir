// RUN: graph-opt %s --resolve-strategy --place --verify-placed --split-input-file | FileCheck %s
// Requests, then operands, then the chief; rules by name beat requests; partial names keep what they leave open.

module attributes {graph.cluster = #graph.cluster<jobs = [task = 3], chief = "/job:task/task:0">,
                   graph.strategy = #graph.strategy<name = "in_graph">,
                   graph.placement = [["embed*_?", #graph.device<"/job:task/task:2">],
                                      ["decoder/*", #graph.device<"/task:1">]]} {
// CHECK: @w {{.*}}"/job:task/task:1/device:CPU:0"
graph.variable @w : tensor<4xf32> = #graph.zeros {graph.device = #graph.device<"/task:1">}
// CHECK: @embedding_a {{.*}}"/job:task/task:2/device:CPU:0"
graph.variable @embedding_a : tensor<4xf32> = #graph.zeros {graph.device = #graph.device<"/task:1">}
// CHECK: @embedding_ab {{.*}}"/job:task/task:0/device:CPU:0"
graph.variable @embedding_ab : tensor<4xf32> = #graph.zeros {trainable = false, graph.device = #graph.device<"/cpu:0">}
graph.func @train() -> (tensor<4xf32>) attributes {role = #graph.role<train>} {
  // CHECK: graph.read @w {{.*}}task:1
  %w = graph.read @w {graph.device = #graph.device<"/job:task">} : tensor<4xf32>
  // CHECK: graph.constant {{.*}}task:1
  %c = graph.constant dense<2.0> : tensor<4xf32>
  // CHECK: graph.multiply {{.*}}task:1
  %m = graph.multiply %c, %w : tensor<4xf32>
  // CHECK: graph.negate {{.*}}task:2
  %n = graph.negate %m {graph.device = #graph.device<"/task:2/cpu:0">} : tensor<4xf32>
  // CHECK: graph.add {{.*}}task:2
  %a = graph.add %n, %m : tensor<4xf32>
  // A rule matches operations by the name that loc() gives them.
  // CHECK: graph.abs {{.*}}task:1
  %named = graph.abs %a {graph.device = #graph.device<"/task:2">} : tensor<4xf32> loc("decoder/dense")
  // CHECK: graph.iota {{.*}}task:0
  %i = graph.iota dimension = 0 : tensor<4xf32>
  // CHECK: graph.abs {{.*}}task:0
  %j = graph.abs %i : tensor<4xf32>
  // CHECK: graph.apply_sgd @w{{.*}}task:1
  graph.apply_sgd @w, %named {learning_rate = 0.1} : tensor<4xf32>
  // CHECK: graph.return {{.*}}task:0
  graph.return %j : tensor<4xf32>
}
}
// -----

// Variables without a request go where the first operation that has one touches them; colocated ones beside their variable,
// slots and all; colocated operations too, their gradients with them.
module attributes {graph.cluster = #graph.cluster<jobs = [task = 3], devices = [task = ["CPU:0", "CPU:1"]], chief = "/job:task/task:0">,
                   graph.strategy = #graph.strategy<name = "in_graph">} {
// CHECK-LABEL: devices = [task = ["CPU:0", "CPU:1"]]
// CHECK: @v {{.*}}"/job:task/task:2/device:CPU:1"
graph.variable @v : tensor<4xf32> = #graph.zeros
// CHECK: @beside {{.*}}"/job:task/task:2/device:CPU:1"
graph.variable @beside : tensor<4xf32> = #graph.zeros {graph.colocate_with = @v}
// CHECK: @"beside/Momentum" {{.*}}"/job:task/task:2/device:CPU:1"
graph.variable @"beside/Momentum" : tensor<4xf32> = #graph.zeros {trainable = false, graph.slot_of = @beside}
graph.func @train(%x: tensor<4xf32>) -> (tensor<4xf32>) attributes {role = #graph.role<train>} {
  %v = graph.read @v {graph.device = #graph.device<"/task:2/cpu:1">} : tensor<4xf32>
  // CHECK: graph.abs {{.*}}task:2/device:CPU:1
  %a = graph.abs %x {graph.colocate_with = @beside} : tensor<4xf32>
  // CHECK: graph.negate {{.*}}task:0/device:CPU:1
  %n = graph.negate %a {graph.device = #graph.device<"/cpu:1">} : tensor<4xf32>
  graph.return %n : tensor<4xf32>
}
}

// -----

// What the rules of scopes leave on variables (flatten-scopes): dealt in turn or by bytes over the devices left open, or
// all on one.
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 2, worker = 1], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "in_graph">} {
// CHECK-LABEL: jobs = [ps = 2, worker = 1]
// CHECK: @r0 {{.*}}"/job:ps/task:0/
graph.variable @r0 : tensor<4xf32> = #graph.zeros {graph.device = #graph.device<"/job:ps">, graph.device_rule = "round_robin"}
// CHECK: @r1 {{.*}}"/job:ps/task:1/
graph.variable @r1 : tensor<400xf32> = #graph.zeros {graph.device = #graph.device<"/job:ps">, graph.device_rule = "round_robin"}
// CHECK: @r2 {{.*}}"/job:ps/task:0/
graph.variable @r2 : tensor<4xf32> = #graph.zeros {graph.device = #graph.device<"/job:ps">, graph.device_rule = "round_robin"}
// CHECK: @b0 {{.*}}"/job:ps/task:1/
graph.variable @b0 : tensor<4xf32> = #graph.zeros {graph.device = #graph.device<"/job:ps">, graph.device_rule = "balanced"}
// CHECK: @b1 {{.*}}"/job:ps/task:0/
graph.variable @b1 : tensor<400xf32> = #graph.zeros {graph.device = #graph.device<"/job:ps">, graph.device_rule = "balanced"}
// CHECK: @b2 {{.*}}"/job:ps/task:1/
graph.variable @b2 : tensor<8xf32> = #graph.zeros {graph.device = #graph.device<"/job:ps">, graph.device_rule = "balanced"}
// CHECK: @p0 {{.*}}"/job:ps/task:0/
graph.variable @p0 : tensor<4xf32> = #graph.zeros {graph.device = #graph.device<"/job:ps">, graph.device_rule = "pin"}
// CHECK: @p1 {{.*}}"/job:ps/task:0/
graph.variable @p1 : tensor<4xf32> = #graph.zeros {graph.device = #graph.device<"/job:ps">, graph.device_rule = "pin"}
}
