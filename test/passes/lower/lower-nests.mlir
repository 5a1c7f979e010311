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

// Item i of a sum is added to partial sum i mod 32: 0 to 15 are a vector, 16 to 31 another, and they take turns. Items that are not there
// count as -0; 16 is joined to 0, 8 to 0, 4, 2, 1. What the output held comes last.
// CHECK-LABEL: func.func private @innermost
// CHECK: %[[LOW:.*]] = arith.constant dense<-0.000000e+00> : vector<16xf32>
// CHECK: %[[HIGH:.*]] = arith.constant dense<-0.000000e+00> : vector<16xf32>
// CHECK: %[[HALVES:.*]]:2 = scf.for {{.*}} iter_args(%[[TURN:.*]] = %[[LOW]], %[[OTHER:.*]] = %[[HIGH]]) -> (vector<16xf32>, vector<16xf32>)
// CHECK: %[[SUM:.*]] = arith.addf %[[TURN]], %{{.*}} : vector<16xf32>
// CHECK: scf.yield %[[OTHER]], %[[SUM]]
// CHECK: vector.maskedload
// CHECK: arith.select
// CHECK: %[[FIRST:.*]] = arith.addf %[[HALVES]]#0, %{{.*}} : vector<16xf32>
// CHECK: arith.addf %[[FIRST]], %[[HALVES]]#1 : vector<16xf32>
// CHECK: vector.shuffle %{{.*}} [0, 1, 2, 3, 4, 5, 6, 7]
// CHECK: vector.shuffle %{{.*}} [8, 9, 10, 11, 12, 13, 14, 15]
// CHECK: arith.addf %{{.*}} : vector<8xf32>
// CHECK: arith.addf %{{.*}} : vector<4xf32>
// CHECK: arith.addf %{{.*}} : vector<2xf32>
// CHECK: arith.addf %{{.*}} : vector<1xf32>
// CHECK: memref.load
// CHECK-NEXT: arith.addf
// CHECK-NEXT: memref.store
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

// A long row: chunks of 1,024, whose sums are items of 32 partial sums again.
// CHECK-LABEL: func.func private @chunks
// CHECK: scf.for %[[CHUNK:.*]] = {{.*}} iter_args(%[[PARTIALS:.*]] = %{{.*}}) -> (vector<32xf32>)
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>)
// CHECK: arith.remui %[[CHUNK]]
// CHECK: %[[HERE:.*]] = arith.cmpi eq, %{{.*}} : vector<32xi32>
// CHECK: %[[ITEM:.*]] = arith.select %[[HERE]], %{{.*}}, %{{.*}} : vector<32xi1>, vector<32xf32>
// CHECK: arith.addf %[[PARTIALS]], %[[ITEM]] : vector<32xf32>
// CHECK: arith.addf %{{.*}} : vector<16xf32>
func.func private @chunks(%x: memref<3000xf32>, %y: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%x : memref<3000xf32>) outs(%y : memref<f32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  }
  return
}

// Columns side by side: a row is an item, so rows 0 and 2 come first where there are three.
// CHECK-LABEL: func.func private @short_columns
// CHECK: %[[R0:.*]] = vector.load
// CHECK: %[[R2:.*]] = vector.load
// CHECK: %[[EVEN:.*]] = arith.addf %[[R0]], %[[R2]] : vector<16xf32>
// CHECK: %[[R1:.*]] = vector.load
// CHECK: %[[ALL:.*]] = arith.addf %[[EVEN]], %[[R1]] : vector<16xf32>
// CHECK: %[[OLD:.*]] = vector.load
// CHECK: arith.addf %[[OLD]], %[[ALL]] : vector<16xf32>
// CHECK-NOT: vector.shuffle
func.func private @short_columns(%x: memref<3x16xf32>, %y: memref<16xf32>) {
  linalg.generic {indexing_maps = [#id, #col], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<3x16xf32>) outs(%y : memref<16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  }
  return
}

// More rows than partial sums: i and i + 16 of three vectors of columns, the last of them masked, are in flight; the tree above them is loops of two.
// CHECK-LABEL: func.func private @columns
// CHECK-COUNT-4: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>) {
// CHECK: %[[PARTIALS:.*]]:6 = scf.for
// CHECK: scf.if
// CHECK: arith.addf %[[PARTIALS]]#0, %{{.*}} : vector<16xf32>
// CHECK: arith.addf %{{.*}}, %[[PARTIALS]]#3 : vector<16xf32>
// CHECK-NOT: vector.shuffle
func.func private @columns(%x: memref<100x40xf32>, %y: memref<40xf32>) {
  linalg.generic {indexing_maps = [#id, #col], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<100x40xf32>) outs(%y : memref<40xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  }
  return
}

// A product whose k lies apart in memory: columns of it side by side, the same items in the same partial sums.
// CHECK-LABEL: func.func private @product
// CHECK: scf.for
// CHECK: memref.load
// CHECK: vector.broadcast
// CHECK: vector.load {{.*}} vector<16xf32>
// CHECK-NOT: vector.from_elements
func.func private @product(%x: memref<4x10xf32>, %w: memref<10x16xf32>, %y: memref<4x16xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : memref<4x10xf32>, memref<10x16xf32>) outs(%y : memref<4x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  return
}

// The outer and the inner dimension summed, the middle one kept: 16 items may lie in two rows.
// CHECK-LABEL: func.func private @outer_and_inner
// CHECK: arith.remui
// CHECK: scf.if
// CHECK: vector.load
// CHECK: } else {
// CHECK: vector.maskedload
// CHECK: vector.maskedload
func.func private @outer_and_inner(%x: memref<8x3x49xf32>, %y: memref<3xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (j)>],
                  iterator_types = ["reduction", "parallel", "reduction"]}
      ins(%x : memref<8x3x49xf32>) outs(%y : memref<3xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  }
  return
}

// A value from outside the body is the same in every element.
// CHECK-LABEL: func.func private @outside
// CHECK: %[[EACH:.*]] = vector.broadcast %{{.*}} : f32 to vector<16xf32>
// CHECK: arith.mulf %{{.*}}, %[[EACH]] : vector<16xf32>
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

// A large kernel is cut: its stages do the same rows in each turn of a loop over blocks, from the first new argument to the second.
// CHECK-LABEL: func.func private @cut_rows(
// CHECK-SAME: %[[FIRST:[a-z0-9]*]]: index, %[[END:[a-z0-9]*]]: index) attributes {dist.kernel_blocks = 16 : i64}
// CHECK: scf.for %[[BLOCK:.*]] = %[[FIRST]] to %[[END]] step %c1
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c8
// CHECK: vector.store
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c8
// CHECK: memref.store
// CHECK-NOT: linalg.generic
func.func private @cut_rows(%x: memref<128x1024xf32>, %t: memref<128x1024xf32>, %y: memref<128xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<128x1024xf32>) outs(%t : memref<128x1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%t : memref<128x1024xf32>) outs(%y : memref<128xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  }
  return
}

// Sums over rows: each block has 128 columns of all rows.
// CHECK-LABEL: func.func private @cut_columns(
// CHECK-SAME: attributes {dist.kernel_blocks = 8 : i64}
func.func private @cut_columns(%x: memref<128x1024xf32>, %y: memref<1024xf32>) {
  linalg.generic {indexing_maps = [#id, #col], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<128x1024xf32>) outs(%y : memref<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  }
  return
}

// At least 96 where that goes, else at least 48: of 384 four times as many, of 96 half.
// CHECK-LABEL: func.func private @cut_few_columns(
// CHECK-SAME: attributes {dist.kernel_blocks = 4 : i64}
// CHECK-LABEL: func.func private @cut_fewest_columns(
// CHECK-SAME: attributes {dist.kernel_blocks = 2 : i64}
// Rows are added as they lie: the partial sums are in memory, one of 32 x 16 elements for each vector of columns.
// CHECK-COUNT-3: memref.alloca() {alignment = 64 : i64} : memref<512xf32>
// CHECK-NOT: memref.alloca
func.func private @cut_few_columns(%x: memref<2080x384xf32>, %y: memref<384xf32>) {
  linalg.generic {indexing_maps = [#id, #col], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<2080x384xf32>) outs(%y : memref<384xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  }
  return
}
func.func private @cut_fewest_columns(%x: memref<2080x96xf32>, %y: memref<96xf32>) {
  linalg.generic {indexing_maps = [#id, #col], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<2080x96xf32>) outs(%y : memref<96xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  }
  return
}

// Sums of columns and sums of rows share no loop: no cut; and none of one sum.
// CHECK-LABEL: func.func private @not_cut(
// CHECK-NOT: dist.kernel_blocks
func.func private @not_cut(%x: memref<512x512xf32>, %c: memref<512xf32>, %y: memref<512x512xf32>) {
  linalg.generic {indexing_maps = [#id, #col], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<512x512xf32>) outs(%c : memref<512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c : memref<512xf32>) outs(%x : memref<512x512xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}
// CHECK-LABEL: func.func private @one_sum(
// CHECK-NOT: dist.kernel_blocks
func.func private @one_sum(%x: memref<131072xf32>, %y: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%x : memref<131072xf32>) outs(%y : memref<f32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  }
  return
}

// Parts of an operation's own loops: whole lines of elements for each block, the last of which has fewer.
// CHECK-LABEL: func.func private @cut_parts(
// CHECK-SAME: %[[FIRST:[a-z0-9]*]]: index, %[[END:[a-z0-9]*]]: index) attributes {dist.kernel_blocks = 6 : i64}
// CHECK: scf.for %[[BLOCK:.*]] = %[[FIRST]] to %[[END]]
// CHECK: %[[FROM:.*]] = arith.muli %[[BLOCK]], %[[WIDTH:.*]] : index
// CHECK: %[[NEXT:.*]] = arith.addi %[[FROM]], %[[WIDTH]] : index
// CHECK: %[[TO:.*]] = arith.minui %[[NEXT]], %{{.*}} : index
// CHECK-NEXT: scf.for %{{.*}} = %[[FROM]] to %[[TO]]
// CHECK-NOT: scf.parallel
func.func private @cut_parts(%x: memref<100001xf32>, %y: memref<100001xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %all = arith.constant 100001 : index
  scf.parallel (%first) = (%zero) to (%all) step (%all) {
    %next = arith.addi %first, %all : index
    %limit = arith.minui %next, %all : index
    scf.for %i = %first to %limit step %one {
      %v = memref.load %x[%i] : memref<100001xf32>
      memref.store %v, %y[%i] : memref<100001xf32>
    }
    scf.reduce
  }
  return
}

// Few of them, and such beside another stage, are not cut: all of them, one after the other.
// CHECK-LABEL: func.func private @whole_parts(
// CHECK-NOT: dist.kernel_blocks
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c7
// CHECK-NOT: scf.parallel
func.func private @whole_parts(%x: memref<7xf32>, %y: memref<7xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %all = arith.constant 7 : index
  scf.parallel (%first) = (%zero) to (%all) step (%all) {
    %next = arith.addi %first, %all : index
    %limit = arith.minui %next, %all : index
    scf.for %i = %first to %limit step %one {
      %v = memref.load %x[%i] : memref<7xf32>
      memref.store %v, %y[%i] : memref<7xf32>
    }
    scf.reduce
  }
  return
}

// One element that is left is stored as a scalar: with a mask of one element LLVM would store it as wide as before a truncation.
// CHECK-LABEL: func.func private @one_left
// CHECK: vector.store
// CHECK: vector.maskedload
// CHECK-NOT: vector.maskedstore
// CHECK: %[[LAST:.*]] = vector.extract %{{.*}}[0] : f32 from vector<16xf32>
// CHECK-NEXT: memref.store %[[LAST]]
// CHECK: return
func.func private @one_left(%a: memref<1x33xf32>, %out: memref<1x33xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<1x33xf32>) outs(%out : memref<1x33xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = arith.addf %x, %x : f32
    linalg.yield %y : f32
  }
  return
}
