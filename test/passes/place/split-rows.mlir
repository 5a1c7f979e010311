// RUN: graph-opt %s --resolve-strategy --split-variables --place --verify-placed | FileCheck %s
// Rows of a split table are taken of each part, on its server; a gradient of rows has a part for each, of the same numbers. Where the rows
// are more bytes than a part, the parts are joined on the worker, as those of any variable.

module attributes {graph.cluster = #graph.cluster<jobs = [ps = 2, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server">, graph.variable_placement = "split",
                   graph.min_shard_bytes = 64 : i64} {
// CHECK: graph.variable @"table/part_0" : tensor<500x8xf32>
// CHECK: graph.variable @"table/part_1" : tensor<500x8xf32>
graph.variable @table : tensor<1000x8xf32> = #graph.zeros
graph.variable @small : tensor<8x8xf32> = #graph.zeros
graph.dataset @d : (tensor<4xi32>, tensor<4x8xf32>) = #graph.synthetic<samples = 100, seed = 7, limits = [1000, 0]>
// CHECK-LABEL: graph.func @train
graph.func @train() -> () attributes {role = #graph.role<train>} {
  // CHECK: %[[N:.*]]:2 = graph.next_batch
  %n, %g = graph.next_batch @d {batch = 2} : tensor<2x4xi32>, tensor<2x4x8xf32>
  // CHECK: %[[T0:.*]] = graph.read @"table/part_0"
  // CHECK: %[[T1:.*]] = graph.read @"table/part_1"
  %t = graph.read @table : tensor<1000x8xf32>
  // CHECK: %[[JOINED:.*]] = graph.concatenate {{.*}}"/job:worker/device:CPU:0"{{.*}} -> tensor<8x8xf32>
  %s = graph.read @small : tensor<8x8xf32>
  // CHECK: %[[R0:.*]] = graph.embedding %[[T0]], %[[N]]#0 {graph.device = #graph.device<"/job:ps/task:0/device:CPU:0">}
  // CHECK: %[[R1:.*]] = graph.embedding %[[T1]], %[[N]]#0 {first_row = 500 : i64, graph.device = #graph.device<"/job:ps/task:1/device:CPU:0">}
  // CHECK: %[[SECOND:.*]] = graph.compare ge, %[[N]]#0,
  // CHECK: %[[MASK:.*]] = graph.broadcast_in_dim %[[SECOND]]
  // CHECK: %[[R:.*]] = graph.select %[[MASK]], %[[R1]], %[[R0]] {graph.device = #graph.device<"/job:worker/device:CPU:0">}
  %r = graph.embedding %t, %n : (tensor<1000x8xf32>, tensor<2x4xi32>) -> tensor<2x4x8xf32>
  // CHECK: %[[Q:.*]] = graph.embedding %[[JOINED]], %[[N]]#0 {graph.device = #graph.device<"/job:worker/device:CPU:0">}
  %q = graph.embedding %s, %n : (tensor<8x8xf32>, tensor<2x4xi32>) -> tensor<2x4x8xf32>
  // CHECK: %[[H:.*]] = graph.add %[[R]], %[[Q]]
  %h = graph.add %r, %q : tensor<2x4x8xf32>
  %d = graph.embedding_grad %n, %h : (tensor<2x4xi32>, tensor<2x4x8xf32>) -> tensor<1000x8xf32>
  // CHECK: %[[D0:.*]] = graph.embedding_grad %[[N]]#0, %[[H]] {graph.device = #graph.device<"/job:worker/device:CPU:0">} : (tensor<2x4xi32>, tensor<2x4x8xf32>) -> tensor<500x8xf32>
  // CHECK: graph.apply_sgd @"table/part_0", %[[D0]]
  // CHECK: %[[D1:.*]] = graph.embedding_grad %[[N]]#0, %[[H]] {first_row = 500 : i64, {{.*}} -> tensor<500x8xf32>
  // CHECK: graph.apply_sgd @"table/part_1", %[[D1]]
  graph.apply_sgd @table, %d {learning_rate = 0.1} : tensor<1000x8xf32>
  // CHECK: graph.slice
  %e = graph.embedding_grad %n, %h : (tensor<2x4xi32>, tensor<2x4x8xf32>) -> tensor<8x8xf32>
  graph.apply_sgd @small, %e {learning_rate = 0.1} : tensor<8x8xf32>
  graph.return
}
}
