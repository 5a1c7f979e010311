// RUN: graph-opt %s | graph-opt | FileCheck %s
// Conflating channels, as tensors and as buffers.

dist.phase @p {role = #graph.role<train>, ends_by_end_of_stream}
// CHECK: dist.channel @o : tensor<i64> from @proxy to @main {conflating, instances = 3 : i64}
dist.channel @o : tensor<i64> from @proxy to @main {conflating, instances = 3}
dist.channel @g : tensor<4xf32> from @proxy to @main {conflating, instances = 3}
dist.program @proxy of @p on "/job:ps/task:0/device:CPU:0" replicas(3) {
  %v = dist.feed "v" : tensor<i64>
  %g = dist.feed "g" : tensor<4xf32>
  dist.send @g, %g : tensor<4xf32>
  dist.send @o, %v : tensor<i64>
  dist.end
}
dist.program @main of @p on "/job:ps/task:0/device:CPU:0" {
  dist.ticket
  %v = dist.feed "v" : tensor<i64>
  // CHECK: %[[SET:.*]] = dist.choose @o at %{{.*}} {take = 2 : i64} : tensor<i64> -> tensor<3xi1>
  %s = dist.choose @o at %v {take = 2 : i64} : tensor<i64> -> tensor<3xi1>
  // CHECK: dist.aggregate_chosen @g from %[[SET]] : tensor<4xf32> from tensor<3xi1>
  %sum = dist.aggregate_chosen @g from %s : tensor<4xf32> from tensor<3xi1>
  dist.end
}

dist.phase @q {role = #graph.role<predict>, ends_by_end_of_stream}
dist.channel @qo : tensor<i64> from @qproxy to @qmain {conflating, instances = 3}
dist.channel @qg : tensor<4xf32> from @qproxy to @qmain {conflating, instances = 3}
dist.program @qproxy of @q on "/job:ps/task:0/device:CPU:0" replicas(3) {
  %v = dist.feed "v" : memref<i64>
  %g = dist.feed "g" : memref<4xf32>
  dist.send_start @qg, %g : memref<4xf32>
  dist.send_done @qg
  dist.send_start @qo, %v : memref<i64>
  dist.send_done @qo
  dist.end
}
func.func private @add(%a: tensor<4xf32> {dist.access = "read_write"}, %b: tensor<4xf32> {dist.access = "read"})
dist.program @qmain of @q on "/job:ps/task:0/device:CPU:0" {
  dist.ticket
  %v = dist.buffer : memref<i64>
  %set = dist.buffer : memref<3xi1>
  %acc = dist.buffer : memref<4xf32>
  // CHECK: dist.choose_into @qo at %{{.*}}, %[[INTO:.*]] {take = 2 : i64} : memref<i64>, memref<3xi1>
  dist.choose_into @qo at %v, %set {take = 2 : i64} : memref<i64>, memref<3xi1>
  // CHECK: dist.aggregate_chosen_into @qg, %{{.*}} by @add from %[[INTO]] : memref<4xf32> from memref<3xi1>
  dist.aggregate_chosen_into @qg, %acc by @add from %set : memref<4xf32> from memref<3xi1>
  dist.end
}
