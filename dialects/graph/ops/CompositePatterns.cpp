//===- CompositePatterns.cpp - softmax and attention in primitives ----------------------------===//
#include "dialects/graph/ops/CompositePatterns.h"

#include "dialects/graph/ops/ConstantFolding.h"
#include "dialects/graph/ops/ExpansionBuilder.h"

using namespace mlir;
using namespace graphc::graph;

/// What takes an op's place has its device, and what else is said of it.
static void replace(PatternRewriter &rewriter, Operation *op, Operation *before, Value value) {
  if (DictionaryAttr said = op->getDiscardableAttrDictionary(); !said.empty())
    for (Operation &made : madeSince(before, op))
      made.setDiscardableAttrs(said);
  rewriter.replaceOp(op, value);
}

/// What has the same elements in the same order, in another shape: the operand of a reshape, or of
/// a repetition that repeats nothing.
static Value getReshaped(Value value) {
  Operation *op = value.getDefiningOp();
  auto broadcast = dyn_cast_or_null<BroadcastInDimOp>(op);
  const bool isReshape = broadcast ? llvm::is_sorted(broadcast.getBroadcastDimensions()) &&
                                         typeOf(broadcast.getOperand()).getNumElements() ==
                                             typeOf(value).getNumElements()
                                   : isa_and_nonnull<ReshapeOp>(op);
  return isReshape ? op->getOperand(0) : Value();
}

static Value skipReshapes(Value value) {
  while (Value before = getReshaped(value))
    value = before;
  return value;
}

//===------------------------------------------------------------------------------------------===//
// Softmax
//===------------------------------------------------------------------------------------------===//

/// The operand's dimensions are the result's first ones.
static bool isOfLeading(BroadcastInDimOp op) {
  return llvm::equal(op.getBroadcastDimensions(),
                     llvm::seq<int64_t>(0, typeOf(op.getOperand()).getRank()));
}

/// What has a number a row: the value without the last dimension of size 1 that a reduction kept.
static Value withoutKeptDimension(Value value) {
  RankedTensorType type = typeOf(value);
  if (type.getRank() == 0 || type.getShape().back() != 1)
    return value;
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<ReshapeOp, BroadcastInDimOp>(op) &&
      typeOf(op->getOperand(0)).getShape() == type.getShape().drop_back())
    if (auto broadcast = dyn_cast<BroadcastInDimOp>(op); !broadcast || isOfLeading(broadcast))
      return op->getOperand(0);
  return value;
}

/// A number a row that is repeated along the last dimension; null where the value is none.
static Value getRepeated(Value value) {
  auto op = value.getDefiningOp<BroadcastInDimOp>();
  if (!op || typeOf(value).getRank() == 0)
    return {};
  RankedTensorType type = typeOf(value), from = typeOf(op.getOperand());
  SmallVector<int64_t> rows(type.getShape().drop_back());
  const bool kept = from.getRank() == type.getRank();
  if (kept)
    rows.push_back(1);
  return from.getShape() == ArrayRef(rows) && isOfLeading(op)
             ? withoutKeptDimension(op.getOperand())
             : Value();
}

template <typename Reduction> static Value getReduced(Value value) {
  auto op = value ? value.getDefiningOp<Reduction>() : Reduction();
  return op && op.getDimensions() == ArrayRef<int64_t>{typeOf(op.getOperand()).getRank() - 1}
             ? op.getOperand()
             : Value();
}

static Attribute getConstant(Value value) {
  Attribute constant;
  return matchPattern(value, m_Constant(&constant)) ? constant : Attribute();
}

/// x of x - max(x) along the last dimension; null where the value is none. The maxima may be of x
/// in another shape with the same rows.
static Value getUnshifted(Value value) {
  auto op = value.getDefiningOp<SubtractOp>();
  Value most = op ? getRepeated(op.getRhs()) : Value();
  if (!most)
    return {};
  most = skipReshapes(most);
  if (auto bounded = most.getDefiningOp<MaximumOp>())
    for (auto [one, other] :
         {std::pair(bounded.getLhs(), bounded.getRhs()), {bounded.getRhs(), bounded.getLhs()}})
      if (isAll(getConstant(one), -std::numeric_limits<double>::infinity()))
        most = skipReshapes(other);
  if (auto constant = most.getDefiningOp<StopGradientOp>())
    most = skipReshapes(constant.getOperand());
  Value of = getReduced<ReduceMaxOp>(most);
  return of && typeOf(of).getShape().back() == typeOf(op.getLhs()).getShape().back() &&
                 skipReshapes(of) == skipReshapes(op.getLhs())
             ? op.getLhs()
             : Value();
}

static bool isUsedOnlyBy(Value value, Operation *one, Operation *other) {
  return llvm::all_of(value.getUsers(),
                      [&](Operation *user) { return user == one || user == other; });
}

/// exp(z) / sum(exp(z)) of z = x - max(x).
static LogicalResult recognizeSoftmax(DivideOp op, PatternRewriter &rewriter) {
  Value sum = getRepeated(op.getRhs());
  auto power = op.getLhs().getDefiningOp<ExponentialOp>();
  if (!sum || !power || getReduced<ReduceSumOp>(sum) != power.getResult() ||
      !isUsedOnlyBy(power, op, sum.getDefiningOp()))
    return failure();
  Value x = getUnshifted(power.getOperand());
  if (!x)
    return failure();
  Operation *before = op->getPrevNode();
  replace(rewriter, op, before, SoftmaxOp::create(rewriter, op.getLoc(), x));
  return success();
}

/// z - log(sum(exp(z))) of z = x - max(x).
static LogicalResult recognizeLogSoftmax(SubtractOp op, PatternRewriter &rewriter) {
  Value x = getUnshifted(op.getLhs()), row = getRepeated(op.getRhs());
  auto log = row ? row.getDefiningOp<LogOp>() : LogOp();
  auto power = log ? getReduced<ReduceSumOp>(withoutKeptDimension(log.getOperand())) : Value();
  auto exponential = power ? power.getDefiningOp<ExponentialOp>() : ExponentialOp();
  if (!x || !exponential || exponential.getOperand() != op.getLhs())
    return failure();
  Operation *before = op->getPrevNode();
  replace(rewriter, op, before, LogSoftmaxOp::create(rewriter, op.getLoc(), x));
  return success();
}

//===------------------------------------------------------------------------------------------===//
// Attention
//===------------------------------------------------------------------------------------------===//

namespace {

/// Matrices by the last two dimensions, and whether these are swapped in what they are looked at
/// as.
struct Matrices {
  Value value;
  bool isSwapped;
};

/// Scores as small as this are those of keys that are not looked at: beside others their weight is
/// 0. -1e9 in bf16 is a little more.
constexpr double kMasked = -9.9e8;

bool isAtMost(Value value, double most) {
  auto constant = dyn_cast_or_null<DenseElementsAttr>(getConstant(value));
  return constant && constant.isSplat() && isa<FloatType>(constant.getElementType()) &&
         constant.getSplatValue<APFloat>().convertToDouble() <= most;
}

SmallVector<int64_t> getSwap(size_t rank) {
  SmallVector<int64_t> swap = llvm::to_vector(llvm::seq<int64_t>(0, int64_t(rank)));
  std::swap(swap.end()[-1], swap.end()[-2]);
  return swap;
}

/// Through reshapes, and transposes of the last two dimensions, to the furthest value whose last
/// two dimensions are these; swapped, where so many transposes were on the way. `alone`: and whose
/// values on the way have no other use. Null: there is none.
Matrices look(Value value, int64_t rows, int64_t columns, bool isSwapped, bool alone) {
  Matrices found = {{}, false};
  for (Value before;; value = before) {
    ArrayRef<int64_t> shape = typeOf(value).getShape();
    const bool areMatrices =
        shape.size() >= 2 && shape.take_back(2) == ArrayRef<int64_t>{rows, columns};
    if (areMatrices)
      found = {value, isSwapped};
    Operation *op = value.getDefiningOp();
    if (!op || (alone && !value.hasOneUse()))
      return found;
    before = getReshaped(value);
    if (auto transpose = dyn_cast<TransposeOp>(op);
        transpose && areMatrices && transpose.getPermutation() == ArrayRef(getSwap(shape.size()))) {
      isSwapped = !isSwapped;
      std::swap(rows, columns);
      before = transpose.getOperand();
    } else if (!before) {
      return found;
    }
  }
}

/// The value as matrices, with these dimensions before them.
Value makeMatrices(ExpansionBuilder &e, Matrices of, ArrayRef<int64_t> leading) {
  ArrayRef<int64_t> last = typeOf(of.value).getShape().take_back(2);
  of = look(of.value, last[0], last[1], of.isSwapped, /*alone=*/false);
  SmallVector<int64_t> shape(leading);
  llvm::append_range(shape, typeOf(of.value).getShape().take_back(2));
  Value value = e.make<ReshapeOp>(typeOf(of.value).clone(shape), of.value);
  return of.isSwapped ? e.make<TransposeOp>(value, getSwap(shape.size())) : value;
}

/// A step from a value to one that is the same but for repetition, dimensions of size 1, and the
/// way from i1 to a number and back.
/// `dimensions`: for each of the value's the one of where the way began; -1 where it is none.
bool lookThrough(Value &value, SmallVector<int64_t> &dimensions) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (auto compare = dyn_cast<CompareOp>(op)) {
    auto number = compare.getLhs().getDefiningOp<ConvertOp>();
    if (!number || !typeOf(number.getOperand()).getElementType().isInteger(1) ||
        compare.getRelation() != Comparison::NE || !isAll(getConstant(compare.getRhs()), 0))
      return false;
    value = number.getOperand();
    return true;
  }
  if (!isa<BroadcastInDimOp, ReshapeOp>(op))
    return false;
  ArrayRef<int64_t> from = typeOf(op->getOperand(0)).getShape(), to = typeOf(value).getShape();
  SmallVector<int64_t> before(from.size(), -1);
  if (auto broadcast = dyn_cast<BroadcastInDimOp>(op)) {
    for (auto [i, dimension] : llvm::enumerate(broadcast.getBroadcastDimensions()))
      before[i] = from[i] == to[size_t(dimension)] ? dimensions[size_t(dimension)] : -1;
  } else {
    size_t at = 0;
    for (auto [i, size] : llvm::enumerate(from)) {
      if (size == 1)
        continue;
      while (at < to.size() && to[at] == 1)
        ++at;
      if (at == to.size() || to[at] != size)
        return false;
      before[i] = dimensions[at++];
    }
  }
  dimensions = before;
  value = op->getOperand(0);
  return true;
}

/// The dimension along which the value counts from 0; -1: none.
int64_t findCounted(Value value, SmallVector<int64_t> dimensions) {
  for (;;) {
    if (auto iota = value.getDefiningOp<IotaOp>()) {
      // of a narrow type it begins again
      const unsigned bits = typeOf(iota).getElementTypeBitWidth();
      return isInteger(iota) && (bits >= 32 || typeOf(iota).getDimSize(iota.getDimension()) <=
                                                   llvm::maxIntN(bits))
                 ? dimensions[iota.getDimension()]
                 : -1;
    }
    if (!lookThrough(value, dimensions))
      return -1;
  }
}

/// Which scores are of keys that are looked at.
struct Mask {
  Value predicate; ///< before it was repeated; null: all
  SmallVector<int64_t> dimensions; ///< the scores' dimension of each of the predicate's; -1: none
  SmallVector<int64_t> shape; ///< like the scores', of size 1 where it is repeated
  bool isInverted = false; ///< it says which are not
  /// the scores of the others are not -inf: where all are masked they have weights
  bool isFinite = false;
  bool isAdded = false; ///< and these have a gradient

  /// `given`: of the scores' shape.
  explicit Mask(Value given)
      : predicate(given), shape(given ? typeOf(given).getShape() : ArrayRef<int64_t>()) {
    dimensions = llvm::to_vector(llvm::seq<int64_t>(0, int64_t(shape.size())));
    unrepeat();
  }
  void unrepeat() {
    for (BroadcastInDimOp op; predicate && (op = predicate.getDefiningOp<BroadcastInDimOp>()) &&
                              llvm::is_sorted(op.getBroadcastDimensions());) {
      lookThrough(predicate, dimensions);
      shape.assign(shape.size(), 1);
      for (auto [dimension, size] : llvm::zip(dimensions, typeOf(predicate).getShape()))
        if (dimension >= 0)
          shape[size_t(dimension)] = size;
    }
  }

  /// By query and key, where it is the same for each leading index and known here; asks `is(query,
  /// key, isLookedAt)` of each.
  template <typename Is> bool allKnown(int64_t rows, int64_t keys, Is is) const {
    auto constant = dyn_cast_or_null<DenseElementsAttr>(getConstant(predicate));
    if (!constant || shape.back() != keys)
      return false;
    auto elements = constant.getValues<bool>();
    for (int64_t row = 0; row < rows; ++row)
      if (!is(row, [&](int64_t key) { return elements[size_t(row * keys + key)] != isInverted; }))
        return false;
    return true;
  }

  /// Query i looks at keys 0 … i.
  bool isCausal(int64_t queries, int64_t keys) const {
    if (typeOf(predicate).getNumElements() == queries * keys && shape.end()[-2] == queries &&
        allKnown(queries, keys, [&](int64_t row, auto isLookedAt) {
          return llvm::all_of(llvm::seq<int64_t>(0, keys),
                              [&](int64_t key) { return isLookedAt(key) == (key <= row); });
        }))
      return true;
    SmallVector<int64_t> of = dimensions;
    Value value = predicate;
    while (lookThrough(value, of))
      ;
    auto compare = value.getDefiningOp<CompareOp>();
    if (!compare)
      return false;
    const int64_t left = findCounted(compare.getLhs(), of),
                  right = findCounted(compare.getRhs(), of);
    const int64_t query = int64_t(shape.size()) - 2, key = query + 1;
    return (left == query && right == key &&
            compare.getRelation() == (isInverted ? Comparison::LT : Comparison::GE)) ||
           (left == key && right == query &&
            compare.getRelation() == (isInverted ? Comparison::GT : Comparison::LE));
  }

  /// Each query looks at some key, as far as is known here.
  bool hasKeys() const {
    return allKnown(typeOf(predicate).getNumElements() / shape.back(), shape.back(),
                    [&](int64_t, auto isLookedAt) {
                      return llvm::any_of(llvm::seq<int64_t>(0, shape.back()), isLookedAt);
                    });
  }

  Value make(ExpansionBuilder &e) const {
    Value value = e.make<ReshapeOp>(typeOf(predicate).clone(shape), predicate);
    return isInverted ? e.make<NotOp>(value) : value;
  }
};

/// Scores without their mask, which comes out; null where it is no mask.
Value takeMask(Value scores, Mask &mask) {
  auto isMask = [&](SelectOp select, bool keepsTrue) {
    Value fill = keepsTrue ? select.getOnFalse() : select.getOnTrue();
    mask.isInverted = !keepsTrue;
    mask.isFinite = !isAtMost(fill, -std::numeric_limits<double>::infinity());
    return isAtMost(fill, kMasked);
  };
  if (auto select = scores.getDefiningOp<SelectOp>()) {
    mask = Mask(select.getPredicate());
    for (bool keepsTrue : {true, false})
      if (isMask(select, keepsTrue))
        return keepsTrue ? select.getOnTrue() : select.getOnFalse();
    return {};
  }
  auto add = scores.getDefiningOp<AddOp>();
  if (!add)
    return scores;
  for (auto [one, other] : {std::pair(add.getLhs(), add.getRhs()), {add.getRhs(), add.getLhs()}}) {
    mask = Mask(one);
    if (auto select = mask.predicate.getDefiningOp<SelectOp>())
      for (bool keepsTrue : {true, false})
        if (isAll(getConstant(keepsTrue ? select.getOnTrue() : select.getOnFalse()), 0) &&
            isMask(select, keepsTrue)) {
          mask.predicate = select.getPredicate();
          mask.isAdded = true;
          mask.unrepeat();
          return other;
        }
  }
  return {};
}

/// What a value is times a constant, which comes out.
Value takeScale(Value value, double &scale) {
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<MultiplyOp, DivideOp>(op))
    return value;
  for (unsigned at : {1u, 0u}) {
    auto constant = dyn_cast_or_null<DenseElementsAttr>(getConstant(op->getOperand(at)));
    if (!constant || !constant.isSplat() || (at == 0 && isa<DivideOp>(op)))
      continue;
    const double by = constant.getSplatValue<APFloat>().convertToDouble();
    scale = isa<DivideOp>(op) ? scale / by : scale * by;
    return op->getOperand(1 - at);
  }
  return value;
}

/// The result, but the mean of all values for queries that look at no key.
Value withMeans(ExpansionBuilder &e, Value result, Value values, Value mask) {
  const int64_t last = typeOf(mask).getRank() - 1;
  Value any = e.make<ReduceOrOp>(mask, ArrayRef<int64_t>{last});
  SmallVector<int64_t> rows(typeOf(any).getShape()),
      without = llvm::to_vector(llvm::seq<int64_t>(0, last - 1));
  rows.push_back(1);
  any = e.make<ReshapeOp>(typeOf(any).clone(rows), any);
  any = e.make<BroadcastInDimOp>(typeOf(any).clone(typeOf(result).getShape()), any,
                                 llvm::to_vector(llvm::seq<int64_t>(0, last + 1)));
  without.push_back(last);
  return e.make<SelectOp>(
      any, result, e.make<BroadcastInDimOp>(result.getType(), e.mean(values, {last - 1}), without));
}

/// softmax(mask(scale * query · keyᵀ)) · value, where what stands between the two products has no
/// other use.
LogicalResult recognizeAttention(MatmulOp op, bool isLeft, PatternRewriter &rewriter) {
  Value factor = isLeft ? op.getA() : op.getB();
  ArrayRef<int64_t> last = typeOf(factor).getShape().take_back(2);
  const Matrices weights = look(factor, last[0], last[1],
                                isLeft ? op.getTransposeA() : !op.getTransposeB(), /*alone=*/true);
  auto softmax = weights.value.getDefiningOp<SoftmaxOp>();
  if (!softmax || weights.isSwapped || !softmax->hasOneUse())
    return failure();
  ArrayRef<int64_t> shape = typeOf(softmax).getShape(), leading = shape.drop_back(2);
  Mask mask{Value()};
  double scale = 1;
  Value masked = softmax.getOperand(), scaled = takeMask(masked, mask);
  if (!masked.hasOneUse() || !scaled || !scaled.hasOneUse())
    return failure();
  while (Value before = scaled.hasOneUse() ? getReshaped(scaled) : Value())
    scaled = before;
  Value product = takeScale(scaled, scale);
  const Matrices products = look(product, shape.end()[-2], shape.back(), false, /*alone=*/true);
  auto first = products.value ? products.value.getDefiningOp<MatmulOp>() : MatmulOp();
  if (!first || !first->hasOneUse() || !std::isfinite(scale) ||
      first.getPrecision() != Precision::Ieee || op.getPrecision() != Precision::Ieee)
    return failure();
  const bool isCausal = mask.predicate && mask.isCausal(shape.end()[-2], shape.back());
  const bool maySeeNone = mask.predicate && mask.isFinite && !isCausal && !mask.hasKeys();
  if (maySeeNone && mask.isAdded)
    return failure();

  Operation *before = op->getPrevNode();
  ExpansionBuilder e{rewriter, op.getLoc()};
  const Matrices a = {first.getA(), first.getTransposeA()},
                 b = {first.getB(), !first.getTransposeB()};
  Value query = makeMatrices(e, products.isSwapped ? b : a, leading);
  Value key = makeMatrices(e, products.isSwapped ? a : b, leading);
  Value value = makeMatrices(e,
                             isLeft ? Matrices{op.getB(), op.getTransposeB()}
                                    : Matrices{op.getA(), !op.getTransposeA()},
                             leading);
  Value kept = mask.predicate && !isCausal ? mask.make(e) : Value();
  Value result = AttentionOp::create(rewriter, op.getLoc(), query, key, value, kept,
                                     isCausal ? rewriter.getUnitAttr() : UnitAttr(),
                                     rewriter.getF64FloatAttr(scale));
  if (maySeeNone)
    result = withMeans(e, result, value, kept);
  if (!isLeft)
    result = e.make<TransposeOp>(result, getSwap(shape.size()));
  replace(rewriter, op, before, e.make<ReshapeOp>(op.getType(), result));
  return success();
}

} // namespace

void graphc::graph::populateSoftmaxPatterns(RewritePatternSet &patterns) {
  patterns.add(recognizeSoftmax);
  patterns.add(recognizeLogSoftmax);
}

void graphc::graph::populateAttentionPatterns(RewritePatternSet &patterns) {
  patterns.add(+[](MatmulOp op, PatternRewriter &rewriter) {
    const bool isLeft = succeeded(recognizeAttention(op, /*isLeft=*/true, rewriter));
    return success(isLeft || succeeded(recognizeAttention(op, /*isLeft=*/false, rewriter)));
  });
  AttentionOp::getCanonicalizationPatterns(patterns, patterns.getContext());
}
