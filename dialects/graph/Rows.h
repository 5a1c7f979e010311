//===- Rows.h - tables of which an op touches few rows ------------------------------------------------*- C++ -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_ROWS_H
#define GRAPHC_DIALECTS_GRAPH_ROWS_H

#include "dialects/graph/GraphDialect.h"

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

/// graph.distinct: each number that is a row of the table once, in a list with -1 behind them; where in it each number is, or -1; how many
/// there are.
struct DistinctNumbers {
  mlir::Value numbers, places, count;
};
/// Those on `device` that are there already, or new ones at the builder's place.
DistinctNumbers distinctOn(mlir::OpBuilder &builder, DeviceAttr device, mlir::Value numbers, int64_t firstRow,
                           int64_t rows);
/// graph.count_front: of each of so many pieces of a list, likewise; a scalar of one.
mlir::Value countFrontOn(mlir::OpBuilder &builder, DeviceAttr device, mlir::Value list, int64_t pieces);

} // namespace graphc::graph

#endif
