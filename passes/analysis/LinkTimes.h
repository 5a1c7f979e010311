//===- LinkTimes.h - how long a message is on its way, as cluster.json says ---------*- C++ -*-===//
#ifndef GRAPHC_PASSES_ANALYSIS_LINKTIMES_H
#define GRAPHC_PASSES_ANALYSIS_LINKTIMES_H

#include "dialects/graph/DeviceName.h"
#include "passes/analysis/TimeModel.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace graphc {

/// The module's graph.links. Only what the order of a step depends on; no result does.
class LinkTimes {
public:
  explicit LinkTimes(mlir::ModuleOp module);

  /// How messages go between devices of two tasks; nothing where no link is known. The first that
  /// matches, in either direction, decides.
  std::optional<TimeModel::Way> between(const graph::DeviceName &a,
                                        const graph::DeviceName &b) const;

private:
  struct Link {
    graph::DeviceName from, to;
    TimeModel::Way way;
  };
  std::vector<Link> links_;
};

} // namespace graphc
#endif
