// RUN: graph-opt %s --resolve-strategy --place --replicate --partition --verify-partitioned --verify-liveness | FileCheck %s
// RUN: sed 's/, hosts = 2//' %s | graph-opt --resolve-strategy --place --replicate --partition | FileCheck %s --check-prefix=UNKNOWN
// RUN: sed 's/graph.strategy =/graph.links = [[#graph.device<"\/job:worker">, #graph.device<"\/job:worker">, 100000.0, 5.0]], graph.strategy =/' %s | graph-opt --resolve-strategy --place --replicate --partition | FileCheck %s --check-prefix=QUICK
// RUN: graphc %s --emit=scheduled | FileCheck %s --check-prefix=MEMORY
// Sixteen workers, eight in a row on each of two hosts: what the model of time finds faster for each bucket.

module attributes {graph.cluster = #graph.cluster<jobs = [worker = 16], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "all_reduce", hosts = 2, bucket_bytes = 20>} {
graph.variable @a : tensor<100000xf32> = #graph.zeros
graph.variable @b : tensor<8xf32> = #graph.zeros
graph.variable @global_step : tensor<i64> = #graph.zeros {trainable = false}
graph.dataset @data : (tensor<100000xf32>, tensor<8xf32>) = #graph.synthetic<samples = 100, seed = 7, limits = [0, 0]>

// A large bucket is summed within the hosts first, a small one goes whole to everybody, in one hop.
// CHECK: dist.channel @train.all_reduce : tensor<100096xf32> {{.*}} {algorithm = "scatter", all_to_all, capacity = 2 : i64, chunk = 6256 : i64, hosts = 2 : i64, instances = 16 : i64}
// CHECK-NEXT: dist.channel @train.all_reduce_1 : tensor<8xf32> {{.*}} {all_to_all, capacity = 2 : i64, instances = 16 : i64}
// Without hosts, and where a wire costs less than two more hops within a host, as among tasks of one.
// UNKNOWN: dist.channel @train.all_reduce : tensor<100096xf32> {{.*}} {algorithm = "scatter", all_to_all, capacity = 2 : i64, chunk = 6256 : i64, instances = 16 : i64}
// QUICK: dist.channel @train.all_reduce : tensor<100096xf32> {{.*}} {algorithm = "scatter", all_to_all, capacity = 2 : i64, chunk = 6256 : i64, instances = 16 : i64}

// Eight are summed at a time, with two partial sums beside; sixteen would have three.
// MEMORY: dist.all_reduce_start @train.all_reduce, %{{.*}} scratch %{{.*}} by @{{.*}}add : memref<100096xf32>, memref<12512xf32>
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
