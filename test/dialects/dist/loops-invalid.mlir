// RUN: graph-opt %s --split-input-file --verify-diagnostics

dist.phase @p {role = #graph.role<train>}
dist.program @a of @p on "/job:worker/task:0/device:CPU:0" {
  %x = dist.buffer : memref<4xf32>
  // expected-note @below {{repeated by this}}
  dist.repeat 3 {
    // (RP1)
    // expected-error @below {{is repeated; what is repeated calls, copies, takes batches, accumulates, names parts of memory, signals and waits, or sends and receives, but nothing ahead}}
    dist.fetch "x", %x : memref<4xf32>
  }
  dist.end
}

// -----

graph.dataset @d : (tensor<4xf32>) = #graph.synthetic<samples = 100, seed = 7>
dist.phase @p {role = #graph.role<train>, samples_per_step = 3, dataset = @d}
dist.program @a of @p on "/job:worker/task:0/device:CPU:0" {
  %x = dist.buffer : memref<1x4xf32>
  dist.repeat 3 {
    // (RP2)
    // expected-error @below {{takes micro-batches 1 to 3, but a step has 3}}
    dist.next_batch_into @d, %x {batch = 1, micro_batch = 1, micro_batches = 3} : memref<1x4xf32>
  }
  dist.end
}

// -----

dist.phase @p {role = #graph.role<train>}
func.func private @add(memref<4xf32> {dist.access = "read_write"}, memref<4xf32> {dist.access = "read"})
dist.program @a of @p on "/job:worker/task:0/device:CPU:0" {
  %x = dist.buffer : memref<4xf32>
  %s = dist.buffer : memref<4xf32>
  // (AC1)
  // expected-error @below {{stands outside of a dist.repeat}}
  dist.accumulate %x into(%s) by @add : memref<4xf32>, memref<4xf32>
  dist.end
}

// -----

dist.phase @p {role = #graph.role<train>}
func.func private @add(memref<4xf32> {dist.access = "read_write"}, memref<4xf32> {dist.access = "read"})
dist.program @a of @p on "/job:worker/task:0/device:CPU:0" {
  %x = dist.buffer : memref<4xf32>
  %s = dist.buffer : memref<4xf32>
  dist.repeat 3 {
    // (AC1)
    // expected-error @below {{sums 4 values, which are no whole leaves of 3}}
    dist.accumulate %x into(%s) by @add {per_leaf = 3} : memref<4xf32>, memref<4xf32>
  }
  dist.end
}

// -----

dist.phase @p {role = #graph.role<train>}
func.func private @add(memref<4xf32> {dist.access = "read_write"}, memref<4xf32> {dist.access = "read"})
dist.program @a of @p on "/job:worker/task:0/device:CPU:0" {
  %x = dist.buffer : memref<4xf32>
  %s = dist.buffer : memref<4xf32>
  dist.repeat 3 {
    // (AC1)
    // expected-error @below {{has 1 partial sums, expected 2 for 4 leaves of 1}}
    dist.accumulate %x into(%s) by @add : memref<4xf32>, memref<4xf32>
  }
  dist.end
}

// -----

dist.phase @p {role = #graph.role<train>}
func.func private @add(memref<4xf32> {dist.access = "read_write"}, memref<4xf32> {dist.access = "read"})
dist.program @a of @p on "/job:worker/task:0/device:CPU:0" {
  %x = dist.buffer : memref<4xf32>
  %s = dist.buffer : memref<2xf32>
  dist.repeat 1 {
    // (AC2)
    // expected-error @below {{has partial sums of another type than its value's, 'memref<4xf32>'}}
    dist.accumulate %x into(%s) by @add : memref<4xf32>, memref<2xf32>
  }
  dist.end
}

// -----

dist.phase @p {role = #graph.role<train>}
func.func private @add(memref<3xf32> {dist.access = "read_write"}, memref<3xf32> {dist.access = "read"})
dist.program @a of @p on "/job:worker/task:0/device:CPU:0" {
  %x = dist.buffer : memref<4xf32>
  %s = dist.buffer : memref<4xf32>
  dist.repeat 1 {
    // (AC2)
    // expected-error @below {{sums chunks of 3 elements, which do not divide the 4 of its value}}
    dist.accumulate %x into(%s) by @add {chunk = 3} : memref<4xf32>, memref<4xf32>
  }
  dist.end
}

// -----

dist.phase @p {role = #graph.role<train>}
dist.program @a of @p on "/job:worker/task:0/device:CPU:0" {
  %x = dist.buffer : memref<4xf32>
  %s = dist.buffer : memref<4xf32>
  dist.repeat 1 {
    // (K1)
    // expected-error @below {{calls the kernel @add, which this module does not define}}
    dist.accumulate %x into(%s) by @add : memref<4xf32>, memref<4xf32>
  }
  dist.end
}

// -----

dist.phase @p {role = #graph.role<train>}
dist.program @a of @p on "/job:worker/task:0/device:CPU:0" {
  // (RP3)
  // expected-error @below {{repeats 0 operations 3 times; expected some, at most 2147483647 times}}
  dist.repeat 3 {
  }
  dist.end
}

// -----

dist.phase @p {role = #graph.role<train>}
func.func private @add(memref<4xf32> {dist.access = "read_write"}, memref<4xf32> {dist.access = "read"})
dist.program @a of @p on "/job:worker/task:0/device:CPU:0" {
  %x = dist.buffer : memref<4xf32>
  %s = dist.buffer : memref<4xf32>
  // expected-error @below {{repeats 1 operations 4294967295 times; expected some, at most 2147483647 times}}
  dist.repeat 4294967295 {
    dist.call @add(%s, %x) : memref<4xf32>, memref<4xf32>
  }
  dist.end
}

// -----

dist.phase @p {role = #graph.role<train>}
func.func private @add(memref<4xf32> {dist.access = "read_write"}, memref<4xf32> {dist.access = "read"})
dist.program @a of @p on "/job:worker/task:0/device:CPU:0" {
  %x = dist.buffer : memref<4xf32>
  %s = dist.buffer : memref<4xf32>
  dist.repeat 3 {
    // (AC3)
    // expected-error @below {{has one buffer for two of its sums or its value; expected one for each}}
    dist.accumulate %x into(%s, %s) by @add : memref<4xf32>, memref<4xf32>, memref<4xf32>
  }
  dist.end
}

// -----

graph.variable @v : tensor<4xf32> = #graph.zeros
dist.phase @p {role = #graph.role<train>}
dist.channel @p.x : tensor<4xf32> from @p.a to @p.b
dist.program @p.a of @p on "/job:worker/task:0/device:CPU:0" {
  %v = dist.variable_buffer @v : memref<4xf32>
  // expected-note @below {{repeated by this}}
  dist.repeat 3 {
    // (RP1)
    // expected-error @below {{is repeated; what is repeated calls,}}
    dist.send_start @p.x, %v {ahead} : memref<4xf32>
  }
  dist.end
}

// -----

// Sends may be repeated; ops that take the messages of all instances may not.
dist.phase @p {role = #graph.role<train>}
func.func private @add(memref<4xf32> {dist.access = "read_write"}, memref<4xf32> {dist.access = "read"})
dist.program @p.b of @p on "/job:worker/task:1/device:CPU:0" {
  %s = dist.buffer : memref<4xf32>
  // expected-note @below {{repeated by this}}
  dist.repeat 3 {
    // (RP1)
    // expected-error @below {{is repeated; what is repeated calls,}}
    dist.aggregate_into @p.x, %s by @add : memref<4xf32>
  }
  dist.end
}

// -----

dist.phase @p {role = #graph.role<train>}
dist.channel @p.x : tensor<4xf32> from @p.a to @p.b
dist.program @p.a of @p on "/job:worker/task:0/device:CPU:0" {
  %x = dist.buffer : memref<4xf32>
  dist.repeat 3 {
    // expected-note @below {{sent here}}
    dist.send @p.x, %x : memref<4xf32>
  }
  dist.end
}
dist.program @p.b of @p on "/job:worker/task:1/device:CPU:0" {
  dist.repeat 4 {
    // (CH10)
    // expected-error @below {{receives from @p.x in a loop of 4, but it is sent in a loop of 3; expected both ends in loops of equal count, or both outside}}
    %x = dist.receive @p.x : memref<4xf32>
  }
  dist.end
}

// -----

dist.phase @p {role = #graph.role<train>}
dist.channel @p.x : tensor<4xf32> from @p.a to @p.b
dist.program @p.a of @p on "/job:worker/task:0/device:CPU:0" {
  %x = dist.feed "x" : tensor<4xf32>
  graph.repeat 3 {
    // expected-note @below {{sent here}}
    dist.send @p.x, %x : tensor<4xf32>
  }
  dist.end
}
dist.program @p.b of @p on "/job:worker/task:1/device:CPU:0" {
  // (CH10)
  // expected-error @below {{receives from @p.x outside of loops, but it is sent in a loop of 3}}
  %x = dist.receive @p.x : tensor<4xf32>
  dist.end
}

// -----

dist.phase @p {role = #graph.role<train>, ends_by_end_of_stream}
dist.channel @p.x : tensor<4xf32> from @p.a to @p.b
dist.program @p.a of @p on "/job:worker/task:0/device:CPU:0" {
  %x = dist.buffer : memref<4xf32>
  dist.repeat 3 {
    // expected-note @below {{sent here}}
    dist.send @p.x, %x : memref<4xf32>
  }
  dist.end
}
dist.program @p.b of @p on "/job:worker/task:1/device:CPU:0" {
  dist.repeat 3 {
    // (CH10)
    // expected-error @below {{receives from @p.x in a loop of 3, but phase @p ends by end of stream, which could come between two iterations}}
    %x = dist.receive @p.x : memref<4xf32>
  }
  dist.end
}

// -----

// A loop of a function is in no program.
graph.func @f(%x: tensor<4xf32>) attributes {role = #graph.role<predict>} {
  graph.repeat 3 {
    // (E1)
    // expected-error @below {{stands in no dist.program; expected one of the programs that @c joins around it}}
    dist.send @c, %x : tensor<4xf32>
    graph.yield
  }
  graph.return
}
dist.phase @p {role = #graph.role<train>}
dist.channel @c : tensor<4xf32> from @a to @b
dist.program @a of @p on "/job:worker/task:0/device:CPU:0" {
  %x = graph.constant dense<1.0> : tensor<4xf32>
  dist.send @c, %x : tensor<4xf32>
  dist.end
}
dist.program @b of @p on "/job:worker/task:1/device:CPU:0" {
  %x = dist.receive @c : tensor<4xf32>
  dist.end
}

// -----

dist.phase @p {role = #graph.role<train>}
dist.program @a of @p on "/job:worker/task:0/device:CPU:0" {
  %n = dist.buffer : memref<i64>
  dist.repeat 3 {
    // (RP2)
    // expected-error @below {{numbers micro-batches 1 to 3, but a step has 3}}
    dist.micro_batch_index_into %n {micro_batch = 1, micro_batches = 3} : memref<i64>
  }
  dist.end
}

// -----

dist.phase @p {role = #graph.role<train>}
dist.program @a of @p on "/job:worker/task:0/device:CPU:0" {
  %n = dist.buffer : memref<1xi64>
  // (MI1)
  // expected-error @below {{gives a scalar i64, got 'memref<1xi64>'}}
  dist.micro_batch_index_into %n : memref<1xi64>
  dist.end
}

// -----

dist.phase @p {role = #graph.role<train>}
dist.program @a of @p on "/job:worker/task:0/device:CPU:0" {
  %n = dist.buffer : memref<i64>
  // (MI2)
  // expected-error @below {{has micro_batch 3, expected one below micro_batches, 3}}
  dist.micro_batch_index_into %n {micro_batch = 3, micro_batches = 3} : memref<i64>
  dist.end
}
