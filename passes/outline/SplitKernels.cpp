#include "passes/outline/SplitKernels.h"

#include "passes/outline/KernelGrouping.h"
#include "passes/outline/ScalarBody.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

#include <set>

using namespace mlir;

namespace graphc {

using namespace graph;

namespace {

/// How much may be one kernel, measured on chains, layers and variables by the thousand. `weight`
/// counts operations, one that LLVM makes much of as many; `buffers` counts arguments.
struct Bounds {
  size_t weight, buffers;
};
constexpr Bounds kWhole{2000, 64}; ///< what is smaller stays one kernel: any usual network's is
constexpr Bounds kPiece{1000, 24};
constexpr size_t kExpensive = 40;
/// How many operations behind a place have to look alike for two places to count as the same.
constexpr size_t kAlike = 4;

size_t weightOf(Operation *op) {
  return isExpensive(op) || isReduction(op) || isa<ExplicitLoopsOpInterface>(op) ? kExpensive : 1;
}

/// The buffers that a kernel has, or more, while operations are added to it: what it reads from
/// outside, what it writes, and what others want of its results.
class BufferCount {
public:
  void add(Operation *op) {
    for (Value operand : op->getOperands()) {
      if (auto own = open_.find(operand); own != open_.end()) {
        if (--own->second == 0)
          values_.erase(operand);
      } else if (Operation *def = operand.getDefiningOp();
                 !def->hasTrait<OpTrait::ConstantLike>() || !isInlinable(def)) {
        values_.insert(operand);
      }
    }
    for (FlatSymbolRefAttr name : getWrittenVariables(op))
      variables_.insert(name);
    for (Value result : op->getResults())
      if (size_t uses = size_t(llvm::range_size(result.getUses()))) {
        open_[result] = uses;
        values_.insert(result);
      }
  }
  size_t get() const { return values_.size() + variables_.size(); }

private:
  llvm::DenseMap<Value, size_t> open_; ///< results, and how many uses are still outside
  llvm::DenseSet<Value> values_;
  llvm::DenseSet<Attribute> variables_;
};

/// Whether the operation makes far more than it reads: a row for a matrix. Its value costs nothing
/// where it is inlined, and memory where one piece makes it and another reads it.
bool isSpread(Operation *op) {
  constexpr int64_t kTimes = 8;
  return op->getNumResults() == 1 && op->hasOneUse() && isInlinable(op) && !isExpensive(op) &&
         !isView(op) && llvm::all_of(op->getOperands(), [&](Value operand) {
           return getByteSize(operand) * kTimes <= getByteSize(op->getResult(0));
         });
}

/// The operations of one kernel, by their places in the text.
class Cutter {
public:
  Cutter(ArrayRef<Operation *> ops, llvm::function_ref<SmallVector<unsigned>(unsigned)> waitsFor)
      : ops_(ops), users_(ops.size()), missing_(ops.size()), wanted_(ops.size()),
        escapes_(ops.size()), companions_(ops.size()) {
    llvm::DenseMap<Operation *, unsigned> placeOf;
    SmallVector<SmallVector<unsigned>> waits(ops.size());
    SmallVector<unsigned> waiters(ops.size()); // how many wait for it
    for (auto [place, op] : llvm::enumerate(ops)) {
      placeOf[op] = unsigned(place);
      waits[place] = waitsFor(unsigned(place));
      for (unsigned on : waits[place])
        ++waiters[on];
    }
    // What is spread for one user, for which nothing else waits, comes right before that.
    SmallVector<unsigned> unitOf(ops.size());
    for (unsigned place = unsigned(ops.size()); place-- > 0;) {
      unitOf[place] = place;
      Operation *op = ops[place];
      if (!isSpread(op) || waiters[place] != 1)
        continue;
      if (auto user = placeOf.find(*op->user_begin());
          user != placeOf.end() && user->second > place) {
        unitOf[place] = unitOf[user->second];
        companions_[unitOf[place]].push_back(place);
      }
    }
    for (SmallVector<unsigned> &before : companions_)
      llvm::sort(before);
    for (unsigned place = 0; place < ops.size(); ++place) {
      const unsigned unit = unitOf[place];
      for (unsigned on : waits[place])
        if (unitOf[on] != unit) {
          users_[unitOf[on]].push_back(unit);
          ++missing_[unit];
        }
    }
    SmallVector<llvm::SmallSetVector<unsigned, 4>> values(ops.size());
    for (auto [place, op] : llvm::enumerate(ops)) {
      for (Value operand : op->getOperands())
        if (auto def = placeOf.find(operand.getDefiningOp());
            def != placeOf.end() && unitOf[def->second] != unitOf[place])
          values[unitOf[place]].insert(unitOf[def->second]);
      escapes_[place] =
          llvm::any_of(op->getUsers(), [&](Operation *user) { return !placeOf.contains(user); });
      isUnit_.push_back(unitOf[place] == place);
    }
    for (llvm::SmallSetVector<unsigned, 4> &read : values) {
      operands_.push_back(read.takeVector());
      for (unsigned value : operands_.back())
        ++wanted_[value];
    }
  }

  SmallVector<KernelPiece> cut() {
    sort();
    SmallVector<KernelPiece> pieces;
    for (size_t begin = 0, end; begin < order_.size(); begin = end) {
      end = findEnd(begin);
      pieces.emplace_back(order_.begin() + begin, order_.begin() + end);
    }
    return pieces;
  }

private:
  /// Values more that live once the operation was computed; negative where it is the last to want
  /// what it reads.
  int growth(unsigned place) const {
    int growth = wanted_[place] || escapes_[place];
    for (unsigned value : operands_[place])
      growth -= wanted_[value] == 1 && !escapes_[value];
    return growth;
  }

  /// Again and again what adds the fewest living values, of those the first in the text.
  void sort() {
    std::set<std::pair<int, unsigned>> ready;
    std::vector<int> known(ops_.size());
    auto offer = [&](unsigned place) { ready.insert({known[place] = growth(place), place}); };
    std::vector<bool> placed(ops_.size());
    for (unsigned place = 0; place < ops_.size(); ++place)
      if (isUnit_[place] && !missing_[place])
        offer(place);
    while (!ready.empty()) {
      unsigned place = ready.begin()->second;
      ready.erase(ready.begin());
      placed[place] = true;
      begins_.push_back(order_.size());
      for (unsigned companion : companions_[place])
        order_.push_back(ops_[companion]);
      order_.push_back(ops_[place]);
      for (unsigned value : operands_[place])
        if (--wanted_[value] == 1)
          for (unsigned user : users_[value]) // the last one that wants it
            if (!placed[user] && ready.erase({known[user], user}))
              offer(user);
      for (unsigned user : users_[place])
        if (--missing_[user] == 0)
          offer(user);
    }
    assert(order.size() == ops.size() && "no operation waits for itself");
  }

  bool looksAlike(Operation *a, Operation *b) const {
    return a->getName() == b->getName() &&
           llvm::equal(a->getOperandTypes(), b->getOperandTypes()) &&
           llvm::equal(a->getResultTypes(), b->getResultTypes());
  }
  bool beginsAnew(size_t begin, size_t place) const {
    for (size_t i = 0; i < kAlike; ++i)
      if (place + i >= order_.size() || !looksAlike(order_[begin + i], order_[place + i]))
        return false;
    return true;
  }

  size_t findEnd(size_t begin) const {
    BufferCount buffers;
    size_t weight = 0, end = begin, anew = begin;
    const auto *unit = llvm::lower_bound(begins_, begin);
    while (end < order_.size()) {
      const size_t next = ++unit == begins_.end() ? order_.size() : *unit;
      for (size_t i = end; i < next; ++i) {
        buffers.add(order_[i]);
        weight += weightOf(order_[i]);
      }
      if (end > begin && (weight > kPiece.weight || buffers.get() > kPiece.buffers))
        break;
      end = next;
      if (beginsAnew(begin, end))
        anew = end;
    }
    return end < order_.size() && (anew - begin) * 2 > end - begin ? anew : end;
  }

  ArrayRef<Operation *> ops_;
  /// users_: of what it waits for, values or not
  SmallVector<SmallVector<unsigned>> users_, operands_;
  SmallVector<unsigned> missing_, wanted_; ///< wanted_: how many still read its value
  SmallVector<bool> escapes_; ///< whether others want its value
  /// what comes right before it and is counted with it
  SmallVector<SmallVector<unsigned>> companions_;
  SmallVector<bool> isUnit_; ///< whether it is no companion
  SmallVector<Operation *> order_;
  SmallVector<size_t> begins_; ///< places in `order_` where pieces may begin
};

bool isSmall(ArrayRef<Operation *> ops) {
  size_t weight = 0;
  for (Operation *op : ops)
    weight += weightOf(op);
  if (weight > kWhole.weight)
    return false;
  BufferCount buffers;
  for (Operation *op : ops)
    buffers.add(op);
  return buffers.get() <= kWhole.buffers;
}

} // namespace

SmallVector<KernelPiece> cutInPieces(ArrayRef<Operation *> ops,
                                     llvm::function_ref<SmallVector<unsigned>(unsigned)> waitsFor) {
  if (isSmall(ops))
    return {KernelPiece(ops)};
  return Cutter(ops, waitsFor).cut();
}

} // namespace graphc
