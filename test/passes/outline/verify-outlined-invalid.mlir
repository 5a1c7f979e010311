// RUN: graph-opt %s --split-input-file --verify-diagnostics --verify-outlined

dist.phase @p {role = #graph.role<predict>}
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  // expected-error @below {{is left in an outlined program, which has buffers and calls alone}}
  %x = dist.feed "x" : tensor<4xf32>
  dist.end
}

// -----

dist.phase @p {role = #graph.role<predict>}
func.func private @kernel(%a: memref<4xf32> {dist.access = "read"}, %b: memref<4xf32> {dist.access = "write"}) {
  return
}
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  %0 = dist.buffer : memref<4xf32>
  %1 = dist.buffer : memref<2x2xf32>
  %2 = dist.view %1 : memref<2x2xf32> to memref<4xf32>
  %3 = dist.view %1 : memref<2x2xf32> to memref<4xf32>
  dist.call @kernel(%0, %2) : memref<4xf32>, memref<4xf32>
  // expected-error @below {{passes the same memory as arguments 0 and 1, one of which is written}}
  dist.call @kernel(%2, %3) : memref<4xf32>, memref<4xf32>
  dist.end
}
