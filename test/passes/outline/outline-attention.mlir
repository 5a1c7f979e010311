// RUN: graph-opt %s --split-input-file --decompose --outline --verify-outlined | FileCheck %s

// On a CPU attention of f32 is one call forward and one backward, and nothing has a number for each query and key.
// CHECK-LABEL: dist.program @cpu
// CHECK-NOT: 1024x1024
// CHECK: dist.library_call "attention"({{.*}}descriptor = {causal, scale = 1.250000e-01 : f64}
// CHECK: dist.library_call "attention_grad"({{.*}}descriptor = {causal, scale = 1.250000e-01 : f64}
// CHECK-NOT: dist.call
// CHECK-NOT: 1024x1024
dist.phase @p {role = #graph.role<predict>}
dist.program @cpu of @p on "/job:t/task:0/device:CPU:0" {
  dist.control_send []
  %q = dist.feed "q" : tensor<4x1024x64xf32>
  %g = dist.feed "g" : tensor<4x1024x64xf32>
  %o = graph.attention %q, %q, %q {causal} : (tensor<4x1024x64xf32>, tensor<4x1024x64xf32>, tensor<4x1024x64xf32>) -> tensor<4x1024x64xf32>
  %a, %b, %c = graph.attention_grad %q, %q, %q, %o, %g {causal}
      : (tensor<4x1024x64xf32>, tensor<4x1024x64xf32>, tensor<4x1024x64xf32>, tensor<4x1024x64xf32>, tensor<4x1024x64xf32>)
      -> (tensor<4x1024x64xf32>, tensor<4x1024x64xf32>, tensor<4x1024x64xf32>)
  dist.fetch "a", %a : tensor<4x1024x64xf32>
  dist.fetch "b", %b : tensor<4x1024x64xf32>
  dist.fetch "c", %c : tensor<4x1024x64xf32>
  dist.control_receive local
  dist.end
}

// -----

// Small ones and other types are compiled, and all of a GPU's.
// CHECK-LABEL: dist.program @small
// CHECK-NOT: "attention
dist.phase @p {role = #graph.role<predict>}
dist.program @small of @p on "/job:t/task:0/device:CPU:0" {
  dist.control_send []
  %q = dist.feed "q" : tensor<8x8x8xf32>
  %o = graph.attention %q, %q, %q {causal} : (tensor<8x8x8xf32>, tensor<8x8x8xf32>, tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  dist.fetch "o", %o : tensor<8x8x8xf32>
  %q64 = dist.feed "q64" : tensor<64x64xf64>
  %o64 = graph.attention %q64, %q64, %q64 : (tensor<64x64xf64>, tensor<64x64xf64>, tensor<64x64xf64>) -> tensor<64x64xf64>
  dist.fetch "o64", %o64 : tensor<64x64xf64>
  dist.control_receive local
  dist.end
}

// -----

// CHECK-LABEL: dist.program @gpu
// CHECK-NOT: "attention
dist.phase @p {role = #graph.role<predict>}
dist.program @gpu of @p on "/job:t/task:0/device:GPU:0" {
  dist.control_send []
  %q = dist.feed "q" : tensor<64x64xf32>
  %o = graph.attention %q, %q, %q : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  dist.fetch "o", %o : tensor<64x64xf32>
  dist.control_receive local
  dist.end
}
