//===- SetStage.cpp - graph.stage -------------------------------------------------------------===//
#include "dialects/graph/GraphDialect.h"
#include "passes/PassPipelines.h"
#include "passes/Passes.h"

namespace graphc {
#define GEN_PASS_DEF_SETSTAGE
#include "passes/Passes.h.inc"
} // namespace graphc

using namespace mlir;

namespace {

struct SetStagePass : graphc::impl::SetStageBase<SetStagePass> {
  using SetStageBase::SetStageBase;
  void runOnOperation() override {
    markAllAnalysesPreserved(); // no operation depends on it: the module need not be verified again
    if (!graphc::parseStage(stage)) {
      getOperation().emitError("unknown stage \"") << stage << "\"";
      return signalPassFailure();
    }
    getOperation()->setAttr(graphc::graph::GraphDialect::kStage,
                            StringAttr::get(&getContext(), stage));
  }
};

} // namespace
