// Counts of operations beyond 2^63 saturate.
// RUN: graphc %s -o %t.plan && graphc %s --emit=plan-text | FileCheck %s
// CHECK: flops: 9223372036854775807
// RUN: sed 's/max_pool/avg_pool/' %s >%t.avg.mlir && graphc %t.avg.mlir -o %t.avg.plan
// RUN: sed -e 's/tensor<1x8x8xf32>/tensor<1x1x8x8xf64>/' -e 's/tensor<1x8x2147483656xf32>/tensor<1x1x8x2147483656xf64>/' -e 's/ = \[1073741824\]/ = [1, 1073741824]/; s/ = \[1610612736\]/ = [0, 1610612736]/; s/ = \[1610612735\]/ = [0, 1610612735]/' %s >%t.two.mlir && graphc %t.two.mlir -o %t.two.plan
graph.func @f(%x: tensor<1x8x8xf32>) -> tensor<1x8x2147483656xf32> attributes {role = #graph.role<predict>} {
  %y = graph.max_pool %x window_dimensions = [1073741824] padding_low = [1610612736] padding_high = [1610612735] : (tensor<1x8x8xf32>) -> tensor<1x8x2147483656xf32>
  graph.return %y : tensor<1x8x2147483656xf32>
}
