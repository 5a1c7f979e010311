// RUN: graph-opt --decompose --verify-diagnostics %s

// Operands and result are in bounds, and what is between them is not: the error names the op that was written.
graph.func @f(%q: tensor<16777216x3xf64>, %v: tensor<16777216x5xf64>) -> tensor<16777216x5xf64> attributes {role = #graph.role<predict>} {
  // expected-error@+1 {{'graph.attention' op is computed by way of a 'tensor<262144x16777216xf64>', expected at most 2^37 elements}}
  %0 = graph.attention %q, %q, %v : (tensor<16777216x3xf64>, tensor<16777216x3xf64>, tensor<16777216x5xf64>) -> tensor<16777216x5xf64>
  graph.return %0 : tensor<16777216x5xf64>
}
