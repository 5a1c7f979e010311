// RUN: graph-opt --split-input-file --verify-diagnostics %s
// What no library call can be.

dist.phase @p {role = #graph.role<predict>}
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  %a = dist.buffer : memref<64x32xf32>
  %b = dist.buffer : memref<32x16xf32>
  %c = dist.buffer : memref<64x16xf32>
  dist.control_send []
  // (LC1)
  // expected-error @+1 {{has "k" = "many" in its descriptor, expected an i64}}
  dist.library_call "matmul"(%a, %b) into(%c) {descriptor = {k = "many", m = 64, n = 16}}
      : memref<64x32xf32>, memref<32x16xf32> into memref<64x16xf32>
  dist.control_receive local
  dist.end
}

// -----

dist.phase @p {role = #graph.role<predict>}
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  %a = dist.buffer : memref<64x32xf32>
  %b = dist.buffer : memref<32x16xf32>
  %c = dist.buffer : memref<64x16xf32>
  dist.control_send []
  // (LC2)
  // expected-error @+1 {{no library has a kernel 'sort', but attention, attention_grad, convolution, convolution_filter_grad, convolution_input_grad, gpu_matmul, matmul}}
  dist.library_call "sort"(%a, %b) into(%c) {descriptor = {}}
      : memref<64x32xf32>, memref<32x16xf32> into memref<64x16xf32>
  dist.control_receive local
  dist.end
}

// -----

dist.phase @p {role = #graph.role<predict>}
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  %a = dist.buffer : memref<64x32xf32>
  %b = dist.buffer : memref<32x16xf32>
  %c = dist.buffer : memref<64x16xf32>
  dist.control_send []
  // (LC2)
  // expected-error @+1 {{matmul: b has 512 elements, expected 1024}}
  dist.library_call "matmul"(%a, %b) into(%c) {descriptor = {k = 32, m = 64, n = 32}}
      : memref<64x32xf32>, memref<32x16xf32> into memref<64x16xf32>
  dist.control_receive local
  dist.end
}

// -----

dist.phase @p {role = #graph.role<predict>}
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  %a = dist.buffer : memref<64x32xf32>
  %b = dist.buffer : memref<32x16xf32>
  %c = dist.buffer : memref<64x16xf32>
  dist.control_send []
  // (LC2)
  // expected-error @+1 {{matmul: m, n or k is missing}}
  dist.library_call "matmul"(%a, %b) into(%c) {descriptor = {k = 32, m = 64}}
      : memref<64x32xf32>, memref<32x16xf32> into memref<64x16xf32>
  dist.control_receive local
  dist.end
}

// -----

dist.phase @p {role = #graph.role<predict>}
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  %a = dist.buffer : memref<64x32xf32>
  %b = dist.buffer : memref<32x16xf32>
  %c = dist.buffer : memref<64x16xf32>
  dist.control_send []
  // (LC2)
  // expected-error @+1 {{matmul: 'stride' is none of m, n, k, batch, transpose_a, transpose_b}}
  dist.library_call "matmul"(%a, %b) into(%c) {descriptor = {k = 32, m = 64, n = 16, stride = 1}}
      : memref<64x32xf32>, memref<32x16xf32> into memref<64x16xf32>
  dist.control_receive local
  dist.end
}

// -----

dist.phase @p {role = #graph.role<predict>}
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  %a = dist.buffer : memref<64x32xf32>
  %b = dist.buffer : memref<32x16xf32>
  %c = dist.buffer : memref<64x16xf32>
  dist.control_send []
  // (LC2)
  // expected-error @+1 {{matmul: 3 operands, expected 4}}
  dist.library_call "matmul"(%a, %b) into(%c) {descriptor = {k = 32, m = 64, n = 16}, post_ops = ["bias"]}
      : memref<64x32xf32>, memref<32x16xf32> into memref<64x16xf32>
  dist.control_receive local
  dist.end
}

// -----

dist.phase @p {role = #graph.role<predict>}
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  %a = dist.buffer : memref<64x32xf32>
  %b = dist.buffer : memref<32x16xf32>
  %c = dist.buffer : memref<64x16xf32>
  dist.control_send []
  // (LC2)
  // expected-error @+1 {{matmul: the post-op 'tanh'; expected bias, relu, or relu behind bias}}
  dist.library_call "matmul"(%a, %b) into(%c) {descriptor = {k = 32, m = 64, n = 16}, post_ops = ["tanh"]}
      : memref<64x32xf32>, memref<32x16xf32> into memref<64x16xf32>
  dist.control_receive local
  dist.end
}

// -----

// (LC2): f32 alone
dist.phase @p {role = #graph.role<predict>}
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  %a = dist.buffer : memref<64x32xf64>
  %c = dist.buffer : memref<64x64xf32>
  dist.control_send []
  // expected-error @+1 {{'dist.library_call' op is no call that can be made: matmul: a is not of f32}}
  dist.library_call "matmul"(%a, %a) into(%c) {descriptor = {k = 32, m = 64, n = 64, transpose_b}}
      : memref<64x32xf64>, memref<64x32xf64> into memref<64x64xf32>
  dist.control_receive local
  dist.end
}

// -----

// (LC2): an element that no library has
dist.phase @p {role = #graph.role<predict>}
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  %a = dist.buffer : memref<64x64xi16>
  dist.control_send []
  // expected-error @+1 {{has an operand of type 'memref<64x64xi16>', which no library takes}}
  dist.library_call "matmul"(%a, %a) into(%a) {descriptor = {k = 64, m = 64, n = 64}}
      : memref<64x64xi16>, memref<64x64xi16> into memref<64x64xi16>
  dist.control_receive local
  dist.end
}

// -----

// (LC2): no size
dist.phase @p {role = #graph.role<predict>}
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  %a = dist.buffer : memref<64x64xf32>
  %c = dist.buffer : memref<64x64xf32>
  dist.control_send []
  // expected-error @+1 {{matmul: k is 0, which is out of range}}
  dist.library_call "matmul"(%a, %a) into(%c) {descriptor = {k = 0, m = 64, n = 64}}
      : memref<64x64xf32>, memref<64x64xf32> into memref<64x64xf32>
  dist.control_receive local
  dist.end
}

// -----

dist.phase @p {role = #graph.role<predict>}
dist.program @a of @p on "/job:t/task:0/device:GPU:0" {
  %a = dist.buffer : memref<64x32xf32>
  %b = dist.buffer : memref<32x16xf32>
  %c = dist.buffer : memref<64x16xf32>
  dist.control_send []
  // (LC3)
  // expected-error @+1 {{calls a library of CPUs in a program on a GPU}}
  dist.library_call "matmul"(%a, %b) into(%c) {descriptor = {k = 32, m = 64, n = 16}}
      : memref<64x32xf32>, memref<32x16xf32> into memref<64x16xf32>
  dist.control_receive local
  dist.end
}

// -----

dist.phase @p {role = #graph.role<predict>}
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  %a = dist.buffer : memref<64x32xf32>
  %b = dist.buffer : memref<32x16xf32>
  %c = dist.buffer : memref<64x16xf32>
  dist.control_send []
  // (LC3)
  // expected-error @+1 {{calls a library of GPUs in a program on a CPU}}
  dist.library_call "gpu_matmul"(%a, %b) into(%c) {descriptor = {k = 32, m = 64, n = 16, tf32}}
      : memref<64x32xf32>, memref<32x16xf32> into memref<64x16xf32>
  dist.control_receive local
  dist.end
}

// -----

dist.phase @p {role = #graph.role<predict>}
dist.program @a of @p on "/job:t/task:0/device:GPU:0" {
  %a = dist.buffer : memref<64x32xf32>
  %b = dist.buffer : memref<32x16xf32>
  %c = dist.buffer : memref<64x16xf32>
  dist.control_send []
  // (LC2)
  // expected-error @+1 {{is no call that can be made: matmul: two precisions}}
  dist.library_call "gpu_matmul"(%a, %b) into(%c) {descriptor = {bf16, k = 32, m = 64, n = 16, tf32}}
      : memref<64x32xf32>, memref<32x16xf32> into memref<64x16xf32>
  dist.control_receive local
  dist.end
}

// -----

dist.phase @p {role = #graph.role<predict>}
dist.program @a of @p on "/job:t/task:0/device:GPU:0" {
  %a = dist.buffer : memref<64x32xf32>
  %b = dist.buffer : memref<32x16xf32>
  %c = dist.buffer : memref<64x16xf32>
  dist.control_send []
  // (LC2)
  // expected-error @+1 {{is no call that can be made: matmul: the post-op 'relu'; a GPU's has none}}
  dist.library_call "gpu_matmul"(%a, %b) into(%c) {descriptor = {k = 32, m = 64, n = 16}, post_ops = ["relu"]}
      : memref<64x32xf32>, memref<32x16xf32> into memref<64x16xf32>
  dist.control_receive local
  dist.end
}
