// RUN: graph-opt %s --split-input-file --resolve-strategy --split-variables --verify-diagnostics
// What cannot be split stays whole and is named; what would break the model is refused.

module attributes {graph.cluster = #graph.cluster<jobs = [ps = 2, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server">, graph.variable_placement = "split",
                   graph.min_shard_bytes = 64 : i64} {
// expected-remark @below {{@row stays whole: its 4096 bytes are a single row of dimension 0, along which variables are split}}
graph.variable @row : tensor<1x1024xf32> = #graph.zeros
graph.variable @w : tensor<64xf32> = #graph.zeros
}

// -----

// expected-remark @below {{placement "split" splits nothing: the largest variable, @w, has 256 bytes, less than two parts of "min_shard_bytes": 262144}}
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 2, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server">, graph.variable_placement = "split"} {
graph.variable @w : tensor<64xf32> = #graph.zeros
graph.variable @scalar : tensor<f32> = #graph.zeros
}

// -----

// expected-remark @below {{placement "split" splits nothing: there is one parameter server, and "max_shards" is not given}}
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server">, graph.variable_placement = "split"} {
graph.variable @w : tensor<1024x1024xf32> = #graph.zeros
}

// -----

// expected-remark @below {{placement "split" splits nothing: what is large enough is pinned or has a single row}}
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 2, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server">, graph.variable_placement = "split",
                   graph.placement = [["w*", #graph.device<"/job:ps/task:1">]]} {
graph.variable @w : tensor<1024x1024xf32> = #graph.zeros
}

// -----

module attributes {graph.cluster = #graph.cluster<jobs = [ps = 2, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server">, graph.variable_placement = "split",
                   graph.min_shard_bytes = 64 : i64} {
// expected-note @below {{split variable declared here}}
graph.variable @w : tensor<64xf32> = #graph.zeros
// expected-error @below {{has the name of a part of @w, which is split; rename it}}
graph.variable @"w/part_1" : tensor<2xf32> = #graph.zeros
}

// -----

// expected-error @below {{attribute 'graph.max_shards' must be an i64 of 1 or more, on the module}}
module attributes {graph.max_shards = 0 : i64} {
}

// -----

// (C3) expected-error @below {{is 'tensor<4x2xf32>', which is not the rows of #graph.part<of = "w", type = tensor<6x2xf32>, row = 3>}}
graph.variable @p : tensor<4x2xf32> = #graph.zeros {graph.part_of = #graph.part<of = "w", type = tensor<6x2xf32>, row = 3>}

// -----

// (C3) expected-error @below {{is 'tensor<4x3xf32>', which is not the rows of #graph.part<of = "w", type = tensor<6x2xf32>, row = 0>}}
graph.variable @p : tensor<4x3xf32> = #graph.zeros {graph.part_of = #graph.part<of = "w", type = tensor<6x2xf32>, row = 0>}
