// RUN: graph-opt --split-input-file --simplify %s | FileCheck %s

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

// Equal ops merge, commutative ones in either order, two reads with no write between them too; ops on unlike devices do
// not, and neither do two batches.
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
  // CHECK: graph.exponential
  // CHECK: graph.exponential
  %s = graph.exponential %r {graph.device = #graph.device<"/gpu:0">} : tensor<4xf32>
  %t = graph.exponential %r {graph.device = #graph.device<"/gpu:1">} : tensor<4xf32>
  // CHECK: graph.next_batch
  // CHECK: graph.next_batch
  %m = graph.next_batch @d {batch = 2} : tensor<2x4xf32>
  %n = graph.next_batch @d {batch = 2} : tensor<2x4xf32>
  %o = graph.add %m, %n : tensor<2x4xf32>
  graph.return %s, %t, %o : tensor<4xf32>, tensor<4xf32>, tensor<2x4xf32>
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
