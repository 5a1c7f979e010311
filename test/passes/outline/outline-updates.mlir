// RUN: graph-opt --outline --verify-outlined %s | FileCheck %s
// RUN: sed 's/^dist.program @s .*{/dist.program @s of @p on "\/job:t\/task:0\/device:CPU:0" locks_variables {/' %s | graph-opt - --outline | FileCheck %s --check-prefix=LOCKS
// Updates of small variables, whose gradients come from calls or by messages, are one call for those that come behind the same message.

graph.variable @a : tensor<64xf32> = #graph.zeros
graph.variable @b : tensor<4x16xf32> = #graph.zeros
graph.variable @c : tensor<64xf32> = #graph.zeros
graph.variable @d : tensor<32xf32> = #graph.zeros
graph.variable @large : tensor<16385xf32> = #graph.zeros
graph.variable @step : tensor<i64> = #graph.zeros
dist.phase @p {role = #graph.role<train>}
dist.channel @first : tensor<64xf32> from @w to @s
dist.channel @second : tensor<64xf32> from @w to @s
dist.channel @third : tensor<16385xf32> from @w to @s

dist.program @w of @p on "/job:t/task:0/device:CPU:0" {
  %0 = dist.feed "0" : tensor<64xf32>
  %1 = dist.feed "1" : tensor<64xf32>
  %3 = dist.feed "3" : tensor<16385xf32>
  dist.send @first, %0 : tensor<64xf32>
  dist.send @second, %1 : tensor<64xf32>
  dist.send @third, %3 : tensor<16385xf32>
  dist.end
}

// CHECK-LABEL: dist.program @s
// CHECK-DAG: %[[A:.*]] = dist.variable_buffer @a
// CHECK-DAG: %[[B:.*]] = dist.variable_buffer @b
// CHECK-DAG: %[[C:.*]] = dist.variable_buffer @c
// CHECK-DAG: %[[D:.*]] = dist.variable_buffer @d
// CHECK-DAG: %[[LARGE:.*]] = dist.variable_buffer @large
// CHECK-DAG: %[[STEP:.*]] = dist.variable_buffer @step
// CHECK-DAG: %[[X:.*]] = dist.receive @first
// CHECK-DAG: %[[Y:.*]] = dist.receive @second
// CHECK: dist.call @[[TWO:.*]](%[[X]], %[[A]], %{{.*}}, %[[B]]) :
// Behind another message; with a large one of the same message; and one that waits for none.
// CHECK-NEXT: dist.call @{{.*}}(%[[Y]], %[[C]]) :
// CHECK-NEXT: dist.call @{{.*}}(%{{.*}}, %[[D]]) :
// CHECK-NEXT: dist.call @{{.*}}(%{{.*}}, %[[LARGE]]) :
// CHECK-NEXT: dist.call @{{.*}}(%[[STEP]]) :
// CHECK-NEXT: dist.end
// CHECK: func.func private @[[TWO]](
// CHECK-COUNT-2: linalg.generic
// LOCKS-LABEL: dist.program @s
// LOCKS-COUNT-6: dist.call
dist.program @s of @p on "/job:t/task:0/device:CPU:0" {
  %0 = dist.receive @first : tensor<64xf32>
  %b = graph.reshape %0 : (tensor<64xf32>) -> tensor<4x16xf32>
  %1 = dist.receive @second : tensor<64xf32>
  %3 = dist.receive @third : tensor<16385xf32>
  %2 = graph.slice %3 start_indices = [0] limit_indices = [32] strides = [1] : (tensor<16385xf32>) -> tensor<32xf32>
  %one = graph.constant dense<1> : tensor<i64>
  graph.apply_sgd @a, %0 {learning_rate = 0.5} : tensor<64xf32>
  graph.apply_sgd @b, %b {learning_rate = 0.5} : tensor<4x16xf32>
  graph.apply_sgd @c, %1 {learning_rate = 0.5} : tensor<64xf32>
  graph.apply_sgd @d, %2 {learning_rate = 0.5} : tensor<32xf32>
  graph.apply_sgd @large, %3 {learning_rate = 0.5} : tensor<16385xf32>
  graph.assign_add @step, %one : tensor<i64>
  dist.end
}
