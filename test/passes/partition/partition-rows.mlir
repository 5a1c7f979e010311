// RUN: graph-opt %s --resolve-strategy --place --replicate --partition --verify-partitioned | FileCheck %s
// RUN: sed 's/, distinct_rows = true//' %s | graph-opt --resolve-strategy --place --replicate --partition --verify-partitioned | FileCheck %s --check-prefix=EACH --implicit-check-not=distinct --implicit-check-not=sized
// Numbers of all workers are one value on the server, and each worker has its piece of the rows; numbers that are wanted twice are sent once.
// Of rows as many travel as numbers differ; on one host a row for each number.
// EACH: dist.channel @train.table.numbers : tensor<2x4xi32>
// EACH: dist.channel @train.table.rows : tensor<2x4x8xf32> from @train.ps0 to @train.worker {instances = 2 : i64}
// EACH: dist.channel @train.table.gradient : tensor<2x4x8xf32> from @train.worker to @train.ps0 {instances = 2 : i64}

module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server", distinct_rows = true>} {
graph.variable @table : tensor<1000x8xf32> = #graph.zeros
graph.variable @global_step : tensor<i64> = #graph.zeros {trainable = false}
graph.dataset @d : (tensor<4xi32>) = #graph.synthetic<samples = 100, seed = 7, limits = [1000]>
// CHECK: dist.channel @train.table.numbers : tensor<8xi32> from @train.worker to @train.ps0 {instances = 2 : i64}
// CHECK: dist.channel @train.table.rows : tensor<8x8xf32> from @train.ps0 to @train.worker {instances = 2 : i64, sized}
// CHECK: dist.channel @train.table.gradient : tensor<8x8xf32> from @train.worker to @train.ps0 {instances = 2 : i64, sized}
// CHECK-LABEL: dist.program @train.worker
// CHECK: %[[N:.*]] = graph.next_batch
// CHECK: %[[L:.*]], %[[P:.*]], %[[C:.*]], %{{.*}} = graph.distinct %[[N]]
// CHECK: dist.send @train.table.numbers, %[[L]] : tensor<8xi32>
// CHECK: %[[R:.*]] = dist.receive @train.table.rows count %[[C]] : tensor<i64> : tensor<8x8xf32>
// CHECK: graph.embedding %[[R]], %[[P]]
// CHECK-NOT: graph.distinct
// CHECK: %[[G:.*]] = graph.embedding_grad %[[P]], %{{.*}} -> tensor<8x8xf32>
// CHECK: dist.send @train.table.gradient, %[[G]] count %[[C]] : tensor<i64> : tensor<8x8xf32>
// CHECK-LABEL: dist.program @train.ps0
// CHECK: %[[ALL:.*]] = dist.collect @train.table.numbers : tensor<16xi32>
// CHECK: %[[CS:.*]] = graph.count_front %[[ALL]] : (tensor<16xi32>) -> tensor<2xi64>
// CHECK: %[[ROWS:.*]] = graph.embedding %{{.*}}, %[[ALL]] : (tensor<1000x8xf32>, tensor<16xi32>) -> tensor<16x8xf32>
// CHECK: dist.send @train.table.rows, %[[ROWS]] count %[[CS]] : tensor<2xi64> {deal} : tensor<16x8xf32>
// CHECK: %[[G:.*]] = dist.collect @train.table.gradient count %[[CS]] : tensor<2xi64> : tensor<16x8xf32>
// CHECK: graph.sum_rows %[[ALL]], %[[G]]
// CHECK: graph.apply_sgd_rows @table
graph.func @train() -> () attributes {role = #graph.role<train>} {
  %n = graph.next_batch @d {batch = 2} : tensor<2x4xi32>
  %t = graph.read @table : tensor<1000x8xf32>
  %r = graph.embedding %t, %n : (tensor<1000x8xf32>, tensor<2x4xi32>) -> tensor<2x4x8xf32>
  %h = graph.tanh %r : tensor<2x4x8xf32>
  %d = graph.embedding_grad %n, %h : (tensor<2x4xi32>, tensor<2x4x8xf32>) -> tensor<1000x8xf32>
  graph.apply_sgd @table, %d {learning_rate = 0.1} : tensor<1000x8xf32>
  %one = graph.constant dense<1> : tensor<i64>
  graph.assign_add @global_step, %one : tensor<i64>
  graph.return
}
}
