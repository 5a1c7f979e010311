// RUN: split-file %s %t
// RUN: graph-opt %t/one.mlir --resolve-strategy --place --verify-placed --replicate --verify-replicated --partition --verify-partitioned | FileCheck %t/one.mlir
// RUN: graph-opt %t/two.mlir --resolve-strategy --place --verify-placed --replicate --verify-replicated --partition --verify-partitioned | FileCheck %t/two.mlir
// RUN: graph-opt %t/copies.mlir --resolve-strategy --place --verify-placed --replicate --verify-replicated --partition --verify-partitioned | FileCheck %t/copies.mlir
// Who computes, the mesh says alone; the chief tells everybody when to end, from a program of its own where it is not the first replica.

//--- one.mlir
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 2], chief = "/job:worker/task:0">,
                   graph.distribution = #graph.distribution<strategy = "parameter_server", mesh = #graph.mesh<["data" = 1], ["/job:worker/task:1/device:CPU:0"]>,
                                                            stores = ["/job:ps/task:0/device:CPU:0"]>} {
graph.variable @w : tensor<4xf32> = #graph.zeros
// CHECK: dist.channel @train.control.ps0 : tensor<i64> from @train.worker0 to @train.ps0
// CHECK: dist.program @train.worker1 of @train on "/job:worker/task:1/device:CPU:0" {
// CHECK-NOT: dist.control_send
// CHECK: dist.feed "x"
// CHECK: graph.multiply
// CHECK: dist.fetch "y"
// CHECK: dist.control_receive @train.control.worker1
// CHECK: dist.program @train.worker0 of @train on "/job:worker/task:0/device:CPU:0" {
// CHECK-NEXT: dist.control_send [@train.control.ps0, @train.control.worker1]
// CHECK-NEXT: dist.control_receive local
// CHECK-NEXT: dist.end
graph.func @train(%x: tensor<4xf32> {graph.name = "x"}) -> (tensor<4xf32> {graph.name = "y"}) attributes {role = #graph.role<train>} {
  %w = graph.read @w : tensor<4xf32>
  %y = graph.multiply %x, %w : tensor<4xf32>
  graph.apply_sgd @w, %y {learning_rate = 0.1} : tensor<4xf32>
  graph.return %y : tensor<4xf32>
}
}
//--- two.mlir
module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 3], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server">, graph.replicas = #graph.replicas<["/job:worker/task:1-2"]>} {
graph.variable @w : tensor<4xf32> = #graph.zeros
// CHECK: dist.channel @train.control.worker : tensor<i64> from @train.worker0 to @train.worker {capacity = 2 : i64, control, instances = 2 : i64}
// CHECK: dist.program @train.worker of @train on "/job:worker/device:CPU:0" replicas(2) {
// CHECK-NOT: dist.control_send
// CHECK: dist.control_receive @train.control.worker
// CHECK-NOT: local
// CHECK: dist.program @train.worker0
// CHECK-NEXT: dist.control_send [@train.control.ps0, @train.control.worker]
graph.func @train(%x: tensor<4xf32>) attributes {role = #graph.role<train>} {
  %w = graph.read @w : tensor<4xf32>
  %y = graph.multiply %x, %w : tensor<4xf32>
  graph.apply_sgd @w, %y {learning_rate = 0.1} : tensor<4xf32>
  graph.return
}
}
//--- copies.mlir
// One replica's variables have one place; the chief evaluates what it is sent.
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "all_reduce">, graph.replicas = #graph.replicas<["/job:worker/task:1"]>} {
// CHECK: graph.variable @w {{.*}}"/job:worker/task:1/device:CPU:0"
graph.variable @w : tensor<4xf32> = #graph.zeros
// CHECK: dist.program @train.worker1
// CHECK: graph.apply_sgd @w
graph.func @train(%x: tensor<4xf32>) attributes {role = #graph.role<train>} {
  graph.apply_sgd @w, %x {learning_rate = 0.1} : tensor<4xf32>
  graph.return
}
// CHECK: dist.program @look.worker1
// CHECK-NEXT: graph.read @w
// CHECK-NEXT: dist.send
// CHECK: dist.program @look.worker0
// CHECK: dist.receive
// CHECK-NEXT: graph.negate
// CHECK: dist.fetch
graph.func @look() -> (tensor<4xf32>) attributes {role = #graph.role<predict>} {
  %w = graph.read @w : tensor<4xf32>
  %n = graph.negate %w : tensor<4xf32>
  graph.return %n : tensor<4xf32>
}
}
