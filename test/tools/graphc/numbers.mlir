// Numbers as other languages write them: the error says how they are written here.
// RUN: sed 's/RATE/1e-3/' %s | not graphc - 2>&1 | FileCheck --check-prefix=EXPONENT %s
// EXPONENT: :[[#@LINE+17]]:{{[0-9]+}}: error: expected '>'
// EXPONENT: note: such a number is written 1.0e-3
// RUN: sed 's/RATE/-2E3f/' %s | not graphc - 2>&1 | FileCheck --check-prefix=SUFFIX %s
// SUFFIX: note: such a number is written -2.0E3
// RUN: sed 's/RATE/.5/' %s | not graphc - 2>&1 | FileCheck --check-prefix=POINT %s
// POINT: error: expected three consecutive dots for an ellipsis
// POINT: note: such a number is written 0.5
// RUN: sed -e 's/RATE/0.5/' -e 's/clip_norm = 1.0/clip_norm = 1e-3/' %s | not graphc - 2>&1 | FileCheck --check-prefix=DICTIONARY %s
// DICTIONARY: note: such a number is written 1.0e-3
// RUN: sed -e 's/RATE/0.5/' -e 's/: tensor<f32>$/: tensor<3 f32>/' %s | not graphc - 2>&1 | FileCheck --check-prefix=OTHER %s
// OTHER-NOT: such a number
// OTHER: error
// OTHER-NOT: such a number
graph.variable @w : tensor<f32> = #graph.zeros
graph.func @train() -> () attributes {role = #graph.role<train>} {
  %w = graph.read @w : tensor<f32>
  %l = graph.multiply %w, %w : tensor<f32>
  graph.minimize %l {optimizer = #graph.sgd<learning_rate = RATE>, clip_norm = 1.0} : tensor<f32>
  graph.return
}
