#include "passes/analysis/RematerializationChoice.h"

#include "passes/analysis/PeakMemoryTree.h"
#include "runtime/common/base/OpCount.h"

#include <algorithm>
#include <utility>

namespace graphc {
namespace {

/// No more operations than these are rematerialized for one value.
constexpr size_t kMostSteps = 16;
/// What is so many times smaller than the value that is computed from it is kept for that and not
/// rematerialized.
constexpr uint64_t kSmall = 8;

/// The position until which it is kept.
uint32_t lastOf(const BlockValue &value) {
  return value.used.empty() ? value.made : value.used.back();
}

void addAll(const std::vector<BlockValue> &values, PeakTree &alive) {
  for (const BlockValue &value : values)
    if (value.bytes)
      alive.add(value.made, lastOf(value), int64_t(value.bytes));
}

class Chooser {
public:
  Chooser(const std::vector<BlockValue> &values, const std::vector<uint64_t> &others,
          const TimeModel &time, TimeModel::Engine engine)
      : values_(values), time_(time), engine_(engine), alive_(others), last_(values.size()),
        isChosen_(values.size()), isRead_(values.size()) {
    for (size_t i = 0; i < values.size(); ++i)
      last_[i] = lastOf(values[i]);
    addAll(values, alive_);
  }

  RematerializationChoice choose(uint64_t target);

private:
  /// The longest time between two of a value's users, or between what makes it and the first of
  /// them.
  struct Gap {
    uint32_t lastEarly = 0, firstLate = 0;
  };
  /// What rematerializing a value at a position takes.
  struct Steps {
    std::vector<uint32_t> again; ///< operands first
    std::vector<uint32_t> read; ///< those that are read from memory
    std::vector<uint32_t> longer; ///< of them, those that live longer for it
    uint64_t flops = 0, bytes = 0;
  };
  Gap findGap(const BlockValue &value) const;
  bool find(uint32_t root, uint32_t at, Steps &steps) const {
    steps.bytes = values_[root].bytes; // written
    size_t looks = 0;
    return find(root, root, at, steps, looks);
  }
  bool find(uint32_t value, uint32_t root, uint32_t at, Steps &steps, size_t &looks) const;
  double secondsOf(const Steps &steps) const {
    return time_.queuedCall(engine_, steps.flops, steps.bytes, 0);
  }
  bool take(uint32_t value, Gap gap, const Steps &steps);

  const std::vector<BlockValue> &values_;
  const TimeModel &time_;
  const TimeModel::Engine engine_;
  PeakTree alive_;
  std::vector<uint32_t> last_; ///< position until which each value is kept
  std::vector<bool> isChosen_; ///< is not kept from some position to another
  std::vector<bool> isRead_; ///< is read to rematerialize another, so it stays
};

Chooser::Gap Chooser::findGap(const BlockValue &value) const {
  Gap longest{value.made, value.made};
  uint32_t before = value.made;
  for (uint32_t use : value.used) {
    if (use - before > longest.firstLate - longest.lastEarly)
      longest = {before, use};
    before = use;
  }
  return longest;
}

/// Adds what has to be computed for `value`, of which there is nothing at position `at`; false
/// where that cannot be.
/// `looks`: how many it has looked at, so that what hangs together in many ways is given up.
bool Chooser::find(uint32_t value, uint32_t root, uint32_t at, Steps &steps, size_t &looks) const {
  const auto has = [](const std::vector<uint32_t> &list, uint32_t one) {
    return std::find(list.begin(), list.end(), one) != list.end();
  };
  if (!values_[value].repeatable || ++looks > 4 * kMostSteps)
    return false;
  for (uint32_t operand : values_[value].from) {
    const BlockValue &from = values_[operand];
    if (has(steps.again, operand) || has(steps.read, operand))
      continue;
    if (!from.bytes && !from.repeatable) {
      if (at >= from.until)
        return false;
      continue;
    }
    const bool isKept = from.bytes && !isChosen_[operand], isThere = isKept && last_[operand] >= at;
    if (!isThere && !(isKept && from.bytes * kSmall <= values_[root].bytes)) {
      Steps more = steps;
      if (find(operand, root, at, more, looks)) {
        steps = std::move(more);
        continue;
      }
      if (!isKept)
        return false;
    }
    steps.read.push_back(operand);
    steps.bytes += from.bytes;
    if (!isThere)
      steps.longer.push_back(operand);
  }
  steps.again.push_back(value);
  steps.flops = base::addOps(steps.flops, values_[value].flops);
  return steps.again.size() <= kMostSteps;
}

/// Does so where less is kept for it, and no position has more for it.
bool Chooser::take(uint32_t value, Gap gap, const Steps &steps) {
  const auto bytes = int64_t(values_[value].bytes);
  const uint32_t first = gap.lastEarly + 1, end = gap.firstLate - 1;
  double growth = -double(bytes) * (end - first + 1);
  uint32_t from = first;
  for (uint32_t read : steps.longer) {
    growth += double(values_[read].bytes) * (gap.firstLate - last_[read]);
    from = std::min(from, last_[read] + 1);
  }
  if (growth >= 0)
    return false;
  const int64_t before = alive_.most(from, gap.firstLate);
  const auto change = [&](int64_t sign) {
    alive_.add(first, end, -sign * bytes);
    for (uint32_t read : steps.longer)
      alive_.add(last_[read] + 1, gap.firstLate, sign * int64_t(values_[read].bytes));
  };
  change(1);
  if (alive_.most(from, gap.firstLate) > before) {
    change(-1);
    return false;
  }
  isChosen_[value] = true;
  for (uint32_t read : steps.read) {
    isRead_[read] = true;
    last_[read] = std::max(last_[read], gap.firstLate);
  }
  return true;
}

RematerializationChoice Chooser::choose(uint64_t target) {
  struct Candidate {
    double worth;
    uint32_t value;
    Gap gap;
  };
  std::vector<Candidate> candidates;
  for (uint32_t i = 0; i < values_.size(); ++i) {
    const Gap gap = findGap(values_[i]);
    Steps steps;
    if (values_[i].bytes && gap.firstLate - gap.lastEarly > 1 && find(i, gap.firstLate, steps))
      candidates.push_back(
          {double(values_[i].bytes) * (gap.firstLate - gap.lastEarly - 1) / secondsOf(steps), i,
           gap});
  }
  std::sort(candidates.begin(), candidates.end(), [](const Candidate &a, const Candidate &b) {
    return std::pair(-a.worth, a.value) < std::pair(-b.worth, b.value);
  });
  RematerializationChoice result;
  result.peakBefore = uint64_t(alive_.most());
  const auto isOver = [&](int64_t bytes) { return bytes > 0 && uint64_t(bytes) > target; };
  for (const auto &[worth, value, gap] : candidates) {
    if (!isOver(alive_.most()))
      break;
    if (isRead_[value] || !isOver(alive_.most(gap.lastEarly + 1, gap.firstLate - 1)))
      continue;
    Steps steps; // anew: what it would be computed from may have been chosen itself
    if (find(value, gap.firstLate, steps) && take(value, gap, steps))
      result.chosen.push_back({value, gap.lastEarly, gap.firstLate, steps.again, secondsOf(steps)});
  }
  result.peak = uint64_t(alive_.most());
  result.isEnough = result.peak <= target;
  return result;
}

} // namespace

uint64_t peakOf(const std::vector<BlockValue> &values, const std::vector<uint64_t> &others) {
  PeakTree alive(others);
  addAll(values, alive);
  return uint64_t(alive.most());
}

RematerializationChoice chooseRematerialization(const std::vector<BlockValue> &values,
                                                const std::vector<uint64_t> &others,
                                                uint64_t target, const TimeModel &time,
                                                TimeModel::Engine engine) {
  return others.empty() ? RematerializationChoice()
                        : Chooser(values, others, time, engine).choose(target);
}

} // namespace graphc
