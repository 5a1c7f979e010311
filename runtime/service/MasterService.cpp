#include "runtime/service/MasterService.h"

#include "runtime/common/base/Version.h"
#include "runtime/service/StreamOutbox.h"
#include "runtime/tls/PeerCertificate.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <algorithm>

namespace graphc::service {
namespace {
grpc::Status toGrpc(const absl::Status &status) {
  return {static_cast<grpc::StatusCode>(status.code()), std::string(status.message())};
}
} // namespace

/// One task's stream. gRPC's reference to it is `self_`, given back in OnDone; the coordinator
/// holds another as TaskLink.
class MasterService::Stream final : public grpc::ServerBidiReactor<FromTask, ToTask>,
                                    public TaskLink {
public:
  Stream(MasterService &service, tls::PeerCertificate certificate)
      : service_(service), certificate_(std::move(certificate)), parts_(service.mostBytes_),
        outbox_([this](const ToTask &message) { StartWrite(&message); },
                [this] { Finish(status_); }) {}
  void begin(std::shared_ptr<Stream> self) {
    self_ = std::move(self);
    StartSendInitialMetadata();
  }

  void send(const ToTask &message) override { outbox_.push(message); }
  void end(bool flush) { outbox_.close(flush); }

  void OnSendInitialMetadataDone(bool ok) override {
    outbox_.open();
    StartRead(&incoming_);
  }
  void OnWriteDone(bool ok) override {
    if (!ok)
      outbox_.close(false);
    outbox_.written();
  }
  void OnReadDone(bool ok) override {
    if (!ok) {
      if (joined_)
        service_.coordinator_.disconnected(task_, incarnation_,
                                           "is gone (its control stream broke)");
      outbox_.close(false);
      return;
    }
    if (!handle(incoming_)) {
      outbox_.close(false);
      return;
    }
    StartRead(&incoming_);
  }
  void OnDone() override {
    std::shared_ptr<Stream> self = std::move(self_); // may be the last reference, on return
    service_.gone(this);
  }

private:
  /// What a task says becomes a call of the coordinator. First comes a hello, once: the certificate
  /// has to be of that task, at the address that it says and at the one that the chief was given.
  bool handle(FromTask &message) {
    TaskCoordinator &coordinator = service_.coordinator_;
    if (message.has_hello() == joined_) {
      status_ = grpc::Status(grpc::StatusCode::INVALID_ARGUMENT,
                             "a control stream begins with one hello");
      return false;
    }
    const TaskIncarnation from{task_, incarnation_};
    bool counts = true;
    switch (message.kind_case()) {
    case FromTask::kHello:
      return join(message.hello());
    case FromTask::kPart:
      return handlePart(message.part());
    case FromTask::kProgress:
      counts = coordinator.progress(from, message.progress());
      break;
    case FromTask::kDone:
      counts = coordinator.done(from, message.done());
      break;
    case FromTask::kFailed:
      counts = coordinator.failed(from, message.failed());
      break;
    case FromTask::kFetched:
      counts = coordinator.fetched(from, message.fetched());
      break;
    case FromTask::kTraced:
      counts = coordinator.traced(from, std::move(*message.mutable_traced()));
      break;
    case FromTask::kClock:
      counts = coordinator.clockRead(from, message.clock());
      break;
    case FromTask::KIND_NOT_SET:
      status_ = grpc::Status(grpc::StatusCode::INVALID_ARGUMENT,
                             "a message of a later version: update the chief's graphrun");
      return false;
    }
    if (!counts)
      status_ = toGrpc(coordinator.displaced(from));
    return counts;
  }

  bool join(const Hello &hello) {
    task_ = hello.task();
    name_ = hello.name();
    incarnation_ = hello.incarnation();
    absl::Status status = certificate_.check(hello.name(), hello.address());
    const std::vector<std::string> &known = service_.addresses_;
    if (status.ok() && task_ < known.size() && !known[task_].empty())
      status = certificate_.check(hello.name(), known[task_]);
    if (status.ok())
      status = service_.coordinator_.join(hello, self_);
    joined_ = status.ok();
    if (!joined_)
      status_ = toGrpc(status);
    return joined_;
  }

  /// A message that is too long ends the run, and the error names the task that sends it. Invalid
  /// parts from a displaced process end only its own stream.
  bool handlePart(const FromTask::Part &part) {
    absl::StatusOr<std::optional<FromTask>> whole = parts_.add(part);
    if (!whole.ok()) {
      FromTask failure;
      failure.mutable_failed()->set_code(static_cast<int>(whole.status().code()));
      failure.mutable_failed()->set_message(std::string(whole.status().message()));
      if (handle(failure))
        status_ = toGrpc(whole.status());
      return false;
    }
    return !*whole || handle(**whole);
  }

  MasterService &service_;
  const tls::PeerCertificate certificate_;
  PartAssembler parts_;
  std::shared_ptr<Stream> self_;
  FromTask incoming_;
  grpc::Status status_; ///< what the task is told at the end; written before close
  bool joined_ = false;
  uint32_t task_ = 0;
  std::string name_; ///< of the task
  uint64_t incarnation_ = 0;
  StreamOutbox<ToTask> outbox_;
};

/// A task's control stream begins; it is no member before its hello.
grpc::ServerBidiReactor<FromTask, ToTask> *
MasterService::Join(grpc::CallbackServerContext *context) {
  auto stream = std::make_shared<Stream>(*this, tls::certificateOf(*context->auth_context()));
  {
    base::MutexLock lock(mutex_);
    streams_.push_back(stream);
  }
  stream->begin(stream);
  return stream.get();
}

/// Whether this server may have the plan. A cluster that the plan does not fit ends the run: nobody
/// else would come.
grpc::Status MasterService::check(const PlanRequest &request) {
  if (!offer_)
    return {
        grpc::StatusCode::FAILED_PRECONDITION,
        "the chief was started without --master: it expects a task with a plan of its own, not a server"};
  if (request.last_run() == offer_->run)
    return {grpc::StatusCode::ALREADY_EXISTS, "the run that this server has ended already"};
  auto text = [](const auto &jobs) {
    return absl::StrJoin(jobs, ", ", [](std::string *out, const JobSize &job) {
      absl::StrAppend(out, job.tasks(), " ", job.name());
    });
  };
  auto same = [](const JobSize &a, const JobSize &b) {
    return a.name() == b.name() && a.tasks() == b.tasks();
  };
  absl::Status fault;
  if (!std::is_permutation(request.jobs().begin(), request.jobs().end(), offer_->jobs.begin(),
                           offer_->jobs.end(), same))
    fault = absl::FailedPreconditionError(
        absl::StrCat("the server's cluster has the tasks ", text(request.jobs()), ", the plan of ",
                     offer_->client.model(), " is for ", text(offer_->jobs),
                     "; compile it for the cluster file that the servers were started with"));
  else if (request.version() != base::version())
    fault = absl::FailedPreconditionError(
        absl::StrCat("the server runs graphrun ", request.version(), ", the client ",
                     base::version(), "; start all with the same graphrun"));
  if (fault.ok())
    return grpc::Status::OK;
  coordinator_.abort({request.task(), "", 0, fault});
  return {static_cast<grpc::StatusCode>(fault.code()), std::string(fault.message())};
}

namespace {
/// Hands the plan out, a part a write; frees itself.
class PlanWriter final : public grpc::ServerWriteReactor<PlanPart> {
public:
  explicit PlanWriter(const PlanOffer &offer) : offer_(offer) {
    part_.set_run(offer.run);
    part_.set_entry(offer.entry);
    *part_.mutable_client() = offer.client;
    part_.set_check(offer.check);
    writeNext();
  }
  explicit PlanWriter(const PlanOffer &offer, const grpc::Status &refusal) : offer_(offer) {
    Finish(refusal);
  }
  void OnWriteDone(bool ok) override {
    part_.Clear();
    if (!ok || sent_ == offer_.file.size())
      Finish(ok ? grpc::Status::OK
                : grpc::Status(grpc::StatusCode::CANCELLED, "the server went away"));
    else
      writeNext();
  }
  void OnDone() override { delete this; }

private:
  void writeNext() {
    constexpr size_t kPartBytes = 1 << 20;
    size_t bytes = std::min(kPartBytes, offer_.file.size() - sent_);
    part_.set_data(offer_.file.data() + sent_, bytes);
    sent_ += bytes;
    StartWrite(&part_);
  }

  const PlanOffer &offer_;
  PlanPart part_;
  size_t sent_ = 0; ///< with the write under way
};
} // namespace

/// A waiting server asks for the plan.
grpc::ServerWriteReactor<PlanPart> *MasterService::FetchPlan(grpc::CallbackServerContext *context,
                                                             const PlanRequest *request) {
  static const PlanOffer kNone;
  absl::Status named = tls::certificateOf(*context->auth_context()).checkTask(request->task());
  grpc::Status status = named.ok() ? check(*request) : toGrpc(named);
  return status.ok() ? new PlanWriter(*offer_) : new PlanWriter(kNone, status);
}

/// Who runs what here: for a second client, which finds the address taken.
grpc::ServerUnaryReactor *MasterService::Describe(grpc::CallbackServerContext *context,
                                                  const DescribeRequest *, ClientInfo *answer) {
  grpc::ServerUnaryReactor *reactor = context->DefaultReactor();
  if (!offer_) {
    reactor->Finish(grpc::Status(grpc::StatusCode::FAILED_PRECONDITION, "nothing to say"));
    return reactor;
  }
  *answer = offer_->client;
  reactor->Finish(grpc::Status::OK);
  return reactor;
}

void MasterService::gone(Stream *stream) {
  std::shared_ptr<Stream> last; // freed after the lock
  base::MutexLock lock(mutex_);
  auto found = std::find_if(streams_.begin(), streams_.end(),
                            [&](auto &one) { return one.get() == stream; });
  if (found != streams_.end()) {
    last = std::move(*found);
    streams_.erase(found);
  }
}

/// Every stream ends when what is queued for its task has gone out.
void MasterService::close() {
  std::vector<std::shared_ptr<Stream>> streams;
  {
    base::MutexLock lock(mutex_);
    streams = streams_;
  }
  for (auto &stream : streams)
    stream->end(/*flush=*/true);
}

} // namespace graphc::service
