// RUN: rm -rf %t && split-file %s %t
// Programs made by hand whose channels do not match: one error at the wrong end, and a note with the line of the other.

// RUN: sh -c 'graphc %t/no-receiver.mlir -o %t/no.plan; test $? = 1' 2>&1 | FileCheck %s --check-prefix=RECEIVER
// RECEIVER: no-receiver.mlir:2:1: error: 'dist.channel' op has no receiver in program @b
// RECEIVER: no-receiver.mlir:5:3: note: and is sent here
// RECEIVER-NOT: {{error|note}}:

// RUN: sh -c 'graphc %t/two-senders.mlir -o %t/no.plan; test $? = 1' 2>&1 | FileCheck %s --check-prefix=SENDERS
// SENDERS: two-senders.mlir:6:3: error: 'dist.send' op is a second sender of channel @c; expected exactly one
// SENDERS: two-senders.mlir:5:3: note: the first sender is here
// SENDERS: two-senders.mlir:2:1: note: channel declared here

// RUN: sh -c 'graphc %t/types.mlir -o %t/no.plan; test $? = 1' 2>&1 | FileCheck %s --check-prefix=TYPES
// TYPES: types.mlir:10:8: error: 'dist.receive' op has a value of type 'tensor<8xf32>', but channel @c carries 'tensor<4xf32>'
// TYPES: types.mlir:5:3: note: the other end is here

// A variable has to say where it is.
// RUN: sh -c 'graphc %t/variable.mlir -o %t/no.plan; test $? = 1' 2>&1 | FileCheck %s --check-prefix=VARIABLE
// VARIABLE: variable.mlir:5:8: error: 'graph.read' op touches @w on "/job:t/task:0/device:CPU:0", but it is stored on no device; give the variable {graph.device = #graph.device<"/job:t/task:0/device:CPU:0">}
// VARIABLE: variable.mlir:1:1: note: variable declared here
// RUN: not test -e %t/no.plan

// With it, the same module is a plan.
// RUN: sed 's|graph.zeros|& {graph.device = #graph.device<"/job:t/task:0/device:CPU:0">}|' %t/variable.mlir > %t/device.mlir
// RUN: graphc %t/device.mlir -o %t/device.plan

//--- no-receiver.mlir
dist.phase @p {role = #graph.role<predict>}
dist.channel @c : tensor<4xf32> from @a to @b
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  %x = dist.feed "x" : tensor<4xf32>
  dist.send @c, %x : tensor<4xf32>
  dist.end
}
dist.program @b of @p on "/job:t/task:1/device:CPU:0" {
  dist.end
}
//--- two-senders.mlir
dist.phase @p {role = #graph.role<predict>}
dist.channel @c : tensor<4xf32> from @a to @b
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  %x = dist.feed "x" : tensor<4xf32>
  dist.send @c, %x : tensor<4xf32>
  dist.send @c, %x : tensor<4xf32>
  dist.end
}
dist.program @b of @p on "/job:t/task:1/device:CPU:0" {
  %x = dist.receive @c : tensor<4xf32>
  dist.end
}
//--- types.mlir
dist.phase @p {role = #graph.role<predict>}
dist.channel @c : tensor<4xf32> from @a to @b
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  %x = dist.feed "x" : tensor<4xf32>
  dist.send @c, %x : tensor<4xf32>
  dist.end
}
dist.program @b of @p on "/job:t/task:1/device:CPU:0" {
  // one line further
  %x = dist.receive @c : tensor<8xf32>
  dist.end
}
//--- variable.mlir
graph.variable @w : tensor<4xf32> = #graph.zeros
dist.phase @p {role = #graph.role<predict>}
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  dist.control_send []
  %w = graph.read @w : tensor<4xf32>
  dist.fetch "w", %w : tensor<4xf32>
  dist.control_receive local
  dist.end
}
