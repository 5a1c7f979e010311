// RUN: graph-opt --outline --verify-outlined %s | FileCheck %s
// A value that nobody wants after the stage that reads it, each element where that stage writes its own, is written over.

dist.phase @p {role = #graph.role<predict>}
graph.variable @b : tensor<64xf32> = #graph.zeros {graph.device = #graph.device<"/job:t/task:0/device:CPU:0">}
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  dist.control_send []
  // CHECK: dist.feed_into "x", %[[X:.*]] : memref<64x64xf32>
  // CHECK: dist.feed_into "y", %[[Y:.*]] : memref<64x64xf32>
  // CHECK: dist.feed_into "z", %[[Z:.*]] : memref<64x64xf32>
  // CHECK: dist.feed_into "u", %[[U:.*]] : memref<64x64xf32>
  %x = dist.feed "x" : tensor<64x64xf32>
  %y = dist.feed "y" : tensor<64x64xf32>
  %z = dist.feed "z" : tensor<64x64xf32>
  %u = dist.feed "u" : tensor<64x64xf32>
  // x is fetched later, y is not: the sum is y's memory, one argument of the kernel.
  // CHECK: dist.call @[[ADD:kernel[0-9]+_add]](%[[X]], %[[Y]]) : memref<64x64xf32>, memref<64x64xf32>
  // CHECK: dist.fetch "sum", %[[Y]]
  %sum = graph.add %x, %y : tensor<64x64xf32>
  dist.fetch "sum", %sum : tensor<64x64xf32>
  dist.fetch "x", %x : tensor<64x64xf32>
  // Read elsewhere than it is written, and of another type: memory of their own.
  // CHECK: dist.call @{{kernel[0-9]+_add}}(%[[Z]], %[[OTHER:.*]]) :
  // CHECK-NOT: dist.fetch "turned", %[[Z]]
  // CHECK: dist.fetch "turned", %[[OTHER]]
  %t = graph.transpose %z permutation = [1, 0] : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %turned = graph.add %z, %t : tensor<64x64xf32>
  dist.fetch "turned", %turned : tensor<64x64xf32>
  // Wanted once more behind the stage that could write over it, by a sum in the same kernel.
  // CHECK: dist.call @[[BOTH:kernel[0-9]+_add]](%[[U]],
  // CHECK-NOT: dist.fetch {{.*}}, %[[U]]
  %n = graph.exponential %u : tensor<64x64xf32>
  %s = graph.reduce_sum %u dimensions = [0] : (tensor<64x64xf32>) -> tensor<64xf32>
  %wide = graph.broadcast_in_dim %s broadcast_dimensions = [1] : (tensor<64xf32>) -> tensor<64x64xf32>
  %q = graph.add %n, %wide : tensor<64x64xf32>
  dist.fetch "n", %n : tensor<64x64xf32>
  dist.fetch "q", %q : tensor<64x64xf32>
  // A variable is nobody's to write over.
  %b = graph.read @b : tensor<64xf32>
  %m = graph.negate %b : tensor<64xf32>
  dist.fetch "m", %m : tensor<64xf32>
  dist.control_receive local
  dist.end
}

// What has its place in a pack is made there from the start: the product, over which the sum is written.
// CHECK: dist.program @packs
// CHECK: %[[PART:.*]] = dist.view %[[PACK:.*]] : memref<8192xf32> to memref<64x64xf32>
// CHECK: dist.library_call "matmul"({{.*}}) into(%[[PART]])
// CHECK: dist.call @{{kernel[0-9]+_add}}(%[[Z:.*]], %[[PART]]) :
// CHECK: dist.fetch "packed", %[[PACK]]
dist.phase @q {role = #graph.role<predict>}
dist.program @packs of @q on "/job:t/task:1/device:CPU:0" {
  dist.control_send []
  %x = dist.feed "x" : tensor<64x64xf32>
  %y = dist.feed "y" : tensor<64x64xf32>
  %z = dist.feed "z" : tensor<64x64xf32>
  %product = graph.matmul %x, %y : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %sum = graph.add %z, %product : tensor<64x64xf32>
  %negative = graph.negate %x : tensor<64x64xf32>
  %packed = dist.pack %sum, %negative : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<8192xf32>
  dist.fetch "packed", %packed : tensor<8192xf32>
  dist.fetch "z", %z : tensor<64x64xf32>
  dist.control_receive local
  dist.end
}
// Each of a chain is written over the one before, all in the pack's part.
// CHECK: dist.program @chain
// CHECK: %[[CHAIN:.*]] = dist.view %{{.*}} : memref<8192xf32> to memref<64x64xf32>
// CHECK: dist.library_call "matmul"({{.*}}) into(%[[CHAIN]])
// CHECK: dist.call @{{kernel[0-9]+_multiply}}(%[[CHAIN]], %{{[0-9]+}}, %{{[0-9]+}}) :
dist.phase @r {role = #graph.role<predict>}
dist.program @chain of @r on "/job:t/task:2/device:CPU:0" {
  dist.control_send []
  %x = dist.feed "x" : tensor<64x64xf32>
  %y = dist.feed "y" : tensor<64x64xf32>
  %product = graph.matmul %x, %y : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %t = graph.tanh %product : tensor<64x64xf32>
  %u = graph.add %t, %y : tensor<64x64xf32>
  %square = graph.multiply %u, %u : tensor<64x64xf32>
  %l = graph.reduce_sum %square dimensions = [0, 1] : (tensor<64x64xf32>) -> tensor<f32>
  %one = graph.multiply %t, %t : tensor<64x64xf32>
  %two = graph.multiply %u, %one : tensor<64x64xf32>
  %negative = graph.negate %x : tensor<64x64xf32>
  %packed = dist.pack %two, %negative : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<8192xf32>
  dist.fetch "packed", %packed : tensor<8192xf32>
  dist.fetch "l", %l : tensor<f32>
  dist.control_receive local
  dist.end
}
// CHECK: func.func private @[[ADD]](%{{.*}}: memref<64x64xf32> {dist.access = "read"}, %[[INOUT:.*]]: memref<64x64xf32> {dist.access = "read_write"})
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[INOUT]] : {{.*}}) outs(%[[INOUT]] :
// CHECK: func.func private @[[BOTH]](%{{[a-z0-9]+}}: memref<64x64xf32> {dist.access = "read"}
