// RUN: graph-opt %s --resolve-strategy --place --verify-placed | FileCheck %s
// RUN: graph-opt %s --resolve-strategy --place --verify-placed | graph-opt --verify-placed | FileCheck %s
// Round robin over the tasks of job ps in declaration order; a slot follows its variable and takes no turn; compute is
// left to the replicas; state is touched where it is stored.

// CHECK: module attributes {{.*}}mesh = #graph.mesh<["data" = 2], ["/job:worker/task:0-1/device:CPU:0"]>
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 2, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server">} {
// CHECK: graph.variable @a {{.*}}"/job:ps/task:0/device:CPU:0"
graph.variable @a : tensor<4xf32> = #graph.zeros
// CHECK: graph.variable @"a/Momentum" {{.*}}"/job:ps/task:0/device:CPU:0"
graph.variable @"a/Momentum" : tensor<4xf32> = #graph.zeros {trainable = false, graph.slot_of = @a}
// CHECK: graph.variable @b {{.*}}"/job:ps/task:1/device:CPU:0"
graph.variable @b : tensor<4xf32> = #graph.zeros
// CHECK: graph.variable @global_step {{.*}}"/job:ps/task:0/device:CPU:0"
graph.variable @global_step : tensor<i64> = #graph.zeros {trainable = false}
// A request is kept, and does not take a turn either.
// CHECK: graph.variable @requested {{.*}}"/job:ps/task:0/device:CPU:0"
graph.variable @requested : tensor<4xf32> = #graph.zeros {graph.device = #graph.device<"/job:ps/task:0">}
// CHECK: graph.variable @c {{.*}}"/job:ps/task:1/device:CPU:0"
graph.variable @c : tensor<4xf32> = #graph.zeros {trainable = false, aggregation = "mean"}

// CHECK: graph.func @train{{.*}}graph.device = #graph.device<"/job:worker/device:CPU:0">
graph.func @train(%x: tensor<4xf32>) -> (tensor<4xf32>) attributes {role = #graph.role<train>} {
  // A constant stands where it is first used.
  // CHECK: graph.constant dense<1> {{.*}}"/job:ps/task:0/device:CPU:0"
  %one = graph.constant dense<1> : tensor<i64>
  // CHECK: graph.read @a {{.*}}"/job:ps/task:0/device:CPU:0"
  %a = graph.read @a : tensor<4xf32>
  // CHECK: graph.read @b {{.*}}"/job:ps/task:1/device:CPU:0"
  %b = graph.read @b : tensor<4xf32>
  // CHECK: graph.multiply {{.*}}"/job:worker/device:CPU:0"
  %g = graph.multiply %a, %x : tensor<4xf32>
  // What makes the value of an assignment from state alone follows the variable.
  // CHECK: graph.add {{.*}}"/job:ps/task:1/device:CPU:0"
  %s = graph.add %a, %b : tensor<4xf32>
  // CHECK: graph.assign @c{{.*}}"/job:ps/task:1/device:CPU:0"
  graph.assign @c, %s : tensor<4xf32>
  // CHECK: graph.apply_momentum @a{{.*}}"/job:ps/task:0/device:CPU:0"
  graph.apply_momentum @a, @"a/Momentum", %g {learning_rate = 0.1, momentum = 0.9} : tensor<4xf32>
  // CHECK: graph.assign_add @global_step{{.*}}"/job:ps/task:0/device:CPU:0"
  graph.assign_add @global_step, %one : tensor<i64>
  graph.return %g : tensor<4xf32>
}
// Evaluation is the chief's alone.
// CHECK: graph.func @eval{{.*}}graph.device = #graph.device<"/job:worker/task:0/device:CPU:0">
graph.func @eval() -> (tensor<4xf32>) attributes {role = #graph.role<eval>} {
  // CHECK: graph.read @b {{.*}}"/job:ps/task:1/device:CPU:0"
  %b = graph.read @b : tensor<4xf32>
  // CHECK: graph.negate {{.*}}"/job:worker/task:0/device:CPU:0"
  %n = graph.negate %b : tensor<4xf32>
  graph.return %n : tensor<4xf32>
}
}
