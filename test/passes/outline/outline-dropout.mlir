// RUN: graphc --emit=outlined %s | FileCheck %s

// Dropout's mask is drawn inside of the kernels that use it: with the tanh before it forward, with that one's slope backward. Both have the micro-batch's
// number and a key to draw from, and nothing has a buffer of the mask: six are as large as the batch: its two parts, two products, what dropout gives,
// and a gradient.
// CHECK-LABEL: dist.program @train.worker0
// CHECK-NOT: xi1>
// CHECK-COUNT-6: dist.buffer : memref<32x64xf32>
// CHECK-NOT: dist.buffer : memref<32x64x
// CHECK-NOT: xi1>
// CHECK: dist.next_batch_into @d, %[[X:.*]], %{{.*}} {
// CHECK-NEXT: dist.library_call "matmul"(%[[X]], %{{.*}}) into(%[[H:[0-9]+]]){{( scratch %[0-9]+)?}} {
// CHECK-NEXT: dist.micro_batch_index_into %[[MICRO:.*]] :
// CHECK-NEXT: dist.call @[[FORWARD:.*]](%[[H]], %[[MICRO]], %[[KEY:.*]], %[[D:.*]]) : memref<32x64xf32>, memref<i64>, memref<2xi64>, memref<32x64xf32>
// CHECK-NEXT: dist.library_call "matmul"(%[[D]], %[[V:.*]]) into(%[[E:[0-9]+]]){{( scratch %[0-9]+)?}} {
// CHECK-NEXT: dist.call @{{.*}}(%{{.*}}, %[[E]], %{{.*}}) :
// CHECK-NEXT: dist.library_call "matmul"(%[[E]], %[[V]]) into(%[[DD:[0-9]+]]){{( scratch %[0-9]+)?}} {
// CHECK-NEXT: dist.library_call "matmul"(%[[D]], %[[E]]) into
// CHECK-NEXT: dist.call @[[BACKWARD:.*]](%[[DD]], %[[MICRO]], %[[KEY]], %[[H]]) : memref<32x64xf32>, memref<i64>, memref<2xi64>, memref<32x64xf32>
// CHECK-NEXT: dist.library_call "matmul"(%[[X]], %[[DD]]) into
// CHECK: func.func private @[[FORWARD]](
// CHECK-NOT: memref.alloc
// CHECK: math.tanh
// CHECK: func.func private @[[BACKWARD]](
// CHECK-NOT: memref.alloc
graph.variable @w : tensor<64x64xf32> = #graph.glorot_uniform<seed = 1>
graph.variable @v : tensor<64x64xf32> = #graph.glorot_uniform<seed = 2>
graph.dataset @d : (tensor<64xf32>, tensor<64xf32>) = #graph.synthetic<samples = 64, seed = 3>
graph.func @train() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x, %y = graph.next_batch @d {batch = 32} : tensor<32x64xf32>, tensor<32x64xf32>
  %w = graph.read @w : tensor<64x64xf32>
  %v = graph.read @v : tensor<64x64xf32>
  %h = graph.matmul %x, %w : (tensor<32x64xf32>, tensor<64x64xf32>) -> tensor<32x64xf32>
  %a = graph.tanh %h : tensor<32x64xf32>
  %k = graph.dropout %a {rate = 0.5, seed = 3} : tensor<32x64xf32>
  %p = graph.matmul %k, %v : (tensor<32x64xf32>, tensor<64x64xf32>) -> tensor<32x64xf32>
  %e = graph.subtract %p, %y : tensor<32x64xf32>
  %s = graph.multiply %e, %e : tensor<32x64xf32>
  %loss = graph.reduce_mean %s dimensions = [0, 1] : (tensor<32x64xf32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.1>} : tensor<f32>
  graph.return %loss : tensor<f32>
}
