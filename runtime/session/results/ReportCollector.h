//===- ReportCollector.h - what all lanes report of a step, as one record -----------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_SESSION_RESULTS_REPORTCOLLECTOR_H
#define GRAPHC_RUNTIME_SESSION_RESULTS_REPORTCOLLECTOR_H

#include "runtime/common/base/Mutex.h"
#include "runtime/common/plan/plan.pb.h"
#include "runtime/observe/StepRecord.h"
#include "runtime/service/service.pb.h"

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"

#include <functional>
#include <map>
#include <string>
#include <utility>

namespace graphc::session {

/// On the chief. A record has each result of the training function, returned or named by
/// graph.summary, reduced over replicas: one element as a scalar, more as a histogram; and each
/// graph.metric, the mean since the report before that was no rest. Records come in the order of
/// steps; those of asynchronous phases come as they are, with the name of their task and its own
/// count of steps.
class ReportCollector {
public:
  /// Bytes of reports that wait for other lanes'.
  static constexpr uint64_t kMostWaiting = uint64_t{4} << 30;
  /// Of the record is set what the reports say; `rest`: it is one only if training ends with it.
  /// One call at a time.
  using Deliver = std::function<void(observe::StepRecord, bool rest)>;
  ReportCollector(const plan::Plan &plan, Deliver deliver, uint64_t mostWaiting = kMostWaiting)
      : plan_(plan), deliver_(std::move(deliver)), mostWaiting_(mostWaiting) {}
  /// A report, which was checked (AnswerValidator.h). Any thread. An error where those that wait
  /// for others' are too many.
  absl::Status add(const service::Fetched &fetched);

private:
  using Lane = std::pair<uint32_t, uint32_t>; ///< program, instance
  using Reports = std::map<Lane, service::Report>;
  observe::StepRecord recordOf(uint64_t step, const Reports &reports) const;

  const plan::Plan &plan_;
  const Deliver deliver_;
  const uint64_t mostWaiting_;
  base::Mutex mutex_; ///< held while a record is delivered
  uint64_t waiting_ ABSL_GUARDED_BY(mutex_) = 0; ///< bytes in pending_
  std::map<uint64_t, Reports> pending_ ABSL_GUARDED_BY(mutex_); ///< by step
};

} // namespace graphc::session
#endif
