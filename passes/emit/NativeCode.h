//===- NativeCode.h - kernels in the LLVM dialect → one ELF shared object -----------*- C++ -*-===//
#ifndef GRAPHC_PASSES_EMIT_NATIVECODE_H
#define GRAPHC_PASSES_EMIT_NATIVECODE_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace llvm {
class TargetMachine;
}

namespace graphc {

/// The CPU that code is made for.
struct NativeTarget {
  std::string cpu; ///< LLVM's name
  /// that the code may use, LLVM's names, sorted: checked at load
  std::vector<std::string> features;
  std::unique_ptr<llvm::TargetMachine> machine;

  /// `cpu` is "native" or an LLVM name; an unknown one is an error that names the nearest.
  static llvm::Expected<NativeTarget> create(llvm::StringRef cpu);
  NativeTarget();
  NativeTarget(NativeTarget &&);
  ~NativeTarget();
};

/// Compiles every llvm.func and llvm.global of `module` (programs and variables are left aside) at
/// -O3 and links it. The same module and target give the same bytes: no path and no time goes in.
/// `keepDir`, where not empty, receives kernels.ll, kernels.o and kernels.so, and the code then has
/// a line table that names the model's file: the instructions stay the same. Fails where a symbol
/// would be undefined.
llvm::Expected<std::string> compileKernels(mlir::ModuleOp module, NativeTarget &target,
                                           llvm::StringRef keepDir);

} // namespace graphc
#endif
