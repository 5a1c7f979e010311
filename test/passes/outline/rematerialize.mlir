// RUN: graph-opt %s --pass-pipeline='builtin.module(dist.program(decompose,rematerialize))' | FileCheck %s
// RUN: graph-opt %s --pass-pipeline='builtin.module(dist.program(decompose,rematerialize),outline,verify-outlined,schedule)' | FileCheck %s --check-prefix=SCHEDULED
// RUN: sed 's/dist.recompute_bytes = [0-9]* : i64//' %s | graph-opt - --pass-pipeline='builtin.module(dist.program(decompose,rematerialize),outline,schedule)' -o %t.with
// RUN: sed 's/dist.recompute_bytes = [0-9]* : i64//' %s | graph-opt - --pass-pipeline='builtin.module(dist.program(decompose),outline,schedule)' -o %t.without
// RUN: cmp %t.with %t.without

dist.phase @p {role = #graph.role<predict>}

// An activation of what is in memory until the end is rematerialized for its late user alone, and waits for what that waits for.
// CHECK-LABEL: dist.program @activation of
// CHECK-SAME: dist.recomputed = array<i64: 1, 1048576, {{[1-9][0-9]*}}, 0>
// CHECK: %[[X:.*]] = dist.feed "x"
// CHECK: %[[A:.*]] = graph.exponential %[[X]]
// CHECK: graph.matmul %[[A]]
// CHECK: %[[B:.*]] = graph.matmul
// CHECK: %[[C:.*]] = graph.matmul %[[B]]
// CHECK: %[[AGAIN:.*]] = graph.exponential %[[X]]
// CHECK-NEXT: %[[LATE:.*]] = dist.after %[[C]], %[[AGAIN]] : tensor<512x512xf32>, tensor<512x512xf32>
// CHECK-NEXT: graph.matmul %[[LATE]], %[[C]]
// Nothing computes the second early: its call has what it waits for as a buffer that it does not look at.
// SCHEDULED-LABEL: dist.program @activation of
// SCHEDULED: dist.feed_into "x", %[[X:.*]] :
// SCHEDULED: dist.call @[[EXP:.*]](%[[X]], %[[A:[0-9a-z]*]]) :
// SCHEDULED: dist.library_call "matmul"(%[[A]], {{.*}}) into(%[[B:[0-9a-z]*]])
// SCHEDULED: dist.library_call "matmul"({{.*}}) into(%[[C:[0-9a-z]*]])
// SCHEDULED: dist.library_call "matmul"({{.*}}) into(%[[D:[0-9a-z]*]])
// SCHEDULED-NEXT: dist.call @[[AGAIN:.*]](%[[X]], %[[E:[0-9a-z]*]], %[[D]]) :
// SCHEDULED: dist.library_call "matmul"(%[[E]], %[[D]])
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

// Not so where that would keep as much for it.
// CHECK-LABEL: dist.program @nothing of
// CHECK-SAME: dist.recomputed = array<i64: 0, 0, 0, 1>
// CHECK-NOT: dist.after
// CHECK: dist.end
dist.program @nothing of @p on "/job:t/task:1/device:CPU:0" attributes {dist.recompute_bytes = 1048576 : i64} {
  %u = dist.feed "u" : tensor<512x512xf32>
  %w = dist.feed "w" : tensor<512x512xf32>
  %x = graph.matmul %u, %w : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %a = graph.exponential %x : tensor<512x512xf32>
  %b = graph.matmul %a, %w : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %c = graph.matmul %b, %w : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %e = graph.matmul %a, %c {transpose_a} : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  dist.fetch "e", %e : tensor<512x512xf32>
  dist.end
}

// Draws are made of nothing; what is inlined is computed with them, and a view is one of the copy.
// CHECK-LABEL: dist.program @dropout of
// CHECK-SAME: dist.recomputed = array<i64: 1,
// CHECK: %[[KEY:.*]] = graph.constant dense<[{{.*}}]> : tensor<2xi64>
// CHECK: %[[DRAW:.*]] = graph.random_uniform at %{{.*}} key %[[KEY]]
// CHECK: graph.matmul
// CHECK: graph.matmul
// CHECK: %[[D:.*]] = graph.matmul
// CHECK: %[[AGAIN:.*]] = graph.random_uniform at %{{.*}} key %[[KEY]]
// CHECK: dist.after %[[D]], %
// CHECK: graph.reshape
// CHECK: graph.matmul
dist.program @dropout of @p on "/job:t/task:2/device:CPU:0" attributes {dist.recompute_bytes = 4096 : i64} {
  %w = dist.feed "w" : tensor<512x512xf32>
  %m = graph.micro_batch_index
  %r = graph.random_uniform at %m {low = 0.0, high = 1.0, seed = 7, draw = 3} : tensor<2x256x512xf32>
  %n = graph.negate %r : tensor<2x256x512xf32>
  %a = graph.reshape %n : (tensor<2x256x512xf32>) -> tensor<512x512xf32>
  %b = graph.matmul %a, %w : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %c = graph.matmul %b, %w : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %d = graph.matmul %c, %w : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %e = graph.matmul %a, %d {transpose_a} : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  dist.fetch "e", %e : tensor<512x512xf32>
  dist.end
}

// A variable that is written in between is not what it was.
// CHECK-LABEL: dist.program @written of
// CHECK-SAME: dist.recomputed = array<i64: 0, 0, 0, 1>
// CHECK-NOT: dist.after
// CHECK: dist.end
graph.variable @v : tensor<512x512xf32> = #graph.zeros {graph.device = #graph.device<"/job:t/task:3/device:CPU:0">}
dist.program @written of @p on "/job:t/task:3/device:CPU:0" attributes {dist.recompute_bytes = 4096 : i64} {
  %w = dist.feed "w" : tensor<512x512xf32>
  %v = graph.read @v : tensor<512x512xf32>
  %a = graph.exponential %v : tensor<512x512xf32>
  %b = graph.matmul %a, %w : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %c = graph.matmul %b, %w : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  graph.assign @v, %b : tensor<512x512xf32>
  %e = graph.matmul %a, %c {transpose_a} : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  dist.fetch "e", %e : tensor<512x512xf32>
  dist.end
}

// In a loop of micro-batches, each time.
// CHECK-LABEL: dist.program @loop of
// CHECK-SAME: dist.recomputed = array<i64: 1,
// CHECK: graph.repeat 4
// CHECK: graph.iota
// CHECK-COUNT-3: graph.matmul
// CHECK: %[[AGAIN:.*]] = graph.iota
// CHECK-NEXT: dist.after %{{.*}}, %[[AGAIN]]
dist.program @loop of @p on "/job:t/task:4/device:CPU:0" attributes {dist.recompute_bytes = 4096 : i64} {
  %w = dist.feed "w" : tensor<512x512xf32>
  %s:3 = graph.repeat 4 -> (tensor<512x512xf32>, tensor<512x512xf32>, tensor<512x512xf32>) {
    %a = graph.iota dimension = 0 : tensor<512x512xf32>
    %b = graph.matmul %a, %w : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
    %c = graph.matmul %b, %w : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
    %d = graph.matmul %c, %w : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
    %e = graph.matmul %a, %d {transpose_a} : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
    graph.yield %e : tensor<512x512xf32>
  }
  dist.fetch "e", %s#0 : tensor<512x512xf32>
  dist.end
}
