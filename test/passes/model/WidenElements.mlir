// RUN: graph-opt --widen-elements %s | FileCheck %s

// Each op rounds by itself, and a loss of its own type is one of f32 inside.
// CHECK-LABEL: @bf16
graph.func @bf16(%x: tensor<4x8xbf16>, %w: tensor<8x3xbf16>, %y: tensor<4xi32>) -> (tensor<bf16>) attributes {role = #graph.role<predict>} {
  // CHECK-DAG: %[[X:.*]] = graph.convert %arg0 : (tensor<4x8xbf16>) -> tensor<4x8xf32>
  // CHECK-DAG: %[[W:.*]] = graph.convert %arg1 : (tensor<8x3xbf16>) -> tensor<8x3xf32>
  // CHECK: %[[P:.*]] = graph.matmul %[[X]], %[[W]] : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  // CHECK-NEXT: %[[PN:.*]] = graph.convert %[[P]] : (tensor<4x3xf32>) -> tensor<4x3xbf16>
  // CHECK-NEXT: %[[T:.*]] = graph.transpose %[[PN]] permutation = [1, 0] : (tensor<4x3xbf16>) -> tensor<3x4xbf16>
  // CHECK-NEXT: %[[R:.*]] = graph.transpose %[[T]] permutation = [1, 0] : (tensor<3x4xbf16>) -> tensor<4x3xbf16>
  // CHECK-NEXT: %[[RW:.*]] = graph.convert %[[R]] : (tensor<4x3xbf16>) -> tensor<4x3xf32>
  // CHECK-NEXT: %[[L:.*]] = graph.softmax_cross_entropy %[[RW]], %arg2 : (tensor<4x3xf32>, tensor<4xi32>) -> tensor<f32>
  // CHECK-NEXT: graph.convert %[[L]] : (tensor<f32>) -> tensor<bf16>
  %p = graph.matmul %x, %w : (tensor<4x8xbf16>, tensor<8x3xbf16>) -> tensor<4x3xbf16>
  %t = graph.transpose %p permutation = [1, 0] : (tensor<4x3xbf16>) -> tensor<3x4xbf16>
  %r = graph.transpose %t permutation = [1, 0] : (tensor<3x4xbf16>) -> tensor<4x3xbf16>
  %loss = graph.softmax_cross_entropy %r, %y : (tensor<4x3xbf16>, tensor<4xi32>) -> tensor<bf16>
  graph.return %loss : tensor<bf16>
}

// What looks at bits stays; a result of a type of its own does.
// CHECK-LABEL: @bytes
graph.func @bytes(%a: tensor<5xui8>, %b: tensor<5xi8>, %c: tensor<5xui32>) -> (tensor<5xui8>, tensor<5xi1>, tensor<5xui32>)
    attributes {role = #graph.role<predict>} {
  // CHECK: graph.xor %arg0, %arg0 : tensor<5xui8>
  // CHECK: graph.compare lt, %{{.*}}, %{{.*}} : tensor<5xi32>
  // CHECK: graph.add %{{.*}}, %{{.*}} : tensor<5xi64>
  // CHECK-NEXT: graph.convert %{{.*}} : (tensor<5xi64>) -> tensor<5xui32>
  %x = graph.xor %a, %a : tensor<5xui8>
  %l = graph.compare lt, %b, %b : tensor<5xi8>
  %s = graph.add %c, %c : tensor<5xui32>
  graph.return %x, %l, %s : tensor<5xui8>, tensor<5xi1>, tensor<5xui32>
}
