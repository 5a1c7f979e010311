//===- FetchCollector.h - values of --fetch, reduced over replicas, in order --------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_SESSION_RESULTS_FETCHCOLLECTOR_H
#define GRAPHC_RUNTIME_SESSION_RESULTS_FETCHCOLLECTOR_H

#include "runtime/common/base/Mutex.h"
#include "runtime/common/plan/plan.pb.h"
#include "runtime/executor/LaneCallbacks.h"
#include "runtime/service/service.pb.h"

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"

#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace graphc::session {

/// Element `index` of values that may lie anywhere.
template <class T> T loadElement(const void *data, uint64_t index) {
  T value;
  std::memcpy(&value, static_cast<const char *>(data) + index * sizeof(T), sizeof(T));
  return value;
}

/// A result of one step, whole.
struct FetchedTensor {
  std::string task; ///< "/job:worker/task:1" where replicas share no step; else empty: of all
  std::string name;
  uint64_t step = 0; ///< global
  plan::TensorType type;
  std::string data; ///< row-major, little endian
  uint32_t phase = 0; ///< of the plan
};

/// What all instances' values of a result are together, by its reduction and the tree of all sums.
std::string reduceOverReplicas(const plan::Port &port, const plan::Program &program,
                               const std::vector<std::string> &values);

/// A task's results of one step, on their way to the chief; on a lane's thread.
service::FromTask fetchedMessage(const executor::LaneInfo &lane, uint32_t fetch, uint64_t step,
                                 const void *data);
service::FromTask reportMessage(const executor::LaneInfo &lane, uint64_t step,
                                service::Report report);

/// On the chief. Replicas' values of one step come in any order and are delivered once all are
/// there, steps in order; asynchronous phases have no common step, there each value is delivered by
/// itself, with its task.
class FetchCollector {
public:
  static constexpr uint64_t kMostWaiting = uint64_t{4} << 30;
  static constexpr uint64_t kFewWaiting = 16; ///< may wait, whatever they take
  static constexpr uint64_t kWaitingBytes = 256; ///< that one that waits takes beside its values
  /// `deliver`: one call at a time. `mostWaiting`: bytes of values that wait for other replicas',
  /// whose way here may be slow while this one computes on.
  FetchCollector(const plan::Plan &plan, std::vector<std::string> names,
                 std::function<void(const FetchedTensor &)> deliver,
                 uint64_t mostWaiting = kMostWaiting)
      : plan_(plan), names_(std::move(names)), deliver_(std::move(deliver)),
        mostWaiting_(mostWaiting) {}
  /// Before any value: results of this phase whose values are put one behind the other along
  /// dimension 0, replica by replica, in place of being reduced.
  void join(uint32_t phase, std::set<std::string> names) {
    joinedPhase_ = phase;
    joined_ = std::move(names);
  }
  /// `value` is one of the plan's, each once (AnswerValidator.h). An error where those that wait
  /// for others' are too many.
  absl::Status add(const service::Fetched &value);

private:
  struct Pending {
    std::vector<std::string> values; ///< by instance
    std::vector<bool> there;
    uint32_t missing = 0;
  };
  FetchedTensor whole(uint64_t step, const plan::Program &program, const plan::Port &port,
                      const std::vector<std::string> &values) const;

  const plan::Plan &plan_;
  const std::vector<std::string> names_;
  const std::function<void(const FetchedTensor &)> deliver_;
  uint32_t joinedPhase_ = 0;
  std::set<std::string> joined_;
  base::Mutex mutex_;
  const uint64_t mostWaiting_;
  uint64_t waiting_ ABSL_GUARDED_BY(mutex_) = 0; ///< bytes in pending_
  /// (step, place among the flags, program, fetch)
  std::map<std::tuple<uint64_t, size_t, uint32_t, uint32_t>, Pending>
      pending_ ABSL_GUARDED_BY(mutex_);
};

} // namespace graphc::session
#endif
