// RUN: graph-opt --inline-calls --split-input-file --verify-diagnostics --mlir-print-debuginfo %s | FileCheck %s
// RUN: graph-opt --inline-calls --flatten-scopes --split-input-file --verify-diagnostics %s | FileCheck %s --check-prefix=FLAT

// A layer that two functions share, within another one that has a device. Variables stay the module's.
// CHECK-NOT: graph.func private
graph.variable @w : tensor<3x3xf32> = #graph.glorot_uniform<seed = 1>
graph.func private @dense(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %w = graph.read @w : tensor<3x3xf32>
  %y = graph.matmul %x, %w {graph.name = "product"} : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  graph.summary "largest", %y : tensor<2x3xf32>
  graph.return %y : tensor<2x3xf32>
}
graph.func private @block(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %y = graph.call @dense(%x) {graph.name = "first"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %z = graph.call @dense(%y) {graph.device = #graph.device<"/task:1">} : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("second")
  graph.return %z, %x : tensor<2x3xf32>, tensor<2x3xf32>
}
// CHECK-LABEL: graph.func @train
// FLAT-LABEL: graph.func @train
graph.func @train(%x: tensor<2x3xf32>) -> tensor<2x3xf32> attributes {role = #graph.role<train>} {
  // CHECK: graph.scope -> (tensor<2x3xf32>, tensor<2x3xf32>) attributes {graph.device = #graph.device<"/job:worker">}
  // CHECK-NOT: graph.scope
  // CHECK: graph.read @w : tensor<3x3xf32> loc(#[[$READ:loc[0-9]+]])
  // CHECK: graph.matmul {{.*}} {graph.name = "block/first/product"}
  // CHECK: graph.summary "block/first/largest"
  // CHECK: graph.scope -> (tensor<2x3xf32>) attributes {graph.device = #graph.device<"/task:1">}
  // CHECK: graph.matmul {{.*}} {graph.name = "block/second/product"}
  // FLAT: graph.read @w {graph.device = #graph.device<"/job:worker">}
  // FLAT: graph.matmul {{.*}} {graph.device = #graph.device<"/job:worker">, graph.name = "block/first/product"}
  // FLAT: graph.read @w {graph.device = #graph.device<"/job:worker/task:1">}
  // FLAT: graph.matmul {{.*}} {graph.device = #graph.device<"/job:worker/task:1">, graph.name = "block/second/product"}
  // FLAT: graph.summary "block/second/largest", %[[Z:.*]] {graph.device
  // FLAT: graph.return %[[Z]]
  %y, %z = graph.call @block(%x) {graph.device = #graph.device<"/job:worker">} : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  graph.return %y : tensor<2x3xf32>
}
// CHECK-LABEL: graph.func @predict
graph.func @predict(%x: tensor<2x3xf32>) -> tensor<2x3xf32> attributes {role = #graph.role<predict>} {
  // CHECK: graph.scope -> (tensor<2x3xf32>) attributes {graph.colocate_with = @w}
  // CHECK: graph.matmul {{.*}} {graph.name = "dense/product"}
  %y = graph.call @dense(%x) {graph.colocate_with = @w} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  graph.return %y : tensor<2x3xf32>
}
// Where it stands in the function, where that was called, and where that.
// CHECK-DAG: #[[$READ]] = loc(callsite(#[[INNER:loc[0-9]+]] at #[[OUTER:loc[0-9]+]]))
// CHECK-DAG: #[[OUTER]] = loc(callsite(#{{.*}} at #{{.*}}))

// -----

// expected-note@+1 {{the function is declared here}}
graph.func private @a(%x: tensor<f32>) -> tensor<f32> {
  %y = graph.call @b(%x) : (tensor<f32>) -> tensor<f32>
  graph.return %y : tensor<f32>
}
graph.func private @b(%x: tensor<f32>) -> tensor<f32> {
  // expected-error@+1 {{'graph.call' op makes @a call itself: @a -> @b -> @a; expected functions that end}}
  %y = graph.call @a(%x) : (tensor<f32>) -> tensor<f32>
  graph.return %y : tensor<f32>
}

// -----

// A circle of one, which no phase calls.
// expected-note@+1 {{the function is declared here}}
graph.func private @f(%x: tensor<f32>) -> tensor<f32> {
  // expected-error@+1 {{'graph.call' op makes @f call itself: @f -> @f; expected functions that end}}
  %y = graph.call @f(%x) : (tensor<f32>) -> tensor<f32>
  graph.return %y : tensor<f32>
}

// -----

// Each calls the one before it eight times.
graph.func private @f0(%x: tensor<f32>) -> tensor<f32> {
  %y = graph.negate %x : tensor<f32>
  graph.return %y : tensor<f32>
}
graph.func private @f1(%x: tensor<f32>) -> tensor<f32> {
  %0 = graph.call @f0(%x) : (tensor<f32>) -> tensor<f32>
  %1 = graph.call @f0(%0) : (tensor<f32>) -> tensor<f32>
  %2 = graph.call @f0(%1) : (tensor<f32>) -> tensor<f32>
  %3 = graph.call @f0(%2) : (tensor<f32>) -> tensor<f32>
  %4 = graph.call @f0(%3) : (tensor<f32>) -> tensor<f32>
  %5 = graph.call @f0(%4) : (tensor<f32>) -> tensor<f32>
  %6 = graph.call @f0(%5) : (tensor<f32>) -> tensor<f32>
  %7 = graph.call @f0(%6) : (tensor<f32>) -> tensor<f32>
  graph.return %7 : tensor<f32>
}
graph.func private @f2(%x: tensor<f32>) -> tensor<f32> {
  %0 = graph.call @f1(%x) : (tensor<f32>) -> tensor<f32>
  %1 = graph.call @f1(%0) : (tensor<f32>) -> tensor<f32>
  %2 = graph.call @f1(%1) : (tensor<f32>) -> tensor<f32>
  %3 = graph.call @f1(%2) : (tensor<f32>) -> tensor<f32>
  %4 = graph.call @f1(%3) : (tensor<f32>) -> tensor<f32>
  %5 = graph.call @f1(%4) : (tensor<f32>) -> tensor<f32>
  %6 = graph.call @f1(%5) : (tensor<f32>) -> tensor<f32>
  %7 = graph.call @f1(%6) : (tensor<f32>) -> tensor<f32>
  graph.return %7 : tensor<f32>
}
graph.func private @f3(%x: tensor<f32>) -> tensor<f32> {
  %0 = graph.call @f2(%x) : (tensor<f32>) -> tensor<f32>
  %1 = graph.call @f2(%0) : (tensor<f32>) -> tensor<f32>
  %2 = graph.call @f2(%1) : (tensor<f32>) -> tensor<f32>
  %3 = graph.call @f2(%2) : (tensor<f32>) -> tensor<f32>
  %4 = graph.call @f2(%3) : (tensor<f32>) -> tensor<f32>
  %5 = graph.call @f2(%4) : (tensor<f32>) -> tensor<f32>
  %6 = graph.call @f2(%5) : (tensor<f32>) -> tensor<f32>
  %7 = graph.call @f2(%6) : (tensor<f32>) -> tensor<f32>
  graph.return %7 : tensor<f32>
}
graph.func private @f4(%x: tensor<f32>) -> tensor<f32> {
  %0 = graph.call @f3(%x) : (tensor<f32>) -> tensor<f32>
  %1 = graph.call @f3(%0) : (tensor<f32>) -> tensor<f32>
  %2 = graph.call @f3(%1) : (tensor<f32>) -> tensor<f32>
  %3 = graph.call @f3(%2) : (tensor<f32>) -> tensor<f32>
  %4 = graph.call @f3(%3) : (tensor<f32>) -> tensor<f32>
  %5 = graph.call @f3(%4) : (tensor<f32>) -> tensor<f32>
  %6 = graph.call @f3(%5) : (tensor<f32>) -> tensor<f32>
  %7 = graph.call @f3(%6) : (tensor<f32>) -> tensor<f32>
  graph.return %7 : tensor<f32>
}
graph.func private @f5(%x: tensor<f32>) -> tensor<f32> {
  %0 = graph.call @f4(%x) : (tensor<f32>) -> tensor<f32>
  %1 = graph.call @f4(%0) : (tensor<f32>) -> tensor<f32>
  %2 = graph.call @f4(%1) : (tensor<f32>) -> tensor<f32>
  %3 = graph.call @f4(%2) : (tensor<f32>) -> tensor<f32>
  %4 = graph.call @f4(%3) : (tensor<f32>) -> tensor<f32>
  %5 = graph.call @f4(%4) : (tensor<f32>) -> tensor<f32>
  %6 = graph.call @f4(%5) : (tensor<f32>) -> tensor<f32>
  %7 = graph.call @f4(%6) : (tensor<f32>) -> tensor<f32>
  graph.return %7 : tensor<f32>
}
// 262144 operations would be taken.
graph.func private @f6(%x: tensor<f32>) -> tensor<f32> {
  %0 = graph.call @f5(%x) : (tensor<f32>) -> tensor<f32>
  %1 = graph.call @f5(%0) : (tensor<f32>) -> tensor<f32>
  %2 = graph.call @f5(%1) : (tensor<f32>) -> tensor<f32>
  %3 = graph.call @f5(%2) : (tensor<f32>) -> tensor<f32>
  %4 = graph.call @f5(%3) : (tensor<f32>) -> tensor<f32>
  %5 = graph.call @f5(%4) : (tensor<f32>) -> tensor<f32>
  %6 = graph.call @f5(%5) : (tensor<f32>) -> tensor<f32>
  // expected-error@+1 {{'graph.call' op makes more than 262144 operations with all calls before it; expected fewer calls within calls, or loops of fewer iterations}}
  %7 = graph.call @f5(%6) : (tensor<f32>) -> tensor<f32>
  %8 = graph.negate %7 : tensor<f32>
  graph.return %8 : tensor<f32>
}

// -----

graph.func private @long(%x: tensor<f32>) -> tensor<f32> {
  %y = graph.negate %x {graph.name = "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"} : tensor<f32>
  graph.return %y : tensor<f32>
}
graph.func @f(%x: tensor<f32>) -> tensor<f32> attributes {role = #graph.role<predict>} {
  // expected-error@+1 {{'graph.call' op gives an op a name of more than 1024 bytes; expected shorter names, or fewer calls within calls}}
  %0 = graph.call @long(%x) {graph.name = "pppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppp"} : (tensor<f32>) -> tensor<f32>
  graph.return %0 : tensor<f32>
}
