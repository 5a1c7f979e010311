// RUN: graph-opt %s | graph-opt - | FileCheck %s
// RUN: graph-opt --mlir-print-op-generic %s | graph-opt - | FileCheck %s

// CHECK-LABEL: func @batch
func.func @batch(%x: tensor<8x4x4x16xf32>, %c: tensor<16xf32>) {
  // CHECK-NEXT: %[[Y:.*]], %[[M:.*]], %[[V:.*]] = graph.batch_norm_training %arg0, %arg1, %arg1 feature_index = 3 epsilon = 1.000000e-05 : (tensor<8x4x4x16xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<8x4x4x16xf32>, tensor<16xf32>, tensor<16xf32>)
  %y, %m, %v = graph.batch_norm_training %x, %c, %c feature_index = 3 epsilon = 1.0e-05 : (tensor<8x4x4x16xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<8x4x4x16xf32>, tensor<16xf32>, tensor<16xf32>)
  // CHECK-NEXT: graph.batch_norm_inference %[[Y]], %arg1, %arg1, %[[M]], %[[V]] feature_index = 3 epsilon = 0.000000e+00 : (tensor<8x4x4x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<8x4x4x16xf32>
  %i = graph.batch_norm_inference %y, %c, %c, %m, %v feature_index = 3 epsilon = 0.0 : (tensor<8x4x4x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<8x4x4x16xf32>
  // CHECK-NEXT: graph.batch_norm_grad %arg0, %arg1, %[[M]], %[[V]], %[[Y]] feature_index = 3 epsilon = 1.000000e-05 : (tensor<8x4x4x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<8x4x4x16xf32>) -> (tensor<8x4x4x16xf32>, tensor<16xf32>, tensor<16xf32>)
  %g:3 = graph.batch_norm_grad %x, %c, %m, %v, %y feature_index = 3 epsilon = 1.0e-05 : (tensor<8x4x4x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<8x4x4x16xf32>) -> (tensor<8x4x4x16xf32>, tensor<16xf32>, tensor<16xf32>)
  return
}

// CHECK-LABEL: func @rows
func.func @rows(%x: tensor<2x3x4xf64>, %c: tensor<3x4xf64>, %l: tensor<4xf64>) {
  // CHECK-NEXT: %[[Y:.*]] = graph.layer_norm %arg0, %arg1, %arg1 axis = 1 epsilon = 1.000000e-03 : (tensor<2x3x4xf64>, tensor<3x4xf64>, tensor<3x4xf64>) -> tensor<2x3x4xf64>
  %y = graph.layer_norm %x, %c, %c axis = 1 epsilon = 1.0e-03 : (tensor<2x3x4xf64>, tensor<3x4xf64>, tensor<3x4xf64>) -> tensor<2x3x4xf64>
  // CHECK-NEXT: graph.layer_norm_grad %arg0, %arg1, %[[Y]] axis = 1 epsilon = 1.000000e-03 : (tensor<2x3x4xf64>, tensor<3x4xf64>, tensor<2x3x4xf64>) -> (tensor<2x3x4xf64>, tensor<3x4xf64>, tensor<3x4xf64>)
  %g:3 = graph.layer_norm_grad %x, %c, %y axis = 1 epsilon = 1.0e-03 : (tensor<2x3x4xf64>, tensor<3x4xf64>, tensor<2x3x4xf64>) -> (tensor<2x3x4xf64>, tensor<3x4xf64>, tensor<3x4xf64>)
  // CHECK-NEXT: %[[R:.*]] = graph.rms_norm %arg0, %arg2 axis = 2 epsilon = 1.000000e-03 : (tensor<2x3x4xf64>, tensor<4xf64>) -> tensor<2x3x4xf64>
  %r = graph.rms_norm %x, %l axis = 2 epsilon = 1.0e-03 : (tensor<2x3x4xf64>, tensor<4xf64>) -> tensor<2x3x4xf64>
  // CHECK-NEXT: graph.rms_norm_grad %arg0, %arg2, %[[R]] axis = 2 epsilon = 1.000000e-03 : (tensor<2x3x4xf64>, tensor<4xf64>, tensor<2x3x4xf64>) -> (tensor<2x3x4xf64>, tensor<4xf64>)
  %h:2 = graph.rms_norm_grad %x, %l, %r axis = 2 epsilon = 1.0e-03 : (tensor<2x3x4xf64>, tensor<4xf64>, tensor<2x3x4xf64>) -> (tensor<2x3x4xf64>, tensor<4xf64>)
  return
}

// CHECK-LABEL: func @groups
func.func @groups(%x: tensor<8x16x5xf32>, %c: tensor<16xf32>) {
  // CHECK-NEXT: %[[Y:.*]] = graph.group_norm %arg0, %arg1, %arg1 num_groups = 4 feature_index = 1 epsilon = 1.000000e-05 : (tensor<8x16x5xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<8x16x5xf32>
  %y = graph.group_norm %x, %c, %c num_groups = 4 feature_index = 1 epsilon = 1.0e-05 : (tensor<8x16x5xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<8x16x5xf32>
  // CHECK-NEXT: graph.group_norm_grad %arg0, %arg1, %[[Y]] num_groups = 4 feature_index = 1 epsilon = 1.000000e-05 : (tensor<8x16x5xf32>, tensor<16xf32>, tensor<8x16x5xf32>) -> (tensor<8x16x5xf32>, tensor<16xf32>, tensor<16xf32>)
  %g:3 = graph.group_norm_grad %x, %c, %y num_groups = 4 feature_index = 1 epsilon = 1.0e-05 : (tensor<8x16x5xf32>, tensor<16xf32>, tensor<8x16x5xf32>) -> (tensor<8x16x5xf32>, tensor<16xf32>, tensor<16xf32>)
  return
}

// CHECK: graph.func @train
graph.variable @mean : tensor<16xf32> = #graph.zeros {trainable = false, aggregation = "mean"}
graph.func @train(%m: tensor<16xf32>) attributes {role = #graph.role<train>} {
  // CHECK-NEXT: graph.assign_moving_average @mean, %arg0 {momentum = 9.000000e-01 : f64} : tensor<16xf32>
  graph.assign_moving_average @mean, %m {momentum = 0.9} : tensor<16xf32>
  graph.return
}
