//===- VariableAccess.cpp - which variables an op reads and writes ----------------------------===//
#include "dialects/graph/VariableAccess.h"

#include "dialects/graph/GraphDialect.h"

using namespace mlir;

namespace graphc::graph {

static VariableNames collect(Operation *op, bool reads, bool writes) {
  VariableNames names;
  auto effecting = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effecting)
    return names;
  SmallVector<MemoryEffects::EffectInstance, 4> effects;
  effecting.getEffectsOnResource(VariableResource::get(), effects);
  for (const MemoryEffects::EffectInstance &effect : effects) {
    auto name = dyn_cast_if_present<FlatSymbolRefAttr>(effect.getSymbolRef());
    bool asked = isa<MemoryEffects::Write>(effect.getEffect())
                     ? writes
                     : isa<MemoryEffects::Read>(effect.getEffect()) && reads;
    if (name && asked && !llvm::is_contained(names, name))
      names.push_back(name);
  }
  return names;
}

VariableNames getReadVariables(Operation *op) {
  return collect(op, /*reads=*/true, /*writes=*/false);
}
std::string getAverageName(StringRef variable) {
  return (variable + "/ExponentialMovingAverage").str();
}

VariableNames getWrittenVariables(Operation *op) {
  return collect(op, /*reads=*/false, /*writes=*/true);
}
VariableNames getVariables(Operation *op) { return collect(op, /*reads=*/true, /*writes=*/true); }

FlatSymbolRefAttr getVariable(Operation *op) {
  VariableNames names = getVariables(op);
  return names.empty() ? FlatSymbolRefAttr() : names.front();
}

bool isUpdate(Operation *op) { return isa<UpdateOpInterface>(op); }
OpOperand &getUpdateOperand(Operation *op) {
  return cast<UpdateOpInterface>(op).getUpdateOperand();
}
bool appliesGradient(Operation *op) {
  auto update = dyn_cast<UpdateOpInterface>(op);
  return update && update.appliesGradient();
}

bool isRematerializable(Operation *op) { return op->getNumOperands() == 0 && isPure(op); }

bool looksAtUpdate(Operation *op) {
  return isUpdate(op) && op->getNumResults() == 1 && getWrittenVariables(op).empty();
}

/// Passes ask an update's memory effects which variable it writes, and put it where that variable
/// is; a result would have no place.
LogicalResult detail::verifyUpdate(Operation *op) {
  if (looksAtUpdate(op) && !getReadVariables(op).empty() && isa<DecomposableOpInterface>(op))
    return success();
  if (getWrittenVariables(op).empty())
    return op->emitOpError()
           << "is an update, but no memory effect of it names the variable that it writes";
  if (op->getNumResults())
    return op->emitOpError() << "is an update, which has no results, but has "
                             << op->getNumResults();
  return success();
}

} // namespace graphc::graph
