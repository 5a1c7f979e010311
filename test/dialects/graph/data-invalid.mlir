// RUN: graph-opt %s --split-input-file --verify-diagnostics

// (C1) expected-error@+1 {{expected FILE.npy or FILE.npz:NAME, the name of an array in it, got "x.npz:"}}
graph.dataset @d : (tensor<4xf32>, tensor<i32>) = #graph.npy<files = ["x.npz:", "y.npy"]>

// -----

// (C1) expected-error@+1 {{expected the name of an array, "x.npz" as "x.npz:NAME"}}
graph.dataset @d : (tensor<4xf32>, tensor<i32>) = #graph.npy<files = ["x.npz", "y.npy"]>

// -----

// (C1) expected-error@+1 {{expected one file a component, got 1 files and 2 components}}
graph.dataset @d : (tensor<4xf32>, tensor<i32>) = #graph.npy<files = ["x.npy"]>

// -----

// (C1) expected-error@+1 {{expected file names in quotes, got 4}}
graph.dataset @d : (tensor<4xf32>, tensor<i32>) = #graph.npy<files = [4, "y.npy"]>

// -----

// (C1) expected-error@+1 {{file name must not be empty}}
graph.dataset @d : (tensor<4xf32>, tensor<i32>) = #graph.npy<files = ["", "y.npy"]>

// -----

// (C1) expected-error@+1 {{offset must be finite}}
graph.dataset @d : (tensor<4xf32>, tensor<i32>) = #graph.npy<files = ["x.npy", "y.npy"], offset = 0x7FF0000000000000>

// -----

// (C1) expected-error@+1 {{expected 1 to 1024 files, got 0}}
graph.dataset @d : (tensor<3x32x32xf32>) = #graph.cifar10<files = []>

// -----

// (C1) expected-error@+1 {{expected an image of 3x32x32 and at most a label, got 1 components, the first 'tensor<32x32x3xf32>'}}
graph.dataset @d : (tensor<32x32x3xf32>) = #graph.cifar10<files = ["a"]>

// -----

// (C1) expected-error@+1 {{expected a label of tensor<i32>, got 'tensor<f32>'}}
graph.dataset @d : (tensor<3072xf32>, tensor<f32>) = #graph.cifar10<files = ["a"]>

// -----

// (C1) expected-error@+1 {{file name must not be empty}}
graph.dataset @d : (tensor<4xf32>, tensor<i32>) = #graph.csv<file = "">

// -----

// (C1) expected-error@+1 {{expected a separator of one character that is in no number, got "e"}}
graph.dataset @d : (tensor<4xf32>, tensor<i32>) = #graph.csv<file = "a", separator = "e">

// -----

// (C1) expected-error@+1 {{expected a separator of one character that is in no number, got ", "}}
graph.dataset @d : (tensor<4xf32>, tensor<i32>) = #graph.csv<file = "a", separator = ", ">

// -----

// (C1) expected-error@+1 {{missing must be finite}}
graph.dataset @d : (tensor<4xf32>, tensor<i32>) = #graph.csv<file = "a", missing = 0x7FF0000000000000>

// -----

// (C1) expected-error@+1 {{missing = 5.000000e-01 is no value of a component 'tensor<i32>'}}
graph.dataset @d : (tensor<4xf32>, tensor<i32>) = #graph.csv<file = "a", missing = 0.5>

// -----

// (C1) expected-error@+1 {{expected at most 2^20 columns}}
graph.dataset @d : (tensor<1048577xf32>) = #graph.csv<file = "a">

// -----

// (C1) expected-error@+1 {{expected a column for each of the 5 elements of a sample, got 2}}
graph.dataset @d : (tensor<4xf32>, tensor<i32>) = #graph.csv<file = "a", columns = [0, 1]>

// -----

// (C1) expected-error@+1 {{expected names of columns or numbers from 0 on, got -1}}
graph.dataset @d : (tensor<4xf32>, tensor<i32>) = #graph.csv<file = "a", columns = [0, 1, 2, 3, -1]>

// -----

// (C1) expected-error@+1 {{the name of a column must not be empty}}
graph.dataset @d : (tensor<4xf32>, tensor<i32>) = #graph.csv<file = "a", columns = [0, 1, 2, 3, ""]>

// -----

// (C1) expected-error@+1 {{column "y" has a name, but the file has none with header = false; expected a number from 0 on}}
graph.dataset @d : (tensor<4xf32>, tensor<i32>) = #graph.csv<file = "a", columns = [0, 1, 2, 3, "y"], header = false>

// -----

// (C1) expected-error@+1 {{file name must not be empty}}
graph.dataset @d : (tensor<4xi32>) = #graph.text<file = "">

// -----

// (C1) expected-error@+1 {{expected one component of integers, tensor<LENGTHxi32>, or two of one type}}
graph.dataset @d : (tensor<4xi32>, tensor<5xi32>) = #graph.text<file = "a">

// -----

// (C1) expected-error@+1 {{expected one component of integers, tensor<LENGTHxi32>, or two of one type}}
graph.dataset @d : (tensor<4xf32>) = #graph.text<file = "a">

// -----

// (C1) expected-error@+1 {{expected a stride, begin and end of at least 0, and an end behind the begin, got 1, 7 and 7}}
graph.dataset @d : (tensor<4xi32>) = #graph.text<file = "a", stride = 1, begin = 7, end = 7>

// -----

// (C2) expected-error@+1 {{expected transforms #graph.random_crop, #graph.random_flip or #graph.normalize, got 4}}
graph.dataset @d : (tensor<3x8x6xf32>, tensor<i32>) = #graph.idx<files = ["x", "y"]> {transforms = [4]}

// -----

// (C2) expected-error@+1 {{#graph.random_flip<component = 2> is of a component that there is not; there are 2}}
graph.dataset @d : (tensor<3x8x6xf32>, tensor<i32>) = #graph.idx<files = ["x", "y"]> {transforms = [#graph.random_flip<component = 2>]}

// -----

// (C2) expected-error@+1 {{#graph.random_flip is the second one of its kind for component 0}}
graph.dataset @d : (tensor<3x8x6xf32>, tensor<i32>) = #graph.idx<files = ["x", "y"]> {transforms = [#graph.random_flip<dimension = 1>, #graph.random_flip]}

// -----

// (C2) expected-error@+1 {{dimension 3 is none of the component 'tensor<3x8x6xf32>'}}
graph.dataset @d : (tensor<3x8x6xf32>, tensor<i32>) = #graph.idx<files = ["x", "y"]> {transforms = [#graph.random_flip<dimension = 3>]}

// -----

// (C2) expected-error@+1 {{dimension 2 is none of the component 'tensor<3x8x6xf32>', or is its last one; expected the height, which the width follows}}
graph.dataset @d : (tensor<3x8x6xf32>, tensor<i32>) = #graph.idx<files = ["x", "y"]> {transforms = [#graph.random_crop<padding = 1, dimension = 2>]}

// -----

// (C2) expected-error@+1 {{expected a padding of 1 to the smaller of height and width, 6, got 7}}
graph.dataset @d : (tensor<3x8x6xf32>, tensor<i32>) = #graph.idx<files = ["x", "y"]> {transforms = [#graph.random_crop<padding = 7>]}

// -----

// (C2) expected-error@+1 {{random_flip is for images, of #graph.idx, #graph.npy or #graph.cifar10, not of #graph.synthetic<samples = 4>}}
graph.dataset @d : (tensor<8x6xf32>) = #graph.synthetic<samples = 4> {transforms = [#graph.random_flip]}

// -----

// (C2) expected-error@+1 {{normalize needs a component of f32 or f64, got 'tensor<i32>'}}
graph.dataset @d : (tensor<3x8x6xf32>, tensor<i32>) = #graph.idx<files = ["x", "y"]> {transforms = [#graph.normalize<component = 1, mean = [1.0], stddev = [1.0]>]}

// -----

// (C2) expected-error@+1 {{expected as many means as deviations, got 2 and 1}}
graph.dataset @d : (tensor<3x8x6xf32>, tensor<i32>) = #graph.idx<files = ["x", "y"]> {transforms = [#graph.normalize<mean = [1.0, 2.0], stddev = [1.0]>]}

// -----

// (C2) expected-error@+1 {{expected one mean, or one for each of the 3 places along dimension 0 of 'tensor<3x8x6xf32>', got 2}}
graph.dataset @d : (tensor<3x8x6xf32>, tensor<i32>) = #graph.idx<files = ["x", "y"]> {transforms = [#graph.normalize<mean = [1.0, 2.0], stddev = [1.0, 2.0]>]}

// -----

// (C2) expected-error@+1 {{expected finite means, and finite deviations above 0, got 0.000000e+00 : f64}}
graph.dataset @d : (tensor<3x8x6xf32>, tensor<i32>) = #graph.idx<files = ["x", "y"]> {transforms = [#graph.normalize<mean = [1.0], stddev = [0.0]>]}

// -----

// (C4) expected-error@+1 {{is private, for graph.call, and has a role; expected one or the other}}
graph.func private @f() attributes {role = #graph.role<eval>} {
  graph.return
}

// -----

graph.variable @w : tensor<f32> = #graph.zeros
// expected-note@+1 {{the function is declared here}}
graph.func private @f() {
  %w = graph.read @w : tensor<f32>
  // (graph.func C2) expected-error@+1 {{stands in a function of no role, expected role train}}
  graph.minimize %w {optimizer = #graph.sgd<learning_rate = 0.1>} : tensor<f32>
  graph.return
}

// -----

graph.func @f() attributes {role = #graph.role<eval>} {
  // (C1) expected-error@+1 {{no function @layer in this module; expected a private graph.func, here or in a file that graphc is given behind the model}}
  graph.call @layer() : () -> ()
  graph.return
}

// -----

// expected-note@+1 {{the function is declared here}}
graph.func @g() attributes {role = #graph.role<train>} {
  graph.return
}
graph.func @f() attributes {role = #graph.role<eval>} {
  // (C1) expected-error@+1 {{@g is what a phase runs, expected a private graph.func, which has no role}}
  graph.call @g() : () -> ()
  graph.return
}

// -----

// expected-note@+1 {{the function is declared here}}
graph.func private @layer(%x: tensor<3xf32>) -> tensor<3xf32> {
  graph.return %x : tensor<3xf32>
}
graph.func @f(%x: tensor<4xf32>) attributes {role = #graph.role<predict>} {
  // (C2) expected-error@+1 {{expected the types of @layer, '(tensor<3xf32>) -> tensor<3xf32>'}}
  %y = graph.call @layer(%x) : (tensor<4xf32>) -> tensor<3xf32>
  graph.return
}

// -----

// expected-note@+1 {{the function is declared here}}
graph.func private @layer(%x: tensor<3xf32>, %w: tensor<3xf32>) -> tensor<3xf32> {
  graph.return %x : tensor<3xf32>
}
graph.func @f(%x: tensor<3xf32>) attributes {role = #graph.role<predict>} {
  // (C2) expected-error@+1 {{expected the types of @layer, '(tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>'}}
  %y = graph.call @layer(%x) : (tensor<3xf32>) -> tensor<3xf32>
  graph.return
}

// -----

// expected-note@+1 {{the function is declared here}}
graph.func private @layer(%x: tensor<3xf32>) -> tensor<3xf32> {
  graph.return %x : tensor<3xf32>
}
graph.func @f(%x: tensor<3xf32>) attributes {role = #graph.role<predict>} {
  // (C2) expected-error@+1 {{expected the types of @layer, '(tensor<3xf32>) -> tensor<3xf32>'}}
  graph.call @layer(%x) : (tensor<3xf32>) -> ()
  graph.return
}

// -----

graph.variable @w : tensor<3xf32> = #graph.zeros
graph.func @f(%x: tensor<3xf32>) attributes {role = #graph.role<predict>} {
  // (C1) expected-error@+1 {{no function @w in this module; expected a private graph.func, here or in a file that graphc is given behind the model}}
  %y = graph.call @w(%x) : (tensor<3xf32>) -> tensor<3xf32>
  graph.return
}

// -----

// (C5) expected-error@+1 {{is private, for graph.call, and has 'graph.name', which would have no effect; expected it on the function that calls this one}}
graph.func private @layer(%x: tensor<3xf32> {graph.name = "x"}) -> tensor<3xf32> {
  graph.return %x : tensor<3xf32>
}

// -----

// (C5) expected-error@+1 {{is private, for graph.call, and has 'graph.reduction'}}
graph.func private @layer(%x: tensor<3xf32>) -> (tensor<3xf32> {graph.reduction = "mean"}) {
  graph.return %x : tensor<3xf32>
}

// -----

// (C5) expected-error@+1 {{is private, for graph.call, and has 'moving_averages'}}
graph.func private @layer() attributes {moving_averages} {
  graph.return
}

// -----

// (C1) expected-error@+1 {{body must be one block, got 0}}
graph.func private @layer(%x: tensor<3xf32>) -> tensor<3xf32>

// -----

// (C2) expected-error@+1 {{dimension 9223372036854775807 is none of the component 'tensor<3x8x6xf32>'}}
graph.dataset @d : (tensor<3x8x6xf32>, tensor<i32>) = #graph.idx<files = ["x", "y"]> {transforms = [#graph.random_flip<dimension = 9223372036854775807>]}
