//===- ExpansionBuilder.h - short ways to make ops of ops ---------------------------*- C++ -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_OPS_EXPANSIONBUILDER_H
#define GRAPHC_DIALECTS_GRAPH_OPS_EXPANSIONBUILDER_H

#include "dialects/graph/ops/OpHelpers.h"

#include "dialects/graph/ops/PassOpBuilders.h"

namespace graphc::graph {

/// Makes the ops of one expansion, or what they fold to: the scale of a gradient and the like are
/// constants already.
struct ExpansionBuilder {
  mlir::OpBuilder &builder;
  mlir::Location loc;

  template <typename Op, typename... Args> mlir::Value make(Args &&...args) {
    return builder.createOrFold<Op>(loc, std::forward<Args>(args)...);
  }

  mlir::Value splat(mlir::Type type, double value) {
    return createSplat(builder, loc, type, value);
  }
  /// A scalar or the leading dimensions of `shape`, repeated to it.
  mlir::Value broadcast(mlir::Value value, mlir::ArrayRef<int64_t> shape) {
    mlir::SmallVector<int64_t> dimensions =
        llvm::to_vector(llvm::seq<int64_t>(0, typeOf(value).getRank()));
    return make<BroadcastInDimOp>(typeOf(value).clone(shape), value, dimensions);
  }
  mlir::Value overLast(bool max, mlir::Value value) {
    int64_t last = typeOf(value).getRank() - 1;
    return max ? make<ReduceMaxOp>(value, mlir::ArrayRef<int64_t>{last})
               : make<ReduceSumOp>(value, mlir::ArrayRef<int64_t>{last});
  }
  mlir::Value convert(mlir::Value value, mlir::Type element) {
    return make<ConvertOp>(withElement(value.getType(), element), value);
  }
  mlir::Value compare(Comparison relation, mlir::Value a, mlir::Value b) {
    return make<CompareOp>(relation, a, b);
  }
  /// `fill` before, behind and between the elements of each dimension; where an edge is negative,
  /// so many places are left out.
  mlir::Value pad(mlir::Value value, mlir::ArrayRef<int64_t> low, mlir::ArrayRef<int64_t> high,
                  mlir::ArrayRef<int64_t> interior, mlir::TypedAttr fill);

  /// x - max(x) along the last dimension; exp never overflows on it.
  mlir::Value shifted(mlir::Value x) {
    return make<SubtractOp>(x, broadcast(overLast(/*max=*/true, x), typeOf(x).getShape()));
  }
  mlir::Value softmax(mlir::Value x) {
    mlir::Value power = make<ExponentialOp>(shifted(x));
    return make<DivideOp>(power, broadcast(overLast(/*max=*/false, power), typeOf(x).getShape()));
  }
  /// One i1 a class: whether it is the label's.
  mlir::Value hitMask(mlir::Value labels, mlir::ArrayRef<int64_t> shape) {
    mlir::RankedTensorType type = typeOf(labels).clone(shape);
    mlir::Value classes = make<IotaOp>(type, uint64_t(shape.size() - 1));
    return compare(Comparison::EQ, broadcast(labels, shape), classes);
  }
  /// The element of each row that the label names, 0 where it names none.
  mlir::Value pick(mlir::Value rows, mlir::Value labels) {
    mlir::Value mask = hitMask(labels, typeOf(rows).getShape());
    return overLast(/*max=*/false, make<SelectOp>(mask, rows, splat(rows.getType(), 0)));
  }
  mlir::Value mean(mlir::Value value, mlir::ArrayRef<int64_t> dimensions) {
    double count = 1;
    for (int64_t dimension : dimensions)
      count *= typeOf(value).getDimSize(dimension);
    mlir::Value sum = make<ReduceSumOp>(value, dimensions);
    return make<DivideOp>(sum, splat(sum.getType(), count));
  }
  mlir::Value meanOfAll(mlir::Value value) {
    return mean(value, llvm::to_vector(llvm::seq<int64_t>(0, typeOf(value).getRank())));
  }
  mlir::Value logOfSum(mlir::Value z) {
    return make<LogOp>(overLast(/*max=*/false, make<ExponentialOp>(z)));
  }

  /// Whether each element is an integer: it survives the way to i64 and back, or is so large that
  /// it has no fraction.
  mlir::Value isIntegral(mlir::Value value) {
    mlir::Type element = typeOf(value).getElementType();
    mlir::Value back = convert(convert(value, builder.getI64Type()), element);
    mlir::Value large = compare(Comparison::GE, make<AbsOp>(value), splat(value.getType(), 0x1p52));
    return make<OrOp>(compare(Comparison::EQ, back, value), large);
  }
};

/// What has been made right before `op` since `before` stood there (null: since `op` was the first
/// of its block).
inline llvm::iterator_range<mlir::Block::iterator> madeSince(mlir::Operation *before,
                                                             mlir::Operation *op) {
  return {before ? std::next(before->getIterator()) : op->getBlock()->begin(), op->getIterator()};
}

/// Makes the ops of a gradient: each stays, for what follows to fold.
struct GradientBuilder {
  mlir::OpBuilder &builder;
  mlir::Location loc;

  GradientBuilder(mlir::OpBuilder &builder, mlir::Operation *op)
      : builder(builder), loc(op->getLoc()) {}
  mlir::Value splat(mlir::Type type, double value) {
    return createSplat(builder, loc, type, value);
  }
  mlir::Value add(mlir::Value a, mlir::Value b) { return AddOp::create(builder, loc, a, b); }
  mlir::Value subtract(mlir::Value a, mlir::Value b) {
    return SubtractOp::create(builder, loc, a, b);
  }
  mlir::Value multiply(mlir::Value a, mlir::Value b) {
    return MultiplyOp::create(builder, loc, a, b);
  }
  mlir::Value multiply(mlir::Value a, double b) { return multiply(a, splat(a.getType(), b)); }
  mlir::Value divide(mlir::Value a, mlir::Value b) { return DivideOp::create(builder, loc, a, b); }
  mlir::Value negate(mlir::Value a) { return NegateOp::create(builder, loc, a); }
  mlir::Value compare(Comparison relation, mlir::Value a, mlir::Value b) {
    return CompareOp::create(builder, loc, relation, a, b);
  }
  mlir::Value select(mlir::Value predicate, mlir::Value a, mlir::Value b) {
    return SelectOp::create(builder, loc, predicate, a, b);
  }
  mlir::Value convert(mlir::Value a, mlir::Type element) {
    return ConvertOp::create(builder, loc, withElement(a.getType(), element), a);
  }
  mlir::Value sum(mlir::Value a, mlir::ArrayRef<int64_t> dimensions) {
    return ReduceSumOp::create(builder, loc, a, dimensions);
  }
  mlir::Value concatenate(mlir::ArrayRef<mlir::Value> pieces, int64_t dimension) {
    return ConcatenateOp::create(builder, loc, pieces, uint64_t(dimension));
  }
  mlir::Value reshape(mlir::Value a, mlir::Type type) {
    return ReshapeOp::create(builder, loc, type, a);
  }
  mlir::Value broadcast(mlir::Value a, mlir::Type type, mlir::ArrayRef<int64_t> dimensions) {
    return BroadcastInDimOp::create(builder, loc, type, a, dimensions);
  }
  /// The dimensions that a reduction of a tensor of this rank keeps.
  static mlir::SmallVector<int64_t> kept(int64_t rank, mlir::ArrayRef<int64_t> dimensions) {
    return llvm::filter_to_vector(llvm::seq<int64_t>(0, rank),
                                  [&](int64_t i) { return !llvm::is_contained(dimensions, i); });
  }
  /// What a reduction removed comes back by repetition.
  mlir::Value unreduce(mlir::Value a, mlir::Type type, mlir::ArrayRef<int64_t> dimensions) {
    return broadcast(a, type, kept(mlir::cast<mlir::RankedTensorType>(type).getRank(), dimensions));
  }
  /// sum(a) over the last dimension, repeated along it.
  mlir::Value rowSums(mlir::Value a) {
    int64_t last = typeOf(a).getRank() - 1;
    return unreduce(sum(a, {last}), a.getType(), {last});
  }
};

} // namespace graphc::graph

#endif
