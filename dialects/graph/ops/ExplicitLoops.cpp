//===- ExplicitLoops.cpp - loops that ops write themselves ------------------------------------===//
#include "dialects/graph/ops/ExplicitLoops.h"

#include "mlir/IR/Matchers.h"

#include <functional>

using namespace mlir;

namespace graphc::graph {

Value ExplicitLoops::constant(Attribute element) {
  auto typed = cast<TypedAttr>(element);
  if (typed.getType().isInteger(1))
    typed = builder.getI8IntegerAttr(cast<IntegerAttr>(typed).getValue().getBoolValue());
  return arith::ConstantOp::create(builder, loc, getScalarAttr(typed));
}

void ExplicitLoops::over(Value lower, Value upper, llvm::function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(builder, loc, lower, upper, index(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

Value ExplicitLoops::over(Value lower, Value upper, Value start,
                          llvm::function_ref<Value(Value, Value)> body) {
  auto loop = scf::ForOp::create(builder, loc, lower, upper, index(1), start);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  scf::YieldOp::create(builder, loc, body(loop.getInductionVar(), loop.getRegionIterArg(0)));
  return loop.getResult(0);
}

void ExplicitLoops::overBox(ArrayRef<std::pair<Value, Value>> bounds,
                            llvm::function_ref<void(ValueRange)> body) {
  Place place;
  std::function<void()> next = [&] {
    if (place.size() == bounds.size())
      return body(place);
    auto [lower, upper] = bounds[place.size()];
    over(lower, upper, [&](Value index) {
      place.push_back(index);
      next();
      place.pop_back();
    });
  };
  next();
}

void ExplicitLoops::copyBox(ArrayRef<std::pair<Value, Value>> bounds, Value operand, Value memory,
                            Value out) {
  DenseElementsAttr constant;
  const bool isSplat = matchPattern(operand, m_Constant(&constant)) && constant.isSplat();
  Value known = isSplat ? this->constant(constant.getSplatValue<Attribute>()) : Value();
  overBox(bounds,
          [&](ValueRange place) { store(known ? known : load(memory, place), out, place); });
}

void ExplicitLoops::overElements(ArrayRef<int64_t> shape, Value first, Value limit,
                                 llvm::function_ref<void(ValueRange, Value, Value)> row) {
  const int64_t length = shape.back();
  Value size = index(length), zero = index(0);
  Value from = make<arith::DivUIOp>(first, size);
  Value to = make<arith::DivUIOp>(add(limit, index(length - 1)), size);
  over(from, to, [&](Value number) {
    Value begin = multiply(number, size);
    row(placeOf(number, shape.drop_back()), maximum(zero, subtract(first, begin)),
        minimum(size, subtract(limit, begin)));
  });
}

ExplicitLoops::Place ExplicitLoops::placeOf(Value number, ArrayRef<int64_t> shape) {
  Place place(shape.size());
  for (size_t i = shape.size(); i-- > 0;) {
    place[i] = i ? make<arith::RemUIOp>(number, index(shape[i])) : number;
    if (i)
      number = make<arith::DivUIOp>(number, index(shape[i]));
  }
  return place;
}

SmallVector<std::pair<Value, Value>> ExplicitLoops::boundsOf(ArrayRef<int64_t> shape) {
  return llvm::map_to_vector(shape, [&](int64_t size) { return std::pair(index(0), index(size)); });
}

Value ExplicitLoops::loadIndex(Value memory, ValueRange place) {
  Value element = load(memory, place);
  Type i64 = builder.getI64Type();
  return element.getType() == i64 ? element
                                  : arith::ExtSIOp::create(builder, loc, i64, element).getResult();
}

Value ExplicitLoops::countFrom(uint64_t first, Value number) {
  if (first == 0)
    return number;
  return subtract(number, this->number(int64_t(first)));
}

Value ExplicitLoops::bring(Value number, int64_t low, int64_t high) {
  return toIndex(minimum(maximum(number, this->number(low)), this->number(high)));
}

} // namespace graphc::graph
