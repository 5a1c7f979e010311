#include "passes/PartRangeLoop.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

#include <limits>

using namespace mlir;

namespace graphc {

std::optional<PartLoop> PartLoop::match(Operation *op) {
  auto loop = dyn_cast<scf::ParallelOp>(op);
  if (!loop || loop.getNumLoops() != 1 || loop->getNumResults() != 0)
    return std::nullopt;
  Value first = loop.getInductionVars().front(), parts = loop.getUpperBound().front();
  APInt lower, upper;
  if (!matchPattern(loop.getLowerBound().front(), m_ConstantInt(&lower)) || !lower.isZero() ||
      !matchPattern(parts, m_ConstantInt(&upper)))
    return std::nullopt;
  auto next = dyn_cast<arith::AddIOp>(loop.getBody()->front());
  auto limit = next ? dyn_cast<arith::MinUIOp>(next->getNextNode()) : arith::MinUIOp();
  if (!limit || next.getLhs() != first || next.getRhs() != loop.getStep().front() ||
      limit.getLhs() != next || limit.getRhs() != parts)
    return std::nullopt;
  return PartLoop{loop, upper.getSExtValue(), first, limit};
}

void PartLoop::create(OpBuilder &builder, Location loc, int64_t parts,
                      llvm::function_ref<void(Value, Value)> build) {
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value all = arith::ConstantIndexOp::create(builder, loc, parts);
  auto loop =
      scf::ParallelOp::create(builder, loc, ValueRange{zero}, ValueRange{all}, ValueRange{all});
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value first = loop.getInductionVars().front();
  Value next = arith::AddIOp::create(builder, loc, first, all);
  Value limit = arith::MinUIOp::create(builder, loc, next, all);
  build(first, limit);
}

/// Evaluations of what is innermost in a body.
static int64_t workOf(Block &body) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max(); // so that products of two fit
  int64_t work = 0;
  for (auto loop : body.getOps<scf::ForOp>()) {
    const int64_t trips = loop.getStaticTripCount() ? loop.getStaticTripCount()->getSExtValue() : 1;
    work = std::min(kMost,
                    work + std::min(kMost, std::max<int64_t>(trips, 1)) * workOf(*loop.getBody()));
  }
  return std::max<int64_t>(work, 1);
}

int64_t PartLoop::getWork() {
  int64_t all;
  return llvm::MulOverflow(parts, workOf(*loop.getBody()), all)
             ? std::numeric_limits<int64_t>::max()
             : all;
}

void PartLoop::moveBodyBefore(Operation *where, Value from, Value to) {
  Block &body = *loop.getBody();
  limit.replaceAllUsesWith(to);
  Operation *next = &body.front();
  next->getNextNode()->erase();
  next->erase();
  first.replaceAllUsesWith(from);
  for (Operation &op : llvm::make_early_inc_range(body.without_terminator()))
    op.moveBefore(where);
  loop.erase();
}

} // namespace graphc
