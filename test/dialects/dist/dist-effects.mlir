// RUN: graph-opt %s --canonicalize --cse | FileCheck %s
// Communication is never dropped, merged or reordered by upstream passes, even where a received value is unused.

dist.phase @p {role = #graph.role<predict>}
dist.channel @a : tensor<4xf32> from @p.t0 to @p.t1
dist.channel @b : tensor<4xf32> from @p.t0 to @p.t1
// CHECK-LABEL: dist.program @p.t0
dist.program @p.t0 of @p on "/job:t/task:0/device:CPU:0" {
  // CHECK: dist.feed "x"
  // CHECK: dist.feed "x"
  %x = dist.feed "x" : tensor<4xf32>
  %y = dist.feed "x" : tensor<4xf32>
  // CHECK: dist.send @b
  // CHECK-NEXT: dist.send @a
  dist.send @b, %x : tensor<4xf32>
  dist.send @a, %x : tensor<4xf32>
  dist.end
}
// CHECK-LABEL: dist.program @p.t1
dist.program @p.t1 of @p on "/job:t/task:1/device:CPU:0" {
  // CHECK: dist.receive @b
  // CHECK-NEXT: dist.receive @a
  %b = dist.receive @b : tensor<4xf32>
  %a = dist.receive @a : tensor<4xf32>
  dist.end
}
