// RUN: graph-opt %s --resolve-strategy --place --replicate --partition --verify-partitioned | FileCheck %s
// Arguments come in and results go out at the chief, which tells everybody when to end; constants never cross; the value
// goes to the same program once and to two programs twice.

module attributes {graph.cluster = #graph.cluster<jobs = [t = 3], chief = "/job:t/task:0">,
                   graph.strategy = #graph.strategy<name = "in_graph">} {
graph.variable @w : tensor<4xf32> = #graph.zeros {graph.device = #graph.device<"/task:1">}
// CHECK: dist.phase @f {role = #graph.role<predict>}
// CHECK: dist.channel @f.w.to_t2 : tensor<4xf32> from @f.t1 to @f.t2
// CHECK: dist.channel @f.x.to_t2 : tensor<4xf32> from @f.t0 to @f.t2
// CHECK: dist.channel @f.multiply.to_t0 : tensor<4xf32> from @f.t2 to @f.t0
// CHECK: dist.channel @f.w.to_t0 : tensor<4xf32> from @f.t1 to @f.t0
// CHECK: dist.program @f.t1 of @f
// CHECK-NEXT: %[[W:.*]] = graph.read @w
// CHECK-NEXT: dist.send @f.w.to_t2, %[[W]]
// CHECK-NEXT: dist.send @f.w.to_t0, %[[W]]
// CHECK-NEXT: dist.control_receive @f.control.t1
// CHECK: dist.program @f.t2 of @f
// CHECK-NEXT: graph.constant
// CHECK-NEXT: dist.receive @f.w.to_t2
// CHECK: dist.send @f.multiply.to_t0
// CHECK: dist.program @f.t0 of @f
// CHECK-NEXT: dist.control_send [@f.control.t1, @f.control.t2]
// CHECK-NEXT: %[[X:.*]] = dist.feed "x"
// CHECK-NEXT: dist.send @f.x.to_t2, %[[X]]
// CHECK-NEXT: %[[Y:.*]] = dist.receive @f.multiply.to_t0
// CHECK-NEXT: %[[C:.*]] = graph.constant
// CHECK-NEXT: graph.add %[[Y]], %[[C]]
// CHECK: dist.fetch "result0"
// CHECK: dist.fetch "result1"
// CHECK: dist.control_receive local
graph.func @f(%x: tensor<4xf32> {graph.name = "x"}) -> (tensor<4xf32>, tensor<4xf32>) attributes {role = #graph.role<predict>} {
  %c = graph.constant dense<2.0> : tensor<4xf32>
  %w = graph.read @w : tensor<4xf32>
  %a = graph.multiply %c, %w {graph.device = #graph.device<"/task:2">} : tensor<4xf32>
  %b = graph.multiply %a, %x {graph.device = #graph.device<"/task:2">} : tensor<4xf32>
  %d = graph.add %b, %c {graph.device = #graph.device<"/task:0">} : tensor<4xf32>
  graph.return %d, %w : tensor<4xf32>, tensor<4xf32>
}
}
