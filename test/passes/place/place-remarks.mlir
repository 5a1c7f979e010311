// RUN: graph-opt %s --resolve-strategy --place --verify-placed --split-input-file --verify-diagnostics
// No request is dropped silently.

module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "one_device">} {
// expected-remark @below {{is placed on "/job:worker/task:1" by the model, like 1 other operation or variable elsewhere; strategy one_device computes everything on "/job:worker/task:0/device:CPU:0"}}
graph.variable @w : tensor<4xf32> = #graph.zeros {graph.device = #graph.device<"/job:worker/task:1">}
graph.func @f(%x: tensor<4xf32>) -> (tensor<4xf32>) attributes {role = #graph.role<predict>} {
  %y = graph.negate %x {graph.device = #graph.device<"/gpu:0">} : tensor<4xf32>
  %z = graph.negate %y {graph.device = #graph.device<"/task:0">} : tensor<4xf32>
  graph.return %z : tensor<4xf32>
}
}

// -----

// Between graphs, a request for one task is not for every replica: once a request.
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server">} {
graph.func @f(%x: tensor<4xf32>) -> (tensor<4xf32>) attributes {role = #graph.role<train>} {
  // expected-remark @below {{is placed on "/job:worker/task:1" by the model or a placement rule; every replica computes it on its own task}}
  %y = graph.negate %x {graph.device = #graph.device<"/job:worker/task:1">} : tensor<4xf32>
  %z = graph.negate %y {graph.device = #graph.device<"/job:worker/task:1">} : tensor<4xf32>
  %u = graph.negate %z {graph.device = #graph.device<"/job:worker">} : tensor<4xf32>
  graph.return %u : tensor<4xf32>
}
}

// -----

module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "mirrored">} {
graph.func @f(%x: tensor<4xf32>) -> (tensor<4xf32>) attributes {role = #graph.role<train>} {
  // expected-remark @below {{every tower computes it on its own device}}
  %y = graph.negate %x {graph.device = #graph.device<"/job:worker/task:1">} : tensor<4xf32>
  graph.return %y : tensor<4xf32>
}
}

// -----

module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "in_graph">, graph.soft_placement} {
graph.func @f(%x: tensor<4xf32>) -> (tensor<4xf32>) attributes {role = #graph.role<train>} {
  // expected-remark @below {{is placed on "/job:worker/task:1/device:GPU:0", which no device of the cluster is; soft placement takes "/job:worker/task:1/device:CPU:0"}}
  %y = graph.negate %x {graph.device = #graph.device<"/job:worker/task:1/gpu:0">} : tensor<4xf32>
  graph.return %y : tensor<4xf32>
}
}

// -----

// What touches a variable is where that is, once a request; a request for the replicas' job is for their part.
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server">} {
// expected-note @below {{variable declared here}}
graph.variable @w : tensor<4xf32> = #graph.zeros
graph.func @f() -> (tensor<4xf32>, tensor<4xf32>) attributes {role = #graph.role<train>} {
  // expected-remark @below {{is pinned to "/job:worker/task:1", but its variable @w is on "/job:ps/task:0/device:CPU:0"; state is touched where it is stored}}
  %w = graph.read @w {graph.device = #graph.device<"/job:worker/task:1">} : tensor<4xf32>
  %v = graph.read @w {graph.device = #graph.device<"/job:worker/task:1">} : tensor<4xf32>
  %u = graph.read @w {graph.device = #graph.device<"/job:worker">} : tensor<4xf32>
  %s = graph.add %v, %u : tensor<4xf32>
  graph.return %w, %s : tensor<4xf32>, tensor<4xf32>
}
}

// -----

module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "mirrored">} {
// expected-note @below {{variable declared here}}
graph.variable @w : tensor<4xf32> = #graph.zeros
graph.func @f() -> (tensor<4xf32>) attributes {role = #graph.role<train>} {
  // expected-remark @below {{is pinned to "/job:worker/task:1", but its variable @w is on "/job:worker/task:0/device:CPU:0"}}
  %w = graph.read @w {graph.device = #graph.device<"/job:worker/task:1">} : tensor<4xf32>
  graph.return %w : tensor<4xf32>
}
}

// -----

// expected-remark @below {{placement rule "w1" has no effect: under the strategy all_reduce every worker keeps all variables}}
// expected-remark @below {{placement rule "w2" has no effect: no variable and no operation's name}}
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "all_reduce">,
                   graph.placement = [["w1", #graph.device<"/job:worker/task:1">], ["w2", #graph.device<"/job:worker/task:1">]]} {
graph.variable @w1 : tensor<4xf32> = #graph.zeros
}

// -----

// A rule for a variable beats what is written on an operation that touches it: once a request and variable. A request that the
// rule satisfies, or that is for the replicas' part, is none to speak of.
// expected-note @below {{placement rule "w1" puts the variable there}}
// expected-note @below {{placement rule "w*" puts the variable there}}
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 2, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server">,
                   graph.placement = [["w1", #graph.device<"/job:ps/task:1">], ["w*", #graph.device<"/job:ps/task:1">]]} {
// expected-note @below {{variable declared here}}
graph.variable @w1 : tensor<4xf32> = #graph.zeros
// expected-note @below {{variable declared here}}
graph.variable @w2 : tensor<4xf32> = #graph.zeros
graph.func @f() -> (tensor<4xf32>, tensor<4xf32>) attributes {role = #graph.role<train>} {
  // expected-remark @below {{is pinned to "/job:ps/task:0", but its variable @w1 is on "/job:ps/task:1/device:CPU:0" by a placement rule, which counts more; state is touched where it is stored}}
  %a = graph.read @w1 {graph.device = #graph.device<"/job:ps/task:0">} : tensor<4xf32>
  %b = graph.read @w1 {graph.device = #graph.device<"/job:ps/task:0">} : tensor<4xf32>
  // expected-remark @below {{is pinned to "/job:ps/task:0", but its variable @w2 is on "/job:ps/task:1/device:CPU:0" by a placement rule}}
  %c = graph.read @w2 {graph.device = #graph.device<"/job:ps/task:0">} : tensor<4xf32>
  %d = graph.read @w2 {graph.device = #graph.device<"/job:ps">} : tensor<4xf32>
  %e = graph.read @w2 {graph.device = #graph.device<"/job:worker">} : tensor<4xf32>
  %s = graph.add %a, %b : tensor<4xf32>
  %t = graph.add %c, %d : tensor<4xf32>
  %u = graph.add %t, %e : tensor<4xf32>
  graph.return %s, %u : tensor<4xf32>, tensor<4xf32>
}
}

// -----

// So does one for what is colocated with it; the rule holds for what lives with the variable as well.
// expected-note @below {{placement rule "w" puts the variable there}}
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "in_graph">,
                   graph.placement = [["w", #graph.device<"/job:worker/task:1">]]} {
// expected-note @below {{variable declared here}}
graph.variable @w : tensor<4xf32> = #graph.zeros
// expected-note @below {{variable declared here}}
graph.variable @v : tensor<4xf32> = #graph.zeros {graph.colocate_with = @w}
graph.func @f(%x: tensor<4xf32>) -> (tensor<4xf32>) attributes {role = #graph.role<predict>} {
  // expected-remark @below {{is pinned to "/job:worker/task:0", but it is colocated with @w, which is on "/job:worker/task:1/device:CPU:0" by a placement rule, which counts more, and follows it}}
  %y = graph.negate %x {graph.device = #graph.device<"/job:worker/task:0">, graph.colocate_with = @w} : tensor<4xf32>
  // expected-remark @below {{is pinned to "/job:worker/task:0", but its variable @v is on "/job:worker/task:1/device:CPU:0" by a placement rule}}
  graph.assign @v, %y {graph.device = #graph.device<"/job:worker/task:0">} : tensor<4xf32>
  graph.return %y : tensor<4xf32>
}
}

// -----

// "*" is every variable's rule, and of no operation without a name.
// expected-note @below {{placement rule "*" puts the variable there}}
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "in_graph">,
                   graph.placement = [["*", #graph.device<"/job:worker/task:1">]]} {
// expected-note @below {{variable declared here}}
graph.variable @w : tensor<4xf32> = #graph.zeros
graph.func @f() -> (tensor<4xf32>) attributes {role = #graph.role<predict>} {
  // expected-remark @below {{is pinned to "/job:worker/task:0", but its variable @w is on "/job:worker/task:1/device:CPU:0" by a placement rule}}
  %w = graph.read @w {graph.device = #graph.device<"/job:worker/task:0">} : tensor<4xf32>
  graph.return %w : tensor<4xf32>
}
}

// -----

// A rule also beats what is written on the variable or the operation that it names: once a request.
// expected-note @below {{placement rule "w*"}}
// expected-note @below {{placement rule "layer*"}}
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "in_graph">,
                   graph.placement = [["w*", #graph.device<"/job:worker/task:1">], ["layer*", #graph.device<"/job:worker/task:1">]]} {
// expected-remark @below {{is placed on "/job:worker/task:0" by the model, but on "/job:worker/task:1/device:CPU:0" by a placement rule, which counts more}}
graph.variable @w1 : tensor<4xf32> = #graph.zeros {graph.device = #graph.device<"/job:worker/task:0">}
graph.variable @w2 : tensor<4xf32> = #graph.zeros {graph.device = #graph.device<"/job:worker/task:0">}
graph.variable @w3 : tensor<4xf32> = #graph.zeros {graph.device = #graph.device<"/job:worker">}
graph.func @f(%x: tensor<4xf32>) -> (tensor<4xf32>) attributes {role = #graph.role<predict>} {
  // expected-remark @below {{is placed on "/job:worker/task:0" by the model, but on "/job:worker/task:1/device:CPU:0" by a placement rule, which counts more}}
  %y = graph.negate %x {graph.device = #graph.device<"/job:worker/task:0">} : tensor<4xf32> loc("layer1")
  %z = graph.negate %y {graph.device = #graph.device<"/job:worker/task:0">} : tensor<4xf32> loc("layer2")
  graph.return %z : tensor<4xf32>
}
}

// -----

// All-reduce: once a request.
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "all_reduce">} {
graph.func @f(%x: tensor<4xf32>) -> (tensor<4xf32>) attributes {role = #graph.role<train>} {
  // expected-remark @below {{is on every replica under the strategy all_reduce; its device "/job:ps/task:0" has no effect}}
  %y = graph.negate %x {graph.device = #graph.device<"/job:ps/task:0">} : tensor<4xf32>
  %z = graph.negate %y {graph.device = #graph.device<"/job:ps/task:0">} : tensor<4xf32>
  graph.return %z : tensor<4xf32>
}
}

// -----

// A rule for what lives with a variable does not move it, nor what hands a result over. One for all others is not about a slot
// whose variable has a rule of its own.
// expected-note @below {{placement rule "a/Momentum"}}
// expected-note @below {{placement rule "beside"}}
// expected-note @below {{placement rule "seen"}}
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "in_graph">,
                   graph.placement = [["a/Momentum", #graph.device<"/job:worker/task:1">],
                                      ["beside", #graph.device<"/job:worker/task:1">],
                                      ["seen", #graph.device<"/job:worker/task:1">],
                                      ["b", #graph.device<"/job:worker/task:1">], ["b*", #graph.device<"/job:worker/task:0">],
                                      ["c", #graph.device<"/job:worker/task:1">], ["c/M*", #graph.device<"/job:worker/task:1">]]} {
graph.variable @a : tensor<4xf32> = #graph.zeros
// expected-remark @below {{is a slot of @a and lives with it on "/job:worker/task:0/device:CPU:0"; a placement rule does not move it}}
graph.variable @"a/Momentum" : tensor<4xf32> = #graph.zeros {trainable = false, graph.slot_of = @a}
// expected-remark @below {{is colocated with @a and lives with it on "/job:worker/task:0/device:CPU:0"; a placement rule does not move it}}
graph.variable @beside : tensor<4xf32> = #graph.zeros {graph.colocate_with = @a}
graph.variable @b : tensor<4xf32> = #graph.zeros
graph.variable @"b/Momentum" : tensor<4xf32> = #graph.zeros {trainable = false, graph.slot_of = @b}
graph.variable @bb : tensor<4xf32> = #graph.zeros
graph.variable @c : tensor<4xf32> = #graph.zeros
graph.variable @"c/Momentum" : tensor<4xf32> = #graph.zeros {trainable = false, graph.slot_of = @c}
graph.func @f(%x: tensor<f32>) -> () attributes {role = #graph.role<train>} {
  // expected-remark @below {{hands a result over on "/job:worker/task:0/device:CPU:0"; a placement rule does not move it}}
  graph.summary "x", %x {graph.name = "seen"} : tensor<f32>
  graph.return
}
}

// -----

// An operation goes beside its first operand, a batch most often: a rule for a variable alone leaves what takes its value behind. Its gradient comes
// back: 16 bytes each way in a step of training, and 16 in one of the other function.
// expected-remark @below {{placement rule "w" moves @w alone: 3 operations that take its value stay on "/job:worker/task:0/device:CPU:0", and 32 bytes cross in each step; a rule moves operations by their names, as in loc("name") or graph.name}}
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "in_graph">,
                   graph.placement = [["w", #graph.device<"/job:worker/task:1">]]} {
graph.variable @w : tensor<4xf32> = #graph.zeros
graph.func @train(%fed: tensor<4xf32>) -> (tensor<4xf32>) attributes {role = #graph.role<train>} {
  %x = graph.negate %fed : tensor<4xf32>
  %w = graph.read @w : tensor<4xf32>
  // expected-note @below {{the first of these operations}}
  %y = graph.multiply %x, %w : tensor<4xf32>
  %z = graph.add %y, %w : tensor<4xf32>
  %s = graph.gradient_squares @w, %z : (tensor<4xf32>) -> tensor<4xf64>
  %norm = graph.reduce_sum %s dimensions = [0] : (tensor<4xf64>) -> tensor<f64>
  graph.apply_sgd @w, %z scale %norm {learning_rate = 0.1} : tensor<4xf32>
  graph.return %w : tensor<4xf32>
}
graph.func @predict(%fed: tensor<4xf32>) -> (tensor<4xf32>) attributes {role = #graph.role<predict>} {
  %x = graph.negate %fed : tensor<4xf32>
  %w = graph.read @w : tensor<4xf32>
  %y = graph.multiply %x, %w : tensor<4xf32>
  graph.return %y : tensor<4xf32>
}
}

// -----

// Once a rule, of those of its variables that nothing follows.
// expected-remark @below {{placement rule "w*" moves @w1 and 1 more alone: 2 operations that take their values stay on "/job:worker/task:0/device:CPU:0" and elsewhere, and 48 bytes cross in each step; a rule moves operations by their names, as in loc("name") or graph.name}}
// expected-remark @below {{placement rule "v" moves @v alone: 1 operation that takes its value stays on "/job:worker/task:0/device:CPU:0", and 32 bytes cross in each step}}
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 3], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "in_graph">,
                   graph.placement = [["w*", #graph.device<"/job:worker/task:1">], ["v", #graph.device<"/job:worker/task:1">]]} {
graph.variable @w1 : tensor<4xf32> = #graph.zeros
graph.variable @w2 : tensor<4xf32> = #graph.zeros
graph.variable @w3 : tensor<4xf32> = #graph.zeros
graph.variable @v : tensor<4xf32> = #graph.zeros
graph.func @f(%fed: tensor<4xf32>) -> (tensor<4xf32>) attributes {role = #graph.role<predict>} {
  %x = graph.negate %fed : tensor<4xf32>
  %w1 = graph.read @w1 : tensor<4xf32>
  %w2 = graph.read @w2 : tensor<4xf32>
  %w3 = graph.read @w3 : tensor<4xf32>
  %v = graph.read @v : tensor<4xf32>
  // expected-note @below {{the first of these operations}}
  %a = graph.multiply %x, %w1 : tensor<4xf32>
  %b = graph.negate %a {graph.device = #graph.device<"/job:worker/task:2">} : tensor<4xf32>
  %c = graph.multiply %b, %w2 : tensor<4xf32>
  // It is asked to be where it is, and the value goes there for it too.
  %d = graph.multiply %c, %w1 {graph.device = #graph.device<"/job:worker/task:2">} : tensor<4xf32>
  // expected-note @below {{the first of these operations}}
  %e = graph.multiply %a, %v : tensor<4xf32>
  %f = graph.multiply %d, %v {graph.device = #graph.device<"/job:worker/task:2">} : tensor<4xf32>
  // This one goes along, as its first operand is the variable's.
  %g = graph.multiply %w3, %x : tensor<4xf32>
  %h = graph.add %e, %f : tensor<4xf32>
  %i = graph.add %h, %g : tensor<4xf32>
  graph.return %i : tensor<4xf32>
}
}

// -----

// Not where an operation is named as well, nor where all that take the value are asked to be elsewhere, nor where it is only handed over, nor where
// the rule says what is so without it.
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "in_graph">,
                   graph.placement = [["w?", #graph.device<"/job:worker/task:1">], ["named", #graph.device<"/job:worker/task:1">],
                                      ["v", #graph.device<"/job:worker/task:0">]]} {
graph.variable @w1 : tensor<4xf32> = #graph.zeros
graph.variable @w2 : tensor<4xf32> = #graph.zeros
graph.variable @w3 : tensor<4xf32> = #graph.zeros
graph.variable @v : tensor<4xf32> = #graph.zeros
graph.func @f(%fed: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {role = #graph.role<predict>} {
  %x = graph.negate %fed : tensor<4xf32>
  %w1 = graph.read @w1 : tensor<4xf32>
  %w2 = graph.read @w2 : tensor<4xf32>
  %w3 = graph.read @w3 : tensor<4xf32>
  %v = graph.read @v : tensor<4xf32>
  %a = graph.multiply %x, %w1 : tensor<4xf32>
  %b = graph.multiply %a, %w1 {graph.name = "named"} : tensor<4xf32>
  %c = graph.multiply %x, %w2 {graph.device = #graph.device<"/job:worker/task:0">} : tensor<4xf32>
  %d = graph.multiply %x, %v : tensor<4xf32>
  %e = graph.add %b, %c : tensor<4xf32>
  %f = graph.add %d, %e : tensor<4xf32>
  graph.return %f, %w3 : tensor<4xf32>, tensor<4xf32>
}
}

// -----

// Under a strategy with servers variables are always away from what takes them.
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 2, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server">,
                   graph.placement = [["w", #graph.device<"/job:ps/task:1">]]} {
graph.variable @w : tensor<4xf32> = #graph.zeros
graph.func @f(%fed: tensor<4xf32>) -> (tensor<4xf32>) attributes {role = #graph.role<predict>} {
  %x = graph.negate %fed : tensor<4xf32>
  %w = graph.read @w : tensor<4xf32>
  %y = graph.multiply %x, %w : tensor<4xf32>
  graph.return %y : tensor<4xf32>
}
}
