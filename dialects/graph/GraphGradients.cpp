//===- GraphGradients.cpp - buildGradient of every differentiable op ------------------------------------------===//
//
// In each function g is the gradient of the loss by the op's result. Results are used again where that saves keeping an
// operand (relu, tanh, softmax).
//
//===----------------------------------------------------------------------------------------------------------===//
#include "dialects/graph/GraphDialect.h"

using namespace mlir;
using namespace graphc::graph;

namespace {

using Needed = const llvm::SmallBitVector &;
using Gradients = MutableArrayRef<Value>;

/// Short names for making ops.
struct Maker {
  OpBuilder &builder;
  Location loc;

  Maker(OpBuilder &builder, Operation *op) : builder(builder), loc(op->getLoc()) {}

  static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }
  Value splat(Type type, double value) { return createSplat(builder, loc, type, value); }
  Value add(Value a, Value b) { return AddOp::create(builder, loc, a, b); }
  Value subtract(Value a, Value b) { return SubtractOp::create(builder, loc, a, b); }
  Value multiply(Value a, Value b) { return MultiplyOp::create(builder, loc, a, b); }
  Value multiply(Value a, double b) { return multiply(a, splat(a.getType(), b)); }
  Value divide(Value a, Value b) { return DivideOp::create(builder, loc, a, b); }
  Value negate(Value a) { return NegateOp::create(builder, loc, a); }
  Value compare(Comparison relation, Value a, Value b) { return CompareOp::create(builder, loc, relation, a, b); }
  Value select(Value predicate, Value a, Value b) { return SelectOp::create(builder, loc, predicate, a, b); }
  Value convert(Value a, Type element) { return ConvertOp::create(builder, loc, withElement(a.getType(), element), a); }
  Value sum(Value a, ArrayRef<int64_t> dimensions) { return ReduceSumOp::create(builder, loc, a, dimensions); }
  Value concatenate(ArrayRef<Value> pieces, int64_t dimension) {
    return ConcatenateOp::create(builder, loc, pieces, uint64_t(dimension));
  }
  Value reshape(Value a, Type type) { return ReshapeOp::create(builder, loc, type, a); }
  Value broadcast(Value a, Type type, ArrayRef<int64_t> dimensions) {
    return BroadcastInDimOp::create(builder, loc, type, a, dimensions);
  }
  /// The dimensions that a reduction of a tensor of this rank keeps.
  static SmallVector<int64_t> kept(int64_t rank, ArrayRef<int64_t> dimensions) {
    return llvm::filter_to_vector(llvm::seq<int64_t>(0, rank),
                                  [&](int64_t i) { return !llvm::is_contained(dimensions, i); });
  }
  /// What a reduction removed comes back by repetition.
  Value unreduce(Value a, Type type, ArrayRef<int64_t> dimensions) {
    return broadcast(a, type, kept(cast<RankedTensorType>(type).getRank(), dimensions));
  }
  /// sum(a) over the last dimension, repeated along it.
  Value rowSums(Value a) {
    int64_t last = typeOf(a).getRank() - 1;
    return unreduce(sum(a, {last}), a.getType(), {last});
  }
};

/// g where `relation` holds between the operands, g / 2 where they are equal, else 0.
Value shareOf(Maker &make, Value g, Comparison relation, Value mine, Value other) {
  Value zero = make.splat(g.getType(), 0);
  Value tie = make.select(make.compare(Comparison::EQ, mine, other), make.multiply(g, 0.5), zero);
  return make.select(make.compare(relation, mine, other), g, tie);
}

} // namespace

//===----------------------------------------------------------------------------------------------------------===//
// Elementwise, two operands
//===----------------------------------------------------------------------------------------------------------===//

void AddOp::buildGradient(OpBuilder &, ValueRange g, Needed, Gradients result) { result[0] = result[1] = g[0]; }

void SubtractOp::buildGradient(OpBuilder &builder, ValueRange g, Needed needed, Gradients result) {
  result[0] = g[0];
  if (needed[1])
    result[1] = Maker(builder, *this).negate(g[0]);
}

void MultiplyOp::buildGradient(OpBuilder &builder, ValueRange g, Needed needed, Gradients result) {
  Maker make(builder, *this);
  if (needed[0])
    result[0] = make.multiply(g[0], getRhs());
  if (needed[1])
    result[1] = make.multiply(g[0], getLhs());
}

// d(a/b) = da / b - (a/b) db / b
void DivideOp::buildGradient(OpBuilder &builder, ValueRange g, Needed needed, Gradients result) {
  Maker make(builder, *this);
  result[0] = make.divide(g[0], getRhs());
  if (needed[1])
    result[1] = make.negate(make.multiply(result[0], getResult()));
}

void MaximumOp::buildGradient(OpBuilder &builder, ValueRange g, Needed needed, Gradients result) {
  Maker make(builder, *this);
  if (needed[0])
    result[0] = shareOf(make, g[0], Comparison::GT, getLhs(), getRhs());
  if (needed[1])
    result[1] = shareOf(make, g[0], Comparison::GT, getRhs(), getLhs());
}

void MinimumOp::buildGradient(OpBuilder &builder, ValueRange g, Needed needed, Gradients result) {
  Maker make(builder, *this);
  if (needed[0])
    result[0] = shareOf(make, g[0], Comparison::LT, getLhs(), getRhs());
  if (needed[1])
    result[1] = shareOf(make, g[0], Comparison::LT, getRhs(), getLhs());
}

// d(x^y) = y x^(y-1) dx + x^y log(x) dy; the logarithm counts as 0 where x is not positive.
void PowerOp::buildGradient(OpBuilder &builder, ValueRange g, Needed needed, Gradients result) {
  Maker make(builder, *this);
  Value x = getLhs(), y = getRhs();
  if (needed[0]) {
    Value lower = PowerOp::create(builder, getLoc(), x, make.subtract(y, make.splat(getType(), 1)));
    result[0] = make.multiply(g[0], make.multiply(y, lower));
  }
  if (needed[1]) {
    Value zero = make.splat(getType(), 0);
    Value log = make.select(make.compare(Comparison::GT, x, zero), LogOp::create(builder, getLoc(), x), zero);
    result[1] = make.multiply(g[0], make.multiply(getResult(), log));
  }
}

void SelectOp::buildGradient(OpBuilder &builder, ValueRange g, Needed needed, Gradients result) {
  Maker make(builder, *this);
  Value zero = make.splat(getType(), 0);
  if (needed[1])
    result[1] = make.select(getPredicate(), g[0], zero);
  if (needed[2])
    result[2] = make.select(getPredicate(), zero, g[0]);
}

//===----------------------------------------------------------------------------------------------------------===//
// Elementwise, one operand
//===----------------------------------------------------------------------------------------------------------===//

void ConvertOp::buildGradient(OpBuilder &builder, ValueRange g, Needed needed, Gradients result) {
  if (needed[0])
    result[0] = Maker(builder, *this).convert(g[0], Maker::typeOf(getOperand()).getElementType());
}

void NegateOp::buildGradient(OpBuilder &builder, ValueRange g, Needed, Gradients result) {
  result[0] = Maker(builder, *this).negate(g[0]);
}

void AbsOp::buildGradient(OpBuilder &builder, ValueRange g, Needed, Gradients result) {
  Maker make(builder, *this);
  result[0] = make.multiply(g[0], SignOp::create(builder, getLoc(), getOperand()));
}

// Flat on both sides of its step.
void SignOp::buildGradient(OpBuilder &, ValueRange, Needed, Gradients) {}

void SqrtOp::buildGradient(OpBuilder &builder, ValueRange g, Needed, Gradients result) {
  Maker make(builder, *this);
  result[0] = make.divide(make.multiply(g[0], 0.5), getResult());
}

// d(x^-1/2) = -1/2 x^-1/2 / x
void RsqrtOp::buildGradient(OpBuilder &builder, ValueRange g, Needed, Gradients result) {
  Maker make(builder, *this);
  result[0] = make.multiply(make.multiply(g[0], -0.5), make.divide(getResult(), getOperand()));
}

void ExponentialOp::buildGradient(OpBuilder &builder, ValueRange g, Needed, Gradients result) {
  result[0] = Maker(builder, *this).multiply(g[0], getResult());
}

void LogOp::buildGradient(OpBuilder &builder, ValueRange g, Needed, Gradients result) {
  result[0] = Maker(builder, *this).divide(g[0], getOperand());
}

void TanhOp::buildGradient(OpBuilder &builder, ValueRange g, Needed, Gradients result) {
  Maker make(builder, *this);
  Value slope = make.subtract(make.splat(getType(), 1), make.multiply(getResult(), getResult()));
  result[0] = make.multiply(g[0], slope);
}

void LogisticOp::buildGradient(OpBuilder &builder, ValueRange g, Needed, Gradients result) {
  Maker make(builder, *this);
  Value slope = make.multiply(getResult(), make.subtract(make.splat(getType(), 1), getResult()));
  result[0] = make.multiply(g[0], slope);
}

// By the result, which is positive where the operand is: a fused matmul keeps the result only.
void ReluOp::buildGradient(OpBuilder &builder, ValueRange g, Needed, Gradients result) {
  Maker make(builder, *this);
  Value zero = make.splat(getType(), 0);
  result[0] = make.select(make.compare(Comparison::GT, getResult(), zero), g[0], zero);
}

//===----------------------------------------------------------------------------------------------------------===//
// Shape and reductions
//===----------------------------------------------------------------------------------------------------------===//

void ReshapeOp::buildGradient(OpBuilder &builder, ValueRange g, Needed, Gradients result) {
  result[0] = Maker(builder, *this).reshape(g[0], getOperand().getType());
}

void TransposeOp::buildGradient(OpBuilder &builder, ValueRange g, Needed, Gradients result) {
  SmallVector<int64_t> inverse(getPermutation().size());
  for (auto [to, from] : llvm::enumerate(getPermutation()))
    inverse[from] = to;
  result[0] = TransposeOp::create(builder, getLoc(), g[0], inverse);
}

// What was repeated is summed.
void BroadcastInDimOp::buildGradient(OpBuilder &builder, ValueRange g, Needed, Gradients result) {
  Maker make(builder, *this);
  RankedTensorType from = Maker::typeOf(getOperand()), to = Maker::typeOf(getResult());
  SmallVector<int64_t> repeated;
  for (int64_t i = 0; i < to.getRank(); ++i) {
    const int64_t *place = llvm::find(getBroadcastDimensions(), i);
    bool isNew = place == getBroadcastDimensions().end();
    if (isNew || from.getDimSize(place - getBroadcastDimensions().begin()) != to.getDimSize(i))
      repeated.push_back(i);
  }
  Value sum = repeated.empty() ? g[0] : make.sum(g[0], repeated);
  result[0] = sum.getType() == from ? sum : make.reshape(sum, from);
}

/// `a` between zeros along one dimension; itself where there are none.
static Value padWithZeros(Maker &make, Value a, int64_t dimension, int64_t before, int64_t after) {
  SmallVector<Value> pieces;
  auto zeros = [&](int64_t size) {
    SmallVector<int64_t> shape(Maker::typeOf(a).getShape());
    shape[dimension] = size;
    if (size)
      pieces.push_back(make.splat(Maker::typeOf(a).clone(shape), 0));
  };
  zeros(before);
  pieces.push_back(a);
  zeros(after);
  return pieces.size() == 1 ? a : make.concatenate(pieces, dimension);
}

// Zeros for what was left out: between the elements where a stride skipped them, and at both ends.
void SliceOp::buildGradient(OpBuilder &builder, ValueRange g, Needed, Gradients result) {
  Maker make(builder, *this);
  Value spread = g[0];
  for (int64_t i = 0; i < getType().getRank(); ++i) {
    ArrayRef<int64_t> shape = Maker::typeOf(spread).getShape();
    int64_t size = shape[i], stride = getStrides()[i], covered = (size - 1) * stride + 1;
    if (stride > 1 && size > 1) { // as rows, so that each has its zeros behind it
      RankedTensorType type = Maker::typeOf(spread);
      int64_t rows = 1, width = 1;
      for (int64_t j = 0; j < type.getRank(); ++j)
        (j <= i ? rows : width) *= shape[j];
      SmallVector<int64_t> wider(shape), kept(shape), ones(shape.size(), 1), starts(shape.size(), 0);
      wider[i] = size * stride;
      kept[i] = covered;
      spread = make.reshape(spread, type.clone(ArrayRef<int64_t>{rows, width}));
      spread = make.reshape(padWithZeros(make, spread, 1, 0, width * (stride - 1)), type.clone(wider));
      spread = SliceOp::create(builder, getLoc(), spread, starts, kept, ones);
    }
    int64_t before = getStartIndices()[i], whole = Maker::typeOf(getOperand()).getDimSize(i);
    spread = padWithZeros(make, spread, i, before, whole - before - covered);
  }
  result[0] = spread;
}

void ConcatenateOp::buildGradient(OpBuilder &builder, ValueRange g, Needed needed, Gradients result) {
  SmallVector<int64_t> starts(getType().getRank(), 0), limits(getType().getShape()), ones(getType().getRank(), 1);
  for (auto [i, input] : llvm::enumerate(getInputs())) {
    starts[getDimension()] = i ? limits[getDimension()] : 0;
    limits[getDimension()] = starts[getDimension()] + Maker::typeOf(input).getDimSize(getDimension());
    if (needed[i])
      result[i] = SliceOp::create(builder, getLoc(), g[0], starts, limits, ones);
  }
}

void ReduceSumOp::buildGradient(OpBuilder &builder, ValueRange g, Needed, Gradients result) {
  result[0] = Maker(builder, *this).unreduce(g[0], getOperand().getType(), getDimensions());
}

void ReduceMeanOp::buildGradient(OpBuilder &builder, ValueRange g, Needed, Gradients result) {
  Maker make(builder, *this);
  double count = double(Maker::typeOf(getOperand()).getNumElements()) / Maker::typeOf(getResult()).getNumElements();
  Value share = make.divide(g[0], make.splat(getType(), count));
  result[0] = make.unreduce(share, getOperand().getType(), getDimensions());
}

/// The gradient of a maximum or minimum: elements that are equally large share.
static Value shareAmongChosen(Maker make, Value operand, Value chosen, ArrayRef<int64_t> dimensions, Value g) {
  Type type = operand.getType();
  Value isChosen = make.compare(Comparison::EQ, operand, make.unreduce(chosen, type, dimensions));
  Value count = make.sum(make.convert(isChosen, Maker::typeOf(operand).getElementType()), dimensions);
  Value share = make.unreduce(make.divide(g, count), type, dimensions);
  return make.select(isChosen, share, make.splat(type, 0));
}

void ReduceMaxOp::buildGradient(OpBuilder &builder, ValueRange g, Needed, Gradients result) {
  result[0] = shareAmongChosen(Maker(builder, *this), getOperand(), getResult(), getDimensions(), g[0]);
}

void ReduceMinOp::buildGradient(OpBuilder &builder, ValueRange g, Needed, Gradients result) {
  result[0] = shareAmongChosen(Maker(builder, *this), getOperand(), getResult(), getDimensions(), g[0]);
}

//===----------------------------------------------------------------------------------------------------------===//
// Network
//===----------------------------------------------------------------------------------------------------------===//

// With C = A B: dA = G Bᵀ, dB = Aᵀ G; an operand that is stored transposed gets its gradient transposed. In the precision of C.
void MatmulOp::buildGradient(OpBuilder &builder, ValueRange g, Needed needed, Gradients result) {
  bool ta = getTransposeA(), tb = getTransposeB();
  auto matmul = [&](Value a, Value b, bool transposeA, bool transposeB) -> Value {
    return MatmulOp::create(builder, getLoc(), a, b, transposeA, transposeB, getPrecision());
  };
  if (needed[0])
    result[0] = ta ? matmul(getB(), g[0], tb, true) : matmul(g[0], getB(), false, !tb);
  if (needed[1])
    result[1] = tb ? matmul(g[0], getA(), true, ta) : matmul(getA(), g[0], !ta, false);
}

void BiasAddOp::buildGradient(OpBuilder &builder, ValueRange g, Needed needed, Gradients result) {
  result[0] = g[0];
  int64_t last = Maker::typeOf(getInput()).getRank() - 1;
  if (needed[1])
    result[1] = Maker(builder, *this).sum(g[0], llvm::to_vector(llvm::seq<int64_t>(0, last)));
}

// With p the result: dx = p (g - sum(g p))
void SoftmaxOp::buildGradient(OpBuilder &builder, ValueRange g, Needed, Gradients result) {
  Maker make(builder, *this);
  Value inner = make.subtract(g[0], make.rowSums(make.multiply(g[0], getResult())));
  result[0] = make.multiply(inner, getResult());
}

// With exp(result) the softmax: dx = g - softmax sum(g)
void LogSoftmaxOp::buildGradient(OpBuilder &builder, ValueRange g, Needed, Gradients result) {
  Maker make(builder, *this);
  Value softmax = ExponentialOp::create(builder, getLoc(), getResult());
  result[0] = make.subtract(g[0], make.multiply(softmax, make.rowSums(g[0])));
}

void SoftmaxCrossEntropyOp::buildGradient(OpBuilder &builder, ValueRange g, Needed needed, Gradients result) {
  if (needed[0])
    result[0] = SoftmaxCrossEntropyGradOp::create(builder, getLoc(), getLogits(), getLabels(), g[0]);
}

// -g / batch at the label's place
void NllLossOp::buildGradient(OpBuilder &builder, ValueRange g, Needed needed, Gradients result) {
  if (!needed[0])
    return;
  Maker make(builder, *this);
  Type type = getLogProbabilities().getType();
  Value share = make.divide(g[0], make.splat(g[0].getType(), Maker::typeOf(getLabels()).getNumElements()));
  Value places = OneHotOp::create(builder, getLoc(), type, getLabels());
  result[0] = make.multiply(places, make.broadcast(make.negate(share), type, {}));
}
