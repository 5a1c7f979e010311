// RUN: graph-opt %s --resolve-strategy --place --replicate --partition --verify-partitioned --verify-liveness | FileCheck %s
// RUN: sed 's/, fast = true//' %s | graph-opt --resolve-strategy --place --replicate --partition | FileCheck %s --check-prefix=INORDER
// RUN: sed 's/worker = 3/worker = 8/' %s | graph-opt --resolve-strategy --place --replicate --partition | FileCheck %s --check-prefix=EIGHT
// RUN: sed 's/worker = 3/worker = 6/' %s | graph-opt --resolve-strategy --place --replicate --partition | FileCheck %s --check-prefix=SIX
// RUN: graphc %s --emit=scheduled | FileCheck %s --check-prefix=MEMORY
// A large bucket is summed in chunks, by a ring where the order of a sum is free; a small one goes whole to everybody.

module attributes {graph.cluster = #graph.cluster<jobs = [worker = 3], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "all_reduce", fast = true, bucket_bytes = 20>} {
graph.variable @a : tensor<100000xf32> = #graph.zeros
graph.variable @b : tensor<8xf32> = #graph.zeros
graph.variable @global_step : tensor<i64> = #graph.zeros {trainable = false}
graph.dataset @data : (tensor<100000xf32>, tensor<8xf32>) = #graph.synthetic<samples = 100, seed = 7, limits = [0, 0]>

// 400,000 bytes are 2 rounds of 3 chunks of 66,688 bytes around a ring, one round of 33 pages in order: what is added fills the last.
// CHECK: dist.channel @train.all_reduce : tensor<100032xf32> from @train.worker to @train.worker {algorithm = "ring", all_to_all, capacity = 2 : i64, chunk = 16672 : i64, instances = 3 : i64}
// INORDER: dist.channel @train.all_reduce : tensor<101376xf32> {{.*}}algorithm = "scatter", all_to_all, capacity = 2 : i64, chunk = 33792
// CHECK-NEXT: dist.channel @train.all_reduce_1 : tensor<8xf32> from @train.worker to @train.worker {all_to_all, capacity = 2 : i64, instances
// EIGHT: dist.channel @train.all_reduce_1 : tensor<16xf32> {{.*}} {algorithm = "doubling", all_to_all, capacity = 2 : i64, chunk = 16 : i64, instances = 8 : i64}
// SIX: dist.channel @train.all_reduce_1 : tensor<8xf32> {{.*}} {all_to_all, capacity = 2 : i64, instances = 6 : i64}
// CHECK: %[[P:.*]] = dist.pack %{{.*}} : (tensor<100000xf32>) -> tensor<100032xf32>
// CHECK-NEXT: dist.send @train.all_reduce, %[[P]]
// CHECK-NEXT: dist.aggregate @train.all_reduce own %[[P]]

// In place, and its end where its sum is used, with the small message before it.
// MEMORY: dist.all_reduce_start @train.all_reduce, %[[B:.*]] scratch %[[S:.*]] by @{{.*}}add : memref<100032xf32>, memref<8336xf32>
// MEMORY: dist.send_start @train.all_reduce_1
// MEMORY: dist.all_reduce_done @train.all_reduce, %[[B]] scratch %[[S]]
// MEMORY: dist.send_done @train.all_reduce{{$}}
graph.func @train() -> () attributes {role = #graph.role<train>} {
  %x, %y = graph.next_batch @data {batch = 1} : tensor<1x100000xf32>, tensor<1x8xf32>
  %g = graph.reshape %x : (tensor<1x100000xf32>) -> tensor<100000xf32>
  %h = graph.reshape %y : (tensor<1x8xf32>) -> tensor<8xf32>
  graph.apply_sgd @a, %g {learning_rate = 0.1} : tensor<100000xf32>
  graph.apply_sgd @b, %h {learning_rate = 0.1} : tensor<8xf32>
  %one = graph.constant dense<1> : tensor<i64>
  graph.assign_add @global_step, %one : tensor<i64>
  graph.return
}
}
