//===- StablehloToGraph.h - the ops of StableHLO in the words of the graph dialect --*- C++ -*-===//
#ifndef GRAPHC_DIALECTS_STABLEHLO_STABLEHLOTOGRAPH_H
#define GRAPHC_DIALECTS_STABLEHLO_STABLEHLOTOGRAPH_H

#include "mlir/IR/Builders.h"

#include <string>

namespace graphc::stablehlo {

/// What stands for an op's results, or why nothing can: "with dilated operands", or "" where the
/// graph dialect has nothing like it.
struct ImportResult {
  mlir::SmallVector<mlir::Value> values;
  std::string why;
};

/// Makes what `op` computes of `operands`, which have its operands' types, with the types of its
/// results. What is not as StableHLO's specification has it is said at the op; what only the types
/// forbid is left to the verifier of the ops that are made.
mlir::FailureOr<ImportResult> toGraph(mlir::Operation *op, mlir::ValueRange operands,
                                      mlir::OpBuilder &builder, mlir::Location location);

/// Functions of JAX that have a derivative of their own where what they compute has none: relu is
/// max(x, 0), and at 0 its derivative is 0. What stands for the call of one with that name and body
/// of a value; null for others.
mlir::Value importRule(mlir::StringRef name, mlir::Region &body, mlir::Value x,
                       mlir::OpBuilder &builder, mlir::Location location);

/// What stands for the results of a function of that name and body that only stops gradients:
/// `stop_gradient`, jitted, by whose name alone StableHLO tells that there was one. Empty for
/// others.
mlir::SmallVector<mlir::Value> importStop(mlir::StringRef name, mlir::Block &body,
                                          mlir::ValueRange arguments, mlir::OpBuilder &builder,
                                          mlir::Location location);

/// Values of types that are none of the graph dialect's; "" where all are.
std::string findForeignType(mlir::Operation *op);

} // namespace graphc::stablehlo

#endif
