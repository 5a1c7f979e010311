// RUN: graph-opt --outline --verify-outlined %s | FileCheck %s
// Slices: a view where the elements lie together in the program's memory, at a multiple of 64 bytes; read where they lie inside a
// kernel; a copy where somebody else takes them. A concatenation is one stage an operand, each into its part of the result.

dist.phase @p {role = #graph.role<predict>}
graph.variable @w : tensor<8x16xf32> = #graph.zeros {graph.device = #graph.device<"/job:t/task:0/device:CPU:0">}
// CHECK-DAG: %[[W:.*]] = dist.variable_buffer @w
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  dist.control_send []
  // CHECK: dist.feed_into "x", %[[X:.*]] :
  %x = dist.feed "x" : tensor<8x16xf32>
  // CHECK-DAG: %[[VIEW:.*]] = dist.view %[[X]] {offset = 128 : i64} : memref<8x16xf32> to memref<3x16xf32>
  // CHECK-DAG: dist.fetch "rows", %[[VIEW]]
  %rows = graph.slice %x start_indices = [2, 0] limit_indices = [5, 16] strides = [1, 1] : (tensor<8x16xf32>) -> tensor<3x16xf32>
  dist.fetch "rows", %rows : tensor<3x16xf32>
  // A part of a variable is no view, and neither are rows at other offsets.
  // CHECK-DAG: dist.call @[[COPY:kernel[0-9]+_slice]](%[[W]], %[[OUT:.*]]) : memref<8x16xf32>, memref<3x16xf32>
  %w = graph.read @w : tensor<8x16xf32>
  %part = graph.slice %w start_indices = [2, 0] limit_indices = [5, 16] strides = [1, 1] : (tensor<8x16xf32>) -> tensor<3x16xf32>
  dist.fetch "part", %part : tensor<3x16xf32>
  %columns = graph.slice %x start_indices = [0, 3] limit_indices = [8, 9] strides = [1, 2] : (tensor<8x16xf32>) -> tensor<8x3xf32>
  %negated = graph.negate %columns : tensor<8x3xf32>
  dist.fetch "negated", %negated : tensor<8x3xf32>
  %sum = graph.reduce_sum %columns dimensions = [0] : (tensor<8x3xf32>) -> tensor<3xf32>
  dist.fetch "sum", %sum : tensor<3xf32>
  %first = graph.slice %x start_indices = [0, 0] limit_indices = [8, 3] strides = [1, 1] : (tensor<8x16xf32>) -> tensor<8x3xf32>
  %more = graph.exponential %first : tensor<8x3xf32>
  %both = graph.concatenate %more, %columns dimension = 1 : (tensor<8x3xf32>, tensor<8x3xf32>) -> tensor<8x6xf32>
  dist.fetch "both", %both : tensor<8x6xf32>
  dist.control_receive local
  dist.end
}
// CHECK-DAG: memref.subview %{{.*}}[2, 0] [3, 16] [1, 1] : memref<8x16xf32> to memref<3x16xf32, strided<[16, 1], offset: 32>>
// CHECK-DAG: memref.subview %{{.*}}[0, 3] [8, 3] [1, 2] : memref<8x16xf32> to memref<8x3xf32, strided<[16, 2], offset: 3>>
// CHECK-DAG: %[[IN:.*]] = memref.subview %{{.*}}[0, 0] [8, 3] [1, 1] : memref<8x16xf32>
// CHECK-DAG: memref.subview %{{.*}}[0, 0] [8, 3] [1, 1] : memref<8x6xf32>
// CHECK-DAG: memref.subview %{{.*}}[0, 3] [8, 3] [1, 1] : memref<8x6xf32>
// CHECK-DAG: math.exp
