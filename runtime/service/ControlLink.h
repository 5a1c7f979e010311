//===- ControlLink.h - a task's way to the master -----------------------------------*- C++ -*-===//
//
// The session reads orders from its inbox; send() comes from any thread. On the chief the master is
// in the same process and LocalLink joins the two without a server, which is also how a plan with
// one task runs.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_SERVICE_CONTROLLINK_H
#define GRAPHC_RUNTIME_SERVICE_CONTROLLINK_H

#include "runtime/common/base/Mutex.h"
#include "runtime/service/ResultBacklog.h"
#include "runtime/service/TaskCoordinator.h"
#include "runtime/service/TaskDialer.h"

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <deque>

namespace graphc::service {

class ControlLink {
public:
  virtual ~ControlLink() = default;
  virtual void send(FromTask message) = 0;
  /// Results on their way, for the lanes that make them to wait on.
  ResultBacklog &backlog() { return backlog_; }
  /// The next order or other word from the master. Aborted: another task failed (the message names
  /// it). Unavailable: the chief is gone. Any other error: the chief refused this task.
  /// DeadlineExceeded: nothing came until `deadline`.
  absl::StatusOr<ToTask> receive(absl::Time deadline);
  /// Called on any thread at the first abort or loss: wakes what the session's inbox cannot. Once
  /// another callback, or none, is given, the one before is called no more and no call of it is
  /// under way.
  void onEnd(std::function<void(absl::Status)> callback);
  /// Called when the master asks for the end of the phase of this generation at the next step;
  /// overtakes orders. Otherwise as onEnd().
  void onStop(std::function<void(uint64_t generation)> callback);
  /// Called for each step permit, in their order, before what waits in the inbox. Otherwise as
  /// onEnd().
  void onPermit(std::function<void(const ToTask::StepPermit &)> callback);
  /// Called when a process was lost whose task may come back. Otherwise as onEnd().
  void onGone(std::function<void(const Gone &)> callback);
  /// Has receive() return a message that says nothing.
  void wake();
  /// When the master last said anything (heartbeats included).
  absl::Time heard() const;
  /// The heartbeat found the master silent for too long.
  void lost(absl::Status why);
  /// What ended the link, OK while it stands.
  absl::Status ended() const;
  /// Whether it has ended since another task was lost: the chief, or the one that the chief named.
  bool endedByLoss() const;
  virtual void close() = 0;

protected:
  void deliver(const ToTask &message);
  /// `loss`: of another task.
  void finish(absl::Status why, bool loss);
  void finish(absl::Status why) {
    const bool loss = absl::IsUnavailable(why);
    finish(std::move(why), loss);
  }
  ResultBacklog backlog_;

private:
  /// held while a callback is called; before mutex_, and before the session's locks
  base::Mutex calling_;
  mutable base::Mutex mutex_;
  base::CondVar changed_;
  std::deque<ToTask> inbox_ ABSL_GUARDED_BY(mutex_);
  absl::Status end_ ABSL_GUARDED_BY(mutex_);
  bool loss_ ABSL_GUARDED_BY(mutex_) = false; ///< with end_
  std::function<void(absl::Status)> onEnd_ ABSL_GUARDED_BY(calling_);
  std::function<void(uint64_t)> onStop_ ABSL_GUARDED_BY(calling_);
  std::function<void(const Gone &)> onGone_ ABSL_GUARDED_BY(calling_);
  std::function<void(const ToTask::StepPermit &)> onPermit_ ABSL_GUARDED_BY(calling_);
  absl::Time heard_ ABSL_GUARDED_BY(mutex_) = absl::InfiniteFuture(); ///< nothing yet: not silent
};

/// The chief's own task.
class LocalLink final : public ControlLink,
                        public TaskLink,
                        public std::enable_shared_from_this<LocalLink> {
public:
  /// `incarnation`: of a task that has joined already.
  LocalLink(TaskCoordinator &coordinator, uint32_t task, uint64_t incarnation = 0)
      : coordinator_(coordinator), task_(task), incarnation_(incarnation) {}
  absl::Status join(const Hello &hello) {
    incarnation_ = hello.incarnation();
    return coordinator_.join(hello, shared_from_this());
  }
  void send(FromTask message) override; // to the master
  void send(const ToTask &message) override {
    // from the master, who has told the chief's log itself for whom it waits
    if (!message.has_waiting())
      deliver(message);
  }
  void close() override {}

private:
  TaskCoordinator &coordinator_;
  const uint32_t task_;
  std::atomic<uint64_t> incarnation_; ///< once it has joined
};

/// Another task's: a bidirectional stream to the chief. Tries until `deadline`, so a task may be
/// started before its chief; says on the way whom it waits for.
class StreamLink final : public ControlLink {
public:
  /// `chief`: "/job:worker/task:0"; `address`: for people, where they know it.
  StreamLink(TaskDialer dialer, std::string chief, std::string address = "");
  ~StreamLink() override;
  /// Waits for the chief's server and says hello. Refusals come through receive(). Unauthenticated:
  /// the two would never accept each other.
  absl::Status open(const Hello &hello, absl::Time deadline,
                    const std::function<void(const std::string &)> &announce);
  void send(FromTask message) override;
  void close() override;

private:
  class Stream;
  std::string shown() const { return address_.empty() ? chief_ : chief_ + " at " + address_; }

  TaskDialer dialer_;
  const std::string chief_, address_;
  base::Mutex mutex_;
  base::CondVar gone_;
  std::shared_ptr<Stream> stream_ ABSL_GUARDED_BY(mutex_);
  std::shared_ptr<Stream> done_ ABSL_GUARDED_BY(mutex_); ///< gRPC's reference, given back
  bool running_ ABSL_GUARDED_BY(mutex_) = false;
};

} // namespace graphc::service
#endif
