#include "passes/place/PlacementAnnotations.h"

#include "passes/place/DeviceSet.h"
#include "passes/place/DistributionSpec.h"

using namespace mlir;

namespace graphc {

using graph::DeviceAttr;
using graph::getDevice;
using graph::GraphDialect;

static FlatSymbolRefAttr getColocation(Operation *op) {
  return op->getAttrOfType<FlatSymbolRefAttr>(GraphDialect::kColocateWith);
}

/// Both sides of a conflict, each with its line.
static InFlightDiagnostic reportConflict(Operation *op, StringRef does,
                                         graph::VariableOp variable) {
  InFlightDiagnostic diag = op->emitOpError("is pinned to \"")
                            << getDevice(op).str() << "\" and " << does << " @"
                            << variable.getSymName() << ", which is pinned to \""
                            << getDevice(variable).str()
                            << "\"; give both one device, or leave one of them open";
  diag.attachNote(variable.getLoc()) << "pinned here";
  return diag;
}

static bool excludes(DeviceAttr a, DeviceAttr b) {
  return a && b && !a.getName().isCompatibleWith(b.getName());
}

StringRef getGivenName(Operation *op) {
  if (auto name = op->getAttrOfType<StringAttr>(GraphDialect::kName))
    return name.getValue();
  auto located = op->getLoc()->findInstanceOf<NameLoc>();
  return located ? located.getName().getValue() : "";
}

FailureOr<VariableGroups> groupVariables(ModuleOp module) {
  SymbolTable symbols(module);
  VariableGroups groups;
  for (auto variable : module.getOps<graph::VariableOp>()) {
    graph::VariableOp root = variable;
    llvm::DenseSet<Operation *> seen{root};
    while (true) {
      auto next = root->getAttrOfType<FlatSymbolRefAttr>(GraphDialect::kSlotOf);
      bool colocated = !next;
      if (!next)
        next = getColocation(root);
      if (!next)
        break;
      auto other = symbols.lookup<graph::VariableOp>(next.getValue());
      if (!other)
        return root.emitOpError("is colocated with @")
               << next.getValue() << ", which is no variable of this module";
      if (!seen.insert(other).second) {
        InFlightDiagnostic diag = variable.emitOpError("is colocated with itself in a circle");
        diag.attachNote(root.getLoc()) << "by way of this variable";
        return diag;
      }
      if (colocated && excludes(getDevice(variable), getDevice(other)))
        return reportConflict(variable, "is colocated with", other);
      root = other;
    }
    groups[root.getSymNameAttr()].push_back(variable);
  }
  return groups;
}

std::optional<VariablePolicy> getScopeRule(graph::VariableOp variable, bool &pins) {
  auto rule = variable->getAttrOfType<StringAttr>(GraphDialect::kDeviceRule);
  pins = rule && rule.getValue() == "pin";
  if (!rule || pins)
    return std::nullopt;
  return rule.getValue() == "balanced" ? VariablePolicy::Balanced : VariablePolicy::RoundRobin;
}

/// For each operation the variable that it reads or writes and the one that it is colocated with:
/// its own device excludes neither's, unless a rule of cluster.json places that variable anyway.
LogicalResult checkPins(ModuleOp module, function_ref<bool(StringAttr)> isRuled) {
  SymbolTable symbols(module);
  for (auto func : module.getOps<graph::FuncOp>())
    for (Operation &op : func.getBodyBlock()) {
      FlatSymbolRefAttr colocation = getColocation(&op), state = graph::getVariable(&op);
      for (FlatSymbolRefAttr name : {state, colocation}) {
        if (!name)
          continue;
        auto variable = symbols.lookup<graph::VariableOp>(name.getValue());
        if (!variable)
          return op.emitOpError("is colocated with @")
                 << name.getValue() << ", which is no variable of this module";
        if (!isRuled(variable.getSymNameAttr()) && excludes(getDevice(&op), getDevice(variable)))
          return reportConflict(&op, name == state ? "touches" : "is colocated with", variable);
      }
    }
  return success();
}

void remarkOnIgnoredDevices(ModuleOp module, DeviceAttr home) {
  Operation *first = nullptr;
  int64_t others = 0;
  auto look = [&](Operation *op) {
    DeviceAttr request = getDevice(op);
    if (!request || satisfies(home, request))
      return;
    if (first)
      ++others;
    else
      first = op;
  };
  for (auto variable : module.getOps<graph::VariableOp>())
    look(&*variable);
  for (auto func : module.getOps<graph::FuncOp>())
    for (Operation &op : func.getBodyBlock())
      look(&op);
  if (!first)
    return;
  InFlightDiagnostic remark = first->emitRemark();
  remark << "is placed on \"" << getDevice(first).str() << "\" by the model";
  if (others)
    remark << ", like " << others
           << (others == 1 ? " other operation or variable" : " other operations and variables")
           << " elsewhere";
  remark << "; strategy one_device computes everything on \"" << home.str() << "\"";
}

} // namespace graphc
