#include "passes/outline/BlockRematerializer.h"

#include "dialects/graph/DiscardableAttributes.h"
#include "passes/outline/DuplicateCheapOps.h"
#include "passes/outline/ScalarBody.h"

#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

#include <functional>

using namespace mlir;

namespace graphc {

using namespace graph;

/// What can be rematerialized with the same bits: each element from elements of its operands, or
/// from its place alone.
static bool isRepeatable(Operation *op) {
  return op->getNumResults() == 1 && isMemoryEffectFree(op) && isInlinable(op) &&
         !op->hasTrait<OpTrait::ConstantLike>() &&
         !isa<LibraryKernelOpInterface, dist::AfterOp>(op);
}

BlockRematerializer::BlockRematerializer(Block &block, StringRef kind)
    : block_(block), kind_(kind) {
  copyForUsers(block);
  sink();
  read();
}

/// Whether a kernel does it, in which elements of its operands are inlined.
bool BlockRematerializer::isCompiled(Operation *op) const {
  auto library = dyn_cast<LibraryKernelOpInterface>(op);
  return isa<StructuredOpInterface>(op) && !isView(op) &&
         (!library || kind_.empty() || library.getLibraryKernel(kind_).empty());
}

/// The text then has what is inlined where it is computed (ProgramGraph::sinkCheapOps). Nothing
/// passes kept sums, which part kernels, or a write of a variable that it reads.
void BlockRematerializer::sink() {
  // places: where it stands, or what it stands in front of
  llvm::DenseMap<Operation *, uint32_t> places, sections;
  llvm::DenseMap<Attribute, uint32_t> written; // the first time
  uint32_t section = 0;
  bool kept = false;
  SmallVector<Operation *> all;
  for (Operation &op : block_) {
    if (op.hasAttr(kKept)) {
      kept = true;
    } else if (kept && isComputed(&op) && !isView(&op)) {
      ++section;
      kept = false;
    }
    places[&op] = uint32_t(all.size());
    sections[&op] = section;
    for (FlatSymbolRefAttr name : getWrittenVariables(&op))
      written.try_emplace(name, uint32_t(all.size()));
    all.push_back(&op);
  }
  for (Operation *op : llvm::reverse(all)) {
    if (!isRepeatable(op) || op->use_empty())
      continue;
    Operation *first = nullptr;
    const bool isInlined = llvm::all_of(op->getUsers(), [&](Operation *user) {
      if (user->getBlock() != &block_ || !isCompiled(user) || sections[user] != sections[op])
        return false;
      if (!first || places[user] < places[first] ||
          (places[user] == places[first] && user->isBeforeInBlock(first)))
        first = user;
      return true;
    });
    const bool isOld = llvm::any_of(op->getOperands(), [&](Value operand) {
      auto read = rootOf(operand).getDefiningOp<ReadOp>();
      auto write = read ? written.find(read.getVariableAttr()) : written.end();
      return write != written.end() && write->second <= places[first ? first : op];
    });
    if (!isInlined || isOld)
      continue;
    places[op] = places[first];
    op->moveBefore(first);
  }
}

/// Whose memory a value is in.
Value BlockRematerializer::rootOf(Value value) const {
  while (Operation *op = value.getDefiningOp()) {
    if (op->getBlock() != &block_ || !(isView(op) || isa<dist::UnpackOp>(op)))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// Not so what is inlined in the one kernel that looks at it, and what lies elsewhere than in the
/// arena.
bool BlockRematerializer::hasMemory(OpResult result) const {
  Operation *op = result.getOwner();
  if (op->hasTrait<OpTrait::ConstantLike>() || isa<ReadOp, dist::ReceiveOp>(op))
    return false;
  return !(isRepeatable(op) || isa<dist::AfterOp>(op)) || !result.hasOneUse() ||
         !isCompiled(*result.user_begin());
}

void BlockRematerializer::addResult(OpResult result, uint32_t position) {
  Operation *op = result.getOwner();
  if (!isa<RankedTensorType>(result.getType()) || rootOf(result) != result)
    return;
  numbers_[result] = uint32_t(values_.size());
  roots_.push_back(result);
  BlockValue &value = values_.emplace_back();
  value.made = position;
  value.repeatable = isRepeatable(op);
  if (hasMemory(result))
    value.bytes = uint64_t(getByteSize(result));
  if (auto cost = dyn_cast<CostOpInterface>(op))
    value.flops = cost.getFlops();
  for (Value operand : op->getOperands())
    if (auto from = numbers_.find(rootOf(operand)); from != numbers_.end())
      value.from.push_back(from->second);
}

void BlockRematerializer::read() {
  llvm::DenseMap<Attribute, SmallVector<uint32_t>> readers; // of a variable, by number
  SmallVector<uint32_t> shown;
  for (Operation &op : block_) {
    const auto position = uint32_t(ops_.size());
    positions_[&op] = position;
    ops_.push_back(&op);
    llvm::SetVector<Value> used;
    getUsedValuesDefinedAbove(op.getRegions(), used);
    used.insert(op.operand_begin(), op.operand_end());
    if (!isView(&op) && !isa<dist::UnpackOp>(op))
      for (Value value : used)
        if (auto root = numbers_.find(rootOf(value)); root != numbers_.end()) {
          values_[root->second].used.push_back(position);
          if (isa<dist::FetchOp, dist::MetricOp>(op))
            shown.push_back(root->second);
        }
    for (OpResult result : op.getResults())
      addResult(result, position);
    if (auto read = dyn_cast<ReadOp>(op))
      readers[read.getVariableAttr()].push_back(numbers_.lookup(read.getResult()));
    for (FlatSymbolRefAttr name : getWrittenVariables(&op))
      for (uint32_t reader : readers[name])
        values_[reader].until = std::min(values_[reader].until, position);
    if (auto repeat = dyn_cast<RepeatOp>(op))
      loops_.push_back({position,
                        std::make_unique<BlockRematerializer>(repeat.getBody().front(), kind_),
                        repeat.getCount()});
  }
  for (uint32_t value : shown) { // it is kept until the end of the step
    values_[value].repeatable = false;
    values_[value].used.push_back(uint32_t(ops_.size()) - 1);
  }
}

std::vector<uint64_t> BlockRematerializer::bytesOfLoops() const {
  std::vector<uint64_t> bytes(ops_.size());
  for (const Loop &loop : loops_)
    bytes[loop.position] = loop.body->getPeak();
  return bytes;
}

uint64_t BlockRematerializer::getPeak() const { return peakOf(values_, bytesOfLoops()); }

BlockRematerializer::Result BlockRematerializer::rematerialize(uint64_t target,
                                                               const TimeModel &time,
                                                               TimeModel::Engine engine) {
  Result all;
  std::vector<uint64_t> others = bytesOfLoops();
  for (const Loop &loop : loops_) {
    uint64_t around = 0;
    for (const BlockValue &value : values_)
      if (value.made <= loop.position &&
          (value.used.empty() ? value.made : value.used.back()) >= loop.position)
        around += value.bytes;
    const Result inside =
        loop.body->rematerialize(target > around ? target - around : 0, time, engine);
    all.values += inside.values;
    all.bytes += inside.bytes;
    all.seconds += inside.seconds * double(loop.count);
    others[loop.position] = loop.body->afterwards_;
  }
  const RematerializationChoice choice =
      chooseRematerialization(values_, others, target, time, engine);
  for (const RematerializedValue &chosen : choice.chosen)
    gone_.insert(chosen.value);
  for (const RematerializedValue &chosen : choice.chosen) {
    if (!clone(chosen))
      continue;
    ++all.values;
    all.bytes += values_[chosen.value].bytes;
    all.seconds += chosen.seconds;
  }
  afterwards_ = choice.peak;
  all.isEnough = choice.isEnough;
  return all;
}

/// What the copies for `user` wait for: of what is in memory, the last made that the user reads as
/// well, or that is made before it; null where all that is there was there early.
Value BlockRematerializer::findWait(Operation *user, const RematerializedValue &chosen) const {
  Value latest;
  uint32_t when = chosen.lastEarly;
  llvm::SetVector<uint32_t> seen;
  const auto look = [&](Value other) {
    if (auto number = numbers_.find(rootOf(other));
        number != numbers_.end() && !gone_.contains(number->second))
      seen.insert(number->second);
  };
  const auto take = [&] {
    constexpr size_t kMany = 64; // that hang together
    for (size_t i = 0; i < seen.size() && i < kMany; ++i) {
      const BlockValue &value = values_[seen[i]];
      if (value.bytes && value.made > when && !gone_.contains(seen[i])) {
        latest = roots_[seen[i]];
        when = value.made;
      }
      if (!value.bytes) // inlined
        seen.insert(value.from.begin(), value.from.end());
    }
    seen.clear();
  };
  llvm::for_each(user->getOperands(), look);
  take();
  constexpr uint32_t kFar = 64; // operations
  for (uint32_t at = chosen.firstLate;
       !latest && at-- > chosen.lastEarly + 1 && at + kFar > chosen.firstLate;) {
    llvm::for_each(ops_[at]->getResults(), look);
    take();
  }
  return latest;
}

/// Users from `firstLate` on get another value, through views of it.
void BlockRematerializer::replaceLate(Value old, Value by, uint32_t firstLate) {
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : old.getUses())
    uses.push_back(&use);
  for (OpOperand *use : uses) {
    Operation *user = block_.findAncestorOpInBlock(*use->getOwner());
    if (auto position = positions_.find(user); position == positions_.end())
      continue; // a copy
    else if (!isView(user) || user != use->getOwner()) {
      if (position->second >= firstLate)
        use->set(by);
      continue;
    }
    OpBuilder builder(by.getContext());
    builder.setInsertionPointAfterValue(by);
    Operation *view = builder.clone(*user);
    view->setOperand(0, by);
    replaceLate(user->getResult(0), view->getResult(0), firstLate);
    if (view->use_empty())
      view->erase();
  }
}

bool BlockRematerializer::clone(const RematerializedValue &chosen) {
  Operation *user = ops_[chosen.firstLate];
  Value wait = findWait(user, chosen);
  if (!wait)
    return false;
  OpBuilder builder(user);
  llvm::DenseMap<Value, Value> copies; // of roots and of views of them
  std::function<Value(Value)> copyOf = [&](Value value) -> Value {
    if (Value copy = copies.lookup(value))
      return copy;
    const Value root = rootOf(value);
    if (root == value || !copies.contains(root))
      return value;
    Operation *view = value.getDefiningOp();
    Value source = copyOf(view->getOperand(0));
    Operation *copy = builder.clone(*view);
    copy->setOperand(0, source);
    return copies[value] = copy->getResult(0);
  };
  for (uint32_t again : chosen.again) {
    Operation *op = roots_[again].getDefiningOp();
    SmallVector<Value> operands = llvm::map_to_vector(op->getOperands(), copyOf);
    Operation *copy = builder.clone(*op);
    copy->setOperands(operands);
    copies[roots_[again]] = copy->getResult(0);
  }
  const Value value = roots_[chosen.value];
  auto late =
      dist::AfterOp::create(builder, value.getLoc(), value.getType(), wait, copies.lookup(value));
  replaceLate(value, late.getResult(), chosen.firstLate);
  return true;
}

} // namespace graphc
