// RUN: graphc %s --emit=scheduled | FileCheck %s
// RUN: sed 's/<jobs = \[worker = 1\]/<jobs = [worker = 2]/; s/one_device/all_reduce/' %s | graphc - --emit=scheduled | FileCheck %s --check-prefix=TALKS
// Where nobody waits for this program an update comes as soon as it can: w2's stands before what the first layer's gradient is made of, so that
// no gradient of a layer is kept until the end of the step. What no gradient is read for, the count of steps, stays where it was.

// CHECK: dist.library_call "matmul"{{.*}}m = 64 : i64, n = 512 : i64, transpose_b}
// CHECK-NEXT: dist.library_call "matmul"{{.*}}m = 512 : i64, n = 256 : i64, transpose_a}
// CHECK-NEXT: dist.call @{{.*}}apply_sgd_w2
// CHECK-NEXT: dist.call @{{.*}}select
// CHECK-NEXT: dist.library_call "matmul"{{.*}}m = 64 : i64, n = 512 : i64, transpose_a}
// CHECK-NEXT: dist.call @{{.*}}apply_sgd_w1
// CHECK-NEXT: dist.call @{{.*}}global_step

// Others wait for the sum of w1's gradient: it is computed before anything is updated.
// TALKS: dist.library_call "matmul"{{.*}}m = 64 : i64, n = 512 : i64, transpose_a}
// TALKS: dist.all_reduce_start
// TALKS: dist.call @{{.*}}apply_sgd

module attributes {graph.cluster = #graph.cluster<jobs = [worker = 1], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "one_device">} {
graph.variable @w1 : tensor<64x512xf32> = #graph.zeros
graph.variable @w2 : tensor<512x256xf32> = #graph.zeros
graph.variable @b2 : tensor<256xf32> = #graph.zeros
graph.dataset @data : (tensor<64xf32>) = #graph.synthetic<samples = 128, seed = 7>
graph.func @train() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x = graph.next_batch @data {batch = 64} : tensor<64x64xf32>
  %w1 = graph.read @w1 : tensor<64x512xf32>
  %w2 = graph.read @w2 : tensor<512x256xf32>
  %b2 = graph.read @b2 : tensor<256xf32>
  %h = graph.matmul %x, %w1 : (tensor<64x64xf32>, tensor<64x512xf32>) -> tensor<64x512xf32>
  %r = graph.relu %h : tensor<64x512xf32>
  %p = graph.matmul %r, %w2 : (tensor<64x512xf32>, tensor<512x256xf32>) -> tensor<64x256xf32>
  %b = graph.broadcast_in_dim %b2 broadcast_dimensions = [1] : (tensor<256xf32>) -> tensor<64x256xf32>
  %y = graph.add %p, %b : tensor<64x256xf32>
  %square = graph.multiply %y, %y : tensor<64x256xf32>
  %loss = graph.reduce_mean %square dimensions = [0, 1] : (tensor<64x256xf32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.01>} : tensor<f32>
  graph.return %loss : tensor<f32>
}
}
