// RUN: graph-opt --outline --verify-outlined --schedule %s | FileCheck %s
// A variable that is fetched and changes in the step is copied for the host, which looks behind the step; one that does not change is not.

graph.variable @changes : tensor<64xf32> = #graph.zeros
graph.variable @stays : tensor<64xf32> = #graph.zeros
dist.phase @p {role = #graph.role<train>}
// CHECK-DAG: %[[CHANGES:.*]] = dist.variable_buffer @changes
// CHECK-DAG: %[[STAYS:.*]] = dist.variable_buffer @stays
// CHECK: dist.call @[[COPY:.*]](%[[CHANGES]], %[[OLD:.*]]) :
// CHECK: dist.call @{{.*}}%[[CHANGES]]
// CHECK-DAG: dist.fetch "before", %[[OLD]]
// CHECK-DAG: dist.fetch "stays", %[[STAYS]]
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  dist.control_send []
  %g = dist.feed "g" : tensor<64xf32>
  %old = graph.read @changes : tensor<64xf32>
  dist.fetch "before", %old : tensor<64xf32>
  %stays = graph.read @stays : tensor<64xf32>
  dist.fetch "stays", %stays : tensor<64xf32>
  graph.apply_sgd @changes, %g {learning_rate = 0.5} : tensor<64xf32>
  dist.control_receive local
  dist.end
}
