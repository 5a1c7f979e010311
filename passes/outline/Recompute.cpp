#include "passes/outline/Recompute.h"

#include "dialects/graph/Structured.h"
#include "passes/outline/ScalarBody.h"

using namespace mlir;

namespace graphc {

using namespace graph;

namespace {

int64_t bytesOf(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.getNumElements() * getElementBytes(type.getElementType());
}

/// Whether it reads far less than it makes: a row for a matrix.
bool isRepeated(Value value) {
  constexpr int64_t kTimes = 8;
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (op->hasTrait<OpTrait::ConstantLike>())
    return isInlinable(op);
  if (!isInlinable(op) || isExpensive(op) || op->getNumOperands() == 0)
    return false;
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    return bytesOf(operand) * kTimes <= bytesOf(value) || isRepeated(operand);
  });
}

/// Whether a library's call may end with it.
bool isLastStep(Operation *op) {
  while (auto post = dyn_cast_or_null<LibraryPostOpInterface>(op)) {
    op = post.getPostOpInput().get().getDefiningOp();
    if (isa_and_present<LibraryKernelOpInterface>(op))
      return true;
  }
  return false;
}

/// Whether no more is read to make it again than to read it.
bool isWorthCopying(Operation *op) {
  if (op->getNumResults() != 1 || op->getResult(0).hasOneUse() || op->hasTrait<OpTrait::ConstantLike>() ||
      !isInlinable(op) || isExpensive(op))
    return false;
  if (isLastStep(op))
    return false;
  const Value result = op->getResult(0);
  for (Operation *user : result.getUsers())
    if (user->getBlock() != op->getBlock() || !isa<StructuredOpInterface>(user) ||
        isa<LibraryKernelOpInterface>(user) || isView(user))
      return false; // a library and a view have memory
  if (isRepeated(result))
    return true;
  const LoopNest nest = cast<StructuredOpInterface>(op).getLoopNests().front();
  unsigned large = 0;
  for (const LoopNest::Read &read : nest.reads) {
    const Value operand = op->getOperand(read.operand);
    if (isRepeated(operand))
      continue;
    if (++large > 1 || !read.map.isIdentity() || bytesOf(operand) > bytesOf(result))
      return false;
  }
  return large == 1;
}

} // namespace

void copyForUsers(Block &block) {
  SmallVector<Operation *> ops;
  for (Operation &op : block.without_terminator())
    ops.push_back(&op);
  for (Operation *op : llvm::reverse(ops)) { // users first: of what a copy reads there are then more
    if (!isWorthCopying(op))
      continue;
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : op->getResult(0).getUses())
      uses.push_back(&use);
    llvm::SmallDenseMap<Operation *, Operation *> copies;
    copies[uses.front()->getOwner()] = op;
    for (OpOperand *use : ArrayRef(uses).drop_front()) {
      Operation *&copy = copies[use->getOwner()];
      if (!copy)
        copy = OpBuilder(op->getNextNode()).clone(*op);
      use->set(copy->getResult(0));
    }
  }
}

} // namespace graphc
