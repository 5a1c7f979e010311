#include "passes/place/SoftPlacement.h"

#include "passes/place/PlacementAnnotations.h"
#include "runtime/common/device/DeviceKinds.h"

using namespace mlir;

namespace graphc {

using graph::DeviceAttr;

SoftPlacement::SoftPlacement(ModuleOp module, const DistributionSpec &dist,
                             const DeviceSet &devices)
    : module_(module), dist_(dist), devices_(devices),
      isSoft_(module->hasAttr(graph::GraphDialect::kSoftPlacement)) {}

DeviceAttr SoftPlacement::soften(Operation *op, DeviceAttr request, DeviceAttr stored) {
  if (!request || !isSoft_)
    return request;
  const bool isThere = devices_.resolve(request, {}) != nullptr;
  if (isThere && !(isa<graph::VariableOp>(op) && excludesVariables(request)))
    return request;
  auto open = DeviceAttr::get(module_.getContext(), request.getJob(), request.getTask(), "", -1);
  auto func = op->getParentOfType<graph::FuncOp>();
  DeviceAttr home = func ? dist_.homeOf(func) : dist_.stores.front();
  DeviceAttr device = stored ? stored
                      : isReplicaDevice(home) && satisfies(home, open)
                          ? home
                          : devices_.resolve(open, home);
  if (!device)
    return request; // there is no such task, which is an error
  if (said_.insert(request).second) {
    InFlightDiagnostic remark = op->emitRemark("'") << op->getName() << "' op ";
    if (StringRef name = getGivenName(op); !name.empty())
      remark << "\"" << name << "\" ";
    remark << "is placed on \"" << request.str() << "\", "
           << (isThere ? "where what is locked cannot be" : "which no device of the cluster is")
           << "; soft placement takes \"" << device.str() << "\"";
  }
  return open;
}

/// Lanes that share variables lock them while they compute, which only threads of the host can.
bool SoftPlacement::excludesVariables(DeviceAttr device) const {
  return device::hasOwnMemory(device.getKind()) && dist_.kind == StrategyKind::ParameterServer &&
         (dist_.async || dist_.toAggregate > 0);
}

/// No variable that lanes lock is on a device whose memory the host cannot touch; the message names
/// the host's device of the same task, or asks for one.
LogicalResult SoftPlacement::checkVariables() {
  for (auto variable : module_.getOps<graph::VariableOp>()) {
    DeviceAttr device = graph::getDevice(variable);
    if (!excludesVariables(device))
      continue;
    InFlightDiagnostic diag = variable.emitOpError("is on \"")
                              << device.str() << "\", but "
                              << (dist_.async ? "asynchronous updates" : "backup workers")
                              << " lock variables while they compute, which only the host can; ";
    const auto *host = llvm::find_if(devices_.all(), [&](DeviceAttr other) {
      return other.isOnTaskOf(device) && !excludesVariables(other);
    });
    if (host != devices_.all().end())
      return diag << "place it on \"" << host->str() << "\"";
    return diag << "give job " << device.getJob() << " a " << device::hostDevice()
                << " in \"devices\"";
  }
  return success();
}

} // namespace graphc
