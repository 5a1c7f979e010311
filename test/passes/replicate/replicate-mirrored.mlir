// RUN: graph-opt %s --resolve-strategy --place --replicate --verify-replicated --verify-placed | FileCheck %s
// One tower a device; every batch is taken at the client; the gradients are summed in tower order where the variable is,
// the loss where it is fetched.

module attributes {graph.cluster = #graph.cluster<jobs = [worker = 3], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "mirrored",
                     devices = ["/job:worker/task:1/device:CPU:0", "/job:worker/task:2/device:CPU:0"]>} {
graph.variable @w : tensor<4xf32> = #graph.zeros
graph.dataset @d : (tensor<4xf32>) = #graph.synthetic<samples = 100, seed = 7>
// CHECK: graph.func @train{{.*}}"/job:worker/task:0/device:CPU:0"
graph.func @train() -> (tensor<1x4xf32>) attributes {role = #graph.role<train>} {
  // CHECK: graph.read @w {{.*}}task:1
  %w = graph.read @w : tensor<4xf32>
  // CHECK: %[[X0:.*]] = graph.next_batch @d {{.*}}task:0{{.*}}micro_batches = 2
  // CHECK: %[[G0:.*]] = graph.reshape %[[X0]] {{.*}}task:1
  // CHECK: %[[L0:.*]] = graph.negate %[[X0]] {{.*}}task:1
  // CHECK: %[[X1:.*]] = graph.next_batch @d {{.*}}task:0{{.*}}micro_batch = 1 : i64, micro_batches = 2
  // CHECK: %[[G1:.*]] = graph.reshape %[[X1]] {{.*}}task:2
  // CHECK: %[[S:.*]] = graph.add %[[G0]], %[[G1]] {{.*}}task:1
  // CHECK: %[[L1:.*]] = graph.negate %[[X1]] {{.*}}task:2
  // CHECK: %[[T:.*]] = graph.add %[[L0]], %[[L1]] {{.*}}task:0
  // CHECK: %[[M:.*]] = graph.divide %[[S]], {{.*}}task:1
  // CHECK: graph.divide %[[T]], {{.*}}task:0
  // CHECK: graph.apply_sgd @w, %[[M]] {{.*}}task:1
  %x = graph.next_batch @d {batch = 1} : tensor<1x4xf32>
  %g = graph.reshape %x : (tensor<1x4xf32>) -> tensor<4xf32>
  %l = graph.negate %x : tensor<1x4xf32>
  graph.apply_sgd @w, %g {learning_rate = 0.1} : tensor<4xf32>
  graph.return %l : tensor<1x4xf32>
}
}
