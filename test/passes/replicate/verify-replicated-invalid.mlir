// RUN: graph-opt %s --resolve-strategy --verify-replicated --split-input-file --verify-diagnostics

#ps = #graph.device<"/job:ps/task:0/device:CPU:0">
#worker = #graph.device<"/job:worker/device:CPU:0">
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server">} {
graph.variable @w : tensor<4xf32> = #graph.zeros {graph.device = #ps}
// expected-note @below {{the value is made here}}
graph.func @train(%g: tensor<4xf32>) -> () attributes {role = #graph.role<train>, graph.device = #worker} {
  // expected-error @below {{on "/job:ps/task:0/device:CPU:0" takes a value of every replica without graph.aggregate}}
  graph.apply_sgd @w, %g {learning_rate = 0.1, graph.device = #ps} : tensor<4xf32>
  graph.return {graph.device = #worker}
}
}

// -----

#ps = #graph.device<"/job:ps/task:0/device:CPU:0">
#worker = #graph.device<"/job:worker/device:CPU:0">
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server">} {
graph.func @train(%g: tensor<4xf32>) -> () attributes {role = #graph.role<train>, graph.device = #worker} {
  // expected-error @below {{sums 3 replicas; the domain has 2}}
  %s = graph.aggregate %g {replicas = 3, graph.device = #ps} : tensor<4xf32>
  graph.return {graph.device = #worker}
}
}

// -----

#ps = #graph.device<"/job:ps/task:0/device:CPU:0">
#worker = #graph.device<"/job:worker/device:CPU:0">
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server">} {
graph.func @train(%g: tensor<4xf32>) -> () attributes {role = #graph.role<train>, graph.device = #worker} {
  // expected-error @below {{expected to take a value of every replica on one device}}
  %s = graph.aggregate %g {replicas = 2, graph.device = #worker} : tensor<4xf32>
  graph.return {graph.device = #worker}
}
}

// -----

#worker = #graph.device<"/job:worker/task:0/device:CPU:0">
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 1], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "one_device">} {
graph.func @train(%g: tensor<4xf32>) -> () attributes {role = #graph.role<train>, graph.device = #worker} {
  // expected-error @below {{expected only in functions that run on every replica}}
  %s = graph.aggregate %g {replicas = 2, graph.device = #worker} : tensor<4xf32>
  graph.return {graph.device = #worker}
}
}

// -----

#ps = #graph.device<"/job:ps/task:0/device:CPU:0">
#worker = #graph.device<"/job:worker/device:CPU:0">
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server">} {
graph.func @train(%n: tensor<4xi32>) -> () attributes {role = #graph.role<train>, graph.device = #worker} {
  // expected-error @below {{is of 3 replicas; the domain has 2}}
  %a = graph.collect "numbers", %n {replicas = 3, graph.device = #ps} : tensor<4xi32> -> tensor<12xi32>
  graph.return {graph.device = #worker}
}
}

// -----

#ps = #graph.device<"/job:ps/task:0/device:CPU:0">
#worker = #graph.device<"/job:worker/device:CPU:0">
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server">} {
// A value that no replica has is there once.
graph.variable @w : tensor<4xf32> = #graph.zeros {graph.device = #ps}
graph.func @train() -> () attributes {role = #graph.role<train>, graph.device = #worker} {
  %w = graph.read @w {graph.device = #ps} : tensor<4xf32>
  // expected-error @below {{expected to lead from every replica to one device}}
  %a = graph.collect "w", %w {replicas = 2, graph.device = #ps} : tensor<4xf32> -> tensor<8xf32>
  graph.return {graph.device = #worker}
}
}

// -----

#ps = #graph.device<"/job:ps/task:0/device:CPU:0">
#worker = #graph.device<"/job:worker/device:CPU:0">
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server">} {
graph.func @train(%n: tensor<4xi32>) -> () attributes {role = #graph.role<train>, graph.device = #worker} {
  // expected-error @below {{expected to lead from every replica to one device, a deal back}}
  %a = graph.deal "rows", %n {replicas = 2, graph.device = #worker} : tensor<4xi32> -> tensor<2xi32>
  graph.return {graph.device = #worker}
}
}

// -----

#ps = #graph.device<"/job:ps/task:0/device:CPU:0">
#worker = #graph.device<"/job:worker/device:CPU:0">
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server">} {
graph.func @eval(%n: tensor<4xi32>) -> () attributes {role = #graph.role<eval>, graph.device = #worker} {
  // expected-error @below {{expected only in functions that run on every replica, with variables on servers}}
  %a = graph.collect "numbers", %n {replicas = 2, graph.device = #ps} : tensor<4xi32> -> tensor<8xi32>
  graph.return {graph.device = #worker}
}
}

// -----

#ps = #graph.device<"/job:ps/task:0/device:CPU:0">
#worker = #graph.device<"/job:worker/device:CPU:0">
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server">} {
graph.func @train(%n: tensor<4xi32>, %m: tensor<i64>) -> () attributes {role = #graph.role<train>, graph.device = #worker} {
  %all = graph.collect "numbers", %n {replicas = 2, graph.device = #ps} : tensor<4xi32> -> tensor<8xi32>
  %each = graph.count_front %all {graph.device = #ps} : (tensor<8xi32>) -> tensor<2xi64>
  %a = graph.collect "some", %n count %m : tensor<i64>, %each : tensor<2xi64> {replicas = 2, graph.device = #ps} : tensor<4xi32> -> tensor<8xi32>
  %back = graph.deal "back", %a count %m : tensor<i64>, %each : tensor<2xi64> {replicas = 2, graph.device = #worker} : tensor<8xi32> -> tensor<4xi32>
  %there = graph.count_front %n {graph.device = #worker} : (tensor<4xi32>) -> tensor<2xi64>
  // expected-error @below {{expected the counts where the value is made and where it comes to, each on its device}}
  %b = graph.collect "none", %n count %m : tensor<i64>, %there : tensor<2xi64> {replicas = 2, graph.device = #ps} : tensor<4xi32> -> tensor<8xi32>
  graph.return {graph.device = #worker}
}
}

// -----

#worker0 = #graph.device<"/job:worker/task:0/device:CPU:0">
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server">} {
graph.func @eval(%n: tensor<4xi32>) -> () attributes {role = #graph.role<eval>, graph.device = #worker0} {
  %m = graph.negate %n {graph.device = #worker0} : tensor<4xi32>
  // expected-error @below {{expected to lead from one device to another}}
  %a = graph.collect "numbers", %m {replicas = 1, graph.device = #worker0} : tensor<4xi32> -> tensor<4xi32>
  graph.return {graph.device = #worker0}
}
}
