// RUN: %build/test/bin/extra-opt --decompose --cse --outline --verify-outlined %s | FileCheck %s

// The outliner makes of ops that it does not know what their interfaces say.
dist.phase @p {role = #graph.role<predict>}
graph.variable @v : tensor<4x3xf32> = #graph.zeros {graph.device = #graph.device<"/job:t/task:0/device:CPU:0">}
graph.variable @s : tensor<4x3xf32> = #graph.zeros {graph.device = #graph.device<"/job:t/task:0/device:CPU:0">}

// CHECK: dist.program @elementwise
// CHECK: dist.call @[[ELEMENTWISE:kernel0_[a-z_]*]](
dist.program @elementwise of @p on "/job:t/task:0/device:CPU:0" {
  %x = dist.feed "x" : tensor<4x3xf32>
  %0 = extra.cube %x : tensor<4x3xf32>
  %1, %2 = extra.parts %0 : tensor<4x3xf32>
  %3 = graph.add %2, %x : tensor<4x3xf32>
  dist.fetch "a", %1 : tensor<4x3xf32>
  dist.fetch "b", %3 : tensor<4x3xf32>
  dist.control_receive local
  dist.end
}

// A gather and a scan have stages of their own, with memory on both sides; the scan is in place of what it reads.
// CHECK: dist.program @loops
// CHECK: dist.call @[[LOOPS:kernel1_[a-z_]*]](
dist.program @loops of @p on "/job:t/task:0/device:CPU:0" {
  %x = dist.feed "x" : tensor<10x3xf32>
  %i = dist.feed "i" : tensor<4xi32>
  %0 = graph.negate %x : tensor<10x3xf32>
  %1 = extra.gather %0, %i : (tensor<10x3xf32>, tensor<4xi32>) -> tensor<4x3xf32>
  %2 = graph.negate %1 : tensor<4x3xf32>
  %3 = extra.cumsum %2 : tensor<4x3xf32>
  %4 = graph.negate %3 : tensor<4x3xf32>
  dist.fetch "y", %4 : tensor<4x3xf32>
  dist.control_receive local
  dist.end
}

// Two results share loops; an update writes two variables.
// CHECK: dist.program @reductions
// CHECK-DAG: %[[V:.*]] = dist.variable_buffer @v
// CHECK-DAG: %[[S:.*]] = dist.variable_buffer @s
// CHECK: dist.call @[[MOMENTS:kernel2_moments]](
// CHECK: dist.call @[[UPDATE:kernel3_apply_adagrad_v]](%{{.*}}, %[[V]], %[[S]])
dist.program @reductions of @p on "/job:t/task:0/device:CPU:0" {
  %x = dist.feed "x" : tensor<4x3xf32>
  %0, %1 = extra.moments %x : (tensor<4x3xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  dist.fetch "a", %0 : tensor<4xf32>
  dist.fetch "b", %1 : tensor<4xf32>
  extra.apply_adagrad @v, @s, %x {learning_rate = 0.1} : tensor<4x3xf32>
  dist.control_receive local
  dist.end
}

// An update with loops of its own; what it reads elsewhere in the variable that it writes is kept for it first.
// CHECK: dist.program @update
// CHECK-DAG: %[[V:.*]] = dist.variable_buffer @v
// CHECK-DAG: %[[OLD:.*]] = dist.buffer : memref<4x3xf32>
// CHECK: dist.call @[[NORMALIZED:kernel4_apply_normalized_v]](%[[V]], %[[OLD]])
dist.program @update of @p on "/job:t/task:0/device:CPU:0" {
  %v = graph.read @v : tensor<4x3xf32>
  extra.apply_normalized @v, %v {learning_rate = 0.1} : tensor<4x3xf32>
  dist.control_receive local
  dist.end
}

// An element that each of several rows wants is computed for each where that is cheap, and kept where it is costly.
// CHECK: dist.program @cheap
// CHECK: dist.call @[[CHEAP:kernel5_[a-z_]*]](
dist.program @cheap of @p on "/job:t/task:0/device:CPU:0" {
  %x = dist.feed "x" : tensor<3xf32>
  %0 = extra.cube %x : tensor<3xf32>
  %1 = graph.broadcast_in_dim %0 broadcast_dimensions = [1] : (tensor<3xf32>) -> tensor<4x3xf32>
  dist.fetch "y", %1 : tensor<4x3xf32>
  dist.control_receive local
  dist.end
}
// CHECK: dist.program @costly
// CHECK: dist.call @[[COSTLY:kernel6_[a-z_]*]](
dist.program @costly of @p on "/job:t/task:0/device:CPU:0" {
  %x = dist.feed "x" : tensor<3xf32>
  %0 = extra.bell %x : tensor<3xf32>
  %1 = graph.broadcast_in_dim %0 broadcast_dimensions = [1] : (tensor<3xf32>) -> tensor<4x3xf32>
  dist.fetch "y", %1 : tensor<4x3xf32>
  dist.control_receive local
  dist.end
}

// A view is its operand's memory.
// CHECK: dist.program @view
// CHECK: %[[CUBES:.*]] = dist.buffer : memref<4x3xf32>
// CHECK: dist.call @kernel7_cube(%[[CUBES]])
// CHECK: %[[FLAT:.*]] = dist.view %[[CUBES]] : memref<4x3xf32> to memref<12xf32>
// CHECK-NOT: dist.call
// CHECK: dist.fetch "y", %[[FLAT]]
dist.program @view of @p on "/job:t/task:0/device:CPU:0" {
  %x = dist.feed "x" : tensor<4x3xf32>
  %0 = extra.cube %x : tensor<4x3xf32>
  %1 = extra.flat %0 : (tensor<4x3xf32>) -> tensor<12xf32>
  dist.fetch "y", %1 : tensor<12xf32>
  dist.control_receive local
  dist.end
}

// Long loops that have parts are a kernel of their own, what is before and behind them are others; of a constant that they know nobody
// keeps the elements.
// CHECK: dist.program @long
// CHECK-NOT: dist.constant_buffer
// CHECK: dist.call @{{kernel8_[a-z_]*}}(
// CHECK: dist.call @[[LONG:kernel9_scatter]](%{{[0-9a-z]*}}, %{{[0-9a-z]*}}, %{{[0-9a-z]*}})
// CHECK: dist.call @{{kernel10_[a-z_]*}}(
dist.program @long of @p on "/job:t/task:0/device:CPU:0" {
  %x = dist.feed "x" : tensor<4x700xf32>
  %i = dist.feed "i" : tensor<4xi32>
  %0 = extra.cube %x : tensor<4x700xf32>
  %zeros = graph.constant dense<0.0> : tensor<100x700xf32>
  %1 = graph.scatter %zeros, %i, %0 update_window_dims = [1] inserted_window_dims = [0] scatter_dims_to_operand_dims = [0] index_vector_dim = 1 : (tensor<100x700xf32>, tensor<4xi32>, tensor<4x700xf32>) -> tensor<100x700xf32>
  %2 = extra.cube %1 : tensor<100x700xf32>
  dist.fetch "y", %2 : tensor<100x700xf32>
  dist.control_receive local
  dist.end
}

// CHECK: func.func private @[[ELEMENTWISE]](
// CHECK-COUNT-2: linalg.generic
// CHECK-NOT: linalg.generic

// CHECK: func.func private @[[LOOPS]](
// CHECK: linalg.generic
// CHECK: scf.parallel
// CHECK: scf.for
// CHECK: memref.load
// CHECK: linalg.generic {{.*}} outs(%[[HERE:[a-z0-9]+]] :
// CHECK: scf.for
// CHECK: memref.load %[[HERE]]
// CHECK: memref.store %{{.*}}, %[[HERE]]
// CHECK: linalg.generic

// CHECK: func.func private @[[MOMENTS]](
// CHECK: linalg.generic
// CHECK: linalg.generic
// CHECK: linalg.generic {{.*}}"reduction"{{.*}} outs(%{{.*}}, %{{.*}} : memref<4xf32>, memref<4xf32>)
// CHECK-NOT: linalg.generic

// CHECK: func.func private @[[UPDATE]](
// CHECK: linalg.generic {{.*}} outs(%{{.*}}, %{{.*}} : memref<4x3xf32>, memref<4x3xf32>)
// CHECK-NOT: linalg.generic

// CHECK: func.func private @[[NORMALIZED]](%[[V:[a-z0-9]+]]: memref<4x3xf32> {dist.access = "read_write"}, %[[OLD:[a-z0-9]+]]: memref<4x3xf32> {dist.access = "write"})
// CHECK: linalg.generic {{.*}} ins(%[[V]] : {{.*}} outs(%[[OLD]] :
// CHECK: scf.for
// CHECK: memref.load %[[OLD]]
// CHECK: memref.load %[[OLD]]
// CHECK: memref.load %[[V]]
// CHECK: memref.store %{{.*}}, %[[V]]
// CHECK-NOT: unrealized

// CHECK: func.func private @[[CHEAP]](
// CHECK: linalg.generic {{.*}}memref<4x3xf32>
// CHECK-NOT: linalg.generic

// CHECK: func.func private @[[COSTLY]](
// CHECK: linalg.generic {{.*}} outs(%[[KEPT:[a-z0-9]+]] : memref<3xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[KEPT]] : memref<3xf32>) outs(%{{.*}} : memref<4x3xf32>)

// CHECK: func.func private @[[LONG]](
// CHECK: scf.parallel
