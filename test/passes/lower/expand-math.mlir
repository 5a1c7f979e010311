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
