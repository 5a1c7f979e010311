//===- VariableAccess.h - which variables an op reads and writes --------------------*- C++ -*-===//
//
// An op says it once, in its memory effects: each is on VariableResource and bears the variable's
// symbol. Whoever asks for state (place, replicate, partition, outline, their verifiers) asks here.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_DIALECTS_GRAPH_VARIABLEACCESS_H
#define GRAPHC_DIALECTS_GRAPH_VARIABLEACCESS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"

namespace graphc::graph {

using VariableNames = llvm::SmallVector<mlir::FlatSymbolRefAttr, 2>;

/// Whose value the op takes, whose it changes, and both, each variable once, in the order of the
/// op's effects.
VariableNames getReadVariables(mlir::Operation *op);
VariableNames getWrittenVariables(mlir::Operation *op);
VariableNames getVariables(mlir::Operation *op);
/// The first of them, beside which the op stands; null for an op without state.
mlir::FlatSymbolRefAttr getVariable(mlir::Operation *op);

/// The name of a variable's moving average.
std::string getAverageName(llvm::StringRef variable);

/// Whether the op changes variables by a value (UpdateOpInterface), by which, and whether that is a
/// gradient.
bool isUpdate(mlir::Operation *op);
mlir::OpOperand &getUpdateOperand(mlir::Operation *op);
bool appliesGradient(mlir::Operation *op);
/// Whether it writes nothing: its result is about what the update of the variable that it reads
/// takes.
bool looksAtUpdate(mlir::Operation *op);

/// Constants and the like: made anew wherever they are needed instead of crossing to another
/// device.
bool isRematerializable(mlir::Operation *op);

namespace detail {
mlir::LogicalResult verifyUpdate(mlir::Operation *op);
/// `name` is a variable of `type`; `what` is of that type in the error.
mlir::LogicalResult verifyVariable(mlir::Operation *op, mlir::SymbolTableCollection &symbols,
                                   mlir::FlatSymbolRefAttr name, mlir::Type type,
                                   llvm::StringRef what);
} // namespace detail

} // namespace graphc::graph

#endif
