//===- FlattenScopes.cpp ----------------------------------------------------------------------===//
//
// Devices of scopes onto their ops, and names where they are looked for.
//
//===------------------------------------------------------------------------------------------===//
#include "dialects/graph/DiscardableAttributes.h"
#include "dialects/graph/GraphDialect.h"
#include "passes/Passes.h"

namespace graphc {
#define GEN_PASS_DEF_FLATTENSCOPES
#include "passes/Passes.h.inc"
} // namespace graphc

using namespace mlir;
using namespace graphc;
using namespace graphc::graph;

namespace {

/// A scope's rule is for the variables first used in it; every variable of a module keeps the first
/// that is found for it.
void giveRule(ScopeOp scope, StringAttr rule) {
  auto module = scope->getParentOfType<ModuleOp>();
  DeviceAttr device = getDevice(scope);
  for (Operation &op : scope.getBody().front()) {
    auto name = getVariable(&op);
    auto variable =
        name ? dyn_cast_or_null<VariableOp>(SymbolTable::lookupSymbolIn(module, name.getValue()))
             : nullptr;
    if (!variable || getDevice(variable) || getDevice(&op) ||
        variable->hasAttr(GraphDialect::kDeviceRule))
      continue;
    setDevice(variable, device);
    variable->setAttr(GraphDialect::kDeviceRule, rule);
  }
}

/// An op's name, given by graph.name or by loc("name"), is both from here on: rules match the
/// attribute, and what simplification makes of the op has the location.
void nameBothWays(Operation *op) {
  auto located = op->getLoc()->findInstanceOf<NameLoc>();
  if (auto name = op->getAttrOfType<StringAttr>(GraphDialect::kName)) {
    if (!located || located.getName() != name)
      op->setLoc(NameLoc::get(name, op->getLoc()));
  } else if (located && llvm::is_contained(getCarriedNames(op->getName()), GraphDialect::kName) &&
             findNameDefect(located.getName()).empty()) {
    op->setAttr(GraphDialect::kName, located.getName());
  }
}

struct FlattenScopesPass : graphc::impl::FlattenScopesBase<FlattenScopesPass> {
  void runOnOperation() override {
    // Post-order: inner scopes are gone and have given their devices when an outer one is opened.
    getOperation().walk<WalkOrder::PostOrder>([](ScopeOp scope) {
      DeviceAttr outer = getDevice(scope);
      Attribute colocation = scope->getAttr(GraphDialect::kColocateWith);
      if (auto rule = scope->getAttrOfType<StringAttr>(GraphDialect::kDeviceRule)) {
        giveRule(scope, rule);
        if (rule.getValue() != "pin") // the device is that of the variables
          outer = {};
      }
      Block &body = scope.getBody().front();
      auto yield = cast<YieldOp>(body.getTerminator());
      for (Operation &op : body.without_terminator()) {
        DeviceAttr inner = getDevice(&op);
        if (outer)
          setDevice(&op, inner ? inner.over(outer) : outer);
        if (colocation && !inner && !op.hasAttr(GraphDialect::kColocateWith))
          op.setAttr(GraphDialect::kColocateWith, colocation);
      }
      scope->getBlock()->getOperations().splice(scope->getIterator(), body.getOperations(),
                                                body.begin(), yield->getIterator());
      scope.replaceAllUsesWith(yield.getOperands());
      scope.erase();
    });
    for (auto function : getOperation().getOps<FuncOp>())
      for (Operation &op : function.getBodyBlock())
        nameBothWays(&op);
  }
};

} // namespace
