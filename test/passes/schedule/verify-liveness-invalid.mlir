// RUN: graph-opt %s --verify-liveness --split-input-file --verify-diagnostics
// RUN: not graph-opt %s --verify-liveness --split-input-file 2>&1 | FileCheck %s
// A cycle by capacity needs a message sent ahead: CH5 rules two of one step on a channel out; test/passes/analysis has those.

// The example of the README: each receives before it sends. Both locations are named.
// CHECK: verify-liveness-invalid.mlir:[[# @LINE + 7]]:8: error: programs @p.a and @p.b wait for each other in a circle
dist.phase @p {role = #graph.role<predict>}
dist.channel @p.x : tensor<4xf32> from @p.a to @p.b
dist.channel @p.y : tensor<4xf32> from @p.b to @p.a
dist.program @p.a of @p on "/job:worker/task:0/device:CPU:0" {
  // expected-error @+2 {{programs @p.a and @p.b wait for each other in a circle, so the step can never end; one of them has to send before it receives}}
  // expected-note @+1 {{@p.a receives @p.y here, which waits until @p.b sends @p.y}}
  %y = dist.receive @p.y : tensor<4xf32>
  // expected-note @+1 {{@p.a sends @p.x here, only after it receives @p.y}}
  dist.send @p.x, %y : tensor<4xf32>
  dist.end
}
dist.program @p.b of @p on "/job:worker/task:1/device:CPU:0" {
  // expected-note @+1 {{@p.b receives @p.x here, which waits until @p.a sends @p.x}}
  %x = dist.receive @p.x : tensor<4xf32>
  %z = dist.feed "z" : tensor<4xf32>
  // expected-note @+1 {{@p.b sends @p.y here, only after it receives @p.x}}
  dist.send @p.y, %z : tensor<4xf32>
  dist.end
}

// -----

// A ring of three, with replicated programs and aggregates too; what else the programs do is not named.
dist.phase @r {role = #graph.role<train>}
dist.channel @r.x : tensor<4xf32> from @r.a to @r.b {instances = 2}
dist.channel @r.y : tensor<4xf32> from @r.b to @r.c {instances = 2}
dist.channel @r.z : tensor<4xf32> from @r.c to @r.a
dist.channel @r.free : tensor<4xf32> from @r.a to @r.b {instances = 2}
dist.program @r.a of @r on "/job:worker/task:0/device:CPU:0" {
  %f = dist.feed "f" : tensor<4xf32>
  dist.send @r.free, %f : tensor<4xf32>
  // expected-error @+2 {{programs @r.a, @r.b and @r.c wait for each other in a circle}}
  // expected-note @+1 {{@r.a receives @r.z here, which waits until @r.c sends @r.z}}
  %z = dist.receive @r.z : tensor<4xf32>
  // expected-note @+1 {{@r.a sends @r.x here, only after it receives @r.z}}
  dist.send @r.x, %z : tensor<4xf32>
  dist.end
}
dist.program @r.b of @r on "/job:worker/device:CPU:0" replicas(2) {
  %f = dist.receive @r.free : tensor<4xf32>
  // expected-note @+1 {{@r.b receives @r.x here, which waits until @r.a sends @r.x}}
  %x = dist.receive @r.x : tensor<4xf32>
  // expected-note @+1 {{@r.b sends @r.y here, only after it receives @r.x}}
  dist.send @r.y, %x : tensor<4xf32>
  dist.end
}
dist.program @r.c of @r on "/job:ps/task:0/device:CPU:0" {
  // expected-note @+1 {{@r.c receives @r.y here, which waits until @r.b sends @r.y}}
  %y = dist.aggregate @r.y : tensor<4xf32>
  // expected-note @+1 {{@r.c sends @r.z here, only after it receives @r.y}}
  dist.send @r.z, %y : tensor<4xf32>
  dist.end
}

// -----

// The control message counts: it stands behind a message that only comes after the control message was taken.
dist.phase @c {role = #graph.role<predict>}
dist.channel @c.x : tensor<4xf32> from @c.b to @c.a
dist.channel @c.control : tensor<i64> from @c.a to @c.b {control}
dist.program @c.a of @c on "/job:worker/task:0/device:CPU:0" {
  // expected-error @+2 {{programs @c.a and @c.b wait for each other in a circle}}
  // expected-note @+1 {{@c.a receives @c.x here, which waits until @c.b sends @c.x}}
  %x = dist.receive @c.x : tensor<4xf32>
  // expected-note @+1 {{@c.a sends @c.control here, only after it receives @c.x}}
  dist.control_send [@c.control]
  dist.control_receive local
  dist.end
}
dist.program @c.b of @c on "/job:worker/task:1/device:CPU:0" {
  // expected-note @+1 {{@c.b receives @c.control here, which waits until @c.a sends @c.control}}
  dist.control_receive @c.control
  %z = dist.feed "z" : tensor<4xf32>
  // expected-note @+1 {{@c.b sends @c.x here, only after it receives @c.control}}
  dist.send @c.x, %z : tensor<4xf32>
  dist.end
}

// -----

// Where a phase ends by end of stream, its end has to reach every program.
graph.variable @w : tensor<4xf32> = #graph.zeros
dist.phase @e {role = #graph.role<train>, ends_by_end_of_stream}
dist.channel @e.g : tensor<4xf32> from @e.worker to @e.ps0 {instances = 2}
// expected-error @+1 {{never learns that phase @e is over: no channel leads to it from @e.ps1; each step has to send it a value of that task}}
dist.program @e.ps0 of @e on "/job:ps/task:0/device:CPU:0" replicas(2) {
  %g = dist.receive @e.g : tensor<4xf32>
  graph.apply_sgd @w, %g {learning_rate = 0.1} : tensor<4xf32>
  dist.end
}
dist.program @e.ps1 of @e on "/job:ps/task:1/device:CPU:0" replicas(2) {
  // expected-note @+1 {{the end begins here, where no update ticket is left}}
  dist.ticket
  dist.end
}
dist.program @e.worker of @e on "/job:worker/device:CPU:0" replicas(2) {
  %g = dist.feed "g" : tensor<4xf32>
  dist.send @e.g, %g : tensor<4xf32>
  dist.end
}

// -----

// The same two values in different order where the sender needs its memory back before it goes on: the first is read in
// place, and the receiver waits for the second before it takes the first.
graph.variable @w : tensor<2048xf32> = #graph.zeros
dist.phase @o {role = #graph.role<train>}
dist.channel @o.first : tensor<2048xf32> from @o.a to @o.b {zero_copy}
dist.channel @o.second : tensor<2048xf32> from @o.a to @o.b
dist.channel @o.control : tensor<i64> from @o.b to @o.a {control}
dist.program @o.a of @o on "/job:ps/task:0/device:CPU:0" attributes {arena_bytes = 0 : i64} {
  %w = dist.variable_buffer @w : memref<2048xf32>
  dist.send_start @o.first, %w : memref<2048xf32>
  // expected-error @below {{programs @o.a and @o.b wait for each other in a circle, so the step can never end}}
  // expected-note @below {{@o.a finishes sending @o.first here, which waits until @o.b releases @o.first, whose memory it reads in place}}
  dist.send_done @o.first
  // expected-note @below {{@o.a sends @o.second here, only after it finishes sending @o.first}}
  dist.send_start @o.second, %w : memref<2048xf32>
  dist.send_done @o.second
  dist.control_receive @o.control
  dist.end
}
dist.program @o.b of @o on "/job:worker/task:0/device:CPU:0" attributes {arena_bytes = 0 : i64} {
  dist.control_send [@o.control]
  // expected-note @below {{@o.b receives @o.second here, which waits until @o.a sends @o.second}}
  %second = dist.receive @o.second : memref<2048xf32>
  dist.release @o.second
  %first = dist.receive @o.first : memref<2048xf32>
  // expected-note @below {{@o.b releases @o.first here, only after it receives @o.second}}
  dist.release @o.first
  dist.control_receive local
  dist.end
}

// -----

// The reader of @c.w asks for @c.v while it still reads, the writer answers only after the release.
dist.phase @c {role = #graph.role<train>}
dist.channel @c.w : tensor<2048xf32> from @c.ps to @c.worker {zero_copy}
dist.channel @c.v : tensor<2048xf32> from @c.ps to @c.worker
dist.channel @c.control : tensor<i64> from @c.worker to @c.ps {control}
graph.variable @w : tensor<2048xf32> = #graph.zeros
dist.program @c.ps of @c on "/job:ps/task:0/device:CPU:0" attributes {arena_bytes = 0 : i64} {
  %w = dist.variable_buffer @w : memref<2048xf32>
  dist.send_start @c.w, %w : memref<2048xf32>
  // expected-error @below {{programs @c.ps and @c.worker wait for each other in a circle, so the step can never end}}
  // expected-note @below {{@c.ps finishes sending @c.w here, which waits until @c.worker releases @c.w, whose memory it reads in place}}
  dist.send_done @c.w
  // expected-note @below {{@c.ps sends @c.v here, only after it finishes sending @c.w}}
  dist.send_start @c.v, %w : memref<2048xf32>
  dist.send_done @c.v
  dist.control_receive @c.control
  dist.end
}
dist.program @c.worker of @c on "/job:worker/task:0/device:CPU:0" attributes {arena_bytes = 0 : i64} {
  dist.control_send [@c.control]
  %w = dist.receive @c.w : memref<2048xf32>
  // expected-note @below {{@c.worker receives @c.v here, which waits until @c.ps sends @c.v}}
  %v = dist.receive @c.v : memref<2048xf32>
  dist.release @c.v
  // expected-note @below {{@c.worker releases @c.w here, only after it receives @c.v}}
  dist.release @c.w
  dist.control_receive local
  dist.end
}

// -----

// @a.w leaves ahead into the one slot of its channel, which the reader gives back only after what comes behind that.
dist.phase @a {role = #graph.role<train>}
dist.channel @a.w : tensor<4xf32> from @a.ps to @a.worker
dist.channel @a.v : tensor<4xf32> from @a.ps to @a.worker
dist.channel @a.control : tensor<i64> from @a.worker to @a.ps {control}
graph.variable @w : tensor<4xf32> = #graph.zeros
dist.program @a.ps of @a on "/job:ps/task:0/device:CPU:0" attributes {arena_bytes = 0 : i64} {
  %w = dist.variable_buffer @w : memref<4xf32>
  dist.send_done @a.w
  dist.control_receive @a.control
  // expected-error @below {{programs @a.ps and @a.worker wait for each other in a circle, so the step can never end}}
  // expected-note @below {{@a.ps sends @a.w here, which waits until @a.worker releases @a.w and makes room for it}}
  dist.send_start @a.w, %w {ahead} : memref<4xf32>
  // expected-note @below {{@a.ps sends @a.v here, only after it sends @a.w}}
  dist.send_start @a.v, %w : memref<4xf32>
  dist.send_done @a.v
  dist.end
}
dist.program @a.worker of @a on "/job:worker/task:0/device:CPU:0" attributes {arena_bytes = 0 : i64} {
  dist.control_send [@a.control]
  %w = dist.receive @a.w : memref<4xf32>
  // expected-note @below {{@a.worker receives @a.v here, which waits until @a.ps sends @a.v}}
  %v = dist.receive @a.v : memref<4xf32>
  dist.release @a.v
  // expected-note @below {{@a.worker releases @a.w here, only after it receives @a.v}}
  dist.release @a.w
  dist.control_receive local
  dist.end
}

// -----

// Each instance asks for the others' parts of a sum before it has sent its own.
dist.phase @s {role = #graph.role<train>}
dist.channel @s.sum : tensor<4xf32> from @s.worker to @s.worker {all_to_all, instances = 2}
dist.channel @s.control : tensor<i64> from @s.worker to @s.worker {control, instances = 2}
dist.program @s.worker of @s on "/job:worker/device:CPU:0" replicas(2) {
  dist.control_send [@s.control]
  %g = dist.feed "g" : tensor<4xf32>
  // expected-error @+2 {{program @s.worker waits for itself, so the step can never end; one of them has to send before it receives}}
  // expected-note @+1 {{@s.worker receives @s.sum here, which waits until @s.worker sends @s.sum}}
  %sum = dist.aggregate @s.sum own %g : tensor<4xf32>
  // expected-note @+1 {{@s.worker sends @s.sum here, only after it receives @s.sum}}
  dist.send @s.sum, %g : tensor<4xf32>
  dist.control_receive @s.control local
  dist.end
}

// -----

// In each iteration both receive first.
dist.phase @l {role = #graph.role<predict>}
dist.channel @l.x : tensor<4xf32> from @l.a to @l.b {capacity = 2}
dist.channel @l.y : tensor<4xf32> from @l.b to @l.a {capacity = 2}
dist.program @l.a of @l on "/job:worker/task:0/device:CPU:0" {
  %f = dist.feed "f" : tensor<4xf32>
  graph.repeat 3 {
    // expected-error @+2 {{programs @l.a and @l.b wait for each other in a circle}}
    // expected-note @+1 {{@l.a receives @l.y here, which waits until @l.b sends @l.y}}
    %y = dist.receive @l.y : tensor<4xf32>
    // expected-note @+1 {{@l.a sends @l.x here, only after it receives @l.y}}
    dist.send @l.x, %f : tensor<4xf32>
  }
  dist.end
}
dist.program @l.b of @l on "/job:worker/task:1/device:CPU:0" {
  %f = dist.feed "f" : tensor<4xf32>
  graph.repeat 3 {
    // expected-note @+1 {{@l.b receives @l.x here, which waits until @l.a sends @l.x}}
    %x = dist.receive @l.x : tensor<4xf32>
    // expected-note @+1 {{@l.b sends @l.y here, only after it receives @l.x}}
    dist.send @l.y, %f : tensor<4xf32>
  }
  dist.end
}

// -----

// What one of them needs before its loop the other sends behind its own.
dist.phase @m {role = #graph.role<predict>}
dist.channel @m.x : tensor<4xf32> from @m.a to @m.b
dist.channel @m.y : tensor<4xf32> from @m.a to @m.b
dist.program @m.a of @m on "/job:worker/task:0/device:CPU:0" {
  %f = dist.feed "f" : tensor<4xf32>
  graph.repeat 3 {
    dist.send @m.x, %f : tensor<4xf32>
  }
  // expected-error @+2 {{programs @m.a and @m.b wait for each other in a circle}}
  // expected-note @+1 {{@m.a sends @m.y here, only behind its loop, which waits until the others begin theirs}}
  dist.send @m.y, %f : tensor<4xf32>
  dist.end
}
dist.program @m.b of @m on "/job:worker/task:1/device:CPU:0" {
  // expected-note @+1 {{@m.b receives @m.y here, which waits until @m.a sends @m.y}}
  %y = dist.receive @m.y : tensor<4xf32>
  // expected-note @+1 {{@m.b repeats this, only after it receives @m.y}}
  graph.repeat 3 {
    %x = dist.receive @m.x : tensor<4xf32>
  }
  dist.end
}

// -----

// One program has two loops that would have to run together.
dist.phase @n {role = #graph.role<predict>}
dist.channel @n.x : tensor<4xf32> from @n.a to @n.b
dist.channel @n.y : tensor<4xf32> from @n.b to @n.a
dist.program @n.a of @n on "/job:worker/task:0/device:CPU:0" {
  %f = dist.feed "f" : tensor<4xf32>
  // expected-error @+1 {{can never begin: loops that send to each other run together, and one of these waits for the end of another}}
  graph.repeat 3 {
    dist.send @n.x, %f : tensor<4xf32>
  }
  // expected-note @+1 {{another is here}}
  graph.repeat 3 {
    %y = dist.receive @n.y : tensor<4xf32>
  }
  dist.end
}
dist.program @n.b of @n on "/job:worker/task:1/device:CPU:0" {
  // expected-note @+1 {{another is here}}
  graph.repeat 3 {
    %x = dist.receive @n.x : tensor<4xf32>
    dist.send @n.y, %x : tensor<4xf32>
  }
  dist.end
}
