#include "passes/outline/DuplicateCheapOps.h"

#include "dialects/graph/DiscardableAttributes.h"
#include "dialects/graph/StructuredInterfaces.h"
#include "passes/outline/KernelGrouping.h"
#include "passes/outline/ScalarBody.h"

using namespace mlir;

namespace graphc {

using namespace graph;

namespace {

/// No more operations than these are rematerialized for one user, however they hang together.
constexpr unsigned kMostSteps = 16;

/// What rematerializing a value means, worked out once for each op of a block, operands first.
class Costs {
public:
  explicit Costs(Block &block) {
    findSections(block);
    for (Operation &op : block.without_terminator())
      add(op);
  }

  /// Whether no more is read to rematerialize it than to read it.
  bool isWorthCopying(Operation *op) const { return steps_.contains(op); }

private:
  void add(Operation &op);
  bool isRepeated(Value value) const {
    Operation *op = value.getDefiningOp();
    return op && (op->hasTrait<OpTrait::ConstantLike>() ? isInlinable(op) : repeated_.contains(op));
  }
  bool readsFarLess(Operation &op) const;
  bool readsOneLarge(Operation &op) const;

  void findSections(Block &block);
  bool isLastStep(Operation &op);
  bool isForUsers(Operation &op) const;

  /// which `graph.kept` ends: no kernel has operations of two
  llvm::DenseMap<Operation *, unsigned> sections_;
  llvm::DenseSet<Operation *> lastSteps_; ///< with which a library's call may end
  /// ops that are rematerialized with it, itself included
  llvm::DenseMap<Operation *, unsigned> steps_;
  /// those that read far less than they make: a row for a matrix
  llvm::DenseSet<Operation *> repeated_;
};

bool Costs::readsFarLess(Operation &op) const {
  constexpr int64_t kTimes = 8;
  return llvm::all_of(op.getOperands(), [&](Value operand) {
    return getByteSize(operand) * kTimes <= getByteSize(op.getResult(0)) || isRepeated(operand);
  });
}

bool Costs::readsOneLarge(Operation &op) const {
  const LoopNest nest = cast<StructuredOpInterface>(op).getLoopNests().front();
  unsigned large = 0;
  for (const LoopNest::Read &read : nest.reads) {
    const Value operand = op.getOperand(read.operand);
    if (isRepeated(operand))
      continue;
    if (++large > 1 || !read.map.isIdentity() ||
        getByteSize(operand) > getByteSize(op.getResult(0)))
      return false;
  }
  return large == 1;
}

void Costs::findSections(Block &block) {
  unsigned section = 0;
  bool kept = false;
  for (Operation &op : block.without_terminator()) {
    if (op.hasAttr(kKept)) {
      kept = true;
    } else if (kept && isa<StructuredOpInterface>(op) && !isView(&op)) {
      ++section;
      kept = false;
    }
    sections_[&op] = section;
  }
}

/// Whether a library's call may end with it.
bool Costs::isLastStep(Operation &op) {
  auto post = dyn_cast<LibraryPostOpInterface>(op);
  Operation *from = post ? post.getPostOpInput().get().getDefiningOp() : nullptr;
  if (!from || !(isa<LibraryKernelOpInterface>(from) || lastSteps_.contains(from)))
    return false;
  lastSteps_.insert(&op);
  return true;
}

/// Whether each user's kernel can have a copy of its own inside: else it would be stored as often.
bool Costs::isForUsers(Operation &op) const {
  return llvm::all_of(op.getResult(0).getUsers(), [&](Operation *user) {
    return user->getBlock() == op.getBlock() && isa<StructuredOpInterface>(user) &&
           !isa<LibraryKernelOpInterface>(user) && !isView(user) && // those have memory
           sections_.lookup(user) == sections_.lookup(&op) && !ProgramGraph::areApart(&op, user);
  });
}

void Costs::add(Operation &op) {
  const bool isLast = isLastStep(op);
  if (op.getNumResults() != 1 || op.getNumOperands() == 0 || !isInlinable(&op) || isExpensive(&op))
    return;
  unsigned count = 1;
  for (Value operand : op.getOperands())
    if (Operation *from = operand.getDefiningOp())
      count += steps_.lookup(from);
  if (count > kMostSteps)
    return;
  const bool readsLess = readsFarLess(op);
  if (readsLess)
    repeated_.insert(&op);
  if (!isLast && (readsLess || readsOneLarge(op)) && isForUsers(op))
    steps_[&op] = count;
}

} // namespace

void copyForUsers(Block &block) {
  const Costs costs(block);
  SmallVector<Operation *> ops;
  for (Operation &op : block.without_terminator())
    ops.push_back(&op);
  // users first: of what a copy reads there are then more
  for (Operation *op : llvm::reverse(ops)) {
    if (op->getNumResults() != 1 || op->getResult(0).hasOneUse() || !costs.isWorthCopying(op))
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
