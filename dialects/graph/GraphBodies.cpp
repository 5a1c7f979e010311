//===- GraphBodies.cpp - the loops of each structured op and what one iteration computes ----------------------===//
//
// Each op rounds as it would alone, whatever its body is inlined into. Ops without getLoopNests here are computed place by
// place (getElementwiseNest).
//
//===----------------------------------------------------------------------------------------------------------===//
#include "dialects/graph/Scalars.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;
using namespace graphc::graph;
using utils::IteratorType;

namespace {

using Elements = ValueRange;
using Results = SmallVector<Value>;
using Nests = SmallVector<LoopNest>;
using IndexOf = llvm::function_ref<Value(unsigned)>;

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }
bool isFloat(Value value) { return isa<FloatType>(value.getType()); }

AffineMap getMap(size_t loops, ArrayRef<AffineExpr> results, MLIRContext *context) {
  return AffineMap::get(unsigned(loops), 0, results, context);
}
AffineMap getIdentity(int64_t rank, MLIRContext *context) {
  return AffineMap::getMultiDimIdentityMap(unsigned(rank), context);
}

/// Parallel over the result, of whose only operand each element comes from the given place.
Nests moveFrom(Operation *op, ArrayRef<AffineExpr> place) {
  int64_t rank = typeOf(op->getResult(0)).getRank();
  LoopNest nest = getParallelNest(rank);
  nest.reads = {{0, getMap(size_t(rank), place, op->getContext())}};
  nest.writes = {getIdentity(rank, op->getContext())};
  return {nest};
}

} // namespace

//===----------------------------------------------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------------------------------------------===//

Results AddOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  return {Scalars{builder, getLoc()}.add(x[0], x[1])};
}
Results SubtractOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  return {Scalars{builder, getLoc()}.subtract(x[0], x[1])};
}
Results MultiplyOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  return {Scalars{builder, getLoc()}.multiply(x[0], x[1])};
}
Results DivideOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  return {Scalars{builder, getLoc()}.divide(x[0], x[1])};
}
Results MaximumOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  return {Scalars{builder, getLoc()}.maximum(x[0], x[1])};
}
Results MinimumOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  return {Scalars{builder, getLoc()}.minimum(x[0], x[1])};
}

Results NegateOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  Scalars s{builder, getLoc()};
  return {isFloat(x[0]) ? s.make<arith::NegFOp>(x[0]) : s.subtract(s.constant(x[0].getType(), 0), x[0])};
}
Results AbsOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  Scalars s{builder, getLoc()};
  if (isFloat(x[0]))
    return {s.make<math::AbsFOp>(x[0])};
  Value zero = s.constant(x[0].getType(), 0);
  Value negative = s.compare(Comparison::LT, x[0], zero);
  return {s.make<arith::SelectOp>(negative, s.subtract(zero, x[0]), x[0])};
}
Results SqrtOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  return {math::SqrtOp::create(builder, getLoc(), x[0])};
}
Results ExponentialOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  return {math::ExpOp::create(builder, getLoc(), x[0])};
}
Results LogOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  return {math::LogOp::create(builder, getLoc(), x[0])};
}
Results TanhOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  return {math::TanhOp::create(builder, getLoc(), x[0])};
}
// As the library does it: a NaN and a zero of either sign become +0.
Results ReluOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  Scalars s{builder, getLoc()};
  Value zero = s.constant(x[0].getType(), 0);
  return {s.make<arith::SelectOp>(s.compare(Comparison::GT, x[0], zero), x[0], zero)};
}

Results AndOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  return {arith::AndIOp::create(builder, getLoc(), x[0], x[1])};
}
Results OrOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  return {arith::OrIOp::create(builder, getLoc(), x[0], x[1])};
}
Results NotOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  Value yes = arith::ConstantOp::create(builder, getLoc(), builder.getBoolAttr(true));
  return {arith::XOrIOp::create(builder, getLoc(), x[0], yes)};
}
Results CompareOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  return {Scalars{builder, getLoc()}.compare(getRelation(), x[0], x[1])};
}
Results SelectOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  return {arith::SelectOp::create(builder, getLoc(), x[0], x[1], x[2])};
}
Results ConvertOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  return {Scalars{builder, getLoc()}.convert(x[0], typeOf(getResult()).getElementType())};
}

//===----------------------------------------------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------------------------------------------===//

/// Where all elements are one; others are memory.
Nests ConstantOp::getLoopNests() {
  return isa<SplatElementsAttr>(getValue()) ? Nests{getElementwiseNest(*this)} : Nests();
}
Results ConstantOp::buildBody(OpBuilder &builder, Elements, Elements, IndexOf) {
  auto value = cast<TypedAttr>(cast<SplatElementsAttr>(getValue()).getSplatValue<Attribute>());
  return {arith::ConstantOp::create(builder, getLoc(), value)};
}

Results IotaOp::buildBody(OpBuilder &builder, Elements, Elements, IndexOf index) {
  Type element = getType().getElementType();
  Value place = index(unsigned(getDimension()));
  if (!isa<FloatType>(element))
    return {builder.createOrFold<arith::IndexCastOp>(getLoc(), element, place)};
  Value whole = builder.createOrFold<arith::IndexCastOp>(getLoc(), builder.getI64Type(), place);
  return {builder.createOrFold<arith::SIToFPOp>(getLoc(), element, whole)};
}

/// One that only adds or drops dimensions of size 1; others are views.
static bool isUnitReshape(ReshapeOp op) {
  auto squeeze = [](Value value) {
    return llvm::filter_to_vector(typeOf(value).getShape(), [](int64_t size) { return size != 1; });
  };
  return squeeze(op.getOperand()) == squeeze(op.getResult());
}
Nests ReshapeOp::getLoopNests() {
  if (!isUnitReshape(*this))
    return {};
  SmallVector<AffineExpr> kept, place;
  for (auto [i, size] : llvm::enumerate(typeOf(getResult()).getShape()))
    if (size != 1)
      kept.push_back(getAffineDimExpr(unsigned(i), getContext()));
  size_t next = 0;
  for (int64_t size : typeOf(getOperand()).getShape())
    place.push_back(size == 1 ? getAffineConstantExpr(0, getContext()) : kept[next++]);
  return moveFrom(*this, place);
}
Results ReshapeOp::buildBody(OpBuilder &, Elements x, Elements, IndexOf) { return {x[0]}; }
std::optional<int64_t> ReshapeOp::getViewOffset() {
  return isUnitReshape(*this) ? std::nullopt : std::optional<int64_t>(0);
}

Nests TransposeOp::getLoopNests() {
  SmallVector<AffineExpr> place(size_t(getType().getRank()));
  for (auto [i, dimension] : llvm::enumerate(getPermutation()))
    place[size_t(dimension)] = getAffineDimExpr(unsigned(i), getContext());
  return moveFrom(*this, place);
}
Results TransposeOp::buildBody(OpBuilder &, Elements x, Elements, IndexOf) { return {x[0]}; }

Nests BroadcastInDimOp::getLoopNests() {
  SmallVector<AffineExpr> place;
  for (auto [i, dimension] : llvm::enumerate(getBroadcastDimensions()))
    place.push_back(typeOf(getOperand()).getDimSize(i) == 1 ? getAffineConstantExpr(0, getContext())
                                                            : getAffineDimExpr(unsigned(dimension), getContext()));
  return moveFrom(*this, place);
}
Results BroadcastInDimOp::buildBody(OpBuilder &, Elements x, Elements, IndexOf) { return {x[0]}; }

Nests SliceOp::getLoopNests() {
  SmallVector<AffineExpr> place;
  for (auto [i, start, stride] : llvm::enumerate(getStartIndices(), getStrides()))
    place.push_back(getAffineDimExpr(unsigned(i), getContext()) * stride + start);
  return moveFrom(*this, place);
}
Results SliceOp::buildBody(OpBuilder &, Elements x, Elements, IndexOf) { return {x[0]}; }
std::optional<int64_t> SliceOp::getViewOffset() {
  RankedTensorType from = typeOf(getOperand()), to = getType();
  int64_t offset = 0, step = getElementBytes(from.getElementType());
  bool whole = true; // all dimensions so far, from the last one
  for (int64_t i = from.getRank(); i-- > 0; step *= from.getDimSize(i)) {
    if (to.getDimSize(i) > 1 && (getStrides()[i] != 1 || !whole))
      return std::nullopt;
    offset += getStartIndices()[i] * step;
    whole &= to.getDimSize(i) == from.getDimSize(i);
  }
  return offset;
}

/// One nest an operand: its elements go to their place in the result.
Nests ConcatenateOp::getLoopNests() {
  int64_t rank = getType().getRank(), begin = 0;
  AffineMap identity = getIdentity(rank, getContext());
  Nests nests;
  for (auto [i, input] : llvm::enumerate(getInputs())) {
    LoopNest &nest = nests.emplace_back(getParallelNest(rank));
    nest.reads = {{unsigned(i), identity}};
    SmallVector<AffineExpr> place(identity.getResults());
    place[getDimension()] = place[getDimension()] + begin;
    nest.writes = {getMap(size_t(rank), place, getContext())};
    begin += typeOf(input).getDimSize(unsigned(getDimension()));
  }
  return nests;
}
Results ConcatenateOp::buildBody(OpBuilder &, Elements x, Elements, IndexOf) { return {x[0]}; }

//===----------------------------------------------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------------------------------------------===//

/// Loops in the operand's order; the result's map leaves the reduced ones away.
static Nests reduce(Value operand, ArrayRef<int64_t> dimensions) {
  MLIRContext *context = operand.getContext();
  int64_t rank = typeOf(operand).getRank();
  LoopNest nest = getParallelNest(rank);
  SmallVector<AffineExpr> kept;
  for (int64_t i = 0; i < rank; ++i) {
    if (llvm::is_contained(dimensions, i))
      nest.iterators[size_t(i)] = IteratorType::reduction;
    else
      kept.push_back(getAffineDimExpr(unsigned(i), context));
  }
  nest.reads = {{0, getIdentity(rank, context)}};
  nest.writes = {getMap(size_t(rank), kept, context)};
  return {nest};
}

/// Zero, or the least or largest value there is.
enum class Start { Zero, Least, Largest };
static TypedAttr getStartOf(Value result, Start start) {
  Type element = typeOf(result).getElementType();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (isa<FloatType>(element))
    return FloatAttr::get(element, start == Start::Zero ? 0 : start == Start::Least ? -infinity : infinity);
  unsigned width = element.getIntOrFloatBitWidth();
  return IntegerAttr::get(element, start == Start::Zero    ? llvm::APInt::getZero(width)
                                   : start == Start::Least ? llvm::APInt::getSignedMinValue(width)
                                                           : llvm::APInt::getSignedMaxValue(width));
}

Nests ReduceSumOp::getLoopNests() { return reduce(getOperand(), getDimensions()); }
TypedAttr ReduceSumOp::getStart(unsigned) { return getStartOf(getResult(), Start::Zero); }
Results ReduceSumOp::buildBody(OpBuilder &builder, Elements x, Elements old, IndexOf) {
  return {Scalars{builder, getLoc()}.add(old[0], x[0])};
}

Nests ReduceMaxOp::getLoopNests() { return reduce(getOperand(), getDimensions()); }
TypedAttr ReduceMaxOp::getStart(unsigned) { return getStartOf(getResult(), Start::Least); }
Results ReduceMaxOp::buildBody(OpBuilder &builder, Elements x, Elements old, IndexOf) {
  return {Scalars{builder, getLoc()}.maximum(old[0], x[0])};
}

Nests ReduceMinOp::getLoopNests() { return reduce(getOperand(), getDimensions()); }
TypedAttr ReduceMinOp::getStart(unsigned) { return getStartOf(getResult(), Start::Largest); }
Results ReduceMinOp::buildBody(OpBuilder &builder, Elements x, Elements old, IndexOf) {
  return {Scalars{builder, getLoc()}.minimum(old[0], x[0])};
}

/// Loops: batch, m, n, and k innermost.
Nests MatmulOp::getLoopNests() {
  int64_t rank = typeOf(getResult()).getRank();
  auto dim = [&](int64_t i) { return getAffineDimExpr(unsigned(i), getContext()); };
  AffineExpr m = dim(rank - 2), n = dim(rank - 1), k = dim(rank);
  auto map = [&](AffineExpr row, AffineExpr column) {
    SmallVector<AffineExpr> place;
    for (int64_t i = 0; i < rank - 2; ++i)
      place.push_back(dim(i));
    place.append({row, column});
    return getMap(size_t(rank + 1), place, getContext());
  };
  LoopNest nest = getParallelNest(rank + 1);
  nest.iterators.back() = IteratorType::reduction;
  nest.reads = {{0, getTransposeA() ? map(k, m) : map(m, k)}, {1, getTransposeB() ? map(n, k) : map(k, n)}};
  nest.writes = {map(m, n)};
  return {nest};
}
TypedAttr MatmulOp::getStart(unsigned) { return getStartOf(getResult(), Start::Zero); }
Results MatmulOp::buildBody(OpBuilder &builder, Elements x, Elements old, IndexOf) {
  Scalars s{builder, getLoc()};
  return {s.add(old[0], s.multiply(x[0], x[1]))};
}

Nests BiasAddOp::getLoopNests() {
  LoopNest nest = getElementwiseNest(*this);
  nest.reads[1].map = getMap(nest.iterators.size(), nest.reads[0].map.getResults().back(), getContext());
  return {nest};
}
Results BiasAddOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  return {Scalars{builder, getLoc()}.add(x[0], x[1])};
}

//===----------------------------------------------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------------------------------------------===//

/// factor * x, the factor rounded to the type of x.
static Value scale(Scalars &s, const llvm::APFloat &factor, Value x) {
  return s.multiply(s.constant(x.getType(), factor.convertToDouble()), x);
}

Results AssignOp::buildBody(OpBuilder &, Elements x, Elements, IndexOf) { return {x[0]}; }
Results AssignAddOp::buildBody(OpBuilder &builder, Elements x, Elements old, IndexOf) {
  return {Scalars{builder, getLoc()}.add(old[0], x[0])};
}
Results ApplySgdOp::buildBody(OpBuilder &builder, Elements x, Elements old, IndexOf) {
  Scalars s{builder, getLoc()};
  return {s.subtract(old[0], scale(s, getLearningRate(), x[0]))};
}
Results ApplyMomentumOp::buildBody(OpBuilder &builder, Elements x, Elements old, IndexOf) {
  Scalars s{builder, getLoc()};
  Value slot = s.add(scale(s, getMomentum(), old[1]), x[0]);
  return {s.subtract(old[0], scale(s, getLearningRate(), slot)), slot};
}
