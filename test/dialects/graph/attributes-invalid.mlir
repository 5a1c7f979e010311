// RUN: graph-opt --split-input-file --verify-diagnostics %s

// expected-error@+1 {{malformed device name "cpu:0": }}
module attributes {graph.device = #graph.device<"cpu:0">} {}

// -----

// expected-error@+1 {{malformed device name "worker": }}
module attributes {graph.device = #graph.device<"worker">} {}

// -----

// expected-error@+1 {{malformed device name "/task:0/task:1": more than one task part; expected a form like /job:worker/task:0/device:CPU:0 or a part of it}}
module attributes {graph.device = #graph.device<"/task:0/task:1">} {}

// -----

// expected-error@+1 {{malformed device name "/cpu:0/device:GPU:1": more than one device part}}
module attributes {graph.device = #graph.device<"/cpu:0/device:GPU:1">} {}

// -----

// expected-error@+1 {{malformed device name "/job:": }}
module attributes {graph.device = #graph.device<"/job:">} {}

// -----

// expected-error@+1 {{malformed device name "/job:1x/task:0": }}
module attributes {graph.device = #graph.device<"/job:1x/task:0">} {}

// -----

// expected-error@+1 {{malformed device name "/job:w/task:-1": }}
module attributes {graph.device = #graph.device<"/job:w/task:-1">} {}

// -----

// expected-error@+1 {{malformed device name "/task:99999999999": }}
module attributes {graph.device = #graph.device<"/task:99999999999">} {}

// -----

// expected-error@+1 {{malformed device name "/gpu:": }}
module attributes {graph.device = #graph.device<"/gpu:">} {}

// -----

// expected-error@+1 {{malformed device name "/cpu:x": }}
module attributes {graph.device = #graph.device<"/cpu:x">} {}

// -----

// expected-error@+1 {{malformed device name "/device:GPU:": }}
module attributes {graph.device = #graph.device<"/device:GPU:">} {}

// -----

// expected-error@+1 {{malformed device name "/device:GPU:a": }}
module attributes {graph.device = #graph.device<"/device:GPU:a">} {}

// -----

// expected-error@+1 {{malformed device name "/device:0": }}
module attributes {graph.device = #graph.device<"/device:0">} {}

// -----

// expected-error@+1 {{malformed device name "/device:": }}
module attributes {graph.device = #graph.device<"/device:">} {}

// -----

// expected-error@+1 {{malformed device name "/replica:1": }}
module attributes {graph.device = #graph.device<"/replica:1">} {}

// -----

// expected-error@+1 {{malformed device name "/job:w/replica:": }}
module attributes {graph.device = #graph.device<"/job:w/replica:">} {}

// -----

// expected-error@+1 {{malformed device name "/jop:ps": }}
module attributes {graph.device = #graph.device<"/jop:ps">} {}

// -----

// expected-error@+1 {{malformed device name "/job:ps/": }}
module attributes {graph.device = #graph.device<"/job:ps/">} {}

// -----

// expected-error@+1 {{expected at least one range of tasks}}
module attributes {graph.replicas = #graph.replicas<[]>} {}

// -----

// expected-error@+1 {{malformed task range "/job:worker"; expected a form like /job:worker/task:0-1}}
module attributes {graph.replicas = #graph.replicas<["/job:worker"]>} {}

// -----

// expected-error@+1 {{malformed task range "/job:worker/task:3-1"; expected a form like /job:worker/task:0-1}}
module attributes {graph.replicas = #graph.replicas<["/job:worker/task:0", "/job:worker/task:3-1"]>} {}

// -----

// expected-error@+1 {{malformed task range "worker"; expected a form like /job:worker/task:0-1}}
module attributes {graph.replicas = #graph.replicas<["worker"]>} {}

// -----

// expected-error@+1 {{expected at least one task in job 'ps'}}
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 0, worker = 1], chief = "/job:worker/task:0">} {}

// -----

// expected-error@+1 {{expected at least one task in job 'worker'}}
module attributes {graph.cluster = #graph.cluster<jobs = [worker = -1], chief = "/job:worker/task:0">} {}

// -----

// expected-error@+1 {{job 'ps' is given twice}}
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, ps = 2], chief = "/job:ps/task:0">} {}

// -----

// expected-error@+1 {{job 'w' is given twice}}
module attributes {graph.cluster = #graph.cluster<jobs = [w = 1, ps = 2, w = 1], chief = "/job:ps/task:0">} {}

// -----

// expected-error@+1 {{chief '/job:worker/task:2' is no task of the cluster}}
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], chief = "/job:worker/task:2">} {}

// -----

// expected-error@+1 {{chief '/job:chief/task:0' is no task of the cluster}}
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], chief = "/job:chief/task:0">} {}

// -----

// expected-error@+1 {{expected sum_leaves of 1 to 67108864, got -1}}
module attributes {graph.strategy = #graph.strategy<name = "one_device", micro_batches = 4, sum_leaves = -1>} {}

// -----

// expected-error@+1 {{expected micro_batches of 1 to 67108864, got -2}}
module attributes {graph.strategy = #graph.strategy<name = "one_device", micro_batches = -2>} {}

// -----

// expected-error@+1 {{expected micro_batches of 1 to 67108864, got 67108865}}
module attributes {graph.strategy = #graph.strategy<name = "one_device", micro_batches = 67108865>} {}

// -----

// expected-error@+1 {{expected sum_leaves of 1 to 67108864, got 67108865}}
module attributes {graph.strategy = #graph.strategy<name = "one_device", micro_batches = 4, sum_leaves = 67108865>} {}

// -----

// expected-error@+1 {{expected at least one device, or no devices for the default}}
module attributes {graph.strategy = #graph.strategy<name = "mirrored", devices = []>} {}

// -----

// expected-error@+1 {{attribute 'graph.device' must be #graph.device<"/job:…">, on an op of a function or a variable, got "/cpu:0"}}
module attributes {graph.device = "/cpu:0"} {}

// -----

func.func @device(%a: tensor<f32>) {
  // expected-error@+1 {{attribute 'graph.device' must be #graph.device<"/job:…">, on an op of a function or a variable, got 1 : i64}}
  %0 = graph.negate %a {graph.device = 1} : tensor<f32>
  return
}

// -----

func.func @not_the_module(%a: tensor<f32>) {
  // expected-error@+1 {{attribute 'graph.stage' must be the name of a stage, on the module, got "placed"}}
  %0 = graph.negate %a {graph.stage = "placed"} : tensor<f32>
  return
}

// -----

// expected-error@+1 {{has no attribute 'graph.devise'; known are graph.stage, graph.cluster, graph.strategy, graph.replicas, graph.distribution, graph.settings, graph.placement, graph.variable_placement, graph.min_shard_bytes, graph.max_shards, graph.soft_placement, graph.no_cublaslt, graph.links}}
module attributes {graph.devise = #graph.device<"/cpu:0">} {}

// -----

func.func @typo(%a: tensor<f32>) {
  // expected-error@+1 {{has no attribute 'graph.Device'; did you mean 'graph.device'?; known are graph.device, graph.colocate_with}}
  %0 = graph.negate %a {graph.Device = 1} : tensor<f32>
  return
}

// -----

// expected-error@+1 {{attribute 'graph.name' belongs to an op, an argument or a result of a function}}
module attributes {graph.name = "x"} {}

// -----

// expected-error@+1 {{attribute 'graph.settings' must be a dictionary of locations, on the module, got {strategy = 1 : i64}}}
module attributes {graph.settings = {strategy = 1}} {}

// -----

// A variable has its symbol.
// expected-error@+1 {{attribute 'graph.name' belongs to an op, an argument or a result of a function}}
graph.variable @w : tensor<f32> = #graph.zeros {graph.name = "v"}

// -----

func.func @nameless(%a: tensor<f32>) {
  // expected-error@+1 {{attribute 'graph.name' must be a name that is neither empty nor has control characters, on an op of a function, got ""}}
  %0 = graph.negate %a {graph.name = ""} : tensor<f32>
  return
}

// -----

// expected-error@+1 {{attribute 'graph.reduction' belongs to an argument or a result of a function}}
module attributes {graph.reduction = "sum"} {}

// -----

// expected-error@+1 {{attribute 'graph.name' must not be empty, got ""}}
graph.func @f(%x: tensor<f32> {graph.name = ""}) attributes {role = #graph.role<predict>} {
  graph.return
}

// -----

// expected-error@+1 {{attribute 'graph.name' must be a string that is not empty, got 1 : i64}}
graph.func @f(%x: tensor<f32>) -> (tensor<f32> {graph.name = 1}) attributes {role = #graph.role<predict>} {
  graph.return %x : tensor<f32>
}

// -----

// expected-error@+1 {{attribute 'graph.reduction' must be "mean", "sum" or "first_replica", got "max"}}
graph.func @f(%x: tensor<f32>) -> (tensor<f32> {graph.reduction = "max"}) attributes {role = #graph.role<predict>} {
  graph.return %x : tensor<f32>
}

// -----

// expected-error@+1 {{attribute 'graph.reduction' must be "mean", "sum" or "first_replica", got unit}}
graph.func @f(%x: tensor<f32>) -> (tensor<f32> {graph.reduction}) attributes {role = #graph.role<predict>} {
  graph.return %x : tensor<f32>
}

// -----

// expected-error@+1 {{arguments have no attribute 'graph.reduction'; known are graph.name}}
graph.func @f(%x: tensor<f32> {graph.reduction = "sum"}) attributes {role = #graph.role<predict>} {
  graph.return
}

// -----

// expected-error@+1 {{arguments have no attribute 'graph.nam'; did you mean 'graph.name'?; known are graph.name}}
graph.func @f(%x: tensor<f32> {graph.nam = "x"}) attributes {role = #graph.role<predict>} {
  graph.return
}

// -----

// expected-error@+1 {{results have no attribute 'graph.nam'; did you mean 'graph.name'?; known are graph.name, graph.reduction}}
graph.func @f(%x: tensor<f32>) -> (tensor<f32> {graph.nam = "x"}) attributes {role = #graph.role<predict>} {
  graph.return %x : tensor<f32>
}

// -----

// expected-error@+1 {{results have no attribute 'graph.reduce'; did you mean 'graph.reduction'?; known are graph.name, graph.reduction}}
graph.func @f(%x: tensor<f32>) -> (tensor<f32> {graph.reduce = "x"}) attributes {role = #graph.role<predict>} {
  graph.return %x : tensor<f32>
}

// -----

func.func @rate(%x: tensor<f32>) {
  // expected-error@+1 {{expected a learning_rate that is finite and not negative, got -1}}
  graph.minimize %x {optimizer = #graph.sgd<learning_rate = -1.0>} : tensor<f32>
  return
}

// -----

func.func @momentum(%x: tensor<f32>) {
  // expected-error@+1 {{expected a momentum in [0, 1], got 1.5}}
  graph.minimize %x {optimizer = #graph.momentum<learning_rate = 0.1, momentum = 1.5>} : tensor<f32>
  return
}

// -----

func.func @momentum_below(%x: tensor<f32>) {
  // expected-error@+1 {{expected a momentum in [0, 1], got -1}}
  graph.minimize %x {optimizer = #graph.momentum<learning_rate = 0.1, momentum = -1.0>} : tensor<f32>
  return
}

// -----

func.func @rate_of_momentum(%x: tensor<f32>) {
  // expected-error@+1 {{expected a learning_rate that is finite and not negative, got -2}}
  graph.minimize %x {optimizer = #graph.momentum<learning_rate = -2.0, momentum = 1.0>} : tensor<f32>
  return
}

// -----

func.func @a_number(%x: tensor<f32>) {
  // expected-error@+1 {{expected floating point literal}}
  graph.minimize %x {optimizer = #graph.sgd<learning_rate = "1">} : tensor<f32>
  return
}

// -----

// expected-error@+1 {{expected max_staleness of at least 0 beside async = true, got 2}}
module attributes {graph.strategy = #graph.strategy<name = "parameter_server", max_staleness = 2>} {}

// -----

// expected-error@+1 {{expected replicas_to_aggregate of at least 1 without async, got 2}}
module attributes {graph.strategy = #graph.strategy<name = "parameter_server", async = true, replicas_to_aggregate = 2>} {}

// -----

// expected-error@+1 {{expected bucket_bytes of at least 1, got -1}}
module attributes {graph.strategy = #graph.strategy<name = "all_reduce", bucket_bytes = -1>} {}

// -----

// expected-error@+1 {{expected devices as strings such as "/job:worker/task:0/device:CPU:0", got "worker"}}
module attributes {graph.strategy = #graph.strategy<name = "mirrored", devices = ["worker"]>} {}

// -----

// expected-error@+1 {{expected at least one device for job 'worker'}}
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], devices = [worker = []], chief = "/job:worker/task:0">} {}

// -----

// expected-error@+1 {{devices are given for job 'ps', which is not in the cluster}}
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], devices = [ps = ["CPU:0"]], chief = "/job:worker/task:0">} {}

// -----

// expected-error@+1 {{expected the devices of job 'worker' as strings such as "CPU:0", got "TPU:0"}}
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], devices = [worker = ["TPU:0"]], chief = "/job:worker/task:0">} {}

// -----

// expected-error@+1 {{expected the devices of job 'worker' as strings such as "CPU:0", got "CPU"}}
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], devices = [worker = ["CPU"]], chief = "/job:worker/task:0">} {}

// -----

// expected-error@+1 {{job 'worker' has the device "CPU:0" twice}}
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], devices = [worker = ["CPU:0", "CPU:0"]], chief = "/job:worker/task:0">} {}

// -----

// expected-error@+1 {{the devices of job 'worker' are given twice}}
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], devices = [worker = ["CPU:0"], worker = ["CPU:0", "CPU:1"]], chief = "/job:worker/task:0">} {}

// -----

func.func @rule(%x: tensor<f32>) {
  // expected-error@+1 {{attribute 'graph.device_rule' must be "round_robin", "balanced" or "pin", on a scope, got "random"}}
  graph.scope attributes {graph.device_rule = "random"} {
  }
  return
}

// -----

func.func @beside(%x: tensor<f32>) {
  // expected-error@+1 {{attribute 'graph.colocate_with' must be the symbol of a variable, on an op of a function or a variable, got "w"}}
  %y = graph.negate %x {graph.colocate_with = "w"} : tensor<f32>
  return
}

// -----

// expected-error@+1 {{attribute 'graph.links' must be an array of [#graph.device<…>, #graph.device<…>, gigabits per second above 0 : f64, microseconds : f64], on the module, got}}
module attributes {graph.links = [[#graph.device<"/job:a">, #graph.device<"/job:b">, 0.0, 5.0]]} {}

// -----

// expected-error@+1 {{attribute 'graph.links' must be an array}}
module attributes {graph.links = [["/job:a", #graph.device<"/job:b">, 1.0, 5.0]]} {}

// -----

// expected-error@+1 {{attribute 'graph.min_shard_bytes' must be an i64 of 1 or more, on the module, got "1 MiB"}}
module attributes {graph.min_shard_bytes = "1 MiB"} {}

// -----

func.func @shards_of_an_op(%a: tensor<2xf32>) {
  // expected-error@+1 {{attribute 'graph.max_shards' must be an i64 of 1 or more, on the module, got 2 : i64}}
  %0 = graph.negate %a {graph.max_shards = 2 : i64} : tensor<2xf32>
  return
}

// -----

// expected-error@+1 {{attribute 'graph.part_of' must be a #graph.part, on a variable, got "w"}}
graph.variable @p : tensor<2xf32> = #graph.zeros {graph.part_of = "w"}

// -----

func.func @part_of_an_op(%a: tensor<2xf32>) {
  // expected-error@+1 {{attribute 'graph.part_of' must be a #graph.part, on a variable}}
  %0 = graph.negate %a {graph.part_of = #graph.part<of = "w", type = tensor<4xf32>, row = 0>} : tensor<2xf32>
  return
}

// -----

// expected-error@+1 {{expected role, known are train, eval, predict}}
module attributes {test.a = #graph.role<7>} {}

// -----

// expected-error@+1 {{expected a parameter of #graph.sgd, known are learning_rate}}
module attributes {test.a = #graph.sgd<"learning_rate" = 0.1>} {}

// -----

// expected-error@+1 {{expected a tensor type, got 'vector<4xf32>'}}
module attributes {test.a = #graph.part<of = "w", type = vector<4xf32>, start = 0>} {}

// -----

// expected-error@+1 {{attribute 'dist.event_ranks' must be an array of i32 of 1 or more, on a program, got array<i32: 1>}}
module attributes {dist.event_ranks = array<i32: 1>} {}

// -----

// expected-error@+1 {{expected hosts of at least 1, and more of all_reduce without in_graph alone, got 0}}
module attributes {graph.strategy = #graph.strategy<name = "all_reduce", hosts = 0>} {}

// -----

// expected-error@+1 {{expected hosts of at least 1, and more of all_reduce without in_graph alone, got 2}}
module attributes {graph.strategy = #graph.strategy<name = "all_reduce", in_graph = true, hosts = 2>} {}

// -----

// expected-error@+1 {{expected hosts of at least 1, and more of all_reduce without in_graph alone, got 2}}
module attributes {graph.strategy = #graph.strategy<name = "parameter_server", hosts = 2>} {}

// -----

// expected-error@+1 {{expected recovers_from_memory of all_reduce without in_graph}}
module attributes {graph.strategy = #graph.strategy<name = "parameter_server", recovers_from_memory = true>} {}

// -----

// expected-error@+1 {{expected distinct_rows of a strategy by which rows travel, not one_device, nor all_reduce without in_graph}}
module attributes {graph.strategy = #graph.strategy<name = "all_reduce", distinct_rows = true>} {}

