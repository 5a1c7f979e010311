// RUN: graph-opt %s --split-input-file --verify-diagnostics

// (CH1) a size that no computer has: its bytes would overflow
// expected-error @below {{expected a static ranked tensor of i1, i8, ui8, i32, ui32, i64, bf16, f32 or f64 with at most 16 dimensions, none of them empty, and 2^37 elements}}
dist.channel @c : tensor<4294967296x4294967296xf32> from @a to @b

// -----

// (B2)
dist.phase @p {role = #graph.role<predict>}
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  // expected-error @below {{is a 'memref<4294967296x4294967296xf32>', expected at most 2^37 elements}}
  %0 = dist.buffer : memref<4294967296x4294967296xf32>
  dist.end
}
