// A process that links this file has SIM devices: cluster.json and plans may name them. The seed of
// a device is GRAPHC_SIM_SEED (1 where it is not set) and its index, so that the order of its work
// differs from one run to the next only where a test wants it to.
#include "runtime/common/device/DeviceKinds.h"
#include "test/runtime/device/Sim.h"

#include <cstdlib>
#include <string>

namespace graphc::device {
namespace {

[[maybe_unused]] const bool registered = [] {
  addKind({"SIM", CodeFormat::Native, /*ownMemory=*/true});
  registerKind("SIM", [](const std::string &name) -> absl::StatusOr<std::unique_ptr<Device>> {
    const char *seed = std::getenv("GRAPHC_SIM_SEED");
    return makeSim(name, (seed ? std::strtoull(seed, nullptr, 10) : 1) +
                             std::stoull(name.substr(name.find(':') + 1)));
  });
  return true;
}();

} // namespace
} // namespace graphc::device
