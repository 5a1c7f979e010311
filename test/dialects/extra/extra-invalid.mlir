// RUN: %build/test/bin/extra-opt --split-input-file --verify-diagnostics --verify-model --outline %s

dist.phase @p {role = #graph.role<predict>}
dist.program @loops of @p on "/job:t/task:0/device:CPU:0" {
  %x = dist.feed "x" : tensor<4x3xf32>
  // expected-error@+1 {{'extra.careless' op has loops that write memory other than its results' and variables'}}
  %0 = extra.careless %x {breaks = "operand"} : tensor<4x3xf32>
  dist.fetch "y", %0 : tensor<4x3xf32>
  dist.control_receive local
  dist.end
}

// -----

dist.phase @p {role = #graph.role<predict>}
dist.program @loops of @p on "/job:t/task:0/device:CPU:0" {
  %x = dist.feed "x" : tensor<4x3xf32>
  // expected-error@+1 {{'extra.careless' op has loops that never write result #0}}
  %0 = extra.careless %x {breaks = "result"} : tensor<4x3xf32>
  dist.fetch "y", %0 : tensor<4x3xf32>
  dist.control_receive local
  dist.end
}

// -----

dist.phase @p {role = #graph.role<predict>}
dist.program @loops of @p on "/job:t/task:0/device:CPU:0" {
  %x = dist.feed "x" : tensor<4x3xf32>
  // expected-error@+1 {{'extra.careless' op has loops with memref.alloca in them, expected scf, arith, math, memref.load and memref.store}}
  %0 = extra.careless %x {breaks = "alloc"} : tensor<4x3xf32>
  dist.fetch "y", %0 : tensor<4x3xf32>
  dist.control_receive local
  dist.end
}

// -----

dist.phase @p {role = #graph.role<predict>}
dist.program @loops of @p on "/job:t/task:0/device:CPU:0" {
  %x = dist.feed "x" : tensor<4x3xf32>
  // expected-error@+1 {{'extra.careless' op declares operand #0 aligned, but its loops are not seen to read each element before they write the result's at the same place}}
  %0 = extra.careless %x {breaks = "late"} : tensor<4x3xf32>
  dist.fetch "y", %0 : tensor<4x3xf32>
  dist.control_receive local
  dist.end
}

// -----

dist.phase @p {role = #graph.role<predict>}
dist.program @loops of @p on "/job:t/task:0/device:CPU:0" {
  %x = dist.feed "x" : tensor<4x3xf32>
  // expected-error@+1 {{'extra.careless' op declares operand #0 aligned, but its loops are not seen to read each element before they write the result's at the same place}}
  %0 = extra.careless %x {breaks = "reversed"} : tensor<4x3xf32>
  dist.fetch "y", %0 : tensor<4x3xf32>
  dist.control_receive local
  dist.end
}

// -----

dist.phase @p {role = #graph.role<predict>}
dist.program @loops of @p on "/job:t/task:0/device:CPU:0" {
  %x = dist.feed "x" : tensor<4x3xf32>
  // expected-error@+1 {{'extra.careless' op declares operand #0 aligned, but its loops are not seen to read each element before they write the result's at the same place}}
  %0 = extra.careless %x {breaks = "parts"} : tensor<4x3xf32>
  dist.fetch "y", %0 : tensor<4x3xf32>
  dist.control_receive local
  dist.end
}

// -----

dist.phase @p {role = #graph.role<predict>}
dist.program @loops of @p on "/job:t/task:0/device:CPU:0" {
  %x = dist.feed "x" : tensor<4x3xf32>
  // expected-error@+1 {{'extra.careless' op declares operand #0 aligned, but its loops are not seen to read each element before they write the result's at the same place}}
  %0 = extra.careless %x {breaks = "data"} : tensor<4x3xf32>
  dist.fetch "y", %0 : tensor<4x3xf32>
  dist.control_receive local
  dist.end
}

// -----

dist.phase @p {role = #graph.role<predict>}
dist.program @loops of @p on "/job:t/task:0/device:CPU:0" {
  %x = dist.feed "x" : tensor<4x3xf32>
  // expected-error@+1 {{'extra.careless' op declares operand #0 aligned, but its loops are not seen to read each element before they write the result's at the same place}}
  %0 = extra.careless %x {breaks = "twice"} : tensor<4x3xf32>
  dist.fetch "y", %0 : tensor<4x3xf32>
  dist.control_receive local
  dist.end
}

// -----

dist.phase @p {role = #graph.role<predict>}
dist.program @loops of @p on "/job:t/task:0/device:CPU:0" {
  %x = dist.feed "x" : tensor<4x3xf32>
  %0 = extra.careless %x {breaks = "first"} : tensor<4x3xf32>
  dist.fetch "y", %0 : tensor<4x3xf32>
  dist.control_receive local
  dist.end
}

// -----

dist.phase @p {role = #graph.role<train>}
graph.variable @v : tensor<4x3xf32> = #graph.zeros {graph.device = #graph.device<"/job:t/task:0/device:CPU:0">}
dist.program @update of @p on "/job:t/task:0/device:CPU:0" {
  %x = dist.feed "x" : tensor<4x3xf32>
  // expected-error@+1 {{'extra.curious' op has loops that read @v, which by its effects it only writes}}
  extra.curious @v, %x : tensor<4x3xf32>
  dist.control_receive local
  dist.end
}

// -----

graph.variable @v : tensor<3xf32> = #graph.zeros
graph.func @f(%x: tensor<3xf32>) attributes {role = #graph.role<train>} {
  // expected-error@+1 {{'extra.nameless' op is an update, but no memory effect of it names the variable that it writes}}
  extra.nameless @v, %x : tensor<3xf32>
  graph.return
}

// -----

graph.variable @v : tensor<3xf32> = #graph.zeros
graph.func @f(%x: tensor<3xf32>) attributes {role = #graph.role<train>} {
  // expected-error@+1 {{'extra.talkative' op is an update, which has no results, but has 1}}
  %0 = extra.talkative @v, %x : (tensor<3xf32>) -> tensor<3xf32>
  graph.return
}

// -----

graph.variable @v : tensor<3xf32> = #graph.zeros
graph.func @f(%x: tensor<3xf32>) -> (tensor<3xf32>) attributes {role = #graph.role<predict>} {
  // expected-error@+1 {{'extra.peek' op reads or writes @v, but is no update (UpdateOpInterface); expected it to take the value of a graph.read}}
  %0 = extra.peek @v, %x : (tensor<3xf32>) -> tensor<3xf32>
  graph.return %0 : tensor<3xf32>
}

// -----

graph.variable @v : tensor<3xf32> = #graph.zeros
graph.func @f(%x: tensor<3xf32>) attributes {role = #graph.role<train>} {
  // expected-error@+1 {{'extra.apply_by_call' op is an update that the library's kernel 'apply_by_call' serves, which gets no variables; expected StructuredOpInterface or ExplicitLoopsOpInterface}}
  extra.apply_by_call @v, %x : tensor<3xf32>
  graph.return
}
