//===- RecognizeComposites.cpp - composite ops in place of what says them in primitives -------===//
#include "dialects/graph/GraphDialect.h"
#include "dialects/graph/ops/CompositePatterns.h"
#include "passes/Passes.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace graphc {
#define GEN_PASS_DEF_RECOGNIZECOMPOSITES
#include "passes/Passes.h.inc"
} // namespace graphc

using namespace mlir;
using namespace graphc;
using namespace graphc::graph;

namespace {

struct RecognizeCompositesPass : graphc::impl::RecognizeCompositesBase<RecognizeCompositesPass> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet softmax(context), attention(context), safeSoftmax(context);
    populateSoftmaxPatterns(softmax);
    populateAttentionPatterns(attention);
    populateSafeSoftmaxPatterns(safeSoftmax);
    inner = FrozenRewritePatternSet(std::move(softmax));
    outer = FrozenRewritePatternSet(std::move(attention));
    rest = FrozenRewritePatternSet(std::move(safeSoftmax));
    return success();
  }

  void runOnOperation() override {
    for (FuncOp function : getOperation().getOps<FuncOp>())
      for (const FrozenRewritePatternSet *rules :
           {&inner, &outer, &rest}) // each looks for what the one before it makes, or leaves
        if (failed(applyPatternsGreedily(function, *rules)))
          return function.emitError()
                     << "recognition of composite ops in @" << function.getSymName()
                     << " does not come to an end; please report this",
                 signalPassFailure();
  }

  FrozenRewritePatternSet inner, outer, rest;
};

} // namespace
