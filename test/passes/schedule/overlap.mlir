// RUN: graphc %s --emit=scheduled | FileCheck %s
// RUN: sed 's/, bucket_bytes = 1//' %s | graphc - --emit=scheduled | FileCheck %s --check-prefix=ONE
// The last layer's gradient travels while the first layer's is computed: the backward pass's select and matrix product stand
// between its start and its end. In one bucket with the first layer's, it waits for them.

// CHECK: dist.channel @train.all_reduce_1 : tensor<138240xf32>
// CHECK: dist.program @train.worker
// CHECK: dist.library_call {{.*}}m = 512 : i64, n = 256 : i64, transpose_a
// CHECK-NEXT: dist.all_reduce_start @train.all_reduce_1
// CHECK-NOT: dist.all_reduce_done
// CHECK: dist.call @{{.*}}_select
// CHECK-NEXT: dist.library_call {{.*}}m = 64 : i64, n = 512 : i64, transpose_a
// CHECK-NEXT: dist.all_reduce_start @train.all_reduce,
// CHECK: dist.all_reduce_done @train.all_reduce_1
// CHECK-NEXT: dist.call @{{.*}}apply_sgd_w2
// CHECK-NEXT: dist.release @train.all_reduce_1

// ONE-NOT: dist.channel @train.all_reduce_1
// ONE: dist.library_call {{.*}}m = 64 : i64, n = 512 : i64, transpose_a
// ONE-NEXT: dist.all_reduce_start
// ONE-NOT: library_call
// ONE: dist.all_reduce_done

module attributes {graph.cluster = #graph.cluster<jobs = [worker = 3], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "all_reduce", bucket_bytes = 1>} {
graph.variable @w1 : tensor<64x512xf32> = #graph.zeros
graph.variable @w2 : tensor<512x256xf32> = #graph.zeros
graph.dataset @data : (tensor<64xf32>) = #graph.synthetic<samples = 100, seed = 7>
graph.func @train() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x = graph.next_batch @data {batch = 8} : tensor<8x64xf32>
  %w1 = graph.read @w1 : tensor<64x512xf32>
  %w2 = graph.read @w2 : tensor<512x256xf32>
  %h = graph.matmul %x, %w1 : (tensor<8x64xf32>, tensor<64x512xf32>) -> tensor<8x512xf32>
  %r = graph.relu %h : tensor<8x512xf32>
  %y = graph.matmul %r, %w2 : (tensor<8x512xf32>, tensor<512x256xf32>) -> tensor<8x256xf32>
  %square = graph.multiply %y, %y : tensor<8x256xf32>
  %loss = graph.reduce_mean %square dimensions = [0, 1] : (tensor<8x256xf32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.01>} : tensor<f32>
  graph.return %loss : tensor<f32>
}
}
