// Where the user wrote what the module says of cluster and strategy: errors name that line and not
// the model.
#ifndef GRAPHC_PASSES_PLACE_SETTINGLOCATION_H
#define GRAPHC_PASSES_PLACE_SETTINGLOCATION_H

#include "mlir/IR/BuiltinOps.h"

namespace graphc {

/// Names of settings: the strategy, and the N-th placement rule.
inline constexpr llvm::StringLiteral kStrategySetting = "strategy";
std::string getRuleSetting(size_t number);

/// Notes the place of a setting in the module's graph.settings, so that the text of any stage has
/// it.
void addSettingLoc(mlir::ModuleOp module, llvm::StringRef setting, llvm::StringRef file,
                   unsigned line, unsigned column);
/// The place of a setting, where it is known.
std::optional<mlir::Location> findSettingLoc(mlir::ModuleOp module, llvm::StringRef setting);
/// The place of a setting; that of the module where none is known, as in a module that brings its
/// own strategy.
mlir::Location getSettingLoc(mlir::ModuleOp module, llvm::StringRef setting);

} // namespace graphc

#endif // GRAPHC_PASSES_PLACE_SETTINGLOCATION_H
