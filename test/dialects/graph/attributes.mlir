// RUN: graph-opt %s | graph-opt - | FileCheck %s

// CHECK: module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 2], chief = "/job:worker/task:0">,
// CHECK-SAME: graph.replicas = #graph.replicas<["/job:worker/task:0-1"]>, graph.stage = "placed",
// CHECK-SAME: graph.strategy = #graph.strategy<name = "parameter_server", async = true>}
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 2], chief = "/job:worker/task:0">,
                   graph.replicas = #graph.replicas<["/job:worker/task:0-1"]>, graph.stage = "placed",
                   graph.strategy = #graph.strategy<name = "parameter_server", async = true>} {
  // Long, short, in capitals or not, partial, with a replica or open parts: one canonical form.
  func.func @devices(%a: tensor<f32>) {
    // CHECK: graph.negate %arg0 {graph.device = #graph.device<"/job:worker/task:0/device:GPU:1">}
    %0 = graph.negate %a {graph.device = #graph.device<"/job:worker/replica:0/task:0/device:GPU:1">} : tensor<f32>
    // CHECK: graph.negate %arg0 {graph.device = #graph.device<"/device:GPU:1">}
    %1 = graph.negate %a {graph.device = #graph.device<"/gpu:1">} : tensor<f32>
    // CHECK: graph.negate %arg0 {graph.device = #graph.device<"/task:3/device:CPU:0">}
    %2 = graph.negate %a {graph.device = #graph.device<"/task:3/device:cpu:0">} : tensor<f32>
    // CHECK: graph.negate %arg0 {graph.device = #graph.device<"/job:ps">}
    %3 = graph.negate %a {graph.device = #graph.device<"/job:ps/task:*">} : tensor<f32>
    // CHECK: graph.negate %arg0 {graph.device = #graph.device<"/device:CPU">}
    %4 = graph.negate %a {graph.device = #graph.device<"/device:CPU:*">} : tensor<f32>
    // CHECK: graph.negate %arg0 {graph.device = #graph.device<"">}
    %5 = graph.negate %a {graph.device = #graph.device<"/job:*/device:*">} : tensor<f32>
    return
  }
}

// CHECK: graph.strategy = #graph.strategy<name = "mirrored", devices = ["/job:worker/task:0/device:CPU:1"]>
module attributes {graph.strategy = #graph.strategy<name = "mirrored", devices = ["/job:worker/task:0/device:CPU:1"]>} {}
// CHECK: graph.strategy = #graph.strategy<name = "all_reduce", fast = true, bucket_bytes = 65536>
module attributes {graph.strategy = #graph.strategy<name = "all_reduce", fast = true, bucket_bytes = 65536>} {}
// CHECK: graph.strategy = #graph.strategy<name = "parameter_server", async = true, max_staleness = 0>
module attributes {graph.strategy = #graph.strategy<name = "parameter_server", async = true, max_staleness = 0>} {}
// CHECK: graph.strategy = #graph.strategy<name = "parameter_server", in_graph = true, replicas_to_aggregate = 2>
module attributes {graph.strategy = #graph.strategy<name = "parameter_server", in_graph = true, replicas_to_aggregate = 2>} {}
// CHECK: graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 2], devices = [worker = ["CPU:0", "CPU:1"]], chief = "/job:worker/task:0">
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 2], devices = [worker = ["CPU:0", "CPU:1"]], chief = "/job:worker/task:0">} {}
