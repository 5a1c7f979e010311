//===- PassPipelines.h - stages of a module and the passes between them -------------*- C++ -*-===//
#ifndef GRAPHC_PASSES_PASSPIPELINES_H
#define GRAPHC_PASSES_PASSPIPELINES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

#include <optional>

namespace graphc {

/// How far a module has come; each is the text of one --emit.
enum class PipelineStage {
  Graph,
  Differentiated,
  Placed,
  Replicated,
  Partitioned,
  Outlined,
  Scheduled,
  Linalg,
  Llvm
};

llvm::StringRef getStageName(PipelineStage stage);
std::optional<PipelineStage> parseStage(llvm::StringRef name);

/// The stage of a module: what graph.stage says; where it is absent (a module made by hand), what
/// its operations show. Emits an error for an unknown name.
mlir::FailureOr<PipelineStage> getStage(mlir::ModuleOp module);

/// The passes that bring a module of stage `from` to stage `to`; nothing where it is there already.
void buildPipeline(mlir::OpPassManager &manager, PipelineStage from, PipelineStage to);

/// Of the stage "llvm" what makes the code of GPUs.
void buildGpuCode(mlir::OpPassManager &manager);

} // namespace graphc

#endif
