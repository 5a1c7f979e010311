//===- TaskAddresses.h - "host:port" of tasks, and which source of addresses a launch uses ----===//
//
// A plan knows jobs and task counts, never addresses. They come at launch: flags (--worker_hosts)
// beat the file (--cluster) beat the environment (TF_CONFIG).
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_COMMON_CLUSTER_TASKADDRESSES_H
#define GRAPHC_RUNTIME_COMMON_CLUSTER_TASKADDRESSES_H

#include "runtime/common/cluster/ClusterConfig.h"

#include <map>

namespace graphc::cluster {

/// "host:port" or "[ipv6]:port", port 1 to 65535. The error says what was expected.
absl::Status checkAddress(std::string_view address);

/// Whether the host part can only be this machine's own loopback: localhost, 127.x.x.x, [::1].
bool isLoopbackAddress(std::string_view address);

/// Splits "a:1,b:2" (the value of --worker_hosts). `flag` is named in errors.
absl::StatusOr<std::vector<std::string>> parseHostList(std::string_view text,
                                                       std::string_view flag);

/// What the plan says: its jobs and how many tasks each has.
struct PlanJob {
  std::string name;
  uint32_t tasks = 0;
};

struct AddressSources {
  std::map<std::string, std::vector<std::string>> flags; ///< job → addresses, from --JOB_hosts
  std::optional<ClusterConfig> file; ///< --cluster
  std::optional<std::string> environment; ///< the text of TF_CONFIG, unset or empty: none
};

struct ResolvedAddresses {
  /// job → one address a task; empty where no source has any.
  std::map<std::string, std::vector<std::string>> addresses;
  std::optional<TaskRef> task; ///< which task this is, where the used file or TF_CONFIG says
  std::vector<std::string> notes; ///< for the user: the source used, and why TF_CONFIG was not
};

/// Flags replace single jobs of the file or environment. A flag or file whose task count differs
/// from the plan's is an error that names both; a TF_CONFIG that does not match is left alone with
/// a note. All jobs have addresses, or none.
absl::StatusOr<ResolvedAddresses> resolveAddresses(const std::vector<PlanJob> &plan,
                                                   const AddressSources &sources);

/// Of a TF_CONFIG: "master" is what the chief was called in TensorFlow 1. Not where a job is called
/// "chief".
void renameMaster(ClusterConfig &config);

} // namespace graphc::cluster
#endif
