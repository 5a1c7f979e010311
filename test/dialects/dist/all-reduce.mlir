// RUN: graph-opt %s | graph-opt | FileCheck %s
// RUN: graph-opt %s --mlir-print-op-generic | graph-opt | FileCheck %s
// RUN: graph-opt %s --verify-liveness | FileCheck %s
// Sums that the instances of a replicated program make together, by each algorithm.

func.func private @add(memref<16xf32>, memref<16xf32>)
dist.phase @p {role = #graph.role<train>}
// CHECK: dist.channel @s : tensor<64xf32> from @a to @a {algorithm = "scatter", all_to_all, chunk = 16 : i64, instances = 4 : i64}
dist.channel @s : tensor<64xf32> from @a to @a {all_to_all, instances = 4, algorithm = "scatter", chunk = 16}
// CHECK-NEXT: algorithm = "ring"
dist.channel @r : tensor<64xf32> from @a to @a {all_to_all, instances = 4, algorithm = "ring", chunk = 16}
// CHECK-NEXT: algorithm = "doubling"
dist.channel @d : tensor<16xf32> from @a to @a {all_to_all, instances = 4, algorithm = "doubling", chunk = 16}
// CHECK-NEXT: algorithm = "scatter", all_to_all, chunk = 16 : i64, hosts = 2 : i64, instances = 4 : i64}
dist.channel @h : tensor<64xf32> from @a to @a {all_to_all, instances = 4, algorithm = "scatter", chunk = 16, hosts = 2}
dist.channel @word : tensor<i64> from @a to @a {control, instances = 4}
dist.program @a of @p on "/job:worker/device:CPU:0" replicas(4) {
  dist.control_send [@word]
  %0 = dist.buffer : memref<64xf32>
  %1 = dist.buffer : memref<64xf32>
  %2 = dist.buffer : memref<16xf32>
  %3 = dist.buffer : memref<16xf32>
  %4 = dist.buffer : memref<16xf32>
  %5 = dist.buffer : memref<16xf32>
  %6 = dist.buffer : memref<64xf32>
  %7 = dist.buffer : memref<16xf32>
  // CHECK: dist.all_reduce_start @s, %{{.*}} scratch %{{.*}} by @add : memref<64xf32>, memref<16xf32>
  dist.all_reduce_start @s, %0 scratch %3 by @add : memref<64xf32>, memref<16xf32>
  dist.all_reduce_start @r, %1 scratch %4 by @add : memref<64xf32>, memref<16xf32>
  dist.all_reduce_start @d, %2 scratch %5 by @add : memref<16xf32>, memref<16xf32>
  dist.all_reduce_start @h, %6 scratch %7 by @add : memref<64xf32>, memref<16xf32>
  // CHECK: dist.all_reduce_done @s, %{{.*}} scratch %{{.*}} : memref<64xf32>, memref<16xf32>
  dist.all_reduce_done @s, %0 scratch %3 : memref<64xf32>, memref<16xf32>
  dist.all_reduce_done @r, %1 scratch %4 : memref<64xf32>, memref<16xf32>
  dist.all_reduce_done @d, %2 scratch %5 : memref<16xf32>, memref<16xf32>
  dist.all_reduce_done @h, %6 scratch %7 : memref<64xf32>, memref<16xf32>
  dist.control_receive @word local
  dist.end
}
