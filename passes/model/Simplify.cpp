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

/// Merges equal ops whatever their devices are: how often a value is computed decides how many terms its gradient has, so
/// a merge that looked at devices would make bits depend on them. What is left of a merge is on the device of the first
/// op in the text that names one.
class DeviceBlindMerge : RewriterBase::Listener {
public:
  explicit DeviceBlindMerge(MLIRContext *context) : rewriter(context, this) {}

  /// Whether anything was merged or removed.
  bool run(FuncOp function) {
    function.walk([&](Operation *op) {
      if (DeviceAttr device = getDevice(op))
        devices[op] = device;
      setDevice(op, {});
    });
    bool changed = false;
    DominanceInfo dominance;
    eliminateCommonSubExpressions(rewriter, dominance, function, &changed);
    function.walk([&](Operation *op) { setDevice(op, devices.lookup(op)); });
    devices.clear();
    return changed;
  }

private:
  void notifyOperationReplaced(Operation *op, ValueRange with) override {
    if (DeviceAttr device = devices.lookup(op))
      if (Operation *kept = with.empty() ? nullptr : with.front().getDefiningOp())
        devices.try_emplace(kept, device);
  }

  IRRewriter rewriter;
  llvm::DenseMap<Operation *, DeviceAttr> devices;
};

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
    DeviceBlindMerge merge(&getContext());
    for (FuncOp function : getOperation().getOps<FuncOp>()) {
      // Merging equal ops makes new folds possible (select of two equal values) and the reverse.
      bool changed = true;
      while (changed) {
        if (failed(applyPatternsGreedily(function, patterns)))
          return function.emitError() << "simplification of @" << function.getSymName()
                                      << " does not come to an end; please report this",
                 signalPassFailure();
        changed = merge.run(function);
      }
    }
  }

  FrozenRewritePatternSet patterns;
};

} // namespace
