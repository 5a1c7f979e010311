// RUN: graph-opt %s --split-input-file --verify-diagnostics --outline

dist.phase @p {role = #graph.role<predict>}
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  %x = dist.feed "x" : tensor<4x4xf32>
  // expected-error @below {{cannot be outlined; expected the primitives that decompose leaves}}
  %y = graph.softmax %x : tensor<4x4xf32>
  dist.fetch "y", %y : tensor<4x4xf32>
  dist.end
}
