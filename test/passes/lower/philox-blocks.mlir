// RUN: graphc %s --emit=llvm | FileCheck %s
// A block of Philox has words for four elements, or two: where the innermost loop counts them, it is computed once for them, in a quarter or half of the elements.

dist.phase @p {role = #graph.role<predict>}

// CHECK-LABEL: @kernel
// CHECK-COUNT-19: llvm.mul %{{.*}} : vector<4xi64>
// CHECK: llvm.shufflevector %{{.*}} [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3] : vector<4xi64>
// CHECK: llvm.return
dist.program @words of @p on "/job:t/task:0/device:CPU:0" {
  dist.control_send []
  %x = dist.feed "x" : tensor<8x32xf32>
  %m = graph.micro_batch_index
  %y = graph.dropout %x at %m {rate = 0.5, seed = 7, draw = 3, training_mode = true} : tensor<8x32xf32>
  dist.fetch "y", %y : tensor<8x32xf32>
  dist.control_receive local
  dist.end
}
