//===- FlattenScopes.cpp - devices of scopes onto their ops ---------------------------------------------------===//
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

/// A scope's rule is for the variables first used in it; every variable of a module keeps the first that is found for it.
void giveRule(ScopeOp scope, StringAttr rule) {
  auto module = scope->getParentOfType<ModuleOp>();
  DeviceAttr device = getDevice(scope);
  for (Operation &op : scope.getBody().front()) {
    auto name = getVariable(&op);
    auto variable = name ? dyn_cast_or_null<VariableOp>(SymbolTable::lookupSymbolIn(module, name.getValue())) : nullptr;
    if (!variable || getDevice(variable) || getDevice(&op) || variable->hasAttr(GraphDialect::kDeviceRule))
      continue;
    setDevice(variable, device);
    variable->setAttr(GraphDialect::kDeviceRule, rule);
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
      scope->getBlock()->getOperations().splice(scope->getIterator(), body.getOperations(), body.begin(),
                                                yield->getIterator());
      scope.replaceAllUsesWith(yield.getOperands());
      scope.erase();
    });
  }
};

} // namespace
