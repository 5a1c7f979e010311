// RUN: graph-opt %s --schedule --split-input-file --verify-diagnostics

dist.phase @p {role = #graph.role<predict>}
func.func private @one(memref<4xf32> {dist.access = "read"}, memref<4xf32> {dist.access = "write"})
dist.program @p.home of @p on "/job:worker/task:0/device:CPU:0" {
  dist.control_send []
  // expected-note @+1 {{the buffer is declared here; what it holds from the last step is undefined}}
  %x = dist.buffer : memref<4xf32>
  %y = dist.buffer : memref<4xf32>
  // expected-error @+1 {{reads a buffer that nothing wrote before in this step}}
  dist.call @one(%x, %y) : memref<4xf32>, memref<4xf32>
  dist.control_receive local
  dist.end
}

// -----

graph.variable @w : tensor<4xf32> = #graph.zeros
dist.phase @p {role = #graph.role<predict>}
func.func private @one(memref<4xf32> {dist.access = "read_write"})
dist.program @p.home of @p on "/job:worker/task:0/device:CPU:0" {
  dist.control_send []
  %w = dist.variable_buffer @w : memref<4xf32>
  // expected-note @+1 {{fetched here; a value that changes later needs a copy}}
  dist.fetch "w", %w : memref<4xf32>
  // expected-error @+1 {{writes memory whose value is fetched at the end of the step}}
  dist.call @one(%w) : memref<4xf32>
  dist.control_receive local
  dist.end
}

// -----

dist.phase @p {role = #graph.role<predict>}
// expected-note @+1 {{expected the argument attribute dist.access = "read", "write" or "read_write"}}
func.func private @one(memref<4xf32>)
dist.program @p.home of @p on "/job:worker/task:0/device:CPU:0" {
  dist.control_send []
  %x = dist.buffer : memref<4xf32>
  // expected-error @+1 {{calls the kernel @one, which does not say how it uses its argument 0}}
  dist.call @one(%x) : memref<4xf32>
  dist.control_receive local
  dist.end
}

// -----

dist.phase @p {role = #graph.role<predict>}
dist.program @p.home of @p on "/job:worker/task:0/device:CPU:0" {
  dist.control_send []
  // expected-error @+1 {{has no place in a program of buffers; outline turns what computes into kernels}}
  %c = graph.constant dense<1.0> : tensor<4xf32>
  dist.control_receive local
  dist.end
}

// -----

dist.phase @p {role = #graph.role<predict>}
dist.channel @p.x : tensor<4xf32> from @p.a to @p.b
dist.program @p.a of @p on "/job:worker/task:0/device:CPU:0" {
  dist.control_send []
  %x = dist.constant_buffer dense<0.0> : tensor<4xf32> to memref<4xf32>
  // expected-error @+1 {{is made by schedule, so this program was scheduled before; expected an outlined one}}
  dist.send_start @p.x, %x : memref<4xf32>
  dist.send_done @p.x
  dist.control_receive local
  dist.end
}
dist.program @p.b of @p on "/job:worker/task:1/device:CPU:0" {
  %x = dist.receive @p.x : memref<4xf32>
  dist.release @p.x
  dist.end
}
