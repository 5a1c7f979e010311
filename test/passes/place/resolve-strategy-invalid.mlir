// RUN: graph-opt %s --resolve-strategy --split-input-file --verify-diagnostics
// What is asked for or brought along has to fit the cluster; nothing is read twice.

// expected-error @below {{has graph.strategy beside graph.distribution, which says what came of it; expected one of the two}}
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 1], chief = "/job:worker/task:0">, graph.strategy = #graph.strategy<name = "one_device">,
                   graph.distribution = #graph.distribution<strategy = "one_device", mesh = #graph.mesh<["data" = 1], ["/job:worker/task:0/device:CPU:0"]>,
                                                            stores = ["/job:worker/task:0/device:CPU:0"]>} {}

// -----

// expected-error @below {{has graph.max_shards beside graph.distribution}}
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 1], chief = "/job:worker/task:0">, graph.max_shards = 2 : i64,
                   graph.distribution = #graph.distribution<strategy = "one_device", mesh = #graph.mesh<["data" = 1], ["/job:worker/task:0/device:CPU:0"]>,
                                                            stores = ["/job:worker/task:0/device:CPU:0"]>} {}

// -----

// expected-error @below {{has graph.cluster and no strategy; expected graph.strategy beside it, such as #graph.strategy<name = "in_graph">, by which all is where the module says}}
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 1], chief = "/job:worker/task:0">} {}

// -----

// expected-error @below {{the strategy is to use "/job:worker/task:1/device:CPU:0", which is no device of the cluster; valid devices are /job:worker/task:0/device:CPU:0}}
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 1], chief = "/job:worker/task:0">,
                   graph.distribution = #graph.distribution<strategy = "all_reduce", mesh = #graph.mesh<["data" = 2], ["/job:worker/task:0-1/device:CPU:0"]>,
                                                            stores = ["/job:worker/task:0/device:CPU:0"], micro_batches = 2, sum_leaves = 2>} {}

// -----

// expected-error @below {{the strategy is to use "/job:ps/task:0/device:CPU:0", which is no device of the cluster}}
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 1], chief = "/job:worker/task:0">,
                   graph.distribution = #graph.distribution<strategy = "parameter_server", mesh = #graph.mesh<["data" = 1], ["/job:worker/task:0/device:CPU:0"]>,
                                                            stores = ["/job:ps/task:0/device:CPU:0"]>} {}

// -----

// Replicas that are asked for, as well.
// expected-error @below {{the strategy is to use "/job:worker/task:2/device:CPU:0", which is no device of the cluster}}
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "all_reduce">, graph.replicas = #graph.replicas<["/job:worker/task:1-2"]>} {}

// -----

// expected-error @below {{replicas are alike, but a task of job chief computes on CPU:1 and one of job worker on CPU:0}}
module attributes {graph.cluster = #graph.cluster<jobs = [chief = 1, worker = 1], devices = [chief = ["CPU:1", "CPU:0"]], chief = "/job:chief/task:0">,
                   graph.distribution = #graph.distribution<strategy = "all_reduce", mesh = #graph.mesh<["data" = 2], ["/job:chief/task:0/device:CPU:1", "/job:worker/task:0/device:CPU:0"]>,
                                                            stores = ["/job:chief/task:0/device:CPU:1"], micro_batches = 2, sum_leaves = 2>} {}

// -----

// expected-error @below {{the mesh has the device "/job:worker/task:1/device:CPU:0", but the chief's is "/job:worker/task:0/device:CPU:0"}}
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], chief = "/job:worker/task:0">,
                   graph.distribution = #graph.distribution<strategy = "in_graph", mesh = #graph.mesh<["data" = 1], ["/job:worker/task:1/device:CPU:0"]>,
                                                            stores = ["/job:worker/task:0/device:CPU:0"]>} {}

// -----

// expected-error @below {{"micro_batches": 12 cannot be summed in 5 leaves of equal size}}
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], chief = "/job:worker/task:0">,
                   graph.distribution = #graph.distribution<strategy = "all_reduce", mesh = #graph.mesh<["data" = 2], ["/job:worker/task:0-1/device:CPU:0"]>,
                                                            stores = ["/job:worker/task:0/device:CPU:0"], micro_batches = 12, sum_leaves = 5>} {}

// -----

// One alone may be elsewhere; several have each a copy of the variables, and the chief none to save.
// expected-error @below {{all_reduce keeps the variables on its replicas, of which the chief, who saves them, is none; expected /job:worker/task:0 among the 2}}
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 3], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "all_reduce">, graph.replicas = #graph.replicas<["/job:worker/task:1-2"]>} {}
