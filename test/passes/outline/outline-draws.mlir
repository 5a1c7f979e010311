// RUN: graph-opt %s --decompose --outline --verify-outlined | FileCheck %s

// What seed and number make of a draw's key is a constant that its kernel reads: layers alike share one, forward and backward.
// CHECK-LABEL: dist.program @p
// CHECK-DAG: %[[A:.*]] = dist.constant_buffer dense<[2527499876, 816027597]> : tensor<2xi64> to memref<2xi64>
// CHECK-DAG: %[[B:.*]] = dist.constant_buffer dense<[3652146739, 1262932661]> : tensor<2xi64> to memref<2xi64>
// CHECK: dist.call @[[KERNEL:.*]](%{{.*}}, %{{.*}}, %[[A]])
// CHECK: dist.call @[[KERNEL]](%{{.*}}, %{{.*}}, %[[B]])
// CHECK: func.func private @[[KERNEL]](
// CHECK-NOT: func.func
dist.phase @f {role = #graph.role<train>}
dist.program @p of @f on "/job:t/task:0/device:CPU:0" {
  dist.control_send []
  %n = graph.micro_batch_index
  %x = dist.feed "x" : tensor<32x64xf32>
  %y = dist.feed "y" : tensor<32x64xf32>
  %a = graph.dropout %x at %n {draw = 0, rate = 0.5} : tensor<32x64xf32>
  %b = graph.dropout %y at %n {draw = 1, rate = 0.5} : tensor<32x64xf32>
  dist.fetch "a", %a : tensor<32x64xf32>
  dist.fetch "b", %b : tensor<32x64xf32>
  dist.control_receive local
  dist.end
}
