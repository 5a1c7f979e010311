#include "passes/Passes.h"
#include "passes/lower/FloatMath.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace graphc {
#define GEN_PASS_DEF_EXPANDMATH
#include "passes/Passes.h.inc"

namespace {

Value expand(Operation *op, FloatMath &math) {
  if (auto exp = dyn_cast<math::ExpOp>(op))
    return math.exp(exp.getOperand());
  if (auto log = dyn_cast<math::LogOp>(op))
    return math.log(log.getOperand());
  if (auto tanh = dyn_cast<math::TanhOp>(op))
    return math.tanh(tanh.getOperand());
  if (auto power = dyn_cast<math::PowFOp>(op))
    return math.pow(power.getLhs(), power.getRhs());
  return {};
}

struct ExpandMathPass : impl::ExpandMathBase<ExpandMathPass> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa<math::ExpOp, math::LogOp, math::TanhOp, math::PowFOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      Type type = op->getResult(0).getType(), element = getElementTypeOrSelf(type);
      if (!element.isF32() && !element.isF64()) {
        op->emitError() << "has no expansion for " << element << ", expected f32 or f64";
        return signalPassFailure();
      }
      OpBuilder builder(op);
      FloatMath math(builder, op->getLoc(), type);
      op->getResult(0).replaceAllUsesWith(expand(op, math));
      op->erase();
    }
  }
};

} // namespace
} // namespace graphc
