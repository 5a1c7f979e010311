// verify-liveness: separate from schedule, so that modules made by hand are checked by the same
// proof.
#include "passes/Passes.h"

#include "passes/schedule/PhaseLiveness.h"

using namespace mlir;

namespace graphc {
#define GEN_PASS_DEF_VERIFYLIVENESS
#include "passes/Passes.h.inc"

namespace {

struct VerifyLivenessPass : impl::VerifyLivenessBase<VerifyLivenessPass> {
  void runOnOperation() override {
    markAllAnalysesPreserved(); // and the module need not be verified again
    ModuleOp module = getOperation();
    for (auto phase : module.getOps<dist::PhaseOp>())
      if (failed(verifyLiveness(module, phase)))
        return signalPassFailure();
  }
};

} // namespace
} // namespace graphc
