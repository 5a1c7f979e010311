#include "runtime/service/ControlLink.h"

#include "runtime/common/base/MonotonicClock.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/base/TextUtils.h"
#include "runtime/service/MasterService.h"
#include "runtime/service/MessageParts.h"
#include "runtime/service/StreamOutbox.h"
#include "runtime/tls/PeerCertificate.h"

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

#include <thread>

namespace graphc::service {
namespace {
/// Messages that a task has not looked at. A chief has one order under way and says now and then
/// whom it waits for.
constexpr size_t kMostWaiting = 256;
} // namespace

/// On the session's thread.
absl::StatusOr<ToTask> ControlLink::receive(absl::Time deadline) {
  base::MutexLock lock(mutex_);
  while (true) {
    if (!end_.ok()) // an abort overtakes orders that wait
      return end_;
    if (!inbox_.empty()) {
      ToTask message = std::move(inbox_.front());
      inbox_.pop_front();
      return message;
    }
    if (absl::Now() >= deadline)
      return absl::DeadlineExceededError("nothing came from the chief");
    changed_.waitUntil(mutex_, std::min(deadline, absl::Now() + absl::Hours(1)));
  }
}

void ControlLink::onEnd(std::function<void(absl::Status)> callback) {
  base::MutexLock lock(calling_);
  onEnd_ = std::move(callback);
}

void ControlLink::onStop(std::function<void(uint64_t)> callback) {
  base::MutexLock lock(calling_);
  onStop_ = std::move(callback);
}

void ControlLink::onPermit(std::function<void(const ToTask::StepPermit &)> callback) {
  base::MutexLock lock(calling_);
  onPermit_ = std::move(callback);
}

void ControlLink::onGone(std::function<void(const Gone &)> callback) {
  base::MutexLock lock(calling_);
  onGone_ = std::move(callback);
}

void ControlLink::wake() {
  base::MutexLock lock(mutex_);
  inbox_.emplace_back();
  changed_.notifyAll();
}

absl::Time ControlLink::heard() const {
  base::MutexLock lock(mutex_);
  return heard_;
}

void ControlLink::lost(absl::Status why) { finish(std::move(why)); }

absl::Status ControlLink::ended() const {
  base::MutexLock lock(mutex_);
  return end_;
}

bool ControlLink::endedByLoss() const {
  base::MutexLock lock(mutex_);
  return loss_;
}

/// A word of the master, on gRPC's thread (the chief's own task: on the caller's). An abort ends
/// the link at once. A heartbeat only counts as heard. A stop request and a step permit go to the
/// phase that runs. Everything else waits in the inbox for the session's thread.
void ControlLink::deliver(const ToTask &message) {
  if (message.has_abort()) {
    RootCause cause{base::foreignText(message.abort().task()), "", 0,
                    absl::AbortedError(message.abort().message().empty()
                                           ? "the chief ended the run and did not say why"
                                           : base::foreignText(message.abort().message()))};
    finish(absl::AbortedError(cause.describe()), message.abort().lost());
    return;
  }
  {
    base::MutexLock lock(mutex_);
    heard_ = absl::Now();
  }
  if (message.has_heartbeat())
    return;
  if (message.has_clock()) { // at once: the sooner the better it is known
    FromTask answer;
    answer.mutable_clock()->set_id(message.clock());
    answer.mutable_clock()->set_nanoseconds(base::nowNanoseconds());
    send(std::move(answer));
    return;
  }
  if (message.has_stop()) {
    base::MutexLock lock(calling_);
    if (onStop_)
      onStop_(message.stop());
    return;
  }
  if (message.has_gone()) {
    base::MutexLock lock(calling_);
    if (onGone_)
      onGone_(message.gone());
    return;
  }
  if (message.has_step_permit()) {
    base::MutexLock lock(calling_);
    if (onPermit_)
      onPermit_(message.step_permit());
    return;
  }
  {
    base::MutexLock lock(mutex_);
    if (inbox_.size() < kMostWaiting) {
      inbox_.push_back(message);
      changed_.notifyAll();
      return;
    }
  }
  finish(absl::ResourceExhaustedError(absl::StrCat(
      "the chief sends more than this task can do: ", kMostWaiting, " messages wait")));
}

/// The first end counts. It wakes the session's thread, then lanes whose results wait, then tells
/// the session.
void ControlLink::finish(absl::Status why, bool loss) {
  {
    base::MutexLock lock(mutex_);
    if (!end_.ok())
      return;
    end_ = why;
    loss_ = loss;
    changed_.notifyAll();
  }
  backlog_.abort(why);
  base::MutexLock lock(calling_);
  if (onEnd_)
    onEnd_(why);
}

/// The master is in this process: a message is a call.
void LocalLink::send(FromTask message) {
  const TaskIncarnation from{task_, incarnation_};
  switch (message.kind_case()) {
  case FromTask::kProgress:
    (void)coordinator_.progress(from, message.progress());
    break;
  case FromTask::kDone:
    (void)coordinator_.done(from, std::move(*message.mutable_done()));
    break;
  case FromTask::kFailed:
    (void)coordinator_.failed(from, message.failed());
    break;
  case FromTask::kFetched:
    (void)coordinator_.fetched(from, message.fetched());
    break;
  case FromTask::kTraced:
    (void)coordinator_.traced(from, std::move(*message.mutable_traced()));
    break;
  case FromTask::kClock:
    (void)coordinator_.clockRead(from, message.clock());
    break;
  default:
    break;
  }
}

/// Lives until the link closes, which is after gRPC's OnDone. It must not be freed on gRPC's
/// thread: the last channel of a process ends gRPC's callback threads, and one that ends itself
/// goes on with freed memory (gRPC 1.51 joins it, which fails, and deletes its queue).
class StreamLink::Stream final : public grpc::ClientBidiReactor<FromTask, ToTask> {
public:
  Stream(StreamLink &link, std::shared_ptr<grpc::Channel> channel)
      : link_(link), channel_(std::move(channel)), outbox_(
                                                       [this](const FromTask &message) {
                                                         writing_ = bytesOf(message);
                                                         StartWrite(&message);
                                                       },
                                                       [this] {
                                                         StartWritesDone();
                                                         RemoveHold();
                                                       }) {}
  void begin(std::shared_ptr<Stream> self) {
    self_ = std::move(self);
    stub_ = Master::NewStub(std::move(channel_));
    stub_->async()->Join(&context_, this);
    AddHold(); // sends come from other threads; the outbox's finish gives it back
    outbox_.open();
    StartRead(&incoming_);
    StartCall();
  }
  /// What says that this task lives does not wait behind results.
  void send(FromTask message) {
    const bool first = message.has_progress();
    std::list<FromTask> parts = splitMessage(std::move(message));
    for (const FromTask &part : parts)
      link_.backlog_.add(bytesOf(part));
    outbox_.push(std::move(parts), first);
  }
  void end() { outbox_.close(/*flush=*/true); }
  void cancel() { context_.TryCancel(); }

  void OnReadInitialMetadataDone(bool ok) override {
    if (ok)
      (void)known(); // soon, if it is not
  }
  void OnWriteDone(bool ok) override {
    link_.backlog_.remove(writing_);
    if (!ok)
      outbox_.close(false);
    outbox_.written();
  }
  void OnReadDone(bool ok) override {
    if (!ok || !known()) {
      outbox_.close(false);
      return;
    }
    link_.deliver(incoming_);
    StartRead(&incoming_);
  }
  void OnDone(const grpc::Status &status) override {
    StreamLink &link = link_;
    if (status.ok() || status.error_code() == grpc::StatusCode::UNAVAILABLE ||
        status.error_code() == grpc::StatusCode::CANCELLED)
      link.finish(absl::UnavailableError(
          absl::StrCat("lost the chief ", link.shown(), ": its control stream ended")));
    else if (status.error_code() == grpc::StatusCode::UNIMPLEMENTED)
      link.finish(absl::FailedPreconditionError(absl::StrCat(
          "what answers as the chief ", link.shown(), " takes no runs; is it graphrun check?")));
    else
      link.finish(base::foreignStatus(status.error_code(), status.error_message()));
    base::MutexLock lock(link.mutex_);
    link.done_ = std::move(self_);
    link.running_ = false;
    link.gone_.notifyAll();
  }

private:
  /// Whether what is at the other end is the chief; asked before its first word is heeded.
  bool known() {
    if (known_)
      return true;
    absl::Status named = tls::certificateOf(*context_.auth_context()).checkTask(link_.chief_);
    known_ = named.ok();
    if (!known_) {
      link_.finish(base::annotate(named, absl::StrCat("the chief ", link_.shown())));
      context_.TryCancel();
    }
    return known_;
  }

  StreamLink &link_;
  std::shared_ptr<Stream> self_;
  std::shared_ptr<grpc::Channel> channel_; ///< until the call
  std::unique_ptr<Master::Stub> stub_;
  grpc::ClientContext context_;
  ToTask incoming_;
  std::atomic<bool> known_{false};
  std::atomic<uint64_t> writing_{
      0}; ///< bytes of results in the one write under way, which gRPC hands from thread to thread
  StreamOutbox<FromTask> outbox_;
};

StreamLink::StreamLink(TaskDialer dialer, std::string chief, std::string address)
    : dialer_(std::move(dialer)), chief_(std::move(chief)), address_(std::move(address)) {}

StreamLink::~StreamLink() { close(); }

/// Waits for the chief's server, then begins the stream. The hello is queued before any other
/// thread can send.
absl::Status StreamLink::open(const Hello &hello, absl::Time deadline,
                              const std::function<void(const std::string &)> &announce) {
  GRAPHC_ASSIGN_OR_RETURN(auto channel,
                          dialer_.await({absl::StrCat("the chief ", shown()), deadline, announce,
                                         [this] { return ended(); }}));
  auto stream = std::make_shared<Stream>(*this, std::move(channel));
  FromTask message;
  *message.mutable_hello() = hello;
  stream->send(std::move(message)); // queued before anybody else (the heartbeat) can see the stream
  {
    base::MutexLock lock(mutex_);
    stream_ = stream;
    running_ = true;
  }
  stream->begin(stream);
  return absl::OkStatus();
}

void StreamLink::send(FromTask message) {
  std::shared_ptr<Stream> stream;
  {
    base::MutexLock lock(mutex_);
    stream = stream_;
  }
  if (stream)
    stream->send(std::move(message));
}

/// What is queued has two seconds to go out; then the call is cancelled. Nothing of the stream is
/// freed before gRPC and every sender have let go of it.
void StreamLink::close() {
  std::shared_ptr<Stream> stream;
  {
    base::MutexLock lock(mutex_);
    stream = stream_;
  }
  if (!stream)
    return;
  stream->end();
  auto gone = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return !running_; };
  bool cancel;
  {
    base::MutexLock lock(mutex_);
    cancel = !gone_.waitFor(mutex_, absl::Seconds(2), gone);
  }
  if (cancel)
    stream->cancel();
  {
    base::MutexLock lock(mutex_);
    gone_.waitFor(mutex_, absl::Seconds(20), gone);
    stream_.reset();
    done_.reset();
  }
  while (stream.use_count() > 1) // somebody is in the middle of a send, perhaps on gRPC's thread
    std::this_thread::yield();
}

} // namespace graphc::service
