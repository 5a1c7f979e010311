//===- TaskRendezvous.h - which task of a plan a program is, and how it meets the others ------===//
#ifndef GRAPHC_RUNTIME_API_TASKRENDEZVOUS_H
#define GRAPHC_RUNTIME_API_TASKRENDEZVOUS_H

#include "runtime/api/ClusterOptions.h"
#include "runtime/common/base/File.h"
#include "runtime/common/cluster/LauncherRank.h"
#include "runtime/common/cluster/TaskAddresses.h"
#include "runtime/common/plan/plan.pb.h"
#include "runtime/service/TaskDialer.h"
#include "runtime/tls/JobFolder.h"

#include "absl/status/statusor.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace graphc::session {

/// The plan's, for who finds their addresses.
std::vector<cluster::PlanJob> jobsOf(const plan::Plan &plan);

struct TaskPlace {
  enum class Others { None, StartedHere, Servers, ByHand };
  Others others = Others::None;
  uint32_t task = 0; ///< own number
  bool chief = true;
  /// by task number; empty where they are not known yet (StartedHere), or there is one task
  std::vector<std::string> addresses;
  service::TaskIdentity identity; ///< what it shows the others; of StartedHere none yet
  std::optional<cluster::LauncherRank> rank; ///< of a launcher that has started this
  base::UniqueFd listener; ///< where it listens already
  std::shared_ptr<tls::JobFolder> folder; ///< the chief's, with ClusterOptions::jobDirectory
};

/// By the options and, where they name no others, the environment. Opens nothing.
absl::StatusOr<TaskPlace> findPlace(const plan::Plan &plan, const ClusterOptions &options);

/// Of a place among others that are started by somebody: what it shows them, and where no address
/// was given, its own and the chief's. With a job directory it waits for the chief; `log` takes for
/// whom.
absl::Status meet(const plan::Plan &plan, const ClusterOptions &options,
                  const std::function<void(const std::string &)> &log, TaskPlace *place);

} // namespace graphc::session
#endif
