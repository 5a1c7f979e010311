// RUN: graph-opt %s --resolve-strategy --place --verify-placed --replicate --verify-replicated --partition --verify-partitioned --verify-liveness | FileCheck %s
// RUN: graphc %s --emit=scheduled | FileCheck %s --check-prefix=MEMORY
// Every replica keeps the variables; the gradients of one type travel together up to bucket_bytes and come back as sums.

module attributes {graph.cluster = #graph.cluster<jobs = [worker = 3], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "all_reduce", bucket_bytes = 20>} {
// CHECK: graph.variable @a {{.*}} {graph.device = #graph.device<"/job:worker/device:CPU:0">}
graph.variable @a : tensor<4xf32> = #graph.zeros
graph.variable @b : tensor<2x2xf32> = #graph.zeros
graph.variable @c : tensor<4xf32> = #graph.zeros {trainable = false, aggregation = "sum"}
graph.variable @d : tensor<2xf64> = #graph.zeros
graph.variable @seen : tensor<i64> = #graph.zeros {trainable = false, aggregation = "sum"}
graph.variable @global_step : tensor<i64> = #graph.zeros {trainable = false}
graph.dataset @data : (tensor<4xf32>, tensor<i64>) = #graph.synthetic<samples = 100, seed = 7, limits = [0, 10]>

// a and b fill a bucket; c, the f64 and the i64 value go alone.
// CHECK: dist.channel @train.all_reduce : tensor<32xf32> from @train.worker to @train.worker {all_to_all, capacity = 2 : i64, instances = 3 : i64}
// CHECK-NEXT: dist.channel @train.all_reduce_1 : tensor<4xf32> from @train.worker to @train.worker {all_to_all
// CHECK-NEXT: dist.channel @train.all_reduce_2 : tensor<2xf64>
// CHECK-NEXT: dist.channel @train.all_reduce_3 : tensor<i64>

// CHECK: dist.program @train.worker of @train on "/job:worker/device:CPU:0" replicas(3) {
// CHECK: %[[P:.*]] = dist.pack %[[A:.*]], %[[B:.*]] : (tensor<4xf32>, tensor<2x2xf32>) -> tensor<32xf32>
// CHECK-NEXT: dist.send @train.all_reduce, %[[P]]
// CHECK-NEXT: %[[S:.*]] = dist.aggregate @train.all_reduce own %[[P]]
// CHECK-NEXT: %[[U:.*]]:2 = dist.unpack %[[S]]
// CHECK: %[[M:.*]] = graph.divide %[[U]]#0
// CHECK-NEXT: graph.apply_sgd @a, %[[M]]
// CHECK: %[[MB:.*]] = graph.divide %[[U]]#1
// CHECK-NEXT: graph.apply_sgd @b, %[[MB]]
// CHECK: dist.send @train.all_reduce_1, %[[A]]
// CHECK: dist.aggregate @train.all_reduce_1 own %[[A]]
// CHECK: graph.assign_add @c
// CHECK: dist.aggregate @train.all_reduce_2
// CHECK: dist.aggregate @train.all_reduce_3
// CHECK-NEXT: graph.assign_add @seen
// What is the same for all replicas does not travel.
// CHECK-NOT: dist.aggregate
// CHECK: graph.assign_add @global_step

// The message lies where the gradients are computed: parts of one buffer. A value that others want too is copied.
// MEMORY: dist.program @train.worker
// MEMORY: %[[WHOLE:.*]] = dist.buffer {{.*}} : memref<32xf32>
// MEMORY-NEXT: %[[PART:.*]] = dist.view %[[WHOLE]] {offset = 64 : i64} : memref<32xf32> to memref<4xf32>
// MEMORY: %[[COPY:.*]] = dist.view %[[WHOLE]] : memref<32xf32> to memref<4xf32>
// MEMORY-DAG: dist.call @{{.*}}({{.*}}%[[PART]]) :
// MEMORY-DAG: dist.call @{{.*}}_copy(%[[COPY]], %{{.*}}) :
// MEMORY: dist.send_start @train.all_reduce, %[[WHOLE]]
// MEMORY: dist.aggregate_into @train.all_reduce, %[[SUM:.*]] own %[[WHOLE]] by
graph.func @train() -> () attributes {role = #graph.role<train>} {
  %x, %n = graph.next_batch @data {batch = 1} : tensor<1x4xf32>, tensor<1xi64>
  %g = graph.reshape %x : (tensor<1x4xf32>) -> tensor<4xf32>
  %two = graph.add %g, %g : tensor<4xf32>
  %h = graph.reshape %two : (tensor<4xf32>) -> tensor<2x2xf32>
  %count = graph.reshape %n : (tensor<1xi64>) -> tensor<i64>
  %d = graph.constant dense<1.0> : tensor<2xf64>
  graph.apply_sgd @a, %g {learning_rate = 0.1} : tensor<4xf32>
  graph.apply_sgd @b, %h {learning_rate = 0.1} : tensor<2x2xf32>
  graph.assign_add @c, %g : tensor<4xf32>
  graph.apply_sgd @d, %d {learning_rate = 0.1} : tensor<2xf64>
  graph.assign_add @seen, %count : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  graph.assign_add @global_step, %one : tensor<i64>
  graph.return
}

// What is not replicated runs on the chief, with its copy.
// CHECK: dist.program @look.worker0 of @look on "/job:worker/task:0/device:CPU:0" {
// CHECK: graph.read @a
graph.func @look() -> (tensor<4xf32>) attributes {role = #graph.role<predict>} {
  %a = graph.read @a : tensor<4xf32>
  graph.return %a : tensor<4xf32>
}
}
