#include "passes/lower/LaneGroups.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

#include <numeric>

using namespace mlir;

namespace graphc {

/// The integer that a constant is.
static std::optional<int64_t> getInteger(Value value) {
  APInt number;
  if (!matchPattern(value, m_ConstantInt(&number)) || number.getBitWidth() > 64)
    return std::nullopt;
  return number.getSExtValue();
}

std::optional<LaneGroups::Linear> LaneGroups::linearOf(Value value) const {
  if (std::optional<int64_t> number = getInteger(value))
    return Linear{0, *number};
  auto known = linear.find(value);
  return known == linear.end() ? std::nullopt : std::optional(known->second);
}

/// Where the operation counts with the lanes. Numbers of elements are far below 2^63, so nothing wraps around.
std::optional<LaneGroups::Linear> LaneGroups::follow(Operation &op) const {
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    const int64_t loop = nest.loopOfDim[index.getDim()];
    if (loop >= 0 && lanes.isSpread(size_t(loop)))
      return std::nullopt;
    if (loop < 0)
      return Linear{0, 0};
    return loop == lanes.loop ? Linear{1, lanes.multiple} : Linear{0, 1};
  }
  if (isa<arith::IndexCastOp>(op))
    return linearOf(op.getOperand(0));
  if (!isa<arith::MulIOp, arith::AddIOp>(op))
    return std::nullopt;
  const std::optional<Linear> a = linearOf(op.getOperand(0)), b = linearOf(op.getOperand(1));
  if (!a || !b)
    return std::nullopt;
  if (isa<arith::AddIOp>(op))
    return Linear{a->step + b->step, std::gcd(a->multiple, b->multiple)};
  const std::optional<int64_t> factor = getInteger(op.getOperand(1));
  return factor ? std::optional(Linear{a->step * *factor, a->multiple * *factor}) : std::nullopt;
}

int64_t LaneGroups::groupOf(Operation &op) const {
  if (isa<arith::ShRUIOp>(op)) {
    const std::optional<int64_t> by = getInteger(op.getOperand(1));
    const std::optional<Linear> counted = linearOf(op.getOperand(0));
    if (counted && counted->step == 1 && by && (*by == 1 || *by == 2) && counted->multiple % (int64_t(1) << *by) == 0)
      return int64_t(1) << *by;
  }
  int64_t group = kAll;
  for (Value operand : op.getOperands())
    if (const int64_t size = operand.getParentBlock() == nest.body ? of(operand) : kAll; size != kAll) {
      if (size == 1 || (group != kAll && group != size))
        return 1;
      group = size;
    }
  return group;
}

int64_t LaneGroups::add(Operation &op) {
  if (const std::optional<Linear> counted = follow(op))
    for (Value result : op.getResults())
      linear[result] = *counted;
  int64_t group = 1;
  if (auto index = dyn_cast<linalg::IndexOp>(op))
    group = linear.contains(index.getResult()) && linear[index.getResult()].step == 0 ? kAll : 1;
  else
    group = groupOf(op);
  for (Value result : op.getResults())
    sizes[result] = group;
  return std::max<int64_t>(group, 1); // what all lanes share LLVM finds by itself
}

} // namespace graphc
