#include "passes/lower/NestEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;

namespace graphc {

NestEmitter::Values NestEmitter::forLoop(int64_t lower, int64_t upper, int64_t step,
                                         ValueRange init, LoopBody emitBody) {
  return forLoop(body.index(lower), body.index(upper), step, init, emitBody);
}

NestEmitter::Values NestEmitter::forLoop(Value lower, Value upper, int64_t step, ValueRange init,
                                         LoopBody emitBody) {
  std::optional<int64_t> first = getConstantIntValue(lower), end = getConstantIntValue(upper);
  if (first && end && *first + step >= *end)
    return *first >= *end ? llvm::to_vector(init) : emitBody(lower, init);
  auto loop = scf::ForOp::create(builder, loc, lower, upper, body.index(step), init);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Values carried = emitBody(loop.getInductionVar(), loop.getRegionIterArgs());
  if (!init.empty() || !loop.getBody()->mightHaveTerminator())
    scf::YieldOp::create(builder, loc, carried);
  return Values(loop.getResults());
}

void NestEmitter::overLoops(ArrayRef<size_t> loops, llvm::function_ref<void()> inside) {
  if (loops.empty())
    return inside();
  if (isGiven(loops.front()))
    return overLoops(loops.drop_front(), inside);
  forLoop(0, nest.loops[loops.front()].size, 1, {}, [&](Value index, ValueRange) {
    elements.indices[loops.front()] = index;
    overLoops(loops.drop_front(), inside);
    return Values{};
  });
}

void NestEmitter::setItem(Value item, ArrayRef<size_t> loops) {
  for (size_t loop : llvm::reverse(loops.drop_front())) {
    Value size = body.index(nest.loops[loop].size);
    elements.indices[loop] = arithmetic<arith::RemUIOp>(item, size);
    item = arithmetic<arith::DivUIOp>(item, size);
  }
  elements.indices[loops.front()] = item;
}

void NestEmitter::spreadItems(Value first, ArrayRef<size_t> loops) {
  int64_t length = 1;
  for (size_t loop : loops)
    length *= nest.loops[loop].size;
  auto type = VectorType::get({kVector}, spreadType(length));
  auto splat = [&](int64_t value) -> Value {
    auto number = builder.getIntegerAttr(type.getElementType(), value);
    return arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, number));
  };
  Value item = arith::IndexCastOp::create(builder, loc, type.getElementType(), first);
  item = arith::AddIOp::create(builder, loc, vector::BroadcastOp::create(builder, loc, type, item),
                               body.counting(type));
  elements.spread.assign(nest.loops.size(), Value());
  for (size_t loop : llvm::reverse(loops)) {
    Value size = splat(nest.loops[loop].size);
    elements.spread[loop] = loop == loops.front() ? item : arithmetic<arith::RemUIOp>(item, size);
    item = arithmetic<arith::DivUIOp>(item, size);
  }
  // The row after the first one, as if it began before the first element; there is none behind the
  // last.
  Value size = body.index(nest.loops[loops.back()].size), end = body.index(length);
  setItem(first, loops);
  Value column = elements.indices[loops.back()];
  elements.left = arithmetic<arith::SubIOp>(size, column);
  Value nextRow =
      arithmetic<arith::MinUIOp>(add(first, elements.left), arithmetic<arith::SubIOp>(end, size));
  Value back = arithmetic<arith::MinUIOp>(elements.left, body.index(kVector));
  setItem(nextRow, loops);
  elements.next = elements.indices;
  elements.next[loops.back()] = arithmetic<arith::SubIOp>(body.index(0), back);
  setItem(first, loops);
}

/// Of numbers of items and places in memory.
Type NestEmitter::spreadType(int64_t length) {
  int64_t most = length;
  for (const NestOperand &input : nest.inputs)
    if (auto type = dyn_cast<MemRefType>(input.memory.getType()))
      most = std::max(most, type.getNumElements());
  return most > std::numeric_limits<int32_t>::max() ? builder.getI64Type() : builder.getI32Type();
}

Value NestEmitter::add(Value a, Value b) { return arithmetic<arith::AddIOp>(a, b); }
Value NestEmitter::add(Value a, int64_t b) { return b ? add(a, body.index(b)) : a; }
Value NestEmitter::times(Value a, int64_t b) { return arithmetic<arith::MulIOp>(a, body.index(b)); }

void NestEmitter::storeAll(ValueRange values) {
  for (auto [output, value] : llvm::zip(nest.outputs, values))
    body.store(output, elements, value);
}

} // namespace graphc
