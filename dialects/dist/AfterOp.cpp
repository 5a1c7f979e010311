// How dist.after is computed: element by element, from its value alone.
#include "dialects/dist/DistDialect.h"

using namespace mlir;

namespace graphc::dist {

SmallVector<graph::LoopNest> AfterOp::getLoopNests() {
  graph::LoopNest nest = graph::getElementwiseNest(getOperation());
  llvm::erase_if(nest.reads, [&](const graph::LoopNest::Read &read) {
    return read.operand != getValueMutable().getOperandNumber();
  });
  return {nest};
}

SmallVector<Value> AfterOp::buildBody(OpBuilder &, ValueRange elements, ValueRange,
                                      llvm::function_ref<Value(unsigned)>) {
  return {elements.front()};
}

} // namespace graphc::dist
