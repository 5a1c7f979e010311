// RUN: graph-opt %s --resolve-strategy --place --verify-placed --split-input-file | FileCheck %s
// Variables are dealt to the towers' devices by bytes; the batch is taken at the client; the towers' devices are said in
// the strategy from here on. Without devices the towers are those of the chief's task where it has several.

// CHECK: mesh = #graph.mesh<["data" = 2], ["/job:worker/task:0/device:CPU:0", "/job:worker/task:0/device:CPU:1"]>
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], devices = [worker = ["CPU:0", "CPU:1"]], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "mirrored">} {
// CHECK: @a {{.*}}"/job:worker/task:0/device:CPU:0"
graph.variable @a : tensor<4xf32> = #graph.zeros
// CHECK: @b {{.*}}"/job:worker/task:0/device:CPU:1"
graph.variable @b : tensor<4xf32> = #graph.zeros
graph.dataset @d : (tensor<4xf32>) = #graph.synthetic<samples = 100, seed = 7>
// CHECK: graph.func @train{{.*}}"/job:worker/task:0/device:CPU:0"
graph.func @train() -> () attributes {role = #graph.role<train>} {
  // CHECK: graph.next_batch {{.*}}"/job:worker/task:0/device:CPU:0"
  %x = graph.next_batch @d {batch = 1} : tensor<1x4xf32>
  %g = graph.reshape %x : (tensor<1x4xf32>) -> tensor<4xf32>
  // CHECK: graph.apply_sgd @b{{.*}}"/job:worker/task:0/device:CPU:1"
  graph.apply_sgd @b, %g {learning_rate = 0.1} : tensor<4xf32>
  graph.return
}
}

// -----

// One CPU a task: a tower on each of the chief's job and the workers.
// CHECK: mesh = #graph.mesh<["data" = 3], ["/job:chief/task:0/device:CPU:0", "/job:worker/task:0-1/device:CPU:0"]>
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, chief = 1, worker = 2], chief = "/job:chief/task:0">,
                   graph.strategy = #graph.strategy<name = "mirrored">} {
// CHECK: @a {{.*}}"/job:chief/task:0/device:CPU:0"
graph.variable @a : tensor<4xf32> = #graph.zeros
}

// -----

// A parameter server with in-graph replication: the variables on its tasks, a tower on each replica's.
// CHECK-NOT: graph.replicas
// CHECK: mesh = #graph.mesh<["data" = 2], ["/job:worker/task:0-1/device:CPU:0"]>, stores = [{{.*}}], in_graph = true
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 2], chief = "/job:worker/task:0">,
                   graph.replicas = #graph.replicas<["/job:worker/task:0-1"]>,
                   graph.strategy = #graph.strategy<name = "parameter_server", in_graph = true>} {
// CHECK: @a {{.*}}"/job:ps/task:0/device:CPU:0"
graph.variable @a : tensor<4xf32> = #graph.zeros
}

// -----

// All-reduce with in-graph replication: a tower on each worker too, also where the chief's task has several CPUs; the
// variables on the towers' devices.
// CHECK-NOT: graph.replicas
// CHECK: mesh = #graph.mesh<["data" = 2], ["/job:worker/task:0-1/device:CPU:0"]>, stores = [{{.*}}], in_graph = true
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], devices = [worker = ["CPU:0", "CPU:1"]], chief = "/job:worker/task:0">,
                   graph.replicas = #graph.replicas<["/job:worker/task:0-1"]>,
                   graph.strategy = #graph.strategy<name = "all_reduce", in_graph = true>} {
// CHECK: @a {{.*}}"/job:worker/task:0/device:CPU:0"
graph.variable @a : tensor<4xf32> = #graph.zeros
// CHECK: @b {{.*}}"/job:worker/task:1/device:CPU:0"
graph.variable @b : tensor<4xf32> = #graph.zeros
}
