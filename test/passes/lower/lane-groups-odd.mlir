// RUN: graphc %s --emit=llvm | FileCheck %s
// Rows that do not begin at a block's first element are drawn element by element.

dist.phase @p {role = #graph.role<predict>}

// CHECK-LABEL: @kernel
// CHECK-NOT: vector<4xi64>
// CHECK: llvm.mul %{{.*}} : vector<16xi64>
// CHECK-NOT: vector<4xi64>
dist.program @words of @p on "/job:t/task:0/device:CPU:0" {
  dist.control_send []
  %x = dist.feed "x" : tensor<8x33xf32>
  %m = graph.micro_batch_index
  %y = graph.dropout %x at %m {rate = 0.5, seed = 7, draw = 3, training_mode = true} : tensor<8x33xf32>
  dist.fetch "y", %y : tensor<8x33xf32>
  dist.control_receive local
  dist.end
}
