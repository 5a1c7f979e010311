//===- FetchPrinter.h - values of --fetch, reduced over replicas and printed in order ----------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_SESSION_FETCHPRINTER_H
#define GRAPHC_RUNTIME_SESSION_FETCHPRINTER_H

#include "runtime/plan/plan.pb.h"
#include "runtime/service/service.pb.h"

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace graphc::session {

/// numpy's way: "[[1 2]\n [3 4]]" on one line, shortest digits that read back the same; more than 1000 elements are
/// abridged to the first and last three of each dimension.
std::string formatTensor(const plan::TensorType &type, const void *data);

/// On the chief. Replicas' values of one step come in any order and are printed once all are there, steps in order;
/// asynchronous phases have no common step, there each value is a line of its own: "/job:worker/task:1 loss 0.5".
class FetchPrinter {
public:
  /// `mostWaiting`: bytes of values that wait for other replicas', whose way here may be slow while this one computes on.
  FetchPrinter(const plan::Plan &plan, std::vector<std::string> names, std::function<void(const std::string &)> print,
               uint64_t mostWaiting = uint64_t{4} << 30)
      : plan_(plan), names_(std::move(names)), print_(std::move(print)), mostWaiting_(mostWaiting) {}
  /// `value` is one of the plan's, each once (Answers.h). An error where those that wait for others' are too many.
  absl::Status add(const service::Fetched &value);

private:
  struct Pending {
    std::vector<std::string> values; ///< by instance
    std::vector<bool> there;
    uint32_t missing = 0;
  };
  std::string reduce(const plan::Port &port, const plan::Program &program,
                     const std::vector<std::string> &values) const;

  const plan::Plan &plan_;
  const std::vector<std::string> names_;
  const std::function<void(const std::string &)> print_;
  std::mutex mutex_;
  const uint64_t mostWaiting_;
  uint64_t waiting_ ABSL_GUARDED_BY(mutex_) = 0; ///< bytes in pending_
  /// (step, place among the flags, program, fetch)
  std::map<std::tuple<uint64_t, size_t, uint32_t, uint32_t>, Pending> pending_ ABSL_GUARDED_BY(mutex_);
};

} // namespace graphc::session
#endif
