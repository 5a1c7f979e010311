//===- RankRendezvous.h -----------------------------------------------------------------------===//
//
// A task that another launcher has started: srun, mpirun, torchrun, JobSet.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_API_RANKRENDEZVOUS_H
#define GRAPHC_RUNTIME_API_RANKRENDEZVOUS_H

#include "runtime/common/base/File.h"
#include "runtime/common/cluster/LauncherRank.h"
#include "runtime/common/plan/plan.pb.h"
#include "runtime/service/TaskDialer.h"
#include "runtime/tls/JobFolder.h"

#include "absl/status/statusor.h"
#include "absl/time/time.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace graphc::session {

/// Who this process is by its environment; none: no launcher's variables are there. `order`: of
/// --rank_order, empty or every job of the plan once, or an error says what is wrong with it.
absl::StatusOr<std::optional<cluster::LauncherRank>> rankOf(const plan::Plan &plan,
                                                            const std::vector<std::string> &order);

/// For the user: which task this is and why; the chief says which task each rank is.
std::string describe(const plan::Plan &plan, const std::vector<std::string> &order,
                     const cluster::LauncherRank &rank);

/// Whether --rank_order can be `order`.
absl::Status checkRankOrder(const plan::Plan &plan, const std::vector<std::string> &order);

struct RendezvousOptions {
  std::string jobDirectory; ///< --job_dir; empty: none
  absl::Duration joinDeadline; ///< for the chief, who makes the folder there
  std::function<void(const std::string &)> log; ///< takes whom it waits for
};

/// How a task and the others find each other.
struct RankRendezvous {
  /// by task number; empty: the chief hears it of the task itself
  std::vector<std::string> addresses;
  service::TaskIdentity identity; ///< what it shows the others
  base::UniqueFd listener; ///< where it listens already; none: nowhere yet
  std::shared_ptr<tls::JobFolder> folder; ///< the chief's, with a job directory
};

/// The task of a rank where no address was given: the chief listens where all look for it, any
/// other at a port of its own, which it tells the chief.
absl::StatusOr<RankRendezvous> meet(const plan::Plan &plan, uint32_t task,
                                    const cluster::LauncherRank &rank,
                                    const RendezvousOptions &options);

/// With a job directory: certificates, and, where `meeting->addresses` has none, this task's
/// address and the chief's. `run` is the folder's name there. Waits for the chief.
absl::Status enterJobFolder(const plan::Plan &plan, uint32_t task, const std::string &run,
                            const RendezvousOptions &options, RankRendezvous *meeting);
/// The folder's name for tasks that were started by hand, the same for all of them.
std::string jobFolderOf(const std::vector<std::string> &addresses);

} // namespace graphc::session
#endif
