// RUN: graphc %s --emit=scheduled | FileCheck %s
// RUN: sed 's/, recovers_from_memory = true//' %s | graphc - --emit=scheduled | FileCheck %s --check-prefix=WITHOUT
// RUN: graphc %s -o %t.plan && graphc --verify_plan %t.plan
// With a commit point all sums, the send_dones and the control message come before the first write of a variable, and nothing is released
// behind it. Without one the update of a layer stands behind its own sum alone.

// CHECK: dist.program @train.worker
// CHECK-NOT: apply_sgd
// CHECK-NOT: dist.release
// CHECK: dist.all_reduce_done
// CHECK-NOT: apply_sgd
// CHECK: dist.all_reduce_done
// CHECK-NOT: apply_sgd
// CHECK: dist.send_done
// CHECK-NEXT: dist.send_done
// CHECK-NEXT: dist.control_receive
// CHECK-NEXT: dist.call @{{.*}}apply_sgd
// CHECK-NOT: dist.{{send|release|all_reduce|control|next_batch}}
// CHECK: dist.end

// WITHOUT: dist.call @{{.*}}apply_sgd_w1
// WITHOUT: dist.all_reduce_done @train.all_reduce_1
// WITHOUT-NEXT: dist.call @{{.*}}apply_sgd_w2
// WITHOUT-NEXT: dist.release
// WITHOUT: dist.control_receive
// WITHOUT-NEXT: dist.end

module attributes {graph.cluster = #graph.cluster<jobs = [worker = 3], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "all_reduce", bucket_bytes = 1, recovers_from_memory = true>} {
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
