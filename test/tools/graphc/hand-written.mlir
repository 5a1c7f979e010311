// Usual mistakes in hand-written models: a note gives the right syntax.
// RUN: split-file %s %t

// RUN: not graphc %t/role.mlir 2>&1 | FileCheck %s --check-prefix=ROLE
// ROLE: :1:{{[0-9]+}}: error: expected attribute value
// ROLE: note: a role is written #graph.role<train>
//--- role.mlir
graph.func @t(%x: tensor<f32>) attributes {role = train} {
  graph.return
}

// RUN: not graphc %t/word.mlir 2>&1 | FileCheck %s --check-prefix=WORD
// WORD: note: attributes of the graph dialect are written #graph.adagrad<…>
//--- word.mlir
graph.func @t(%x: tensor<f32>) attributes {role = #graph.role<train>} {
  graph.minimize %x {optimizer = adagrad} : tensor<f32>
  graph.return
}

// RUN: not graphc %t/boolean.mlir 2>&1 | FileCheck %s --check-prefix=BOOLEAN
// BOOLEAN: note: booleans are written true and false
//--- boolean.mlir
graph.variable @w : tensor<f32> = #graph.zeros {trainable = False}

// RUN: not graphc %t/adam.mlir 2>&1 | FileCheck %s --check-prefix=ADAM
// ADAM: error: expected '<'
// ADAM: note: #graph.adam has parameters: #graph.adam<learning_rate = 0.001>
//--- adam.mlir
graph.func @t(%x: tensor<f32>) attributes {role = #graph.role<train>} {
  graph.minimize %x {optimizer = #graph.adam} : tensor<f32>
  graph.return
}

// RUN: not graphc %t/momentum.mlir 2>&1 | FileCheck %s --check-prefix=MOMENTUM
// MOMENTUM: note: #graph.momentum has parameters: #graph.momentum<learning_rate = 0.01, momentum = 0.9>
//--- momentum.mlir
graph.func @t(%x: tensor<f32>) attributes {role = #graph.role<train>} {
  graph.minimize %x {optimizer = #graph.momentum, clip_norm = 1.0} : tensor<f32>
  graph.return
}

// RUN: not graphc %t/read.mlir 2>&1 | FileCheck %s --check-prefix=READ
// READ: error: expected ':'
// READ: note: graph.read @w ends in the variable's type: graph.read @w : tensor<4x3xf32>
//--- read.mlir
graph.variable @w : tensor<4x3xf32> = #graph.zeros
graph.func @t(%x: tensor<f32>) attributes {role = #graph.role<train>} {
  %w = graph.read @w
  graph.return
}

// RUN: not graphc %t/types.mlir 2>&1 | FileCheck %s --check-prefix=TYPES
// TYPES: note: graph.matmul ends in ':' and types, such as ': tensor<2x3xf32>' or ': (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>'
//--- types.mlir
graph.func @t(%x: tensor<2x4xf32>, %w: tensor<4x3xf32>) attributes {role = #graph.role<train>} {
  %y = graph.matmul %x, %w
  graph.return
}

// RUN: not graphc %t/operand.mlir 2>&1 | FileCheck %s --check-prefix=OPERAND
// OPERAND: error: expected SSA operand
// OPERAND: note: @b is a variable; an operand is its value: %v = graph.read @NAME : TYPE
//--- operand.mlir
graph.variable @b : tensor<3xf32> = #graph.zeros
graph.func @t(%x: tensor<2x3xf32>) attributes {role = #graph.role<train>} {
  %y = graph.bias_add %x, @b : tensor<2x3xf32>, tensor<3xf32>
  graph.return
}

// RUN: not graphc %t/vector.mlir 2>&1 | FileCheck %s --check-prefix=VECTOR
// VECTOR: error: use of value '%b' expects different type than prior uses
// VECTOR: note: operands are not broadcast implicitly: graph.bias_add adds a vector to each row, and graph.broadcast_in_dim makes a tensor of another shape
// VECTOR: note: prior use here
//--- vector.mlir
graph.variable @b : tensor<3xf32> = #graph.zeros
graph.func @t(%x: tensor<2x3xf32>) attributes {role = #graph.role<train>} {
  %b = graph.read @b : tensor<3xf32>
  %y = graph.add %x, %b : tensor<2x3xf32>
  graph.return
}

// RUN: not graphc %t/elements.mlir 2>&1 | FileCheck %s --check-prefix=ELEMENTS
// ELEMENTS: note: graph.convert converts a tensor to another element type
//--- elements.mlir
graph.func @t(%x: tensor<3xf32>, %i: tensor<3xi32>) attributes {role = #graph.role<train>} {
  %y = graph.add %x, %i : tensor<3xf32>
  graph.return
}

// The place is that of the constant, not of what comes after it.
// RUN: not graphc %t/constant.mlir 2>&1 | FileCheck %s --check-prefix=CONSTANT
// CONSTANT: error: floating point value not valid for specified type
// CONSTANT: :2:{{[0-9]+}}: note: a constant is written dense<1.0e-3> : tensor<f32>
//--- constant.mlir
graph.func @t(%x: tensor<f32>) attributes {role = #graph.role<train>} {
  %c = graph.constant 1.0e-3 : tensor<f32>
  %y = graph.add %x, %c : tensor<f32>
  graph.return
}

// RUN: not graphc %t/integer.mlir 2>&1 | FileCheck %s --check-prefix=INTEGER
// INTEGER: :2:{{[0-9]+}}: note: a constant is written dense<7> : tensor<2xi32>
//--- integer.mlir
graph.func @t(%x: tensor<2xi32>) attributes {role = #graph.role<train>} {
  %c = graph.constant 7 : tensor<2xi32>

  %y = graph.add %x, %c : tensor<2xi32>
  graph.return
}

// RUN: not graphc %t/return.mlir 2>&1 | FileCheck %s --check-prefix=RETURN
// RETURN: error: block with no terminator
// RETURN: note: a graph.func ends with graph.return, a graph.scope with graph.yield
//--- return.mlir
graph.func @t(%x: tensor<f32>) attributes {role = #graph.role<train>} {
  %y = graph.add %x, %x : tensor<f32>
}

// No note where the mistake is another one.
// RUN: not graphc %t/other.mlir 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not graphc %t/function.mlir 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error
// OTHER-NOT: note
//--- other.mlir
graph.func @t(%x: tensor<f32>) attributes {role = #graph.role<train>} {
  %y = graph.add %x, %z : tensor<f32>
  graph.return
}
//--- function.mlir
graph.func @t(%x tensor<f32>) attributes {role = #graph.role<train>} {
  graph.return
}
