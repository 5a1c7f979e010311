// RUN: graph-opt %s --resolve-strategy --place --verify-placed --split-input-file --verify-diagnostics | FileCheck %s
// Soft placement: where no device of the cluster is meant, any of the task will do, for operations, variables, rules and scopes alike; said
// once a request, with the operation's name.

// expected-remark @below {{placement rule "b" has no effect}}
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "in_graph">, graph.soft_placement,
                   graph.placement = [["a", #graph.device<"/task:1/gpu:0">], ["b", #graph.device<"/task:1/gpu:0">]]} {
// CHECK: @a {{.*}}"/job:worker/task:1/device:CPU:0"
// expected-remark @below {{'graph.variable' op is placed on "/task:1/device:GPU:0", which no device of the cluster is; soft placement takes "/job:worker/task:1/device:CPU:0"}}
graph.variable @a : tensor<4xf32> = #graph.zeros
// CHECK: @first {{.*}}"/job:worker/task:0/device:CPU:0"
graph.variable @first : tensor<4xf32> = #graph.zeros
// CHECK: @dealt {{.*}}"/job:worker/task:0/device:CPU:0"
// expected-remark @below {{'graph.variable' op is placed on "/job:worker/device:GPU:0", which no device of the cluster is; soft placement takes "/job:worker/task:0/device:CPU:0"}}
graph.variable @dealt : tensor<4xf32> = #graph.zeros {graph.device = #graph.device<"/job:worker/gpu:0">, graph.device_rule = "round_robin"}
// CHECK: @second {{.*}}"/job:worker/task:1/device:CPU:0"
graph.variable @second : tensor<4xf32> = #graph.zeros {graph.device = #graph.device<"/job:worker/gpu:0">, graph.device_rule = "round_robin"}
graph.func @train(%x: tensor<4xf32>) -> (tensor<4xf32>) attributes {role = #graph.role<train>} {
  // CHECK: graph.read @first {{.*}}task:0/device:CPU:0
  // expected-remark @below {{'graph.read' op is placed on "/device:GPU:1", which no device of the cluster is; soft placement takes "/job:worker/task:0/device:CPU:0"}}
  %w = graph.read @first {graph.device = #graph.device<"/gpu:1">} : tensor<4xf32>
  // State is where it is stored: no conflict.
  // CHECK: graph.read @a {{.*}}task:1/device:CPU:0
  %a = graph.read @a {graph.device = #graph.device<"/gpu:1">} : tensor<4xf32>
  // CHECK: graph.multiply {{.*}}task:1/device:CPU:0
  // expected-remark @below {{'graph.multiply' op "layer/product" is placed on "/job:worker/task:1/device:GPU:0", which no device of the cluster is; soft placement takes "/job:worker/task:1/device:CPU:0"}}
  %y = graph.multiply %x, %w {graph.device = #graph.device<"/job:worker/task:1/gpu:0">, graph.name = "layer/product"} : tensor<4xf32>
  %z = graph.add %y, %a : tensor<4xf32>
  graph.return %z : tensor<4xf32>
}
}

// -----

// A task that has GPUs keeps what is placed on another of them, as in TensorFlow; variables that are locked go to the CPU.
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 2], devices = [ps = ["CPU:0", "GPU:0"], worker = ["CPU:0", "GPU:0"]], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server", async = true>, graph.soft_placement} {
// CHECK: @w {{.*}}"/job:ps/task:0/device:CPU:0"
// expected-remark @below {{'graph.variable' op is placed on "/job:ps/device:GPU:0", where what is locked cannot be; soft placement takes "/job:ps/task:0/device:CPU:0"}}
graph.variable @w : tensor<4xf32> = #graph.zeros {graph.device = #graph.device<"/job:ps/gpu:0">}
graph.func @train(%x: tensor<4xf32>) -> (tensor<4xf32>) attributes {role = #graph.role<train>} {
  // CHECK: graph.negate {{.*}}"/job:worker/device:GPU:0"
  // expected-remark @below {{'graph.negate' op is placed on "/device:GPU:1", which no device of the cluster is; soft placement takes "/job:worker/device:GPU:0"}}
  %y = graph.negate %x {graph.device = #graph.device<"/gpu:1">} : tensor<4xf32>
  graph.return %y : tensor<4xf32>
}
}
