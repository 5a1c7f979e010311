//===- Decompose.cpp - the definitions of composite ops -------------------------------------------------------===//
#include "dialects/graph/GraphDialect.h"
#include "passes/Passes.h"

#include "llvm/ADT/TypeSwitch.h"

#include <limits>

namespace graphc {
#define GEN_PASS_DEF_DECOMPOSE
#include "passes/Passes.h.inc"
} // namespace graphc

using namespace mlir;
using namespace graphc;
using namespace graphc::graph;

namespace {

/// Makes the ops of one expansion: at the composite op's place, with its location and device.
struct Expansion {
  OpBuilder builder;
  Location loc;
  DeviceAttr device;

  explicit Expansion(Operation *op) : builder(op), loc(op->getLoc()), device(getDevice(op)) {}

  /// A new op, or what it folds to: the scale of a gradient and the like are constants already.
  template <typename Op, typename... Args> Value make(Args &&...args) {
    auto op = Op::create(builder, loc, std::forward<Args>(args)...);
    if (device)
      setDevice(op, device);
    SmallVector<Value> folded;
    SmallVector<Operation *> constants;
    if (failed(builder.tryFold(op, folded, &constants)) || folded.empty())
      return op->getResult(0);
    op->erase();
    for (Operation *constant : constants)
      if (device)
        setDevice(constant, device);
    return folded.front();
  }

  static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

  Value splat(Type type, double value) {
    Value constant = createSplat(builder, loc, type, value);
    if (device)
      setDevice(constant.getDefiningOp(), device);
    return constant;
  }
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

  Value expand(SoftmaxOp op) {
    Value e = make<ExponentialOp>(shifted(op.getOperand()));
    return make<DivideOp>(e, broadcast(overLast(/*max=*/false, e), typeOf(e).getShape()));
  }

  Value logOfSum(Value z) { return make<LogOp>(overLast(/*max=*/false, make<ExponentialOp>(z))); }

  Value expand(LogSoftmaxOp op) {
    Value z = shifted(op.getOperand());
    return make<SubtractOp>(z, broadcast(logOfSum(z), typeOf(z).getShape()));
  }

  Value expand(SoftmaxCrossEntropyOp op) {
    Value z = shifted(op.getLogits());
    return meanOfAll(make<SubtractOp>(logOfSum(z), pick(z, op.getLabels())));
  }

  Value expand(SoftmaxCrossEntropyGradOp op) {
    RankedTensorType type = typeOf(op.getLogits());
    Value e = make<ExponentialOp>(shifted(op.getLogits()));
    Value p = make<DivideOp>(e, broadcast(overLast(/*max=*/false, e), type.getShape()));
    Value target = convert(hitMask(op.getLabels(), type.getShape()), type.getElementType());
    Value samples = splat(op.getUpstream().getType(), typeOf(op.getLabels()).getNumElements());
    Value scale = make<DivideOp>(op.getUpstream(), samples);
    return make<MultiplyOp>(make<SubtractOp>(p, target), broadcast(scale, type.getShape()));
  }

  Value expand(NllLossOp op) { return make<NegateOp>(meanOfAll(pick(op.getLogProbabilities(), op.getLabels()))); }

  Value expand(ReduceMeanOp op) { return mean(op.getOperand(), op.getDimensions()); }

  Value expand(LogisticOp op) {
    Value one = splat(op.getType(), 1);
    return make<DivideOp>(one, make<AddOp>(one, make<ExponentialOp>(make<NegateOp>(op.getOperand()))));
  }

  /// Many small operands are put together in runs of equal length first: equal kernels of few buffers instead of one kernel
  /// with an argument each. What has been copied once more lies in the cache; large operands go to their place at once
  /// where a kernel can take so many.
  Value expand(ConcatenateOp op) {
    constexpr size_t kMostOperands = 256, kRun = 32, kMostArguments = 1000; // kernels take 1,024
    constexpr int64_t kCached = 64 << 10; // bytes
    SmallVector<Value> inputs(op.getInputs());
    if (inputs.size() <= kMostOperands)
      return {};
    size_t before;
    do {
      before = inputs.size();
      SmallVector<Value> joined;
      for (ArrayRef<Value> rest = inputs; !rest.empty();) {
        ArrayRef<Value> run = rest.take_front(kRun);
        rest = rest.drop_front(run.size());
        int64_t bytes = 0;
        for (Value input : run)
          bytes += getByteSize(typeOf(input));
        if (run.size() > 1 && (bytes <= kCached || inputs.size() > kMostArguments))
          joined.push_back(make<ConcatenateOp>(run, op.getDimension()));
        else
          llvm::append_range(joined, run);
      }
      inputs = std::move(joined);
    } while (inputs.size() > kMostOperands && inputs.size() < before);
    return before == op.getInputs().size() && inputs.size() == before ? Value()
                                                                      : make<ConcatenateOp>(inputs, op.getDimension());
  }

  Value expand(RsqrtOp op) { return make<DivideOp>(splat(op.getType(), 1), make<SqrtOp>(op.getOperand())); }

  Value expand(SignOp op) {
    Value x = op.getOperand(), zero = splat(op.getType(), 0);
    Value negative = make<SelectOp>(compare(Comparison::LT, x, zero), splat(op.getType(), -1), x);
    return make<SelectOp>(compare(Comparison::GT, x, zero), splat(op.getType(), 1), negative);
  }

  Value expand(OneHotOp op) {
    RankedTensorType type = typeOf(op.getResult());
    return convert(hitMask(op.getIndices(), type.getShape()), type.getElementType());
  }

  /// Whether each element is an integer: it survives the way to i64 and back, or is so large that it has no fraction.
  Value isIntegral(Value value) {
    Type element = typeOf(value).getElementType();
    Value back = convert(convert(value, builder.getI64Type()), element);
    Value large = compare(Comparison::GE, make<AbsOp>(value), splat(value.getType(), 0x1p52));
    return make<OrOp>(compare(Comparison::EQ, back, value), large);
  }

  /// exp(y log |x|), negative for a negative base with an odd exponent, NaN for one with a fraction; 1 for y = 0.
  Value expand(PowerOp op) {
    Value x = op.getLhs(), y = op.getRhs();
    Type type = op.getType();
    Value zero = splat(type, 0);
    Value magnitude = make<ExponentialOp>(make<MultiplyOp>(y, make<LogOp>(make<AbsOp>(x))));
    Value isEven = isIntegral(make<MultiplyOp>(y, splat(type, 0.5)));
    Value ofNegative = make<SelectOp>(isEven, magnitude, make<NegateOp>(magnitude));
    ofNegative = make<SelectOp>(isIntegral(y), ofNegative, splat(type, std::numeric_limits<double>::quiet_NaN()));
    Value result = make<SelectOp>(compare(Comparison::LT, x, zero), ofNegative, magnitude);
    return make<SelectOp>(compare(Comparison::EQ, y, zero), splat(type, 1), result);
  }
};

struct DecomposePass : graphc::impl::DecomposeBase<DecomposePass> {
  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      Value value = llvm::TypeSwitch<Operation *, Value>(op)
                        .Case<SoftmaxOp, LogSoftmaxOp, SoftmaxCrossEntropyOp, SoftmaxCrossEntropyGradOp, NllLossOp,
                              ReduceMeanOp, ConcatenateOp, LogisticOp, RsqrtOp, SignOp, OneHotOp, PowerOp>(
                            [](auto composite) { return Expansion(composite).expand(composite); })
                        .Default([](Operation *) { return Value(); });
      if (!value)
        return;
      op->getResult(0).replaceAllUsesWith(value);
      op->erase();
      ++numExpanded;
    });
  }
};

} // namespace
