//===- SimplifyModel.cpp - bit-exact clean-up of the graph stage ------------------------------===//
#include "dialects/graph/GraphDialect.h"
#include "passes/Passes.h"

#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace graphc {
#define GEN_PASS_DEF_SIMPLIFYMODEL
#include "passes/Passes.h.inc"
} // namespace graphc

using namespace mlir;
using namespace graphc;
using namespace graphc::graph;

namespace {

/// Where the model wants an op, graph.device or graph.colocate_with.
DictionaryAttr getRequest(Operation *op, DictionaryAttr attributes) {
  NamedAttrList request;
  for (StringRef name : {GraphDialect::kDevice, GraphDialect::kColocateWith})
    if (Attribute value = attributes ? attributes.get(name) : Attribute())
      request.append(name, value);
  return request.empty() ? DictionaryAttr() : request.getDictionary(op->getContext());
}

/// Merges ops that compute the same, whatever else is said of them: how often a value is computed
/// decides how many terms its gradient has, so a merge that looked at devices would make bits
/// depend on them. What is left of a merge is where the first op in the text is that says where.
class PlaceBlindMerge : RewriterBase::Listener {
public:
  explicit PlaceBlindMerge(MLIRContext *context) : rewriter_(context, this) {}

  /// Whether anything was merged or removed.
  bool run(FuncOp function) {
    function.walk([&](Operation *op) {
      if (DictionaryAttr said = op->getDiscardableAttrDictionary(); !said.empty()) {
        attributes_[op] = said;
        op->setDiscardableAttrs(DictionaryAttr::get(op->getContext()));
      }
    });
    bool changed = false;
    DominanceInfo dominance;
    eliminateCommonSubExpressions(rewriter_, dominance, function, &changed);
    function.walk([&](Operation *op) {
      if (DictionaryAttr said = attributes_.lookup(op))
        op->setDiscardableAttrs(said);
    });
    attributes_.clear();
    return changed;
  }

private:
  void notifyOperationReplaced(Operation *op, ValueRange with) override {
    DictionaryAttr request = getRequest(op, attributes_.lookup(op));
    Operation *kept = request && !with.empty() ? with.front().getDefiningOp() : nullptr;
    if (!kept)
      return;
    DictionaryAttr &said = attributes_[kept];
    if (DictionaryAttr first = getRequest(kept, said)) {
      if (first != request && !op->hasTrait<OpTrait::ConstantLike>() &&
          !isa<FusedLoc>(op->getLoc())) // a constant is made wherever it is used
        remark(op, request, kept, first);
      return;
    }
    NamedAttrList all(said);
    all.append(request.begin(), request.end());
    said = all.getDictionary(op->getContext());
  }

  static std::string describe(DictionaryAttr request) {
    if (auto device = request.getAs<DeviceAttr>(GraphDialect::kDevice))
      return "on \"" + device.str() + "\"";
    return "beside @" +
           request.getAs<FlatSymbolRefAttr>(GraphDialect::kColocateWith).getValue().str();
  }

  static void remark(Operation *op, DictionaryAttr request, Operation *kept, DictionaryAttr first) {
    InFlightDiagnostic said = op->emitRemark()
                              << "is computed once with its equal before it, " << describe(first)
                              << " and not " << describe(request);
    said.attachNote(kept->getLoc()) << "the equal one is here";
  }

  IRRewriter rewriter_;
  /// what ops bear beside what they compute
  llvm::DenseMap<Operation *, DictionaryAttr> attributes_;
};

struct SimplifyModelPass : graphc::impl::SimplifyModelBase<SimplifyModelPass> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet collected(context);
    for (RegisteredOperationName name : context->getRegisteredOperations())
      if (mayStandInModel(name))
        name.getCanonicalizationPatterns(collected, context);
    patterns = FrozenRewritePatternSet(std::move(collected));
    return success();
  }

  void runOnOperation() override {
    PlaceBlindMerge merge(&getContext());
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
