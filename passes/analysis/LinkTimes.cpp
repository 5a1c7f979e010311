#include "passes/analysis/LinkTimes.h"

#include "dialects/graph/GraphDialect.h"

using namespace mlir;

namespace graphc {

LinkTimes::LinkTimes(ModuleOp module) {
  auto all = module->getAttrOfType<ArrayAttr>(graph::GraphDialect::kLinks);
  if (!all)
    return;
  for (auto link : all.getAsRange<ArrayAttr>()) { // the dialect has verified them
    auto device = [&](unsigned i) { return cast<graph::DeviceAttr>(link[i]).getName(); };
    auto number = [&](unsigned i) { return cast<FloatAttr>(link[i]).getValueAsDouble(); };
    links_.push_back({device(0), device(1), TimeModel::overLink(number(3), number(2))});
  }
}

/// Whether the link's end holds the tasks of a program's device; a program of replicas names no
/// task.
static bool covers(const graph::DeviceName &end, const graph::DeviceName &device) {
  return (end.job.empty() || end.job == device.job) &&
         (!end.task || !device.task || *end.task == *device.task);
}

std::optional<TimeModel::Way> LinkTimes::between(const graph::DeviceName &a,
                                                 const graph::DeviceName &b) const {
  for (const Link &link : links_)
    if ((covers(link.from, a) && covers(link.to, b)) ||
        (covers(link.from, b) && covers(link.to, a)))
      return link.way;
  return std::nullopt;
}

} // namespace graphc
