//===- ReverseMode.h - the gradients of a loss --------------------------------------*- C++ -*-===//
#ifndef GRAPHC_PASSES_MODEL_REVERSEMODE_H
#define GRAPHC_PASSES_MODEL_REVERSEMODE_H

#include "dialects/graph/GraphDialect.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace graphc {

/// Gives each op made during one op's gradient that op's device, its name and a location that names
/// both sides.
struct GradientListener : mlir::OpBuilder::Listener {
  mlir::Operation *forward = nullptr;
  mlir::Location loss;

  explicit GradientListener(mlir::Location loss) : loss(loss) {}
  void notifyOperationInserted(mlir::Operation *op, mlir::OpBuilder::InsertPoint) override;
};

/// The gradients of one loss by the variables it reaches, made where `at` stands, of what stands
/// before it.
class ReverseMode {
public:
  ReverseMode(mlir::Operation *at, mlir::Value loss,
              const llvm::SetVector<mlir::StringAttr> &targets)
      : at_(at), loss_(loss), targets_(targets), listener_(at->getLoc()), builder_(at, &listener_) {
  }

  mlir::LogicalResult run();
  /// The gradient by a variable: null where the loss does not reach it, a zero where it does but
  /// nothing flows.
  mlir::Value getGradient(graph::VariableOp variable);

private:
  void findActive();
  mlir::LogicalResult visit(mlir::Operation *op);
  mlir::LogicalResult refuse(mlir::Operation *op);
  mlir::LogicalResult refuseStored(graph::ReadOp read);
  mlir::Value takeGradient(mlir::Value value);
  mlir::Value sum(llvm::ArrayRef<mlir::Value> terms);

  mlir::Operation *at_;
  mlir::Value loss_;
  const llvm::SetVector<mlir::StringAttr> &targets_;
  GradientListener listener_;
  mlir::OpBuilder builder_;
  llvm::DenseSet<mlir::Value> active_;
  /// maps a read to the op before it that stored a value computed from targets in its variable
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> stored_;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value>> contributions_;
  llvm::MapVector<mlir::StringAttr, llvm::SmallVector<mlir::Value>> ofVariables_;
};

} // namespace graphc

#endif
