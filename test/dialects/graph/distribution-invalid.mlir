// RUN: graph-opt --split-input-file --verify-diagnostics %s

// (ME1)
// expected-error@+1 {{expected each axis of a mesh once, with a name and at least one place, got "data" = 0}}
module attributes {graph.distribution = #graph.mesh<["data" = 0], []>} {}

// -----

// (ME1)
// expected-error@+1 {{expected each axis of a mesh once, with a name and at least one place, got "data" = 2}}
module attributes {graph.distribution = #graph.mesh<["data" = 2, "data" = 2], ["/job:w/task:0-3/device:CPU:0"]>} {}

// -----

// (ME1)
// expected-error@+1 {{expected axes with names}}
module attributes {graph.distribution = #graph.mesh<["" = 2], ["/job:w/task:0-1/device:CPU:0"]>} {}

// -----

// (ME2)
// expected-error@+1 {{expected the devices of a mesh as strings such as "/job:worker/task:0-1/device:CPU:0", got "/job:w/task:0-1"}}
module attributes {graph.distribution = #graph.mesh<["data" = 2], ["/job:w/task:0-1"]>} {}

// -----

// (ME3)
// expected-error@+1 {{has the device "/job:w/task:1/device:CPU:0" twice in its mesh}}
module attributes {graph.distribution = #graph.mesh<["data" = 3], ["/job:w/task:0-1/device:CPU:0", "/job:w/task:1/device:CPU:0"]>} {}

// -----

// (ME3)
// expected-error@+1 {{expected as many devices as a mesh has places, got 2 for 3}}
module attributes {graph.distribution = #graph.mesh<["data" = 3], ["/job:w/task:0-1/device:CPU:0"]>} {}

// -----

// (DI1)
// expected-error@+1 {{expected a mesh with the axis "data" alone, got #graph.mesh<["model" = 1], ["/job:w/task:0/device:CPU:0"]>}}
module attributes {graph.distribution = #graph.distribution<strategy = "mirrored", mesh = #graph.mesh<["model" = 1], ["/job:w/task:0/device:CPU:0"]>, stores = ["/job:w/task:0/device:CPU:0"], micro_batches = 2>} {}

// -----

// (DI1)
// expected-error@+1 {{expected a mesh of one device, the chief's, for "one_device", got #graph.mesh<["data" = 2], ["/job:w/task:0-1/device:CPU:0"]>}}
module attributes {graph.distribution = #graph.distribution<strategy = "one_device", mesh = #graph.mesh<["data" = 2], ["/job:w/task:0-1/device:CPU:0"]>, stores = ["/job:w/task:0/device:CPU:0"], micro_batches = 2>} {}

// -----

// (DI2)
// expected-error@+1 {{unknown strategy "magic"; expected one_device, in_graph, mirrored, parameter_server or all_reduce}}
module attributes {graph.distribution = #graph.distribution<strategy = "magic", mesh = #graph.mesh<["data" = 2], ["/job:w/task:0-1/device:CPU:0"]>, stores = ["/job:w/task:0/device:CPU:0"], micro_batches = 2>} {}

// -----

// (DI2)
// expected-error@+1 {{expected in_graph of parameter_server or all_reduce, got it of "mirrored"}}
module attributes {graph.distribution = #graph.distribution<strategy = "mirrored", mesh = #graph.mesh<["data" = 2], ["/job:w/task:0-1/device:CPU:0"]>, stores = ["/job:w/task:0/device:CPU:0"], in_graph = true, micro_batches = 2>} {}

// -----

// (DI3)
// expected-error@+1 {{expected stores as strings such as "/job:ps/task:0/device:CPU:0", got ["/job:ps"]}}
module attributes {graph.distribution = #graph.distribution<strategy = "mirrored", mesh = #graph.mesh<["data" = 2], ["/job:w/task:0-1/device:CPU:0"]>, stores = ["/job:ps"], micro_batches = 2>} {}

// -----

// (DI3)
// expected-error@+1 {{expected stores as strings such as "/job:ps/task:0/device:CPU:0", got []}}
module attributes {graph.distribution = #graph.distribution<strategy = "mirrored", mesh = #graph.mesh<["data" = 2], ["/job:w/task:0-1/device:CPU:0"]>, stores = [], micro_batches = 2>} {}

// -----

// (DI4)
// expected-error@+1 {{unknown placement of variables "here"; expected round_robin, balanced or split}}
module attributes {graph.distribution = #graph.distribution<strategy = "mirrored", mesh = #graph.mesh<["data" = 2], ["/job:w/task:0-1/device:CPU:0"]>, stores = ["/job:w/task:0/device:CPU:0"], micro_batches = 2, placement = "here">} {}

// -----

// (DI5)
// expected-error@+1 {{expected mirrored, all_reduce, in_graph and replicas_to_aggregate without async}}
module attributes {graph.distribution = #graph.distribution<strategy = "parameter_server", mesh = #graph.mesh<["data" = 2], ["/job:w/task:0-1/device:CPU:0"]>, stores = ["/job:w/task:0/device:CPU:0"], async = true, micro_batches = 2, replicas_to_aggregate = 1>} {}

// -----

// (DI5)
// expected-error@+1 {{expected mirrored, all_reduce, in_graph and replicas_to_aggregate without async}}
module attributes {graph.distribution = #graph.distribution<strategy = "mirrored", mesh = #graph.mesh<["data" = 2], ["/job:w/task:0-1/device:CPU:0"]>, stores = ["/job:w/task:0/device:CPU:0"], async = true, micro_batches = 2>} {}

// -----

// (DI5)
// expected-error@+1 {{expected max_staleness of at least 0 beside async = true, got 1}}
module attributes {graph.distribution = #graph.distribution<strategy = "parameter_server", mesh = #graph.mesh<["data" = 2], ["/job:w/task:0-1/device:CPU:0"]>, stores = ["/job:w/task:0/device:CPU:0"], micro_batches = 2, max_staleness = 1>} {}

// -----

// (DI5)
// expected-error@+1 {{expected replicas_to_aggregate of fewer than the 2 replicas of a parameter_server, got 2}}
module attributes {graph.distribution = #graph.distribution<strategy = "parameter_server", mesh = #graph.mesh<["data" = 2], ["/job:w/task:0-1/device:CPU:0"]>, stores = ["/job:w/task:0/device:CPU:0"], micro_batches = 2, replicas_to_aggregate = 2>} {}

// -----

// (DI5)
// expected-error@+1 {{expected replicas_to_aggregate of fewer than the 2 replicas of a parameter_server, got 1}}
module attributes {graph.distribution = #graph.distribution<strategy = "all_reduce", mesh = #graph.mesh<["data" = 2], ["/job:w/task:0-1/device:CPU:0"]>, stores = ["/job:w/task:0/device:CPU:0"], micro_batches = 2, replicas_to_aggregate = 1>} {}

// -----

// (DI6)
// expected-error@+1 {{expected micro_batches of 1 to 67108864, got 0}}
module attributes {graph.distribution = #graph.distribution<strategy = "mirrored", mesh = #graph.mesh<["data" = 2], ["/job:w/task:0-1/device:CPU:0"]>, stores = ["/job:w/task:0/device:CPU:0"], micro_batches = 0>} {}

// -----

// (DI6)
// expected-error@+1 {{expected sum_leaves of 1 to 67108864, got 67108865}}
module attributes {graph.distribution = #graph.distribution<strategy = "mirrored", mesh = #graph.mesh<["data" = 2], ["/job:w/task:0-1/device:CPU:0"]>, stores = ["/job:w/task:0/device:CPU:0"], micro_batches = 2, sum_leaves = 67108865>} {}

// -----

// (DI6)
// expected-error@+1 {{expected as many micro-batches for each of 2 devices, got 3}}
module attributes {graph.distribution = #graph.distribution<strategy = "mirrored", mesh = #graph.mesh<["data" = 2], ["/job:w/task:0-1/device:CPU:0"]>, stores = ["/job:w/task:0/device:CPU:0"], micro_batches = 3>} {}

// -----

// (DI6)
// expected-error@+1 {{expected as many micro-batches for each of 2 devices, one where they are asynchronous, got 4}}
module attributes {graph.distribution = #graph.distribution<strategy = "parameter_server", mesh = #graph.mesh<["data" = 2], ["/job:w/task:0-1/device:CPU:0"]>, stores = ["/job:w/task:0/device:CPU:0"], async = true, micro_batches = 4>} {}

// -----

// (DI6)
// expected-error@+1 {{expected no negative bucket_bytes, min_shard_bytes or max_shards}}
module attributes {graph.distribution = #graph.distribution<strategy = "mirrored", mesh = #graph.mesh<["data" = 2], ["/job:w/task:0-1/device:CPU:0"]>, stores = ["/job:w/task:0/device:CPU:0"], micro_batches = 2, max_shards = -1>} {}

// -----

// expected-error@+1 {{expected a #graph.mesh, got 2 : i64}}
module attributes {graph.distribution = #graph.distribution<strategy = "mirrored", mesh = 2, stores = []>} {}

// -----

// expected-error@+1 {{must be a #graph.distribution, on the module, got #graph.mesh<["data" = 1], ["/job:w/task:0/device:CPU:0"]>}}
module attributes {graph.distribution = #graph.mesh<["data" = 1], ["/job:w/task:0/device:CPU:0"]>} {}

// -----

// (DI4)
// expected-error@+1 {{expected min_shard_bytes and max_shards of at least 1 beside placement = "split", got 0 and 0}}
module attributes {graph.distribution = #graph.distribution<strategy = "parameter_server", mesh = #graph.mesh<["data" = 1], ["/job:worker/task:0/device:CPU:0"]>, stores = ["/job:ps/task:0/device:CPU:0"], placement = "split">} {}

// -----

// (DI5)
// expected-error@+1 {{expected mirrored, all_reduce, in_graph and replicas_to_aggregate without async}}
module attributes {graph.distribution = #graph.distribution<strategy = "all_reduce", mesh = #graph.mesh<["data" = 2], ["/job:worker/task:0-1/device:CPU:0"]>, stores = ["/job:worker/task:0/device:CPU:0"], async = true, micro_batches = 2>} {}

// -----

// (DI7)
// expected-error@+1 {{expected hosts of an all_reduce, with as many of the 4 replicas on each, a power of two of at least 2, got 0}}
module attributes {graph.distribution = #graph.distribution<strategy = "all_reduce", mesh = #graph.mesh<["data" = 4], ["/job:w/task:0-3/device:CPU:0"]>, stores = ["/job:w/task:0/device:CPU:0"], micro_batches = 4, hosts = 0>} {}

// -----

// (DI7)
// expected-error@+1 {{expected hosts of an all_reduce, with as many of the 4 replicas on each, a power of two of at least 2, got 4}}
module attributes {graph.distribution = #graph.distribution<strategy = "all_reduce", mesh = #graph.mesh<["data" = 4], ["/job:w/task:0-3/device:CPU:0"]>, stores = ["/job:w/task:0/device:CPU:0"], micro_batches = 4, hosts = 4>} {}

// -----

// (DI7)
// expected-error@+1 {{expected hosts of an all_reduce, with as many of the 6 replicas on each, a power of two of at least 2, got 2}}
module attributes {graph.distribution = #graph.distribution<strategy = "all_reduce", mesh = #graph.mesh<["data" = 6], ["/job:w/task:0-5/device:CPU:0"]>, stores = ["/job:w/task:0/device:CPU:0"], micro_batches = 6, hosts = 2>} {}

// -----

// (DI7)
// expected-error@+1 {{expected hosts of an all_reduce, with as many of the 4 replicas on each, a power of two of at least 2, got 3}}
module attributes {graph.distribution = #graph.distribution<strategy = "all_reduce", mesh = #graph.mesh<["data" = 4], ["/job:w/task:0-3/device:CPU:0"]>, stores = ["/job:w/task:0/device:CPU:0"], micro_batches = 4, hosts = 3>} {}

// -----

// (DI7)
// expected-error@+1 {{expected hosts of an all_reduce, with as many of the 4 replicas on each, a power of two of at least 2, got 2}}
module attributes {graph.distribution = #graph.distribution<strategy = "all_reduce", mesh = #graph.mesh<["data" = 4], ["/job:w/task:0-3/device:CPU:0"]>, stores = ["/job:w/task:0/device:CPU:0"], micro_batches = 4, in_graph = true, hosts = 2>} {}

// -----

// (DI7)
// expected-error@+1 {{expected hosts of an all_reduce, with as many of the 4 replicas on each, a power of two of at least 2, got 2}}
module attributes {graph.distribution = #graph.distribution<strategy = "mirrored", mesh = #graph.mesh<["data" = 4], ["/job:w/task:0-3/device:CPU:0"]>, stores = ["/job:w/task:0/device:CPU:0"], micro_batches = 4, hosts = 2>} {}

// -----

// (DI8)
// expected-error@+1 {{expected recovers_from_memory of all_reduce without in_graph, of two replicas or more}}
module attributes {graph.distribution = #graph.distribution<strategy = "all_reduce", mesh = #graph.mesh<["data" = 1], ["/job:worker/task:0/device:CPU:0"]>, stores = ["/job:worker/task:0/device:CPU:0"], recovers_from_memory = true>} {}

// -----

// (DI8)
// expected-error@+1 {{expected recovers_from_memory of all_reduce without in_graph, of two replicas or more}}
module attributes {graph.distribution = #graph.distribution<strategy = "parameter_server", mesh = #graph.mesh<["data" = 2], ["/job:worker/task:0-1/device:CPU:0"]>, stores = ["/job:ps/task:0/device:CPU:0"], micro_batches = 2, recovers_from_memory = true>} {}

// -----

// (DI9)
// expected-error@+1 {{expected distinct_rows of a strategy by which rows travel, not one_device, nor all_reduce without in_graph}}
module attributes {graph.distribution = #graph.distribution<strategy = "all_reduce", mesh = #graph.mesh<["data" = 2], ["/job:worker/task:0-1/device:CPU:0"]>, stores = ["/job:worker/task:0/device:CPU:0"], micro_batches = 2, distinct_rows = true>} {}

// -----

// (DI9)
// expected-error@+1 {{expected distinct_rows of a strategy by which rows travel, not one_device, nor all_reduce without in_graph}}
module attributes {graph.distribution = #graph.distribution<strategy = "one_device", mesh = #graph.mesh<["data" = 1], ["/job:worker/task:0/device:CPU:0"]>, stores = ["/job:worker/task:0/device:CPU:0"], distinct_rows = true>} {}
