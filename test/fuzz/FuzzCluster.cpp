// cluster.json, and the device and strategy names that come from flags.
#include "runtime/common/cluster/ClusterConfig.h"
#include "runtime/common/cluster/NamePattern.h"
#include "runtime/common/cluster/TaskAddresses.h"

#include <cstdlib>

using namespace graphc::cluster;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  auto config = parseCluster(text, "fuzz.json");
  if (config.ok()) {
    // What is accepted must be usable.
    if (config->taskCount() == 0 || config->replicaCount() == 0 ||
        !config->findJob(config->chief().job))
      abort();
    for (const std::string &name : config->deviceNames(100)) {
      auto device = DeviceSpec::parse(name);
      if (!device.ok() || !config->hasDevice(*device))
        abort();
    }
    for (const PlacementRule &rule : config->placement)
      (void)matchesPattern(rule.name, "some/name");
    (void)parseStrategyFlag("parameter_server", *config);
    std::vector<PlanJob> jobs;
    for (const JobConfig &job : config->jobs)
      jobs.push_back({job.name, job.tasks});
    AddressSources fromFile, fromEnvironment;
    fromFile.file = *config;
    fromEnvironment.environment = std::string(text);
    (void)resolveAddresses(jobs, fromFile);
    (void)resolveAddresses({{"ps", 1}, {"worker", 2}}, fromEnvironment);
  } else if (config.status().message().substr(0, 10) != "fuzz.json:") {
    abort(); // an error without a place
  }
  if (auto device = DeviceSpec::parse(text.substr(0, 300)); device.ok()) {
    auto again = DeviceSpec::parse(device->str());
    if (!again.ok() || !(*again == *device))
      abort();
  }
  (void)TaskRange::parse(text.substr(0, 300));
  return 0;
}
