// RUN: graph-opt --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(lower-nests))' %s
// Kernels by hand; outline makes none of these.

#id = affine_map<(i) -> (i)>
#all = affine_map<(i) -> ()>
func.func private @difference(%x: memref<4xf32>, %y: memref<f32>) {
  // expected-error @below {{reduction of output 0 is not one of add, multiply, min, max, and, or over its old value}}
  linalg.generic {indexing_maps = [#id, #all], iterator_types = ["reduction"]} ins(%x : memref<4xf32>) outs(%y : memref<f32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.subf %o, %a : f32
    linalg.yield %s : f32
  }
  return
}

// -----

#id = affine_map<(i) -> (i)>
func.func private @strided(%x: memref<4xf32, strided<[2]>>, %y: memref<4xf32>) {
  // expected-error @below {{operand 0 is 'memref<4xf32, strided<[2]>>', expected a static shape and the identity layout, or a static part of such a buffer}}
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<4xf32, strided<[2]>>) outs(%y : memref<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}

// -----

#id = affine_map<(i) -> (i)>
func.func private @modulo(%x: memref<4xf32>, %y: memref<4xf32>) {
  // expected-error @below {{index map of operand 0 is not linear: affine_map<(d0) -> (d0 mod 4)>}}
  linalg.generic {indexing_maps = [affine_map<(i) -> (i mod 4)>, #id], iterator_types = ["parallel"]} ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}

// -----

#id = affine_map<(i) -> (i)>
func.func private @dynamic(%x: memref<?xf32>, %y: memref<?xf32>) {
  // expected-error @below {{has a loop of unknown size}}
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}
