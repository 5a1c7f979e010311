// RUN: graph-opt %s --resolve-strategy --place --replicate --verify-replicated | FileCheck %s
// A gradient leaves the replicas as a sum and one division, on the variable's task. Three replicas of two jobs.

module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, chief = 1, worker = 2], chief = "/job:chief/task:0">,
                   graph.strategy = #graph.strategy<name = "parameter_server">} {
graph.variable @w : tensor<4xf32> = #graph.zeros
graph.variable @seen : tensor<i64> = #graph.zeros {trainable = false, aggregation = "sum"}
graph.variable @average : tensor<4xf32> = #graph.zeros {trainable = false, aggregation = "mean"}
graph.variable @global_step : tensor<i64> = #graph.zeros {trainable = false}
graph.dataset @d : (tensor<4xf32>, tensor<i64>) = #graph.synthetic<samples = 100, seed = 7, limits = [0, 10]>
// CHECK-LABEL: graph.func @train
// CHECK-SAME: "/device:CPU:0"
graph.func @train() -> () attributes {role = #graph.role<train>} {
  // CHECK: %[[X:.*]]:2 = graph.next_batch @d
  %x, %n = graph.next_batch @d {batch = 1} : tensor<1x4xf32>, tensor<1xi64>
  // CHECK: %[[V:.*]] = graph.reshape
  %v = graph.reshape %x : (tensor<1x4xf32>) -> tensor<4xf32>
  // CHECK: %[[C:.*]] = graph.reshape
  %c = graph.reshape %n : (tensor<1xi64>) -> tensor<i64>
  // CHECK: %[[S:.*]] = graph.aggregate %[[V]] {graph.device = #graph.device<"/job:ps/task:0/device:CPU:0">, replicas = 3
  // CHECK: %[[N:.*]] = graph.constant dense<3.0{{.*}}>
  // CHECK: %[[M:.*]] = graph.divide %[[S]], %[[N]] {graph.device = #graph.device<"/job:ps/task:0/device:CPU:0">}
  // CHECK: graph.apply_sgd @w, %[[M]]
  graph.apply_sgd @w, %v {learning_rate = 0.1} : tensor<4xf32>
  // CHECK: %[[T:.*]] = graph.aggregate %[[C]]
  // CHECK-NEXT: graph.assign_add @seen, %[[T]]
  graph.assign_add @seen, %c : tensor<i64>
  // The mean of one value is made once.
  // CHECK: graph.assign @average, %[[M]]
  graph.assign @average, %v : tensor<4xf32>
  // The same for all: no aggregate.
  // CHECK-NOT: graph.aggregate
  %one = graph.constant dense<1> : tensor<i64>
  graph.assign_add @global_step, %one : tensor<i64>
  graph.return
}
}
