//===- CompositePatterns.cpp - softmax and attention in primitives ----------------------------===//
#include "dialects/graph/ops/CompositePatterns.h"

#include "dialects/graph/ops/AttentionMask.h"
#include "dialects/graph/ops/ConstantFolding.h"

using namespace mlir;
using namespace graphc::graph;

/// What takes an op's place has its device, and what else is said of it.
static void replace(PatternRewriter &rewriter, Operation *op, Operation *before, Value value) {
  if (DictionaryAttr said = op->getDiscardableAttrDictionary(); !said.empty())
    for (Operation &made : madeSince(before, op))
      made.setDiscardableAttrs(said);
  rewriter.replaceOp(op, value);
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

/// x of max(x) along the last dimension; null where the value is none.
static Value getMaximized(Value most) {
  most = skipReshapes(most);
  if (auto bounded = most.getDefiningOp<MaximumOp>())
    for (auto [one, other] :
         {std::pair(bounded.getLhs(), bounded.getRhs()), {bounded.getRhs(), bounded.getLhs()}})
      if (isNegativeInfinity(one))
        most = skipReshapes(other);
  if (auto constant = most.getDefiningOp<StopGradientOp>())
    most = skipReshapes(constant.getOperand());
  return getReduced<ReduceMaxOp>(most);
}

/// Two values have the same rows along the last dimension, in the same order.
static bool haveSameRows(Value one, Value other) {
  return typeOf(one).getShape().back() == typeOf(other).getShape().back() &&
         skipReshapes(one) == skipReshapes(other);
}

/// x of x - max(x) along the last dimension; null where the value is none. The maxima may be of x
/// in another shape with the same rows.
static Value getUnshifted(Value value) {
  auto op = value.getDefiningOp<SubtractOp>();
  Value most = op ? getRepeated(op.getRhs()) : Value();
  Value of = most ? getMaximized(most) : Value();
  return of && haveSameRows(of, op.getLhs()) ? op.getLhs() : Value();
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
// Safe softmax: rows of -inf alone give 0
//===------------------------------------------------------------------------------------------===//

namespace {

/// Softmax of scores, but 0 for rows whose scores are all -inf: PyTorch's `_safe_softmax`.
struct SafeSoftmax {
  SoftmaxOp softmax;
  bool isWhereTrue; ///< the select's predicate is true for rows of -inf
};

/// Strips negations and reshapes, which must have no other use. `isInverted` flips with each
/// negation.
Value skipNegations(Value value, bool &isInverted) {
  for (;;) {
    if (!value.hasOneUse())
      return value;
    if (auto inverse = value.getDefiningOp<NotOp>()) {
      isInverted = !isInverted;
      value = inverse.getOperand();
    } else if (Value before = getReshaped(value)) {
      value = before;
    } else {
      return value;
    }
  }
}

/// The operand of a comparison with -inf; null if the value is none. `isInverted` flips if the
/// comparison asks whether they differ.
Value getCompared(Value value, bool &isInverted) {
  value = skipNegations(value, isInverted);
  auto compare = value.getDefiningOp<CompareOp>();
  if (!compare || !value.hasOneUse() ||
      (compare.getRelation() != Comparison::EQ && compare.getRelation() != Comparison::NE))
    return {};
  isInverted ^= compare.getRelation() == Comparison::NE;
  if (isNegativeInfinity(compare.getRhs()))
    return compare.getLhs();
  return isNegativeInfinity(compare.getLhs()) ? compare.getRhs() : Value();
}

/// The scores of which a predicate, repeated along the last dimension, says whether all of a row
/// are -inf: `all(s == -inf)`, `not any(s != -inf)` or `max(s) == -inf`. Null if it says something
/// else. `isInverted`: it says whether they are not.
Value getAllMasked(Value predicate, bool &isInverted) {
  predicate = skipNegations(predicate, isInverted);
  Value row = predicate.hasOneUse() ? getRepeated(predicate) : Value();
  row = row ? skipNegations(row, isInverted) : Value();
  if (!row || !row.hasOneUse())
    return {};
  bool isOther = false;
  // a reshape between may make one row of several, of which not all elements are -inf together
  const auto isSameRow = [](Value each, Value scores) {
    return scores && typeOf(scores).getShape().back() == typeOf(each).getShape().back();
  };
  if (Value each = getReduced<ReduceAndOp>(row))
    if (Value scores = getCompared(each, isOther); isSameRow(each, scores))
      return isOther ? Value() : scores;
  if (Value each = getReduced<ReduceOrOp>(row))
    if (Value scores = getCompared(each, isOther); isSameRow(each, scores)) {
      isInverted = !isInverted;
      return isOther ? scores : Value();
    }
  Value most = getCompared(row, isInverted);
  return most && most.hasOneUse() ? getMaximized(most) : Value();
}

std::optional<SafeSoftmax> getSafeSoftmax(SelectOp select) {
  for (bool isWhereTrue : {true, false}) {
    bool isInverted = false;
    auto softmax =
        (isWhereTrue ? select.getOnFalse() : select.getOnTrue()).getDefiningOp<SoftmaxOp>();
    if (softmax && softmax->hasOneUse() &&
        isZero(isWhereTrue ? select.getOnTrue() : select.getOnFalse()) &&
        getAllMasked(select.getPredicate(), isInverted) == softmax.getOperand() &&
        isInverted != isWhereTrue)
      return SafeSoftmax{softmax, isWhereTrue};
  }
  return std::nullopt;
}

/// A safe softmax that is no part of an attention, such as one before a dropout: its rows of -inf
/// get scores of 0. The value is the same. The gradient, NaN without this, is 0 as PyTorch's.
LogicalResult keepGradientFinite(SelectOp op, PatternRewriter &rewriter) {
  const std::optional<SafeSoftmax> safe = getSafeSoftmax(op);
  if (!safe)
    return failure();
  SoftmaxOp softmax = safe->softmax;
  Value scores = softmax.getOperand();
  rewriter.setInsertionPoint(op);
  ExpansionBuilder e{rewriter, softmax.getLoc()};
  Operation *before = op->getPrevNode();
  Value zero = e.splat(scores.getType(), 0);
  Value finite =
      SelectOp::create(rewriter, softmax.getLoc(), op.getPredicate(),
                       safe->isWhereTrue ? zero : scores, safe->isWhereTrue ? scores : zero);
  Value weights = SoftmaxOp::create(rewriter, softmax.getLoc(), finite);
  for (Operation &made : madeSince(before, op))
    made.setDiscardableAttrs(softmax->getDiscardableAttrDictionary());
  rewriter.replaceOp(softmax, weights);
  return success();
}

} // namespace

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

/// What a value is times a constant, which comes out.
Value takeScale(Value value, double &scale) {
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<MultiplyOp, DivideOp>(op))
    return value;
  for (unsigned at : {1u, 0u}) {
    auto constant = dyn_cast_or_null<DenseElementsAttr>(getConstantOf(op->getOperand(at)));
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

/// An operand of the first product, without the constants that it is multiplied by.
struct UnscaledOperand {
  Value value;
  double scale = 1;
  SmallVector<Operation *> moves; ///< from the value to the operand, the last first

  explicit UnscaledOperand(Value operand) : value(operand) {
    SmallVector<Operation *> passed;
    while (Operation *op = operand.getDefiningOp()) {
      if (Value before = takeScale(operand, scale); before != operand) {
        value = operand = before;
        moves = passed;
      } else if (isa<TransposeOp>(op) || getReshaped(operand)) {
        passed.push_back(op);
        operand = op->getOperand(0);
      } else {
        return;
      }
    }
  }
};

/// Query and key have the same scale, in sign perhaps not, or one of them has none. PyTorch scales
/// both by the root of one scale.
bool haveOneScale(const UnscaledOperand &query, const UnscaledOperand &key) {
  const double one = std::abs(query.scale), other = std::abs(key.scale);
  constexpr double rounding = 1e-6; // of a root, or of its inverse, in f32
  return one == 1 || other == 1 || std::abs(one - other) <= rounding * one;
}

/// The weights of attention: softmax(mask(scale * query · keyᵀ)).
struct AttentionWeights {
  SoftmaxOp softmax;
  bool isSafe = false; ///< 0 for a query whose keys are all masked by -inf
  SmallVector<AttentionMask> masks;
  MatmulOp product; ///< query · keyᵀ
  bool isSwapped = false; ///< key · queryᵀ
  double scale = 1;

  ArrayRef<int64_t> getShape() { return typeOf(softmax).getShape(); }

  /// False if the value is no such weights, or something on the way has another use.
  bool read(Value value) {
    softmax = value.getDefiningOp<SoftmaxOp>();
    if (auto select = value.getDefiningOp<SelectOp>())
      if (const std::optional<SafeSoftmax> safe = getSafeSoftmax(select)) {
        softmax = safe->softmax;
        isSafe = true;
      }
    if (!softmax || !value.hasOneUse() || !softmax->hasOneUse())
      return false;
    Value masked = softmax.getOperand(), scores = takeMasks(masked, masks);
    return llvm::hasNItems(masked.getUses(), isSafe ? 2 : 1) && scores &&
           (scores == masked || scores.hasOneUse()) && readProduct(scores);
  }

private:
  bool readProduct(Value scores) {
    while (Value before = getReshaped(scores)) {
      if (!before.hasOneUse())
        return false;
      scores = before;
    }
    Value scaled = takeScale(scores, scale);
    const Matrices found =
        look(scaled, getShape().end()[-2], getShape().back(), false, /*alone=*/true);
    product = found.value ? found.value.getDefiningOp<MatmulOp>() : MatmulOp();
    isSwapped = found.isSwapped;
    return product && (found.value == softmax.getOperand() || product->hasOneUse()) &&
           product.getPrecision() == Precision::Ieee;
  }
};

/// What a query gives whose keys are all masked.
enum class EmptyQuery {
  Impossible, ///< each query has a key
  Zero, ///< masks of -inf, and a safe softmax
  Mean, ///< of all values: masks of finite numbers
  Unknown, ///< NaN, or something that attention cannot say
};

EmptyQuery getEmptyQuery(ArrayRef<AttentionMask> masks, ArrayRef<AttentionMask> others,
                         bool isSafe) {
  if (others.empty() || (masks.size() == 1 && others.front().hasKeys()))
    return EmptyQuery::Impossible;
  if (llvm::none_of(masks, [](const AttentionMask &mask) { return mask.isFinite; }))
    return isSafe ? EmptyQuery::Zero : EmptyQuery::Unknown;
  return masks.size() == 1 && !masks.front().isAdded ? EmptyQuery::Mean : EmptyQuery::Unknown;
}

/// weights · value, where what stands between the two products has no other use.
LogicalResult recognizeAttention(MatmulOp op, bool isLeft, PatternRewriter &rewriter) {
  Value factor = isLeft ? op.getA() : op.getB();
  ArrayRef<int64_t> last = typeOf(factor).getShape().take_back(2);
  const Matrices found = look(factor, last[0], last[1],
                              isLeft ? op.getTransposeA() : !op.getTransposeB(), /*alone=*/true);
  AttentionWeights weights;
  if (found.isSwapped || op.getPrecision() != Precision::Ieee || !weights.read(found.value))
    return failure();
  MatmulOp first = weights.product;
  UnscaledOperand a(first.getA()), b(first.getB());
  const double scale = weights.scale * a.scale * b.scale;
  if (!std::isfinite(scale) || !haveOneScale(a, b))
    return failure();
  ArrayRef<int64_t> shape = weights.getShape(), leading = shape.drop_back(2);
  SmallVector<AttentionMask> others =
      llvm::filter_to_vector(weights.masks, [&](const AttentionMask &mask) {
        return !mask.isCausal(shape.end()[-2], shape.back());
      });
  const bool isCausal = others.size() < weights.masks.size();
  const EmptyQuery empty = getEmptyQuery(weights.masks, others, weights.isSafe);
  if (empty == EmptyQuery::Unknown)
    return failure();

  Operation *before = op->getPrevNode();
  ExpansionBuilder e{rewriter, op.getLoc()};
  const Matrices ofA = {applyMoves(e, a.moves, a.value), first.getTransposeA()},
                 ofB = {applyMoves(e, b.moves, b.value), !first.getTransposeB()};
  Value query = makeMatrices(e, weights.isSwapped ? ofB : ofA, leading);
  Value key = makeMatrices(e, weights.isSwapped ? ofA : ofB, leading);
  Value value = makeMatrices(e,
                             isLeft ? Matrices{op.getB(), op.getTransposeB()}
                                    : Matrices{op.getA(), !op.getTransposeA()},
                             leading);
  Value mask = makeMask(e, others);
  Value result = AttentionOp::create(rewriter, op.getLoc(), query, key, value, mask,
                                     isCausal ? rewriter.getUnitAttr() : UnitAttr(),
                                     rewriter.getF64FloatAttr(scale));
  if (empty == EmptyQuery::Mean)
    result = withMeans(e, result, value, mask);
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

void graphc::graph::populateSafeSoftmaxPatterns(RewritePatternSet &patterns) {
  patterns.add(keepGradientFinite);
}
