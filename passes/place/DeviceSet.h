// The devices of a cluster, and how a name that a user wrote becomes one of them.
#ifndef GRAPHC_PASSES_PLACE_DEVICESET_H
#define GRAPHC_PASSES_PLACE_DEVICESET_H

#include "dialects/graph/GraphDialect.h"

#include <string>

namespace graphc {

/// Every device of a cluster: job by job, task by task, the task's default first
/// (ClusterAttr::getDevices).
class DeviceSet {
public:
  explicit DeviceSet(graph::ClusterAttr cluster);

  llvm::ArrayRef<graph::DeviceAttr> all() const { return devices_; }
  /// Whether work goes there where no kind of device is named: it is of the kind of its task's
  /// first.
  bool isDefault(graph::DeviceAttr device) const { return defaults_.contains(device); }
  /// The default devices of one job, in task order.
  llvm::SmallVector<graph::DeviceAttr> ofJob(llvm::StringRef job) const;
  /// Those that every part of `request` that is given is true of; of those where it leaves the kind
  /// open, the default ones.
  llvm::SmallVector<graph::DeviceAttr> satisfying(graph::DeviceAttr request) const;
  bool contains(graph::DeviceAttr device) const { return llvm::is_contained(devices_, device); }

  /// The device that `request`, possibly partial, means where `home` is the default: `home` itself
  /// if it fits, then the first device of home's job that fits, then the first of all. Null if
  /// there is none.
  graph::DeviceAttr resolve(graph::DeviceAttr request, graph::DeviceAttr home) const;

  /// "; valid devices are …; did you mean …?" for a request that nothing satisfies.
  std::string describe(graph::DeviceAttr request) const;

private:
  llvm::SmallVector<graph::DeviceAttr> devices_;
  llvm::DenseSet<graph::DeviceAttr> defaults_;
};

/// Whether every part that `request` gives is that of `device`.
bool satisfies(graph::DeviceAttr device, graph::DeviceAttr request);

/// "Each replica's own task": a device without a task.
inline bool isReplicaDevice(graph::DeviceAttr device) { return device.getTask() < 0; }

} // namespace graphc

#endif // GRAPHC_PASSES_PLACE_DEVICESET_H
