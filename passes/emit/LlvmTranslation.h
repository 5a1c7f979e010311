//===- LlvmTranslation.h - what code for every kind of device is made with ----------*- C++ -*-===//
#ifndef GRAPHC_PASSES_EMIT_LLVMTRANSLATION_H
#define GRAPHC_PASSES_EMIT_LLVMTRANSLATION_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <initializer_list>
#include <memory>
#include <utility>

namespace llvm {
class TargetMachine;
}

namespace graphc {

llvm::Error codeError(const llvm::Twine &message);

/// LLVM IR of the llvm.funcs and llvm.globals of `body` alone. With a line table its lines are
/// those of the model's file.
llvm::Expected<std::unique_ptr<llvm::Module>>
translateCode(mlir::Block &body, llvm::LLVMContext &context, bool withLines);

/// Runs the passes of `pipeline`, which is in the syntax of `opt -passes`, for a target.
void runPipeline(llvm::Module &module, llvm::TargetMachine &machine, llvm::StringRef pipeline);

/// Nothing that could be called exists at run time. (Calls that instruction selection makes of
/// intrinsics are found by who loads or links the code, which refuses undefined symbols.)
llvm::Error checkDeclarations(const llvm::Module &module);

llvm::Error writeFile(const llvm::Twine &path, llvm::StringRef content);
/// (name, content) in `folder`, which is made.
llvm::Error keepFiles(llvm::StringRef folder,
                      std::initializer_list<std::pair<llvm::StringRef, llvm::StringRef>> files);

} // namespace graphc
#endif
