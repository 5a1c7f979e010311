// RUN: graph-opt --split-input-file --outline --verify-outlined %s | FileCheck %s

dist.phase @p {role = #graph.role<predict>}
graph.variable @w : tensor<64x64xf32> = #graph.zeros {graph.device = #graph.device<"/job:t/task:0/device:CPU:0">}
graph.variable @b : tensor<64xf32> = #graph.zeros {graph.device = #graph.device<"/job:t/task:0/device:CPU:0">}
graph.variable @n : tensor<64xf32> = #graph.zeros {graph.device = #graph.device<"/job:t/task:0/device:CPU:0">}
// CHECK-DAG: %[[W:.*]] = dist.variable_buffer @w
// CHECK-DAG: %[[B:.*]] = dist.variable_buffer @b
// CHECK-DAG: %[[N:.*]] = dist.variable_buffer @n
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  dist.control_send []
  // CHECK: dist.feed_into "x", %[[X:.*]] :
  %x = dist.feed "x" : tensor<64x64xf32>
  %w = graph.read @w : tensor<64x64xf32>
  %b = graph.read @b : tensor<64xf32>
  // The library takes the bias and the relu.
  // CHECK: dist.library_call "matmul"(%[[X]], %[[W]], %[[B]]) into(%[[Y:.*]]){{.*}}post_ops = ["bias", "relu"]}
  %0 = graph.matmul %x, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = graph.bias_add %0, %b : tensor<64x64xf32>, tensor<64xf32>
  %2 = graph.relu %1 : tensor<64x64xf32>
  // The square is inlined in its sum, the sum and the update are one kernel, in place.
  // CHECK-NEXT: dist.call @[[KERNEL:kernel0_[a-z_]*]](%{{.*}}, %[[Y]], %[[N]])
  %3 = graph.multiply %2, %2 : tensor<64x64xf32>
  %4 = graph.reduce_sum %3 dimensions = [0] : (tensor<64x64xf32>) -> tensor<64xf32>
  graph.assign_add @n, %4 : tensor<64xf32>
  // CHECK-NEXT: dist.view %[[Y]] :
  %5 = graph.reshape %2 : (tensor<64x64xf32>) -> tensor<4096xf32>
  dist.fetch "y", %5 : tensor<4096xf32>
  dist.control_receive local
  dist.end
}
// CHECK: func.func private @[[KERNEL]](%{{.*}} {dist.access = "write"}, %{{.*}} {dist.access = "read"}, %{{.*}} {dist.access = "read_write"})
// CHECK-COUNT-3: linalg.generic
// CHECK-NOT: linalg.generic

// -----

// What somebody else sees between the product and the relu keeps the library from doing the relu; equal kernels are one.
// CHECK: dist.program @seen
// CHECK: dist.library_call "matmul"
// CHECK-NOT: "relu"
// CHECK: dist.call @[[RELU:kernel[0-9]*_relu]](
// CHECK: dist.call @[[RELU]](
// CHECK: func.func private @[[RELU]]
// CHECK-NOT: func.func
dist.phase @p {role = #graph.role<predict>}
graph.variable @w : tensor<64x64xf32> = #graph.zeros {graph.device = #graph.device<"/job:t/task:0/device:CPU:0">}
graph.variable @b : tensor<64xf32> = #graph.zeros {graph.device = #graph.device<"/job:t/task:0/device:CPU:0">}
dist.program @seen of @p on "/job:t/task:0/device:CPU:0" {
  dist.control_send []
  %x = dist.feed "x" : tensor<64x64xf32>
  %w = graph.read @w : tensor<64x64xf32>
  %b = graph.read @b : tensor<64xf32>
  %0 = graph.matmul %x, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = graph.bias_add %0, %b : tensor<64x64xf32>, tensor<64xf32>
  dist.fetch "between", %1 : tensor<64x64xf32>
  %2 = graph.relu %1 : tensor<64x64xf32>
  %3 = graph.relu %x : tensor<64x64xf32>
  dist.fetch "y", %2 : tensor<64x64xf32>
  dist.fetch "z", %3 : tensor<64x64xf32>
  dist.control_receive local
  dist.end
}

// -----

// A sum over replicas goes chunk by chunk: the largest divisor of at most 64 KiB; equal chunks have one kernel. What has no
// such divisor of whole 64 bytes (17 x 31 x 61 elements) is added whole.
// CHECK: dist.program @ps
// CHECK: dist.aggregate_into @t.a, %{{.*}} by @[[ADD:kernel[0-9]*_add]] {chunk = 14336 : i64} : memref<784x512xf32>
// CHECK: dist.aggregate_into @t.b, %{{.*}} by @[[ADD]] {chunk = 14336 : i64} : memref<28672xf32>
// CHECK: dist.aggregate_into @t.c, %{{.*}} by @[[SMALL:kernel[0-9]*_add]] : memref<512xf32>
// CHECK: dist.aggregate_into @t.d, %{{.*}} by @[[WHOLE:kernel[0-9]*_add]] : memref<32147xf32>
// CHECK: func.func private @[[ADD]](%{{.*}}: memref<14336xf32> {{.*}}) attributes {dist.flops = 14336 : i64}
dist.phase @t {role = #graph.role<train>}
dist.channel @t.a : tensor<784x512xf32> from @worker to @ps {instances = 2}
dist.channel @t.b : tensor<28672xf32> from @worker to @ps {instances = 2}
dist.channel @t.c : tensor<512xf32> from @worker to @ps {instances = 2}
dist.channel @t.d : tensor<32147xf32> from @worker to @ps {instances = 2}
dist.channel @t.control : tensor<i64> from @worker to @ps {control}
dist.channel @t.words : tensor<i64> from @worker to @worker {control, instances = 2}
dist.program @ps of @t on "/job:ps/task:0/device:CPU:0" {
  %a = dist.aggregate @t.a : tensor<784x512xf32>
  %b = dist.aggregate @t.b : tensor<28672xf32>
  %c = dist.aggregate @t.c : tensor<512xf32>
  %d = dist.aggregate @t.d : tensor<32147xf32>
  dist.fetch "a", %a : tensor<784x512xf32>
  dist.fetch "b", %b : tensor<28672xf32>
  dist.fetch "c", %c : tensor<512xf32>
  dist.fetch "d", %d : tensor<32147xf32>
  dist.control_receive @t.control
  dist.end
}
dist.program @worker of @t on "/job:worker/device:CPU:0" replicas(2) {
  dist.control_send [@t.control, @t.words]
  %a = dist.feed "a" : tensor<784x512xf32>
  %b = dist.feed "b" : tensor<28672xf32>
  %c = dist.feed "c" : tensor<512xf32>
  %d = dist.feed "d" : tensor<32147xf32>
  dist.send @t.a, %a : tensor<784x512xf32>
  dist.send @t.b, %b : tensor<28672xf32>
  dist.send @t.c, %c : tensor<512xf32>
  dist.send @t.d, %d : tensor<32147xf32>
  dist.control_receive @t.words local
  dist.end
}
