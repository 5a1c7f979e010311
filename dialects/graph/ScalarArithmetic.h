//===- ScalarArithmetic.h - arithmetic on elements, in arith and math ---------------*- C++ -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_SCALARARITHMETIC_H
#define GRAPHC_DIALECTS_GRAPH_SCALARARITHMETIC_H

#include "dialects/graph/GraphDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace graphc::graph {

/// Makes the scalar ops of one body. What they mean is in the descriptions of the ops that are made
/// of them.
struct ScalarArithmetic {
  mlir::OpBuilder &builder;
  mlir::Location loc;

  template <typename Op, typename... Args> mlir::Value make(Args &&...args) {
    return Op::create(builder, loc, std::forward<Args>(args)...).getResult();
  }
  template <typename FloatOp, typename IntegerOp>
  mlir::Value arithmetic(mlir::Value a, mlir::Value b) {
    return mlir::isa<mlir::FloatType>(a.getType()) ? make<FloatOp>(a, b) : make<IntegerOp>(a, b);
  }
  mlir::Value constant(mlir::Type type, double value);
  mlir::Value integer(mlir::Type type, const llvm::APInt &value);

  mlir::Value add(mlir::Value a, mlir::Value b) {
    return arithmetic<mlir::arith::AddFOp, mlir::arith::AddIOp>(a, b);
  }
  mlir::Value subtract(mlir::Value a, mlir::Value b) {
    return arithmetic<mlir::arith::SubFOp, mlir::arith::SubIOp>(a, b);
  }
  mlir::Value multiply(mlir::Value a, mlir::Value b) {
    return arithmetic<mlir::arith::MulFOp, mlir::arith::MulIOp>(a, b);
  }
  mlir::Value maximum(mlir::Value a, mlir::Value b) {
    return arithmetic<mlir::arith::MaximumFOp, mlir::arith::MaxSIOp>(a, b);
  }
  mlir::Value minimum(mlir::Value a, mlir::Value b) {
    return arithmetic<mlir::arith::MinimumFOp, mlir::arith::MinSIOp>(a, b);
  }
  /// No input stops a process: x / 0 is 0, the least integer / -1 itself.
  mlir::Value divide(mlir::Value a, mlir::Value b);
  mlir::Value compare(Comparison relation, mlir::Value a, mlir::Value b);
  mlir::Value convert(mlir::Value x, mlir::Type to);
  /// Likewise of elements of any type of the dialect, as loops have them (getScalarElement).
  mlir::Value convert(mlir::Value x, mlir::Type from, mlir::Type to);

private:
  /// Toward zero; beyond the range its end, NaN to 0: what a conversion to integers means is the
  /// same on every CPU.
  mlir::Value toInteger(mlir::Value x, mlir::Type type);
  mlir::Value widen(mlir::Value x, mlir::Type from);
  /// The f32 nearest to an f64 toward zero; where that is not exact, its last bit is one: rounded
  /// again, to fewer bits, it is as if once.
  mlir::Value roundToOdd(mlir::Value x);
  /// The bits of the bf16 nearest to an f32.
  mlir::Value toBfloat(mlir::Value x);
};

} // namespace graphc::graph

#endif
