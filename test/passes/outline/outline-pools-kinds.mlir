// RUN: sed s/KIND/CPU/ %s | graph-opt - --outline --verify-outlined | FileCheck %s --check-prefix=CPU
// RUN: sed s/KIND/GPU/ %s | graph-opt - --outline --verify-outlined | FileCheck %s --check-prefix=GPU
// The loops of an op know how many places they may name on their kind of device: of a window of 3x3 nine are compared and nine written on a
// CPU, features side by side; on a GPU they would want more registers than a thread has, so that a window is loops. So are windows along the
// last dimension of space, of which those that have all their places need no comparison with the edge.
// CPU-LABEL: func.func private @kernel0_max_pool_grad
// CPU-NOT: iter_args
// CPU-COUNT-19: memref.load
// CPU-NOT: memref.load
// CPU-LABEL: func.func private @kernel1_max_pool_grad
// CPU: scf.for {{.*}} iter_args
// CPU: scf.for %{{.*}} = %c1{{[_0-9]*}} to %c8
// CPU-COUNT-19: memref.load
// CPU: return
// GPU-LABEL: func.func private @kernel0_max_pool_grad
// GPU: scf.for {{.*}} iter_args
// GPU-COUNT-3: memref.load
// GPU-NOT: memref.load
// GPU-LABEL: func.func private @kernel1_max_pool_grad

dist.phase @p {role = #graph.role<predict>}
dist.program @a of @p on "/job:t/task:0/device:KIND:0" {
  dist.control_send []
  %x = dist.feed "x" : tensor<8x17x17x64xf32>
  %d = dist.feed "d" : tensor<8x8x8x64xf32>
  %g = graph.max_pool_grad %x, %d window_dimensions = [3, 3] window_strides = [2, 2] {nhwc} : (tensor<8x17x17x64xf32>, tensor<8x8x8x64xf32>) -> tensor<8x17x17x64xf32>
  dist.fetch "g", %g : tensor<8x17x17x64xf32>
  %y = dist.feed "y" : tensor<8x40x16x16xf32>
  %e = dist.feed "e" : tensor<8x40x8x8xf32>
  %h = graph.max_pool_grad %y, %e window_dimensions = [3, 3] window_strides = [2, 2] padding_low = [0, 1] padding_high = [1, 0] : (tensor<8x40x16x16xf32>, tensor<8x40x8x8xf32>) -> tensor<8x40x16x16xf32>
  dist.fetch "h", %h : tensor<8x40x16x16xf32>
  dist.control_receive local
  dist.end
}
