//===- AttentionMask.cpp - masks of attention scores, read from primitives --------------------===//
#include "dialects/graph/ops/AttentionMask.h"

#include "dialects/graph/ops/ConstantFolding.h"

using namespace mlir;
using namespace graphc::graph;

//===------------------------------------------------------------------------------------------===//
// Constants and shapes
//===------------------------------------------------------------------------------------------===//

Attribute graphc::graph::getConstantOf(Value value) {
  Attribute constant;
  return matchPattern(value, m_Constant(&constant)) ? constant : Attribute();
}

bool graphc::graph::isZero(Value value) {
  Attribute constant = getConstantOf(value);
  return isAll(constant, 0) || (isFloat(value) && isAll(constant, -0.0));
}

bool graphc::graph::isNegativeInfinity(Value value) {
  return isFloat(value) && isAll(getConstantOf(value), -std::numeric_limits<double>::infinity());
}

Value graphc::graph::getReshaped(Value value) {
  Operation *op = value.getDefiningOp();
  auto broadcast = dyn_cast_or_null<BroadcastInDimOp>(op);
  const bool isReshape = broadcast ? llvm::is_sorted(broadcast.getBroadcastDimensions()) &&
                                         typeOf(broadcast.getOperand()).getNumElements() ==
                                             typeOf(value).getNumElements()
                                   : isa_and_nonnull<ReshapeOp>(op);
  return isReshape ? op->getOperand(0) : Value();
}

Value graphc::graph::skipReshapes(Value value) {
  while (Value before = getReshaped(value))
    value = before;
  return value;
}

Value graphc::graph::applyMoves(ExpansionBuilder &e, ArrayRef<Operation *> moves, Value value) {
  for (Operation *move : llvm::reverse(moves)) {
    RankedTensorType type = typeOf(value).clone(typeOf(move->getResult(0)).getShape());
    if (auto transpose = dyn_cast<TransposeOp>(move))
      value = e.make<TransposeOp>(value, transpose.getPermutation());
    else if (auto broadcast = dyn_cast<BroadcastInDimOp>(move))
      value = e.make<BroadcastInDimOp>(type, value, broadcast.getBroadcastDimensions());
    else
      value = e.make<ReshapeOp>(type, value);
  }
  return value;
}

namespace {

/// Scores as small as this are those of keys that are not attended to: beside others their weight
/// is 0. -1e9 in bf16 is a little more.
constexpr double kMasked = -9.9e8;

/// Steps from `value` to one that is the same but for repetition, dimensions of size 1, and the
/// conversion from i1 to a number and back. `dimensions`: for each of the value's the one of where
/// the way began; -1 if there is none.
bool lookThrough(Value &value, SmallVector<int64_t> &dimensions) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (auto compare = dyn_cast<CompareOp>(op)) {
    auto number = compare.getLhs().getDefiningOp<ConvertOp>();
    if (!number || !typeOf(number.getOperand()).getElementType().isInteger(1) ||
        compare.getRelation() != Comparison::NE || !isAll(getConstantOf(compare.getRhs()), 0))
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
      // a narrow type begins again at 0
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

/// A comparison of two values; null if a difference is compared with a constant that says nothing
/// simple about them.
struct Relation {
  Value left, right;
  Comparison comparison;
};

/// `a - b <= 0` says that a <= b, and `a - b >= 1` that a > b, of integers that count from 0.
std::optional<Relation> readRelation(CompareOp compare) {
  const Comparison comparison = compare.getRelation();
  auto difference = compare.getLhs().getDefiningOp<SubtractOp>();
  if (!difference)
    return Relation{compare.getLhs(), compare.getRhs(), comparison};
  if (!isInteger(difference) || typeOf(difference).getElementType().isUnsignedInteger())
    return std::nullopt;
  const Attribute bound = getConstantOf(compare.getRhs());
  if (isAll(bound, 0))
    return Relation{difference.getLhs(), difference.getRhs(), comparison};
  if (isAll(bound, 1) && (comparison == Comparison::LT || comparison == Comparison::GE))
    return Relation{difference.getLhs(), difference.getRhs(),
                    comparison == Comparison::LT ? Comparison::LE : Comparison::GT};
  return std::nullopt;
}

/// Computes single elements of values that follow from constants and counted numbers alone.
///
/// Sums and differences are computed in 64 bits; an element that does not fit its type, or that
/// takes more than `kMostVisits` ops, is unknown.
class ElementEvaluator {
public:
  std::optional<int64_t> evaluate(Value value, ArrayRef<int64_t> index) {
    Operation *op = value.getDefiningOp();
    if (!op || ++visits_ > kMostVisits)
      return std::nullopt;
    if (Attribute constant = getConstantOf(value))
      return getElement(cast<DenseElementsAttr>(constant), flatten(typeOf(value), index));
    if (isa<BroadcastInDimOp, ReshapeOp, TransposeOp>(op))
      return evaluate(op->getOperand(0), getSource(op, index));
    if (auto iota = dyn_cast<IotaOp>(op))
      return fitting(value, index[iota.getDimension()]);
    if (isa<NotOp>(op) && typeOf(value).getElementType().isInteger(1)) {
      const auto x = evaluate(op->getOperand(0), index);
      return x ? std::optional<int64_t>(!*x) : std::nullopt;
    }
    if (isa<ConvertOp, AbsOp>(op)) {
      const auto x = evaluate(op->getOperand(0), index);
      if (x && typeOf(value).getElementType().isInteger(1))
        return *x != 0;
      return x ? fitting(value, isa<AbsOp>(op) ? std::abs(*x) : *x) : std::nullopt;
    }
    return isa<CompareOp, AndOp, OrOp, AddOp, SubtractOp>(op) ? combine(op, index) : std::nullopt;
  }

private:
  static constexpr int kMostVisits = 64;

  std::optional<int64_t> combine(Operation *op, ArrayRef<int64_t> index) {
    const auto a = evaluate(op->getOperand(0), index), b = evaluate(op->getOperand(1), index);
    if (!a || !b)
      return std::nullopt;
    if (auto compare = dyn_cast<CompareOp>(op))
      switch (compare.getRelation()) {
      case Comparison::EQ:
        return *a == *b;
      case Comparison::NE:
        return *a != *b;
      case Comparison::LT:
        return *a < *b;
      case Comparison::LE:
        return *a <= *b;
      case Comparison::GT:
        return *a > *b;
      case Comparison::GE:
        return *a >= *b;
      }
    if (isa<AndOp>(op))
      return *a & *b;
    if (isa<OrOp>(op))
      return *a | *b;
    return fitting(op->getResult(0), isa<AddOp>(op) ? *a + *b : *a - *b);
  }

  /// Integers that both 32 bits and the type hold; of floats those that bf16 holds, too.
  static std::optional<int64_t> fitting(Value value, int64_t x) {
    Type element = typeOf(value).getElementType();
    if (element.isUnsignedInteger() && x < 0)
      return std::nullopt;
    const unsigned bits = element.isInteger(1) ? 2
                          : isa<FloatType>(element)
                              ? 8
                              : std::min(32u, element.getIntOrFloatBitWidth());
    return llvm::isIntN(bits, x) ? std::optional<int64_t>(x) : std::nullopt;
  }

  static std::optional<int64_t> getElement(DenseElementsAttr constant, int64_t at) {
    if (isa<FloatType>(constant.getElementType())) {
      const double x = constant.getValues<APFloat>()[size_t(at)].convertToDouble();
      return std::abs(x) < 256 && x == std::trunc(x) ? std::optional(int64_t(x)) : std::nullopt;
    }
    const APInt x = constant.getValues<APInt>()[size_t(at)];
    if (constant.getElementType().isInteger(1) || constant.getElementType().isUnsignedInteger())
      return x.isIntN(31) ? std::optional(int64_t(x.getZExtValue())) : std::nullopt;
    return x.isSignedIntN(32) ? std::optional(x.getSExtValue()) : std::nullopt;
  }

  static int64_t flatten(RankedTensorType type, ArrayRef<int64_t> index) {
    int64_t at = 0;
    for (auto [size, place] : llvm::zip(type.getShape(), index))
      at = at * size + place;
    return at;
  }

  /// The operand's element that an op which moves elements takes for one of its result.
  static SmallVector<int64_t> getSource(Operation *op, ArrayRef<int64_t> index) {
    RankedTensorType from = typeOf(op->getOperand(0));
    SmallVector<int64_t> source(size_t(from.getRank()), 0);
    if (auto transpose = dyn_cast<TransposeOp>(op)) {
      for (auto [i, dimension] : llvm::enumerate(transpose.getPermutation()))
        source[size_t(dimension)] = index[i];
    } else if (auto broadcast = dyn_cast<BroadcastInDimOp>(op)) {
      for (auto [i, dimension] : llvm::enumerate(broadcast.getBroadcastDimensions()))
        source[i] = from.getDimSize(unsigned(i)) == 1 ? 0 : index[size_t(dimension)];
    } else {
      int64_t at = flatten(typeOf(op->getResult(0)), index);
      for (int64_t i = from.getRank(); i-- > 0; at /= from.getDimSize(unsigned(i)))
        source[size_t(i)] = at % from.getDimSize(unsigned(i));
    }
    return source;
  }

  int visits_ = 0;
};

/// The numbers of a constant of floats.
template <typename Visit> bool allNumbers(Attribute constant, Visit visit) {
  auto elements = dyn_cast_or_null<DenseElementsAttr>(constant);
  return elements && isa<FloatType>(elements.getElementType()) &&
         llvm::all_of(elements.getValues<APFloat>(),
                      [&](const APFloat &each) { return visit(each.convertToDouble()); });
}

} // namespace

//===------------------------------------------------------------------------------------------===//
// One mask
//===------------------------------------------------------------------------------------------===//

AttentionMask::AttentionMask(Value given)
    : root(given), dimensions(llvm::to_vector(llvm::seq<int64_t>(0, typeOf(given).getRank()))),
      shape(typeOf(given).getShape()) {
  descend();
}

void AttentionMask::descend() {
  for (;;) {
    Operation *op = root.getDefiningOp();
    if (auto inverse = dyn_cast_or_null<NotOp>(op)) {
      isInverted = !isInverted;
      root = inverse.getOperand();
    } else if (moves.empty() && lookThrough(root, dimensions)) {
      shape.assign(shape.size(), 1);
      for (auto [dimension, size] : llvm::zip(dimensions, typeOf(root).getShape()))
        if (dimension >= 0)
          shape[size_t(dimension)] = size;
    } else if (isa_and_nonnull<BroadcastInDimOp, ReshapeOp, TransposeOp>(op)) {
      moves.push_back(op);
      root = op->getOperand(0);
    } else {
      return;
    }
  }
}

bool AttentionMask::readFill(Value fill) {
  auto constant = dyn_cast_or_null<DenseElementsAttr>(getConstantOf(fill));
  if (!constant || !constant.isSplat() || !isa<FloatType>(constant.getElementType()))
    return false;
  isFinite = !isNegativeInfinity(fill);
  return constant.getSplatValue<APFloat>().convertToDouble() <= kMasked;
}

/// Which elements of the root are attended to, if it is a constant.
std::optional<SmallVector<bool>> AttentionMask::getKnown() const {
  auto constant = dyn_cast_or_null<DenseElementsAttr>(getConstantOf(root));
  if (!constant)
    return std::nullopt;
  SmallVector<bool> known;
  known.reserve(size_t(constant.getNumElements()));
  if (isa<FloatType>(constant.getElementType()))
    for (const APFloat &element : constant.getValues<APFloat>())
      known.push_back(element.isZero());
  else
    for (bool element : constant.getValues<bool>())
      known.push_back(element != isInverted);
  return known;
}

/// Asks `is(query, isAttended)` of each query, if the mask is a constant and the same for each
/// leading index.
template <typename Is> bool AttentionMask::allKnown(int64_t rows, int64_t keys, Is is) const {
  const std::optional<SmallVector<bool>> known = getKnown();
  if (!known || shape.back() != keys)
    return false;
  for (int64_t row = 0; row < rows; ++row)
    if (!is(row, [&](int64_t key) { return (*known)[size_t(row * keys + key)]; }))
      return false;
  return true;
}

/// Whether an op moves whole matrices of the last two dimensions.
static bool keepsMatrices(Operation *move) {
  ArrayRef<int64_t> from = typeOf(move->getOperand(0)).getShape(),
                    to = typeOf(move->getResult(0)).getShape();
  const auto first = int64_t(from.size()) - 2, last = int64_t(to.size()) - 2;
  if (first < 0 || last < 0 || from.take_back(2) != to.take_back(2))
    return false;
  if (auto transpose = dyn_cast<TransposeOp>(move))
    return transpose.getPermutation().take_back(2) == ArrayRef<int64_t>{last, last + 1};
  auto broadcast = dyn_cast<BroadcastInDimOp>(move);
  return !broadcast ||
         broadcast.getBroadcastDimensions().take_back(2) == ArrayRef<int64_t>{last, last + 1};
}

/// The scores' dimension of each of the root's, as far as queries and keys go: moves may merge and
/// repeat the others.
std::optional<SmallVector<int64_t>> AttentionMask::getRootDimensions() const {
  if (moves.empty())
    return dimensions;
  const int64_t query = int64_t(shape.size()) - 2;
  if (!llvm::all_of(moves, keepsMatrices) ||
      ArrayRef(dimensions).take_back(2) != ArrayRef<int64_t>{query, query + 1})
    return std::nullopt;
  SmallVector<int64_t> found(size_t(typeOf(root).getRank()), -1);
  found.end()[-2] = query;
  found.end()[-1] = query + 1;
  return found;
}

bool AttentionMask::isCausal(int64_t queries, int64_t keys) const {
  const std::optional<SmallVector<int64_t>> of = getRootDimensions();
  if (!of)
    return false;
  if (typeOf(root).getNumElements() == queries * keys && shape.end()[-2] == queries &&
      allKnown(queries, keys, [&](int64_t row, auto isAttended) {
        return llvm::all_of(llvm::seq<int64_t>(0, keys),
                            [&](int64_t key) { return isAttended(key) == (key <= row); });
      }))
    return true;
  auto compare = root.getDefiningOp<CompareOp>();
  const std::optional<Relation> relation = compare ? readRelation(compare) : std::nullopt;
  if (!relation)
    return false;
  const int64_t left = findCounted(relation->left, *of), right = findCounted(relation->right, *of);
  const int64_t query = int64_t(shape.size()) - 2, key = query + 1;
  return (left == query && right == key &&
          relation->comparison == (isInverted ? Comparison::LT : Comparison::GE)) ||
         (left == key && right == query &&
          relation->comparison == (isInverted ? Comparison::GT : Comparison::LE));
}

bool AttentionMask::hasKeys() const {
  const int64_t keys = shape.back();
  if (!moves.empty())
    return false;
  if (allKnown(typeOf(root).getNumElements() / keys, keys, [&](int64_t, auto isAttended) {
        return llvm::any_of(llvm::seq<int64_t>(0, keys), isAttended);
      }))
    return true;
  if (llvm::any_of(ArrayRef(shape).drop_back(2), [](int64_t n) { return n != 1; }))
    return false;
  const int64_t rows = shape.end()[-2];
  return llvm::all_of(llvm::seq<int64_t>(0, rows), [&](int64_t row) {
    return isAttended(row, std::min(row, keys - 1)) || isAttended(row, 0) ||
           isAttended(row, keys - 1);
  });
}

/// Whether a query is known to attend to a key, by a mask that is the same for all leading indices.
bool AttentionMask::isAttended(int64_t query, int64_t key) const {
  SmallVector<int64_t> index(dimensions.size(), 0);
  for (auto [place, dimension, size] : llvm::zip(index, dimensions, typeOf(root).getShape()))
    if (size != 1 && dimension >= int64_t(shape.size()) - 2)
      place = dimension == int64_t(shape.size()) - 1 ? key : query;
  const std::optional<int64_t> known = ElementEvaluator().evaluate(root, index);
  return !isFloat(root) && known && (*known != 0) != isInverted;
}

Value AttentionMask::make(ExpansionBuilder &e) const {
  Value value = root;
  bool isMasked = isInverted;
  if (isFloat(root)) {
    auto type = cast<RankedTensorType>(withElement(root.getType(), e.builder.getI1Type()));
    value = createConstant(e.builder, e.loc, DenseElementsAttr::get(type, *getKnown()));
    isMasked = false;
  }
  value = applyMoves(e, moves, value);
  value = e.make<ReshapeOp>(typeOf(value).clone(shape), value);
  return isMasked ? e.make<NotOp>(value) : value;
}

//===------------------------------------------------------------------------------------------===//
// All masks of scores
//===------------------------------------------------------------------------------------------===//

namespace {

/// Ops of one sum of masks that are looked at: a sum of sums of the same value would otherwise
/// take exponential time.
constexpr int kMostTerms = 32;

bool readAdded(AttentionMask at, SmallVectorImpl<AttentionMask> &masks, int &terms);

bool readTerm(AttentionMask at, Value term, SmallVectorImpl<AttentionMask> &masks, int &terms) {
  at.root = term;
  at.descend();
  return readAdded(std::move(at), masks, terms);
}

/// Reads 0, a select of 0 (or of another mask) and of a small number, a constant of such numbers,
/// or a sum of these; false for all else.
bool readAdded(AttentionMask at, SmallVectorImpl<AttentionMask> &masks, int &terms) {
  if (++terms > kMostTerms)
    return false;
  at.isAdded = true;
  if (isZero(at.root))
    return true;
  if (auto add = at.root.getDefiningOp<AddOp>())
    return readTerm(at, add.getLhs(), masks, terms) && readTerm(at, add.getRhs(), masks, terms);
  if (auto select = at.root.getDefiningOp<SelectOp>()) {
    for (bool keepsTrue : {true, false})
      if (at.readFill(keepsTrue ? select.getOnFalse() : select.getOnTrue()) &&
          readTerm(at, keepsTrue ? select.getOnTrue() : select.getOnFalse(), masks, terms)) {
        at.root = select.getPredicate();
        at.isInverted = !keepsTrue;
        at.descend();
        masks.push_back(std::move(at));
        return true;
      }
    return false;
  }
  const bool isMask = allNumbers(getConstantOf(at.root), [&](double number) {
    at.isFinite |= number != 0 && std::isfinite(number);
    return number == 0 || number <= kMasked;
  });
  if (isMask)
    masks.push_back(std::move(at));
  return isMask;
}

/// What a select of scores keeps; null if it is no mask.
Value takeSelect(SelectOp select, SmallVectorImpl<AttentionMask> &masks) {
  AttentionMask mask(select.getPredicate());
  for (bool keepsTrue : {true, false})
    if (mask.readFill(keepsTrue ? select.getOnFalse() : select.getOnTrue())) {
      mask.isInverted ^= !keepsTrue;
      masks.push_back(std::move(mask));
      return keepsTrue ? select.getOnTrue() : select.getOnFalse();
    }
  return {};
}

/// What a sum adds masks to; null if neither operand is a mask.
Value takeAdd(AddOp add, SmallVectorImpl<AttentionMask> &masks) {
  for (auto [mask, scores] :
       {std::pair(add.getLhs(), add.getRhs()), {add.getRhs(), add.getLhs()}}) {
    SmallVector<AttentionMask> read;
    int terms = 0;
    if (readAdded(AttentionMask(mask), read, terms)) {
      llvm::append_range(masks, read);
      return scores;
    }
  }
  return {};
}

} // namespace

Value graphc::graph::takeMasks(Value scores, SmallVectorImpl<AttentionMask> &masks) {
  for (bool isFirst = true; scores; isFirst = false) {
    auto select = scores.getDefiningOp<SelectOp>();
    auto add = scores.getDefiningOp<AddOp>();
    if (!select && !add)
      return scores;
    if (!isFirst && !scores.hasOneUse())
      return {};
    scores = select ? takeSelect(select, masks) : takeAdd(add, masks);
  }
  return {};
}

Value graphc::graph::makeMask(ExpansionBuilder &e, ArrayRef<AttentionMask> masks) {
  Value joined;
  for (const AttentionMask &mask : masks) {
    Value value = mask.make(e);
    if (!joined) {
      joined = value;
      continue;
    }
    SmallVector<int64_t> shape;
    for (auto [one, other] : llvm::zip(typeOf(joined).getShape(), typeOf(value).getShape()))
      shape.push_back(std::max(one, other));
    joined = e.make<AndOp>(e.broadcast(joined, shape), e.broadcast(value, shape));
  }
  return joined;
}
