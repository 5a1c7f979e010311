// RUN: graph-opt --outline --verify-outlined %s | FileCheck %s
// The gradient of a max_pool has a part for each batch entry and feature, or 64 features that lie side by side: threads share them. Of a
// window too large to be written as maxima of slices each window is one.

dist.phase @p {role = #graph.role<predict>}
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  dist.control_send []
  %x = dist.feed "x" : tensor<8x16x16x72xf32>
  %d = dist.feed "d" : tensor<8x8x8x72xf32>
  %last = graph.max_pool_grad %x, %d window_dimensions = [2, 2] window_strides = [2, 2] {nhwc} : (tensor<8x16x16x72xf32>, tensor<8x8x8x72xf32>) -> tensor<8x16x16x72xf32>
  dist.fetch "last", %last : tensor<8x16x16x72xf32>
  %z = dist.feed "z" : tensor<8x40x32x32xf32>
  %e = dist.feed "e" : tensor<8x40x16x16xf32>
  %first = graph.max_pool_grad %z, %e window_dimensions = [2, 2] window_strides = [2, 2] : (tensor<8x40x32x32xf32>, tensor<8x40x16x16xf32>) -> tensor<8x40x32x32xf32>
  dist.fetch "first", %first : tensor<8x40x32x32xf32>
  %large = graph.max_pool %z window_dimensions = [9, 9] : (tensor<8x40x32x32xf32>) -> tensor<8x40x24x24xf32>
  dist.fetch "large", %large : tensor<8x40x24x24xf32>
  dist.control_receive local
  dist.end
}
// 8 batch entries of two groups: 64 and 8 features.
// CHECK-LABEL: func.func private @kernel0_max_pool_grad
// CHECK: %[[PARTS:c16[_0-9]*]] = arith.constant 16 : index
// CHECK: scf.parallel (%{{.*}}) = (%c0{{[_0-9]*}}) to (%[[PARTS]])
// CHECK: arith.constant 64 : index
// CHECK: arith.minsi
// CHECK-LABEL: func.func private @kernel1_max_pool_grad
// CHECK: %[[PARTS:c320[_0-9]*]] = arith.constant 320 : index
// CHECK: scf.parallel (%{{.*}}) = (%c0{{[_0-9]*}}) to (%[[PARTS]])
// CHECK-LABEL: func.func private @kernel2_max_pool
// CHECK: %[[PARTS:c184320[_0-9]*]] = arith.constant 184320 : index
// CHECK: scf.parallel (%{{.*}}) = (%c0{{[_0-9]*}}) to (%[[PARTS]])
