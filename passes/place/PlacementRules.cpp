#include "passes/place/PlacementRules.h"

#include "passes/place/SettingLoc.h"
#include "runtime/cluster/Pattern.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace graphc {

using graph::DeviceAttr;
using graph::GraphDialect;

LogicalResult PlacementRules::read(ModuleOp of, const DeviceSet &devices) {
  module = of;
  auto attr = module->getAttrOfType<ArrayAttr>(GraphDialect::kPlacement);
  if (!attr)
    return success();
  for (Attribute entry : attr) {
    auto pair = dyn_cast<ArrayAttr>(entry);
    auto name = pair && pair.size() == 2 ? dyn_cast<StringAttr>(pair[0]) : StringAttr();
    auto device = name ? dyn_cast<DeviceAttr>(pair[1]) : DeviceAttr();
    if (!device)
      return module.emitError("expects each rule of graph.placement to be [\"pattern\", #graph.device<…>], found ")
             << entry;
    if (!devices.resolve(device, {}))
      return emitError(getSettingLoc(module, getRuleSetting(rules.size())), "placement rule \"")
             << name.getValue() << "\" places on \"" << device.str() << "\", which no device of the cluster is"
             << devices.describe(device);
    rules.push_back({name.getValue(), device});
  }
  return success();
}

bool PlacementRules::match(StringRef name) const {
  return llvm::any_of(rules, [&](const Rule &rule) { return cluster::matchesPattern(rule.pattern, name); });
}

DeviceAttr PlacementRules::getDevice(StringRef name) {
  for (Rule &rule : rules)
    if (cluster::matchesPattern(rule.pattern, name)) {
      rule.used = true;
      return rule.device;
    }
  return {};
}

void PlacementRules::ignore(StringRef variable) {
  for (Rule &rule : rules)
    rule.ofVariable |= cluster::matchesPattern(rule.pattern, variable);
}

void PlacementRules::remark(StrategyKind kind) {
  for (auto [number, rule] : llvm::enumerate(rules))
    if (!rule.used)
      emitRemark(getSettingLoc(module, getRuleSetting(number)), "placement rule \"")
          << rule.pattern << "\" has no effect: "
          << (kind == StrategyKind::OneDevice ? "strategy one_device computes everything on one device"
              : rule.ofVariable ? "under the strategy all_reduce every worker keeps all variables"
                                : "no variable and no operation's name, as in loc(\"name\"), matches it before another "
                                  "rule does");
}

} // namespace graphc
