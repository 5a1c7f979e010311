//===- ExpansionBuilder.cpp - short ways to make ops of ops -----------------------------------===//
#include "dialects/graph/ops/ExpansionBuilder.h"

using namespace mlir;

namespace graphc::graph {

Value ExpansionBuilder::pad(Value value, ArrayRef<int64_t> low, ArrayRef<int64_t> high,
                            ArrayRef<int64_t> interior, TypedAttr fill) {
  auto filled = [&](ArrayRef<int64_t> shape) -> Value {
    RankedTensorType type = typeOf(value).clone(shape);
    return ConstantOp::create(builder, loc, type,
                              DenseElementsAttr::get(type, ArrayRef<Attribute>(fill)));
  };
  for (int64_t i = 0; i < typeOf(value).getRank(); ++i) {
    RankedTensorType type = typeOf(value);
    SmallVector<int64_t> shape(type.getShape()), starts(shape.size(), 0), ones(shape.size(), 1);
    if (interior[i] > 0 && shape[i] > 1) { // as rows, so that each has its share behind it
      int64_t rows = 1, width = 1;
      for (int64_t j = 0; j < type.getRank(); ++j)
        (j <= i ? rows : width) *= shape[j];
      value = make<ReshapeOp>(type.clone(ArrayRef<int64_t>{rows, width}), value);
      SmallVector<Value> both{value, filled({rows, width * interior[i]})};
      value = make<ConcatenateOp>(ValueRange(both), uint64_t(1));
      shape[i] *= interior[i] + 1;
      value = make<ReshapeOp>(type.clone(shape), value);
      shape[i] -= interior[i];
      value = make<SliceOp>(value, starts, shape, ones);
    }
    const int64_t begin = std::max<int64_t>(0, -low[i]),
                  end = shape[i] + std::min<int64_t>(0, high[i]);
    const int64_t whole = shape[i] + low[i] + high[i];
    if (begin >= end || begin >= shape[i] || end <= 0) { // nothing of it is left
      shape[i] = whole;
      value = filled(shape);
      continue;
    }
    starts[i] = begin;
    shape[i] = end;
    value = make<SliceOp>(value, starts, shape, ones);
    shape = SmallVector<int64_t>(typeOf(value).getShape());
    SmallVector<Value> pieces;
    if (low[i] > 0) {
      shape[i] = low[i];
      pieces.push_back(filled(shape));
    }
    pieces.push_back(value);
    if (high[i] > 0) {
      shape[i] = high[i];
      pieces.push_back(filled(shape));
    }
    value = make<ConcatenateOp>(ValueRange(pieces), uint64_t(i));
  }
  return value;
}

} // namespace graphc::graph
