// RUN: graph-opt %s --verify-partitioned --split-input-file --verify-diagnostics

// expected-note @below {{phase @p ends by the control message}}
dist.phase @p {role = #graph.role<predict>}
// expected-error @below {{expected dist.control_receive as the last thing of its step, or right before what it sends ahead}}
dist.program @a of @p on "/job:s/task:0/device:CPU:0" {
  dist.control_send []
  dist.end
}

// -----

// expected-note @below {{phase @p ends by the control message}}
dist.phase @p {role = #graph.role<predict>}
// expected-error @below {{expected dist.control_receive as the last thing of its step, or right before what it sends ahead}}
dist.program @a of @p on "/job:s/task:0/device:CPU:0" {
  dist.control_send []
  dist.control_receive local
  %x = dist.feed "x" : tensor<4xf32>
  dist.end
}

// -----

// expected-error @below {{has no dist.control_send, so that nothing would end it}}
dist.phase @p {role = #graph.role<predict>}
dist.program @a of @p on "/job:s/task:0/device:CPU:0" {
  dist.control_receive local
  dist.end
}

// -----

// expected-error @below {{ends by end of stream, but none of its programs takes a dist.ticket}}
dist.phase @p {role = #graph.role<train>, ends_by_end_of_stream}
dist.program @a of @p on "/job:s/task:0/device:CPU:0" {
  dist.end
}

// -----

dist.phase @p {role = #graph.role<train>, ends_by_end_of_stream}
dist.program @a of @p on "/job:s/task:0/device:CPU:0" {
  // expected-note @below {{the first one is here}}
  dist.ticket
  // expected-error @below {{is the second one of phase @p}}
  dist.ticket
  dist.end
}

// -----

// expected-note @below {{variable declared here}}
graph.variable @w : tensor<4xf32> = #graph.zeros {graph.device = #graph.device<"/job:s/task:1/device:CPU:0">}
dist.phase @p {role = #graph.role<predict>}
dist.program @a of @p on "/job:s/task:0/device:CPU:0" {
  dist.control_send []
  // expected-error @below {{touches @w on "/job:s/task:0/device:CPU:0", but it is stored on "/job:s/task:1/device:CPU:0"}}
  %w = graph.read @w : tensor<4xf32>
  dist.control_receive local
  dist.end
}

// -----

// expected-error @below {{expected to be gone after partition}}
graph.func @f() -> () attributes {role = #graph.role<predict>} {
  graph.return
}

// -----

module attributes {graph.cluster = #graph.cluster<jobs = [t = 1], devices = [t = ["CPU:0", "GPU:0"]], chief = "/job:t/task:0">} {
dist.phase @p {role = #graph.role<predict>}
// expected-error @below {{is on "/job:t/task:0/device:GPU:3"; a task of job t has 1 GPU, counted from 0}}
dist.program @a of @p on "/job:t/task:0/device:GPU:3" {
  dist.control_send []
  dist.control_receive local
  dist.end
}
}

// -----

// expected-note @below {{the first one is here}}
dist.phase @p {role = #graph.role<predict>}
// expected-error @below {{is the second one of its role, so that no run would reach it}}
dist.phase @q {role = #graph.role<predict>}
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  dist.control_send []
  dist.control_receive local
  dist.end
}
dist.program @b of @q on "/job:t/task:0/device:CPU:0" {
  dist.control_send []
  dist.control_receive local
  dist.end
}

// -----

module attributes {graph.cluster = #graph.cluster<jobs = [t = 1], devices = [t = ["CPU:0", "CPU:1"]], chief = "/job:t/task:0">} {
dist.phase @f {role = #graph.role<train>}
// expected-error @below {{is on "/job:t/task:0/device:CPU:2"; a task of job t has 2 CPUs, counted from 0}}
dist.program @f.t0 of @f on "/job:t/task:0/device:CPU:2" {
  dist.control_send []
  dist.control_receive local
  dist.end
}
}

// -----

// What takes an update ticket begins with it; before, it only receives what tells it who is where.
dist.phase @p {role = #graph.role<train>, ends_by_end_of_stream}
dist.channel @early : tensor<4xf32> from @a to @b
dist.channel @ready : tensor<i64> from @b to @a
dist.program @a of @p on "/job:s/task:0/device:CPU:0" {
  %x = dist.feed "x" : tensor<4xf32>
  // expected-error @below {{stands before the dist.ticket of its program; of what sends and receives only dist.receive may}}
  dist.send @early, %x : tensor<4xf32>
  %r = dist.receive @ready : tensor<i64>
  // expected-note @below {{the ticket is taken here}}
  dist.ticket
  dist.end
}
dist.program @b of @p on "/job:t/task:0/device:CPU:0" {
  %y = dist.receive @early : tensor<4xf32>
  %z = dist.feed "z" : tensor<i64>
  dist.send @ready, %z : tensor<i64>
  dist.end
}

// -----

graph.dataset @d : (tensor<f32>) = #graph.synthetic<samples = 10, seed = 1>
// expected-note @below {{expected samples_per_step and dataset here}}
dist.phase @p {role = #graph.role<train>}
dist.program @a of @p on "/job:s/task:0/device:CPU:0" {
  dist.control_send []
  // expected-error @below {{reads @d, but phase @p takes no samples}}
  %x = graph.next_batch @d {batch = 4} : tensor<4xf32>
  dist.control_receive local
  dist.end
}

// -----

graph.dataset @d : (tensor<f32>) = #graph.synthetic<samples = 10, seed = 1>
graph.dataset @e : (tensor<f32>) = #graph.synthetic<samples = 10, seed = 1>
// expected-error @below {{takes samples of @e, which none of its programs reads}}
dist.phase @p {role = #graph.role<train>, samples_per_step = 4, dataset = @e}
dist.program @a of @p on "/job:s/task:0/device:CPU:0" {
  dist.control_send []
  %x = graph.next_batch @d {batch = 4} : tensor<4xf32>
  dist.control_receive local
  dist.end
}

// -----

graph.dataset @d : (tensor<f32>) = #graph.synthetic<samples = 10, seed = 1>
dist.phase @p {role = #graph.role<train>, samples_per_step = 4, dataset = @d, ends_by_end_of_stream}
dist.program @a of @p on "/job:s/task:0/device:CPU:0" replicas(2) {
  dist.ticket
  %x = dist.buffer : memref<4xf32>
  %v = dist.buffer : memref<4xi1>
  // expected-error @below {{pads the last batch of an epoch (pad_last), but the replicas of @p do not wait for each other}}
  // expected-note @below {{without pad_last}}
  dist.next_batch_into @d, %x valid %v {batch = 4, pad_last} : memref<4xf32> valid memref<4xi1>
  dist.end
}
