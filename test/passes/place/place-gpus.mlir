// RUN: graph-opt %s --resolve-strategy --place --verify-placed --split-input-file --verify-diagnostics | FileCheck %s
// A task computes on its GPUs where it has some; job ps stores in the memory of its CPU. What the model names counts more, in TensorFlow's
// words: full names, parts of them, /gpu:0 and /device:gpu:0; an inner name leaves to an outer one what it does not say.

// CHECK: mesh = #graph.mesh<["data" = 1], ["/job:worker/task:0/device:GPU:0"]>, stores = ["/job:worker/task:0/device:GPU:0"]
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], devices = [worker = ["CPU:0", "GPU:0", "GPU:1"]], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "in_graph">} {
// CHECK: @w {{.*}}"/job:worker/task:0/device:GPU:0"
graph.variable @w : tensor<4xf32> = #graph.zeros
// CHECK: @there {{.*}}"/job:worker/task:1/device:GPU:0"
graph.variable @there : tensor<4xf32> = #graph.zeros {graph.device = #graph.device<"/task:1">}
// CHECK: @host {{.*}}"/job:worker/task:1/device:CPU:0"
graph.variable @host : tensor<4xf32> = #graph.zeros {graph.device = #graph.device<"/job:worker/task:1/cpu:0">}
graph.dataset @d : (tensor<4xf32>) = #graph.synthetic<samples = 100, seed = 7>
// CHECK: graph.func @train{{.*}}"/job:worker/task:0/device:GPU:0"
graph.func @train() -> (tensor<1x4xf32>) attributes {role = #graph.role<train>} {
  // CHECK: graph.next_batch {{.*}}task:0/device:GPU:0
  %x = graph.next_batch @d {batch = 1} : tensor<1x4xf32>
  // CHECK: graph.tanh {{.*}}task:0/device:GPU:0
  %a = graph.tanh %x : tensor<1x4xf32>
  // CHECK: graph.abs {{.*}}task:0/device:CPU:0
  %b = graph.abs %a {graph.device = #graph.device<"/device:cpu:*">} : tensor<1x4xf32>
  // CHECK: graph.negate {{.*}}task:1/device:GPU:0
  %c = graph.negate %b {graph.device = #graph.device<"/job:worker/task:1">} : tensor<1x4xf32>
  // CHECK: graph.abs {{.*}}task:1/device:GPU:1
  %e = graph.abs %c {graph.device = #graph.device<"/task:1/GPU:1">} : tensor<1x4xf32>
  // CHECK: graph.sqrt {{.*}}task:0/device:GPU:1
  %f = graph.sqrt %e {graph.device = #graph.device<"/gpu:1">} : tensor<1x4xf32>
  // CHECK: graph.exponential {{.*}}task:0/device:GPU:0
  %g = graph.exponential %f {graph.device = #graph.device<"/job:worker">} : tensor<1x4xf32>
  graph.return %g : tensor<1x4xf32>
}
}

// -----

// CHECK: mesh = #graph.mesh<["data" = 2], ["/job:worker/task:0-1/device:GPU:0"]>, stores = ["/job:ps/task:0/device:CPU:0", "/job:ps/task:1/device:CPU:0"]
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 2, worker = 2], devices = [ps = ["GPU:0", "CPU:0"], worker = ["CPU:0", "GPU:0"]], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server">} {
// CHECK: @a {{.*}}"/job:ps/task:0/device:CPU:0"
graph.variable @a : tensor<4xf32> = #graph.zeros
// The task of two that has less there.
// CHECK: @b {{.*}}"/job:ps/task:0/device:GPU:0"
graph.variable @b : tensor<4xf32> = #graph.zeros {graph.device = #graph.device<"/job:ps/gpu:0">}
// CHECK: @c {{.*}}"/job:ps/task:1/device:GPU:0"
graph.variable @c : tensor<4xf32> = #graph.zeros {graph.device = #graph.device<"/job:ps/gpu:0">}
// A rule deals over devices that store where nothing else is said.
// CHECK: @dealt {{.*}}"/job:ps/task:0/device:CPU:0"
graph.variable @dealt : tensor<4xf32> = #graph.zeros {graph.device = #graph.device<"/job:ps">, graph.device_rule = "round_robin"}
// CHECK: @second {{.*}}"/job:ps/task:1/device:CPU:0"
graph.variable @second : tensor<4xf32> = #graph.zeros {graph.device = #graph.device<"/job:ps">, graph.device_rule = "round_robin"}
graph.dataset @d : (tensor<4xf32>) = #graph.synthetic<samples = 100, seed = 7>
graph.func @train() -> () attributes {role = #graph.role<train>} {
  // The host takes batches, whatever the replica's device is.
  // CHECK: graph.next_batch {{.*}}"/job:worker/device:GPU:0"
  %x = graph.next_batch @d {batch = 1, graph.device = #graph.device<"/cpu:0">} : tensor<1x4xf32>
  // CHECK: graph.abs {{.*}}"/job:worker/device:GPU:0"
  // expected-remark @below {{is placed on "/device:CPU:0" by the model or a placement rule; every replica computes all of its part on one device, "/job:worker/device:GPU:0"}}
  %y = graph.abs %x {graph.device = #graph.device<"/cpu:0">} : tensor<1x4xf32>
  // CHECK: graph.reshape {{.*}}"/job:worker/device:GPU:0"
  %g = graph.reshape %y {graph.device = #graph.device<"/gpu:0">} : (tensor<1x4xf32>) -> tensor<4xf32>
  // CHECK: graph.apply_sgd @b{{.*}}"/job:ps/task:0/device:GPU:0"
  graph.apply_sgd @b, %g {learning_rate = 0.1} : tensor<4xf32>
  graph.return
}
}

// -----

// Towers are on the GPUs alone: of the chief's task where it has several, else of all workers.
// CHECK: mesh = #graph.mesh<["data" = 2], ["/job:worker/task:0/device:GPU:0", "/job:worker/task:0/device:GPU:1"]>
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], devices = [worker = ["CPU:0", "GPU:0", "GPU:1"]], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "mirrored">} {}

// -----

// CHECK: mesh = #graph.mesh<["data" = 2], ["/job:worker/task:0-1/device:GPU:0"]>
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], devices = [worker = ["CPU:0", "GPU:0"]], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "mirrored">} {}

// -----

// CHECK: mesh = #graph.mesh<["data" = 2], ["/job:worker/task:0-1/device:GPU:0"]>
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], devices = [worker = ["CPU:0", "GPU:0"]], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "all_reduce">} {}
