// A step that may be gone through again, where a worker was lost: what counts it makes nothing that others use. Of another phase both are one kernel.
// RUN: graph-opt --outline --verify-outlined %s | FileCheck %s --check-prefix=AGAIN
// RUN: sed 's/ends_by_end_of_stream, //' %s | graph-opt --outline --verify-outlined - | FileCheck %s --check-prefix=ONCE
graph.variable @w : tensor<64xf32> = #graph.zeros
graph.variable @m : tensor<64xf32> = #graph.zeros
graph.variable @v : tensor<64xf32> = #graph.zeros
graph.variable @count : tensor<i64> = #graph.zeros
dist.phase @q {ends_by_end_of_stream, role = #graph.role<train>}
// AGAIN-DAG: %[[COUNT:.*]] = dist.variable_buffer @count
// AGAIN: dist.call @{{.*}}(%[[COUNT]], %[[ONE:.*]]) :
// AGAIN-NEXT: dist.call @{{.*}}(%[[COUNT]], %[[TWO:.*]]) :
// AGAIN-NEXT: dist.call @{{.*}}(%{{.*}}, %[[ONE]], %[[TWO]], {{.*}}, %[[COUNT]]) :
// ONCE-DAG: %[[COUNT:.*]] = dist.variable_buffer @count
// ONCE: dist.call @{{.*}}(%[[COUNT]], %{{.*}}, %{{.*}}) : memref<i64>, memref<f64>, memref<f64>
dist.program @t of @q on "/job:t/task:0/device:CPU:0" {
  %g = dist.feed "g" : tensor<64xf32>
  %step = graph.read @count : tensor<i64>
  %1 = graph.bias_correction %step {decay = 0.9}
  %2 = graph.bias_correction %step {decay = 0.99}
  graph.apply_adam @w, @m, @v, %g, %1, %2 {beta1 = 0.9, beta2 = 0.99, epsilon = 1.0e-08, learning_rate = 0.01} : tensor<64xf32>
  %one = graph.constant dense<1> : tensor<i64>
  graph.assign_add @count, %one : tensor<i64>
  dist.end
}
