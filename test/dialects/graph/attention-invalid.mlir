// RUN: graph-opt --split-input-file --verify-diagnostics %s

func.func @element(%q: tensor<2x4x8x3xf32>, %k: tensor<2x4x6x3xf64>, %v: tensor<2x4x6x5xf32>) {
  // (C1) expected-error@+1 {{query, key and value must have the same element type, the same rank of at least 2 and the same leading dimensions, got 'tensor<2x4x8x3xf32>', 'tensor<2x4x6x3xf64>' and 'tensor<2x4x6x5xf32>'}}
  %0 = graph.attention %q, %k, %v : (tensor<2x4x8x3xf32>, tensor<2x4x6x3xf64>, tensor<2x4x6x5xf32>) -> tensor<2x4x8x5xf32>
  return
}

// -----

func.func @rank(%q: tensor<8xf32>, %k: tensor<8xf32>, %v: tensor<8xf32>) {
  // (C1) expected-error@+1 {{query, key and value must have the same element type, the same rank of at least 2 and the same leading dimensions, got 'tensor<8xf32>', 'tensor<8xf32>' and 'tensor<8xf32>'}}
  %0 = graph.attention %q, %k, %v : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8x5xf32>
  return
}

// -----

func.func @heads(%q: tensor<2x4x8x3xf32>, %k: tensor<2x1x6x3xf32>, %v: tensor<2x4x6x5xf32>) {
  // (C1) expected-error@+1 {{query, key and value must have the same element type, the same rank of at least 2 and the same leading dimensions, got 'tensor<2x4x8x3xf32>', 'tensor<2x1x6x3xf32>'}}
  %0 = graph.attention %q, %k, %v : (tensor<2x4x8x3xf32>, tensor<2x1x6x3xf32>, tensor<2x4x6x5xf32>) -> tensor<2x4x8x5xf32>
  return
}

// -----

func.func @width(%q: tensor<2x4x8x3xf32>, %k: tensor<2x4x6x4xf32>, %v: tensor<2x4x6x5xf32>) {
  // (C2) expected-error@+1 {{key must be as wide as query and have as many rows as value, got 'tensor<2x4x8x3xf32>', 'tensor<2x4x6x4xf32>' and 'tensor<2x4x6x5xf32>'}}
  %0 = graph.attention %q, %k, %v : (tensor<2x4x8x3xf32>, tensor<2x4x6x4xf32>, tensor<2x4x6x5xf32>) -> tensor<2x4x8x5xf32>
  return
}

// -----

func.func @rows(%q: tensor<2x4x8x3xf32>, %k: tensor<2x4x6x3xf32>, %v: tensor<2x4x7x5xf32>) {
  // (C2) expected-error@+1 {{key must be as wide as query and have as many rows as value}}
  %0 = graph.attention %q, %k, %v : (tensor<2x4x8x3xf32>, tensor<2x4x6x3xf32>, tensor<2x4x7x5xf32>) -> tensor<2x4x8x5xf32>
  return
}

// -----

func.func @mask(%q: tensor<2x4x8x3xf32>, %k: tensor<2x4x6x3xf32>, %v: tensor<2x4x6x5xf32>, %m: tensor<2x1x6x8xi1>) {
  // (C3) expected-error@+1 {{each dimension of the mask must be 1 or that of the scores, 'tensor<2x4x8x6xf32>', got 'tensor<2x1x6x8xi1>'}}
  %0 = graph.attention %q, %k, %v mask %m : (tensor<2x4x8x3xf32>, tensor<2x4x6x3xf32>, tensor<2x4x6x5xf32>, tensor<2x1x6x8xi1>) -> tensor<2x4x8x5xf32>
  return
}

// -----

func.func @mask_rank(%q: tensor<2x4x8x3xf32>, %k: tensor<2x4x6x3xf32>, %v: tensor<2x4x6x5xf32>, %m: tensor<8x6xi1>) {
  // (C3) expected-error@+1 {{each dimension of the mask must be 1 or that of the scores, 'tensor<2x4x8x6xf32>', got 'tensor<8x6xi1>'}}
  %0 = graph.attention %q, %k, %v mask %m : (tensor<2x4x8x3xf32>, tensor<2x4x6x3xf32>, tensor<2x4x6x5xf32>, tensor<8x6xi1>) -> tensor<2x4x8x5xf32>
  return
}

// -----

func.func @scale(%q: tensor<2x4x8x3xf32>, %k: tensor<2x4x6x3xf32>, %v: tensor<2x4x6x5xf32>) {
  // (C4) expected-error@+1 {{scale must be finite, got}}
  %0 = graph.attention %q, %k, %v {scale = 0x7FF0000000000000 : f64} : (tensor<2x4x8x3xf32>, tensor<2x4x6x3xf32>, tensor<2x4x6x5xf32>) -> tensor<2x4x8x5xf32>
  return
}

// -----

func.func @grad_element(%q: tensor<2x4x8x3xf32>, %k: tensor<2x4x6x3xf64>, %v: tensor<2x4x6x5xf32>, %y: tensor<2x4x8x5xf32>) {
  // (C1) expected-error@+1 {{query, key and value must have the same element type, the same rank of at least 2 and the same leading dimensions, got 'tensor<2x4x8x3xf32>', 'tensor<2x4x6x3xf64>' and 'tensor<2x4x6x5xf32>'}}
  %0:3 = graph.attention_grad %q, %k, %v, %y, %y : (tensor<2x4x8x3xf32>, tensor<2x4x6x3xf64>, tensor<2x4x6x5xf32>, tensor<2x4x8x5xf32>, tensor<2x4x8x5xf32>) -> (tensor<2x4x8x3xf32>, tensor<2x4x6x3xf32>, tensor<2x4x6x5xf32>)
  return
}

// -----

func.func @grad_rank(%q: tensor<8xf32>, %k: tensor<8xf32>, %v: tensor<8xf32>, %y: tensor<2x4x8x5xf32>) {
  // (C1) expected-error@+1 {{query, key and value must have the same element type, the same rank of at least 2 and the same leading dimensions, got 'tensor<8xf32>', 'tensor<8xf32>' and 'tensor<8xf32>'}}
  %0:3 = graph.attention_grad %q, %k, %v, %y, %y : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<2x4x8x5xf32>, tensor<2x4x8x5xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>)
  return
}

// -----

func.func @grad_heads(%q: tensor<2x4x8x3xf32>, %k: tensor<2x1x6x3xf32>, %v: tensor<2x4x6x5xf32>, %y: tensor<2x4x8x5xf32>) {
  // (C1) expected-error@+1 {{query, key and value must have the same element type, the same rank of at least 2 and the same leading dimensions, got 'tensor<2x4x8x3xf32>', 'tensor<2x1x6x3xf32>'}}
  %0:3 = graph.attention_grad %q, %k, %v, %y, %y : (tensor<2x4x8x3xf32>, tensor<2x1x6x3xf32>, tensor<2x4x6x5xf32>, tensor<2x4x8x5xf32>, tensor<2x4x8x5xf32>) -> (tensor<2x4x8x3xf32>, tensor<2x1x6x3xf32>, tensor<2x4x6x5xf32>)
  return
}

// -----

func.func @grad_width(%q: tensor<2x4x8x3xf32>, %k: tensor<2x4x6x4xf32>, %v: tensor<2x4x6x5xf32>, %y: tensor<2x4x8x5xf32>) {
  // (C2) expected-error@+1 {{key must be as wide as query and have as many rows as value, got 'tensor<2x4x8x3xf32>', 'tensor<2x4x6x4xf32>' and 'tensor<2x4x6x5xf32>'}}
  %0:3 = graph.attention_grad %q, %k, %v, %y, %y : (tensor<2x4x8x3xf32>, tensor<2x4x6x4xf32>, tensor<2x4x6x5xf32>, tensor<2x4x8x5xf32>, tensor<2x4x8x5xf32>) -> (tensor<2x4x8x3xf32>, tensor<2x4x6x4xf32>, tensor<2x4x6x5xf32>)
  return
}

// -----

func.func @grad_rows(%q: tensor<2x4x8x3xf32>, %k: tensor<2x4x6x3xf32>, %v: tensor<2x4x7x5xf32>, %y: tensor<2x4x8x5xf32>) {
  // (C2) expected-error@+1 {{key must be as wide as query and have as many rows as value}}
  %0:3 = graph.attention_grad %q, %k, %v, %y, %y : (tensor<2x4x8x3xf32>, tensor<2x4x6x3xf32>, tensor<2x4x7x5xf32>, tensor<2x4x8x5xf32>, tensor<2x4x8x5xf32>) -> (tensor<2x4x8x3xf32>, tensor<2x4x6x3xf32>, tensor<2x4x7x5xf32>)
  return
}

// -----

func.func @grad_mask(%q: tensor<2x4x8x3xf32>, %k: tensor<2x4x6x3xf32>, %v: tensor<2x4x6x5xf32>, %y: tensor<2x4x8x5xf32>, %m: tensor<2x1x6x8xi1>) {
  // (C3) expected-error@+1 {{each dimension of the mask must be 1 or that of the scores, 'tensor<2x4x8x6xf32>', got 'tensor<2x1x6x8xi1>'}}
  %0:3 = graph.attention_grad %q, %k, %v, %y, %y mask %m : (tensor<2x4x8x3xf32>, tensor<2x4x6x3xf32>, tensor<2x4x6x5xf32>, tensor<2x4x8x5xf32>, tensor<2x4x8x5xf32>, tensor<2x1x6x8xi1>) -> (tensor<2x4x8x3xf32>, tensor<2x4x6x3xf32>, tensor<2x4x6x5xf32>)
  return
}

// -----

func.func @grad_mask_rank(%q: tensor<2x4x8x3xf32>, %k: tensor<2x4x6x3xf32>, %v: tensor<2x4x6x5xf32>, %y: tensor<2x4x8x5xf32>, %m: tensor<8x6xi1>) {
  // (C3) expected-error@+1 {{each dimension of the mask must be 1 or that of the scores, 'tensor<2x4x8x6xf32>', got 'tensor<8x6xi1>'}}
  %0:3 = graph.attention_grad %q, %k, %v, %y, %y mask %m : (tensor<2x4x8x3xf32>, tensor<2x4x6x3xf32>, tensor<2x4x6x5xf32>, tensor<2x4x8x5xf32>, tensor<2x4x8x5xf32>, tensor<8x6xi1>) -> (tensor<2x4x8x3xf32>, tensor<2x4x6x3xf32>, tensor<2x4x6x5xf32>)
  return
}

// -----

func.func @grad_scale(%q: tensor<2x4x8x3xf32>, %k: tensor<2x4x6x3xf32>, %v: tensor<2x4x6x5xf32>, %y: tensor<2x4x8x5xf32>) {
  // (C4) expected-error@+1 {{scale must be finite, got}}
  %0:3 = graph.attention_grad %q, %k, %v, %y, %y {scale = 0x7FF0000000000000 : f64} : (tensor<2x4x8x3xf32>, tensor<2x4x6x3xf32>, tensor<2x4x6x5xf32>, tensor<2x4x8x5xf32>, tensor<2x4x8x5xf32>) -> (tensor<2x4x8x3xf32>, tensor<2x4x6x3xf32>, tensor<2x4x6x5xf32>)
  return
}

// -----

func.func @output(%q: tensor<2x4x8x3xf32>, %k: tensor<2x4x6x3xf32>, %v: tensor<2x4x6x5xf32>, %y: tensor<2x4x8x3xf32>) {
  // (C5) expected-error@+1 {{output and grad_output must be of attention's type 'tensor<2x4x8x5xf32>', got 'tensor<2x4x8x3xf32>' and 'tensor<2x4x8x3xf32>'}}
  %0:3 = graph.attention_grad %q, %k, %v, %y, %y : (tensor<2x4x8x3xf32>, tensor<2x4x6x3xf32>, tensor<2x4x6x5xf32>, tensor<2x4x8x3xf32>, tensor<2x4x8x3xf32>) -> (tensor<2x4x8x3xf32>, tensor<2x4x6x3xf32>, tensor<2x4x6x5xf32>)
  return
}

// -----

func.func @packed_thirds(%x: tensor<2x8x25xf32>) {
  // (C1) expected-error@+1 {{the last dimension must hold query, key and value of 4 heads, 3 times a multiple of these, got 'tensor<2x8x25xf32>'}}
  %0 = graph.packed_attention %x heads = 4 : (tensor<2x8x25xf32>) -> tensor<2x8x8xf32>
  return
}

// -----

func.func @packed_thirds_grad(%x: tensor<2x8x25xf32>, %y: tensor<2x8x8xf32>) {
  // (C1) expected-error@+1 {{the last dimension must hold query, key and value of 4 heads, 3 times a multiple of these, got 'tensor<2x8x25xf32>'}}
  %0 = graph.packed_attention_grad %x, %y, %y heads = 4 : (tensor<2x8x25xf32>, tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x25xf32>
  return
}

// -----

func.func @packed_heads(%x: tensor<2x8x24xf32>) {
  // (C1) expected-error@+1 {{the last dimension must hold query, key and value of 5 heads, 3 times a multiple of these, got 'tensor<2x8x24xf32>'}}
  %0 = graph.packed_attention %x heads = 5 : (tensor<2x8x24xf32>) -> tensor<2x8x8xf32>
  return
}

// -----

func.func @packed_heads_grad(%x: tensor<2x8x24xf32>, %y: tensor<2x8x8xf32>) {
  // (C1) expected-error@+1 {{the last dimension must hold query, key and value of 5 heads, 3 times a multiple of these, got 'tensor<2x8x24xf32>'}}
  %0 = graph.packed_attention_grad %x, %y, %y heads = 5 : (tensor<2x8x24xf32>, tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x24xf32>
  return
}

// -----

func.func @packed_rank(%x: tensor<24xf32>) {
  // (C1) expected-error@+1 {{the last dimension must hold query, key and value of 4 heads}}
  %0 = graph.packed_attention %x heads = 4 : (tensor<24xf32>) -> tensor<2x8x8xf32>
  return
}

// -----

func.func @packed_rank_grad(%x: tensor<24xf32>, %y: tensor<2x8x8xf32>) {
  // (C1) expected-error@+1 {{the last dimension must hold query, key and value of 4 heads}}
  %0 = graph.packed_attention_grad %x, %y, %y heads = 4 : (tensor<24xf32>, tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<24xf32>
  return
}

// -----

func.func @packed_mask(%x: tensor<2x8x24xf32>, %m: tensor<2x8x8xi1>) {
  // (C2) expected-error@+1 {{each dimension of the mask must be 1 or that of the scores, 'tensor<2x4x8x8xf32>', got 'tensor<2x8x8xi1>'}}
  %0 = graph.packed_attention %x mask %m heads = 4 : (tensor<2x8x24xf32>, tensor<2x8x8xi1>) -> tensor<2x8x8xf32>
  return
}

// -----

func.func @packed_mask_grad(%x: tensor<2x8x24xf32>, %y: tensor<2x8x8xf32>, %m: tensor<2x8x8xi1>) {
  // (C2) expected-error@+1 {{each dimension of the mask must be 1 or that of the scores, 'tensor<2x4x8x8xf32>', got 'tensor<2x8x8xi1>'}}
  %0 = graph.packed_attention_grad %x, %y, %y mask %m heads = 4 : (tensor<2x8x24xf32>, tensor<2x8x8xf32>, tensor<2x8x8xf32>, tensor<2x8x8xi1>) -> tensor<2x8x24xf32>
  return
}

// -----

func.func @packed_scale(%x: tensor<2x8x24xf32>) {
  // (C3) expected-error@+1 {{scale must be finite, got}}
  %0 = graph.packed_attention %x heads = 4 {scale = 0x7FF0000000000000 : f64} : (tensor<2x8x24xf32>) -> tensor<2x8x8xf32>
  return
}

// -----

func.func @packed_scale_grad(%x: tensor<2x8x24xf32>, %y: tensor<2x8x8xf32>) {
  // (C3) expected-error@+1 {{scale must be finite, got}}
  %0 = graph.packed_attention_grad %x, %y, %y heads = 4 {scale = 0x7FF0000000000000 : f64} : (tensor<2x8x24xf32>, tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x24xf32>
  return
}

// -----

func.func @packed_output(%x: tensor<2x8x24xf32>, %y: tensor<2x8x6xf32>) {
  // (C4) expected-error@+1 {{output and grad_output must be of packed_attention's type 'tensor<2x8x8xf32>', got 'tensor<2x8x6xf32>' and 'tensor<2x8x6xf32>'}}
  %0 = graph.packed_attention_grad %x, %y, %y heads = 4 : (tensor<2x8x24xf32>, tensor<2x8x6xf32>, tensor<2x8x6xf32>) -> tensor<2x8x24xf32>
  return
}
