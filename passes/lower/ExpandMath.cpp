#include "passes/Passes.h"
#include "passes/lower/FloatMath.h"
#include "passes/lower/RoundingMath.h"
#include "passes/lower/SineCosineMath.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace graphc {
#define GEN_PASS_DEF_EXPANDMATH
#include "passes/Passes.h.inc"

namespace {

Value expand(Operation *op, OpBuilder &builder) {
  Location loc = op->getLoc();
  Type type = op->getResult(0).getType();
  Value x = op->getOperand(0);
  FloatMath math(builder, loc, type);
  RoundMath round(builder, loc, type);
  CircleMath circle(builder, loc, type);
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](math::ExpOp) { return math.exp(x); })
      .Case([&](math::ExpM1Op) { return math.expMinusOne(x); })
      .Case([&](math::LogOp) { return math.log(x); })
      .Case([&](math::Log1pOp) { return math.logPlusOne(x); })
      .Case([&](math::TanhOp) { return math.tanh(x); })
      .Case([&](math::ErfOp) { return math.erf(x); })
      .Case([&](math::PowFOp power) { return math.pow(x, power.getRhs()); })
      .Case([&](math::SinOp) { return circle.sine(x); })
      .Case([&](math::CosOp) { return circle.cosine(x); })
      .Case([&](math::FloorOp) { return round.floor(x); })
      .Case([&](math::CeilOp) { return round.ceil(x); })
      .Case([&](math::RoundEvenOp) { return round.roundEven(x); })
      .Case([&](arith::RemFOp remainder) { return round.remainder(x, remainder.getRhs()); });
}

struct ExpandMathPass : impl::ExpandMathBase<ExpandMathPass> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (FloatMath::expands(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      Type type = op->getResult(0).getType(), element = getElementTypeOrSelf(type);
      if (!element.isF32() && !element.isF64()) {
        op->emitError() << "has no expansion for " << element << ", expected f32 or f64";
        return signalPassFailure();
      }
      OpBuilder builder(op);
      op->getResult(0).replaceAllUsesWith(expand(op, builder));
      op->erase();
    }
  }
};

} // namespace
} // namespace graphc
