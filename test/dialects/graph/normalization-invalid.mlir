// RUN: graph-opt --split-input-file --verify-diagnostics %s

func.func @batch_norm_training_dimension(%x: tensor<8x4x16xf32>, %c: tensor<16xf32>) {
  // (C1) expected-error@+1 {{feature_index must be a dimension of the operand from 0 on, which is 'tensor<8x4x16xf32>', got 3}}
  %y:3 = graph.batch_norm_training %x, %c, %c feature_index = 3 epsilon = 1.0e-05 : (tensor<8x4x16xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<8x4x16xf32>, tensor<16xf32>, tensor<16xf32>)
  return
}

// -----

func.func @batch_norm_training_parameter(%x: tensor<8x4x16xf32>, %c: tensor<8xf32>) {
  // (C2) expected-error@+1 {{expected parameters of type 'tensor<16xf32>' for an operand of type 'tensor<8x4x16xf32>', got 'tensor<8xf32>'}}
  %y:3 = graph.batch_norm_training %x, %c, %c feature_index = 2 epsilon = 1.0e-05 : (tensor<8x4x16xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<8x4x16xf32>, tensor<16xf32>, tensor<16xf32>)
  return
}

// -----

func.func @batch_norm_training_epsilon(%x: tensor<8x4x16xf32>, %c: tensor<16xf32>) {
  // (C3) expected-error@+1 {{epsilon must be finite and not negative, got -1.000000e-05}}
  %y:3 = graph.batch_norm_training %x, %c, %c feature_index = 2 epsilon = -1.0e-05 : (tensor<8x4x16xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<8x4x16xf32>, tensor<16xf32>, tensor<16xf32>)
  return
}

// -----

func.func @batch_norm_inference_dimension(%x: tensor<8x4x16xf32>, %c: tensor<16xf32>) {
  // (C1) expected-error@+1 {{feature_index must be a dimension of the operand from 0 on, which is 'tensor<8x4x16xf32>', got 3}}
  %y = graph.batch_norm_inference %x, %c, %c, %c, %c feature_index = 3 epsilon = 1.0e-05 : (tensor<8x4x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<8x4x16xf32>
  return
}

// -----

func.func @batch_norm_inference_parameter(%x: tensor<8x4x16xf32>, %c: tensor<8xf32>) {
  // (C2) expected-error@+1 {{expected parameters of type 'tensor<16xf32>' for an operand of type 'tensor<8x4x16xf32>', got 'tensor<8xf32>'}}
  %y = graph.batch_norm_inference %x, %c, %c, %c, %c feature_index = 2 epsilon = 1.0e-05 : (tensor<8x4x16xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8x4x16xf32>
  return
}

// -----

func.func @batch_norm_inference_epsilon(%x: tensor<8x4x16xf32>, %c: tensor<16xf32>) {
  // (C3) expected-error@+1 {{epsilon must be finite and not negative, got -1.000000e-05}}
  %y = graph.batch_norm_inference %x, %c, %c, %c, %c feature_index = 2 epsilon = -1.0e-05 : (tensor<8x4x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<8x4x16xf32>
  return
}

// -----

func.func @batch_norm_grad_dimension(%x: tensor<8x4x16xf32>, %c: tensor<16xf32>) {
  // (C1) expected-error@+1 {{feature_index must be a dimension of the operand from 0 on, which is 'tensor<8x4x16xf32>', got 3}}
  %y:3 = graph.batch_norm_grad %x, %c, %c, %c, %x feature_index = 3 epsilon = 1.0e-05 : (tensor<8x4x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<8x4x16xf32>) -> (tensor<8x4x16xf32>, tensor<16xf32>, tensor<16xf32>)
  return
}

// -----

func.func @batch_norm_grad_parameter(%x: tensor<8x4x16xf32>, %c: tensor<8xf32>) {
  // (C2) expected-error@+1 {{expected parameters of type 'tensor<16xf32>' for an operand of type 'tensor<8x4x16xf32>', got 'tensor<8xf32>'}}
  %y:3 = graph.batch_norm_grad %x, %c, %c, %c, %x feature_index = 2 epsilon = 1.0e-05 : (tensor<8x4x16xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x4x16xf32>) -> (tensor<8x4x16xf32>, tensor<16xf32>, tensor<16xf32>)
  return
}

// -----

func.func @batch_norm_grad_epsilon(%x: tensor<8x4x16xf32>, %c: tensor<16xf32>) {
  // (C3) expected-error@+1 {{epsilon must be finite and not negative, got -1.000000e-05}}
  %y:3 = graph.batch_norm_grad %x, %c, %c, %c, %x feature_index = 2 epsilon = -1.0e-05 : (tensor<8x4x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<8x4x16xf32>) -> (tensor<8x4x16xf32>, tensor<16xf32>, tensor<16xf32>)
  return
}

// -----

func.func @batch_norm_grad_output(%x: tensor<8x4x16xf32>, %c: tensor<16xf32>, %g: tensor<8x4xf32>) {
  // (C4) expected-error@+1 {{grad_output must have the operand's type 'tensor<8x4x16xf32>', got 'tensor<8x4xf32>'}}
  %y:3 = graph.batch_norm_grad %x, %c, %c, %c, %g feature_index = 2 epsilon = 1.0e-05 : (tensor<8x4x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<8x4xf32>) -> (tensor<8x4x16xf32>, tensor<16xf32>, tensor<16xf32>)
  return
}

// -----

func.func @layer_norm_dimension(%x: tensor<8x4x16xf32>, %c: tensor<16xf32>) {
  // (C1) expected-error@+1 {{axis 3 is not one of the operand's dimensions, which is 'tensor<8x4x16xf32>'}}
  %y = graph.layer_norm %x, %c, %c axis = 3 epsilon = 1.0e-05 : (tensor<8x4x16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<8x4x16xf32>
  return
}

// -----

func.func @layer_norm_parameter(%x: tensor<8x4x16xf32>, %c: tensor<8xf32>) {
  // (C2) expected-error@+1 {{expected parameters of type 'tensor<16xf32>' for an operand of type 'tensor<8x4x16xf32>', got 'tensor<8xf32>'}}
  %y = graph.layer_norm %x, %c, %c axis = 2 epsilon = 1.0e-05 : (tensor<8x4x16xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8x4x16xf32>
  return
}

// -----

func.func @layer_norm_epsilon(%x: tensor<8x4x16xf32>, %c: tensor<16xf32>) {
  // (C3) expected-error@+1 {{epsilon must be finite and not negative, got -1.000000e-05}}
  %y = graph.layer_norm %x, %c, %c axis = 2 epsilon = -1.0e-05 : (tensor<8x4x16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<8x4x16xf32>
  return
}

// -----

func.func @layer_norm_grad_dimension(%x: tensor<8x4x16xf32>, %c: tensor<16xf32>) {
  // (C1) expected-error@+1 {{axis 3 is not one of the operand's dimensions, which is 'tensor<8x4x16xf32>'}}
  %y:3 = graph.layer_norm_grad %x, %c, %x axis = 3 epsilon = 1.0e-05 : (tensor<8x4x16xf32>, tensor<16xf32>, tensor<8x4x16xf32>) -> (tensor<8x4x16xf32>, tensor<16xf32>, tensor<16xf32>)
  return
}

// -----

func.func @layer_norm_grad_parameter(%x: tensor<8x4x16xf32>, %c: tensor<8xf32>) {
  // (C2) expected-error@+1 {{expected parameters of type 'tensor<16xf32>' for an operand of type 'tensor<8x4x16xf32>', got 'tensor<8xf32>'}}
  %y:3 = graph.layer_norm_grad %x, %c, %x axis = 2 epsilon = 1.0e-05 : (tensor<8x4x16xf32>, tensor<8xf32>, tensor<8x4x16xf32>) -> (tensor<8x4x16xf32>, tensor<16xf32>, tensor<16xf32>)
  return
}

// -----

func.func @layer_norm_grad_epsilon(%x: tensor<8x4x16xf32>, %c: tensor<16xf32>) {
  // (C3) expected-error@+1 {{epsilon must be finite and not negative, got -1.000000e-05}}
  %y:3 = graph.layer_norm_grad %x, %c, %x axis = 2 epsilon = -1.0e-05 : (tensor<8x4x16xf32>, tensor<16xf32>, tensor<8x4x16xf32>) -> (tensor<8x4x16xf32>, tensor<16xf32>, tensor<16xf32>)
  return
}

// -----

func.func @layer_norm_grad_output(%x: tensor<8x4x16xf32>, %c: tensor<16xf32>, %g: tensor<8x4xf32>) {
  // (C4) expected-error@+1 {{grad_output must have the operand's type 'tensor<8x4x16xf32>', got 'tensor<8x4xf32>'}}
  %y:3 = graph.layer_norm_grad %x, %c, %g axis = 2 epsilon = 1.0e-05 : (tensor<8x4x16xf32>, tensor<16xf32>, tensor<8x4xf32>) -> (tensor<8x4x16xf32>, tensor<16xf32>, tensor<16xf32>)
  return
}

// -----

func.func @rms_norm_dimension(%x: tensor<8x4x16xf32>, %c: tensor<16xf32>) {
  // (C1) expected-error@+1 {{axis 3 is not one of the operand's dimensions, which is 'tensor<8x4x16xf32>'}}
  %y = graph.rms_norm %x, %c axis = 3 epsilon = 1.0e-05 : (tensor<8x4x16xf32>, tensor<16xf32>) -> tensor<8x4x16xf32>
  return
}

// -----

func.func @rms_norm_parameter(%x: tensor<8x4x16xf32>, %c: tensor<8xf32>) {
  // (C2) expected-error@+1 {{expected parameters of type 'tensor<16xf32>' for an operand of type 'tensor<8x4x16xf32>', got 'tensor<8xf32>'}}
  %y = graph.rms_norm %x, %c axis = 2 epsilon = 1.0e-05 : (tensor<8x4x16xf32>, tensor<8xf32>) -> tensor<8x4x16xf32>
  return
}

// -----

func.func @rms_norm_epsilon(%x: tensor<8x4x16xf32>, %c: tensor<16xf32>) {
  // (C3) expected-error@+1 {{epsilon must be finite and not negative, got -1.000000e-05}}
  %y = graph.rms_norm %x, %c axis = 2 epsilon = -1.0e-05 : (tensor<8x4x16xf32>, tensor<16xf32>) -> tensor<8x4x16xf32>
  return
}

// -----

func.func @rms_norm_grad_dimension(%x: tensor<8x4x16xf32>, %c: tensor<16xf32>) {
  // (C1) expected-error@+1 {{axis 3 is not one of the operand's dimensions, which is 'tensor<8x4x16xf32>'}}
  %y:2 = graph.rms_norm_grad %x, %c, %x axis = 3 epsilon = 1.0e-05 : (tensor<8x4x16xf32>, tensor<16xf32>, tensor<8x4x16xf32>) -> (tensor<8x4x16xf32>, tensor<16xf32>)
  return
}

// -----

func.func @rms_norm_grad_parameter(%x: tensor<8x4x16xf32>, %c: tensor<8xf32>) {
  // (C2) expected-error@+1 {{expected parameters of type 'tensor<16xf32>' for an operand of type 'tensor<8x4x16xf32>', got 'tensor<8xf32>'}}
  %y:2 = graph.rms_norm_grad %x, %c, %x axis = 2 epsilon = 1.0e-05 : (tensor<8x4x16xf32>, tensor<8xf32>, tensor<8x4x16xf32>) -> (tensor<8x4x16xf32>, tensor<16xf32>)
  return
}

// -----

func.func @rms_norm_grad_epsilon(%x: tensor<8x4x16xf32>, %c: tensor<16xf32>) {
  // (C3) expected-error@+1 {{epsilon must be finite and not negative, got -1.000000e-05}}
  %y:2 = graph.rms_norm_grad %x, %c, %x axis = 2 epsilon = -1.0e-05 : (tensor<8x4x16xf32>, tensor<16xf32>, tensor<8x4x16xf32>) -> (tensor<8x4x16xf32>, tensor<16xf32>)
  return
}

// -----

func.func @rms_norm_grad_output(%x: tensor<8x4x16xf32>, %c: tensor<16xf32>, %g: tensor<8x4xf32>) {
  // (C4) expected-error@+1 {{grad_output must have the operand's type 'tensor<8x4x16xf32>', got 'tensor<8x4xf32>'}}
  %y:2 = graph.rms_norm_grad %x, %c, %g axis = 2 epsilon = 1.0e-05 : (tensor<8x4x16xf32>, tensor<16xf32>, tensor<8x4xf32>) -> (tensor<8x4x16xf32>, tensor<16xf32>)
  return
}

// -----

func.func @group_norm_dimension(%x: tensor<8x4x16xf32>, %c: tensor<16xf32>) {
  // (C1) expected-error@+1 {{feature_index must be a dimension of the operand from 1 on, which is 'tensor<8x4x16xf32>', got 0}}
  %y = graph.group_norm %x, %c, %c num_groups = 4 feature_index = 0 epsilon = 1.0e-05 : (tensor<8x4x16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<8x4x16xf32>
  return
}

// -----

func.func @group_norm_parameter(%x: tensor<8x4x16xf32>, %c: tensor<8xf32>) {
  // (C2) expected-error@+1 {{expected parameters of type 'tensor<16xf32>' for an operand of type 'tensor<8x4x16xf32>', got 'tensor<8xf32>'}}
  %y = graph.group_norm %x, %c, %c num_groups = 4 feature_index = 2 epsilon = 1.0e-05 : (tensor<8x4x16xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8x4x16xf32>
  return
}

// -----

func.func @group_norm_epsilon(%x: tensor<8x4x16xf32>, %c: tensor<16xf32>) {
  // (C3) expected-error@+1 {{epsilon must be finite and not negative, got -1.000000e-05}}
  %y = graph.group_norm %x, %c, %c num_groups = 4 feature_index = 2 epsilon = -1.0e-05 : (tensor<8x4x16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<8x4x16xf32>
  return
}

// -----

func.func @group_norm_groups(%x: tensor<8x4x16xf32>, %c: tensor<16xf32>) {
  // (C4) expected-error@+1 {{num_groups must divide the number of channels, got 3 for 16}}
  %y = graph.group_norm %x, %c, %c num_groups = 3 feature_index = 2 epsilon = 1.0e-05 : (tensor<8x4x16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<8x4x16xf32>
  return
}

// -----

func.func @group_norm_grad_dimension(%x: tensor<8x4x16xf32>, %c: tensor<16xf32>) {
  // (C1) expected-error@+1 {{feature_index must be a dimension of the operand from 1 on, which is 'tensor<8x4x16xf32>', got 0}}
  %y:3 = graph.group_norm_grad %x, %c, %x num_groups = 4 feature_index = 0 epsilon = 1.0e-05 : (tensor<8x4x16xf32>, tensor<16xf32>, tensor<8x4x16xf32>) -> (tensor<8x4x16xf32>, tensor<16xf32>, tensor<16xf32>)
  return
}

// -----

func.func @group_norm_grad_parameter(%x: tensor<8x4x16xf32>, %c: tensor<8xf32>) {
  // (C2) expected-error@+1 {{expected parameters of type 'tensor<16xf32>' for an operand of type 'tensor<8x4x16xf32>', got 'tensor<8xf32>'}}
  %y:3 = graph.group_norm_grad %x, %c, %x num_groups = 4 feature_index = 2 epsilon = 1.0e-05 : (tensor<8x4x16xf32>, tensor<8xf32>, tensor<8x4x16xf32>) -> (tensor<8x4x16xf32>, tensor<16xf32>, tensor<16xf32>)
  return
}

// -----

func.func @group_norm_grad_epsilon(%x: tensor<8x4x16xf32>, %c: tensor<16xf32>) {
  // (C3) expected-error@+1 {{epsilon must be finite and not negative, got -1.000000e-05}}
  %y:3 = graph.group_norm_grad %x, %c, %x num_groups = 4 feature_index = 2 epsilon = -1.0e-05 : (tensor<8x4x16xf32>, tensor<16xf32>, tensor<8x4x16xf32>) -> (tensor<8x4x16xf32>, tensor<16xf32>, tensor<16xf32>)
  return
}

// -----

func.func @group_norm_grad_output(%x: tensor<8x4x16xf32>, %c: tensor<16xf32>, %g: tensor<8x4xf32>) {
  // (C5) expected-error@+1 {{grad_output must have the operand's type 'tensor<8x4x16xf32>', got 'tensor<8x4xf32>'}}
  %y:3 = graph.group_norm_grad %x, %c, %g num_groups = 4 feature_index = 2 epsilon = 1.0e-05 : (tensor<8x4x16xf32>, tensor<16xf32>, tensor<8x4xf32>) -> (tensor<8x4x16xf32>, tensor<16xf32>, tensor<16xf32>)
  return
}

// -----

func.func @group_norm_grad_groups(%x: tensor<8x4x16xf32>, %c: tensor<16xf32>) {
  // (C4) expected-error@+1 {{num_groups must divide the number of channels, got 3 for 16}}
  %y:3 = graph.group_norm_grad %x, %c, %x num_groups = 3 feature_index = 2 epsilon = 1.0e-05 : (tensor<8x4x16xf32>, tensor<16xf32>, tensor<8x4x16xf32>) -> (tensor<8x4x16xf32>, tensor<16xf32>, tensor<16xf32>)
  return
}

// -----

func.func @no_number(%x: tensor<8x4x16xf32>, %c: tensor<16xf32>) {
  // (C3) expected-error@+1 {{epsilon must be finite and not negative, got}}
  %y = graph.layer_norm %x, %c, %c axis = 2 epsilon = 0x7FF8000000000000 : (tensor<8x4x16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<8x4x16xf32>
  return
}

// -----

// expected-note@+1 {{the variable is declared here}}
graph.variable @mean : tensor<16xf32> = #graph.zeros {trainable = false}
graph.func @type(%m: tensor<8xf32>) attributes {role = #graph.role<train>} {
  // (C1) expected-error@+1 {{value must be 'tensor<16xf32>' as variable @mean is, got 'tensor<8xf32>'}}
  graph.assign_moving_average @mean, %m {momentum = 0.9} : tensor<8xf32>
  graph.return
}

// -----

graph.variable @mean : tensor<16xf32> = #graph.zeros {trainable = false}
graph.func @momentum(%m: tensor<16xf32>) attributes {role = #graph.role<train>} {
  // (C2) expected-error@+1 {{expected a momentum in [0, 1], got 1.500000e+00}}
  graph.assign_moving_average @mean, %m {momentum = 1.5} : tensor<16xf32>
  graph.return
}
