//===- AttentionOps.cpp - each query a mean of values -----------------------------------------===//
//
// Compiled, scores are computed for some rows of queries at a time. Backward they are computed
// again, and as their transpose, a row a key: so the gradients of keys and values are plain
// products, and no score of the backward pass is one of the forward pass, which cse would keep.
//
//===------------------------------------------------------------------------------------------===//
#include "dialects/graph/ops/ExpansionBuilder.h"
#include "dialects/graph/ops/StridedView.h"
#include "runtime/common/base/OpCount.h"
#include "runtime/common/device/DeviceKinds.h"

using namespace mlir;
using namespace graphc::graph;
namespace base = graphc::base;

#define GET_OP_CLASSES
#include "dialects/graph/ops/AttentionOps.cpp.inc"

void graphc::graph::registerAttentionOps(GraphDialect &dialect) {
  addCheckedOperations<
#define GET_OP_LIST
#include "dialects/graph/ops/AttentionOps.cpp.inc"
      >(dialect);
}

//===------------------------------------------------------------------------------------------===//
// Types
//===------------------------------------------------------------------------------------------===//

/// [leading…, queries, keys]
static SmallVector<int64_t> getScores(RankedTensorType query, RankedTensorType key) {
  SmallVector<int64_t> shape(query.getShape().drop_back());
  shape.push_back(key.getShape().end()[-2]);
  return shape;
}

template <typename Adaptor>
static LogicalResult checkMaskAndScale(Loc loc, Adaptor op, RankedTensorType scores) {
  if (Value mask = op.getMask()) {
    RankedTensorType type = tensorOf(mask);
    if (!type || type.getRank() != scores.getRank() ||
        !llvm::all_of(llvm::zip(type.getShape(), scores.getShape()), [](auto sizes) {
          return std::get<0>(sizes) == 1 || std::get<0>(sizes) == std::get<1>(sizes);
        }))
      return emitOptionalError(loc, "each dimension of the mask must be 1 or that of the scores, ",
                               scores, ", got ", mask.getType());
  }
  if (op.getScale() && !op.getScale()->isFinite())
    return emitOptionalError(loc, "scale must be finite, got ", op.getScale()->convertToDouble());
  return success();
}

/// The type of the result; null, behind an error, where the operands do not fit.
template <typename Adaptor> static RankedTensorType inferAttention(Loc loc, Adaptor op) {
  RankedTensorType q = tensorOf(op.getQuery()), k = tensorOf(op.getKey()),
                   v = tensorOf(op.getValue());
  auto fits = [&](RankedTensorType type) {
    return type && type.getElementType() == q.getElementType() && type.getRank() == q.getRank() &&
           type.getShape().drop_back(2) == q.getShape().drop_back(2);
  };
  if (!q || q.getRank() < 2 || !fits(k) || !fits(v)) {
    (void)emitOptionalError(
        loc,
        "query, key and value must have the same element type, the same rank of at least 2 and the same leading ",
        "dimensions, got ", op.getQuery().getType(), ", ", op.getKey().getType(), " and ",
        op.getValue().getType());
    return {};
  }
  if (k.getShape().back() != q.getShape().back() ||
      k.getShape().end()[-2] != v.getShape().end()[-2]) {
    (void)emitOptionalError(loc,
                            "key must be as wide as query and have as many rows as value, got ", q,
                            ", ", k, " and ", v);
    return {};
  }
  if (failed(checkMaskAndScale(loc, op, q.clone(getScores(q, k)))))
    return {};
  SmallVector<int64_t> shape(q.getShape());
  shape.back() = v.getShape().back();
  return q.clone(shape);
}

// (C1) alike but for the last two dimensions   (C2) widths and rows fit
// (C3) the mask is like the scores   (C4) scale is finite
LogicalResult AttentionOp::inferReturnTypes(MLIRContext *, Loc loc, Adaptor adaptor, Types &types) {
  RankedTensorType result = inferAttention(loc, adaptor);
  if (!result)
    return failure();
  types.push_back(result);
  return success();
}

// (C5) output and grad_output have the type of the result
LogicalResult AttentionGradOp::inferReturnTypes(MLIRContext *, Loc loc, Adaptor adaptor,
                                                Types &types) {
  RankedTensorType result = inferAttention(loc, adaptor);
  if (!result)
    return failure();
  if (adaptor.getOutput().getType() != result || adaptor.getGradOutput().getType() != result)
    return emitOptionalError(loc, "output and grad_output must be of attention's type ", result,
                             ", got ", adaptor.getOutput().getType(), " and ",
                             adaptor.getGradOutput().getType());
  types.append(
      {adaptor.getQuery().getType(), adaptor.getKey().getType(), adaptor.getValue().getType()});
  return success();
}

/// [leading…, heads, rows, columns], what it is for each head.
static RankedTensorType getByHead(RankedTensorType type, int64_t heads, int64_t columns) {
  SmallVector<int64_t> shape(type.getShape().drop_back(2));
  shape.append({heads, type.getShape().end()[-2], columns});
  return type.clone(shape);
}

template <typename Adaptor> static RankedTensorType inferPacked(Loc loc, Adaptor op) {
  RankedTensorType type = tensorOf(op.getOperand());
  const auto heads = int64_t(op.getHeads());
  if (!type || type.getRank() < 2 || heads < 1 || type.getShape().back() % 3 != 0 ||
      type.getShape().back() / 3 % heads != 0) {
    (void)emitOptionalError(loc, "the last dimension must hold query, key and value of ", heads,
                            " heads, 3 times a multiple of these, got ", op.getOperand().getType());
    return {};
  }
  SmallVector<int64_t> shape(type.getShape());
  if (failed(checkMaskAndScale(loc, op, getByHead(type, heads, shape.end()[-2]))))
    return {};
  shape.back() /= 3;
  return type.clone(shape);
}

// (C1) operand holds 3 times so many heads   (C2) the mask is like the scores
// (C3) scale is finite
LogicalResult PackedAttentionOp::inferReturnTypes(MLIRContext *, Loc loc, Adaptor adaptor,
                                                  Types &types) {
  RankedTensorType result = inferPacked(loc, adaptor);
  if (!result)
    return failure();
  types.push_back(result);
  return success();
}

// (C4) output and grad_output have the type of the result
LogicalResult PackedAttentionGradOp::inferReturnTypes(MLIRContext *, Loc loc, Adaptor adaptor,
                                                      Types &types) {
  RankedTensorType result = inferPacked(loc, adaptor);
  if (!result)
    return failure();
  if (adaptor.getOutput().getType() != result || adaptor.getGradOutput().getType() != result)
    return emitOptionalError(loc, "output and grad_output must be of packed_attention's type ",
                             result, ", got ", adaptor.getOutput().getType(), " and ",
                             adaptor.getGradOutput().getType());
  types.push_back(adaptor.getOperand().getType());
  return success();
}

//===------------------------------------------------------------------------------------------===//
// Canonicalizations
//===------------------------------------------------------------------------------------------===//

/// Heads before rows in place of rows before heads, or back.
static Value swapHeads(ExpansionBuilder e, Value value) {
  SmallVector<int64_t> swap = llvm::to_vector(llvm::seq<int64_t>(0, typeOf(value).getRank()));
  std::swap(swap.end()[-2], swap.end()[-3]);
  return e.make<TransposeOp>(value, swap);
}

/// The value's columns from `from` on, one group a head: [leading…, heads, rows, size].
static Value takeHeads(ExpansionBuilder e, Value value, int64_t from, int64_t heads, int64_t size) {
  RankedTensorType type = typeOf(value);
  SmallVector<int64_t> starts(size_t(type.getRank()), 0), limits(type.getShape()),
      strides(limits.size(), 1);
  starts.back() = from;
  limits.back() = from + heads * size;
  SmallVector<int64_t> split(type.getShape().drop_back());
  split.append({heads, size});
  return swapHeads(
      e, e.make<ReshapeOp>(type.clone(split), e.make<SliceOp>(value, starts, limits, strides)));
}

/// The heads of [leading…, heads, rows, size] side by side.
static Value joinHeads(ExpansionBuilder e, Value value) {
  Value swapped = swapHeads(e, value);
  SmallVector<int64_t> shape(typeOf(swapped).getShape());
  const int64_t size = shape.pop_back_val();
  shape.back() *= size;
  return e.make<ReshapeOp>(typeOf(value).clone(shape), swapped);
}

// Where query, key and value are the thirds of one value's rows, as packed_attention takes them.
LogicalResult AttentionOp::canonicalize(AttentionOp op, PatternRewriter &rewriter) {
  const RankedTensorType type = typeOf(op.getQuery());
  const int64_t rank = type.getRank();
  if (rank < 3 || typeOf(op.getKey()) != type || typeOf(op.getValue()) != type)
    return failure();
  const int64_t heads = type.getShape().end()[-3], rows = type.getShape().end()[-2],
                size = type.getShape().back();
  const int64_t width = heads * size;
  SmallVector<int64_t> steps(size_t(rank), 1), packed(type.getShape().drop_back(3));
  steps.end()[-2] = 3 * width;
  steps.end()[-3] = size;
  int64_t step = rows * 3 * width;
  for (int64_t i = rank - 3; i-- > 0; step *= type.getDimSize(unsigned(i)))
    steps[size_t(i)] = step;
  packed.append({rows, 3 * width});
  Value root;
  const std::array<Value, 3> operands = {op.getQuery(), op.getKey(), op.getValue()};
  for (auto [index, operand] : llvm::enumerate(operands)) {
    const StridedView view = StridedView::of(operand);
    if (getDeviceOf(operand) != getDevice(op) || (root && view.root != root) ||
        view.offset != int64_t(index) * width ||
        !llvm::all_of(llvm::seq<size_t>(0, size_t(rank)),
                      [&](size_t i) { return view.sizes[i] == 1 || view.steps[i] == steps[i]; }))
      return failure();
    root = view.root;
  }
  if (typeOf(root).getNumElements() != step)
    return failure();
  Operation *before = op->getPrevNode();
  ExpansionBuilder e{rewriter, op.getLoc()};
  Value operand = e.make<ReshapeOp>(type.clone(packed), root);
  Value result = PackedAttentionOp::create(rewriter, op.getLoc(), operand, op.getMask(),
                                           rewriter.getI64IntegerAttr(heads), op.getCausalAttr(),
                                           op.getScaleAttr());
  result = takeHeads(e, result, 0, heads, size);
  if (DeviceAttr device = getDevice(op))
    for (Operation &made : madeSince(before, op))
      setDevice(&made, device);
  rewriter.replaceOp(op, result);
  return success();
}

//===------------------------------------------------------------------------------------------===//
// Decompositions
//===------------------------------------------------------------------------------------------===//

namespace {

/// Scores of so many bytes are computed at once, by at most so many pieces.
constexpr int64_t kScoreBytes = int64_t(4) << 20, kMostPieces = 64;

template <typename Op> double getScaleOf(Op op) {
  return op.getScale() ? op.getScale()->convertToDouble()
                       : 1 / std::sqrt(double(typeOf(op.getQuery()).getShape().back()));
}

/// Attention over some rows of queries, at a time.
template <typename Op> struct Rows {
  ExpansionBuilder e;
  Op op;
  int64_t rank, queries, keys, row = 0, rows = 0;

  Rows(Op op, OpBuilder &builder)
      : e{builder, op.getLoc()}, op(op), rank(typeOf(op.getQuery()).getRank()) {
    SmallVector<int64_t> scores = getScores(typeOf(op.getQuery()), typeOf(op.getKey()));
    queries = scores[size_t(rank - 2)], keys = scores.back();
    int64_t bytes = graphc::graph::getByteSize(typeOf(op.getQuery()).clone(scores));
    int64_t pieces = std::clamp(llvm::divideCeil(bytes, kScoreBytes), uint64_t(1),
                                uint64_t(std::min(queries, kMostPieces)));
    each = int64_t(llvm::divideCeil(queries, pieces));
  }
  /// Moves on to the next rows; false where there are none.
  bool next() {
    row += rows;
    rows = std::min(each, queries - row);
    return rows > 0;
  }

  Value product(Value a, Value b, bool transposeA, bool transposeB) {
    return e.make<MatmulOp>(a, b, transposeA, transposeB);
  }
  Value multiply(Value a, Value b) { return e.make<MultiplyOp>(a, b); }
  Value scaled(Value value) { return multiply(value, e.splat(value.getType(), getScaleOf(op))); }
  /// These rows of a value that has one a query.
  Value here(Value value) { return part(value, rank - 2, row, rows); }
  Value part(Value value, int64_t dimension, int64_t from, int64_t count) {
    SmallVector<int64_t> limits(typeOf(value).getShape()), starts(limits.size(), 0),
        strides(limits.size(), 1);
    starts[size_t(dimension)] = from;
    limits[size_t(dimension)] = from + count;
    return e.make<SliceOp>(value, starts, limits, strides);
  }
  /// A number a query, repeated over the keys; `along`: the dimension of the keys.
  Value repeated(Value value, Type type, int64_t along) {
    return e.make<BroadcastInDimOp>(type, value, GradientBuilder::kept(rank, along));
  }

  /// -infinity where a key is not looked at. `along`: the dimension of the keys, the other one of
  /// the last two is that of the queries.
  Value masked(Value scores, int64_t along) {
    RankedTensorType type = typeOf(scores), places = type.clone(e.builder.getI32Type());
    const bool transposed = along != rank - 1;
    Value visible;
    if (op.getCausal()) {
      Value query = e.make<IotaOp>(places, uint64_t(transposed ? rank - 1 : rank - 2));
      if (row)
        query = e.make<AddOp>(query, e.splat(places, double(row)));
      visible = e.compare(Comparison::GE, query, e.make<IotaOp>(places, uint64_t(along)));
    }
    if (Value mask = op.getMask()) {
      if (typeOf(mask).getDimSize(unsigned(rank - 2)) != 1)
        mask = here(mask);
      if (transposed) {
        SmallVector<int64_t> swap = llvm::to_vector(llvm::seq<int64_t>(0, rank));
        std::swap(swap.end()[-1], swap.end()[-2]);
        mask = e.make<TransposeOp>(mask, swap);
      }
      mask = e.make<BroadcastInDimOp>(type.clone(e.builder.getI1Type()), mask,
                                      llvm::to_vector(llvm::seq<int64_t>(0, rank)));
      visible = visible ? e.make<AndOp>(visible, mask) : mask;
    }
    return visible ? e.make<SelectOp>(visible, scores,
                                      e.splat(type, -std::numeric_limits<double>::infinity()))
                   : scores;
  }

  /// Over the keys; 0 for a query that may look at none.
  Value softmax(Value products, int64_t along) {
    Value z = masked(scaled(products), along);
    Value most = e.make<ReduceMaxOp>(z, ArrayRef<int64_t>{along});
    if (op.getMask()) {
      Value none = e.splat(most.getType(), -std::numeric_limits<double>::infinity());
      most =
          e.make<SelectOp>(e.compare(Comparison::EQ, most, none), e.splat(most.getType(), 0), most);
    }
    Value power = e.make<ExponentialOp>(e.make<SubtractOp>(z, repeated(most, z.getType(), along)));
    Value sum = e.make<ReduceSumOp>(power, ArrayRef<int64_t>{along});
    if (op.getMask()) {
      Value zero = e.splat(sum.getType(), 0);
      sum = e.make<SelectOp>(e.compare(Comparison::EQ, sum, zero), e.splat(sum.getType(), 1), sum);
    }
    return e.make<DivideOp>(power, repeated(sum, z.getType(), along));
  }

  int64_t each;
};

} // namespace

Values AttentionOp::decompose(OpBuilder &builder) {
  Rows<AttentionOp> rows(*this, builder);
  SmallVector<Value> pieces;
  while (rows.next()) {
    Value weights =
        rows.softmax(rows.product(rows.here(getQuery()), getKey(), false, true), rows.rank - 1);
    pieces.push_back(rows.product(weights, getValue(), false, false));
  }
  return {pieces.size() == 1 ? pieces.front()
                             : rows.e.make<ConcatenateOp>(pieces, uint64_t(rows.rank - 2))};
}

// With p the weights, o the output and g its gradient: dv = pᵀ g, and s = p (g vᵀ - sum(g o)) gives
// dq = scale s k, dk = scale sᵀ q. All that has a number for a query and a key stands transposed
// here.
Values AttentionGradOp::decompose(OpBuilder &builder) {
  Rows<AttentionGradOp> rows(*this, builder);
  const int64_t along = rows.rank - 2; // of the keys
  SmallVector<Value> ofQuery;
  Value ofKey, ofValue;
  auto add = [&](Value &sum, Value more) { sum = sum ? rows.e.make<AddOp>(sum, more) : more; };
  while (rows.next()) {
    Value q = rows.here(getQuery()), g = rows.here(getGradOutput());
    Value weights = rows.softmax(rows.product(getKey(), q, false, true), along);
    add(ofValue, rows.product(weights, g, false, false));
    Value inner = rows.e.make<ReduceSumOp>(rows.multiply(g, rows.here(getOutput())),
                                           ArrayRef<int64_t>{rows.rank - 1});
    Value change = rows.e.make<SubtractOp>(rows.product(getValue(), g, false, true),
                                           rows.repeated(inner, weights.getType(), along));
    Value ofScores = rows.scaled(rows.multiply(weights, change));
    add(ofKey, rows.product(ofScores, q, false, false));
    ofQuery.push_back(rows.product(ofScores, getKey(), true, false));
  }
  Value all =
      ofQuery.size() == 1 ? ofQuery.front() : rows.e.make<ConcatenateOp>(ofQuery, uint64_t(along));
  return {all, ofKey, ofValue};
}

/// Query, key and value.
template <typename Op> static SmallVector<Value> unpack(ExpansionBuilder e, Op op) {
  const auto heads = int64_t(op.getHeads()), width = typeOf(op.getOperand()).getShape().back() / 3;
  SmallVector<Value> parts;
  for (int64_t i = 0; i < 3; ++i)
    parts.push_back(takeHeads(e, op.getOperand(), i * width, heads, width / heads));
  return parts;
}

Values PackedAttentionOp::decompose(OpBuilder &builder) {
  ExpansionBuilder e{builder, getLoc()};
  SmallVector<Value> parts = unpack(e, *this);
  return {joinHeads(e, AttentionOp::create(builder, getLoc(), parts[0], parts[1], parts[2],
                                           getMask(), getCausalAttr(), getScaleAttr()))};
}

Values PackedAttentionGradOp::decompose(OpBuilder &builder) {
  ExpansionBuilder e{builder, getLoc()};
  SmallVector<Value> parts = unpack(e, *this);
  const auto heads = int64_t(getHeads()), size = typeOf(parts[0]).getShape().back();
  Value output = takeHeads(e, getOutput(), 0, heads, size),
        grad = takeHeads(e, getGradOutput(), 0, heads, size);
  auto made = AttentionGradOp::create(builder, getLoc(), parts[0], parts[1], parts[2], output, grad,
                                      getMask(), getCausalAttr(), getScaleAttr());
  SmallVector<Value> joined;
  for (Value part : made->getResults())
    joined.push_back(joinHeads(e, part));
  return {e.make<ConcatenateOp>(joined, uint64_t(typeOf(getOperand()).getRank() - 1))};
}

//===------------------------------------------------------------------------------------------===//
// Gradients
//===------------------------------------------------------------------------------------------===//

void AttentionOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients needed,
                                Gradients result) {
  auto made =
      AttentionGradOp::create(builder, getLoc(), getQuery(), getKey(), getValue(), getResult(),
                              g[0], getMask(), getCausalAttr(), getScaleAttr());
  for (unsigned i = 0; i < 3; ++i)
    if (needed[i])
      result[i] = made->getResult(i);
}

void PackedAttentionOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients,
                                      Gradients result) {
  result[0] =
      PackedAttentionGradOp::create(builder, getLoc(), getOperand(), getResult(), g[0], getMask(),
                                    getHeadsAttr(), getCausalAttr(), getScaleAttr());
}

//===------------------------------------------------------------------------------------------===//
// What libraries and passes ask
//===------------------------------------------------------------------------------------------===//

/// Forward and backward are the library's, or neither is. `elements`: of the largest operand or
/// result.
static bool isLibrarys(StringRef kind, Type element, int64_t queries, int64_t keys, int64_t widths,
                       int64_t elements) {
  constexpr double least = 4096;
  return !graphc::device::runsPtx(kind) && element.isF32() &&
         double(queries) * double(keys) * double(widths) >= least &&
         elements <= std::numeric_limits<int32_t>::max();
}
template <typename Op> static bool isLibrarys(Op op, StringRef kind) {
  RankedTensorType q = typeOf(op.getQuery()), k = typeOf(op.getKey()), v = typeOf(op.getValue());
  const int64_t outputs = q.getNumElements() / q.getShape().back() * v.getShape().back();
  return isLibrarys(
      kind, q.getElementType(), q.getShape().end()[-2], k.getShape().end()[-2],
      q.getShape().back() + v.getShape().back(),
      std::max({q.getNumElements(), k.getNumElements(), v.getNumElements(), outputs}));
}
template <typename Op> static bool isPackedLibrarys(Op op, StringRef kind) {
  RankedTensorType type = typeOf(op.getOperand());
  const int64_t rows = type.getShape().end()[-2],
                size = type.getShape().back() / 3 / int64_t(op.getHeads());
  return isLibrarys(kind, type.getElementType(), rows, rows, 2 * size, type.getNumElements());
}

template <typename Op> static DictionaryAttr describe(Op op) {
  Builder builder(op.getContext());
  NamedAttrList descriptor;
  if (op.getCausal())
    descriptor.append("causal", builder.getUnitAttr());
  descriptor.append("scale", builder.getF64FloatAttr(getScaleOf(op)));
  return descriptor.getDictionary(op.getContext());
}
template <typename Op> static DictionaryAttr describePacked(Op op) {
  Builder builder(op.getContext());
  const double size = double(typeOf(op.getOperand()).getShape().back()) / 3 / double(op.getHeads());
  NamedAttrList descriptor;
  if (op.getCausal())
    descriptor.append("causal", builder.getUnitAttr());
  descriptor.append("heads", builder.getI64IntegerAttr(int64_t(op.getHeads())));
  descriptor.append("scale",
                    builder.getF64FloatAttr(op.getScale() ? op.getScale()->convertToDouble()
                                                          : 1 / std::sqrt(size)));
  return descriptor.getDictionary(op.getContext());
}

StringRef AttentionOp::getLibraryKernel(StringRef kind) {
  return isLibrarys(*this, kind) ? "attention" : "";
}
DictionaryAttr AttentionOp::getLibraryDescriptor(StringRef) { return describe(*this); }
StringRef AttentionGradOp::getLibraryKernel(StringRef kind) {
  return isLibrarys(*this, kind) ? "attention_grad" : "";
}
DictionaryAttr AttentionGradOp::getLibraryDescriptor(StringRef) { return describe(*this); }
StringRef PackedAttentionOp::getLibraryKernel(StringRef kind) {
  return isPackedLibrarys(*this, kind) ? "packed_attention" : "";
}
DictionaryAttr PackedAttentionOp::getLibraryDescriptor(StringRef) { return describePacked(*this); }
StringRef PackedAttentionGradOp::getLibraryKernel(StringRef kind) {
  return isPackedLibrarys(*this, kind) ? "packed_attention_grad" : "";
}
DictionaryAttr PackedAttentionGradOp::getLibraryDescriptor(StringRef) {
  return describePacked(*this);
}

//===------------------------------------------------------------------------------------------===//
// Costs
//===------------------------------------------------------------------------------------------===//

/// Of scores.
template <typename Op> static uint64_t countScores(Op op) {
  return base::multiplyOps(
      {count(op.getQuery()) / uint64_t(typeOf(op.getQuery()).getShape().back()),
       uint64_t(typeOf(op.getKey()).getShape().end()[-2])});
}
template <typename Op> static uint64_t getWidths(Op op) {
  return uint64_t(typeOf(op.getQuery()).getShape().back() +
                  typeOf(op.getValue()).getShape().back());
}
uint64_t AttentionOp::getFlops() {
  return base::multiplyOps({countScores(*this), 2 * getWidths(*this) + 6});
}
// The scores again, two products by the width of values and two more by that of keys, and what is
// between.
uint64_t AttentionGradOp::getFlops() {
  return base::multiplyOps({countScores(*this), 5 * getWidths(*this) + 9});
}

/// Of scores, times the numbers of a query, a key and a value.
template <typename Op> static uint64_t countPacked(Op op, uint64_t products, uint64_t between) {
  RankedTensorType type = typeOf(op.getOperand());
  const auto rows = uint64_t(type.getShape().end()[-2]),
             third = uint64_t(type.getShape().back() / 3);
  const uint64_t queries = count(op.getOperand()) / (3 * third); // of all samples
  return base::multiplyOps({queries, rows, products * 2 * third + between * op.getHeads()});
}
uint64_t PackedAttentionOp::getFlops() { return countPacked(*this, 2, 6); }
uint64_t PackedAttentionGradOp::getFlops() { return countPacked(*this, 5, 9); }
