// RUN: graph-opt --outline --verify-outlined %s | FileCheck %s
// RUN: sed 's/ {graph.kept}//' %s | graph-opt - --outline --verify-outlined | FileCheck %s --check-prefix=WHOLE
// What stands before sums that are kept shares no kernel with what stands behind them, though both take %e: that is stored.

dist.phase @p {role = #graph.role<predict>}
// CHECK: dist.program @a
// CHECK: dist.feed_into "a", %[[A:.*]] :
// CHECK: dist.feed_into "b", %[[B:.*]] :
// CHECK: dist.feed_into "c", %[[C:.*]] :
// CHECK: dist.feed_into "w", %[[W:.*]] :
// CHECK: dist.call @[[FIRST:.*]](%[[W]], %[[A]], %[[B]]) :
// CHECK: dist.call @[[REST:.*]](%[[A]], %[[C]], %[[W]]) :
// CHECK-NOT: dist.call
// CHECK: dist.fetch "sum", %[[A]]
// CHECK: func.func private @[[FIRST]](
// CHECK-NOT: func.func
// CHECK: math.exp
// CHECK: func.func private @[[REST]](
// CHECK-NOT: math.exp
// WHOLE: dist.program @a
// WHOLE: dist.call
// WHOLE-NOT: dist.call
// WHOLE: dist.end
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  dist.control_send []
  %a = dist.feed "a" : tensor<64xf32>
  %b = dist.feed "b" : tensor<64xf32>
  %c = dist.feed "c" : tensor<64xf32>
  %w = dist.feed "w" : tensor<64xf32>
  %e = graph.exponential %w : tensor<64xf32>
  %x = graph.multiply %a, %e : tensor<64xf32>
  %y = graph.multiply %b, %e : tensor<64xf32>
  %two = graph.add %x, %y {graph.kept} : tensor<64xf32>
  %z = graph.multiply %c, %e : tensor<64xf32>
  %three = graph.add %two, %z : tensor<64xf32>
  dist.fetch "sum", %three : tensor<64xf32>
  dist.control_receive local
  dist.end
}
