// RUN: graph-opt --kernels-to-llvm %s | FileCheck %s

// The loops take pointers that do not alias and are aligned; the entry, of the type of KernelAbi.h, fetches them; the table
// lists the entries in text order. Variables and programs stay.
// CHECK: graph.variable @w
graph.variable @w : tensor<4xf32> = #graph.zeros
// CHECK: llvm.func internal @first.body(%{{.*}}: !llvm.ptr {{{.*}}llvm.align = 64 : i64{{.*}}llvm.noalias
// CHECK: llvm.func internal @first(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr) -> i32
// CHECK: llvm.call @first.body
func.func private @first(%x: memref<4xf32> {dist.access = "read"}, %y: memref<4xf32> {dist.access = "write"}) {
  %c0 = arith.constant 0 : index
  %v = memref.load %x[%c0] : memref<4xf32>
  memref.store %v, %y[%c0] : memref<4xf32>
  return
}
// CHECK: llvm.func internal @second.body
func.func private @second(%x: memref<2x2xf64> {dist.access = "read_write"}) {
  return
}
// CHECK: llvm.mlir.addressof @first
// CHECK: llvm.mlir.addressof @second
// CHECK-NOT: func.func
// CHECK-NOT: unrealized_conversion_cast
