// RUN: split-file %s %t
// RUN: graphc %t/rows.mlir --emit=llvm | FileCheck %s --check-prefix=SHARED
// RUN: graphc %t/columns.mlir --emit=llvm | FileCheck %s --check-prefix=SHARED
// RUN: graphc %t/items.mlir --emit=llvm | FileCheck %s --check-prefix=SHARED
// RUN: graphc %t/all.mlir --emit=llvm | FileCheck %s --check-prefix=SHARED
// RUN: graphc %t/each.mlir --emit=llvm | FileCheck %s --check-prefix=EACH
// Rows that do not begin at a block's first element are drawn across their ends: vectors begin with blocks. So are draws that are summed, by
// columns, by rows, and over several rows at once. Only where rows of a sum have another length has each element a block of its own.
// SHARED-LABEL: @kernel
// SHARED-COUNT-19: llvm.mul %{{.*}} : vector<4xi64>
// SHARED: llvm.shufflevector %{{.*}} [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3] : vector<4xi64>
// SHARED: llvm.return
// EACH-LABEL: @kernel
// EACH-NOT: vector<4xi64>
// EACH: llvm.mul %{{.*}} : vector<16xi64>
// EACH-NOT: vector<4xi64>

//--- rows.mlir
dist.phase @p {role = #graph.role<predict>}
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  dist.control_send []
  %x = dist.feed "x" : tensor<8x33xf32>
  %m = graph.micro_batch_index
  %y = graph.dropout %x at %m {rate = 0.5, seed = 7, draw = 3, training_mode = true} : tensor<8x33xf32>
  dist.fetch "y", %y : tensor<8x33xf32>
  dist.control_receive local
  dist.end
}
//--- columns.mlir
dist.phase @p {role = #graph.role<predict>}
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  dist.control_send []
  %x = dist.feed "x" : tensor<40x64xf32>
  %m = graph.micro_batch_index
  %y = graph.dropout %x at %m {rate = 0.5, seed = 7, draw = 3, training_mode = true} : tensor<40x64xf32>
  %s = graph.reduce_sum %y dimensions = [0] : (tensor<40x64xf32>) -> tensor<64xf32>
  dist.fetch "y", %s : tensor<64xf32>
  dist.control_receive local
  dist.end
}
//--- items.mlir
dist.phase @p {role = #graph.role<predict>}
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  dist.control_send []
  %x = dist.feed "x" : tensor<4x64xf32>
  %m = graph.micro_batch_index
  %y = graph.dropout %x at %m {rate = 0.5, seed = 7, draw = 3, training_mode = true} : tensor<4x64xf32>
  %s = graph.reduce_sum %y dimensions = [1] : (tensor<4x64xf32>) -> tensor<4xf32>
  dist.fetch "y", %s : tensor<4xf32>
  dist.control_receive local
  dist.end
}
//--- all.mlir
dist.phase @p {role = #graph.role<predict>}
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  dist.control_send []
  %x = dist.feed "x" : tensor<12x33xf32>
  %m = graph.micro_batch_index
  %y = graph.dropout %x at %m {rate = 0.5, seed = 7, draw = 3, training_mode = true} : tensor<12x33xf32>
  %s = graph.reduce_sum %y dimensions = [0, 1] : (tensor<12x33xf32>) -> tensor<f32>
  dist.fetch "y", %s : tensor<f32>
  dist.control_receive local
  dist.end
}
//--- each.mlir
dist.phase @p {role = #graph.role<predict>}
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  dist.control_send []
  %x = dist.feed "x" : tensor<4x33xf32>
  %m = graph.micro_batch_index
  %y = graph.dropout %x at %m {rate = 0.5, seed = 7, draw = 3, training_mode = true} : tensor<4x33xf32>
  %s = graph.reduce_sum %y dimensions = [1] : (tensor<4x33xf32>) -> tensor<4xf32>
  dist.fetch "y", %s : tensor<4xf32>
  dist.control_receive local
  dist.end
}
