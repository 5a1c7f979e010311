// RUN: split-file %s %t
// RUN: graph-opt %t/between.mlir --resolve-strategy --place --replicate --verify-replicated --verify-placed | FileCheck %t/between.mlir
// RUN: graph-opt %t/between.mlir --resolve-strategy --place --replicate --partition --verify-partitioned | FileCheck %t/between.mlir --check-prefix=PROGRAM
// RUN: graph-opt %t/towers.mlir --resolve-strategy --place --replicate --verify-replicated --verify-placed | FileCheck %t/towers.mlir
// RUN: graph-opt %t/leaves.mlir --resolve-strategy --place --replicate --verify-replicated | FileCheck %t/leaves.mlir
// RUN: graph-opt %t/same.mlir --resolve-strategy --place --replicate --verify-replicated --verify-placed --verify-diagnostics | FileCheck %t/same.mlir
// RUN: graph-opt %t/chosen.mlir --resolve-strategy --place --replicate --partition --verify-partitioned | FileCheck %t/chosen.mlir
// RUN: not graph-opt %t/backup.mlir --resolve-strategy 2>&1 | FileCheck %t/backup.mlir
// Several micro-batches a replica: their subtree of the sum is made where they are, the rest where it is used.

//--- between.mlir
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server", micro_batches = 4>} {
graph.variable @w : tensor<4xf32> = #graph.zeros
graph.dataset @d : (tensor<4xf32>) = #graph.synthetic<samples = 100, seed = 7>
// CHECK-LABEL: graph.func @train
graph.func @train() -> (tensor<4xf32> {graph.name = "loss"}, tensor<4xf32> {graph.name = "first", graph.reduction = "first_replica"})
    attributes {role = #graph.role<train>} {
  // CHECK: graph.next_batch @d {{.*}}micro_batches = 2
  // CHECK: %[[G0:.*]] = graph.reshape
  // CHECK: graph.next_batch @d {{.*}}micro_batch = 1 {{.*}}micro_batches = 2
  // CHECK: %[[G1:.*]] = graph.reshape
  // CHECK: %[[S:.*]] = graph.add %[[G0]], %[[G1]] {graph.device = #graph.device<"/job:worker/device:CPU:0">}
  // CHECK-NOT: graph.add
  // CHECK: %[[A:.*]] = graph.aggregate %[[S]] {{.*}}"/job:ps/task:0/device:CPU:0">, replicas = 2
  // CHECK: %[[N:.*]] = graph.constant dense<4.0{{.*}}>
  // CHECK: %[[M:.*]] = graph.divide %[[A]], %[[N]]
  // CHECK: graph.apply_sgd @w, %[[M]]
  // CHECK: graph.return {{.*}}%[[S]], %[[G0]]
  // PROGRAM: dist.phase @train {{.*}}samples_per_step = 4
  // PROGRAM-DAG: dist.fetch "loss", %{{.*}} {micro_batches = 2 : i64}
  // PROGRAM-DAG: dist.fetch "first", %{{.*}} {reduction = "first_replica"}
  %x = graph.next_batch @d {batch = 1} : tensor<1x4xf32>
  %g = graph.reshape %x : (tensor<1x4xf32>) -> tensor<4xf32>
  graph.apply_sgd @w, %g {learning_rate = 0.1} : tensor<4xf32>
  graph.return %g, %g : tensor<4xf32>, tensor<4xf32>
}
}
//--- towers.mlir
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 3], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "mirrored", micro_batches = 4,
                     devices = ["/job:worker/task:1/device:CPU:0", "/job:worker/task:2/device:CPU:0"]>} {
graph.variable @w : tensor<4xf32> = #graph.zeros
graph.dataset @d : (tensor<4xf32>) = #graph.synthetic<samples = 100, seed = 7>
// CHECK-LABEL: graph.func @train
graph.func @train() -> () attributes {role = #graph.role<train>} {
  // CHECK: %[[G0:.*]] = graph.reshape {{.*}}task:1
  // CHECK: %[[G1:.*]] = graph.reshape {{.*}}task:1
  // CHECK: %[[S0:.*]] = graph.add %[[G0]], %[[G1]] {{.*}}task:1
  // CHECK: graph.next_batch @d {{.*}}micro_batch = 2 : i64, micro_batches = 4
  // CHECK: %[[G2:.*]] = graph.reshape {{.*}}task:2
  // CHECK: %[[G3:.*]] = graph.reshape {{.*}}task:2
  // CHECK: %[[S1:.*]] = graph.add %[[G2]], %[[G3]] {{.*}}task:2
  // CHECK: %[[S:.*]] = graph.add %[[S0]], %[[S1]] {{.*}}task:1
  // CHECK: %[[N:.*]] = graph.constant {{.*}}dense<4.0
  // CHECK: graph.divide %[[S]], %[[N]] {{.*}}task:1
  %x = graph.next_batch @d {batch = 1} : tensor<1x4xf32>
  %g = graph.reshape %x : (tensor<1x4xf32>) -> tensor<4xf32>
  graph.apply_sgd @w, %g {learning_rate = 0.1} : tensor<4xf32>
  graph.return
}
}
//--- leaves.mlir
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 1], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "one_device", micro_batches = 6, sum_leaves = 3>} {
graph.variable @w : tensor<4xf32> = #graph.zeros
graph.dataset @d : (tensor<4xf32>) = #graph.synthetic<samples = 100, seed = 7>
// CHECK-LABEL: graph.func @train
graph.func @train() -> (tensor<4xf32> {graph.reduction = "first_replica"}) attributes {role = #graph.role<train>} {
  // What the first has is wanted, so each is written out: ((0 + 1) + (2 + 3)) + (4 + 5). Three are held at most, so the sum of the
  // first two is made before the third is, and that of the first four before the fifth.
  // CHECK: %[[S0:.*]] = graph.add {{.*}} {graph.device = {{.*}}, graph.kept}
  // CHECK: %[[G2:.*]] = graph.reshape
  // CHECK: %[[G3:.*]] = graph.reshape
  // CHECK-NEXT: %[[S1:.*]] = graph.add %[[G2]], %[[G3]]
  // CHECK-NOT: graph.kept
  // CHECK: %[[S2:.*]] = graph.add %[[S0]], %[[S1]] {{.*}}graph.kept}
  // CHECK-NOT: graph.kept
  // CHECK: %[[S3:.*]] = graph.add
  // CHECK: %[[S:.*]] = graph.add %[[S2]], %[[S3]]
  // CHECK-NOT: graph.add
  // CHECK: graph.divide %[[S]]
  %x = graph.next_batch @d {batch = 1} : tensor<1x4xf32>
  %g = graph.reshape %x : (tensor<1x4xf32>) -> tensor<4xf32>
  graph.apply_sgd @w, %g {learning_rate = 0.1} : tensor<4xf32>
  graph.return %g : tensor<4xf32>
}
}
//--- same.mlir
// What no batch reaches is the same on every replica, wherever the model wants it: it is taken once, as on one device, and not the
// mean or the sum of what no micro-batch adds to.
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server", micro_batches = 4>} {
graph.variable @w : tensor<4xf32> = #graph.zeros
graph.variable @mean : tensor<4xf32> = #graph.zeros {trainable = false, aggregation = "mean"}
graph.variable @last : tensor<4xf32> = #graph.zeros {trainable = false}
// CHECK-LABEL: graph.func @train
graph.func @train() -> (tensor<4xf32> {graph.name = "e"}) attributes {role = #graph.role<train>} {
  // CHECK: %[[W:.*]] = graph.read @w
  // CHECK-NEXT: %[[E:.*]] = graph.exponential %[[W]] {{.*}}"/job:worker/device:CPU:0"
  // CHECK: %[[E1:.*]] = graph.exponential %[[W]] {{.*}}"/job:ps/task:0/device:CPU:0"
  // CHECK-NEXT: graph.assign_add @mean, %[[E1]]
  // CHECK: %[[E2:.*]] = graph.exponential %[[W]] {{.*}}"/job:ps/task:0/device:CPU:0"
  // CHECK-NEXT: %[[N:.*]] = graph.negate %[[E2]] {{.*}}"/job:ps/task:0/device:CPU:0"
  // CHECK-NEXT: graph.assign @last, %[[N]]
  // CHECK-NEXT: graph.return {{.*}}%[[E]]
  %w = graph.read @w : tensor<4xf32>
  %e = graph.exponential %w {graph.device = #graph.device<"/job:worker">} : tensor<4xf32>
  // expected-remark @below {{takes a value that no batch reaches; what every replica would send alike is computed on "/job:ps/task:0/device:CPU:0"}}
  graph.assign_add @mean, %e : tensor<4xf32>
  %n = graph.negate %e {graph.device = #graph.device<"/job:worker">} : tensor<4xf32>
  // expected-remark @below {{takes a value that no batch reaches}}
  graph.assign @last, %n : tensor<4xf32>
  graph.return %e : tensor<4xf32>
}
}
//--- chosen.mlir
// Replicas that are not waited for read variables of their own time, so each gives its own; what no batch reaches is no sum to divide.
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 3], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server", micro_batches = 6, replicas_to_aggregate = 2>} {
graph.variable @w : tensor<4xf32> = #graph.zeros
graph.variable @global_step : tensor<i64> = #graph.zeros {trainable = false}
graph.dataset @d : (tensor<4xf32>) = #graph.synthetic<samples = 100, seed = 7>
// CHECK: dist.program @train.worker
// CHECK-DAG: dist.fetch "batch", %{{.*}} {micro_batches = 2 : i64}
// CHECK-DAG: dist.fetch "variable", %{{[^ ]*}} : tensor<4xf32>
graph.func @train() -> (tensor<4xf32> {graph.name = "batch"}, tensor<4xf32> {graph.name = "variable"}) attributes {role = #graph.role<train>} {
  %x = graph.next_batch @d {batch = 1} : tensor<1x4xf32>
  %g = graph.reshape %x : (tensor<1x4xf32>) -> tensor<4xf32>
  %w = graph.read @w : tensor<4xf32>
  %n = graph.negate %w : tensor<4xf32>
  graph.apply_sgd @w, %g {learning_rate = 0.1} : tensor<4xf32>
  %one = graph.constant dense<1> : tensor<i64>
  graph.assign_add @global_step, %one : tensor<i64>
  graph.return %g, %n : tensor<4xf32>, tensor<4xf32>
}
}
//--- backup.mlir
// CHECK: error: "micro_batches": 4 cannot be shared by 3 replicas
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 3], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server", micro_batches = 4, replicas_to_aggregate = 2>} {
graph.variable @w : tensor<4xf32> = #graph.zeros
}
