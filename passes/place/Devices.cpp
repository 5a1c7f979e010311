#include "passes/place/Devices.h"

#include "runtime/device/Kinds.h"

using namespace mlir;

namespace graphc {

using graph::DeviceAttr;

DeviceSet::DeviceSet(graph::ClusterAttr cluster) {
  for (NamedAttribute job : cluster.getJobs())
    for (int64_t task = 0, n = cluster.getTasks(job.getName()); task < n; ++task)
      devices.append(cluster.getDevices(job.getName(), task));
}

SmallVector<DeviceAttr> DeviceSet::ofJob(StringRef job) const {
  SmallVector<DeviceAttr> found;
  llvm::copy_if(devices, std::back_inserter(found), [&](DeviceAttr device) { return device.getJob() == job; });
  return found;
}

SmallVector<DeviceAttr> DeviceSet::satisfying(DeviceAttr wish) const {
  SmallVector<DeviceAttr> found;
  llvm::copy_if(devices, std::back_inserter(found), [&](DeviceAttr device) { return satisfies(device, wish); });
  return found;
}

bool satisfies(DeviceAttr device, DeviceAttr wish) {
  return (wish.getJob().empty() || wish.getJob() == device.getJob()) &&
         (wish.getTask() < 0 || wish.getTask() == device.getTask()) &&
         (wish.getKind().empty() || wish.getKind() == device.getKind()) &&
         (wish.getIndex() < 0 || wish.getIndex() == device.getIndex());
}

DeviceAttr DeviceSet::resolve(DeviceAttr wish, DeviceAttr home) const {
  if (home && satisfies(home, wish))
    return home;
  DeviceAttr sameJob, any;
  for (DeviceAttr device : devices) {
    if (!satisfies(device, wish))
      continue;
    if (!any)
      any = device;
    if (!sameJob && home && device.getJob() == home.getJob())
      sameJob = device;
  }
  return sameJob ? sameJob : any;
}

std::string DeviceSet::describe(DeviceAttr wish) const {
  constexpr size_t kMostNamed = 8;
  std::string text = "; valid devices are ";
  std::string wished = wish.str(), nearest;
  unsigned best = std::max<unsigned>(4, wished.size() / 3) + 1;
  for (auto [i, device] : llvm::enumerate(devices)) {
    std::string name = device.str();
    if (i < kMostNamed)
      text += (i ? ", " : "") + name;
    // A partial wish is compared with what the device would be called with the same parts left out.
    std::string shown =
        DeviceAttr::get(device.getContext(), wish.getJob().empty() ? "" : device.getJob(),
                        wish.getTask() < 0 ? -1 : device.getTask(), wish.getKind().empty() ? "" : device.getKind(),
                        wish.getKind().empty() || wish.getIndex() < 0 ? -1 : device.getIndex())
            .str();
    if (unsigned distance = StringRef(wished).edit_distance(shown, true, best); distance < best) {
      best = distance;
      nearest = shown;
    }
  }
  if (devices.size() > kMostNamed)
    text += " and " + std::to_string(devices.size() - kMostNamed) + " more";
  if (const device::Kind *kind = device::findKind(wish.getKind().str()); kind && !kind->hasCode)
    text += "; this version compiles for " + device::listCompiledKinds() + " only";
  else if (!nearest.empty())
    text += "; did you mean \"" + nearest + "\"?";
  return text;
}

} // namespace graphc
