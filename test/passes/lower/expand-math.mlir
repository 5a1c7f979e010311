// RUN: graph-opt --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(expand-math))' %s | FileCheck %s

// Nothing of libm is left, no multiply-add is fused, scalars and vectors alike.
// CHECK-LABEL: func.func @all
// CHECK-NOT: math.{{exp|log|tanh|powf|fma}}
// CHECK-NOT: fastmath
// CHECK: return
func.func @all(%a: f32, %b: vector<16xf32>, %c: f64, %d: vector<16xf64>) -> (f32, vector<16xf32>, f64, vector<16xf64>) {
  %0 = math.exp %a : f32
  %1 = math.log %b : vector<16xf32>
  %2 = math.tanh %c : f64
  %3 = math.powf %d, %d : vector<16xf64>
  return %0, %1, %2, %3 : f32, vector<16xf32>, f64, vector<16xf64>
}

// -----

// CHECK-LABEL: func.func @functions
// CHECK-NOT: math.{{.}}
// CHECK: return
func.func @functions(%a: f32, %b: vector<16xf32>, %c: f64, %d: vector<16xf64>) -> (f32, vector<16xf32>, f64, vector<16xf64>, vector<4xf32>) {
  %0 = math.expm1 %a : f32
  %1 = math.log1p %b : vector<16xf32>
  %2 = math.erf %c : f64
  %3 = math.sin %d : vector<16xf64>
  %4 = vector.extract_strided_slice %1 {offsets = [4], sizes = [4], strides = [1]} : vector<16xf32> to vector<4xf32>
  %5 = math.cos %4 : vector<4xf32>
  return %0, %1, %2, %3, %5 : f32, vector<16xf32>, f64, vector<16xf64>, vector<4xf32>
}

// -----

// Not every CPU has an instruction for these, and a remainder is a call of fmod.
// CHECK-LABEL: func.func @rounding
// CHECK-NOT: math.{{.}}
// CHECK-NOT: arith.remf
// CHECK: scf.while
// CHECK-NOT: arith.remf
// CHECK: return
func.func @rounding(%a: f32, %b: vector<16xf32>, %c: f64, %d: vector<16xf64>) -> (f32, vector<16xf32>, f64, vector<16xf64>, f32) {
  %0 = math.floor %a : f32
  %1 = math.ceil %b : vector<16xf32>
  %2 = math.roundeven %c : f64
  %3 = arith.remf %d, %d : vector<16xf64>
  %4 = arith.remf %a, %a : f32
  return %0, %1, %2, %3, %4 : f32, vector<16xf32>, f64, vector<16xf64>, f32
}

// -----

// The machine has an instruction for these.
// CHECK-LABEL: func.func @kept
// CHECK: math.sqrt
// CHECK: math.absf
func.func @kept(%a: f32) -> f32 {
  %0 = math.sqrt %a : f32
  %1 = math.absf %0 : f32
  return %1 : f32
}

// -----

func.func @half(%a: f16) -> f16 {
  // expected-error@+1 {{has no expansion for 'f16', expected f32 or f64}}
  %0 = math.exp %a : f16
  return %0 : f16
}

// -----

func.func @brain(%a: vector<16xbf16>) -> vector<16xbf16> {
  // expected-error@+1 {{has no expansion for 'bf16', expected f32 or f64}}
  %0 = math.tanh %a : vector<16xbf16>
  return %0 : vector<16xbf16>
}
