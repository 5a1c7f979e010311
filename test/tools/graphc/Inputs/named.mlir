graph.func @f(%x: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {role = #graph.role<predict>} {
  %y = graph.matmul %x, %x : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> loc("dense/product")
  %z = graph.matmul %y, %x : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> loc("dense/second"("here"))
  graph.return %z : tensor<64x64xf32>
}
