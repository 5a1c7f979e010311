// RUN: graph-opt %s --split-input-file --outline --verify-outlined | FileCheck %s

// A large product of a GPU is a call of the library, in the precision that it says; what stands behind it is compiled. The scratch memory is as
// large for each.
// CHECK-LABEL: dist.program @a
dist.phase @p {role = #graph.role<predict>}
dist.program @a of @p on "/job:t/task:0/device:GPU:0" {
  dist.control_send []
  %x = dist.feed "x" : tensor<64x128xf32>
  %w = dist.feed "w" : tensor<128x128xf32>
  %v = dist.feed "v" : tensor<128xf32>
  // CHECK: dist.library_call "gpu_matmul"(%[[X:.*]], %[[W:.*]]) into(%[[Y:.*]]) scratch %{{.*}} {descriptor = {k = 128 : i64, m = 64 : i64, n = 128 : i64}} :
  // CHECK-SAME: scratch memref<4194304xi8>
  %0 = graph.matmul %x, %w : (tensor<64x128xf32>, tensor<128x128xf32>) -> tensor<64x128xf32>
  // CHECK: dist.call @kernel0
  %1 = graph.bias_add %0, %v : tensor<64x128xf32>, tensor<128xf32>
  %2 = graph.relu %1 : tensor<64x128xf32>
  // CHECK: dist.library_call "gpu_matmul"({{.*}}descriptor = {k = 64 : i64, m = 128 : i64, n = 128 : i64, tf32, transpose_a}}
  %3 = graph.matmul %x, %2 precision = tf32 {transpose_a} : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<128x128xf32>
  // CHECK: dist.library_call "gpu_matmul"({{.*}}descriptor = {bf16, k = 64 : i64, m = 128 : i64, n = 128 : i64, transpose_a}}
  %4 = graph.matmul %x, %2 precision = bf16 {transpose_a} : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<128x128xf32>
  %5 = graph.add %3, %4 : tensor<128x128xf32>
  dist.fetch "y", %5 : tensor<128x128xf32>
  dist.control_receive local
  dist.end
}

// -----

// Small ones are compiled: too few multiply-adds, too few rows, another type. Batches count together.
// CHECK-LABEL: dist.program @small
// CHECK-COUNT-1: dist.library_call "gpu_matmul"({{.*}}batch = 4 : i64
// CHECK-NOT: dist.library_call
dist.phase @p {role = #graph.role<predict>}
dist.program @small of @p on "/job:t/task:0/device:GPU:0" {
  dist.control_send []
  %a = dist.feed "a" : tensor<64x127xf32>
  %b = dist.feed "b" : tensor<127x128xf32>
  %0 = graph.matmul %a, %b : (tensor<64x127xf32>, tensor<127x128xf32>) -> tensor<64x128xf32>
  dist.fetch "few", %0 : tensor<64x128xf32>
  %c = dist.feed "c" : tensor<15x1024xf32>
  %d = dist.feed "d" : tensor<1024x1024xf32>
  %1 = graph.matmul %c, %d : (tensor<15x1024xf32>, tensor<1024x1024xf32>) -> tensor<15x1024xf32>
  dist.fetch "rows", %1 : tensor<15x1024xf32>
  %e = dist.feed "e" : tensor<128x128xf64>
  %2 = graph.matmul %e, %e : (tensor<128x128xf64>, tensor<128x128xf64>) -> tensor<128x128xf64>
  dist.fetch "wide", %2 : tensor<128x128xf64>
  %f = dist.feed "f" : tensor<4x64x64xf32>
  %3 = graph.matmul %f, %f : (tensor<4x64x64xf32>, tensor<4x64x64xf32>) -> tensor<4x64x64xf32>
  dist.fetch "batches", %3 : tensor<4x64x64xf32>
  dist.control_receive local
  dist.end
}

// -----

// A CPU's call says its precision too: there are some that follow it.
// CHECK-LABEL: dist.program @cpu
// CHECK-COUNT-1: dist.library_call "matmul"({{.*}}descriptor = {bf16, k = 64 : i64, m = 64 : i64, n = 64 : i64}
dist.phase @p {role = #graph.role<predict>}
dist.program @cpu of @p on "/job:t/task:0/device:CPU:0" {
  dist.control_send []
  %a = dist.feed "a" : tensor<64x64xf32>
  %0 = graph.matmul %a, %a precision = bf16 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  dist.fetch "y", %0 : tensor<64x64xf32>
  dist.control_receive local
  dist.end
}

// -----

// Nothing is called where graphc was told so.
// CHECK-LABEL: dist.program @compiled
// CHECK-NOT: dist.library_call
module attributes {graph.no_cublaslt} {
  dist.phase @p {role = #graph.role<predict>}
  dist.program @compiled of @p on "/job:t/task:0/device:GPU:0" {
    dist.control_send []
    %a = dist.feed "a" : tensor<128x128xf32>
    %0 = graph.matmul %a, %a : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
    dist.fetch "y", %0 : tensor<128x128xf32>
    dist.control_receive local
    dist.end
  }
}
