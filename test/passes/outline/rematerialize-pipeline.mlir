// RUN: graphc %s --emit=scheduled | FileCheck %s
// In the order of passes as it is, nothing behind `rematerialize` merges what it has copied with what it has copied it from.

dist.phase @p {role = #graph.role<predict>}

// CHECK-LABEL: dist.program @activation of
// CHECK-SAME: dist.recomputed = array<i64: 1, 1048576, {{[1-9][0-9]*}}, 0>
// CHECK: dist.feed_into "x", %[[X:.*]] :
// CHECK: dist.call @{{.*}}(%[[X]], %[[A:[0-9a-z]*]]) :
// CHECK: dist.library_call "matmul"(%[[A]], {{.*}}) into(%[[B:[0-9a-z]*]])
// CHECK: dist.library_call "matmul"({{.*}}) into(%[[C:[0-9a-z]*]])
// CHECK: dist.library_call "matmul"({{.*}}) into(%[[D:[0-9a-z]*]])
// CHECK-NEXT: dist.call @{{.*}}(%[[X]], %[[E:[0-9a-z]*]], %[[D]]) :
// CHECK: dist.library_call "matmul"(%[[E]], %[[D]])
dist.program @activation of @p on "/job:t/task:0/device:CPU:0" attributes {dist.recompute_bytes = 1048576 : i64} {
  dist.control_send []
  %x = dist.feed "x" : tensor<512x512xf32>
  %w = dist.feed "w" : tensor<512x512xf32>
  %a = graph.exponential %x : tensor<512x512xf32>
  %b = graph.matmul %a, %w : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %c = graph.matmul %b, %w : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %d = graph.matmul %c, %w : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %e = graph.matmul %a, %d {transpose_a} : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  dist.fetch "e", %e : tensor<512x512xf32>
  dist.fetch "x", %x : tensor<512x512xf32>
  dist.control_receive local
  dist.end
}
