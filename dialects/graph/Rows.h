//===- Rows.h - tables of which an op touches few rows ------------------------------------------------*- C++ -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_ROWS_H
#define GRAPHC_DIALECTS_GRAPH_ROWS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

#include "dialects/graph/Rows.h.inc"

namespace graphc::graph {

/// graph.sum_rows: each number once, with the sum of its rows over all micro-batches. `table`: the type of what has the rows.
struct RowSums {
  mlir::Value numbers, rows;
};
RowSums createRowSums(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value numbers, mlir::Value rows,
                      mlir::RankedTensorType table, int64_t firstRow, int64_t microBatches, int64_t perLeaf);

} // namespace graphc::graph

#endif
