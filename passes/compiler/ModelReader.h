//===- ModelReader.h - reading the model --------------------------------------------*- C++ -*-===//
#ifndef GRAPHC_PASSES_COMPILER_MODELREADER_H
#define GRAPHC_PASSES_COMPILER_MODELREADER_H

#include "passes/PassPipelines.h"
#include "passes/compiler/Compiler.h"
#include "passes/compiler/Diagnostic.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

namespace graphc {

/// The module in text or bytecode, with what the files have that `options` imports; `sources` keeps
/// all of them. Null where there is none, having said so.
mlir::OwningOpRef<mlir::ModuleOp> readModel(std::unique_ptr<llvm::MemoryBuffer> model,
                                            const CompileOptions &options, llvm::SourceMgr &sources,
                                            mlir::MLIRContext &context, const DiagnosticSink &sink);

/// Whether a module of this stage has something to run: functions, or programs once it is
/// partitioned. Says so if not.
mlir::LogicalResult checkHasWork(mlir::ModuleOp module, PipelineStage stage);

} // namespace graphc

#endif
