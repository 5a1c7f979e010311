// A library call as it is written; post-ops, scratch and what is not asked for are left away.
// RUN: graph-opt %s | graph-opt | FileCheck %s
dist.phase @p {role = #graph.role<predict>}
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  %a = dist.buffer : memref<64x32xf32>
  %b = dist.buffer : memref<32x16xf32>
  %v = dist.buffer : memref<16xf32>
  %c = dist.buffer : memref<64x16xf32>
  %s = dist.buffer : memref<640xi8>
  dist.control_send []
  // CHECK: dist.library_call "matmul"(%{{.*}}, %{{.*}}) into(%{{.*}}) {descriptor = {k = 32 : i64, m = 64 : i64, n = 16 : i64}} : memref<64x32xf32>, memref<32x16xf32> into memref<64x16xf32>
  dist.library_call "matmul"(%a, %b) into(%c) {descriptor = {m = 64, n = 16, k = 32}}
      : memref<64x32xf32>, memref<32x16xf32> into memref<64x16xf32>
  // CHECK: dist.library_call "matmul"(%{{.*}}, %{{.*}}, %{{.*}}) into(%{{.*}}) scratch %{{.*}} {descriptor = {k = 64 : i64, m = 32 : i64, n = 16 : i64, transpose_a}, post_ops = ["bias", "relu"]}
  dist.library_call "matmul"(%a, %c, %v) into(%b) scratch %s
      {descriptor = {k = 64, m = 32, n = 16, transpose_a}, post_ops = ["bias", "relu"]}
      : memref<64x32xf32>, memref<64x16xf32>, memref<16xf32> into memref<32x16xf32> scratch memref<640xi8>
  dist.control_receive local
  dist.end
}
