// RUN: graph-opt %s --pass-pipeline='builtin.module(gpu.module(gpu-to-nvvm))' | FileCheck %s

// Pointers say what they promise, a read buffer that nobody writes it; the block's memory is aligned for 16 bytes at once. Indices have 32 bits, since no
// buffer has more elements. No call is left.
// CHECK-LABEL: llvm.func @all
// CHECK-SAME: llvm.align = 64 : i64, llvm.noalias, llvm.readonly
// CHECK-SAME: %{{.*}}: !llvm.ptr {llvm.align = 64 : i64}
// CHECK-SAME: nvvm.kernel
// CHECK-DAG: nvvm.read.ptx.sreg.tid.x : i32
// CHECK-DAG: nvvm.read.ptx.sreg.ctaid.x : i32
// CHECK: llvm.intr.fabs
// CHECK: llvm.intr.floor
// CHECK: nvvm.shfl.sync down
// CHECK: nvvm.barrier
// CHECK: llvm.return
// CHECK-NOT: llvm.call
// CHECK-NOT: unrealized_conversion_cast
gpu.module @graphc_gpu {
  gpu.func @all(%x: memref<256xf32> {dist.access = "read"}, %y: memref<256xf32> {dist.access = "write"})
      workgroup(%s: memref<1024xf32, #gpu.address_space<workgroup>>) kernel {
    %i = gpu.thread_id x
    %b = gpu.block_id x
    %at = arith.addi %i, %b : index
    %v = memref.load %x[%at] : memref<256xf32>
    %p = math.absf %v : f32
    %f = math.floor %p : f32
    %one = arith.constant 1 : i32
    %width = arith.constant 32 : i32
    %other, %valid = gpu.shuffle down %f, %one, %width : f32
    memref.store %other, %s[%i] : memref<1024xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %w = memref.load %s[%b] : memref<1024xf32, #gpu.address_space<workgroup>>
    memref.store %w, %y[%i] : memref<256xf32>
    gpu.return
  }
}

