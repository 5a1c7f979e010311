// RUN: graph-opt %s --split-input-file --resolve-strategy --place --verify-diagnostics
// Round robin may deal all large variables to one of two parameter servers; the remark says so and names the remedy.

// expected-remark @below {{/job:ps/task:0/device:CPU:0 stores 8.0 MiB of the 8.0 MiB of variables, dealt round robin; with "placement": "balanced" in the strategy no task stores more than 4.0 MiB}}
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 2, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server">} {
graph.variable @w1 : tensor<1024x1024xf32> = #graph.zeros
graph.variable @b1 : tensor<1024xf32> = #graph.zeros
graph.variable @w2 : tensor<1024x1024xf32> = #graph.zeros
graph.variable @b2 : tensor<1024xf32> = #graph.zeros
}

// -----

// Balanced: nothing to say.
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 2, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server">, graph.variable_placement = "balanced"} {
graph.variable @w1 : tensor<1024x1024xf32> = #graph.zeros
graph.variable @b1 : tensor<1024xf32> = #graph.zeros
graph.variable @w2 : tensor<1024x1024xf32> = #graph.zeros
graph.variable @b2 : tensor<1024xf32> = #graph.zeros
}

// -----

// One variable that is most of the model: no placement of whole variables does better, parts of it do.
// expected-remark @below {{/job:ps/task:0/device:CPU:0 stores 4.0 MiB of the 4.0 MiB of variables, dealt round robin; with "placement": "split" in the strategy no task stores more than 2.0 MiB}}
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 2, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server">} {
graph.variable @w1 : tensor<1024x1024xf32> = #graph.zeros
graph.variable @b1 : tensor<1024xf32> = #graph.zeros
graph.variable @b2 : tensor<1024xf32> = #graph.zeros
}

// -----

// Both remedies, each with what it gives: 6 and 2 MiB are 6 and 2 at best, or 4 and 4.
// expected-remark @below {{stores 8.0 MiB of the 8.0 MiB of variables, dealt round robin; with "placement": "balanced" in the strategy no task stores more than 6.0 MiB, with "split" none more than 4.0 MiB}}
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 2, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server">} {
graph.variable @w1 : tensor<1536x1024xf32> = #graph.zeros
graph.variable @b1 : tensor<1024xf32> = #graph.zeros
graph.variable @w2 : tensor<512x1024xf32> = #graph.zeros
graph.variable @b2 : tensor<1024xf32> = #graph.zeros
}

// -----

// Balanced, and still most of it on one.
// expected-remark @below {{stores 4.0 MiB of the 4.0 MiB of variables, dealt whole; with "placement": "split" in the strategy no task stores more than 2.0 MiB}}
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 2, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server">, graph.variable_placement = "balanced"} {
graph.variable @w1 : tensor<1024x1024xf32> = #graph.zeros
graph.variable @b1 : tensor<1024xf32> = #graph.zeros
}

// -----

// Dealt by a scope: the strategy's setting would not help, the scope's does.
// expected-remark @below {{/job:ps/task:0/device:CPU:0 stores 8.0 MiB of variables, dealt round robin by graph.device_rule of their scopes; with graph.device_rule = "balanced" there no device stores more than 4.0 MiB}}
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 2, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server">} {
graph.variable @w1 : tensor<1024x1024xf32> = #graph.zeros {graph.device = #graph.device<"/job:ps">, graph.device_rule = "round_robin"}
graph.variable @b1 : tensor<1024xf32> = #graph.zeros {graph.device = #graph.device<"/job:ps">, graph.device_rule = "round_robin"}
// expected-note @below {{the largest of them}}
graph.variable @w2 : tensor<1025x1024xf32> = #graph.zeros {graph.device = #graph.device<"/job:ps">, graph.device_rule = "round_robin"}
graph.variable @b2 : tensor<1024xf32> = #graph.zeros {graph.device = #graph.device<"/job:ps">, graph.device_rule = "round_robin"}
}

// -----

// Round robin beside a scope that fills one server: what the scope dealt counts.
// expected-remark @below {{/job:ps/task:0/device:CPU:0 stores 8.0 MiB of the 8.0 MiB of variables, dealt round robin; with "placement": "balanced" in the strategy no task stores more than 4.0 MiB}}
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 2, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server">} {
graph.variable @s : tensor<1024x1024xf32> = #graph.zeros {graph.device = #graph.device<"/job:ps">, graph.device_rule = "balanced"}
graph.variable @w : tensor<1024x1024xf32> = #graph.zeros
}

// -----

// Pinned by the model: no setting helps, and the remark does not name one alone.
// expected-remark @below {{/job:ps/task:1/device:CPU:0 stores 12.0 MiB of the 12.0 MiB of variables, 12.0 MiB of them because the model or placement rules pin them there; left open and dealt "balanced", no task stores more than 8.0 MiB}}
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 2, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server">, graph.variable_placement = "balanced"} {
graph.variable @w1 : tensor<1024x1024xf32> = #graph.zeros {graph.device = #graph.device<"/job:ps/task:1">}
// expected-note @below {{the largest of them, @w2, is pinned here}}
graph.variable @w2 : tensor<2048x1024xf32> = #graph.zeros {graph.device = #graph.device<"/job:ps/task:1">}
graph.variable @b : tensor<1024xf32> = #graph.zeros
}

// -----

// Pinned by a rule of cluster.json, whose line the note has.
// expected-remark @below {{/job:ps/task:0/device:CPU:0 stores 8.0 MiB of the 8.0 MiB of variables, 8.0 MiB of them because the model or placement rules pin them there; left open and dealt "balanced", no task stores more than 4.0 MiB}}
// expected-note @below {{the largest of them, @w1, is pinned by this rule}}
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 2, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server">,
                   graph.placement = [["w*", #graph.device<"/job:ps/task:0">]]} {
graph.variable @w1 : tensor<1024x1024xf32> = #graph.zeros
graph.variable @w2 : tensor<1024x1024xf32> = #graph.zeros
}

// -----

// Pinned evenly: nothing to say.
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 2, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server">} {
graph.variable @w1 : tensor<1024x1024xf32> = #graph.zeros {graph.device = #graph.device<"/job:ps/task:1">}
graph.variable @w2 : tensor<1024x1024xf32> = #graph.zeros {graph.device = #graph.device<"/job:ps/task:0">}
}
