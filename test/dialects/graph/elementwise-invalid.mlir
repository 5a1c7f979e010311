// RUN: graph-opt --split-input-file --verify-diagnostics %s

func.func @types_differ(%a: tensor<4xf32>, %b: tensor<4xf64>) {
  // expected-note@-1 {{prior use here}}
  // expected-error@+1 {{expects different type than prior uses}}
  %0 = graph.add %a, %b : tensor<4xf32>
  return
}

// -----

func.func @dynamic(%a: tensor<?xf32>) {
  // expected-error@+1 {{operand #0 must be static ranked tensor of i8, ui8, i32, ui32, i64, bf16, f32 or f64 with at most 16 dimensions, none of them empty, and 2^37 elements, but got 'tensor<?xf32>'}}
  %0 = graph.negate %a : tensor<?xf32>
  return
}

// -----

func.func @empty(%a: tensor<0xf32>) {
  // expected-error@+1 {{must be static ranked tensor of bf16, f32 or f64 with at most 16 dimensions, none of them empty, and 2^37 elements, but got 'tensor<0xf32>'}}
  %0 = graph.relu %a : tensor<0xf32>
  return
}

// -----

func.func @integer_sqrt(%a: tensor<4xi32>) {
  // expected-error@+1 {{must be static ranked tensor of bf16, f32 or f64 with at most 16 dimensions, none of them empty, and 2^37 elements, but got 'tensor<4xi32>'}}
  %0 = graph.sqrt %a : tensor<4xi32>
  return
}

// -----

func.func @half(%a: tensor<4xf16>) {
  // expected-error@+1 {{must be static ranked tensor of i8, ui8, i32, ui32, i64, bf16, f32 or f64 with at most 16 dimensions, none of them empty, and 2^37 elements, but got 'tensor<4xf16>'}}
  %0 = graph.add %a, %a : tensor<4xf16>
  return
}

// -----

func.func @order_of_truth(%a: tensor<4xi1>) {
  // (C1) expected-error@+1 {{relation of i1 operands must be eq or ne, got lt}}
  %0 = graph.compare lt, %a, %a : tensor<4xi1>
  return
}

// -----

func.func @order_of_truth_again(%a: tensor<i1>) {
  // (C1) expected-error@+1 {{relation of i1 operands must be eq or ne, got ge}}
  %0 = graph.compare ge, %a, %a : tensor<i1>
  return
}

// -----

func.func @unknown_relation(%a: tensor<i32>) {
  // expected-error@+1 {{unknown relation 'about'; known are eq, ne, lt, le, gt, ge}}
  %0 = graph.compare about, %a, %a : tensor<i32>
  return
}

// -----

func.func @predicate(%p: tensor<3xi1>, %a: tensor<4xf32>) {
  // expected-note@-1 {{prior use here}}
  // expected-error@+1 {{expects different type than prior uses: 'tensor<4xi1>' vs 'tensor<3xi1>'}}
  %0 = graph.select %p, %a, %a : tensor<4xf32>
  return
}

// -----

func.func @convert_shape(%a: tensor<4xf32>) {
  // expected-error@+1 {{all non-scalar operands/results must have the same shape and base type}}
  %0 = graph.convert %a : (tensor<4xf32>) -> tensor<5xf64>
  return
}
