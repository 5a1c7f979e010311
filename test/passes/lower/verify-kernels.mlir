// RUN: graph-opt --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(verify-kernels))' %s

func.func private @good(%x: memref<4xf32>, %y: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %v = memref.load %x[%c0] : memref<4xf32>
  memref.store %v, %y[%c0] : memref<4xf32>
  return
}

// -----

func.func private @alloc() {
  // expected-error@+1 {{in kernel 'alloc' allocates memory; every buffer of a kernel is planned before it is lowered}}
  %0 = memref.alloc() : memref<4xf32>
  return
}

// -----

func.func private @alloca() {
  // expected-error@+1 {{in kernel 'alloca' allocates memory}}
  %0 = memref.alloca() : memref<4xf32>
  return
}

// -----

func.func private @copy(%x: memref<4xf32>, %y: memref<4xf32>) {
  // expected-error@+1 {{in kernel 'copy' would become a call of memcpy; copy element by element}}
  memref.copy %x, %y : memref<4xf32> to memref<4xf32>
  return
}

// -----

func.func private @other()
func.func private @call() {
  // expected-error@+1 {{in kernel 'call' calls a function; a code object has no undefined symbol}}
  func.call @other() : () -> ()
  return
}
