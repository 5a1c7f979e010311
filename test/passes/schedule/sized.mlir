// RUN: graph-opt %s --resolve-strategy --place --replicate --partition --decompose --cse --outline --verify-outlined --schedule --verify-liveness | FileCheck %s
// What says how long messages are is computed before the first of them: rows that differ are counted before they come and before they go. The gradient is made in
// its slot, whatever its size will be.

module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server", distinct_rows = true>} {
graph.variable @table : tensor<100000x64xf32> = #graph.zeros
graph.variable @global_step : tensor<i64> = #graph.zeros {trainable = false}
graph.dataset @d : (tensor<4xi32>) = #graph.synthetic<samples = 100, seed = 7, limits = [1000]>
// CHECK: dist.channel @train.table.rows : {{.*}}sized
// CHECK: dist.channel @train.table.gradient : {{.*}}sized
// CHECK-LABEL: dist.program @train.worker
// CHECK: %[[COUNT:.*]] = dist.buffer {{.*}}memref<i64>
// CHECK: dist.call @{{.*}}distinct{{.*}}%[[COUNT]]
// CHECK: dist.receive @train.table.rows count %[[COUNT]] : memref<i64> : memref<64x64xf32>
// CHECK: %[[G:.*]] = dist.acquire @train.table.gradient : memref<64x64xf32>
// CHECK: dist.send_start @train.table.gradient, %[[G]] count %[[COUNT]] : memref<i64> : memref<64x64xf32>
// CHECK-LABEL: dist.program @train.ps0
// CHECK: %[[COUNTS:.*]] = dist.buffer {{.*}}memref<2xi64>
// CHECK: dist.collect_into @train.table.numbers, %{{.*}} : memref<128xi32>
// CHECK: dist.call @{{.*}}count_front{{.*}}%[[COUNTS]]
// CHECK: dist.send_start @train.table.rows, %{{.*}} count %[[COUNTS]] : memref<2xi64> {deal} : memref<128x64xf32>
// CHECK: dist.collect_into @train.table.gradient, %{{.*}} count %[[COUNTS]] : memref<2xi64> : memref<128x64xf32>
graph.func @train() -> () attributes {role = #graph.role<train>} {
  %n = graph.next_batch @d {batch = 16} : tensor<16x4xi32>
  %t = graph.read @table : tensor<100000x64xf32>
  %r = graph.embedding %t, %n : (tensor<100000x64xf32>, tensor<16x4xi32>) -> tensor<16x4x64xf32>
  %h = graph.tanh %r : tensor<16x4x64xf32>
  %d = graph.embedding_grad %n, %h : (tensor<16x4xi32>, tensor<16x4x64xf32>) -> tensor<100000x64xf32>
  graph.apply_sgd @table, %d {learning_rate = 0.1} : tensor<100000x64xf32>
  %one = graph.constant dense<1> : tensor<i64>
  graph.assign_add @global_step, %one : tensor<i64>
  graph.return
}
}
