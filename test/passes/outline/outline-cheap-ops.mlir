// RUN: graph-opt %s --outline | FileCheck %s

// What is normalised is computed by each kernel that looks at it, from the tensor and a number a column: it is in no kernel's results.
// Sums over the samples of a batch are a kernel of their own, which threads share, and so is what is elementwise of few numbers.
// CHECK-LABEL: dist.program @a
// CHECK: dist.feed_into "x", %[[X:.*]] : memref<64x32x32x16xf32>
// CHECK: dist.call @[[SUMS:.*]](%[[S:.*]], %[[X]]) : memref<64x16xf32>, memref<64x32x32x16xf32>
// CHECK: dist.call @[[MEAN:.*]](%[[M:.*]], %[[S]]) : memref<16xf32>, memref<64x16xf32>
// CHECK-DAG: dist.call @{{.*}}_relu(%[[X]], %[[M]], %{{.*}}) : memref<64x32x32x16xf32>, memref<16xf32>, memref<64x32x32x16xf32>
// CHECK-DAG: dist.call @{{.*}}_multiply(%[[X]], %[[M]], %{{.*}}) : memref<64x32x32x16xf32>, memref<16xf32>, memref<64x32x32x16xf32>
dist.phase @p {role = #graph.role<predict>}
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  %x = dist.feed "x" : tensor<64x32x32x16xf32>
  %s = graph.reduce_sum %x dimensions = [1, 2] : (tensor<64x32x32x16xf32>) -> tensor<64x16xf32>
  %m = graph.reduce_sum %s dimensions = [0] : (tensor<64x16xf32>) -> tensor<16xf32>
  %b = graph.broadcast_in_dim %m broadcast_dimensions = [3] : (tensor<16xf32>) -> tensor<64x32x32x16xf32>
  %c = graph.subtract %x, %b : tensor<64x32x32x16xf32>
  %y = graph.relu %c : tensor<64x32x32x16xf32>
  dist.fetch "y", %y : tensor<64x32x32x16xf32>
  %back = dist.feed "back" : tensor<64x32x32x16xf32>
  %z = graph.multiply %c, %c : tensor<64x32x32x16xf32>
  dist.fetch "z", %z : tensor<64x32x32x16xf32>
  dist.end
}

// What a library or a view takes has memory, and the library's last step stays one.
// CHECK-LABEL: dist.program @b
// CHECK: post_ops = ["bias", "relu"]
// CHECK-NOT: relu
// CHECK: dist.end
dist.program @b of @p on "/job:t/task:1/device:CPU:0" {
  %x = dist.feed "x" : tensor<64x64xf32>
  %w = dist.feed "w" : tensor<64x64xf32>
  %b = dist.feed "b" : tensor<64xf32>
  %0 = graph.matmul %x, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = graph.bias_add %0, %b : tensor<64x64xf32>, tensor<64xf32>
  %2 = graph.relu %1 : tensor<64x64xf32>
  %3 = graph.negate %2 : tensor<64x64xf32>
  %4 = graph.multiply %2, %2 : tensor<64x64xf32>
  dist.fetch "n", %3 : tensor<64x64xf32>
  dist.fetch "q", %4 : tensor<64x64xf32>
  dist.end
}

// However values hang together, at most sixteen operations are rematerialized for one user: forty pairs of users, one behind the other,
// are one kernel at once, which keeps one tensor in between.
// CHECK-LABEL: dist.program @c
// CHECK: dist.call @{{.*}} : memref<64xf32>, memref<64x64xf32>, memref<64xf32>, memref<64xf32>
// CHECK-NOT: dist.call
// CHECK: dist.end
dist.program @c of @p on "/job:t/task:2/device:CPU:0" {
  %x = dist.feed "x" : tensor<64xf32>
  %v0 = graph.broadcast_in_dim %x broadcast_dimensions = [1] : (tensor<64xf32>) -> tensor<64x64xf32>
  %a0 = graph.negate %v0 : tensor<64x64xf32>
  %b0 = graph.abs %v0 : tensor<64x64xf32>
  %v1 = graph.add %a0, %b0 : tensor<64x64xf32>
  %a1 = graph.negate %v1 : tensor<64x64xf32>
  %b1 = graph.abs %v1 : tensor<64x64xf32>
  %v2 = graph.add %a1, %b1 : tensor<64x64xf32>
  %a2 = graph.negate %v2 : tensor<64x64xf32>
  %b2 = graph.abs %v2 : tensor<64x64xf32>
  %v3 = graph.add %a2, %b2 : tensor<64x64xf32>
  %a3 = graph.negate %v3 : tensor<64x64xf32>
  %b3 = graph.abs %v3 : tensor<64x64xf32>
  %v4 = graph.add %a3, %b3 : tensor<64x64xf32>
  %a4 = graph.negate %v4 : tensor<64x64xf32>
  %b4 = graph.abs %v4 : tensor<64x64xf32>
  %v5 = graph.add %a4, %b4 : tensor<64x64xf32>
  %a5 = graph.negate %v5 : tensor<64x64xf32>
  %b5 = graph.abs %v5 : tensor<64x64xf32>
  %v6 = graph.add %a5, %b5 : tensor<64x64xf32>
  %a6 = graph.negate %v6 : tensor<64x64xf32>
  %b6 = graph.abs %v6 : tensor<64x64xf32>
  %v7 = graph.add %a6, %b6 : tensor<64x64xf32>
  %a7 = graph.negate %v7 : tensor<64x64xf32>
  %b7 = graph.abs %v7 : tensor<64x64xf32>
  %v8 = graph.add %a7, %b7 : tensor<64x64xf32>
  %a8 = graph.negate %v8 : tensor<64x64xf32>
  %b8 = graph.abs %v8 : tensor<64x64xf32>
  %v9 = graph.add %a8, %b8 : tensor<64x64xf32>
  %a9 = graph.negate %v9 : tensor<64x64xf32>
  %b9 = graph.abs %v9 : tensor<64x64xf32>
  %v10 = graph.add %a9, %b9 : tensor<64x64xf32>
  %a10 = graph.negate %v10 : tensor<64x64xf32>
  %b10 = graph.abs %v10 : tensor<64x64xf32>
  %v11 = graph.add %a10, %b10 : tensor<64x64xf32>
  %a11 = graph.negate %v11 : tensor<64x64xf32>
  %b11 = graph.abs %v11 : tensor<64x64xf32>
  %v12 = graph.add %a11, %b11 : tensor<64x64xf32>
  %a12 = graph.negate %v12 : tensor<64x64xf32>
  %b12 = graph.abs %v12 : tensor<64x64xf32>
  %v13 = graph.add %a12, %b12 : tensor<64x64xf32>
  %a13 = graph.negate %v13 : tensor<64x64xf32>
  %b13 = graph.abs %v13 : tensor<64x64xf32>
  %v14 = graph.add %a13, %b13 : tensor<64x64xf32>
  %a14 = graph.negate %v14 : tensor<64x64xf32>
  %b14 = graph.abs %v14 : tensor<64x64xf32>
  %v15 = graph.add %a14, %b14 : tensor<64x64xf32>
  %a15 = graph.negate %v15 : tensor<64x64xf32>
  %b15 = graph.abs %v15 : tensor<64x64xf32>
  %v16 = graph.add %a15, %b15 : tensor<64x64xf32>
  %a16 = graph.negate %v16 : tensor<64x64xf32>
  %b16 = graph.abs %v16 : tensor<64x64xf32>
  %v17 = graph.add %a16, %b16 : tensor<64x64xf32>
  %a17 = graph.negate %v17 : tensor<64x64xf32>
  %b17 = graph.abs %v17 : tensor<64x64xf32>
  %v18 = graph.add %a17, %b17 : tensor<64x64xf32>
  %a18 = graph.negate %v18 : tensor<64x64xf32>
  %b18 = graph.abs %v18 : tensor<64x64xf32>
  %v19 = graph.add %a18, %b18 : tensor<64x64xf32>
  %a19 = graph.negate %v19 : tensor<64x64xf32>
  %b19 = graph.abs %v19 : tensor<64x64xf32>
  %v20 = graph.add %a19, %b19 : tensor<64x64xf32>
  %a20 = graph.negate %v20 : tensor<64x64xf32>
  %b20 = graph.abs %v20 : tensor<64x64xf32>
  %v21 = graph.add %a20, %b20 : tensor<64x64xf32>
  %a21 = graph.negate %v21 : tensor<64x64xf32>
  %b21 = graph.abs %v21 : tensor<64x64xf32>
  %v22 = graph.add %a21, %b21 : tensor<64x64xf32>
  %a22 = graph.negate %v22 : tensor<64x64xf32>
  %b22 = graph.abs %v22 : tensor<64x64xf32>
  %v23 = graph.add %a22, %b22 : tensor<64x64xf32>
  %a23 = graph.negate %v23 : tensor<64x64xf32>
  %b23 = graph.abs %v23 : tensor<64x64xf32>
  %v24 = graph.add %a23, %b23 : tensor<64x64xf32>
  %a24 = graph.negate %v24 : tensor<64x64xf32>
  %b24 = graph.abs %v24 : tensor<64x64xf32>
  %v25 = graph.add %a24, %b24 : tensor<64x64xf32>
  %a25 = graph.negate %v25 : tensor<64x64xf32>
  %b25 = graph.abs %v25 : tensor<64x64xf32>
  %v26 = graph.add %a25, %b25 : tensor<64x64xf32>
  %a26 = graph.negate %v26 : tensor<64x64xf32>
  %b26 = graph.abs %v26 : tensor<64x64xf32>
  %v27 = graph.add %a26, %b26 : tensor<64x64xf32>
  %a27 = graph.negate %v27 : tensor<64x64xf32>
  %b27 = graph.abs %v27 : tensor<64x64xf32>
  %v28 = graph.add %a27, %b27 : tensor<64x64xf32>
  %a28 = graph.negate %v28 : tensor<64x64xf32>
  %b28 = graph.abs %v28 : tensor<64x64xf32>
  %v29 = graph.add %a28, %b28 : tensor<64x64xf32>
  %a29 = graph.negate %v29 : tensor<64x64xf32>
  %b29 = graph.abs %v29 : tensor<64x64xf32>
  %v30 = graph.add %a29, %b29 : tensor<64x64xf32>
  %a30 = graph.negate %v30 : tensor<64x64xf32>
  %b30 = graph.abs %v30 : tensor<64x64xf32>
  %v31 = graph.add %a30, %b30 : tensor<64x64xf32>
  %a31 = graph.negate %v31 : tensor<64x64xf32>
  %b31 = graph.abs %v31 : tensor<64x64xf32>
  %v32 = graph.add %a31, %b31 : tensor<64x64xf32>
  %a32 = graph.negate %v32 : tensor<64x64xf32>
  %b32 = graph.abs %v32 : tensor<64x64xf32>
  %v33 = graph.add %a32, %b32 : tensor<64x64xf32>
  %a33 = graph.negate %v33 : tensor<64x64xf32>
  %b33 = graph.abs %v33 : tensor<64x64xf32>
  %v34 = graph.add %a33, %b33 : tensor<64x64xf32>
  %a34 = graph.negate %v34 : tensor<64x64xf32>
  %b34 = graph.abs %v34 : tensor<64x64xf32>
  %v35 = graph.add %a34, %b34 : tensor<64x64xf32>
  %a35 = graph.negate %v35 : tensor<64x64xf32>
  %b35 = graph.abs %v35 : tensor<64x64xf32>
  %v36 = graph.add %a35, %b35 : tensor<64x64xf32>
  %a36 = graph.negate %v36 : tensor<64x64xf32>
  %b36 = graph.abs %v36 : tensor<64x64xf32>
  %v37 = graph.add %a36, %b36 : tensor<64x64xf32>
  %a37 = graph.negate %v37 : tensor<64x64xf32>
  %b37 = graph.abs %v37 : tensor<64x64xf32>
  %v38 = graph.add %a37, %b37 : tensor<64x64xf32>
  %a38 = graph.negate %v38 : tensor<64x64xf32>
  %b38 = graph.abs %v38 : tensor<64x64xf32>
  %v39 = graph.add %a38, %b38 : tensor<64x64xf32>
  %a39 = graph.negate %v39 : tensor<64x64xf32>
  %b39 = graph.abs %v39 : tensor<64x64xf32>
  %v40 = graph.add %a39, %b39 : tensor<64x64xf32>
  %s = graph.reduce_sum %v40 dimensions = [0] : (tensor<64x64xf32>) -> tensor<64xf32>
  %m = graph.reduce_max %v40 dimensions = [1] : (tensor<64x64xf32>) -> tensor<64xf32>
  dist.fetch "s", %s : tensor<64xf32>
  dist.fetch "m", %m : tensor<64xf32>
  dist.end
}

// What stands on two sides of kept sums shares no kernel: a value that both sides look at is stored once and not computed for each.
// CHECK-LABEL: dist.program @d
// CHECK-COUNT-2: dist.call
// CHECK-NOT: dist.call
// CHECK: dist.end
dist.program @d of @p on "/job:t/task:3/device:CPU:0" {
  %a = dist.feed "a" : tensor<65536xf32>
  %b = dist.feed "b" : tensor<65536xf32>
  %c = dist.feed "c" : tensor<65536xf32>
  %w = dist.feed "w" : tensor<65536xf32>
  %k = graph.constant dense<0.5> : tensor<65536xf32>
  %e = graph.multiply %w, %k : tensor<65536xf32>
  %x = graph.add %a, %e : tensor<65536xf32>
  %y = graph.subtract %b, %x {graph.kept} : tensor<65536xf32>
  %z = graph.maximum %c, %e : tensor<65536xf32>
  %sum = graph.add %y, %z : tensor<65536xf32>
  dist.fetch "sum", %sum : tensor<65536xf32>
  dist.end
}

// Nor is a row made for each of those whose threads take all of it.
// CHECK-LABEL: dist.program @e
// CHECK-COUNT-2: dist.call
// CHECK-NOT: dist.call
// CHECK: dist.end
dist.program @e of @p on "/job:t/task:4/device:CPU:0" {
  %x = dist.feed "x" : tensor<1024x256xf32>
  %r = dist.feed "r" : tensor<256xf32>
  %s = graph.negate %r : tensor<256xf32>
  %0 = graph.broadcast_in_dim %s broadcast_dimensions = [1] : (tensor<256xf32>) -> tensor<1024x256xf32>
  %1 = graph.add %x, %0 : tensor<1024x256xf32>
  %2 = graph.broadcast_in_dim %s broadcast_dimensions = [1] : (tensor<256xf32>) -> tensor<1024x256xf32>
  %3 = graph.multiply %1, %2 : tensor<1024x256xf32>
  dist.fetch "y", %1 : tensor<1024x256xf32>
  dist.fetch "z", %3 : tensor<1024x256xf32>
  dist.end
}
