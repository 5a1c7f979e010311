//===- CompilerInstance.h - one compilation, step by step ---------------------------*- C++ -*-===//
//
// For graphc, which stops at stages and prints them, and for importers that make the module
// themselves. Compiler.h is the straight line through it: read, useCluster, lower, emit, check.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_PASSES_COMPILER_COMPILERINSTANCE_H
#define GRAPHC_PASSES_COMPILER_COMPILERINSTANCE_H

#include "passes/PassPipelines.h"
#include "passes/compiler/Compiler.h"
#include "passes/compiler/DiagnosticRecorder.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>

namespace graphc {

/// Each step fails after it has said why. Steps come in the order in which they stand here.
class CompilerInstance {
public:
  CompilerInstance(CompileOptions options, DiagnosticSink sink);
  /// Of a copy of `module`, in its context, which no other thread may use meanwhile. What is
  /// emitted there goes to `sink` as long as this lives.
  CompilerInstance(mlir::ModuleOp module, std::string name, CompileOptions options,
                   DiagnosticSink sink);
  ~CompilerInstance();
  CompilerInstance(const CompilerInstance &) = delete;

  mlir::MLIRContext &context() { return *inUse_; }
  /// Parses and checks the model, whose name is that of the buffer.
  mlir::LogicalResult read(std::unique_ptr<llvm::MemoryBuffer> model);
  /// Looks at a module that is there: its stage, and whether there is something to compile. Part of
  /// read.
  mlir::LogicalResult begin();
  mlir::ModuleOp module() { return *current_; }
  PipelineStage stage() const { return reached_; }

  /// Whether the module brings its cluster, and has been placed for it.
  bool isPlaced();
  /// Gives the module a cluster and a strategy. Nothing: those it has, those that its programs
  /// show, or one task.
  mlir::LogicalResult useCluster(const MaybeCluster &cluster);
  /// The cluster in use, with the strategy.
  const cluster::ClusterConfig &cluster() const { return used_; }

  /// Is asked to set each pass manager up, for debugging flags and timing.
  std::function<mlir::LogicalResult(mlir::PassManager &)> setUp;
  /// Runs the passes from the stage reached to `stage`. Where the budget limits memory, what is
  /// cheap is rematerialized until the plan keeps it, or as far as that brings it: check() says so.
  mlir::LogicalResult lower(PipelineStage stage);

  /// Whether plans get native code; without, they cannot run, and what they would take is known
  /// sooner.
  bool nativeCode = true;
  /// The plan of a module that has been lowered to the last stage; without native code the
  /// scheduled one will do.
  mlir::FailureOr<plan::Plan> emit();
  /// Whether the plan keeps the budget of its cluster, if one was given; a remark on devices
  /// without work.
  mlir::LogicalResult check(const plan::Plan &plan);

private:
  mlir::LogicalResult fail(std::string message);
  mlir::LogicalResult run(mlir::ModuleOp module, PipelineStage from, PipelineStage to);
  mlir::LogicalResult lowerWithinBudget(PipelineStage stage);
  mlir::FailureOr<plan::Plan> emit(mlir::ModuleOp module, bool withCode);

  const CompileOptions options_;
  const DiagnosticSink sink_;
  std::unique_ptr<mlir::MLIRContext> own_;
  mlir::MLIRContext *inUse_;
  llvm::SourceMgr sources_;
  DiagnosticRecorder recorder_;
  std::string name_;
  mlir::OwningOpRef<mlir::ModuleOp> current_;
  PipelineStage reached_ = PipelineStage::Graph;
  cluster::ClusterConfig used_;
  bool given_ = false; ///< the cluster
};

/// Compiles a copy of a module, as compile() does text. `name` stands for it in the plan.
CompileResult compile(mlir::ModuleOp module, std::string_view name,
                      const MaybeCluster &cluster = std::nullopt,
                      const CompileOptions &options = {});

} // namespace graphc

#endif
