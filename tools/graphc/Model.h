//===- Model.h - reading the model ----------------------------------------------------------------------*- C++ -*-===//
#ifndef GRAPHC_TOOLS_GRAPHC_MODEL_H
#define GRAPHC_TOOLS_GRAPHC_MODEL_H

#include "passes/Pipelines.h"

#include "llvm/Support/SourceMgr.h"

namespace graphc {

/// The module in a file of text or bytecode ("-": standard input). Null where it cannot be read, having said so.
mlir::OwningOpRef<mlir::ModuleOp> readModel(const std::string &path, llvm::SourceMgr &sources,
                                            mlir::MLIRContext &context);

/// Whether a module of this stage has something to run: functions, or programs once it is partitioned. Says so if not.
mlir::LogicalResult checkHasWork(mlir::ModuleOp module, Stage stage);

} // namespace graphc

#endif
