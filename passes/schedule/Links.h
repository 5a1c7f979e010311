//===- Links.h - how long a message is on its way, as cluster.json says ---------------------------------------*- C++ -*-===//
#ifndef GRAPHC_PASSES_SCHEDULE_LINKS_H
#define GRAPHC_PASSES_SCHEDULE_LINKS_H

#include "dialects/dist/DistDialect.h"
#include "dialects/graph/DeviceName.h"

#include <optional>

namespace graphc {

/// The module's graph.links. Only what the order of a step depends on; no result does.
class Links {
public:
  explicit Links(mlir::ModuleOp module);

  bool empty() const { return links.empty(); }
  /// Nanoseconds from the end of the send to the arrival, of a message between the programs' devices; nothing where no link
  /// is known between them or they are one task. The first link that matches, in either direction, decides.
  std::optional<uint64_t> delay(dist::ProgramOp from, dist::ProgramOp to, uint64_t bytes) const;

private:
  struct Link {
    graph::DeviceName from, to;
    double bytesPerNs, latency; ///< in nanoseconds
  };
  std::vector<Link> links;
};

} // namespace graphc
#endif
