// RUN: graph-opt %s --resolve-strategy --split-variables --place --replicate --verify-replicated --verify-placed | FileCheck %s
// One client, two towers, two parameter servers: each tower joins the parts of a variable itself; none travels by way of a server.

module attributes {graph.cluster = #graph.cluster<jobs = [ps = 2, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server", in_graph = true>,
                   graph.variable_placement = "split", graph.min_shard_bytes = 64 : i64} {
graph.variable @w : tensor<32xf32> = #graph.zeros
graph.dataset @d : (tensor<32xf32>) = #graph.synthetic<samples = 100, seed = 7>
graph.func @train() attributes {role = #graph.role<train>} {
  // CHECK: %[[P0:.*]] = graph.read @"w/part_0" {{.*}}job:ps/task:0
  // CHECK: %[[P1:.*]] = graph.read @"w/part_1" {{.*}}job:ps/task:1
  // CHECK: %[[X0:.*]] = graph.next_batch
  // CHECK: %[[W0:.*]] = graph.concatenate %[[P0]], %[[P1]] {{.*}}job:worker/task:0
  // CHECK: graph.multiply %{{.*}}, %[[W0]] {{.*}}job:worker/task:0
  // CHECK: %[[X1:.*]] = graph.next_batch
  // CHECK: %[[W1:.*]] = graph.concatenate %[[P0]], %[[P1]] {{.*}}job:worker/task:1
  // CHECK: graph.multiply %{{.*}}, %[[W1]] {{.*}}job:worker/task:1
  %w = graph.read @w : tensor<32xf32>
  %x = graph.next_batch @d {batch = 1} : tensor<1x32xf32>
  %r = graph.reshape %x : (tensor<1x32xf32>) -> tensor<32xf32>
  %g = graph.multiply %r, %w : tensor<32xf32>
  // CHECK: graph.apply_sgd @"w/part_0", {{.*}}job:ps/task:0
  // CHECK: graph.apply_sgd @"w/part_1", {{.*}}job:ps/task:1
  graph.apply_sgd @w, %g {learning_rate = 0.1} : tensor<32xf32>
  graph.return
}
}
