// RUN: graph-opt %s | graph-opt - | FileCheck %s

// The resolved strategy prints as it is written; a default is not said.
// CHECK: graph.distribution = #graph.distribution<strategy = "one_device", mesh = #graph.mesh<["data" = 1], ["/job:worker/task:0/device:CPU:0"]>, stores = ["/job:worker/task:0/device:CPU:0"], micro_batches = 3>
module attributes {graph.distribution = #graph.distribution<strategy = "one_device", mesh = #graph.mesh<["data" = 1], ["/job:worker/task:0/device:CPU:0"]>,
                                                            stores = ["/job:worker/task:0/device:CPU:0"], micro_batches = 3, async = false>} {}
// CHECK: #graph.distribution<strategy = "parameter_server", mesh = #graph.mesh<["data" = 3], ["/job:chief/task:0/device:CPU:0", "/job:worker/task:0-1/device:CPU:0"]>, stores = ["/job:ps/task:0/device:CPU:0", "/job:ps/task:1/device:CPU:0"], async = true, micro_batches = 3, max_staleness = 2, placement = "split", min_shard_bytes = 1024, max_shards = 2>
module attributes {graph.distribution = #graph.distribution<strategy = "parameter_server", mesh = #graph.mesh<["data" = 3], ["/job:chief/task:0/device:CPU:0", "/job:worker/task:0-1/device:CPU:0"]>,
                                                            stores = ["/job:ps/task:0/device:CPU:0", "/job:ps/task:1/device:CPU:0"], async = true, micro_batches = 3, max_staleness = 2,
                                                            placement = "split", min_shard_bytes = 1024, max_shards = 2>} {}
// CHECK: #graph.distribution<strategy = "all_reduce", mesh = #graph.mesh<["data" = 2], ["/job:worker/task:0-1/device:CPU:1"]>, stores = ["/job:worker/task:0/device:CPU:1"], micro_batches = 4, sum_leaves = 4, fast = true, bucket_bytes = 64>
module attributes {graph.distribution = #graph.distribution<strategy = "all_reduce", mesh = #graph.mesh<["data" = 2], ["/job:worker/task:0-1/device:CPU:1"]>,
                                                            stores = ["/job:worker/task:0/device:CPU:1"], micro_batches = 4, sum_leaves = 4, fast = true, bucket_bytes = 64>} {}
// CHECK: #graph.distribution<strategy = "parameter_server", mesh = #graph.mesh<["data" = 2], ["/job:worker/task:0-1/device:CPU:0"]>, stores = ["/job:ps/task:0/device:CPU:0"], micro_batches = 2, replicas_to_aggregate = 1>
module attributes {graph.distribution = #graph.distribution<strategy = "parameter_server", mesh = #graph.mesh<["data" = 2], ["/job:worker/task:0-1/device:CPU:0"]>,
                                                            stores = ["/job:ps/task:0/device:CPU:0"], micro_batches = 2, replicas_to_aggregate = 1>} {}
// CHECK: #graph.distribution<strategy = "all_reduce", mesh = #graph.mesh<["data" = 2], ["/job:worker/task:0-1/device:CPU:0"]>, stores = ["/job:worker/task:0/device:CPU:0"], in_graph = true, micro_batches = 2>
module attributes {graph.distribution = #graph.distribution<strategy = "all_reduce", mesh = #graph.mesh<["data" = 2], ["/job:worker/task:0-1/device:CPU:0"]>,
                                                            stores = ["/job:worker/task:0/device:CPU:0"], in_graph = true, micro_batches = 2>} {}
// CHECK: #graph.distribution<strategy = "all_reduce", mesh = #graph.mesh<["data" = 4], ["/job:worker/task:0-3/device:CPU:0"]>, stores = ["/job:worker/task:0/device:CPU:0"], micro_batches = 4, hosts = 2>
module attributes {graph.distribution = #graph.distribution<strategy = "all_reduce", mesh = #graph.mesh<["data" = 4], ["/job:worker/task:0-3/device:CPU:0"]>,
                                                            stores = ["/job:worker/task:0/device:CPU:0"], micro_batches = 4, hosts = 2>} {}
