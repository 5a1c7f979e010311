//===- AnswerConsistency.h - what the tasks' answers to one order have to have in common ------===//
//
// What one answer alone may say is in AnswerValidator.h. Answers are by task number.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_SESSION_PEERS_ANSWERCONSISTENCY_H
#define GRAPHC_RUNTIME_SESSION_PEERS_ANSWERCONSISTENCY_H

#include "runtime/common/plan/plan.pb.h"
#include "runtime/data/PhaseBatches.h"
#include "runtime/executor/LoadedKernels.h"
#include "runtime/service/service.pb.h"

#include "absl/status/statusor.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace graphc::session {

/// By data set, as every task that reads it has it.
using DatasetSizes = std::map<uint32_t, uint64_t>;

/// A task's part of that: opens what it reads in these phases, and says how many samples there are.
absl::Status openDatasets(const plan::Plan &plan, const plan::Task &task,
                          std::span<const uint32_t> phases, data::DatasetCache &datasets,
                          service::Done &done);
/// Workers take turns in one stream of samples. One with fewer of them would run out first, or
/// train on others than the rest believe.
absl::StatusOr<DatasetSizes> compareDatasets(const plan::Plan &plan,
                                             const std::vector<service::Done> &connected);

/// Replicas with a copy each of the variables must agree to the bit. `when`: "at the start".
absl::Status compareMirrors(const plan::Plan &plan, const std::vector<service::Done> &answers,
                            std::string_view when);

/// Algorithms of libraries, by kernel: tasks that make the same call make it alike, but CPUs that
/// may differ. The error names two that do not.
absl::StatusOr<std::map<std::string, std::string>>
compareAlgorithms(const plan::Plan &plan, const std::vector<service::Done> &prepared,
                  bool cpusMayDiffer);

/// Takes from a checkpoint's algorithms `before` what libraries of GPUs can be told, into `order`
/// and `algorithms`, which are this run's. CPUs' make products as they do here: a warning, where
/// that is in another way than before; else "".
std::string goOnBy(const std::map<std::string, std::string> &before,
                   std::map<std::string, std::string> &algorithms,
                   service::Order::Initialize &order);

/// A task's side: those by which the checkpoint's weights were made. With others the run would go
/// on with other bits than without a stop.
absl::Status takeAlgorithms(const plan::Plan &plan, const service::Order::Initialize &order,
                            executor::LoadedKernels &library);

} // namespace graphc::session
#endif
