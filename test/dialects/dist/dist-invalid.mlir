// RUN: graph-opt %s --split-input-file --verify-diagnostics

// (CH5) a channel without receiver
dist.phase @p {role = #graph.role<predict>}
// expected-error @below {{'dist.channel' op has no receiver in program @b}}
dist.channel @c : tensor<4xf32> from @a to @b
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  %x = dist.feed "x" : tensor<4xf32>
  // expected-note @below {{and is sent here}}
  dist.send @c, %x : tensor<4xf32>
  dist.end
}
dist.program @b of @p on "/job:t/task:1/device:CPU:0" {
  dist.end
}

// -----

// (CH5) a channel without sender
dist.phase @p {role = #graph.role<predict>}
// expected-error @below {{'dist.channel' op has no sender in program @a}}
dist.channel @c : tensor<4xf32> from @a to @b
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  dist.end
}
dist.program @b of @p on "/job:t/task:1/device:CPU:0" {
  // expected-note @below {{and would be received here}}
  %x = dist.receive @c : tensor<4xf32>
  dist.end
}

// -----

// (CH5) neither end
dist.phase @p {role = #graph.role<predict>}
// expected-error @below {{'dist.channel' op has no sender in program @a}}
dist.channel @c : tensor<4xf32> from @a to @b
// expected-note @below {{program declared here}}
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  dist.end
}
dist.program @b of @p on "/job:t/task:1/device:CPU:0" {
  dist.end
}

// -----

// (CH5) two senders in the sending program
dist.phase @p {role = #graph.role<predict>}
// expected-note @below {{channel declared here}}
dist.channel @c : tensor<4xf32> from @a to @b
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  %x = dist.feed "x" : tensor<4xf32>
  // expected-note @below {{the first sender is here}}
  dist.send @c, %x : tensor<4xf32>
  // expected-error @below {{'dist.send' op is a second sender of channel @c; expected exactly one}}
  dist.send @c, %x : tensor<4xf32>
  dist.end
}
dist.program @b of @p on "/job:t/task:1/device:CPU:0" {
  %x = dist.receive @c : tensor<4xf32>
  dist.end
}

// -----

// (E1) two senders in two programs: the second is not the one that the channel names
dist.phase @p {role = #graph.role<predict>}
// expected-note @below {{channel declared here, from @a to @b}}
dist.channel @c : tensor<4xf32> from @a to @b
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  %x = dist.feed "x" : tensor<4xf32>
  dist.send @c, %x : tensor<4xf32>
  dist.end
}
dist.program @b of @p on "/job:t/task:1/device:CPU:0" {
  %x = dist.receive @c : tensor<4xf32>
  dist.end
}
dist.program @other of @p on "/job:t/task:2/device:CPU:0" {
  %x = dist.feed "x" : tensor<4xf32>
  // expected-error @below {{'dist.send' op acts on the sending side of @c in program @other, but that side is program @a}}
  dist.send @c, %x : tensor<4xf32>
  dist.end
}

// -----

// (E1) a receiver in the wrong program
dist.phase @p {role = #graph.role<predict>}
// expected-note @below {{channel declared here, from @a to @b}}
dist.channel @c : tensor<4xf32> from @a to @b
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  %x = dist.feed "x" : tensor<4xf32>
  dist.send @c, %x : tensor<4xf32>
  // expected-error @below {{'dist.receive' op acts on the receiving side of @c in program @a, but that side is program @b}}
  %y = dist.receive @c : tensor<4xf32>
  dist.end
}
dist.program @b of @p on "/job:t/task:1/device:CPU:0" {
  %x = dist.receive @c : tensor<4xf32>
  dist.end
}

// -----

// (E2) differing types
dist.phase @p {role = #graph.role<predict>}
dist.channel @c : tensor<4xf32> from @a to @b
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  %x = dist.feed "x" : tensor<4xf32>
  // expected-note @below {{the other end is here}}
  dist.send @c, %x : tensor<4xf32>
  dist.end
}
dist.program @b of @p on "/job:t/task:1/device:CPU:0" {
  // expected-error @below {{'dist.receive' op has a value of type 'tensor<8xf32>', but channel @c carries 'tensor<4xf32>'}}
  %x = dist.receive @c : tensor<8xf32>
  dist.end
}

// -----

// (E2) differing element types at the sender
dist.phase @p {role = #graph.role<predict>}
dist.channel @c : tensor<4xf32> from @a to @b
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  %x = dist.feed "x" : tensor<4xi32>
  // expected-error @below {{'dist.send' op has a value of type 'tensor<4xi32>', but channel @c carries 'tensor<4xf32>'}}
  dist.send @c, %x : tensor<4xi32>
  dist.end
}
dist.program @b of @p on "/job:t/task:1/device:CPU:0" {
  // expected-note @below {{the other end is here}}
  %x = dist.receive @c : tensor<4xf32>
  dist.end
}

// -----

// (E1) no such channel
dist.phase @p {role = #graph.role<predict>}
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  // expected-error @below {{'dist.receive' op names the channel @nowhere, which this module does not declare}}
  %x = dist.receive @nowhere : tensor<8xf32>
  dist.end
}

// -----

// (CH3) a value sent to itself
dist.phase @p {role = #graph.role<predict>}
// expected-error @below {{'dist.channel' op sends a value from @a to itself; a program uses its own values directly}}
dist.channel @c : tensor<4xf32> from @a to @a
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  %x = dist.receive @c : tensor<4xf32>
  dist.send @c, %x : tensor<4xf32>
  dist.end
}

// -----

// (CH1) types
// expected-error @below {{'dist.channel' op carries 'tensor<?xf32>'; expected a static ranked tensor of i1, i8, ui8, i32, ui32, i64, bf16, f32 or f64 with at most 16 dimensions, none of them empty, and 2^37 elements}}
dist.channel @c : tensor<?xf32> from @a to @b

// -----

// expected-error @below {{'dist.channel' op carries 'f32'; expected a static ranked tensor of i1, i8, ui8, i32, ui32, i64, bf16, f32 or f64 with at most 16 dimensions, none of them empty, and 2^37 elements}}
dist.channel @c : f32 from @a to @b

// -----

// expected-error @below {{'dist.channel' op carries the control message, a tensor<i64>, not 'tensor<f32>'}}
dist.channel @c : tensor<f32> from @a to @b {control}

// -----

// expected-error @below {{attribute 'capacity' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
dist.channel @c : tensor<f32> from @a to @b {capacity = 0}

// -----

// (CH2) programs
// expected-error @below {{'dist.channel' op names the program @a, which this module does not define}}
dist.channel @c : tensor<4xf32> from @a to @b

// -----

dist.phase @p {role = #graph.role<predict>}
dist.phase @q {role = #graph.role<predict>}
// expected-error @below {{'dist.channel' op joins programs of two phases, @p and @q; phases never overlap}}
dist.channel @c : tensor<4xf32> from @a to @b
// expected-note @below {{sending program declared here}}
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  %x = dist.feed "x" : tensor<4xf32>
  dist.send @c, %x : tensor<4xf32>
  dist.end
}
// expected-note @below {{receiving program declared here}}
dist.program @b of @q on "/job:t/task:1/device:CPU:0" {
  %x = dist.receive @c : tensor<4xf32>
  dist.end
}

// -----

// (CH4) instances
dist.phase @p {role = #graph.role<predict>}
// expected-error @below {{'dist.channel' op joins replicated programs of 2 and 3 instances}}
dist.channel @c : tensor<4xf32> from @a to @b {instances = 2}
// expected-note @below {{sending program declared here}}
dist.program @a of @p on "/job:s/device:CPU:0" replicas(2) {
  %x = dist.feed "x" : tensor<4xf32>
  dist.send @c, %x : tensor<4xf32>
  dist.end
}
// expected-note @below {{receiving program declared here}}
dist.program @b of @p on "/job:t/device:CPU:0" replicas(3) {
  %x = dist.receive @c : tensor<4xf32>
  dist.end
}

// -----

dist.phase @p {role = #graph.role<predict>}
// expected-error @below {{'dist.channel' op has 1 instance(s); its programs make it 3}}
dist.channel @c : tensor<4xf32> from @a to @b
// expected-note @below {{sending program has 1}}
dist.program @a of @p on "/job:s/task:0/device:CPU:0" {
  %x = dist.feed "x" : tensor<4xf32>
  dist.send @c, %x : tensor<4xf32>
  dist.end
}
// expected-note @below {{receiving program has 3}}
dist.program @b of @p on "/job:t/device:CPU:0" replicas(3) {
  %x = dist.receive @c : tensor<4xf32>
  dist.end
}

// -----

// (E4) one message of a replicated program
dist.phase @p {role = #graph.role<predict>}
dist.channel @c : tensor<4xf32> from @a to @b {instances = 2}
// expected-note @below {{sending program declared here}}
dist.program @a of @p on "/job:s/device:CPU:0" replicas(2) {
  %x = dist.feed "x" : tensor<4xf32>
  dist.send @c, %x : tensor<4xf32>
  dist.end
}
dist.program @b of @p on "/job:t/task:0/device:CPU:0" {
  // expected-error @below {{takes one message, but the sending program @a has 2 instances; take their sum with dist.aggregate}}
  %x = dist.receive @c : tensor<4xf32>
  dist.end
}

// -----

// (A1) the sending program has one instance
dist.phase @p {role = #graph.role<predict>}
dist.channel @c : tensor<4xf32> from @a to @b
// expected-note @below {{sending program declared here}}
dist.program @a of @p on "/job:s/task:0/device:CPU:0" {
  %x = dist.feed "x" : tensor<4xf32>
  dist.send @c, %x : tensor<4xf32>
  dist.end
}
dist.program @b of @p on "/job:t/task:0/device:CPU:0" {
  // expected-error @below {{takes the messages of all instances of a replicated program in a program of one instance; @a has 1 instance(s) and @b has 1}}
  %x = dist.aggregate @c : tensor<4xf32>
  dist.end
}

// -----

// (A1) both programs are replicated
dist.phase @p {role = #graph.role<predict>}
dist.channel @c : tensor<4xf32> from @a to @b {instances = 2}
// expected-note @below {{sending program declared here}}
dist.program @a of @p on "/job:s/device:CPU:0" replicas(2) {
  %x = dist.feed "x" : tensor<4xf32>
  dist.send @c, %x : tensor<4xf32>
  dist.end
}
dist.program @b of @p on "/job:t/device:CPU:0" replicas(2) {
  // expected-error @below {{takes the messages of all instances of a replicated program in a program of one instance; @a has 2 instance(s) and @b has 2}}
  %x = dist.aggregate @c : tensor<4xf32>
  dist.end
}

// -----

// (E3) data over a control channel
dist.phase @p {role = #graph.role<predict>}
// expected-note @below {{channel declared here}}
dist.channel @c : tensor<i64> from @a to @b {control}
dist.program @a of @p on "/job:s/task:0/device:CPU:0" {
  %x = dist.feed "x" : tensor<i64>
  // expected-error @below {{'dist.send' op expects a data channel, but @c is a control channel}}
  dist.send @c, %x : tensor<i64>
  dist.end
}
dist.program @b of @p on "/job:t/task:0/device:CPU:0" {
  dist.control_receive @c
  dist.end
}

// -----

// (E3) the control message over a data channel
dist.phase @p {role = #graph.role<predict>}
// expected-note @below {{channel declared here}}
dist.channel @c : tensor<i64> from @a to @b
dist.program @a of @p on "/job:s/task:0/device:CPU:0" {
  // expected-error @below {{'dist.control_send' op expects a control channel, but @c is a data channel}}
  dist.control_send [@c]
  dist.end
}
dist.program @b of @p on "/job:t/task:0/device:CPU:0" {
  %x = dist.receive @c : tensor<i64>
  dist.end
}

// -----

// (CR1)
dist.phase @p {role = #graph.role<predict>}
dist.program @a of @p on "/job:s/task:0/device:CPU:0" {
  // expected-error @below {{needs a control channel, because it is not local to the chief's program}}
  dist.control_receive
  dist.end
}

// -----

dist.phase @p {role = #graph.role<predict>}
dist.program @a of @p on "/job:s/device:CPU:0" replicas(2) {
  // expected-error @below {{needs a control channel, because its program has instances that did not decide}}
  dist.control_receive local
  dist.end
}

// -----

// (PH1)
// expected-error @below {{'dist.phase' op has no program; expected at least one dist.program of @p}}
dist.phase @p {role = #graph.role<predict>}

// -----

dist.phase @p {role = #graph.role<predict>}
dist.program @a of @p on "/job:s/task:0/device:CPU:0" {
  // expected-note @below {{the first one is here}}
  dist.control_send []
  dist.end
}
dist.program @b of @p on "/job:s/task:1/device:CPU:0" {
  // expected-error @below {{is the second one of phase @p; one program alone decides when a phase ends}}
  dist.control_send []
  dist.end
}

// -----

// expected-note @below {{phase declared here}}
dist.phase @p {role = #graph.role<train>, ends_by_end_of_stream}
dist.program @a of @p on "/job:s/task:0/device:CPU:0" {
  // expected-error @below {{in phase @p, which ends by end of stream}}
  dist.control_send []
  dist.end
}

// -----

// (PH2)
// expected-error @below {{expects samples_per_step and dataset both or neither; only samples_per_step is given}}
dist.phase @p {role = #graph.role<train>, samples_per_step = 4}

// -----

// expected-error @below {{expects samples_per_step and dataset both or neither; only dataset is given}}
dist.phase @p {role = #graph.role<train>, dataset = @d}

// -----

// (PH3)
// expected-error @below {{has the role #graph.zeros, expected #graph.role<train>, <eval> or <predict>}}
dist.phase @p {role = #graph.zeros}

// -----

// (T1)
// expected-note @below {{phase declared here}}
dist.phase @p {role = #graph.role<train>}
dist.program @a of @p on "/job:s/task:0/device:CPU:0" {
  // expected-error @below {{in phase @p, which ends by the control message and not by end of stream}}
  dist.ticket
  dist.end
}

// -----

// (M1)
dist.phase @p {role = #graph.role<eval>}
dist.program @a of @p on "/job:s/task:0/device:CPU:0" {
  %x = dist.feed "x" : tensor<f32>
  %n = dist.feed "n" : tensor<i64>
  // expected-error @below {{has a sum of type 'tensor<f32>'; expected a scalar of i64 or f64}}
  dist.metric "m", %x, %n : tensor<f32>, tensor<i64>
  dist.end
}

// -----

dist.phase @p {role = #graph.role<eval>}
dist.program @a of @p on "/job:s/task:0/device:CPU:0" {
  %n = dist.feed "n" : tensor<4xi64>
  %s = dist.feed "s" : tensor<i64>
  // expected-error @below {{has a count of type 'tensor<4xi64>'; expected a scalar of i64}}
  dist.metric "m", %s, %n : tensor<i64>, tensor<4xi64>
  dist.end
}

// -----

dist.phase @p {role = #graph.role<eval>}
dist.program @a of @p on "/job:s/task:0/device:CPU:0" {
  %n = dist.feed "n" : tensor<4xi64>
  // expected-error @below {{attribute 'reduction' failed to satisfy constraint: "mean", "sum" or "first_replica"}}
  dist.fetch "m", %n {reduction = "median"} : tensor<4xi64>
  dist.end
}

// -----

// Names that a plan refuses are refused where they stand.
dist.phase @p {role = #graph.role<eval>}
dist.program @a of @p on "/job:s/task:0/device:CPU:0" {
  // expected-error @below {{name must have no control character}}
  %n = dist.feed "n\1B[31m" : tensor<i64>
  dist.end
}

// -----

dist.phase @p {role = #graph.role<eval>}
dist.program @a of @p on "/job:s/task:0/device:CPU:0" {
  %n = dist.feed "n" : tensor<i64>
  // (N1) expected-error @below {{name must not be empty}}
  dist.fetch "", %n : tensor<i64>
  dist.end
}

// -----

dist.phase @p {role = #graph.role<eval>}
dist.program @a of @p on "/job:s/task:0/device:CPU:0" {
  %n = dist.feed "n" : tensor<i64>
  // expected-error @below {{name must have no control character}}
  dist.metric "m\0A", %n, %n : tensor<i64>, tensor<i64>
  dist.end
}

// -----

dist.phase @p {role = #graph.role<eval>}
dist.program @a of @p on "/job:s/task:0/device:CPU:0" {
  %n = dist.buffer : memref<4xf32>
  // expected-error @below {{name must be UTF-8}}
  dist.feed_into "\FF", %n : memref<4xf32>
  dist.end
}
