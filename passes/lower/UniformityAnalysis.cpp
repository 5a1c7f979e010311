#include "passes/lower/UniformityAnalysis.h"

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

std::optional<UniformityAnalysis::Linear> UniformityAnalysis::linearOf(Value value) const {
  if (std::optional<int64_t> number = getInteger(value))
    return constant(*number);
  auto known = linear_.find(value);
  return known == linear_.end() ? std::nullopt : std::optional(known->second);
}

/// Where the operation counts with the loops. Numbers of elements are far below 2^63, so nothing
/// wraps around.
std::optional<UniformityAnalysis::Linear> UniformityAnalysis::follow(Operation &op) const {
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    Linear counted = constant(0);
    if (const int64_t loop = nest_.loopOfDim[index.getDim()]; loop >= 0)
      counted.steps[size_t(loop)] = 1;
    return counted;
  }
  if (isa<arith::IndexCastOp>(op))
    return linearOf(op.getOperand(0));
  if (!isa<arith::MulIOp, arith::AddIOp>(op))
    return std::nullopt;
  std::optional<Linear> a = linearOf(op.getOperand(0)), b = linearOf(op.getOperand(1));
  if (!a || !b)
    return std::nullopt;
  if (isa<arith::AddIOp>(op)) {
    a->multiple = std::gcd(a->multiple, b->multiple);
    for (auto [step, other] : llvm::zip_equal(a->steps, b->steps))
      step += other;
    return a;
  }
  const std::optional<int64_t> factor = getInteger(op.getOperand(1));
  if (!factor)
    return std::nullopt;
  a->multiple *= *factor;
  for (int64_t &step : a->steps)
    step *= *factor;
  return a;
}

/// Whether it is one more from element to element, and in the first element a multiple of `group`.
bool UniformityAnalysis::countsFromMultipleOf(const Linear &value, int64_t group) const {
  int64_t first =
      std::gcd(value.multiple, value.steps[size_t(elements_.loop)] * elements_.multiple);
  int64_t walked = 1; // by the elements, to the next index of a loop that they are spread over
  for (size_t loop = nest_.loops.size(); loop-- > 0;) {
    if (int64_t(loop) == elements_.loop || elements_.isSpread(loop)) {
      if (value.steps[loop] != walked)
        return false;
      walked *= nest_.loops[loop].size;
    } else {
      first = std::gcd(first, value.steps[loop]);
    }
  }
  return first % group == 0;
}

int64_t UniformityAnalysis::groupOf(Operation &op) const {
  if (isa<arith::ShRUIOp>(op)) {
    const std::optional<int64_t> by = getInteger(op.getOperand(1));
    const std::optional<Linear> counted = linearOf(op.getOperand(0));
    if (counted && by && (*by == 1 || *by == 2) &&
        countsFromMultipleOf(*counted, int64_t(1) << *by))
      return int64_t(1) << *by;
  }
  int64_t group = kAll;
  for (Value operand : op.getOperands())
    if (const int64_t size = operand.getParentBlock() == nest_.body ? of(operand) : kAll;
        size != kAll) {
      if (size == 1 || (group != kAll && group != size))
        return 1;
      group = size;
    }
  return group;
}

int64_t UniformityAnalysis::add(Operation &op) {
  if (const std::optional<Linear> counted = follow(op))
    for (Value result : op.getResults())
      linear_[result] = *counted;
  int64_t group = 1;
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    const int64_t loop = nest_.loopOfDim[index.getDim()];
    group = loop < 0 || (loop != elements_.loop && !elements_.isSpread(size_t(loop))) ? kAll : 1;
  } else {
    group = groupOf(op);
  }
  for (Value result : op.getResults())
    sizes_[result] = group;
  return std::max<int64_t>(group, 1); // what all elements share LLVM finds by itself
}

} // namespace graphc
