//===- TaskPlace.h - which task of a plan a program is, and how it meets the others ------------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_SESSION_TASKPLACE_H
#define GRAPHC_RUNTIME_SESSION_TASKPLACE_H

#include "runtime/cluster/Address.h"
#include "runtime/plan/plan.pb.h"
#include "runtime/service/Dialer.h"
#include "runtime/session/ClusterOptions.h"

#include "absl/status/statusor.h"

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
  std::vector<std::string>
      addresses; ///< by task number; empty where they are not known yet (StartedHere), or there is one task
  service::Identity identity; ///< what it shows the others; of StartedHere none yet
};

/// By the options and, where they name no others, TF_CONFIG. Opens nothing.
absl::StatusOr<TaskPlace> findPlace(const plan::Plan &plan, const ClusterOptions &options);

} // namespace graphc::session
#endif
