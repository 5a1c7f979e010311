// RUN: graph-opt %s --split-input-file --simplify 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARKS < %t.remarks

graph.variable @w : tensor<4xf32> = #graph.zeros
graph.dataset @d : (tensor<4xf32>) = #graph.synthetic<samples = 10>

// Dead computation and dead reads go; whatever touches state stays, used or not, in its order.
// CHECK-LABEL: graph.func @dead
graph.func @dead() attributes {role = #graph.role<train>} {
  // CHECK-NEXT: graph.next_batch @d
  %x = graph.next_batch @d {batch = 2} : tensor<2x4xf32>
  %dead = graph.read @w : tensor<4xf32>
  %e = graph.exponential %dead : tensor<4xf32>
  // CHECK-NEXT: %[[A:.*]] = graph.read @w
  %a = graph.read @w : tensor<4xf32>
  // CHECK-NEXT: graph.assign_add @w, %[[A]]
  graph.assign_add @w, %a : tensor<4xf32>
  // CHECK-NEXT: %[[B:.*]] = graph.read @w
  %b = graph.read @w : tensor<4xf32>
  // CHECK-NEXT: graph.summary "b", %[[B]]
  graph.summary "b", %b : tensor<4xf32>
  // CHECK-NEXT: graph.assign @w, %[[A]]
  graph.assign @w, %a : tensor<4xf32>
  // CHECK-NEXT: graph.return
  graph.return
}

// -----

// Equal ops merge, commutative ones in either order, two reads with no write between them too; two batches do not.
graph.variable @w : tensor<4xf32> = #graph.zeros
graph.dataset @d : (tensor<4xf32>) = #graph.synthetic<samples = 10>
// CHECK-LABEL: graph.func @equal
graph.func @equal(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<2x4xf32>) attributes {role = #graph.role<train>} {
  // CHECK-NEXT: %[[W:.*]] = graph.read @w
  // CHECK-NOT: graph.read
  %a = graph.read @w : tensor<4xf32>
  %b = graph.read @w : tensor<4xf32>
  // CHECK: graph.multiply %{{.*}}, %{{.*}} : tensor<4xf32>
  // CHECK-NOT: graph.multiply
  %p = graph.multiply %a, %x : tensor<4xf32>
  %q = graph.multiply %x, %b : tensor<4xf32>
  // CHECK: graph.add
  %r = graph.add %p, %q : tensor<4xf32>
  %s = graph.exponential %r : tensor<4xf32>
  %t = graph.exponential %r : tensor<4xf32>
  // CHECK: graph.next_batch
  // CHECK: graph.next_batch
  %m = graph.next_batch @d {batch = 2} : tensor<2x4xf32>
  %n = graph.next_batch @d {batch = 2} : tensor<2x4xf32>
  %o = graph.add %m, %n : tensor<2x4xf32>
  graph.return %s, %t, %o : tensor<4xf32>, tensor<4xf32>, tensor<2x4xf32>
}

// -----

// Devices make no difference to what merges; the first op that names one gives the place. What nothing equals keeps its
// own, and so does what is removed from between.
// CHECK-LABEL: graph.func @devices
graph.func @devices(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) attributes {role = #graph.role<predict>} {
  // CHECK-NEXT: graph.exponential %arg0 {graph.device = #graph.device<"/job:worker/task:1">}
  %a = graph.exponential %x : tensor<4xf32>
  %b = graph.exponential %x {graph.device = #graph.device<"/job:worker/task:1">} : tensor<4xf32>
  %c = graph.exponential %x {graph.device = #graph.device<"/job:worker/task:2">} : tensor<4xf32>
  // CHECK-NEXT: graph.tanh %arg0 {graph.device = #graph.device<"/job:ps">}
  %d = graph.tanh %x {graph.device = #graph.device<"/job:ps">} : tensor<4xf32>
  // CHECK-NEXT: graph.return
  graph.return %a, %b, %c, %d : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// What an op stands beside makes none either.
// CHECK-LABEL: graph.func @beside
// CHECK-NEXT: graph.tanh %arg0 {graph.colocate_with = @v}
// CHECK-NEXT: graph.exponential %arg0 {graph.device = #graph.device<"/job:ps">}
// CHECK-NEXT: graph.return
// REMARKS: SimplifyModel.mlir:[[#@LINE+8]]:{{[0-9]+}}: remark: is computed once with its equal before it, on "/job:ps" and not beside @v
// REMARKS: SimplifyModel.mlir:[[#@LINE+6]]:{{[0-9]+}}: note: the equal one is here
graph.variable @v : tensor<4xf32> = #graph.zeros
graph.func @beside(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) attributes {role = #graph.role<predict>} {
  %a = graph.tanh %x : tensor<4xf32>
  %b = graph.tanh %x {graph.colocate_with = @v} : tensor<4xf32>
  %c = graph.tanh %x : tensor<4xf32>
  %d = graph.exponential %x {graph.device = #graph.device<"/job:ps">} : tensor<4xf32>
  %e = graph.exponential %x {graph.colocate_with = @v} : tensor<4xf32>
  graph.return %a, %b, %c, %d, %e : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// A transpose becomes the product's flag wherever it stands.
// CHECK-LABEL: graph.func @transposed
// CHECK-NEXT: graph.matmul %arg0, %arg1 {graph.device = #graph.device<"/job:ps">, transpose_b}
graph.func @transposed(%x: tensor<4x2xf32>, %y: tensor<3x2xf32>) -> tensor<4x3xf32> attributes {role = #graph.role<predict>} {
  %t = graph.transpose %y permutation = [1, 0] {graph.device = #graph.device<"/job:worker">} : (tensor<3x2xf32>) -> tensor<2x3xf32>
  %p = graph.matmul %x, %t {graph.device = #graph.device<"/job:ps">} : (tensor<4x2xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  graph.return %p : tensor<4x3xf32>
}

// -----

// A product keeps its precision, and those of unlike precision stay apart; that which nobody says is ieee.
// CHECK-LABEL: graph.func @precisions
// CHECK-NEXT: %[[LOW:.*]] = graph.matmul %arg0, %arg1 precision = tf32 {transpose_b}
// CHECK-NEXT: %[[HIGH:.*]] = graph.matmul %arg0, %arg1 {transpose_b}
// CHECK-NEXT: graph.return %[[LOW]], %[[HIGH]], %[[HIGH]]
graph.func @precisions(%x: tensor<4x2xf32>, %y: tensor<3x2xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>) attributes {role = #graph.role<predict>} {
  %t = graph.transpose %y permutation = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
  %a = graph.matmul %x, %t precision = tf32 : (tensor<4x2xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  %b = graph.matmul %x, %t : (tensor<4x2xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  %c = graph.matmul %x, %t precision = ieee : (tensor<4x2xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  graph.return %a, %b, %c : tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>
}

// -----

// A fold that only merging makes possible: the branches of the select become one.
// CHECK-LABEL: graph.func @together
// CHECK-NEXT: %[[E:.*]] = graph.exponential %arg0
// CHECK-NEXT: graph.return %[[E]]
graph.func @together(%x: tensor<4xf32>, %p: tensor<4xi1>) -> tensor<4xf32> attributes {role = #graph.role<predict>} {
  %a = graph.exponential %x : tensor<4xf32>
  %b = graph.exponential %x : tensor<4xf32>
  %c = graph.select %p, %a, %b : tensor<4xf32>
  graph.return %c : tensor<4xf32>
}

// -----

// Other functions are none of its business.
// CHECK-LABEL: func.func @other
// CHECK-NEXT: arith.constant
func.func @other() {
  %0 = arith.constant 1 : i32
  return
}
