// RUN: graph-opt %s --schedule --verify-diagnostics --split-input-file
// A sum of what was written before it: there is no place in the step where all sums are there and nothing is written.

module attributes {graph.distribution = #graph.distribution<strategy = "all_reduce", mesh = #graph.mesh<["data" = 2], ["/job:worker/task:0-1/device:CPU:0"]>,
                   stores = ["/job:worker/task:0/device:CPU:0"], micro_batches = 2, recovers_from_memory = true>} {
graph.variable @w : tensor<16384xf32> = #graph.zeros
dist.phase @a.phase {role = #graph.role<train>}
dist.channel @a.sum : tensor<16384xf32> from @a to @a {all_to_all, instances = 2, algorithm = "scatter", chunk = 8192}
dist.channel @a.control : tensor<i64> from @a to @a {control, instances = 2}
func.func private @add(memref<8192xf32> {dist.access = "read_write"}, memref<8192xf32> {dist.access = "read"})
func.func private @change(memref<16384xf32> {dist.access = "read_write"})
func.func private @make(memref<16384xf32> {dist.access = "read"}, memref<16384xf32> {dist.access = "write"})
dist.program @a of @a.phase on "/job:worker/device:CPU:0" replicas(2) {
  dist.control_send [@a.control]
  %w = dist.variable_buffer @w : memref<16384xf32>
  %bucket = dist.buffer : memref<16384xf32>
  %scratch = dist.buffer : memref<8192xf32>
  // expected-error @+1 {{writes a variable before the last sum of the step is there, so the step has no commit point, which "recovery": "memory" needs; leave that out, or assign the variable what no later sum depends on}}
  dist.call @change(%w) : memref<16384xf32>
  dist.call @make(%w, %bucket) : memref<16384xf32>, memref<16384xf32>
  // expected-note @+1 {{this waits for others and comes behind it}}
  dist.all_reduce_start @a.sum, %bucket scratch %scratch by @add : memref<16384xf32>, memref<8192xf32>
  dist.all_reduce_done @a.sum, %bucket scratch %scratch : memref<16384xf32>, memref<8192xf32>
  dist.control_receive @a.control local
  dist.end
}
}

// -----

// What the server has written when a worker is lost nobody knows.

module attributes {graph.distribution = #graph.distribution<strategy = "all_reduce", mesh = #graph.mesh<["data" = 2], ["/job:worker/task:0-1/device:CPU:0"]>,
                   stores = ["/job:worker/task:0/device:CPU:0"], micro_batches = 2, recovers_from_memory = true>} {
graph.variable @w : tensor<4xf32> = #graph.zeros
// expected-error @+1 {{trains in 2 programs, and "recovery": "memory" needs one that is alone in its task: what another has written by a loss nobody knows; leave that out, or the model's devices}}
dist.phase @b.phase {role = #graph.role<train>}
dist.channel @b.g : tensor<4xf32> from @b.worker to @b.ps
dist.channel @b.control : tensor<i64> from @b.worker to @b.ps {control}
func.func private @apply(memref<4xf32> {dist.access = "read_write"}, memref<4xf32> {dist.access = "read"})
func.func private @make4(memref<4xf32> {dist.access = "write"})
dist.program @b.worker of @b.phase on "/job:worker/task:0/device:CPU:0" {
  dist.control_send [@b.control]
  %g = dist.buffer : memref<4xf32>
  dist.call @make4(%g) : memref<4xf32>
  dist.send @b.g, %g : memref<4xf32>
  dist.control_receive local
  dist.end
}
dist.program @b.ps of @b.phase on "/job:ps/task:0/device:CPU:0" {
  %w = dist.variable_buffer @w : memref<4xf32>
  %g = dist.receive @b.g : memref<4xf32>
  dist.call @apply(%w, %g) : memref<4xf32>, memref<4xf32>
  dist.control_receive @b.control
  dist.end
}
}

// -----

module attributes {graph.distribution = #graph.distribution<strategy = "all_reduce", mesh = #graph.mesh<["data" = 2], ["/job:worker/task:0-1/device:CPU:0"]>,
                   stores = ["/job:worker/task:0/device:CPU:0"], micro_batches = 2, recovers_from_memory = true>} {
graph.variable @w : tensor<4xf32> = #graph.zeros
dist.phase @c.phase {role = #graph.role<train>}
func.func private @change4(memref<4xf32> {dist.access = "read_write"})
// expected-error @+1 {{writes variables in memory of a device, which is no memory to recover from yet; leave "recovery": "memory" out, or train on CPUs}}
dist.program @c of @c.phase on "/job:worker/task:0/device:GPU:0" {
  dist.control_send []
  %w = dist.variable_buffer @w : memref<4xf32>
  dist.call @change4(%w) : memref<4xf32>
  dist.control_receive local
  dist.end
}
}
