// RUN: graph-opt %s --split-input-file --verify-diagnostics
// Buffers, calls and the ends of programs.

// (B1) where buffers begin
dist.phase @p {role = #graph.role<predict>}
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  // expected-error @below {{has offset 32, expected a multiple of 64 that is not negative}}
  %0 = dist.buffer {offset = 32} : memref<4xf32>
  dist.end
}

// -----

// (VB1) another type than the variable's
// expected-note @below {{variable declared here}}
graph.variable @w : tensor<4xf32> = #graph.zeros
dist.phase @p {role = #graph.role<predict>}
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  // expected-error @below {{is a 'memref<5xf32>', but the variable @w is a 'tensor<4xf32>'}}
  %0 = dist.variable_buffer @w : memref<5xf32>
  dist.end
}

// -----

// (VB1) of a variable that is none
dist.phase @p {role = #graph.role<predict>}
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  // expected-error @below {{names the variable @w, which this module does not declare}}
  %0 = dist.variable_buffer @w : memref<4xf32>
  dist.end
}

// -----

// (CB1) data of another type
dist.phase @p {role = #graph.role<predict>}
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  // expected-error @below {{has data of type 'tensor<2xi32>' in a 'memref<3xi32>'}}
  %0 = dist.constant_buffer dense<[1, 2]> : tensor<2xi32> to memref<3xi32>
  dist.end
}

// -----

// (VW1) a view of other elements
dist.phase @p {role = #graph.role<predict>}
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  %0 = dist.buffer : memref<4xf32>
  // expected-error @below {{expects elements of the same type, but goes from 'memref<4xf32>' to 'memref<4xi32>'}}
  %1 = dist.view %0 : memref<4xf32> to memref<4xi32>
  dist.end
}

// -----

// (K1) another number of buffers than the kernel takes
dist.phase @p {role = #graph.role<predict>}
// expected-note @below {{kernel defined here}}
func.func private @kernel(%a: memref<4xf32> {dist.access = "write"}) {
  return
}
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  %0 = dist.buffer : memref<4xf32>
  %1 = dist.buffer : memref<4xf32>
  // expected-error @below {{passes 2 buffers to the kernel @kernel, which takes 1}}
  dist.call @kernel(%0, %1) : memref<4xf32>, memref<4xf32>
  dist.end
}

// -----

// (NB2) another number of bounds than buffers
graph.dataset @d : (tensor<4xf32>, tensor<i32>) = #graph.synthetic<samples = 100, seed = 7, limits = [0, 10]>
dist.phase @p {role = #graph.role<predict>}
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  %x = dist.buffer : memref<2x4xf32>
  %y = dist.buffer : memref<2xi32>
  // expected-error @below {{has 1 classes, expected one number a buffer, 2}}
  dist.next_batch_into @d, %x, %y {batch = 2, classes = [10]} : memref<2x4xf32>, memref<2xi32>
  dist.end
}

// -----

// (PR3) a program that does not end
dist.phase @p {role = #graph.role<predict>}
// expected-error @below {{expects dist.end as its last operation}}
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  llvm.unreachable
}

// -----

// (PK1) nothing to pack
dist.phase @p {role = #graph.role<predict>}
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  // expected-error @below {{expects at least one value}}
  %0 = dist.pack : () -> tensor<16xf32>
  dist.end
}

// -----

// (NB3) samples that are not among those of the micro-batch
graph.dataset @d : (tensor<4xf32>) = #graph.synthetic<samples = 100, seed = 7>
dist.phase @p {role = #graph.role<predict>}
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  %x = dist.buffer : memref<2x4xf32>
  // expected-error @below {{takes samples 4 to 5 of each micro-batch, which has 5; offset + batch must be at most stride}}
  dist.next_batch_into @d, %x {batch = 2, offset = 4, stride = 5} : memref<2x4xf32>
  dist.end
}

// -----

// (NB1) a data set that there is not
dist.phase @p {role = #graph.role<predict>}
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  %x = dist.buffer : memref<2x4xf32>
  // expected-error @below {{names the data set @d, which this module does not declare}}
  dist.next_batch_into @d, %x {batch = 2} : memref<2x4xf32>
  dist.end
}
