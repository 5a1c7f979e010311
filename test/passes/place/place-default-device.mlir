// RUN: graph-opt %s --resolve-strategy --place --verify-placed --partition --verify-partitioned --split-input-file --verify-diagnostics | FileCheck %s
// What no request places goes to the first device of a task, in the cluster's order; programs of two devices of a task have two names.

// CHECK-LABEL: chief = "/job:worker/task:0"
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 1], devices = [worker = ["CPU:1", "CPU:0"]], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "in_graph">} {
// CHECK: graph.variable @w {{.*}}"/job:worker/task:0/device:CPU:1"
graph.variable @w : tensor<4xf32> = #graph.zeros
// CHECK-DAG: dist.program @f.worker0 of @f on "/job:worker/task:0/device:CPU:1"
// CHECK-DAG: dist.program @f.worker0.cpu0 of @f on "/job:worker/task:0/device:CPU:0"
graph.func @f(%x: tensor<4xf32> {graph.name = "x"}) -> (tensor<4xf32>) attributes {role = #graph.role<predict>} {
  %w = graph.read @w : tensor<4xf32>
  %y = graph.tanh %w {graph.device = #graph.device<"/cpu:0">} : tensor<4xf32>
  %z = graph.add %x, %y : tensor<4xf32>
  graph.return %z : tensor<4xf32>
}
}

// -----

// Replicas are one program: their jobs' first devices have to agree.
// expected-error @below {{replicas are alike, but a task of job chief computes on CPU:1 and one of job worker on CPU:0}}
module attributes {graph.cluster = #graph.cluster<jobs = [chief = 1, worker = 2], devices = [chief = ["CPU:1", "CPU:0"]], chief = "/job:chief/task:0">,
                   graph.strategy = #graph.strategy<name = "all_reduce">} {
}
