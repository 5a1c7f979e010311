// RUN: graph-opt --differentiate --mlir-print-debuginfo --mlir-print-local-scope %s | FileCheck %s

// A gradient's location names the forward op's line and the minimize's.
graph.variable @w : tensor<f32> = #graph.zeros
graph.func @f() attributes {role = #graph.role<train>} {
  %w = graph.read @w : tensor<f32>
  // CHECK: %[[E:.*]] = graph.exponential {{.*}} loc({{.*}}DifferentiateModel-location.mlir":[[#FORWARD:@LINE+1]]
  %loss = graph.exponential %w : tensor<f32>
  // CHECK: graph.multiply {{.*}} loc(fused["{{.*}}DifferentiateModel-location.mlir":[[#FORWARD]]:{{.*}}, "{{.*}}DifferentiateModel-location.mlir":[[#@LINE+1]]
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.1>} : tensor<f32>
  graph.return
}
