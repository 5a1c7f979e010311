// RUN: graph-opt --assign-samples --verify-diagnostics %s

graph.dataset @d : (tensor<i1>) = #graph.npy<files = ["x.npy"]>
graph.func @train() attributes {role = #graph.role<train>} {
  // expected-error @below {{and the other graph.next_batch ops of @d in @train take 4294967296 samples together; expected at most 4294967295}}
  %a = graph.next_batch @d {batch = 2147483648} : tensor<2147483648xi1>
  %b = graph.next_batch @d {batch = 2147483648} : tensor<2147483648xi1>
  graph.return
}
