//===- LoopPartsInterface.h - loops of an op's own that can be cut into parts -------*- C++ -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_LOOPPARTSINTERFACE_H
#define GRAPHC_DIALECTS_GRAPH_LOOPPARTSINTERFACE_H

#include "dialects/graph/LoopTarget.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

#include "dialects/graph/LoopPartsInterface.h.inc"

namespace graphc::graph {

/// How many parts the loops of an op have; 1 where they are one whole.
inline int64_t getLoopParts(mlir::Operation *op) {
  auto parts = mlir::dyn_cast<LoopPartsOpInterface>(op);
  return parts ? parts.getParts() : 1;
}

} // namespace graphc::graph

#endif
