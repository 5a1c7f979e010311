// RUN: graph-opt %s --outline | FileCheck %s

// What is normalised is computed by each kernel that looks at it, from the tensor and a number a column: it is in no kernel's results.
// Sums over the samples of a batch are a kernel of their own, which threads share, and so is what is elementwise of few numbers.
// CHECK-LABEL: dist.program @a
// CHECK: dist.feed_into "x", %[[X:.*]] : memref<64x32x32x16xf32>
// CHECK: dist.call @[[SUMS:.*]](%[[S:.*]], %[[X]]) : memref<64x16xf32>, memref<64x32x32x16xf32>
// CHECK: dist.call @[[MEAN:.*]](%[[M:.*]], %[[S]]) : memref<16xf32>, memref<64x16xf32>
// CHECK-DAG: dist.call @{{.*}}_relu(%[[X]], %[[M]], %{{.*}}) : memref<64x32x32x16xf32>, memref<16xf32>, memref<64x32x32x16xf32>
// CHECK-DAG: dist.call @{{.*}}_multiply(%[[X]], %[[M]], %{{.*}}) : memref<64x32x32x16xf32>, memref<16xf32>, memref<64x32x32x16xf32>
dist.phase @p {role = #graph.role<predict>}
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  %x = dist.feed "x" : tensor<64x32x32x16xf32>
  %s = graph.reduce_sum %x dimensions = [1, 2] : (tensor<64x32x32x16xf32>) -> tensor<64x16xf32>
  %m = graph.reduce_sum %s dimensions = [0] : (tensor<64x16xf32>) -> tensor<16xf32>
  %b = graph.broadcast_in_dim %m broadcast_dimensions = [3] : (tensor<16xf32>) -> tensor<64x32x32x16xf32>
  %c = graph.subtract %x, %b : tensor<64x32x32x16xf32>
  %y = graph.relu %c : tensor<64x32x32x16xf32>
  dist.fetch "y", %y : tensor<64x32x32x16xf32>
  %back = dist.feed "back" : tensor<64x32x32x16xf32>
  %z = graph.multiply %c, %c : tensor<64x32x32x16xf32>
  dist.fetch "z", %z : tensor<64x32x32x16xf32>
  dist.end
}

// What a library or a view takes has memory, and the library's last step stays one.
// CHECK-LABEL: dist.program @b
// CHECK: post_ops = ["bias", "relu"]
// CHECK-NOT: relu
// CHECK: dist.end
dist.program @b of @p on "/job:t/task:1/device:CPU:0" {
  %x = dist.feed "x" : tensor<64x64xf32>
  %w = dist.feed "w" : tensor<64x64xf32>
  %b = dist.feed "b" : tensor<64xf32>
  %0 = graph.matmul %x, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = graph.bias_add %0, %b : tensor<64x64xf32>, tensor<64xf32>
  %2 = graph.relu %1 : tensor<64x64xf32>
  %3 = graph.negate %2 : tensor<64x64xf32>
  %4 = graph.multiply %2, %2 : tensor<64x64xf32>
  dist.fetch "n", %3 : tensor<64x64xf32>
  dist.fetch "q", %4 : tensor<64x64xf32>
  dist.end
}
