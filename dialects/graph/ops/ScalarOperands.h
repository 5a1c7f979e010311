//===- ScalarOperands.h - what the text of elementwise ops may say for an operand ---*- C++ -*-===//
//
// Beside values of the op's type the text takes scalars and numbers: `graph.multiply %x, %s : T`
// with %s of no dimensions, and `graph.multiply %x, 0.5 : T`. The parser makes what they stand for,
// a graph.broadcast_in_dim and a graph.constant of the op's type; so ops, passes and what is
// printed know no broadcasting that is not an op.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_DIALECTS_GRAPH_OPS_SCALAROPERANDS_H
#define GRAPHC_DIALECTS_GRAPH_OPS_SCALAROPERANDS_H

#include "mlir/IR/OpImplementation.h"

namespace graphc::graph {

/// `%lhs, 2.0 {…} : type` of an op with `count` operands and one result of that type. With `mask`
/// the first operand is a value of i1 in the type's shape, or a scalar.
mlir::ParseResult parseElementwise(mlir::OpAsmParser &parser, mlir::OperationState &state,
                                   size_t count, bool mask);
/// The same; `type` is that of the operands, and the result's is inferred.
mlir::ParseResult parseElementwiseOperands(mlir::OpAsmParser &parser, mlir::OperationState &state,
                                           size_t count, bool mask, mlir::Type &type);
/// Operands, attributes but `elided`, and the last operand's type.
void printElementwise(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                      mlir::ArrayRef<mlir::StringRef> elided = {});

} // namespace graphc::graph

#endif
