// What the model itself says of places, apart from the strategy that may follow it: devices,
// colocation, scopes' rules.
#ifndef GRAPHC_PASSES_PLACE_PLACEMENTANNOTATIONS_H
#define GRAPHC_PASSES_PLACE_PLACEMENTANNOTATIONS_H

#include "dialects/graph/GraphDialect.h"
#include "passes/place/VariablePlacement.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace graphc {

/// The name that an operation was given, graph.name = "encoder/dense" or loc("encoder/dense"); ""
/// where none was. A gradient has that of its forward operation, and what simplification has made
/// of a named one has the location alone.
mlir::StringRef getGivenName(mlir::Operation *op);

/// Variables that live together: an optimizer's slots with their variable, what is colocated with
/// it.
using VariableGroups = llvm::MapVector<mlir::StringAttr, llvm::SmallVector<graph::VariableOp>>;

/// The groups, by the name of the variable that decides, in declaration order. Reports variables
/// that are colocated in a circle or with what is none, and two of one group whose devices exclude
/// each other.
mlir::FailureOr<VariableGroups> groupVariables(mlir::ModuleOp module);

/// Where a scope's rule deals the variables that are first used in it; null: no scope has a rule
/// for this one.
std::optional<VariablePolicy> getScopeRule(graph::VariableOp variable, bool &pins);

/// Refuses a model that pins a variable to one device and an operation that touches it, or is
/// colocated with it, to another that excludes it. Variables for which `isRuled` holds are placed
/// by a rule of cluster.json, which beats what they say.
mlir::LogicalResult checkPins(mlir::ModuleOp module,
                              llvm::function_ref<bool(mlir::StringAttr)> isRuled);

/// Strategy one_device: one remark on what the model requests elsewhere.
void remarkOnIgnoredDevices(mlir::ModuleOp module, graph::DeviceAttr home);

} // namespace graphc

#endif // GRAPHC_PASSES_PLACE_PLACEMENTANNOTATIONS_H
