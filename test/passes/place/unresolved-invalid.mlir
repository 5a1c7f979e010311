// RUN: graph-opt %s --place --split-input-file --verify-diagnostics

// No pass resolves the strategy on its own.
// expected-error @+1 {{has no graph.distribution; expected graph.cluster, and graph.distribution, which resolve-strategy makes}}
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 1], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "one_device">} {}

// -----

// expected-error @+1 {{has no graph.cluster; expected graph.cluster, and graph.distribution, which resolve-strategy makes}}
module attributes {graph.distribution = #graph.distribution<strategy = "one_device", mesh = #graph.mesh<["data" = 1], ["/job:worker/task:0/device:CPU:0"]>,
                                                            stores = ["/job:worker/task:0/device:CPU:0"]>} {}
