//===- KernelPasses.td - passes on kernels alone -------------------------------*- tablegen -*-===//
#ifndef GRAPHC_PASSES_KERNELPASSES
#define GRAPHC_PASSES_KERNELPASSES

include "mlir/Pass/PassBase.td"

//===------------------------------------------------------------------------------------------===//
// lower: kernels to LLVM
//===------------------------------------------------------------------------------------------===//

def LowerNests : Pass<"lower-nests", "::mlir::func::FuncOp"> {
  let summary = "structured ops on buffers become loops over vectors of 16 elements";
  let description = [{
    Each linalg op becomes one nest of `scf.for`. A parallel nest runs its last loop 16 elements at
    a time, with a masked evaluation for the rest; where values follow from a number that counts
    through all rows and is shifted right, as a draw's block does, and rows have another length than
    whole blocks, vectors go on across the ends of rows. Reductions keep the numerical contract, one
    order for every sum, which follows from the reduced length alone:

    - The items of a sum are what the body gives for it, in row-major order over all reduced
      dimensions.
    - 1,024 items in order are a chunk, the last one what is left. In a chunk item i is added to
      partial sum i mod 32, in order; the 32 partial sums are joined as a tree: i with i + 16, then
      i + 8, 4, 2, 1. One without items does not count (-0.0).
    - The sums of the chunks are the items of the next level, until one is left. It is added to what
      the output held.

    Maxima, and, or and sums of integers take the same way, which changes nothing in them. A GPU has
    a thread for each partial sum and a warp for each chunk. Here the items of one sum are side by
    side in a vector, partial sums 0 to 15 and 16 to 31 in turn, or those of 16 neighbouring sums
    are, two partial sums of 64 sums at a time; which of the two is chosen by how operands lie in
    memory. Neither that nor what was fused into the body, nor a transposed operand, changes a bit.
    Nothing else is reassociated, nothing contracted.

    A kernel of 65,536 evaluations and more whose stages share a loop is cut into blocks of it
    (`dist.kernel_blocks`): all of its stages stand in one loop, from the first of two new arguments
    to the second, so that threads may do blocks at once. So is a kernel that is nothing but the
    parts of an operation's own loops (`passes/PartRangeLoop.h`); each block has a range of them.

    Example (`func.func(lower-nests)`):

    ```mlir
    func.func private @sum(%x: memref<10xf32>, %y: memref<f32>) {
      linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
          ins(%x : memref<10xf32>) outs(%y : memref<f32>) {
      ^bb0(%a: f32, %o: f32):
        %s = arith.addf %o, %a : f32
        linalg.yield %s : f32
      }
      return
    }
    ```

    becomes

    ```mlir
    %1 = vector.maskedload %arg0[%c0], … : memref<10xf32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
    …
    %4 = vector.shuffle %3, %3 [0, 1, 2, 3, 4, 5, 6, 7] : vector<16xf32>, vector<16xf32>
    %5 = vector.shuffle %3, %3 [8, 9, 10, 11, 12, 13, 14, 15] : vector<16xf32>, vector<16xf32>
    %6 = arith.addf %4, %5 : vector<8xf32>
    …
    %15 = arith.addf %13, %14 : vector<1xf32>
    %16 = vector.extract %15[0] : f32 from vector<1xf32>
    …
    %18 = arith.addf %17, %16 : f32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def ExpandMath : InterfacePass<"expand-math", "::mlir::FunctionOpInterface"> {
  let summary =
      "functions without an instruction on every CPU become additions and multiplications of our own choosing";
  let description = [{
    exp, log, tanh, power, exp - 1, log of 1 + x, erf, sine and cosine are good to about 2 units in
    the last place, f64's power to about 1e-15 relative; floor, ceil, rounding to even and the
    remainder are exact. A code object has no undefined symbol, so nothing may become a call of
    libm. Only additions, multiplications, divisions and bit operations are used, no fused
    multiply-add, so that every CPU gives the same bits. Scalars and vectors alike.

    Example (`func.func(expand-math)`):

    ```mlir
    func.func private @exponential(%x: f32) -> f32 {
      %y = math.exp %x : f32
      return %y : f32
    }
    ```

    becomes

    ```mlir
    %cst_4 = arith.constant 1.44269502 : f32
    %4 = arith.mulf %3, %cst_4 : f32
    %5 = arith.addf %4, %cst_3 : f32
    …
    %39 = arith.select …, %arg0, %38 : f32
    return %39 : f32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def VerifyKernels : Pass<"verify-kernels", "::mlir::func::FuncOp"> {
  let summary = "a kernel allocates nothing and calls nothing";
  let description = [{
    Refuses `memref.alloc`, `memref.alloca`, copies that would become a library call, and calls:
    buffers and their offsets are settled before kernels are lowered, and a code object has no
    undefined symbol.

    Example (`func.func(verify-kernels)`):

    ```mlir
    func.func private @kernel() {
      %0 = memref.alloc() : memref<4xf32>
      return
    }
    ```

    is refused:

    ```text
    in kernel 'kernel' allocates memory; every buffer of a kernel is planned before it is lowered
    ```
  }];
}

def KernelsToLLVM : Pass<"kernels-to-llvm", "::mlir::ModuleOp"> {
  let summary = "kernels in the LLVM dialect, with the table that the runtime looks up";
  let description = [{
    Each `func.func` becomes an `llvm.func` whose pointers are noalias and 64-byte aligned, behind
    an entry of the type of runtime/common/abi/KernelAbi.h; `graphc_kernels` lists the entries in
    the order of the functions in the module, each with the bytes and the access of its arguments,
    which graphrun compares with the plan's. dist programs stay as they are.

    Example:

    ```mlir
    func.func private @kernel(%x: memref<4xf32> {dist.access = "write"}) {
      return
    }
    ```

    becomes

    ```mlir
    llvm.func internal @kernel.body(%arg0: !llvm.ptr {dist.access = "write", llvm.align = 64 : i64, llvm.noalias, …}) … {
      llvm.return
    }
    llvm.func internal @kernel(%arg0: !llvm.ptr, %arg1: !llvm.ptr) -> i32 {
      %0 = llvm.getelementptr %arg0[0] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
      %1 = llvm.load %0 : !llvm.ptr -> !llvm.ptr
      llvm.call @kernel.body(%1) : (!llvm.ptr) -> ()
      %2 = llvm.mlir.constant(0 : i32) : i32
      llvm.return %2 : i32
    }
    …
    llvm.mlir.global external constant @graphc_kernels() …
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect",
                           "::mlir::cf::ControlFlowDialect", "::mlir::ub::UBDialect",
                           "::mlir::vector::VectorDialect"];
}

//===------------------------------------------------------------------------------------------===//
// gpu: kernels that a GPU launches
//===------------------------------------------------------------------------------------------===//

def KernelsToGpu : Pass<"kernels-to-gpu", "::mlir::ModuleOp"> {
  let summary = "kernels that a GPU's queue launches become functions over blocks and threads";
  let description = [{
    Each kernel that a program on a GPU calls becomes one launch or several, functions of the `gpu`
    dialect in the module `graphc_gpu`; its `func.func` stays for what it takes, and keeps its body
    where the host's threads call it as well.

    - The stages of a kernel (its linalg ops) share a launch where each of them has the same
      parallel loop, of which a block owns some indices, and where all that one stage hands to the
      next stays with the block that made it. Between them is a barrier. Where that is not so the
      next launch begins; a kernel of at most 32,768 evaluations a stage is one block instead.
    - Without reductions neighbouring threads do neighbouring elements, up to 4 elements and 16
      bytes a thread where they lie together.
    - Reductions keep the numerical contract of `lower-nests`: the threads of a warp have the 32
      partial sums of a chunk where the items of a sum lie together, and where neighbouring sums do,
      each thread has one of them, and the warps of a block share its partial sums. A sum of at most
      32 items is one thread's.
    - Loops that an operation writes itself are one thread's; where they have parts each thread has
      a part.

    Example:

    ```mlir
    dist.phase @s {role = #graph.role<train>}
    func.func private @twice(%x: memref<4096xf32> {dist.access = "read"}, %y: memref<4096xf32> {dist.access = "write"}) {
      linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
          ins(%x : memref<4096xf32>) outs(%y : memref<4096xf32>) {
      ^bb0(%a: f32, %o: f32):
        %s = arith.addf %a, %a : f32
        linalg.yield %s : f32
      }
      return
    }
    dist.program @s.worker of @s on "/job:worker/task:0/device:GPU:0" {
      %x = dist.buffer : memref<4096xf32>
      %y = dist.buffer : memref<4096xf32>
      dist.call @twice(%x, %y) {queue = 1 : i64} : memref<4096xf32>, memref<4096xf32>
      dist.end
    }
    ```

    becomes

    ```mlir
    gpu.module @graphc_gpu {
      gpu.func @twice_0(%arg0: memref<4096xf32> …, %arg1: memref<4096xf32> …) kernel attributes {dist.blocks = 4 : i64, dist.threads = 256 : i64, …} {
    …
        %5 = vector.load %arg0[%4] : memref<4096xf32>, vector<4xf32>
        %6 = arith.addf %5, %5 : vector<4xf32>
        vector.store %6, %arg1[%4] : memref<4096xf32>, vector<4xf32>
        gpu.return
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
  let statistics = [Statistic<"numLaunches", "launches", "launches that the kernels became">];
}

def GpuToNvvm : Pass<"gpu-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "the functions of a GPU in the LLVM dialect, with NVVM's operations";
  let description = [{
    Buffers become pointers that are 64-byte aligned, and where the kernel only reads them noalias
    and readonly. Nothing becomes a call: what `expand-math` has left of math is an instruction of
    the machine.

    Example (`gpu.module(gpu-to-nvvm)`):

    ```mlir
    gpu.module @graphc_gpu {
      gpu.func @first(%x: memref<4xi32> {dist.access = "write"}) kernel {
        %i = gpu.thread_id x
        %v = arith.index_cast %i : index to i32
        memref.store %v, %x[%i] : memref<4xi32>
        gpu.return
      }
    }
    ```

    becomes

    ```mlir
    llvm.func @first(%arg0: !llvm.ptr {llvm.align = 64 : i64}) attributes {gpu.kernel, nvvm.kernel} {
    …
      %9 = nvvm.read.ptx.sreg.tid.x : i32
    …
      llvm.store %9, …
      llvm.return
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
                           "::mlir::cf::ControlFlowDialect"];
}

#endif
