//===- RandomOps.cpp - random numbers ---------------------------------------------------------===//
#include "dialects/graph/ops/ConstantFolding.h"
#include "dialects/graph/ops/ExpansionBuilder.h"
#include "runtime/common/base/NormalPair.h"
#include "runtime/common/base/PhiloxRandom.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace graphc::graph;
namespace base = graphc::base;

#define GET_OP_CLASSES
#include "dialects/graph/ops/RandomOps.cpp.inc"

void graphc::graph::registerRandomOps(GraphDialect &dialect) {
  addCheckedOperations<
#define GET_OP_LIST
#include "dialects/graph/ops/RandomOps.cpp.inc"
      >(dialect);
}

using Effects = SmallVectorImpl<MemoryEffects::EffectInstance>;
void RandomUniformOp::getEffects(Effects &effects) { getDrawEffects(*this, effects); }
void RandomNormalOp::getEffects(Effects &effects) { getDrawEffects(*this, effects); }
void DropoutOp::getEffects(Effects &effects) { getDrawEffects(*this, effects); }

//===------------------------------------------------------------------------------------------===//
// Constraints
//===------------------------------------------------------------------------------------------===//

static std::optional<APInt> toInteger(Attribute bound) {
  auto number = dyn_cast_if_present<IntegerAttr>(bound);
  return number ? std::optional(number.getValue()) : std::nullopt;
}

// (C1) bounds of the elements' kind, low < high   (C2) integers have both, which the type can hold
LogicalResult RandomUniformOp::verify() {
  auto element = cast<RankedTensorType>(getType()).getElementType();
  if (auto integer = dyn_cast<IntegerType>(element)) {
    std::optional<APInt> low = toInteger(getLowAttr()), high = toInteger(getHighAttr());
    if (!low || !high)
      return emitOpError() << "of " << element << " must have low and high, both integers";
    const unsigned width = integer.getWidth();
    const APInt last = *high - 1;
    const bool held = integer.isUnsigned() ? !low->isNegative() && last.isIntN(width)
                                           : low->isSignedIntN(width) && last.isSignedIntN(width);
    if (low->slt(*high) && held)
      return success();
    return emitOpError() << "low must be below high, and both in the range of " << element
                         << ", got " << low->getSExtValue() << " and " << high->getSExtValue();
  }
  for (Attribute bound : {getLowAttr(), getHighAttr()})
    if (bound && !isa<FloatAttr>(bound))
      return emitOpError() << "of " << element << " must have bounds that are floats, got "
                           << bound;
  const auto [low, high] = getFloatBounds();
  if (low < high && std::isfinite(high - low))
    return success();
  return emitOpError() << "low must be below high, and both and their difference finite, got "
                       << low << " and " << high;
}

// (C1) a finite mean   (C2) a finite deviation, not below 0
LogicalResult RandomNormalOp::verify() {
  const double mean = getMean().convertToDouble(), deviation = getStddev().convertToDouble();
  if (!std::isfinite(mean))
    return emitOpError() << "mean must be finite, got " << mean;
  if (!std::isfinite(deviation) || deviation < 0)
    return emitOpError() << "stddev must be finite and not below 0, got " << deviation;
  return success();
}

// (C1) a rate in [0, 1)
LogicalResult DropoutOp::verify() {
  const double rate = getRate().convertToDouble();
  if (rate >= 0 && rate < 1)
    return success();
  return emitOpError() << "rate must be at least 0 and below 1, got " << rate;
}

//===------------------------------------------------------------------------------------------===//
// What they are before they are computed
//===------------------------------------------------------------------------------------------===//

std::pair<double, double> RandomUniformOp::getFloatBounds() {
  auto number = [](Attribute bound, double absent) {
    return bound ? cast<FloatAttr>(bound).getValueAsDouble() : absent;
  };
  return {number(getLowAttr(), 0), number(getHighAttr(), 1)};
}

OpFoldResult DropoutOp::fold(FoldAdaptor) {
  const bool isOff = !getTrainingMode().value_or(true);
  return isOff || getRate().isZero() ? OpFoldResult(getOperand()) : OpFoldResult();
}

Value DropoutOp::getOutsideTraining() {
  return getTrainingMode().value_or(false) ? Value() : getOperand();
}

// The same zeros.
void DropoutOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients needed,
                              Gradients result) {
  if (needed[0])
    result[0] =
        DropoutOp::create(builder, getLoc(), getType(), g[0], getRateAttr(), getTrainingModeAttr(),
                          getIndex(), getKey(), getSeedAttr(), getDrawAttr());
}

//===------------------------------------------------------------------------------------------===//
// Loops
//===------------------------------------------------------------------------------------------===//

namespace {

/// A word of Philox, in the lower half of an i64: products need no conversions then.
struct Word {
  ScalarArithmetic *s;
  Value value;

  Word operator^(const Word &other) const {
    return {s, s->make<arith::XOrIOp>(value, other.value)};
  }
  Word operator^(uint32_t other) const {
    return *this ^ Word { s, s->constant(value.getType(), double(other)) };
  }
  Word &operator+=(uint32_t other) {
    Value sum = s->add(value, s->constant(value.getType(), double(other)));
    value = s->make<arith::AndIOp>(sum, s->constant(value.getType(), double(UINT32_MAX)));
    return *this;
  }
};

/// A number in f64.
struct Number {
  ScalarArithmetic *s;
  Value value;

  Number like(double other) const { return {s, s->constant(value.getType(), other)}; }
  friend Number operator+(Number a, Number b) { return {a.s, a.s->add(a.value, b.value)}; }
  friend Number operator-(Number a, Number b) { return {a.s, a.s->subtract(a.value, b.value)}; }
  friend Number operator*(Number a, Number b) { return {a.s, a.s->multiply(a.value, b.value)}; }
  friend Number operator/(Number a, Number b) { return {a.s, a.s->divide(a.value, b.value)}; }
  friend Number operator+(Number a, double b) { return a + a.like(b); }
  friend Number operator-(Number a, double b) { return a - a.like(b); }
  friend Number operator-(double a, Number b) { return b.like(a) - b; }
  friend Number operator*(Number a, double b) { return a * a.like(b); }
  friend Number operator/(Number a, double b) { return a / a.like(b); }
};

/// What base::NormalPair computes with.
struct RealMachine {
  using Real = Number;
  ScalarArithmetic &s;

  std::pair<Number, Number> split(Number x) {
    Type bitsType = s.builder.getI64Type(), f64 = s.builder.getF64Type();
    auto bits = [&](uint64_t value) { return s.integer(bitsType, APInt(64, value)); };
    Value all = s.make<arith::BitcastOp>(bitsType, x.value);
    Value exponent = s.subtract(s.make<arith::ShRUIOp>(all, bits(52)), bits(1023));
    Value mantissa = s.make<arith::OrIOp>(s.make<arith::AndIOp>(all, bits(0xfffffffffffffULL)),
                                          bits(0x3ff0000000000000ULL));
    return {{&s, s.make<arith::BitcastOp>(f64, mantissa)}, {&s, s.convert(exponent, f64)}};
  }
  Number truncate(Number x) {
    return {&s,
            s.convert(s.make<arith::FPToSIOp>(s.builder.getI32Type(), x.value), x.value.getType())};
  }
  Number sqrt(Number x) { return {&s, s.make<math::SqrtOp>(x.value)}; }
  Number negate(Number x) { return {&s, s.make<arith::NegFOp>(x.value)}; }
  Value isAbove(Number x, double y) { return s.compare(Comparison::GT, x.value, x.like(y).value); }
  Value is(Number x, double y) { return s.compare(Comparison::EQ, x.value, x.like(y).value); }
  Number select(Value condition, Number a, Number b) {
    return {&s, s.make<arith::SelectOp>(condition, a.value, b.value)};
  }
};

/// One element of a draw.
class DrawnElement : public ScalarArithmetic {
public:
  /// `drawn`: which micro-batch, and behind it the words of the key where the op reads them;
  /// `index`: places of the loops, which are over the result.
  DrawnElement(OpBuilder &builder, Operation *op, Elements drawn, IndexOf index, uint64_t known)
      : ScalarArithmetic{builder, op->getLoc()}, micro_(drawn[0]) {
    if (drawn.size() > 1)
      key_ = {drawn[1], drawn[2]};
    else
      key_ = {number(uint32_t(known)), number(known >> 32)};
    RankedTensorType type = typeOf(op->getResult(0));
    int64_t stride = 1;
    for (int64_t loop = type.getRank(); loop-- > 0; stride *= type.getDimSize(loop)) {
      if (type.getDimSize(loop) == 1)
        continue;
      Value term = make<arith::IndexCastOp>(i64(), index(unsigned(loop)));
      if (stride != 1)
        term = multiply(term, number(uint64_t(stride)));
      place_ = place_ ? add(place_, term) : term;
    }
    if (!place_)
      place_ = number(0);
  }

  /// Word `place` of the generator, in the lower half of an i64.
  Value word() {
    const std::array<Word, 4> words = block(2);
    Value odd = bit(0);
    return select(bit(1), select(odd, words[3].value, words[2].value),
                  select(odd, words[1].value, words[0].value));
  }
  /// Words 2 place and 2 place + 1 as one i64.
  Value twoWords() {
    const std::array<Word, 4> words = block(1);
    Value odd = bit(0);
    return joined(select(odd, words[2].value, words[0].value),
                  select(odd, words[3].value, words[1].value));
  }
  /// uniformFloat or uniformDouble, in f64.
  Number uniform(bool isDouble) {
    Value bits = isDouble ? shiftRight(twoWords(), 11) : shiftRight(word(), 8);
    return fraction(bits, isDouble ? 0x1p-53 : 0x1p-24);
  }
  /// One of normalPair's, in f64.
  Number normal() {
    const std::array<Word, 4> words = block(1);
    auto uniform = [&](int first) {
      return fraction(shiftRight(joined(words[first].value, words[first + 1].value), 11), 0x1p-53);
    };
    RealMachine machine{*this};
    auto [even, odd] = base::NormalPair<RealMachine>{machine}.of(uniform(0), uniform(2));
    return machine.select(bit(0), odd, even);
  }
  /// uniformInteger: the upper half of the product of two words and `limit`, in 64 bits each.
  Value below(uint64_t limit) {
    Value bits = twoWords(), low = lower(bits), high = shiftRight(bits, 32);
    Value limitLow = number(uint32_t(limit)), limitHigh = number(limit >> 32);
    Value carry = shiftRight(multiply(low, limitLow), 32);
    Value first = multiply(high, limitLow), second = multiply(low, limitHigh);
    carry = shiftRight(add(add(carry, lower(first)), lower(second)), 32);
    Value upper = add(shiftRight(first, 32), shiftRight(second, 32));
    return add(add(multiply(high, limitHigh), upper), carry);
  }
  Value number(uint64_t value) { return integer(i64(), APInt(64, value)); }
  Value select(Value condition, Value a, Value b) { return make<arith::SelectOp>(condition, a, b); }

private:
  Type i64() { return builder.getI64Type(); }
  Value shiftRight(Value value, uint64_t by) { return make<arith::ShRUIOp>(value, number(by)); }
  Value lower(Value value) { return make<arith::AndIOp>(value, number(UINT32_MAX)); }
  Value joined(Value low, Value high) {
    return make<arith::OrIOp>(make<arith::ShLIOp>(high, number(32)), low);
  }
  /// Whether a bit of the place is set.
  Value bit(uint64_t which) {
    Value alone = make<arith::AndIOp>(place_, number(uint64_t(1) << which));
    return compare(Comparison::NE, alone, number(0));
  }
  Number fraction(Value bits, double unit) {
    return Number{this, convert(bits, builder.getF64Type())} * unit;
  }
  /// The four words of which each 2^shift elements take a part.
  std::array<Word, 4> block(uint64_t shift) {
    auto halves = [&](Value value) {
      return std::pair(Word{this, lower(value)}, Word{this, shiftRight(value, 32)});
    };
    auto [blockLow, blockHigh] = halves(shiftRight(place_, shift));
    auto [microLow, microHigh] = halves(micro_);
    const std::array<Word, 4> counter = {blockLow, blockHigh, microLow, microHigh};
    return base::philoxRounds(
        counter, std::array{Word{this, key_[0]}, Word{this, key_[1]}}, [&](uint32_t a, Word b) {
          Value product = multiply(number(a), b.value);
          return std::pair(Word{this, shiftRight(product, 32)}, Word{this, lower(product)});
        });
  }

  Value micro_, place_;
  std::array<Value, 2> key_;
};

} // namespace

/// What has no number yet has no loops either. Of the key, which is the last operand, each word is
/// read.
template <typename Op> static Nests getNests(Op op) {
  if (!op.isNumbered())
    return {};
  LoopNest nest = getElementwiseNest(op);
  if (op.getKey()) {
    const unsigned loops = unsigned(nest.iterators.size()), key = nest.reads.pop_back_val().operand;
    for (int64_t word : {0, 1})
      nest.reads.push_back(
          {key, AffineMap::get(loops, 0, getAffineConstantExpr(word, op.getContext()))});
  }
  return {nest};
}
Nests RandomUniformOp::getLoopNests() { return getNests(*this); }
Nests RandomNormalOp::getLoopNests() { return getNests(*this); }
Nests DropoutOp::getLoopNests() { return getNests(*this); }

template <typename Op> static uint64_t keyOf(Op op) {
  return base::keyOfDraw(uint64_t(op.getSeed()), op.getDraw().value_or(0));
}

/// The same draw, which reads its key.
template <typename Op> static Values withKey(Op op, OpBuilder &builder) {
  if (op.getKey() || !op.isNumbered())
    return {};
  const uint64_t key = keyOf(op);
  const int64_t words[] = {int64_t(uint32_t(key)), int64_t(key >> 32)};
  auto type = RankedTensorType::get({2}, builder.getI64Type());
  auto made = cast<Op>(builder.clone(*op));
  made.getKeyMutable().assign(
      ConstantOp::create(builder, op.getLoc(), DenseElementsAttr::get(type, ArrayRef(words))));
  made->moveAfter(made.getKey().getDefiningOp());
  made.removeDrawAttr();
  made.setSeed(0);
  return {made.getResult()};
}
Values RandomUniformOp::decompose(OpBuilder &builder) { return withKey(*this, builder); }
Values RandomNormalOp::decompose(OpBuilder &builder) { return withKey(*this, builder); }
Values DropoutOp::decompose(OpBuilder &builder) { return withKey(*this, builder); }

Results RandomUniformOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf index) {
  DrawnElement e(builder, *this, x, index, keyOf(*this));
  Type type = getElementTypeOrSelf(getType());
  if (isa<IntegerType>(type)) {
    const APInt low = *toInteger(getLowAttr());
    const uint64_t limit = (*toInteger(getHighAttr()) - low).getZExtValue();
    return {e.convert(e.add(e.below(limit), e.number(low.getZExtValue())), type)};
  }
  const auto [low, high] = getFloatBounds();
  Number u = e.uniform(type.isF64());
  if (low != 0 || high != 1)
    u = u * (high - low) + low;
  return {e.convert(u.value, type)};
}

Results RandomNormalOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf index) {
  DrawnElement e(builder, *this, x, index, keyOf(*this));
  Number z = e.normal() * getStddev().convertToDouble() + getMean().convertToDouble();
  return {e.convert(z.value, getElementTypeOrSelf(getType()))};
}

Results DropoutOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf index) {
  DrawnElement e(builder, *this, x.drop_front(), index, keyOf(*this));
  const double rate = getRate().convertToDouble();
  // of 2^32 words
  const uint64_t dropped = uint64_t(std::min(std::nearbyint(rate * 0x1p32), 0x1p32 - 1));
  Type type = x[0].getType();
  Value isKept = e.compare(Comparison::GE, e.word(), e.number(dropped)); // words are not negative
  return {
      e.select(isKept, e.multiply(x[0], e.constant(type, 1 / (1 - rate))), e.constant(type, 0))};
}

//===------------------------------------------------------------------------------------------===//
// Costs
//===------------------------------------------------------------------------------------------===//

/// Philox: ten rounds of two products, split in two, and four exclusive ors.
static uint64_t costOf(Value result, uint64_t more) { return (100 + more) * count(result); }
uint64_t RandomUniformOp::getFlops() { return costOf(getResult(), 4); }
uint64_t RandomNormalOp::getFlops() { return costOf(getResult(), 100); }
uint64_t DropoutOp::getFlops() { return costOf(getResult(), 3); }
