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

struct FlattenScopesPass : graphc::impl::FlattenScopesBase<FlattenScopesPass> {
  void runOnOperation() override {
    // Post-order: inner scopes are gone and have given their devices when an outer one is opened.
    getOperation().walk<WalkOrder::PostOrder>([](ScopeOp scope) {
      DeviceAttr outer = getDevice(scope);
      Block &body = scope.getBody().front();
      auto yield = cast<YieldOp>(body.getTerminator());
      for (Operation &op : body.without_terminator())
        if (outer) {
          DeviceAttr inner = getDevice(&op);
          setDevice(&op, inner ? inner.over(outer) : outer);
        }
      scope->getBlock()->getOperations().splice(scope->getIterator(), body.getOperations(), body.begin(),
                                                yield->getIterator());
      scope.replaceAllUsesWith(yield.getOperands());
      scope.erase();
    });
  }
};

} // namespace
