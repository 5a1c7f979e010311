// RUN: graphc --emit=outlined %s | FileCheck %s

// What threads share by rows and what they share by columns are kernels of their own, and so is what is one number of all: in one kernel
// none would have a loop to share. The gradient of GELU goes by rows, as the products around it; the sum of its rows for the bias goes by
// columns; the squares of that sum are few, and are added to those of the other gradients.
// CHECK-LABEL: dist.program @train.worker0
// CHECK: dist.library_call "matmul"({{.*}}) into(%[[DG:[0-9]+]]) {{.*}}transpose_b
// CHECK: dist.call @[[GELU:kernel[0-9]+_gelu_grad]](%{{.*}}, %[[DG]]) : memref<512x256xf32>, memref<512x256xf32>
// CHECK: dist.call @[[SUM:kernel[0-9]+_reduce_sum]](%[[DB:[0-9]+]], %[[DG]]) : memref<256xf32>, memref<512x256xf32>
// CHECK: dist.call @{{.*}}%[[DB]]

// CHECK: func.func private @[[GELU]](
// CHECK: iterator_types = ["parallel", "parallel"]
// CHECK-NOT: iterator_types = ["reduction"
// CHECK: return
// CHECK: func.func private @[[SUM]](
// CHECK: iterator_types = ["reduction", "parallel"]
// CHECK-NOT: iterator_types
// CHECK: return
graph.variable @u : tensor<64x256xf32> = #graph.glorot_uniform<seed = 1>
graph.variable @b : tensor<256xf32> = #graph.zeros
graph.variable @w : tensor<256x16xf32> = #graph.glorot_uniform<seed = 2>
graph.dataset @d : (tensor<64xf32>, tensor<i32>) = #graph.synthetic<samples = 1024, seed = 3, limits = [0, 16]>
graph.func @train() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x, %y = graph.next_batch @d {batch = 512} : tensor<512x64xf32>, tensor<512xi32>
  %u = graph.read @u : tensor<64x256xf32>
  %b = graph.read @b : tensor<256xf32>
  %w = graph.read @w : tensor<256x16xf32>
  %h = graph.matmul %x, %u : (tensor<512x64xf32>, tensor<64x256xf32>) -> tensor<512x256xf32>
  %a = graph.bias_add %h, %b : tensor<512x256xf32>, tensor<256xf32>
  %g = graph.gelu %a : tensor<512x256xf32>
  %p = graph.matmul %g, %w : (tensor<512x256xf32>, tensor<256x16xf32>) -> tensor<512x16xf32>
  %loss = graph.softmax_cross_entropy %p, %y : (tensor<512x16xf32>, tensor<512xi32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.1>, clip_global_norm = 1.0} : tensor<f32>
  graph.return %loss : tensor<f32>
}
