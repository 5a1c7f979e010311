#include "passes/place/VariableDistributor.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace graphc {

using graph::DeviceAttr;

static std::string mebibytes(int64_t size) {
  return llvm::formatv("{0:F1} MiB", double(size) / (1 << 20)).str();
}

/// Whether `least` instead of `fullest` bytes on the fullest device are worth a word; findImbalance
/// has the same measure.
static bool isWorthIt(int64_t fullest, int64_t least) {
  return fullest - least >= kWorthARemark && fullest >= least + least / 4;
}

static SmallVector<int64_t> getBytes(ArrayRef<VariableGroup> groups) {
  return llvm::map_to_vector(groups, [](const VariableGroup &group) { return group.bytes; });
}

/// The largest group on a device.
static const VariableGroup *findLargest(ArrayRef<VariableGroup> groups, DeviceAttr device) {
  const VariableGroup *largest = nullptr;
  for (const VariableGroup &group : groups)
    if (graph::getDevice(group.members.front()) == device &&
        (!largest || group.bytes > largest->bytes))
      largest = &group;
  return largest;
}

SmallVector<unsigned> dealGroups(VariablePolicy policy, ArrayRef<VariableGroup> groups,
                                 ArrayRef<DeviceAttr> over, DeviceLoads &loads) {
  SmallVector<int> splitVariables =
      llvm::map_to_vector(groups, [](const VariableGroup &group) { return group.splitVariable; });
  SmallVector<int64_t> before =
      llvm::map_to_vector(over, [&](DeviceAttr device) { return loads.lookup(device); });
  SmallVector<unsigned> places = placeVariables(policy, getBytes(groups), before, splitVariables);
  for (auto [group, place] : llvm::zip(groups, places))
    loads[over[place]] += group.bytes;
  return places;
}

SmallVector<unsigned> dealScope(VariablePolicy policy, ArrayRef<VariableGroup> groups,
                                ArrayRef<DeviceAttr> over, DeviceLoads &loads) {
  DeviceLoads own;
  SmallVector<unsigned> places = dealGroups(policy, groups, over, own);
  for (auto [device, bytes] : own)
    loads[device] += bytes;
  return places;
}

std::pair<DeviceAttr, int64_t> DealtVariables::findFullest(const DeviceLoads &loads) const {
  DeviceAttr fullest = stores.front();
  for (DeviceAttr device : devices.all())
    if (loads.lookup(device) > loads.lookup(fullest))
      fullest = device;
  return {fullest, loads.lookup(fullest)};
}

bool DealtVariables::remarkOnStrategy(ModuleOp module, ArrayRef<VariableGroup> groups,
                                      DeviceLoads others) const {
  SmallVector<int64_t> loads =
      llvm::map_to_vector(stores, [&](DeviceAttr store) { return others.lookup(store); });
  SmallVector<int64_t> rows =
      llvm::map_to_vector(groups, [](const VariableGroup &group) { return group.rows; });
  SmallVector<unsigned> tasks = deal(groups, others);
  std::optional<LoadImbalance> found = findImbalance(tasks, getBytes(groups), rows, loads);
  if (!found)
    return false;
  bool balancing = found->bytes - found->balanced >= kWorthARemark;
  bool splitting =
      maySplit && std::min(found->bytes, found->balanced) - found->split >= kWorthARemark;
  if (!balancing && !splitting)
    return false;
  InFlightDiagnostic remark = module.emitRemark()
                              << stores[found->task].str() << " stores " << mebibytes(found->bytes)
                              << " of the " << mebibytes(found->all) << " of variables, dealt "
                              << (policy == VariablePolicy::RoundRobin ? "round robin" : "whole")
                              << "; with ";
  if (balancing)
    remark << "\"placement\": \"balanced\" in the strategy no task stores more than "
           << mebibytes(found->balanced);
  if (splitting)
    remark << (balancing ? ", with \"split\" none more than "
                         : "\"placement\": \"split\" in the strategy no task stores more than ")
           << mebibytes(found->split);
  return true;
}

bool DealtVariables::remarkOnScopes(ModuleOp module, ArrayRef<VariableGroup> byStrategy,
                                    const ScopeGroups &byScope, const DeviceLoads &loads,
                                    const DeviceLoads &pins) const {
  auto [fullest, bytes] = findFullest(loads);
  DeviceLoads balanced = pins;
  const VariableGroup *largest = nullptr;
  for (const auto &[key, groups] : byScope) {
    dealScope(VariablePolicy::Balanced, groups, devices.satisfying(key.second), balanced);
    if (const VariableGroup *here = findLargest(groups, fullest);
        here && VariablePolicy(key.first) == VariablePolicy::RoundRobin &&
        (!largest || here->bytes > largest->bytes))
      largest = here;
  }
  deal(byStrategy, balanced);
  int64_t least = findFullest(balanced).second;
  if (!largest || !isWorthIt(bytes, least))
    return false;
  InFlightDiagnostic remark =
      module.emitRemark()
      << fullest.str() << " stores " << mebibytes(bytes)
      << " of variables, dealt round robin by graph.device_rule of their scopes; with "
         "graph.device_rule = \"balanced\" there no device stores more than "
      << mebibytes(least);
  graph::VariableOp variable = largest->members.front();
  remark.attachNote(variable.getLoc()) << "the largest of them";
  return true;
}

void DealtVariables::remarkOnPins(ModuleOp module, ArrayRef<VariableGroup> groups,
                                  ArrayRef<VariableGroup> pinned, const DeviceLoads &loads) const {
  DeviceAttr fullest = stores.front();
  int64_t all = 0;
  for (DeviceAttr store : stores) {
    all += loads.lookup(store);
    if (loads.lookup(store) > loads.lookup(fullest))
      fullest = store;
  }
  SmallVector<VariableGroup> open; // what would be dealt if nothing were pinned
  for (const VariableGroup &group : groups)
    if (llvm::is_contained(stores, graph::getDevice(group.members.front())))
      open.push_back(group);
  DeviceLoads balanced;
  dealGroups(VariablePolicy::Balanced, open, stores, balanced);
  int64_t bytes = loads.lookup(fullest), least = findFullest(balanced).second, pinnedBytes = 0;
  const VariableGroup *largest = findLargest(pinned, fullest);
  if (!largest || !isWorthIt(bytes, least))
    return;
  for (const VariableGroup &group : pinned)
    if (graph::getDevice(group.members.front()) == fullest)
      pinnedBytes += group.bytes;
  graph::VariableOp variable = largest->members.front();
  InFlightDiagnostic remark =
      module.emitRemark()
      << fullest.str() << " stores " << mebibytes(bytes) << " of the " << mebibytes(all)
      << " of variables, " << mebibytes(pinnedBytes)
      << " of them because the model or placement rules pin them there; left open and dealt "
         "\"balanced\", no task stores more than "
      << mebibytes(least);
  remark.attachNote(largest->pin.value_or(variable.getLoc()))
      << "the largest of them, @" << variable.getSymName() << ", is pinned "
      << (largest->pin ? "by this rule" : "here");
}

void DealtVariables::remarkOnImbalance(ModuleOp module, ArrayRef<VariableGroup> byStrategy,
                                       const ScopeGroups &byScope, ArrayRef<VariableGroup> pinned,
                                       const DeviceLoads &pins) const {
  SmallVector<VariableGroup> all(byStrategy);
  llvm::append_range(all, pinned);
  DeviceLoads others = pins;
  for (const auto &[key, groups] : byScope) {
    llvm::append_range(all, groups);
    dealScope(VariablePolicy(key.first), groups, devices.satisfying(key.second), others);
  }
  if (!isSplit && remarkOnStrategy(module, byStrategy, others))
    return;
  DeviceLoads loads = others;
  deal(byStrategy, loads);
  if (!remarkOnScopes(module, byStrategy, byScope, loads, pins))
    remarkOnPins(module, all, pinned, loads);
}

} // namespace graphc
