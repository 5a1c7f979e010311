// RUN: graph-opt %s | graph-opt | FileCheck %s
// RUN: graph-opt --mlir-print-op-generic %s | graph-opt | FileCheck %s

// CHECK: graph.dataset @npy : (tensor<8x8xf32>, tensor<i64>) = #graph.npy<files = ["digits.npz:images", "labels.npy"], scale = 0.0625>
graph.dataset @npy : (tensor<8x8xf32>, tensor<i64>) = #graph.npy<files = ["digits.npz:images", "labels.npy"], scale = 0.0625>
// CHECK: graph.dataset @csv : (tensor<2xf32>, tensor<i32>) = #graph.csv<file = "wine.csv", columns = ["a", 3, "class"], separator = ";", missing = -1.0>
graph.dataset @csv : (tensor<2xf32>, tensor<i32>) = #graph.csv<file = "wine.csv", separator = ";", columns = ["a", 3, "class"], missing = -1>
// CHECK: graph.dataset @all : (tensor<2xf64>, tensor<i1>) = #graph.csv<file = "t.csv.gz", header = false>
graph.dataset @all : (tensor<2xf64>, tensor<i1>) = #graph.csv<file = "t.csv.gz", header = false>
// CHECK: graph.dataset @text : (tensor<64xi32>, tensor<64xi32>) = #graph.text<file = "corpus.txt", vocabulary = "tokens.txt", stride = 1, begin = 5, end = 1000>
graph.dataset @text : (tensor<64xi32>, tensor<64xi32>) = #graph.text<file = "corpus.txt", vocabulary = "tokens.txt", stride = 1, begin = 5, end = 1000>
// CHECK: graph.dataset @bytes : (tensor<64xi64>) = #graph.text<file = "corpus.txt">
graph.dataset @bytes : (tensor<64xi64>) = #graph.text<file = "corpus.txt", stride = 0>
// CHECK: graph.dataset @cifar : (tensor<3x32x32xf32>, tensor<i32>) = #graph.cifar10<files = ["a.bin", "b.bin"], offset = 1.0>
// CHECK-SAME: {transforms = [#graph.random_crop<padding = 4>, #graph.random_flip, #graph.normalize<mean = [5.000000e-01, 1.000000e+00, 0.000000e+00], stddev = [2.500000e-01, 1.000000e+00, 2.000000e+00]>]}
graph.dataset @cifar : (tensor<3x32x32xf32>, tensor<i32>) = #graph.cifar10<files = ["a.bin", "b.bin"], offset = 1.0>
    {transforms = [#graph.random_crop<padding = 4>, #graph.random_flip, #graph.normalize<mean = [0.5, 1, 0], stddev = [0.25, 1, 2]>]}
// CHECK: graph.dataset @last : (tensor<i32>, tensor<28x28x3xf64>) = #graph.idx<files = ["y", "x"]>
// CHECK-SAME: {transforms = [#graph.random_crop<component = 1, padding = 2, dimension = 0>, #graph.random_flip<component = 1, dimension = 1>, #graph.normalize<component = 1, mean = [1.000000e+00], stddev = [2.000000e+00], dimension = 2>]}
graph.dataset @last : (tensor<i32>, tensor<28x28x3xf64>) = #graph.idx<files = ["y", "x"]>
    {transforms = [#graph.random_crop<component = 1, padding = 2, dimension = 0>, #graph.random_flip<component = 1, dimension = 1>,
                   #graph.normalize<component = 1, mean = [1.0], stddev = [2.0], dimension = 2>]}

// CHECK-LABEL: graph.func private @layer(%{{.*}}: tensor<3xf32>) -> tensor<3xf32> {
graph.func private @layer(%x: tensor<3xf32>) -> tensor<3xf32> {
  graph.return %x : tensor<3xf32>
}
graph.func @f(%x: tensor<3xf32>) -> tensor<3xf32> attributes {role = #graph.role<predict>} {
  // CHECK: graph.call @layer(%{{.*}}) {graph.device = #graph.device<"/job:worker">, graph.name = "a"} : (tensor<3xf32>) -> tensor<3xf32>
  %y = graph.call @layer(%x) {graph.name = "a", graph.device = #graph.device<"/job:worker">} : (tensor<3xf32>) -> tensor<3xf32>
  graph.return %y : tensor<3xf32>
}
