#include "passes/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/CallInterfaces.h"

using namespace mlir;

namespace graphc {
#define GEN_PASS_DEF_VERIFYKERNELS
#include "passes/Passes.h.inc"

namespace {

struct VerifyKernelsPass : impl::VerifyKernelsBase<VerifyKernelsPass> {
  void runOnOperation() override {
    markAllAnalysesPreserved(); // and the module need not be verified again
    WalkResult result = getOperation().walk([&](Operation *op) {
      const char *reason = nullptr;
      if (isa<memref::AllocOp, memref::AllocaOp, memref::ReallocOp>(op))
        reason = "allocates memory; every buffer of a kernel is planned before it is lowered";
      else if (isa<memref::CopyOp>(op))
        reason = "would become a call of memcpy; copy element by element";
      else if (isa<CallOpInterface>(op))
        reason = "calls a function; a code object has no undefined symbol";
      if (!reason)
        return WalkResult::advance();
      op->emitError() << "in kernel '" << getOperation().getSymName() << "' " << reason;
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
} // namespace graphc
