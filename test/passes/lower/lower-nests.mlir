// RUN: graph-opt --pass-pipeline='builtin.module(func.func(lower-nests))' %s | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#col = affine_map<(i, j) -> (j)>

// A parallel nest: 16 elements at a time, the rest masked.
// CHECK-LABEL: func.func private @elementwise
// CHECK: scf.for
// CHECK: scf.for
// CHECK: vector.load %{{.*}} : memref<160xf32>, vector<16xf32>
// CHECK: arith.addf %{{.*}} : vector<16xf32>
// CHECK: vector.store
// CHECK: vector.maskedload
// CHECK: vector.maskedstore
// CHECK-NOT: linalg.generic
func.func private @elementwise(%x: memref<4x40xf32>, %b: memref<40xf32>, %y: memref<4x40xf32>) {
  linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : memref<4x40xf32>, memref<40xf32>) outs(%y : memref<4x40xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %s = arith.addf %a, %c : f32
    linalg.yield %s : f32
  }
  return
}

// The innermost sum: element i goes to accumulator i mod 16, absent ones count as -0, and the 16 are combined as a tree.
// CHECK-LABEL: func.func private @innermost
// CHECK: %[[INIT:.*]] = arith.constant dense<-0.000000e+00> : vector<16xf32>
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[INIT]]) -> (vector<16xf32>)
// CHECK: vector.maskedload
// CHECK: arith.select
// CHECK: vector.shuffle %{{.*}} [0, 1, 2, 3, 4, 5, 6, 7]
// CHECK: vector.shuffle %{{.*}} [8, 9, 10, 11, 12, 13, 14, 15]
// CHECK: arith.addf %{{.*}} : vector<8xf32>
// CHECK: arith.addf %{{.*}} : vector<4xf32>
// CHECK: arith.addf %{{.*}} : vector<2xf32>
// CHECK: arith.addf %{{.*}} : vector<1xf32>
// CHECK-NOT: fastmath
func.func private @innermost(%x: memref<4x40xf32>, %y: memref<4xf32>) {
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<4x40xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  }
  return
}

// Any other sum: row after row into the kept elements, 16 of them at a time.
// CHECK-LABEL: func.func private @columns
// CHECK: scf.for %[[COLUMN:.*]] =
// CHECK: scf.for %{{.*}} iter_args(%{{.*}}) -> (vector<16xf32>)
// CHECK: arith.addf %{{.*}} : vector<16xf32>
// CHECK-NOT: vector.shuffle
func.func private @columns(%x: memref<4x40xf32>, %y: memref<40xf32>) {
  linalg.generic {indexing_maps = [#id, #col], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<4x40xf32>) outs(%y : memref<40xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  }
  return
}

// A value from outside the body is the same on every lane.
// CHECK-LABEL: func.func private @outside
// CHECK: %[[LANES:.*]] = vector.broadcast %{{.*}} : f32 to vector<16xf32>
// CHECK: arith.mulf %{{.*}}, %[[LANES]] : vector<16xf32>
// CHECK-NOT: linalg.generic
func.func private @outside(%x: memref<16xf32>, %y: memref<f32>) {
  %two = arith.constant 2.0 : f32
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%x : memref<16xf32>) {
  ^bb0(%o: f32):
    %s = arith.mulf %o, %two : f32
    linalg.yield %s : f32
  }
  // CHECK: memref.store %{{.*}} : memref<1xf32>
  linalg.generic {indexing_maps = [affine_map<() -> ()>], iterator_types = []} outs(%y : memref<f32>) {
  ^bb0(%o: f32):
    linalg.yield %two : f32
  }
  return
}
