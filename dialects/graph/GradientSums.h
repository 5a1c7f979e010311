//===- GradientSums.h - the gradient of a value that is used several times -----------------------------*- C++ -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_GRADIENTSUMS_H
#define GRAPHC_DIALECTS_GRAPH_GRADIENTSUMS_H

#include "mlir/IR/Builders.h"

namespace graphc::graph {

/// The sum of the terms, of which there is one, in their order. Where each is zero but for a stretch of one dimension, and no two of these
/// overlap (the gradients of a value that is cut into parts), nothing is added: they are put side by side.
mlir::Value createGradientSum(mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange terms);

} // namespace graphc::graph
#endif
