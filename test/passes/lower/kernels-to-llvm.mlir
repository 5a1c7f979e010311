// RUN: graph-opt --kernels-to-llvm %s | FileCheck %s

// The loops take pointers that do not alias and are aligned; the entry, of the type of KernelAbi.h, fetches them; the table
// lists the entries in text order, and for each how many arguments of how many bytes it takes: 0 is read, 1 write, 2 both. Variables and programs stay.
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
// Which blocks a kernel that is cut shall do stands in its context; an end of 0 is the last.
// CHECK: llvm.func internal @cut.body(%{{.*}}: !llvm.ptr {{{.*}}}, %{{[a-z0-9]*}}: i64, %{{[a-z0-9]*}}: i64)
// CHECK: llvm.func internal @cut(%{{.*}}: !llvm.ptr, %[[CONTEXT:.*]]: !llvm.ptr) -> i32
// CHECK: llvm.getelementptr %[[CONTEXT]][12]
// CHECK: %[[FROM:.*]] = llvm.zext
// CHECK: llvm.getelementptr %[[CONTEXT]][16]
// CHECK: %[[TO:.*]] = llvm.zext
// CHECK: %[[ALL:.*]] = llvm.icmp "eq" %[[TO]]
// CHECK: %[[END:.*]] = llvm.select %[[ALL]], %{{.*}}, %[[TO]]
// CHECK: llvm.call @cut.body(%{{.*}}, %[[FROM]], %[[END]])
func.func private @cut(%x: memref<4xf64> {dist.access = "write"}, %first: index, %end: index) attributes {dist.kernel_blocks = 8 : i64} {
  return
}
// CHECK: llvm.mlir.global internal constant @graphc_kernel_arguments() {{.*}}: !llvm.array<4 x struct<(i64, i64)>>
// CHECK: %[[BYTES:.*]] = llvm.mlir.constant(16 : i64)
// CHECK: %[[READ:.*]] = llvm.mlir.constant(0 : i64)
// CHECK: llvm.insertvalue %[[BYTES]], %{{.*}}[0, 0]
// CHECK: llvm.insertvalue %[[READ]], %{{.*}}[0, 1]
// CHECK: %[[WRITE:.*]] = llvm.mlir.constant(1 : i64)
// CHECK: llvm.insertvalue %[[WRITE]], %{{.*}}[1, 1]
// CHECK: %[[LARGER:.*]] = llvm.mlir.constant(32 : i64)
// CHECK: %[[BOTH:.*]] = llvm.mlir.constant(2 : i64)
// CHECK: llvm.insertvalue %[[LARGER]], %{{.*}}[2, 0]
// CHECK: llvm.insertvalue %[[BOTH]], %{{.*}}[2, 1]
// CHECK: llvm.mlir.global internal constant @graphc_kernel_list() {{.*}}: !llvm.array<3 x struct<(ptr, i32, i32, i32, i32)>>
// CHECK: llvm.mlir.addressof @first
// CHECK: %[[FIRST:.*]] = llvm.mlir.constant(0 : i32)
// CHECK: %[[TWO:.*]] = llvm.mlir.constant(2 : i32)
// CHECK: llvm.insertvalue %[[FIRST]], %{{.*}}[0, 1]
// CHECK: llvm.insertvalue %[[TWO]], %{{.*}}[0, 2]
// CHECK: llvm.mlir.addressof @second
// CHECK: llvm.insertvalue %{{.*}}, %{{.*}}[1, 2]
// CHECK: llvm.insertvalue %{{.*}}, %{{.*}}[1, 3]
// CHECK: llvm.mlir.addressof @cut
// CHECK: %[[BLOCKS:.*]] = llvm.mlir.constant(8 : i32)
// CHECK: llvm.insertvalue %[[BLOCKS]], %{{.*}}[2, 3]
// CHECK: llvm.mlir.global external constant @graphc_kernels
// CHECK-NOT: func.func
// CHECK-NOT: unrealized_conversion_cast
