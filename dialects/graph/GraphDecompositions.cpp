//===- GraphDecompositions.cpp - the definitions of composite ops ---------------------------------------------===//
//
// What an op computes is fixed here, on the op alone, whatever the partitioning.
//
//===----------------------------------------------------------------------------------------------------------===//
#include "dialects/graph/GraphDialect.h"

#include <limits>

using namespace mlir;
using namespace graphc::graph;

namespace {

using Values = SmallVector<Value>;

/// Makes the ops of one expansion, or what they fold to: the scale of a gradient and the like are constants already.
struct Expansion {
  OpBuilder &builder;
  Location loc;

  template <typename Op, typename... Args> Value make(Args &&...args) {
    return builder.createOrFold<Op>(loc, std::forward<Args>(args)...);
  }

  static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

  Value splat(Type type, double value) { return createSplat(builder, loc, type, value); }
  /// A scalar or the leading dimensions of `shape`, repeated to it.
  Value broadcast(Value value, ArrayRef<int64_t> shape) {
    SmallVector<int64_t> dimensions = llvm::to_vector(llvm::seq<int64_t>(0, typeOf(value).getRank()));
    return make<BroadcastInDimOp>(typeOf(value).clone(shape), value, dimensions);
  }
  Value overLast(bool max, Value value) {
    int64_t last = typeOf(value).getRank() - 1;
    return max ? make<ReduceMaxOp>(value, ArrayRef<int64_t>{last}) : make<ReduceSumOp>(value, ArrayRef<int64_t>{last});
  }
  Value convert(Value value, Type element) { return make<ConvertOp>(withElement(value.getType(), element), value); }
  Value compare(Comparison relation, Value a, Value b) { return make<CompareOp>(relation, a, b); }

  /// x - max(x) along the last dimension; exp never overflows on it.
  Value shifted(Value x) { return make<SubtractOp>(x, broadcast(overLast(/*max=*/true, x), typeOf(x).getShape())); }
  Value softmax(Value x) {
    Value power = make<ExponentialOp>(shifted(x));
    return make<DivideOp>(power, broadcast(overLast(/*max=*/false, power), typeOf(x).getShape()));
  }
  /// One i1 a class: whether it is the label's.
  Value hitMask(Value labels, ArrayRef<int64_t> shape) {
    RankedTensorType type = typeOf(labels).clone(shape);
    Value classes = make<IotaOp>(type, uint64_t(shape.size() - 1));
    return compare(Comparison::EQ, broadcast(labels, shape), classes);
  }
  /// The element of each row that the label names, 0 where it names none.
  Value pick(Value rows, Value labels) {
    Value mask = hitMask(labels, typeOf(rows).getShape());
    return overLast(/*max=*/false, make<SelectOp>(mask, rows, splat(rows.getType(), 0)));
  }
  Value mean(Value value, ArrayRef<int64_t> dimensions) {
    double count = 1;
    for (int64_t dimension : dimensions)
      count *= typeOf(value).getDimSize(dimension);
    Value sum = make<ReduceSumOp>(value, dimensions);
    return make<DivideOp>(sum, splat(sum.getType(), count));
  }
  Value meanOfAll(Value value) { return mean(value, llvm::to_vector(llvm::seq<int64_t>(0, typeOf(value).getRank()))); }
  Value logOfSum(Value z) { return make<LogOp>(overLast(/*max=*/false, make<ExponentialOp>(z))); }

  /// Whether each element is an integer: it survives the way to i64 and back, or is so large that it has no fraction.
  Value isIntegral(Value value) {
    Type element = typeOf(value).getElementType();
    Value back = convert(convert(value, builder.getI64Type()), element);
    Value large = compare(Comparison::GE, make<AbsOp>(value), splat(value.getType(), 0x1p52));
    return make<OrOp>(compare(Comparison::EQ, back, value), large);
  }
};

} // namespace

//===----------------------------------------------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------------------------------------------===//

Values LogisticOp::decompose(OpBuilder &builder) {
  Expansion e{builder, getLoc()};
  Value one = e.splat(getType(), 1);
  return {e.make<DivideOp>(one, e.make<AddOp>(one, e.make<ExponentialOp>(e.make<NegateOp>(getOperand()))))};
}

Values RsqrtOp::decompose(OpBuilder &builder) {
  Expansion e{builder, getLoc()};
  Value one = e.splat(getType(), 1);
  return {e.make<DivideOp>(one, e.make<SqrtOp>(getOperand()))};
}

Values SignOp::decompose(OpBuilder &builder) {
  Expansion e{builder, getLoc()};
  Value x = getOperand(), zero = e.splat(getType(), 0);
  Value negative = e.make<SelectOp>(e.compare(Comparison::LT, x, zero), e.splat(getType(), -1), x);
  return {e.make<SelectOp>(e.compare(Comparison::GT, x, zero), e.splat(getType(), 1), negative)};
}

/// exp(y log |x|), negative for a negative base with an odd exponent, NaN for one with a fraction; 1 for y = 0.
Values PowerOp::decompose(OpBuilder &builder) {
  Expansion e{builder, getLoc()};
  Value x = getLhs(), y = getRhs();
  Type type = getType();
  Value zero = e.splat(type, 0);
  Value magnitude = e.make<ExponentialOp>(e.make<MultiplyOp>(y, e.make<LogOp>(e.make<AbsOp>(x))));
  Value isEven = e.isIntegral(e.make<MultiplyOp>(y, e.splat(type, 0.5)));
  Value ofNegative = e.make<SelectOp>(isEven, magnitude, e.make<NegateOp>(magnitude));
  ofNegative = e.make<SelectOp>(e.isIntegral(y), ofNegative, e.splat(type, std::numeric_limits<double>::quiet_NaN()));
  Value result = e.make<SelectOp>(e.compare(Comparison::LT, x, zero), ofNegative, magnitude);
  return {e.make<SelectOp>(e.compare(Comparison::EQ, y, zero), e.splat(type, 1), result)};
}

//===----------------------------------------------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------------------------------------------===//

Values OneHotOp::decompose(OpBuilder &builder) {
  RankedTensorType type = getType();
  Expansion e{builder, getLoc()};
  return {e.convert(e.hitMask(getIndices(), type.getShape()), type.getElementType())};
}

/// Many small operands are put together in runs of equal length first: equal kernels of few buffers instead of one kernel
/// with an argument each. What has been copied once more lies in the cache; large operands go to their place at once
/// where a kernel can take so many.
Values ConcatenateOp::decompose(OpBuilder &builder) {
  constexpr size_t kMostOperands = 256, kRun = 32, kMostArguments = 1000; // kernels take 1,024
  constexpr int64_t kCached = 64 << 10; // bytes
  Expansion e{builder, getLoc()};
  Values inputs(getInputs());
  if (inputs.size() <= kMostOperands)
    return {};
  size_t before;
  do {
    before = inputs.size();
    Values joined;
    for (ArrayRef<Value> rest = inputs; !rest.empty();) {
      ArrayRef<Value> run = rest.take_front(kRun);
      rest = rest.drop_front(run.size());
      int64_t bytes = 0;
      for (Value input : run)
        bytes += getByteSize(e.typeOf(input));
      if (run.size() > 1 && (bytes <= kCached || inputs.size() > kMostArguments))
        joined.push_back(e.make<ConcatenateOp>(run, getDimension()));
      else
        llvm::append_range(joined, run);
    }
    inputs = std::move(joined);
  } while (inputs.size() > kMostOperands && inputs.size() < before);
  if (inputs.size() == getInputs().size())
    return {};
  return {e.make<ConcatenateOp>(inputs, getDimension())};
}

//===----------------------------------------------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------------------------------------------===//

Values ReduceMeanOp::decompose(OpBuilder &builder) {
  return {Expansion{builder, getLoc()}.mean(getOperand(), getDimensions())};
}

/// The least index whose element is the maximum; where the maximum is NaN, that of the first NaN.
Values ArgmaxOp::decompose(OpBuilder &builder) {
  Expansion e{builder, getLoc()};
  Value x = getOperand();
  RankedTensorType type = e.typeOf(x), places = type.clone(getType().getElementType());
  SmallVector<int64_t> dimensions{int64_t(getDimension())}, kept;
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (i != dimensions.front())
      kept.push_back(i);
  Value most = e.make<ReduceMaxOp>(x, dimensions);
  Value found = e.compare(Comparison::EQ, x, e.make<BroadcastInDimOp>(type, most, kept));
  if (isa<FloatType>(type.getElementType()))
    found = e.make<OrOp>(found, e.compare(Comparison::NE, x, x));
  unsigned width = places.getElementTypeBitWidth();
  Value none = ConstantOp::create(
      builder, getLoc(), places,
      DenseElementsAttr::get(places, IntegerAttr::get(places.getElementType(), llvm::APInt::getSignedMaxValue(width))));
  Value candidates = e.make<SelectOp>(found, e.make<IotaOp>(places, getDimension()), none);
  return {e.make<ReduceMinOp>(candidates, dimensions)};
}

//===----------------------------------------------------------------------------------------------------------===//
// Network
//===----------------------------------------------------------------------------------------------------------===//

Values SoftmaxOp::decompose(OpBuilder &builder) {
  Expansion e{builder, getLoc()};
  return {e.softmax(getOperand())};
}

Values LogSoftmaxOp::decompose(OpBuilder &builder) {
  Expansion e{builder, getLoc()};
  Value z = e.shifted(getOperand());
  return {e.make<SubtractOp>(z, e.broadcast(e.logOfSum(z), getType().getShape()))};
}

Values SoftmaxCrossEntropyOp::decompose(OpBuilder &builder) {
  Expansion e{builder, getLoc()};
  Value z = e.shifted(getLogits());
  Value log = e.logOfSum(z);
  return {e.meanOfAll(e.make<SubtractOp>(log, e.pick(z, getLabels())))};
}

Values SoftmaxCrossEntropyGradOp::decompose(OpBuilder &builder) {
  Expansion e{builder, getLoc()};
  RankedTensorType type = e.typeOf(getLogits());
  Value p = e.softmax(getLogits());
  Value target = e.convert(e.hitMask(getLabels(), type.getShape()), type.getElementType());
  Value samples = e.splat(getUpstream().getType(), double(e.typeOf(getLabels()).getNumElements()));
  Value scale = e.make<DivideOp>(getUpstream(), samples);
  return {e.make<MultiplyOp>(e.make<SubtractOp>(p, target), e.broadcast(scale, type.getShape()))};
}

Values NllLossOp::decompose(OpBuilder &builder) {
  Expansion e{builder, getLoc()};
  return {e.make<NegateOp>(e.meanOfAll(e.pick(getLogProbabilities(), getLabels())))};
}

//===----------------------------------------------------------------------------------------------------------===//
// Training
//===----------------------------------------------------------------------------------------------------------===//

std::pair<Value, Value> MetricOp::buildSums(OpBuilder &builder) {
  Expansion e{builder, getLoc()};
  Value values = getValues(), mask = getMask();
  RankedTensorType type = e.typeOf(values);
  Type element = type.getElementType(), i64 = builder.getI64Type();
  Type wide = isa<FloatType>(element) ? Type(builder.getF64Type()) : i64;
  auto dimensions = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  auto sumUp = [&](Value value) -> Value {
    return type.getRank() > 0 ? ReduceSumOp::create(builder, getLoc(), value, dimensions) : value;
  };
  auto widen = [&](Value value, Type to) -> Value {
    return ConvertOp::create(builder, getLoc(), withElement(value.getType(), to), value);
  };
  if (mask && element.isInteger(1))
    values = AndOp::create(builder, getLoc(), values, mask);
  if (wide != element)
    values = widen(values, wide);
  if (mask && !element.isInteger(1)) {
    Value zero = e.splat(values.getType(), 0);
    values = SelectOp::create(builder, getLoc(), mask, values, zero);
  }
  Value sum = sumUp(values);
  if (mask)
    return {sum, sumUp(widen(mask, i64))};
  return {sum, e.splat(RankedTensorType::get({}, i64), double(type.getNumElements()))};
}
