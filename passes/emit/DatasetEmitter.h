//===- DatasetEmitter.h - data sets as plans have them ------------------------------*- C++ -*-===//
#ifndef GRAPHC_PASSES_EMIT_DATASETEMITTER_H
#define GRAPHC_PASSES_EMIT_DATASETEMITTER_H

#include "dialects/graph/GraphDialect.h"
#include "runtime/common/plan/plan.pb.h"

namespace graphc {

/// Fails, with a diagnostic, where its source is one that plans do not know.
mlir::LogicalResult writeDataset(graph::DatasetOp op, plan::Dataset &out);

} // namespace graphc

#endif
