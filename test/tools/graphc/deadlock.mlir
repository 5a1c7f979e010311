// RUN: not graphc %s -o %t.plan 2>&1 | FileCheck %s
// RUN: not graphc %s --emit=partitioned 2>&1 | FileCheck %s
// RUN: not test -e %t.plan
// A module made by hand whose programs wait for each other: no plan is written, the error names the user's lines.

// CHECK: deadlock.mlir:[[# @LINE + 14]]:8: error: programs @predict.left and @predict.right wait for each other in a circle, so the step can never end
// CHECK: deadlock.mlir:[[# @LINE + 14]]:3: note: @predict.left sends @predict.x here, only after it receives @predict.y
// CHECK: deadlock.mlir:[[# @LINE + 19]]:8: note: @predict.right receives @predict.x here, which waits until @predict.left sends @predict.x
// CHECK: deadlock.mlir:[[# @LINE + 19]]:3: note: @predict.right sends @predict.y here, only after it receives @predict.x
// CHECK: deadlock.mlir:[[# @LINE + 10]]:8: note: @predict.left receives @predict.y here, which waits until @predict.right sends @predict.y

dist.phase @predict {role = #graph.role<predict>}
dist.channel @predict.x : tensor<4xf32> from @predict.left to @predict.right
dist.channel @predict.y : tensor<4xf32> from @predict.right to @predict.left
dist.channel @predict.control : tensor<i64> from @predict.left to @predict.right {control}

dist.program @predict.left of @predict on "/job:worker/task:0/device:CPU:0" {
  dist.control_send [@predict.control]
  %x = dist.feed "x" : tensor<4xf32>
  %y = dist.receive @predict.y : tensor<4xf32>
  dist.send @predict.x, %x : tensor<4xf32>
  dist.fetch "y", %y : tensor<4xf32>
  dist.control_receive local
  dist.end
}
dist.program @predict.right of @predict on "/job:worker/task:1/device:CPU:0" {
  %x = dist.receive @predict.x : tensor<4xf32>
  dist.send @predict.y, %x : tensor<4xf32>
  dist.control_receive @predict.control
  dist.end
}
