// RUN: graph-opt %s --resolve-strategy --place --split-input-file --verify-diagnostics

module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "in_graph">} {
graph.func @f(%x: tensor<4xf32>) -> (tensor<4xf32>) attributes {role = #graph.role<predict>} {
  // expected-error @below {{is placed on "/job:worker/task:2", which no device of the cluster is; valid devices are /job:ps/task:0/device:CPU:0, /job:worker/task:0/device:CPU:0, /job:worker/task:1/device:CPU:0; did you mean "/job:worker/task:}}
  %y = graph.negate %x {graph.device = #graph.device<"/job:worker/task:2">} : tensor<4xf32>
  graph.return %y : tensor<4xf32>
}
}

// -----

module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server">} {
// expected-error-re @below {{is placed on "/job:pss", which no device of the cluster is; valid devices are {{.*}}; did you mean "/job:ps"?}}
graph.variable @w : tensor<4xf32> = #graph.zeros {graph.device = #graph.device<"/job:pss">}
}

// -----

module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server">} {
graph.func @f(%x: tensor<4xf32>) -> (tensor<4xf32>) attributes {role = #graph.role<train>} {
  // expected-error-re @below {{is placed on "/device:GPU:0", which no device of the cluster is; valid devices are {{.*}}; did you mean "/device:CPU:0"?}}
  %y = graph.negate %x {graph.device = #graph.device<"/gpu:0">} : tensor<4xf32>
  graph.return %y : tensor<4xf32>
}
}

// -----

// expected-error @below {{has no cluster; expected graph.cluster and graph.strategy}}
module attributes {graph.strategy = #graph.strategy<name = "one_device">} {
}

// -----

// expected-error @below {{has graph.cluster and no strategy; expected graph.strategy beside it}}
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 2], chief = "/job:worker/task:0">} {
}

// -----

// expected-error @below {{strategy parameter_server needs a job "ps"; the cluster has the jobs worker}}
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server">} {
}

// -----

// expected-error @below {{strategy parameter_server needs a job "worker" (or "chief") to compute; the cluster has the jobs ps}}
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 2], chief = "/job:ps/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server">} {
}

// -----

// expected-error-re @below {{placement rule "w*" places on "/job:wroker", which no device of the cluster is; valid devices are {{.*}}; did you mean "/job:worker"?}}
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "in_graph">,
                   graph.placement = [["w*", #graph.device<"/job:wroker">]]} {
}

// -----

// expected-error @below {{expects each rule of graph.placement to be}}
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "in_graph">,
                   graph.placement = ["w*"]} {
}

// -----

// expected-error @below {{unknown placement of variables "random"; expected round_robin, balanced or split}}
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server">,
                   graph.variable_placement = "random"} {
}

// -----

// expected-error@+1 {{replicas_to_aggregate is 3, but there are 2 replicas}}
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server", replicas_to_aggregate = 3>} {}

// -----

// expected-error @+1 {{strategy mirrored names the device "/job:worker/task:0/device:CPU:0" twice; a device has one tower}}
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "mirrored",
                     devices = ["/job:worker/task:0/device:CPU:0", "/job:worker/task:0/cpu:0"]>} {}

// -----

// expected-error-re @+1 {{strategy mirrored has a tower on "/job:worker/task:0/device:CPU:1", which is no full name of a device of the cluster; valid devices are /job:worker/task:0/device:CPU:0{{.*}}}}
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "mirrored", devices = ["/job:worker/task:0/cpu:1"]>} {}

// -----

// expected-error @+1 {{in-graph replication is synchronous, since one client drives every tower}}
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server", async = true, in_graph = true>} {}

// -----

// A variable pinned where the operation that reads it is not.
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "in_graph">} {
// expected-note @below {{pinned here}}
graph.variable @w : tensor<4xf32> = #graph.zeros {graph.device = #graph.device<"/job:worker/task:1">}
graph.func @f() -> (tensor<4xf32>) attributes {role = #graph.role<predict>} {
  // expected-error @below {{is pinned to "/job:worker/task:0" and touches @w, which is pinned to "/job:worker/task:1"; give both one device, or leave one of them open}}
  %w = graph.read @w {graph.device = #graph.device<"/job:worker/task:0">} : tensor<4xf32>
  graph.return %w : tensor<4xf32>
}
}

// -----

// Two operations pull one variable to two places.
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "in_graph">} {
// expected-note @below {{variable declared here}}
graph.variable @w : tensor<4xf32> = #graph.zeros
graph.func @f(%x: tensor<4xf32>) -> () attributes {role = #graph.role<predict>} {
  %w = graph.read @w {graph.device = #graph.device<"/job:worker/task:1">} : tensor<4xf32>
  // expected-error @below {{is pinned to "/job:worker/task:0", but its variable @w is on "/job:worker/task:1/device:CPU:0"; state is touched where it is stored}}
  graph.assign @w, %x {graph.device = #graph.device<"/job:worker/task:0">} : tensor<4xf32>
  graph.return
}
}

// -----

module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "in_graph">} {
// expected-note @below {{pinned here}}
graph.variable @w : tensor<4xf32> = #graph.zeros {graph.device = #graph.device<"/job:worker/task:1">}
// expected-error @below {{is pinned to "/task:0" and is colocated with @w, which is pinned to "/job:worker/task:1"}}
graph.variable @v : tensor<4xf32> = #graph.zeros {graph.device = #graph.device<"/task:0">, graph.colocate_with = @w}
}

// -----

module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "in_graph">} {
// expected-error @below {{is colocated with itself in a circle}}
graph.variable @v : tensor<4xf32> = #graph.zeros {graph.colocate_with = @w}
// expected-note @below {{by way of this variable}}
graph.variable @w : tensor<4xf32> = #graph.zeros {graph.colocate_with = @v}
}

// -----

module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "in_graph">} {
graph.func @f(%x: tensor<4xf32>) -> (tensor<4xf32>) attributes {role = #graph.role<predict>} {
  // expected-error @below {{is colocated with @nothing, which is no variable of this module}}
  %y = graph.negate %x {graph.colocate_with = @nothing} : tensor<4xf32>
  graph.return %y : tensor<4xf32>
}
}

// -----

module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "in_graph">, graph.soft_placement} {
// Soft placement is about the kind of device, not about tasks.
// expected-error @below {{is placed on "/job:worker/task:7/device:GPU:0", which no device of the cluster is}}
graph.variable @v : tensor<4xf32> = #graph.zeros {graph.device = #graph.device<"/job:worker/task:7/gpu:0">}
}

// -----

// An operation beside a variable that went elsewhere than its device.
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "in_graph">} {
// expected-note @below {{variable declared here}}
graph.variable @w : tensor<4xf32> = #graph.zeros
graph.func @f(%x: tensor<4xf32>) -> (tensor<4xf32>) attributes {role = #graph.role<predict>} {
  // expected-error @below {{is pinned to "/job:worker/task:1", but it is colocated with @w, which is on "/job:worker/task:0/device:CPU:0", and follows it}}
  %y = graph.negate %x {graph.device = #graph.device<"/job:worker/task:1">, graph.colocate_with = @w} : tensor<4xf32>
  graph.return %y : tensor<4xf32>
}
}

// -----

// A variable that is dealt elsewhere than the operation that looks it up is pinned: the server was meant.
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 2, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server">} {
// expected-note @below {{variable declared here}}
graph.variable @w : tensor<4xf32> = #graph.zeros
graph.func @f() -> (tensor<4xf32>) attributes {role = #graph.role<train>} {
  // expected-error @below {{is pinned to "/job:ps/task:1", but its variable @w is on "/job:ps/task:0/device:CPU:0"; state is touched where it is stored}}
  %w = graph.read @w {graph.device = #graph.device<"/job:ps/task:1">} : tensor<4xf32>
  graph.return %w : tensor<4xf32>
}
}

// -----

// A device that does not exist is none under any strategy but one_device.
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server">} {
graph.variable @w : tensor<4xf32> = #graph.zeros
graph.func @f() -> (tensor<4xf32>) attributes {role = #graph.role<train>} {
  // expected-error @below {{is placed on "/job:worker/task:7", which no device of the cluster is}}
  %w = graph.read @w {graph.device = #graph.device<"/job:worker/task:7">} : tensor<4xf32>
  graph.return %w : tensor<4xf32>
}
}

// -----

module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "all_reduce">} {
graph.func @f(%x: tensor<4xf32>) -> (tensor<4xf32>) attributes {role = #graph.role<train>} {
  // expected-error @below {{is placed on "/job:nope/task:7", which no device of the cluster is}}
  %y = graph.negate %x {graph.device = #graph.device<"/job:nope/task:7">} : tensor<4xf32>
  graph.return %y : tensor<4xf32>
}
}

// -----

// A rule for a variable and one for an operation that touches it: both rules are shown.
// expected-note @below {{placement rule "w" puts the variable there}}
// expected-note @below {{placement rule "layer" pins the operation}}
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "in_graph">,
                   graph.placement = [["w", #graph.device<"/job:worker/task:1">], ["layer", #graph.device<"/job:worker/task:0">]]} {
// expected-note @below {{variable declared here}}
graph.variable @w : tensor<4xf32> = #graph.zeros
graph.func @f() -> (tensor<4xf32>) attributes {role = #graph.role<predict>} {
  // expected-error @below {{is pinned to "/job:worker/task:0", but its variable @w is on "/job:worker/task:1/device:CPU:0"; state is touched where it is stored}}
  %w = graph.read @w : tensor<4xf32> loc("layer")
  graph.return %w : tensor<4xf32>
}
}

// -----

// expected-error @below {{expects the pattern of a placement rule to be 1 to 4096 characters without control characters}}
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "in_graph">,
                   graph.placement = [["", #graph.device<"/job:worker/task:1">]]} {
}

// -----

module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "in_graph">} {
graph.variable @w : tensor<4xf32> = #graph.zeros {graph.device = #graph.device<"/job:worker/task:0">}
// expected-error @below {{is placed on "/job:worker/task:1", but it is a slot of @w and lives with it on "/job:worker/task:0"}}
graph.variable @m : tensor<4xf32> = #graph.zeros {graph.device = #graph.device<"/job:worker/task:1">, graph.slot_of = @w, trainable = false}
}

// -----

module attributes {graph.cluster = #graph.cluster<jobs = [worker = 1], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "in_graph">} {
graph.func @f(%x: tensor<4xf32>) -> (tensor<4xf32>) attributes {role = #graph.role<predict>} {
  // expected-error @below {{expected no scopes after flatten-scopes}}
  %y = graph.scope -> (tensor<4xf32>) {
    graph.yield %x : tensor<4xf32>
  }
  graph.return %y : tensor<4xf32>
}
}

// -----

// expected-error @below {{expects each rule of graph.placement to be ["pattern", #graph.device<…>], found "w*"}}
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 1], chief = "/job:worker/task:0">, graph.placement = ["w*"],
                   graph.strategy = #graph.strategy<name = "in_graph">} {
}

// -----

// expected-error @below {{unknown strategy "magic"; expected one_device, in_graph, mirrored, parameter_server or all_reduce}}
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 1], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "magic">} {
}

// -----

// expected-error @below {{"micro_batches": 3 cannot be shared by 2 replicas; what fits next to that is replicas: 1 or 3, "micro_batches": 2 or 4}}
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "mirrored", micro_batches = 3>} {
}

// -----

// expected-error @below {{asynchronous updates have no step whose batches are summed; leave "micro_batches" and "sum_leaves" out, or "update": "async"}}
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server", async = true, micro_batches = 2>} {
}

// -----

// expected-error @below {{"sum_leaves" gives the sum of all replicas one shape; with "replicas_to_aggregate" those that come first are summed in their order}}
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server", replicas_to_aggregate = 1, sum_leaves = 2>} {
}

// -----

// expected-error @below {{replicas_to_aggregate is for between-graph replication; one client drives every tower here}}
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server", in_graph = true, replicas_to_aggregate = 1>} {
}

// -----

// What a scope with a rule leaves on its variables.
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 2, worker = 1], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "in_graph">} {
// expected-error-re @below {{is dealt by its scope over "/job:nowhere", which no device of the cluster is; valid devices are {{.*}}}}
graph.variable @w : tensor<4xf32> = #graph.zeros {graph.device = #graph.device<"/job:nowhere">, graph.device_rule = "balanced"}
}

// -----

module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "in_graph">} {
// expected-error @below {{is colocated with @nobody, which is no variable of this module}}
graph.variable @v : tensor<4xf32> = #graph.zeros {graph.colocate_with = @nobody}
}
