// RUN: graph-opt %s --resolve-strategy --place --verify-placed --replicate --verify-replicated --verify-placed | FileCheck %s
// Rows of a table are taken where it is, and a gradient of rows goes there by numbers and rows. What changes every row stays dense there.

module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server", micro_batches = 4, distinct_rows = true>} {
graph.variable @table : tensor<1000x8xf32> = #graph.zeros
graph.variable @decayed : tensor<1000x8xf32> = #graph.zeros
graph.variable @both : tensor<1000x8xf32> = #graph.zeros
graph.variable @small : tensor<5x8xf32> = #graph.zeros
graph.dataset @d : (tensor<4xi32>, tensor<4x8xf32>) = #graph.synthetic<samples = 100, seed = 7, limits = [5, 0]>
// CHECK-LABEL: graph.func @train
graph.func @train() -> () attributes {role = #graph.role<train>} {
  %n, %g = graph.next_batch @d {batch = 2} : tensor<2x4xi32>, tensor<2x4x8xf32>
  // CHECK-DAG: %[[T:.*]] = graph.read @table {graph.device = #graph.device<"/job:ps/task:0/device:CPU:0">}
  %t = graph.read @table : tensor<1000x8xf32>
  %s = graph.read @small : tensor<5x8xf32>
  // Of each of the two micro-batches of a replica: each number once, as many rows as there are, and what the worker wants of them.
  // CHECK: %[[L:.*]], %[[P:.*]], %[[C:.*]], %{{.*}} = graph.distinct %[[IDS0:.*]] {graph.device = #graph.device<"/job:worker/device:CPU:0">, rows = 1000 : i64} : (tensor<2x4xi32>) -> (tensor<8xi32>, tensor<2x4xi32>, tensor<i64>, tensor<16xi32>)
  // CHECK: %[[N:.*]] = graph.collect "table.numbers", %[[L]] {graph.device = #graph.device<"/job:ps/task:0/device:CPU:0">, replicas = 2 : i64} : tensor<8xi32> -> tensor<16xi32>
  // CHECK: %[[CS:.*]] = graph.count_front %[[N]] {graph.device = #graph.device<"/job:ps/task:0/device:CPU:0">} : (tensor<16xi32>) -> tensor<2xi64>
  // CHECK: %[[R:.*]] = graph.embedding %[[T]], %[[N]] {graph.device = #graph.device<"/job:ps/task:0/device:CPU:0">} : (tensor<1000x8xf32>, tensor<16xi32>) -> tensor<16x8xf32>
  // CHECK: %[[D:.*]] = graph.deal "table.rows", %[[R]] count %[[C]] : tensor<i64>, %[[CS]] : tensor<2xi64> {graph.device = #graph.device<"/job:worker/device:CPU:0">, replicas = 2 : i64} : tensor<16x8xf32> -> tensor<8x8xf32>
  // CHECK: graph.embedding %[[D]], %[[P]] {graph.device = #graph.device<"/job:worker/device:CPU:0">} : (tensor<8x8xf32>, tensor<2x4xi32>) -> tensor<2x4x8xf32>
  // CHECK: graph.deal "table.rows"
  %r = graph.embedding %t, %n : (tensor<1000x8xf32>, tensor<2x4xi32>) -> tensor<2x4x8xf32>
  %h = graph.add %r, %g : tensor<2x4x8xf32>
  // The numbers of both, then the rows of both; the worker's sum of its two micro-batches, side by side; the server's of the two workers.
  // CHECK: %[[OWN:.*]] = graph.concatenate %{{.*}}, %{{.*}} dimension = 0 {graph.device = #graph.device<"/job:worker/device:CPU:0">} : (tensor<2x4xi32>, tensor<2x4xi32>) -> tensor<4x4xi32>
  // CHECK: %[[L:.*]], %[[P:.*]], %[[C:.*]], %{{.*}} = graph.distinct %[[OWN]] {{.*}} -> (tensor<16xi32>, tensor<4x4xi32>, tensor<i64>, tensor<32xi32>)
  // CHECK: %[[AT:.*]], %[[SUMS:.*]], %{{.*}}, %{{.*}} = graph.sum_rows %[[P]], %{{.*}} {graph.device = #graph.device<"/job:worker/device:CPU:0">, micro_batches = 2 : i64, per_leaf = 1 : i64}
  // CHECK: %[[SIDE:.*]] = graph.embedding_grad %[[AT]], %[[SUMS]] {graph.device = #graph.device<"/job:worker/device:CPU:0">} : (tensor<4x4xi32>, tensor<4x4x8xf32>) -> tensor<16x8xf32>
  // CHECK: %[[ALL:.*]] = graph.collect "table.numbers", %[[L]] {{.*}} -> tensor<32xi32>
  // CHECK: %[[CS:.*]] = graph.count_front %[[ALL]]
  // CHECK: %[[ROWS:.*]] = graph.collect "table.gradient", %[[SIDE]] count %[[C]] : tensor<i64>, %[[CS]] : tensor<2xi64> {{.*}} : tensor<16x8xf32> -> tensor<32x8xf32>
  // CHECK: %[[AT:.*]], %[[SUMS:.*]], %{{.*}}, %{{.*}} = graph.sum_rows %[[ALL]], %[[ROWS]] {graph.device = #graph.device<"/job:ps/task:0/device:CPU:0">, micro_batches = 2 : i64, per_leaf = 1 : i64}
  // CHECK: %[[M:.*]] = graph.divide %[[SUMS]],
  // CHECK-NEXT: graph.apply_sgd_rows @table, %[[M]] at %[[AT]] {{.*}}learning_rate
  %d = graph.embedding_grad %n, %h : (tensor<2x4xi32>, tensor<2x4x8xf32>) -> tensor<1000x8xf32>
  graph.apply_sgd @table, %d {learning_rate = 0.1} : tensor<1000x8xf32>
  // CHECK: %[[AT:.*]], %[[SUMS:.*]], %{{.*}}, %{{.*}} = graph.sum_rows {{.*}}job:ps
  // CHECK: %[[D:.*]] = graph.embedding_grad %[[AT]], %[[SUMS]] {graph.device = #graph.device<"/job:ps/task:0/device:CPU:0">}
  // CHECK: %[[M:.*]] = graph.divide %[[D]],
  // CHECK: graph.apply_sgd @decayed, %[[M]] {{.*}}weight_decay
  %e = graph.embedding_grad %n, %g : (tensor<2x4xi32>, tensor<2x4x8xf32>) -> tensor<1000x8xf32>
  graph.apply_sgd @decayed, %e {learning_rate = 0.1, weight_decay = 0.1} : tensor<1000x8xf32>
  // A sum of two gradients in a micro-batch is another than that of a step.
  // CHECK: graph.apply_sgd @both
  %f = graph.add %d, %e : tensor<1000x8xf32>
  graph.apply_sgd @both, %f {learning_rate = 0.1} : tensor<1000x8xf32>
  // The whole is fewer bytes.
  // CHECK: %[[G:.*]] = graph.aggregate %{{.*}} : tensor<5x8xf32>
  // CHECK: graph.apply_sgd @small
  %k = graph.embedding_grad %n, %g : (tensor<2x4xi32>, tensor<2x4x8xf32>) -> tensor<5x8xf32>
  graph.apply_sgd @small, %k {learning_rate = 0.1} : tensor<5x8xf32>
  graph.return
}
}
