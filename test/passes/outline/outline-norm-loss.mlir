// RUN: graphc --emit=outlined %s | FileCheck %s

// A norm is one kernel forward and one backward, which has the update of its scale in it; the sums for its offset are read where that is updated.
// Softmax cross entropy is one kernel for loss and gradient. Between are products alone.
// CHECK-LABEL: dist.program @train.worker0
// CHECK-DAG: %[[X:.*]] = dist.buffer : memref<32x64xf32>
// CHECK-DAG: %[[Y:.*]] = dist.buffer : memref<32xi32>
// CHECK-DAG: %[[U:.*]] = dist.variable_buffer @u
// CHECK-DAG: %[[W:.*]] = dist.variable_buffer @w
// CHECK-DAG: %[[SCALE:.*]] = dist.variable_buffer @scale
// CHECK-DAG: %[[OFFSET:.*]] = dist.variable_buffer @offset
// CHECK: dist.next_batch_into @d, %[[X]], %[[Y]]
// CHECK-NEXT: dist.library_call "matmul"(%[[X]], %[[U]]) into(%[[H:[0-9]+]]){{( scratch %[0-9]+)?}} {
// CHECK-NEXT: dist.call @{{.*}}(%[[MEAN:.*]], %[[H]], %[[VARIANCE:.*]], %[[SCALE]], %[[OFFSET]], %[[N:.*]]) :
// CHECK-NEXT: dist.library_call "matmul"(%[[N]], %[[W]]) into(%[[P:[0-9]+]]){{( scratch %[0-9]+)?}} {
// CHECK-NEXT: dist.call @{{.*}}(%{{.*}}, %[[P]], %[[DP:.*]], %{{.*}}, %{{.*}}, %[[Y]], %[[LOSS:.*]]) :
// CHECK-NEXT: dist.library_call "matmul"(%[[DP]], %[[W]]) into(%[[DN:[0-9]+]]){{( scratch %[0-9]+)?}} {
// CHECK-NEXT: dist.library_call "matmul"(%[[N]], %[[DP]]) into(%[[DW:[0-9]+]]){{( scratch %[0-9]+)?}} {
// CHECK-NEXT: dist.call @{{.*}}(%{{.*}}, %[[DN]], %[[SCALE]], %[[H]], %[[MEAN]], %[[VARIANCE]], %{{.*}}, %[[DH:.*]], %{{.*}}) :
// CHECK-NEXT: dist.library_call "matmul"(%[[X]], %[[DH]]) into(%[[DU:[0-9]+]]){{( scratch %[0-9]+)?}} {
// CHECK-NEXT: dist.call @{{.*}}(%{{.*}}, %[[DN]], %[[DW]], %[[W]], %[[DU]], %[[U]], %[[OFFSET]], %{{.*}}) :
// CHECK-NEXT: dist.fetch "loss", %[[LOSS]]
graph.variable @u : tensor<64x64xf32> = #graph.glorot_uniform<seed = 1>
graph.variable @w : tensor<64x16xf32> = #graph.glorot_uniform<seed = 2>
graph.variable @scale : tensor<64xf32> = #graph.value<dense<1.0> : tensor<64xf32>>
graph.variable @offset : tensor<64xf32> = #graph.zeros
graph.dataset @d : (tensor<64xf32>, tensor<i32>) = #graph.synthetic<samples = 64, seed = 3, limits = [0, 16]>
graph.func @train() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x, %y = graph.next_batch @d {batch = 32} : tensor<32x64xf32>, tensor<32xi32>
  %u = graph.read @u : tensor<64x64xf32>
  %s = graph.read @scale : tensor<64xf32>
  %o = graph.read @offset : tensor<64xf32>
  %w = graph.read @w : tensor<64x16xf32>
  %h = graph.matmul %x, %u : (tensor<32x64xf32>, tensor<64x64xf32>) -> tensor<32x64xf32>
  %n = graph.layer_norm %h, %s, %o axis = 1 epsilon = 1.0e-05 : (tensor<32x64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<32x64xf32>
  %p = graph.matmul %n, %w : (tensor<32x64xf32>, tensor<64x16xf32>) -> tensor<32x16xf32>
  %loss = graph.softmax_cross_entropy %p, %y : (tensor<32x16xf32>, tensor<32xi32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.1>} : tensor<f32>
  graph.return %loss : tensor<f32>
}
