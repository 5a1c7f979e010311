//===- Attention.cpp - each query a mean of values ------------------------------------------------------------===//
//
// Compiled, scores are computed for some rows of queries at a time. Backward they are computed again, and as their transpose, a row a key: so the
// gradients of keys and values are plain products, and no score of the backward pass is one of the forward pass, which cse would keep.
//
//===----------------------------------------------------------------------------------------------------------===//
#include "dialects/graph/ops/Making.h"
#include "runtime/device/Kinds.h"

using namespace mlir;
using namespace graphc::graph;

#define GET_OP_CLASSES
#include "dialects/graph/ops/Attention.cpp.inc"

void graphc::graph::registerAttentionOps(GraphDialect &dialect) {
  addCheckedOperations<
#define GET_OP_LIST
#include "dialects/graph/ops/Attention.cpp.inc"
      >(dialect);
}

//===----------------------------------------------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------------------------------------------===//

/// [leading…, queries, keys]
static SmallVector<int64_t> getScores(RankedTensorType query, RankedTensorType key) {
  SmallVector<int64_t> shape(query.getShape().drop_back());
  shape.push_back(key.getShape().end()[-2]);
  return shape;
}

/// The type of the result; null, behind an error, where the operands do not fit.
template <typename Adaptor> static RankedTensorType inferAttention(Loc loc, Adaptor op) {
  RankedTensorType q = tensorOf(op.getQuery()), k = tensorOf(op.getKey()), v = tensorOf(op.getValue());
  auto fits = [&](RankedTensorType type) {
    return type && type.getElementType() == q.getElementType() && type.getRank() == q.getRank() &&
           type.getShape().drop_back(2) == q.getShape().drop_back(2);
  };
  if (!q || q.getRank() < 2 || !fits(k) || !fits(v)) {
    (void)emitOptionalError(
        loc, "query, key and value must have the same element type, the same rank of at least 2 and the same leading ",
        "dimensions, got ", op.getQuery().getType(), ", ", op.getKey().getType(), " and ", op.getValue().getType());
    return {};
  }
  if (k.getShape().back() != q.getShape().back() || k.getShape().end()[-2] != v.getShape().end()[-2]) {
    (void)emitOptionalError(loc, "key must be as wide as query and have as many rows as value, got ", q, ", ", k,
                            " and ", v);
    return {};
  }
  if (Value mask = op.getMask()) {
    RankedTensorType type = tensorOf(mask);
    SmallVector<int64_t> scores = getScores(q, k);
    if (!type || type.getRank() != q.getRank() || !llvm::all_of(llvm::zip(type.getShape(), scores), [](auto sizes) {
          return std::get<0>(sizes) == 1 || std::get<0>(sizes) == std::get<1>(sizes);
        })) {
      (void)emitOptionalError(loc, "each dimension of the mask must be 1 or that of the scores, ", q.clone(scores),
                              ", got ", mask.getType());
      return {};
    }
  }
  if (op.getScale() && !op.getScale()->isFinite()) {
    (void)emitOptionalError(loc, "scale must be finite, got ", op.getScale()->convertToDouble());
    return {};
  }
  SmallVector<int64_t> shape(q.getShape());
  shape.back() = v.getShape().back();
  return q.clone(shape);
}

// (C1) alike but for the last two dimensions   (C2) widths and rows fit   (C3) the mask is like the scores   (C4) scale is finite
LogicalResult AttentionOp::inferReturnTypes(MLIRContext *, Loc loc, Adaptor adaptor, Types &types) {
  RankedTensorType result = inferAttention(loc, adaptor);
  if (!result)
    return failure();
  types.push_back(result);
  return success();
}

// (C5) output and grad_output have the type of the result
LogicalResult AttentionGradOp::inferReturnTypes(MLIRContext *, Loc loc, Adaptor adaptor, Types &types) {
  RankedTensorType result = inferAttention(loc, adaptor);
  if (!result)
    return failure();
  if (adaptor.getOutput().getType() != result || adaptor.getGradOutput().getType() != result)
    return emitOptionalError(loc, "output and grad_output must be of attention's type ", result, ", got ",
                             adaptor.getOutput().getType(), " and ", adaptor.getGradOutput().getType());
  types.append({adaptor.getQuery().getType(), adaptor.getKey().getType(), adaptor.getValue().getType()});
  return success();
}

//===----------------------------------------------------------------------------------------------------------===//
// Decompositions
//===----------------------------------------------------------------------------------------------------------===//

namespace {

/// Scores of so many bytes are computed at once, by at most so many pieces.
constexpr int64_t kScoreBytes = int64_t(4) << 20, kMostPieces = 64;

template <typename Op> double getScaleOf(Op op) {
  return op.getScale() ? op.getScale()->convertToDouble()
                       : 1 / std::sqrt(double(typeOf(op.getQuery()).getShape().back()));
}

/// Attention over some rows of queries, at a time.
template <typename Op> struct Rows {
  Expansion e;
  Op op;
  int64_t rank, queries, keys, row = 0, rows = 0;

  Rows(Op op, OpBuilder &builder) : e{builder, op.getLoc()}, op(op), rank(typeOf(op.getQuery()).getRank()) {
    SmallVector<int64_t> scores = getScores(typeOf(op.getQuery()), typeOf(op.getKey()));
    queries = scores[size_t(rank - 2)], keys = scores.back();
    int64_t bytes = graphc::graph::getByteSize(typeOf(op.getQuery()).clone(scores));
    int64_t pieces =
        std::clamp(llvm::divideCeil(bytes, kScoreBytes), uint64_t(1), uint64_t(std::min(queries, kMostPieces)));
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
    SmallVector<int64_t> limits(typeOf(value).getShape()), starts(limits.size(), 0), strides(limits.size(), 1);
    starts[size_t(dimension)] = from;
    limits[size_t(dimension)] = from + count;
    return e.make<SliceOp>(value, starts, limits, strides);
  }
  /// A number a query, repeated over the keys; `along`: the dimension of the keys.
  Value repeated(Value value, Type type, int64_t along) {
    return e.make<BroadcastInDimOp>(type, value, Maker::kept(rank, along));
  }

  /// -infinity where a key is not looked at. `along`: the dimension of the keys, the other one of the last two is that of the queries.
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
    return visible ? e.make<SelectOp>(visible, scores, e.splat(type, -std::numeric_limits<double>::infinity()))
                   : scores;
  }

  /// Over the keys; 0 for a query that may look at none.
  Value softmax(Value products, int64_t along) {
    Value z = masked(scaled(products), along);
    Value most = e.make<ReduceMaxOp>(z, ArrayRef<int64_t>{along});
    if (op.getMask()) {
      Value none = e.splat(most.getType(), -std::numeric_limits<double>::infinity());
      most = e.make<SelectOp>(e.compare(Comparison::EQ, most, none), e.splat(most.getType(), 0), most);
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
    Value weights = rows.softmax(rows.product(rows.here(getQuery()), getKey(), false, true), rows.rank - 1);
    pieces.push_back(rows.product(weights, getValue(), false, false));
  }
  return {pieces.size() == 1 ? pieces.front() : rows.e.make<ConcatenateOp>(pieces, uint64_t(rows.rank - 2))};
}

// With p the weights, o the output and g its gradient: dv = pᵀ g, and s = p (g vᵀ - sum(g o)) gives dq = scale s k, dk = scale sᵀ q. All that has
// a number for a query and a key stands transposed here.
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
    Value inner = rows.e.make<ReduceSumOp>(rows.multiply(g, rows.here(getOutput())), ArrayRef<int64_t>{rows.rank - 1});
    Value change = rows.e.make<SubtractOp>(rows.product(getValue(), g, false, true),
                                           rows.repeated(inner, weights.getType(), along));
    Value ofScores = rows.scaled(rows.multiply(weights, change));
    add(ofKey, rows.product(ofScores, q, false, false));
    ofQuery.push_back(rows.product(ofScores, getKey(), true, false));
  }
  Value all = ofQuery.size() == 1 ? ofQuery.front() : rows.e.make<ConcatenateOp>(ofQuery, uint64_t(along));
  return {all, ofKey, ofValue};
}

//===----------------------------------------------------------------------------------------------------------===//
// Gradients
//===----------------------------------------------------------------------------------------------------------===//

void AttentionOp::buildGradient(OpBuilder &builder, ValueRange g, Needed needed, Gradients result) {
  auto made = AttentionGradOp::create(builder, getLoc(), getQuery(), getKey(), getValue(), getResult(), g[0], getMask(),
                                      getCausalAttr(), getScaleAttr());
  for (unsigned i = 0; i < 3; ++i)
    if (needed[i])
      result[i] = made->getResult(i);
}

//===----------------------------------------------------------------------------------------------------------===//
// What libraries and passes ask
//===----------------------------------------------------------------------------------------------------------===//

/// Forward and backward are the library's, or neither is.
template <typename Op> static bool isLibrarys(Op op, StringRef kind) {
  constexpr double least = 4096;
  constexpr int64_t most = std::numeric_limits<int32_t>::max(); // elements
  RankedTensorType q = typeOf(op.getQuery()), k = typeOf(op.getKey()), v = typeOf(op.getValue());
  const double work = double(q.getShape().end()[-2]) * double(k.getShape().end()[-2]) *
                      double(q.getShape().back() + v.getShape().back());
  const int64_t outputs = q.getNumElements() / q.getShape().back() * v.getShape().back();
  return !graphc::device::runsPtx(kind) && q.getElementType().isF32() && work >= least &&
         std::max({q.getNumElements(), k.getNumElements(), v.getNumElements(), outputs}) <= most;
}

template <typename Op> static DictionaryAttr describe(Op op) {
  Builder builder(op.getContext());
  NamedAttrList descriptor;
  if (op.getCausal())
    descriptor.append("causal", builder.getUnitAttr());
  descriptor.append("scale", builder.getF64FloatAttr(getScaleOf(op)));
  return descriptor.getDictionary(op.getContext());
}

StringRef AttentionOp::getLibraryKernel(StringRef kind) { return isLibrarys(*this, kind) ? "attention" : ""; }
DictionaryAttr AttentionOp::getLibraryDescriptor(StringRef) { return describe(*this); }
StringRef AttentionGradOp::getLibraryKernel(StringRef kind) { return isLibrarys(*this, kind) ? "attention_grad" : ""; }
DictionaryAttr AttentionGradOp::getLibraryDescriptor(StringRef) { return describe(*this); }

//===----------------------------------------------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------------------------------------------===//

/// Of scores.
template <typename Op> static uint64_t countScores(Op op) {
  return count(op.getQuery()) / uint64_t(typeOf(op.getQuery()).getShape().back()) *
         uint64_t(typeOf(op.getKey()).getShape().end()[-2]);
}
template <typename Op> static uint64_t getWidths(Op op) {
  return uint64_t(typeOf(op.getQuery()).getShape().back() + typeOf(op.getValue()).getShape().back());
}
uint64_t AttentionOp::getFlops() { return countScores(*this) * (2 * getWidths(*this) + 6); }
// The scores again, two products by the width of values and two more by that of keys, and what is between.
uint64_t AttentionGradOp::getFlops() { return countScores(*this) * (5 * getWidths(*this) + 9); }
