// Rows that another device takes of a table: each once, and only those that there are.
#ifndef GRAPHC_PASSES_REPLICATE_GATHERDISTINCTROWS_H
#define GRAPHC_PASSES_REPLICATE_GATHERDISTINCTROWS_H

#include "dialects/graph/TableInterfaces.h"
#include "dialects/graph/ops/PassOpBuilders.h"
#include "passes/place/DistributionSpec.h"

namespace graphc {

/// A list of distinct numbers of each replica (graph.distinct) on another device, how many each has
/// there, and values by which it is known there: `own` is what the replica has.
struct CollectedNumbers {
  graph::DistinctNumbers own;
  mlir::Value all, counts;
};
/// Those that are there already, or new ones at the builder's place. `name`: of the table.
CollectedNumbers collectDistinct(mlir::OpBuilder &builder, const graph::DistinctNumbers &own,
                                 graph::DeviceAttr to, llvm::StringRef name, int64_t replicas);

/// Where rows of a table are taken for another device (TableReadOpInterface), that sends the
/// numbers that differ, is given a row for each, as many as there are, and makes what it wanted of
/// them. Not where a row for each number shall travel (`distinct_rows`), nor for devices with
/// memory of their own, to which rows of one size are copied.
void takeDistinctRows(graph::FuncOp func, const DistributionSpec &distribution);

} // namespace graphc

#endif // GRAPHC_PASSES_REPLICATE_GATHERDISTINCTROWS_H
