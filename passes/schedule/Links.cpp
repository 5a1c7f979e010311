#include "passes/schedule/Links.h"

#include "dialects/graph/GraphDialect.h"

using namespace mlir;

namespace graphc {

Links::Links(ModuleOp module) {
  auto all = module->getAttrOfType<ArrayAttr>(graph::GraphDialect::kLinks);
  if (!all)
    return;
  for (auto link : all.getAsRange<ArrayAttr>()) { // the dialect has verified them
    auto device = [&](unsigned i) { return cast<graph::DeviceAttr>(link[i]).getName(); };
    auto number = [&](unsigned i) { return cast<FloatAttr>(link[i]).getValueAsDouble(); };
    links.push_back({device(0), device(1), number(2) / 8, number(3) * 1000});
  }
}

/// Whether the link's end holds the tasks of a program's device; a program of replicas names no task.
static bool covers(const graph::DeviceName &end, const graph::DeviceName &device) {
  return (end.job.empty() || end.job == device.job) && (!end.task || !device.task || *end.task == *device.task);
}

std::optional<uint64_t> Links::delay(dist::ProgramOp from, dist::ProgramOp to, uint64_t bytes) const {
  std::string error;
  std::optional<graph::DeviceName> a = graph::DeviceName::parse(from.getDevice(), error);
  std::optional<graph::DeviceName> b = graph::DeviceName::parse(to.getDevice(), error);
  if (!a || !b || (a->job == b->job && a->task == b->task))
    return std::nullopt;
  for (const Link &link : links)
    if ((covers(link.from, *a) && covers(link.to, *b)) || (covers(link.from, *b) && covers(link.to, *a)))
      return uint64_t(link.latency + double(bytes) / link.bytesPerNs);
  return std::nullopt;
}

} // namespace graphc
