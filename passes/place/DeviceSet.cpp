#include "passes/place/DeviceSet.h"

#include "runtime/common/device/DeviceKinds.h"

using namespace mlir;

namespace graphc {

using graph::DeviceAttr;

DeviceSet::DeviceSet(graph::ClusterAttr cluster) {
  for (NamedAttribute job : cluster.getJobs())
    for (int64_t task = 0, n = cluster.getTasks(job.getName()); task < n; ++task) {
      const SmallVector<DeviceAttr> own = cluster.getDevices(job.getName(), task);
      devices_.append(own);
      for (DeviceAttr device : own)
        if (device.getKind() == own.front().getKind())
          defaults_.insert(device);
    }
}

SmallVector<DeviceAttr> DeviceSet::ofJob(StringRef job) const {
  SmallVector<DeviceAttr> found;
  llvm::copy_if(devices_, std::back_inserter(found),
                [&](DeviceAttr device) { return device.getJob() == job && isDefault(device); });
  return found;
}

SmallVector<DeviceAttr> DeviceSet::satisfying(DeviceAttr request) const {
  SmallVector<DeviceAttr> found;
  llvm::copy_if(devices_, std::back_inserter(found), [&](DeviceAttr device) {
    return satisfies(device, request) && (!request.getKind().empty() || isDefault(device));
  });
  return found;
}

bool satisfies(DeviceAttr device, DeviceAttr request) {
  return (request.getJob().empty() || request.getJob() == device.getJob()) &&
         (request.getTask() < 0 || request.getTask() == device.getTask()) &&
         (request.getKind().empty() || request.getKind() == device.getKind()) &&
         (request.getIndex() < 0 || request.getIndex() == device.getIndex());
}

DeviceAttr DeviceSet::resolve(DeviceAttr request, DeviceAttr home) const {
  if (home && satisfies(home, request))
    return home;
  DeviceAttr sameJob, any;
  for (DeviceAttr device : devices_) {
    if (!satisfies(device, request))
      continue;
    if (!any)
      any = device;
    if (!sameJob && home && device.getJob() == home.getJob())
      sameJob = device;
  }
  return sameJob ? sameJob : any;
}

std::string DeviceSet::describe(DeviceAttr request) const {
  constexpr size_t kMostNamed = 8;
  std::string text = "; valid devices are ";
  std::string requested = request.str(), nearest;
  unsigned best = std::max<unsigned>(4, requested.size() / 3) + 1;
  for (auto [i, device] : llvm::enumerate(devices_)) {
    std::string name = device.str();
    if (i < kMostNamed)
      text += (i ? ", " : "") + name;
    // A partial request is compared with what the device would be called with the same parts left
    // out.
    std::string shown =
        DeviceAttr::get(device.getContext(), request.getJob().empty() ? "" : device.getJob(),
                        request.getTask() < 0 ? -1 : device.getTask(),
                        request.getKind().empty() ? "" : device.getKind(),
                        request.getKind().empty() || request.getIndex() < 0 ? -1
                                                                            : device.getIndex())
            .str();
    if (unsigned distance = StringRef(requested).edit_distance(shown, true, best);
        distance < best) {
      best = distance;
      nearest = shown;
    }
  }
  if (devices_.size() > kMostNamed)
    text += " and " + std::to_string(devices_.size() - kMostNamed) + " more";
  if (const device::DeviceKind *kind = device::findKind(request.getKind().str());
      kind && !kind->hasCode())
    text += "; this version compiles for " + device::listCompiledKinds() + " only";
  else if (!nearest.empty())
    text += "; did you mean \"" + nearest + "\"?";
  return text;
}

} // namespace graphc
