// Dealing groups of variables over devices, and what users are told where one device gets much of
// them.
#ifndef GRAPHC_PASSES_PLACE_VARIABLEDISTRIBUTOR_H
#define GRAPHC_PASSES_PLACE_VARIABLEDISTRIBUTOR_H

#include "dialects/graph/GraphDialect.h"
#include "passes/place/DeviceSet.h"
#include "passes/place/VariablePlacement.h"

#include "llvm/ADT/MapVector.h"

namespace graphc {

/// Variables that live together.
struct VariableGroup {
  llvm::SmallVector<graph::VariableOp> members;
  int64_t bytes = 0; ///< of all of them
  int64_t rows = 1;  ///< along dimension 0; 1 for what cannot be split
  int splitVariable = -1;   ///< parts of one variable have one number
  std::optional<mlir::Location> pin; ///< of the placement rule that says where they are
};

using DeviceLoads = llvm::DenseMap<graph::DeviceAttr, int64_t>;
/// Those that scopes deal, by VariablePolicy and the device that leaves others open.
using ScopeGroups =
    llvm::MapVector<std::pair<int, graph::DeviceAttr>, llvm::SmallVector<VariableGroup>>;

/// The place in `over` of each group, where `loads` bytes lie already; adds theirs.
llvm::SmallVector<unsigned> dealGroups(VariablePolicy policy, llvm::ArrayRef<VariableGroup> groups,
                                       llvm::ArrayRef<graph::DeviceAttr> over, DeviceLoads &loads);

/// The same for a scope, which weighs its own variables alone.
llvm::SmallVector<unsigned> dealScope(VariablePolicy policy, llvm::ArrayRef<VariableGroup> groups,
                                      llvm::ArrayRef<graph::DeviceAttr> over, DeviceLoads &loads);

/// How the strategy deals what nothing else places.
struct DealtVariables {
  const DeviceSet &devices;
  llvm::ArrayRef<graph::DeviceAttr> stores;
  VariablePolicy policy;
  bool isSplit;  ///< large ones are in parts already
  bool maySplit; ///< they may be: they live on servers

  llvm::SmallVector<unsigned> deal(llvm::ArrayRef<VariableGroup> groups, DeviceLoads &loads) const {
    return dealGroups(policy, groups, stores, loads);
  }

  /// A remark on the device that stores much of the variables, with what would help: another
  /// setting of the strategy where that is enough, else of the scopes that deal, else fewer pins.
  /// `pins`: the bytes of the pinned groups.
  void remarkOnImbalance(mlir::ModuleOp module, llvm::ArrayRef<VariableGroup> byStrategy,
                         const ScopeGroups &byScope, llvm::ArrayRef<VariableGroup> pinned,
                         const DeviceLoads &pins) const;

private:
  std::pair<graph::DeviceAttr, int64_t> findFullest(const DeviceLoads &loads) const;
  /// By another setting of the strategy.
  bool remarkOnStrategy(mlir::ModuleOp module, llvm::ArrayRef<VariableGroup> groups,
                        DeviceLoads others) const;
  bool remarkOnScopes(mlir::ModuleOp module, llvm::ArrayRef<VariableGroup> byStrategy,
                      const ScopeGroups &byScope, const DeviceLoads &loads,
                      const DeviceLoads &pins) const;
  void remarkOnPins(mlir::ModuleOp module, llvm::ArrayRef<VariableGroup> groups,
                    llvm::ArrayRef<VariableGroup> pinned, const DeviceLoads &loads) const;
};

} // namespace graphc

#endif // GRAPHC_PASSES_PLACE_VARIABLEDISTRIBUTOR_H
