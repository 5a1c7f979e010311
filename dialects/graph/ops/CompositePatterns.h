//===- CompositePatterns.h - composite ops that are written in primitives -----------*- C++ -*-===//
//
// The other way of decompose, for models whose makers have no such ops: StableHLO writes softmax
// and attention in primitives. What is made of them computes the same in the reals. Its bits are
// its own, so this is done once, before differentiation, and never looks at devices.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_DIALECTS_GRAPH_OPS_COMPOSITEPATTERNS_H
#define GRAPHC_DIALECTS_GRAPH_OPS_COMPOSITEPATTERNS_H

namespace mlir {
class RewritePatternSet;
}

namespace graphc::graph {

/// Softmax and its logarithm along the last dimension.
void populateSoftmaxPatterns(mlir::RewritePatternSet &patterns);
/// Attention; of products with what populateSoftmaxPatterns has made.
void populateAttentionPatterns(mlir::RewritePatternSet &patterns);
/// A finite gradient for each safe softmax that populateAttentionPatterns has left.
void populateSafeSoftmaxPatterns(mlir::RewritePatternSet &patterns);

} // namespace graphc::graph

#endif
