// RUN: graph-opt %s --split-input-file --kernels-to-gpu --canonicalize --cse | FileCheck %s

#cluster = #graph.cluster<jobs = [worker = 1], chief = "/job:worker/task:0">
#id = affine_map<(i) -> (i)>

// Each thread does 4 elements of 4 bytes, each block 1,024; nobody else calls the kernel, so of its function only what it takes stays.
// CHECK: func.func private @twice(memref<4096xf32> {dist.access = "read"}, memref<4096xf32> {dist.access = "write"}) attributes {dist.launches = 1 : i64}
// CHECK-LABEL: gpu.module @graphc_gpu
// CHECK: gpu.func @twice_0(%[[X:.*]]: memref<4096xf32> {dist.access = "read"}, %[[Y:.*]]: memref<4096xf32> {dist.access = "write"}) kernel
// CHECK-SAME: dist.blocks = 4 : i64, dist.threads = 256 : i64
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>
// CHECK-SAME: known_grid_size = array<i32: 4, 1, 1>
// CHECK-DAG: %[[THREAD:.*]] = gpu.thread_id x
// CHECK-DAG: %[[BLOCK:.*]] = gpu.block_id x
// CHECK: %[[FIRST:.*]] = arith.muli %[[BLOCK]], %c1024
// CHECK: %[[MINE:.*]] = arith.muli %[[THREAD]], %c4
// CHECK: %[[AT:.*]] = arith.addi %[[FIRST]], %[[MINE]]
// CHECK: %[[V:.*]] = vector.load %[[X]][%[[AT]]] : memref<4096xf32>, vector<4xf32>
// CHECK: %[[S:.*]] = arith.addf %[[V]], %[[V]]
// CHECK: vector.store %[[S]], %[[Y]][%[[AT]]]
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
module attributes {graph.cluster = #cluster, graph.strategy = #graph.strategy<name = "one_device">} {
  func.func private @twice(%x: memref<4096xf32> {dist.access = "read"}, %y: memref<4096xf32> {dist.access = "write"}) {
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<4096xf32>) outs(%y : memref<4096xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %a, %a : f32
      linalg.yield %s : f32
    }
    return
  }
  dist.phase @s {role = #graph.role<train>}
  dist.program @s.worker of @s on "/job:worker/task:0/device:GPU:0" {
    %x = dist.buffer : memref<4096xf32>
    %y = dist.buffer : memref<4096xf32>
    dist.call @twice(%x, %y) {queue = 1 : i64} : memref<4096xf32>, memref<4096xf32>
    dist.end
  }
}

// -----

// Rows of a softmax: all stages share a launch whose blocks own rows, with barriers between; a warp sums a row of more than 32 items, each of its threads
// with one partial sum.
#cluster = #graph.cluster<jobs = [worker = 1], chief = "/job:worker/task:0">
#all = affine_map<(r, c) -> (r, c)>
#row = affine_map<(r, c) -> (r)>
#r = affine_map<(r) -> (r)>
// CHECK-LABEL: gpu.func @rows_0
// CHECK-SAME: dist.blocks = 400 : i64
// CHECK: memref.store %{{.*}}, %{{.*}}[%{{.*}}] : memref<4000xf32>
// CHECK: gpu.barrier
// CHECK: scf.for
// CHECK: gpu.shuffle down
// CHECK: gpu.barrier
// CHECK: vector.store
// CHECK-NOT: @rows_1
module attributes {graph.cluster = #cluster, graph.strategy = #graph.strategy<name = "one_device">} {
  func.func private @rows(%x: memref<4000x200xf32> {dist.access = "read"}, %s: memref<4000xf32> {dist.access = "write"}, %y: memref<4000x200xf32> {dist.access = "write"}) {
    %zero = arith.constant 0.0 : f32
    linalg.generic {indexing_maps = [#r], iterator_types = ["parallel"]} outs(%s : memref<4000xf32>) {
    ^bb0(%o: f32):
      linalg.yield %zero : f32
    }
    linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<4000x200xf32>) outs(%s : memref<4000xf32>) {
    ^bb0(%a: f32, %o: f32):
      %n = arith.addf %o, %a : f32
      linalg.yield %n : f32
    }
    linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %s : memref<4000x200xf32>, memref<4000xf32>) outs(%y : memref<4000x200xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %n = arith.divf %a, %b : f32
      linalg.yield %n : f32
    }
    return
  }
  dist.phase @s {role = #graph.role<train>}
  dist.program @s.worker of @s on "/job:worker/task:0/device:GPU:0" {
    %x = dist.buffer : memref<4000x200xf32>
    %s = dist.buffer : memref<4000xf32>
    %y = dist.buffer : memref<4000x200xf32>
    dist.call @rows(%x, %s, %y) {queue = 1 : i64} : memref<4000x200xf32>, memref<4000xf32>, memref<4000x200xf32>
    dist.end
  }
}

// -----

// Sums over rows and then what they are used for: the second stage needs all sums, which are those of other blocks, so it is a launch of its own. Neighbouring
// sums by neighbouring threads, whose warps share the partial sums through the block's memory.
#cluster = #graph.cluster<jobs = [worker = 1], chief = "/job:worker/task:0">
#all = affine_map<(r, c) -> (r, c)>
#column = affine_map<(r, c) -> (c)>
// CHECK: func.func private @columns({{.*}}) attributes {dist.launches = 2 : i64}
// CHECK-LABEL: gpu.func @columns_0
// CHECK-SAME: workgroup(%[[SHARED:.*]] : memref<1024xf32, #gpu.address_space<workgroup>>)
// CHECK-SAME: dist.blocks = 32 : i64
// CHECK: memref.store %{{.*}}, %[[SHARED]]
// CHECK: gpu.barrier
// CHECK: memref.load %[[SHARED]]
// CHECK-LABEL: gpu.func @columns_1
module attributes {graph.cluster = #cluster, graph.strategy = #graph.strategy<name = "one_device">} {
  func.func private @columns(%x: memref<1000x1000xf32> {dist.access = "read"}, %s: memref<1000xf32> {dist.access = "read_write"}, %y: memref<1000x1000xf32> {dist.access = "write"}) {
    linalg.generic {indexing_maps = [#all, #column], iterator_types = ["reduction", "parallel"]} ins(%x : memref<1000x1000xf32>) outs(%s : memref<1000xf32>) {
    ^bb0(%a: f32, %o: f32):
      %n = arith.addf %o, %a : f32
      linalg.yield %n : f32
    }
    linalg.generic {indexing_maps = [#all, affine_map<(r, c) -> (r)>, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %s : memref<1000x1000xf32>, memref<1000xf32>) outs(%y : memref<1000x1000xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %n = arith.subf %a, %b : f32
      linalg.yield %n : f32
    }
    return
  }
  dist.phase @s {role = #graph.role<train>}
  dist.program @s.worker of @s on "/job:worker/task:0/device:GPU:0" {
    %x = dist.buffer : memref<1000x1000xf32>
    %s = dist.buffer : memref<1000xf32>
    %y = dist.buffer : memref<1000x1000xf32>
    dist.call @columns(%x, %s, %y) {queue = 1 : i64} : memref<1000x1000xf32>, memref<1000xf32>, memref<1000x1000xf32>
    dist.end
  }
}

// -----

// The same of a small tensor is one block with a barrier.
#cluster = #graph.cluster<jobs = [worker = 1], chief = "/job:worker/task:0">
#all = affine_map<(r, c) -> (r, c)>
#column = affine_map<(r, c) -> (c)>
// CHECK-LABEL: gpu.func @columns_0
// CHECK-SAME: dist.blocks = 1 : i64
// CHECK: gpu.barrier
// CHECK-NOT: gpu.func
module attributes {graph.cluster = #cluster, graph.strategy = #graph.strategy<name = "one_device">} {
  func.func private @columns(%x: memref<10x10xf32> {dist.access = "read"}, %s: memref<10xf32> {dist.access = "read_write"}, %y: memref<10x10xf32> {dist.access = "write"}) {
    linalg.generic {indexing_maps = [#all, #column], iterator_types = ["reduction", "parallel"]} ins(%x : memref<10x10xf32>) outs(%s : memref<10xf32>) {
    ^bb0(%a: f32, %o: f32):
      %n = arith.addf %o, %a : f32
      linalg.yield %n : f32
    }
    linalg.generic {indexing_maps = [#all, affine_map<(r, c) -> (r)>, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %s : memref<10x10xf32>, memref<10xf32>) outs(%y : memref<10x10xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %n = arith.subf %a, %b : f32
      linalg.yield %n : f32
    }
    return
  }
  dist.phase @s {role = #graph.role<train>}
  dist.program @s.worker of @s on "/job:worker/task:0/device:GPU:0" {
    %x = dist.buffer : memref<10x10xf32>
    %s = dist.buffer : memref<10xf32>
    %y = dist.buffer : memref<10x10xf32>
    dist.call @columns(%x, %s, %y) {queue = 1 : i64} : memref<10x10xf32>, memref<10xf32>, memref<10x10xf32>
    dist.end
  }
}

// -----

// Loops that an operation wrote are the first thread's.
#cluster = #graph.cluster<jobs = [worker = 1], chief = "/job:worker/task:0">
// CHECK-LABEL: gpu.func @scan_0
// CHECK-SAME: dist.blocks = 1 : i64, dist.threads = 32 : i64
// CHECK: %[[THREAD:.*]] = gpu.thread_id x
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[THREAD]], %c0
// CHECK: scf.if %[[FIRST]] {
// CHECK-NEXT: scf.for
module attributes {graph.cluster = #cluster, graph.strategy = #graph.strategy<name = "one_device">} {
  func.func private @scan(%x: memref<16xf32> {dist.access = "read"}, %y: memref<16xf32> {dist.access = "write"}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %zero = arith.constant 0.0 : f32
    %last = scf.for %i = %c0 to %c16 step %c1 iter_args(%sum = %zero) -> f32 {
      %v = memref.load %x[%i] : memref<16xf32>
      %n = arith.addf %sum, %v : f32
      memref.store %n, %y[%i] : memref<16xf32>
      scf.yield %n : f32
    }
    return
  }
  dist.phase @s {role = #graph.role<train>}
  dist.program @s.worker of @s on "/job:worker/task:0/device:GPU:0" {
    %x = dist.buffer : memref<16xf32>
    %y = dist.buffer : memref<16xf32>
    dist.call @scan(%x, %y) {queue = 1 : i64} : memref<16xf32>, memref<16xf32>
    dist.end
  }
}

// -----

// Of loops in parts each thread has a part, and blocks of the grid have their threads' number of them.
#cluster = #graph.cluster<jobs = [worker = 1], chief = "/job:worker/task:0">
// CHECK-LABEL: gpu.func @parts_0
// CHECK-SAME: dist.blocks = 4 : i64, dist.threads = 256 : i64
// CHECK-DAG: %[[THREAD:.*]] = gpu.thread_id x
// CHECK-DAG: %[[BLOCK:.*]] = gpu.block_id x
// CHECK: %[[BEGIN:.*]] = arith.muli %[[BLOCK]], %c256
// CHECK: %[[FIRST:.*]] = arith.addi %[[BEGIN]], %[[THREAD]]
// CHECK: %[[END:.*]] = arith.minui %{{.*}}, %c1000
// CHECK: scf.for %[[PART:.*]] = %[[FIRST]] to %[[END]] step %c256
// CHECK: %[[NEXT:.*]] = arith.addi %[[PART]], %c1
// CHECK: scf.for %{{.*}} = %[[PART]] to %[[NEXT]]
// CHECK-NOT: scf.parallel
module attributes {graph.cluster = #cluster, graph.strategy = #graph.strategy<name = "one_device">} {
  func.func private @parts(%x: memref<1000xf32> {dist.access = "read"}, %y: memref<1000xf32> {dist.access = "write"}) {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %all = arith.constant 1000 : index
    scf.parallel (%first) = (%zero) to (%all) step (%all) {
      %next = arith.addi %first, %all : index
      %limit = arith.minui %next, %all : index
      scf.for %i = %first to %limit step %one {
        %v = memref.load %x[%i] : memref<1000xf32>
        memref.store %v, %y[%i] : memref<1000xf32>
      }
      scf.reduce
    }
    return
  }
  dist.phase @s {role = #graph.role<train>}
  dist.program @s.worker of @s on "/job:worker/task:0/device:GPU:0" {
    %x = dist.buffer : memref<1000xf32>
    %y = dist.buffer : memref<1000xf32>
    dist.call @parts(%x, %y) {queue = 1 : i64} : memref<1000xf32>, memref<1000xf32>
    dist.end
  }
}

// -----

// What the CPU of the same task calls too is the CPU's, and a GPU has its own; programs on CPUs alone make no code for GPUs.
#cluster = #graph.cluster<jobs = [worker = 1], chief = "/job:worker/task:0">
#id = affine_map<(i) -> (i)>
// CHECK: func.func private @both({{[^)]*}}) {
// CHECK: linalg.generic
// CHECK: func.func private @both_gpu(memref<8xi32> {dist.access = "read_write"}) attributes {dist.launches = 1 : i64}
// CHECK: func.func private @host({{.*}}) {
// CHECK: dist.program @s.gpu
// CHECK: dist.call @both_gpu(
// CHECK: dist.program @s.cpu
// CHECK: dist.call @both(
// CHECK-LABEL: gpu.module @graphc_gpu
// CHECK: gpu.func @both_gpu_0
// CHECK-NOT: gpu.func @host
module attributes {graph.cluster = #cluster, graph.strategy = #graph.strategy<name = "one_device">} {
  func.func private @both(%x: memref<8xi32> {dist.access = "read_write"}) {
    linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%x : memref<8xi32>) {
    ^bb0(%o: i32):
      %s = arith.addi %o, %o : i32
      linalg.yield %s : i32
    }
    return
  }
  func.func private @host(%x: memref<8xi32> {dist.access = "read_write"}) {
    linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%x : memref<8xi32>) {
    ^bb0(%o: i32):
      %s = arith.muli %o, %o : i32
      linalg.yield %s : i32
    }
    return
  }
  dist.phase @s {role = #graph.role<train>}
  dist.program @s.gpu of @s on "/job:worker/task:0/device:GPU:0" {
    %x = dist.buffer : memref<8xi32>
    dist.call @both(%x) {queue = 1 : i64} : memref<8xi32>
    dist.end
  }
  dist.program @s.cpu of @s on "/job:worker/task:0/device:CPU:0" {
    %x = dist.buffer : memref<8xi32>
    dist.call @both(%x) : memref<8xi32>
    dist.call @host(%x) : memref<8xi32>
    dist.end
  }
}

// -----

// Threads take 4 floats at once and 2 doubles: what one thread wrote others read, so a barrier is between.
#cluster = #graph.cluster<jobs = [worker = 1], chief = "/job:worker/task:0">
#id = affine_map<(i) -> (i)>
// CHECK-LABEL: gpu.func @widths_0
// CHECK: vector.store %{{.*}} : memref<4096xf32>, vector<4xf32>
// CHECK: gpu.barrier
// CHECK: vector.store %{{.*}} : memref<4096xf64>, vector<2xf64>
module attributes {graph.cluster = #cluster, graph.strategy = #graph.strategy<name = "one_device">} {
  func.func private @widths(%x: memref<4096xf32> {dist.access = "read_write"}, %y: memref<4096xf64> {dist.access = "write"}) {
    linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%x : memref<4096xf32>) {
    ^bb0(%o: f32):
      %s = arith.addf %o, %o : f32
      linalg.yield %s : f32
    }
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<4096xf32>) outs(%y : memref<4096xf64>) {
    ^bb0(%a: f32, %o: f64):
      %s = arith.extf %a : f32 to f64
      linalg.yield %s : f64
    }
    return
  }
  dist.phase @s {role = #graph.role<train>}
  dist.program @s.worker of @s on "/job:worker/task:0/device:GPU:0" {
    %x = dist.buffer : memref<4096xf32>
    %y = dist.buffer : memref<4096xf64>
    dist.call @widths(%x, %y) {queue = 1 : i64} : memref<4096xf32>, memref<4096xf64>
    dist.end
  }
}
