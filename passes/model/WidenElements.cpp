//===- WidenElements.cpp - bytes, ui32 and bf16 are computed with in another type -------------===//
#include "dialects/graph/GraphDialect.h"
#include "dialects/graph/StructuredInterfaces.h"
#include "dialects/graph/ops/PassOpBuilders.h"
#include "passes/Passes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace graphc {
#define GEN_PASS_DEF_WIDENELEMENTS
#include "passes/Passes.h.inc"
} // namespace graphc

using namespace mlir;
using namespace graphc;
using namespace graphc::graph;

namespace {

/// The tensor in the type that its elements are computed with in.
Type getComputeType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.clone(getComputeElement(tensor.getElementType())) : type;
}

/// It computes values, and looks at them as numbers.
bool hasNumbers(Operation *op) {
  return isa<StructuredOpInterface, ExplicitLoopsOpInterface, DecomposableOpInterface,
             LibraryKernelOpInterface>(op) &&
         isMemoryEffectFree(op) && !op->hasTrait<AnyElement>();
}

bool widens(Type type) { return getComputeType(type) != type; }

struct WidenElementsPass : graphc::impl::WidenElementsBase<WidenElementsPass> {
  void runOnOperation() override {
    SmallVector<Operation *> narrow;
    getOperation()->walk([&](Operation *op) {
      if (hasNumbers(op) && (llvm::any_of(op->getOperandTypes(), widens) ||
                             llvm::any_of(op->getResultTypes(), widens)))
        narrow.push_back(op);
    });
    for (Operation *op : narrow) {
      OpBuilder builder(op);
      auto convert = [&](Value value, Type to) -> Value {
        Value result = createConvert(builder, op->getLoc(), value, to);
        setDevice(result.getDefiningOp(), getDevice(op));
        return result;
      };
      for (OpOperand &operand : op->getOpOperands())
        if (widens(operand.get().getType()))
          operand.set(convert(operand.get(), getComputeType(operand.get().getType())));
      builder.setInsertionPointAfter(op);
      for (OpResult result : op->getResults()) {
        Type type = result.getType();
        if (!widens(type))
          continue;
        result.setType(getComputeType(type));
        Value wide = result;
        if (op->hasTrait<LeastOfNothing>() && getElementTypeOrSelf(type).isSignlessInteger()) {
          const auto least =
              llvm::APInt::getSignedMinValue(getElementTypeOrSelf(type).getIntOrFloatBitWidth());
          wide = createAtLeast(builder, op->getLoc(), result, double(least.getSExtValue()));
          for (Operation *made = op->getNextNode(); made != wide.getDefiningOp()->getNextNode();
               made = made->getNextNode())
            setDevice(made, getDevice(op));
        }
        Value back = convert(wide, type);
        const SmallPtrSet<Operation *, 2> made = {back.getDefiningOp(), wide.getDefiningOp()};
        result.replaceAllUsesExcept(back, made);
      }
      ++numWidened;
    }
  }
};

} // namespace
