//===- UpdateBuilder.h - what graph.minimize becomes behind its gradients -----------*- C++ -*-===//
#ifndef GRAPHC_PASSES_MODEL_UPDATEBUILDER_H
#define GRAPHC_PASSES_MODEL_UPDATEBUILDER_H

#include "dialects/graph/GraphDialect.h"

namespace graphc {

/// Makes, where a graph.minimize stands: what is computed once a step, the scales that clip
/// gradients, an update a variable with its slots, and, behind a function's last, the increment of
/// @global_step.
class UpdateBuilder {
public:
  using Gradients = llvm::ArrayRef<std::pair<graph::VariableOp, mlir::Value>>;

  UpdateBuilder(graph::MinimizeOp minimize, mlir::SymbolTable &symbols);
  /// In the order of the gradients; `counts`: the step ends with these updates. Fails where a
  /// symbol is in the way of what is made.
  mlir::LogicalResult build(Gradients gradients, bool counts);

private:
  mlir::LogicalResult check(Gradients gradients);
  mlir::LogicalResult findCounter();
  mlir::Value getStep();
  mlir::Value besideCounter(mlir::Value value);
  void makeStepValues();
  mlir::LogicalResult makeSummary();
  llvm::SmallVector<mlir::Value> makeScales(Gradients gradients);
  mlir::LogicalResult makeUpdate(graph::VariableOp variable, mlir::Value gradient,
                                 mlir::Value scale);
  mlir::FailureOr<mlir::FlatSymbolRefAttr> getSlot(graph::VariableOp variable, llvm::StringRef name,
                                                   graph::InitializerAttrInterface initial,
                                                   bool isCopy, mlir::Operation *&insertAfter);
  void countStep();

  graph::MinimizeOp minimize_;
  graph::OptimizerAttrInterface optimizer_;
  mlir::SymbolTable &symbols_;
  mlir::OpBuilder builder_;
  graph::VariableOp counter_;
  mlir::Value step_; ///< the number of updates so far; null where nobody has asked
  mlir::Value rate_; ///< the schedule's
  llvm::SmallVector<mlir::Value> values_; ///< what else the optimizer computes once a step
};

} // namespace graphc

#endif
