// RUN: graph-opt --split-input-file %s | FileCheck %s
// RUN: graph-opt --split-input-file %s | graph-opt --split-input-file | FileCheck %s

// Scalars and numbers where elementwise ops have operands: the text means a broadcast or a constant, and that is printed.

// CHECK-LABEL: @scalars
graph.func @scalars(%x: tensor<4x3xf32>, %s: tensor<f32>) -> (tensor<4x3xf32>, tensor<4x3xf32>, tensor<f32>) attributes {role = #graph.role<predict>} {
  // CHECK-NEXT: %[[S:.*]] = graph.broadcast_in_dim %arg1 broadcast_dimensions = [] : (tensor<f32>) -> tensor<4x3xf32>
  // CHECK-NEXT: %[[P:.*]] = graph.multiply %arg0, %[[S]] : tensor<4x3xf32>
  %p = graph.multiply %x, %s : tensor<4x3xf32>
  // CHECK-NEXT: %[[T:.*]] = graph.tanh %arg1 : tensor<f32>
  %t = graph.tanh %s : tensor<f32>
  // CHECK-NEXT: %[[B:.*]] = graph.broadcast_in_dim %[[T]]
  // CHECK-NEXT: %[[D:.*]] = graph.subtract %[[B]], %[[P]] : tensor<4x3xf32>
  %d = graph.subtract %t, %p : tensor<4x3xf32>
  // Where the op is of scalars, they are its operands.
  // CHECK-NEXT: graph.add %arg1, %[[T]] : tensor<f32>
  %n = graph.add %s, %t : tensor<f32>
  graph.return %p, %d, %n : tensor<4x3xf32>, tensor<4x3xf32>, tensor<f32>
}

// -----

// CHECK-LABEL: @numbers
graph.func @numbers(%x: tensor<4xf32>, %h: tensor<4xbf16>, %n: tensor<4xui8>, %b: tensor<i1>) -> (tensor<4xf32>, tensor<4xbf16>, tensor<4xui8>, tensor<4xi1>)
    attributes {role = #graph.role<predict>} {
  // CHECK-DAG: %[[HALF:.*]] = graph.constant dense<5.000000e-01> : tensor<4xf32>
  // CHECK-DAG: graph.multiply %arg0, %[[HALF]] : tensor<4xf32>
  %0 = graph.multiply %x, 0.5 : tensor<4xf32>
  // CHECK-DAG: %[[TWO:.*]] = graph.constant dense<-2.000000e+00> : tensor<4xf32>
  // CHECK-DAG: graph.power %{{.*}}, %[[TWO]] : tensor<4xf32>
  %1 = graph.power %0, -2 : tensor<4xf32>
  // CHECK-DAG: %[[SMALL:.*]] = graph.constant dense<1.000000e-03> : tensor<4xf32>
  // CHECK-DAG: %[[BROAD:.*]] = graph.broadcast_in_dim %arg3 broadcast_dimensions = [] : (tensor<i1>) -> tensor<4xi1>
  // CHECK-DAG: graph.select %[[BROAD]], %{{.*}}, %[[SMALL]] : tensor<4xf32>
  %2 = graph.select %b, %1, 1.0e-3 : tensor<4xf32>
  // Rounded to nearest even.
  // CHECK-DAG: %[[THIRD:.*]] = graph.constant dense<3.339840e-01> : tensor<4xbf16>
  // CHECK-DAG: graph.divide %[[THIRD]], %arg1 : tensor<4xbf16>
  %3 = graph.divide 0.3333333333, %h : tensor<4xbf16>
  // CHECK-DAG: %[[MOST:.*]] = graph.constant dense<255> : tensor<4xui8>
  // CHECK-DAG: graph.add %arg2, %[[MOST]] : tensor<4xui8>
  %4 = graph.add %n, 255 : tensor<4xui8>
  // CHECK-DAG: %[[SEVEN:.*]] = graph.constant dense<7> : tensor<4xui8>
  // CHECK-DAG: graph.compare lt, %{{.*}}, %[[SEVEN]] : tensor<4xui8>
  %5 = graph.compare lt, %4, 7 : tensor<4xui8>
  graph.return %2, %3, %4, %5 : tensor<4xf32>, tensor<4xbf16>, tensor<4xui8>, tensor<4xi1>
}

// -----

// What is made stands where the op stands: with its device, or in its scope.
// CHECK-LABEL: @places
graph.func @places(%x: tensor<4xf32>, %s: tensor<f32>) -> (tensor<4xf32>) attributes {role = #graph.role<predict>} {
  // CHECK-NEXT: graph.broadcast_in_dim %arg1 {{.*}}graph.device = #graph.device<"/job:worker/task:1">
  // CHECK-NEXT: graph.multiply {{.*}}graph.device = #graph.device<"/job:worker/task:1">
  %p = graph.multiply %x, %s {graph.device = #graph.device<"/job:worker/task:1">} : tensor<4xf32>
  // CHECK-NEXT: graph.scope
  %q = graph.scope -> (tensor<4xf32>) attributes {graph.device = #graph.device<"/job:worker/task:0">} {
    // CHECK-NEXT: graph.broadcast_in_dim
    // CHECK-NEXT: graph.add
    %a = graph.add %p, %s : tensor<4xf32>
    // CHECK-NEXT: graph.constant dense<2.000000e+00>
    // CHECK-NEXT: graph.multiply
    %b = graph.multiply 2.0, %p : tensor<4xf32>
    // CHECK-NEXT: graph.add
    %c = graph.add %a, %b : tensor<4xf32>
    graph.yield %c : tensor<4xf32>
  }
  graph.return %q : tensor<4xf32>
}

// What stands outside of a region stays there, whatever is known of its place; what an op's text makes goes with the op, whatever place it names.
// CHECK-LABEL: @places_of_text
graph.func @places_of_text(%x: tensor<4xf32>, %s: tensor<f32>) -> (tensor<4xf32>) attributes {role = #graph.role<predict>} {
  // CHECK-NEXT: graph.exponential
  %e = graph.exponential %x : tensor<4xf32> loc("model":1:1)
  // CHECK-NEXT: graph.constant dense<3.000000e+00>
  %k = graph.constant dense<3.0> : tensor<4xf32> loc(unknown)
  // CHECK-NEXT: graph.scope
  %q = graph.scope -> (tensor<4xf32>) attributes {graph.device = #graph.device<"/job:worker/task:0">} {
    // CHECK-NEXT: graph.add
    %a = graph.add %e, %x : tensor<4xf32> loc("model":1:1)
    // CHECK-NEXT: graph.add
    %b = graph.add %a, %k : tensor<4xf32> loc(unknown)
    // CHECK-NEXT: graph.broadcast_in_dim
    // CHECK-NEXT: graph.multiply
    %c = graph.multiply %b, %s : tensor<4xf32> loc("model":1:2)
    graph.yield %c : tensor<4xf32>
  }
  graph.return %q : tensor<4xf32>
}
