//===- Simplify.cpp - bit-exact clean-up of the graph stage ---------------------------------------------------===//
#include "dialects/graph/GraphDialect.h"
#include "passes/Passes.h"

#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace graphc {
#define GEN_PASS_DEF_SIMPLIFY
#include "passes/Passes.h.inc"
} // namespace graphc

using namespace mlir;
using namespace graphc;
using namespace graphc::graph;

namespace {

struct SimplifyPass : graphc::impl::SimplifyBase<SimplifyPass> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet collected(context);
    for (RegisteredOperationName name : context->getRegisteredOperations())
      if (name.getDialectNamespace() == GraphDialect::getDialectNamespace())
        name.getCanonicalizationPatterns(collected, context);
    patterns = FrozenRewritePatternSet(std::move(collected));
    return success();
  }

  void runOnOperation() override {
    DominanceInfo dominance;
    IRRewriter rewriter(&getContext());
    for (FuncOp function : getOperation().getOps<FuncOp>()) {
      // Merging equal ops makes new folds possible (select of two equal values) and the reverse.
      bool changed = true;
      while (changed) {
        if (failed(applyPatternsGreedily(function, patterns)))
          return function.emitError() << "simplification of @" << function.getSymName()
                                      << " does not come to an end; please report this",
                 signalPassFailure();
        changed = false;
        eliminateCommonSubExpressions(rewriter, dominance, function, &changed);
      }
    }
  }

  FrozenRewritePatternSet patterns;
};

} // namespace
