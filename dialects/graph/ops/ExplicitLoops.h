//===- ExplicitLoops.h - loops that ops write themselves ----------------------------*- C++ -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_OPS_EXPLICITLOOPS_H
#define GRAPHC_DIALECTS_GRAPH_OPS_EXPLICITLOOPS_H

#include "dialects/graph/ops/OpHelpers.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace graphc::graph {

/// Makes loops over memory and what is in them. Places and sizes are values of type index, whose
/// width a kind of device chooses; what is read as an index from data is i64 until it was brought
/// into a tensor's bounds.
struct ExplicitLoops {
  using Place = mlir::SmallVector<mlir::Value>;

  mlir::OpBuilder &builder;
  mlir::Location loc;

  template <typename Op> mlir::Value make(mlir::Value a, mlir::Value b) {
    return builder.createOrFold<Op>(loc, a, b);
  }
  mlir::Value index(int64_t value) {
    return mlir::arith::ConstantIndexOp::create(builder, loc, value);
  }
  /// A number of i64.
  mlir::Value number(int64_t value) {
    return mlir::arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(value));
  }
  mlir::Value compare(mlir::arith::CmpIPredicate relation, mlir::Value a, mlir::Value b) {
    return mlir::arith::CmpIOp::create(builder, loc, relation, a, b);
  }
  /// An integer as a place, or a place as i64.
  mlir::Value toIndex(mlir::Value number) {
    return mlir::arith::IndexCastOp::create(builder, loc, builder.getIndexType(), number);
  }
  mlir::Value toI64(mlir::Value index) {
    return mlir::arith::IndexCastOp::create(builder, loc, builder.getI64Type(), index);
  }
  mlir::Value add(mlir::Value a, mlir::Value b) { return make<mlir::arith::AddIOp>(a, b); }
  mlir::Value subtract(mlir::Value a, mlir::Value b) { return make<mlir::arith::SubIOp>(a, b); }
  mlir::Value multiply(mlir::Value a, mlir::Value b) { return make<mlir::arith::MulIOp>(a, b); }
  mlir::Value maximum(mlir::Value a, mlir::Value b) { return make<mlir::arith::MaxSIOp>(a, b); }
  mlir::Value minimum(mlir::Value a, mlir::Value b) { return make<mlir::arith::MinSIOp>(a, b); }
  mlir::Value load(mlir::Value memory, mlir::ValueRange place) {
    return mlir::memref::LoadOp::create(builder, loc, memory, place);
  }
  void store(mlir::Value value, mlir::Value memory, mlir::ValueRange place) {
    mlir::memref::StoreOp::create(builder, loc, value, memory, place);
  }
  /// An element as it is stored: an i1 is a byte.
  mlir::Value constant(mlir::Attribute element);

  /// `body` at lower, lower + 1, … below upper.
  void over(mlir::Value lower, mlir::Value upper, llvm::function_ref<void(mlir::Value)> body);
  /// Likewise, with a value from each time to the next; the last one.
  mlir::Value over(mlir::Value lower, mlir::Value upper, mlir::Value start,
                   llvm::function_ref<mlir::Value(mlir::Value index, mlir::Value carried)> body);
  /// `body` at each place within the bounds, a lower and an upper one for each dimension, in
  /// row-major order.
  void overBox(llvm::ArrayRef<std::pair<mlir::Value, mlir::Value>> bounds,
               llvm::function_ref<void(mlir::ValueRange)> body);
  /// The elements of `operand`, whose memory is given, to the same places of `out` within the
  /// bounds. Where all are known to be one, they are not read, and need no memory.
  void copyBox(llvm::ArrayRef<std::pair<mlir::Value, mlir::Value>> bounds, mlir::Value operand,
               mlir::Value memory, mlir::Value out);
  /// Row by row those elements of a tensor whose numbers in row-major order are from `first` on and
  /// before `limit`: `row` gets a row's place, which has no last index, and which elements of the
  /// row it is.
  void overElements(
      llvm::ArrayRef<int64_t> shape, mlir::Value first, mlir::Value limit,
      llvm::function_ref<void(mlir::ValueRange place, mlir::Value from, mlir::Value to)> row);
  /// The place of an element by its number in row-major order.
  Place placeOf(mlir::Value number, llvm::ArrayRef<int64_t> shape);
  /// All of a shape's indices.
  mlir::SmallVector<std::pair<mlir::Value, mlir::Value>> boundsOf(llvm::ArrayRef<int64_t> shape);

  /// An element that is an index, as i64.
  mlir::Value loadIndex(mlir::Value memory, mlir::ValueRange place);
  /// A row's number, an i64, where the first has the number `first`.
  mlir::Value countFrom(uint64_t first, mlir::Value number);
  /// The nearest of low … high, as a place.
  mlir::Value bring(mlir::Value number, int64_t low, int64_t high);
};

/// The shape of memory.
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value memory) {
  return mlir::cast<mlir::ShapedType>(memory.getType()).getShape();
}

/// The loops of an op whose parts are all given at once.
template <typename Op>
void buildAllParts(Op op, mlir::OpBuilder &builder, mlir::ValueRange operands,
                   mlir::ValueRange outs, const LoopTarget &target) {
  ExplicitLoops loops{builder, op.getLoc()};
  op.buildParts(builder, operands, outs, loops.index(0), loops.index(op.getParts()), target);
}

} // namespace graphc::graph

#endif
