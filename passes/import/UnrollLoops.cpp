//===- UnrollLoops.cpp - a loop of StableHLO whose iterations are known -----------------------===//
#include "passes/import/UnrollLoops.h"

#include "dialects/graph/ops/PassOpBuilders.h"
#include "passes/ModelSize.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace graphc;

static bool isNamed(Operation *op, StringRef name) {
  return op && op->getName().getStringRef() == name;
}

/// The number that stablehlo.constant makes, or what a value is that has been imported.
static std::optional<int64_t> findNumber(Value value) {
  DenseElementsAttr elements;
  if (Operation *op = value.getDefiningOp(); isNamed(op, "stablehlo.constant"))
    elements = dyn_cast_or_null<DenseElementsAttr>(op->getAttr("value"));
  else
    matchPattern(value, m_Constant(&elements));
  if (!elements || elements.getNumElements() != 1 || !elements.getElementType().isSignlessInteger())
    return std::nullopt;
  return elements.getSplatValue<APInt>().trySExtValue();
}

/// The block of a region that carries as many values of the same types as `loop` has, and ends by
/// returning `results` of them.
static Block *findBlock(Operation *loop, unsigned region, unsigned results) {
  Region &where = loop->getRegion(region);
  if (!where.hasOneBlock() || where.getArgumentTypes() != loop->getResultTypes() ||
      where.front().empty())
    return nullptr;
  Operation &end = where.front().back();
  return isNamed(&end, "stablehlo.return") && end.getNumOperands() == results &&
                 end.getNumResults() == 0
             ? &where.front()
             : nullptr;
}

bool graphc::isLoop(Operation *op) { return isNamed(op, "stablehlo.while"); }

std::optional<CountedLoop> graphc::findCountedLoop(Operation *loop, ValueRange begins) {
  const unsigned carried = loop->getNumResults();
  if (loop->getNumRegions() != 2 || begins.size() != carried ||
      begins.getTypes() != loop->getResultTypes())
    return std::nullopt;
  Block *condition = findBlock(loop, 0, 1), *body = findBlock(loop, 1, carried);
  if (!condition || !body || body->back().getOperandTypes() != loop->getResultTypes())
    return std::nullopt;
  // The counter is less than a constant, which the condition has or the loop carries along.
  Operation *compare = condition->back().getOperand(0).getDefiningOp();
  auto direction = isNamed(compare, "stablehlo.compare")
                       ? dyn_cast_or_null<StringAttr>(compare->getAttr("comparison_direction"))
                       : StringAttr();
  if (!direction || (direction != "LT" && direction != "LE") || compare->getNumOperands() != 2)
    return std::nullopt;
  auto counter = dyn_cast<BlockArgument>(compare->getOperand(0));
  if (!counter || counter.getOwner() != condition)
    return std::nullopt;
  Value bound = compare->getOperand(1);
  if (auto argument = dyn_cast<BlockArgument>(bound)) {
    const unsigned number = argument.getArgNumber();
    if (argument.getOwner() != condition ||
        body->back().getOperand(number) != body->getArgument(number))
      return std::nullopt;
    bound = begins[number];
  }
  // It grows by a constant in each iteration.
  const unsigned number = counter.getArgNumber();
  Operation *add = body->back().getOperand(number).getDefiningOp();
  if (!isNamed(add, "stablehlo.add") || add->getNumOperands() != 2)
    return std::nullopt;
  const bool isFirst = add->getOperand(0) == body->getArgument(number);
  if (!isFirst && add->getOperand(1) != body->getArgument(number))
    return std::nullopt;
  std::optional<int64_t> first = findNumber(begins[number]), limit = findNumber(bound),
                         step = findNumber(add->getOperand(isFirst ? 1 : 0));
  auto type = dyn_cast<RankedTensorType>(begins[number].getType());
  if (!first || !limit || !step || *step < 1 || !type || type.getRank() != 0)
    return std::nullopt;
  // In i128, where nothing wraps round.
  const __int128 span = __int128(*limit) + (direction == "LE" ? 1 : 0) - *first;
  const __int128 iterations = span <= 0 ? 0 : (span + *step - 1) / *step;
  const unsigned bits = type.getElementTypeBitWidth();
  const __int128 last = *first + iterations * *step;
  if (iterations > (1 << 20) || last > ((__int128(1) << (bits - 1)) - 1))
    return std::nullopt;
  return CountedLoop{body, number, IntegerAttr::get(type.getElementType(), *first), *step,
                     int64_t(iterations)};
}

LogicalResult LoopUnroller::unroll(Operation *op, const CountedLoop &loop,
                                   SmallVector<Value> carried, IRMapping &values,
                                   OpBuilder &builder, Location place, Import import) {
  auto type = cast<RankedTensorType>(carried[loop.counter].getType());
  for (int64_t i = 0; i < loop.iterations; ++i) {
    if ((unrolled_ += llvm::range_size(*loop.body)) > kMostModelOps)
      return op->emitError()
             << "its loops have more than " << kMostModelOps
             << " operations one iteration behind the other; expected fewer iterations, or smaller ones";
    auto number = IntegerAttr::get(type.getElementType(), loop.first.getInt() + i * loop.step);
    carried[loop.counter] =
        graph::createConstant(builder, place, DenseElementsAttr::get(type, number));
    values.map(loop.body->getArguments(), carried);
    for (Operation &inner : llvm::make_range(loop.body->begin(), std::prev(loop.body->end())))
      if (failed(import(&inner, values)))
        return failure();
    for (auto [next, returned] : llvm::zip_equal(carried, loop.body->back().getOperands()))
      next = values.lookup(returned); // all ops of the body stand before its last
  }
  values.map(op->getResults(), carried);
  return success();
}
