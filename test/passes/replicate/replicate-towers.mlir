// RUN: graph-opt %s --resolve-strategy --place --replicate --verify-replicated --strip-debuginfo | FileCheck %s
// What depends on the batch is cloned tower by tower; reads are shared; the sums are ((t0 + t1) + t2) / 3. A read after
// an assignment of all towers' values starts a new round of towers.

module attributes {graph.cluster = #graph.cluster<jobs = [worker = 1], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "one_device", micro_batches = 3>} {
graph.variable @w : tensor<4xf32> = #graph.zeros
graph.variable @m : tensor<4xf32> = #graph.zeros {trainable = false, aggregation = "sum"}
graph.dataset @d : (tensor<4xf32>) = #graph.synthetic<samples = 100, seed = 7>
// CHECK-LABEL: graph.func @train
graph.func @train() -> (tensor<4xf32>, tensor<4xf32> {graph.reduction = "first_replica"})
    attributes {role = #graph.role<train>} {
  // CHECK: %[[W:.*]] = graph.read @w
  // CHECK: graph.next_batch @d {{.*}}micro_batches = 3
  // CHECK: %[[R0:.*]] = graph.reshape
  // CHECK: %[[Y0:.*]] = graph.multiply %[[R0]], %[[W]]
  // CHECK: graph.next_batch @d {{.*}}micro_batch = 1 {{.*}}micro_batches = 3
  // CHECK: %[[Y1:.*]] = graph.multiply
  // CHECK: %[[S1:.*]] = graph.add %[[Y0]], %[[Y1]]
  // CHECK: graph.next_batch @d {{.*}}micro_batch = 2 {{.*}}micro_batches = 3
  // CHECK: %[[Y2:.*]] = graph.multiply
  // CHECK: %[[S2:.*]] = graph.add %[[S1]], %[[Y2]]
  // CHECK: graph.assign @m, %[[S2]]
  // CHECK: %[[M:.*]] = graph.read @m
  // CHECK-COUNT-3: graph.subtract %{{.*}}, %[[M]]
  // CHECK: %[[N:.*]] = graph.constant dense<3.0
  // CHECK: %[[MEAN:.*]] = graph.divide %{{.*}}, %[[N]]
  // CHECK: graph.apply_sgd @w, %[[MEAN]]
  // CHECK: graph.return {{.*}}%[[MEAN]], %[[Y0]]
  %x = graph.next_batch @d {batch = 1} : tensor<1x4xf32>
  %w = graph.read @w : tensor<4xf32>
  %r = graph.reshape %x : (tensor<1x4xf32>) -> tensor<4xf32>
  %y = graph.multiply %r, %w : tensor<4xf32>
  graph.assign @m, %y : tensor<4xf32>
  %m = graph.read @m : tensor<4xf32>
  %g = graph.subtract %y, %m : tensor<4xf32>
  graph.apply_sgd @w, %g {learning_rate = 0.1} : tensor<4xf32>
  graph.return %g, %y : tensor<4xf32>, tensor<4xf32>
}
}
