//===- ImportStablehlo.h - functions of StableHLO as functions that graph.call names ----------===//
#ifndef GRAPHC_PASSES_IMPORT_IMPORTSTABLEHLO_H
#define GRAPHC_PASSES_IMPORT_IMPORTSTABLEHLO_H

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace graphc {

/// Whether a file has functions of StableHLO and nothing else.
bool hasStablehlo(mlir::ModuleOp module);

/// The names of the arguments of its public functions, of those that have one.
std::vector<std::string> listArguments(mlir::ModuleOp module);

/// In place of each function, a private graph.func; in place of arguments that belong to a tree of
/// parameters named in `variables`, variables.
/// Failure: said at the ops, all that cannot be imported at once. See the pass import-stablehlo.
mlir::LogicalResult importStablehlo(mlir::ModuleOp module, llvm::ArrayRef<std::string> variables);

/// Trees of parameters that are variables where nobody says otherwise.
inline const std::vector<std::string> kParameterTrees = {"params"};

} // namespace graphc

#endif
