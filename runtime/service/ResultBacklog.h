//===- ResultBacklog.h - results that wait for the chief to read them ---------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_SERVICE_RESULTBACKLOG_H
#define GRAPHC_RUNTIME_SERVICE_RESULTBACKLOG_H

#include "runtime/common/base/Mutex.h"
#include "runtime/service/service.pb.h"
#include "runtime/transport/Transport.h"

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"

namespace graphc::service {

/// What a result counts.
inline uint64_t bytesOf(const Fetched &fetched) {
  uint64_t bytes = fetched.value().size();
  for (const std::string &value : fetched.report().values())
    bytes += value.size();
  return bytes;
}

/// What a message of results counts, or a part of one.
inline uint64_t bytesOf(const FromTask &message) {
  return message.has_part() ? message.part().data().size() : bytesOf(message.fetched());
}

/// Counts their bytes. A lane does not end a step that has results before poll() is Ready; so what
/// waits is at most `most` and the results of one step of each lane.
class ResultBacklog final : public transport::Port {
public:
  static constexpr uint64_t kMost = uint64_t(64) << 20;
  explicit ResultBacklog(uint64_t most = kMost) : most_(most) {}

  transport::PollState poll() const {
    base::MutexLock lock(mutex_);
    if (!end_.ok())
      return transport::PollState::Aborted;
    return bytes_ < most_ ? transport::PollState::Ready : transport::PollState::Pending;
  }
  void add(uint64_t bytes) {
    base::MutexLock lock(mutex_);
    bytes_ += bytes;
  }
  void remove(uint64_t bytes) {
    base::MutexLock lock(mutex_);
    bytes_ -= bytes;
    changed_.notifyAll();
  }
  /// Ends all waits. The first status wins.
  void abort(const absl::Status &why) {
    base::MutexLock lock(mutex_);
    end_.Update(why);
    changed_.notifyAll();
  }

  void wait(absl::Duration timeout) override {
    base::MutexLock lock(mutex_);
    changed_.waitFor(mutex_, timeout, [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
      return bytes_ < most_ || !end_.ok();
    });
  }
  absl::Status status() const override {
    base::MutexLock lock(mutex_);
    return end_;
  }

private:
  const uint64_t most_;
  mutable base::Mutex mutex_;
  base::CondVar changed_;
  uint64_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Status end_ ABSL_GUARDED_BY(mutex_);
};

} // namespace graphc::service
#endif
