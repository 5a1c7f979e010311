// RUN: graph-opt %s --resolve-strategy --place --replicate --partition --verify-partitioned | FileCheck %s
// The programs of two devices of one task have two names: the second device's says which it is. So have the ends of channels.

module attributes {graph.cluster = #graph.cluster<jobs = [t = 1], devices = [t = ["CPU:0", "CPU:1"]], chief = "/job:t/task:0">,
                   graph.strategy = #graph.strategy<name = "in_graph">} {
graph.variable @w : tensor<4xf32> = #graph.zeros {graph.device = #graph.device<"/task:0/device:CPU:1">}
// CHECK: dist.channel @f.w.to_t0 : tensor<4xf32> from @f.t0.cpu1 to @f.t0
// CHECK: dist.program @f.t0.cpu1 of @f
// CHECK: dist.send @f.w.to_t0
// CHECK: dist.program @f.t0 of @f
// CHECK: dist.receive @f.w.to_t0
graph.func @f() -> tensor<4xf32> attributes {role = #graph.role<predict>} {
  %w = graph.read @w : tensor<4xf32>
  %a = graph.add %w, %w {graph.device = #graph.device<"/task:0/device:CPU:0">} : tensor<4xf32>
  graph.return %a : tensor<4xf32>
}
}
