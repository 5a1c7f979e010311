// RUN: split-file %s %t
// RUN: graph-opt %t/loop.mlir --resolve-strategy --place --replicate --verify-replicated --verify-placed | FileCheck %t/loop.mlir
// RUN: graph-opt %t/loop.mlir --resolve-strategy --place --replicate --partition --verify-partitioned | FileCheck %t/loop.mlir --check-prefix=PROGRAM
// RUN: graph-opt %t/leaves.mlir --resolve-strategy --place --replicate --verify-replicated | FileCheck %t/leaves.mlir
// RUN: graph-opt %t/numbers.mlir --resolve-strategy --place --replicate --verify-replicated | FileCheck %t/numbers.mlir
// RUN: sh -c 'ulimit -v 2000000 && graph-opt %t/many.mlir --resolve-strategy --place --replicate' | FileCheck %t/many.mlir
// RUN: graph-opt %t/first.mlir --resolve-strategy --place --replicate --verify-replicated | FileCheck %t/first.mlir
// RUN: graph-opt %t/truths.mlir --resolve-strategy --place --replicate --verify-replicated | FileCheck %t/truths.mlir
// RUN: graph-opt %t/metrics.mlir --resolve-strategy --place --replicate --verify-replicated --verify-placed | FileCheck %t/metrics.mlir
// RUN: graph-opt %t/metrics.mlir --resolve-strategy --place --replicate --partition --verify-partitioned | FileCheck %t/metrics.mlir --check-prefix=PROGRAM
// RUN: graph-opt %t/queues.mlir --resolve-strategy --replicate --verify-replicated | FileCheck %t/queues.mlir
// RUN: sed 's/GPU/CPU/' %t/queues.mlir | graph-opt - --resolve-strategy --replicate | FileCheck %t/queues.mlir --check-prefix=COPIES
// RUN: sed 's/micro_batches = 3/micro_batches = 2/' %t/queues.mlir | graph-opt - --resolve-strategy --replicate | FileCheck %t/queues.mlir --check-prefix=COPIES
// RUN: graph-opt %t/towers.mlir --resolve-strategy --place --replicate --verify-replicated --verify-placed | FileCheck %t/towers.mlir
// RUN: graph-opt %t/towers.mlir --resolve-strategy --place --replicate --partition --verify-partitioned --verify-liveness | FileCheck %t/towers.mlir --check-prefix=PROGRAM
// The micro-batches of a replica but the last, or of each device of towers, are a loop.

//--- loop.mlir
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server", micro_batches = 32, sum_leaves = 16>} {
graph.variable @w : tensor<4xf32> = #graph.zeros
graph.dataset @d : (tensor<4xf32>) = #graph.synthetic<samples = 100, seed = 7>
// CHECK-LABEL: graph.func @train
graph.func @train() -> (tensor<4xf32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  // CHECK: %[[W:.*]] = graph.read @w
  // CHECK: %[[P:.*]]:4 = graph.repeat 15 -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) attributes {{{.*}}per_leaf = 2
  // CHECK-NEXT: %[[X:.*]] = graph.next_batch @d {{.*}}micro_batches = 16
  // CHECK-NEXT: %[[R:.*]] = graph.reshape %[[X]]
  // CHECK-NEXT: %[[G:.*]] = graph.multiply %[[R]], %[[W]]
  // CHECK-NEXT: graph.yield %[[G]]
  // CHECK: graph.next_batch @d {{.*}}micro_batch = 15 {{.*}}micro_batches = 16
  // CHECK: %[[L:.*]] = graph.multiply
  // CHECK: %[[S0:.*]] = graph.add %[[P]]#0, %[[L]]
  // CHECK: %[[S1:.*]] = graph.add %[[P]]#1, %[[S0]]
  // CHECK: %[[S2:.*]] = graph.add %[[P]]#2, %[[S1]]
  // CHECK: %[[S3:.*]] = graph.add %[[P]]#3, %[[S2]]
  // CHECK: graph.aggregate %[[S3]]
  // What is read for all is taken once, before the loop.
  // PROGRAM-LABEL: dist.program @train.worker
  // PROGRAM: %[[W:.*]] = dist.receive @train.w.to_worker
  // PROGRAM-NOT: dist.receive
  // PROGRAM: graph.repeat 15
  // PROGRAM: graph.multiply %{{.*}}, %[[W]]
  // PROGRAM: dist.send @train.w.gradient
  %x = graph.next_batch @d {batch = 1} : tensor<1x4xf32>
  %w = graph.read @w : tensor<4xf32>
  %r = graph.reshape %x : (tensor<1x4xf32>) -> tensor<4xf32>
  %g = graph.multiply %r, %w : tensor<4xf32>
  graph.apply_sgd @w, %g {learning_rate = 0.1} : tensor<4xf32>
  graph.return %g : tensor<4xf32>
}
}
//--- leaves.mlir
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 1], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "one_device", micro_batches = 10, sum_leaves = 5>} {
graph.variable @w : tensor<4xf32> = #graph.zeros
graph.dataset @d : (tensor<4xf32>) = #graph.synthetic<samples = 100, seed = 7>
// CHECK-LABEL: graph.func @train
graph.func @train() attributes {role = #graph.role<train>} {
  // Five leaves of two: of the leaf under way and of four leaves is something there, and of what was on the way nothing.
  // CHECK: %[[P:.*]]:4 = graph.repeat 9 {{.*}}per_leaf = 2
  // CHECK: %[[L:.*]] = graph.reshape
  // CHECK: %[[L:.*]] = graph.reshape
  // CHECK: %[[S0:.*]] = graph.add %[[P]]#0, %[[L]]
  // CHECK: %[[S:.*]] = graph.add %[[P]]#3, %[[S0]]
  // CHECK-NOT: graph.add
  // CHECK: graph.divide %[[S]]
  %x = graph.next_batch @d {batch = 1} : tensor<1x4xf32>
  %g = graph.reshape %x : (tensor<1x4xf32>) -> tensor<4xf32>
  graph.apply_sgd @w, %g {learning_rate = 0.1} : tensor<4xf32>
  graph.return
}
}
//--- numbers.mlir
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 1], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "one_device", micro_batches = 10>} {
graph.variable @w : tensor<4xf32> = #graph.zeros
graph.dataset @d : (tensor<4xf32>) = #graph.synthetic<samples = 100, seed = 7>
// What a model says itself of its micro-batches counts no more, in the loop as in what is written out.
// CHECK-LABEL: graph.func @train
graph.func @train() attributes {role = #graph.role<train>} {
  // CHECK: graph.repeat 9
  // CHECK-NEXT: graph.next_batch @d {batch = 1 : i64, graph.device = #graph.device<{{[^>]*}}>, micro_batches = 10 : i64}
  // CHECK: graph.next_batch @d {batch = 1 : i64, graph.device = #graph.device<{{[^>]*}}>, micro_batch = 9 : i64, micro_batches = 10 : i64}
  %x = graph.next_batch @d {batch = 1, micro_batch = 2, micro_batches = 3} : tensor<1x4xf32>
  %g = graph.reshape %x : (tensor<1x4xf32>) -> tensor<4xf32>
  graph.apply_sgd @w, %g {learning_rate = 0.1} : tensor<4xf32>
  graph.return
}
}
//--- many.mlir
// As many as there can be take no memory each.
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 1], chief = "/job:worker/task:0">,
                   graph.distribution = #graph.distribution<strategy = "one_device", mesh = #graph.mesh<["data" = 1], ["/job:worker/task:0/device:CPU:0"]>,
                                                            stores = ["/job:worker/task:0/device:CPU:0"], micro_batches = 67108864, sum_leaves = 16>} {
graph.variable @w : tensor<4xf32> = #graph.zeros
graph.dataset @d : (tensor<4xf32>) = #graph.synthetic<samples = 100, seed = 7>
// CHECK: graph.repeat 67108863
// CHECK: graph.next_batch @d {{.*}}micro_batch = 67108863
graph.func @train() attributes {role = #graph.role<train>} {
  %x = graph.next_batch @d {batch = 1} : tensor<1x4xf32>
  %g = graph.reshape %x : (tensor<1x4xf32>) -> tensor<4xf32>
  graph.apply_sgd @w, %g {learning_rate = 0.1} : tensor<4xf32>
  graph.return
}
}
//--- first.mlir
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 1], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "one_device", micro_batches = 10>} {
graph.variable @w : tensor<4xf32> = #graph.zeros
graph.dataset @d : (tensor<4xf32>) = #graph.synthetic<samples = 100, seed = 7>
// Somebody wants what the first micro-batch alone has: a sum in which the others are -0.
// CHECK-LABEL: graph.func @train
graph.func @train() -> (tensor<4xf32> {graph.reduction = "first_replica"}) attributes {role = #graph.role<train>} {
  // CHECK: %[[P:.*]]:8 = graph.repeat 9
  // CHECK-NEXT: graph.next_batch
  // CHECK-NEXT: %[[G:.*]] = graph.reshape
  // CHECK: %[[N:.*]] = graph.micro_batch_index {{.*}}micro_batches = 10
  // CHECK: graph.remainder %[[N]],
  // CHECK: graph.compare eq,
  // CHECK: %[[ZERO:.*]] = graph.constant {{.*}}dense<-0.000000e+00>
  // CHECK: %[[FIRST:.*]] = graph.select %{{.*}}, %[[G]], %[[ZERO]]
  // CHECK-NEXT: graph.yield %[[G]], %[[FIRST]]
  // CHECK: graph.micro_batch_index {{.*}}micro_batch = 9
  // CHECK: %[[LAST:.*]] = graph.select
  // CHECK: %[[S:.*]] = graph.add %[[P]]#{{[0-9]}}, %[[LAST]]
  // CHECK: graph.return
  %x = graph.next_batch @d {batch = 1} : tensor<1x4xf32>
  %g = graph.reshape %x : (tensor<1x4xf32>) -> tensor<4xf32>
  graph.apply_sgd @w, %g {learning_rate = 0.1} : tensor<4xf32>
  graph.return %g : tensor<4xf32>
}
}
//--- truths.mlir
// Of i1 there are no sums: each is written out.
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 1], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "one_device", micro_batches = 10>} {
graph.variable @w : tensor<4xf32> = #graph.zeros
graph.dataset @d : (tensor<4xf32>) = #graph.synthetic<samples = 100, seed = 7>
// CHECK-LABEL: graph.func @train
graph.func @train() -> (tensor<4xi1> {graph.reduction = "first_replica"}) attributes {role = #graph.role<train>} {
  // CHECK-NOT: graph.repeat
  // CHECK-COUNT-10: graph.next_batch
  %x = graph.next_batch @d {batch = 1} : tensor<1x4xf32>
  %g = graph.reshape %x : (tensor<1x4xf32>) -> tensor<4xf32>
  graph.apply_sgd @w, %g {learning_rate = 0.1} : tensor<4xf32>
  %above = graph.is_finite %g : tensor<4xf32>
  graph.return %above : tensor<4xi1>
}
}
//--- metrics.mlir
// A metric is its sum and its count, which are yielded; how many values there are without a mask is known.
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 1], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "one_device", micro_batches = 10>} {
graph.variable @w : tensor<4xf32> = #graph.zeros
graph.dataset @d : (tensor<4xf32>) = #graph.synthetic<samples = 100, seed = 7>
// CHECK-LABEL: graph.func @train
graph.func @train() attributes {role = #graph.role<train>} {
  // CHECK: %[[N:.*]] = graph.constant {{.*}}dense<40> : tensor<i64>
  // CHECK: %[[P:.*]]:16 = graph.repeat 9
  // CHECK: %[[ALL:.*]] = graph.reduce_sum
  // CHECK: %[[SOME:.*]] = graph.reduce_sum
  // CHECK: %[[COUNT:.*]] = graph.reduce_sum
  // CHECK: graph.yield %{{.*}}, %[[ALL]], %[[SOME]], %[[COUNT]] : tensor<4xf32>, tensor<f64>, tensor<f64>, tensor<i64>
  // CHECK-NOT: graph.metric "
  // CHECK: graph.metric_sums "all", %{{.*}}, %[[N]] {{.*}}: tensor<f64>, tensor<i64>
  // CHECK: graph.metric_sums "some", %
  // PROGRAM: dist.metric "all"
  // PROGRAM: dist.metric "some"
  %x = graph.next_batch @d {batch = 1} : tensor<1x4xf32>
  %g = graph.reshape %x : (tensor<1x4xf32>) -> tensor<4xf32>
  %zero = graph.constant dense<0.0> : tensor<4xf32>
  %above = graph.compare gt, %g, %zero : tensor<4xf32>
  graph.metric "all", %g : tensor<4xf32>
  graph.metric "some", %g, %above : tensor<4xf32>, tensor<4xi1>
  graph.apply_sgd @w, %g {learning_rate = 0.1} : tensor<4xf32>
  graph.return
}
}
//--- queues.mlir
// On a device with memory of its own three are a loop, so that there is one time's memory of activations. On the host it takes nine.
// CHECK: graph.repeat 2
// CHECK-COUNT-2: graph.next_batch
// CHECK-NOT: graph.next_batch
// COPIES-NOT: graph.repeat
// COPIES-COUNT-2: graph.next_batch
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 1], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "one_device", micro_batches = 3>} {
graph.variable @w : tensor<4xf32> = #graph.zeros {graph.device = #graph.device<"/job:worker/task:0/device:GPU:0">}
graph.dataset @d : (tensor<4xf32>) = #graph.synthetic<samples = 100, seed = 7>
graph.func @train() attributes {graph.device = #graph.device<"/job:worker/task:0/device:GPU:0">, role = #graph.role<train>} {
  %x = graph.next_batch @d {batch = 1, graph.device = #graph.device<"/job:worker/task:0/device:GPU:0">} : tensor<1x4xf32>
  %g = graph.reshape %x {graph.device = #graph.device<"/job:worker/task:0/device:GPU:0">} : (tensor<1x4xf32>) -> tensor<4xf32>
  graph.apply_sgd @w, %g {graph.device = #graph.device<"/job:worker/task:0/device:GPU:0">, learning_rate = 0.1} : tensor<4xf32>
  graph.return
}
}
//--- towers.mlir
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "mirrored", micro_batches = 32, sum_leaves = 16>} {
graph.variable @w : tensor<4xf32> = #graph.zeros
graph.dataset @d : (tensor<4xf32>) = #graph.synthetic<samples = 100, seed = 7>
// One loop for both devices. The first deals the batches, the micro-batches from 16 on to the second.
// CHECK-LABEL: graph.func @train
graph.func @train() -> (tensor<4xf32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  // CHECK: %[[W:.*]] = graph.read @w
  // CHECK: %[[P:.*]]:8 = graph.repeat 15
  // CHECK-NEXT: %[[X0:.*]] = graph.next_batch @d {{.*}}task:0{{.*}}micro_batches = 32
  // CHECK-NEXT: %[[X1:.*]] = graph.next_batch @d {{.*}}task:0{{.*}}micro_batch = 16 : i64, micro_batches = 32
  // CHECK-NEXT: %[[R0:.*]] = graph.reshape %[[X0]] {{.*}}task:0
  // CHECK-NEXT: %[[G0:.*]] = graph.multiply %[[R0]], %[[W]] {{.*}}task:0
  // CHECK-NEXT: %[[R1:.*]] = graph.reshape %[[X1]] {{.*}}task:1
  // CHECK-NEXT: %[[G1:.*]] = graph.multiply %[[R1]], %[[W]] {{.*}}task:1
  // CHECK-NEXT: graph.yield %[[G0]], %[[G1]]
  // CHECK: graph.next_batch @d {{.*}}micro_batch = 15 : i64, micro_batches = 32
  // CHECK: %[[S0:.*]] = graph.add %[[P]]#0, %{{.*}}task:0
  // CHECK: %[[S1:.*]] = graph.add %[[P]]#1, %[[S0]] {{.*}}task:0
  // CHECK: %[[S2:.*]] = graph.add %[[P]]#2, %[[S1]] {{.*}}task:0
  // CHECK: %[[S3:.*]] = graph.add %[[P]]#3, %[[S2]] {{.*}}task:0
  // CHECK: graph.next_batch @d {{.*}}micro_batch = 31 : i64, micro_batches = 32
  // CHECK: %[[T0:.*]] = graph.add %[[P]]#4, %{{.*}}task:1
  // CHECK: %[[T1:.*]] = graph.add %[[P]]#5, %[[T0]] {{.*}}task:1
  // CHECK: %[[T2:.*]] = graph.add %[[P]]#6, %[[T1]] {{.*}}task:1
  // CHECK: %[[T3:.*]] = graph.add %[[P]]#7, %[[T2]] {{.*}}task:1
  // CHECK: %[[ALL:.*]] = graph.add %[[S3]], %[[T3]] {{.*}}task:0
  // CHECK-NOT: graph.add
  // CHECK: graph.divide %[[ALL]]
  // A batch an iteration, with room for the next one; what is read comes once, and the last batch by a channel of its own.
  // PROGRAM: dist.channel @train.w.to_worker1 : tensor<4xf32> from @train.worker0 to @train.worker1{{$}}
  // PROGRAM: dist.channel @train.next_batch.to_worker1 : tensor<1x4xf32> from @train.worker0 to @train.worker1 {capacity = 2
  // PROGRAM: dist.channel @train.next_batch.to_worker1_1 : tensor<1x4xf32> from @train.worker0 to @train.worker1{{$}}
  // PROGRAM-LABEL: dist.program @train.worker0
  // PROGRAM: dist.send @train.w.to_worker1
  // PROGRAM: graph.repeat 15
  // PROGRAM: dist.send @train.next_batch.to_worker1,
  // PROGRAM: graph.yield
  // PROGRAM: dist.send @train.next_batch.to_worker1_1
  // PROGRAM-LABEL: dist.program @train.worker1
  // PROGRAM: dist.receive @train.w.to_worker1
  // PROGRAM: graph.repeat 15
  // PROGRAM-NEXT: dist.receive @train.next_batch.to_worker1 :
  // PROGRAM-NOT: graph.next_batch
  // PROGRAM: graph.yield
  // PROGRAM: dist.receive @train.next_batch.to_worker1_1
  %x = graph.next_batch @d {batch = 1} : tensor<1x4xf32>
  %w = graph.read @w : tensor<4xf32>
  %r = graph.reshape %x : (tensor<1x4xf32>) -> tensor<4xf32>
  %g = graph.multiply %r, %w : tensor<4xf32>
  graph.apply_sgd @w, %g {learning_rate = 0.1} : tensor<4xf32>
  graph.return %g : tensor<4xf32>
}
}
