// RUN: graph-opt %s --resolve-strategy --split-input-file | FileCheck %s
// RUN: graph-opt %s --resolve-strategy --resolve-strategy --split-input-file | FileCheck %s

// What is asked for is gone; every default is said in the one attribute that is left.

// CHECK: #graph.distribution<strategy = "one_device", mesh = #graph.mesh<["data" = 1], ["/job:worker/task:1/device:CPU:0"]>, stores = ["/job:worker/task:1/device:CPU:0"], micro_batches = 4, sum_leaves = 4>
// CHECK-NOT: graph.strategy
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], chief = "/job:worker/task:1">, graph.strategy = #graph.strategy<name = "one_device", micro_batches = 4>} {}

// -----

// CHECK: #graph.distribution<strategy = "parameter_server", mesh = #graph.mesh<["data" = 2], ["/job:worker/task:0-1/device:CPU:0"]>, stores = ["/job:ps/task:0/device:CPU:0", "/job:ps/task:1/device:CPU:0"]
// CHECK-NOT: graph.strategy
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 2, worker = 2], chief = "/job:worker/task:0">, graph.strategy = #graph.strategy<name = "parameter_server">} {}

// -----

// As many replicas as there are do not leave any out.
// CHECK: #graph.distribution<strategy = "parameter_server"{{.*}}/job:ps/task:1/device:CPU:0"]
// CHECK-NOT: graph.strategy
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 2, worker = 2], chief = "/job:worker/task:0">, graph.strategy = #graph.strategy<name = "parameter_server", replicas_to_aggregate = 2>} {}

// -----

// The replicas that are asked for, and not all workers.
// CHECK: mesh = #graph.mesh<["data" = 1], ["/job:worker/task:1/device:CPU:0"]>, stores = [{{.*}}], async = true, max_staleness = 3
// CHECK-NOT: graph.strategy
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 2, worker = 2], chief = "/job:worker/task:0">, graph.strategy = #graph.strategy<name = "parameter_server", async = true, max_staleness = 3>, graph.replicas = #graph.replicas<["/job:worker/task:1"]>} {}

// -----

// How variables are split: by default as many parts as servers, of 256 KiB at least.
// CHECK: placement = "split", min_shard_bytes = 262144, max_shards = 2>
// CHECK-NOT: graph.strategy
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 2, worker = 2], chief = "/job:worker/task:0">, graph.strategy = #graph.strategy<name = "parameter_server">, graph.variable_placement = "split"} {}

// -----

// CHECK: placement = "split", min_shard_bytes = 64, max_shards = 5>
// CHECK-NOT: graph.strategy
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 2, worker = 2], chief = "/job:worker/task:0">, graph.strategy = #graph.strategy<name = "parameter_server">, graph.variable_placement = "split", graph.min_shard_bytes = 64 : i64, graph.max_shards = 5 : i64} {}

// -----

// CHECK: mesh = #graph.mesh<["data" = 3], ["/job:chief/task:0/device:CPU:0", "/job:worker/task:0-1/device:CPU:0"]>, stores = ["/job:chief/task:0/device:CPU:0"], {{.*}}bucket_bytes = 4194304>
// CHECK-NOT: graph.strategy
module attributes {graph.cluster = #graph.cluster<jobs = [chief = 1, worker = 2], chief = "/job:chief/task:0">, graph.strategy = #graph.strategy<name = "all_reduce">} {}

// -----

// Every tower does its share of the updates.
// CHECK: #graph.distribution<strategy = "mirrored", mesh = #graph.mesh<["data" = 2], ["/job:worker/task:0-1/device:CPU:0"]>, stores = ["/job:worker/task:0/device:CPU:0", "/job:worker/task:1/device:CPU:0"], {{.*}}placement = "balanced">
// CHECK-NOT: graph.strategy
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], chief = "/job:worker/task:0">, graph.strategy = #graph.strategy<name = "mirrored">} {}

// -----

// CHECK: mesh = #graph.mesh<["data" = 2], ["/job:worker/task:0-1/device:CPU:0"]>, stores = ["/job:ps/task:0/device:CPU:0", "/job:ps/task:1/device:CPU:0"], in_graph = true
// CHECK-NOT: graph.strategy
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 2, worker = 2], chief = "/job:worker/task:0">, graph.strategy = #graph.strategy<name = "parameter_server", in_graph = true>} {}

// -----

// What belongs to other strategies is not taken along.
// CHECK: #graph.distribution<strategy = "one_device", mesh = #graph.mesh<["data" = 1], ["/job:worker/task:0/device:CPU:0"]>, stores = ["/job:worker/task:0/device:CPU:0"]>
// CHECK-NOT: graph.strategy
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], chief = "/job:worker/task:0">, graph.strategy = #graph.strategy<name = "one_device", in_graph = true>} {}
