#include "passes/lower/NestEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace graphc {

NestEmitter::Values NestEmitter::forLoop(int64_t lower, int64_t upper, int64_t step, ValueRange init,
                                         LoopBody emitBody) {
  return forLoop(body.index(lower), body.index(upper), step, init, emitBody);
}

NestEmitter::Values NestEmitter::forLoop(Value lower, Value upper, int64_t step, ValueRange init, LoopBody emitBody) {
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
    lanes.indices[loops.front()] = index;
    overLoops(loops.drop_front(), inside);
    return Values{};
  });
}

Value NestEmitter::add(Value a, Value b) { return arithmetic<arith::AddIOp>(a, b); }
Value NestEmitter::add(Value a, int64_t b) { return b ? add(a, body.index(b)) : a; }
Value NestEmitter::times(Value a, int64_t b) { return arithmetic<arith::MulIOp>(a, body.index(b)); }

void NestEmitter::storeAll(ValueRange values) {
  for (auto [output, value] : llvm::zip(nest.outputs, values))
    body.store(output, lanes, value);
}

} // namespace graphc
