#include "runtime/service/MasterService.h"

#include "runtime/service/Outbox.h"
#include "runtime/transport/GrpcTransport.h"

#include <algorithm>

namespace graphc::service {
namespace {
class Refusal final : public grpc::ServerBidiReactor<FromTask, ToTask> {
public:
  explicit Refusal(grpc::StatusCode code, const std::string &why) { Finish(grpc::Status(code, why)); }
  void OnDone() override { delete this; }
};
} // namespace

/// One task's stream. gRPC's reference to it is `self_`, given back in OnDone; the coordinator holds another as Member.
class MasterService::Stream final : public grpc::ServerBidiReactor<FromTask, ToTask>, public Member {
public:
  explicit Stream(MasterService &service)
      : service_(service),
        outbox_([this](const ToTask &message) { StartWrite(&message); }, [this] { Finish(status_); }) {}
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
        service_.coordinator_.disconnected(task_, incarnation_, "is gone (its control stream broke)");
      outbox_.close(false);
      return;
    }
    if (!handle()) {
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
  bool handle() {
    Coordinator &coordinator = service_.coordinator_;
    if (incoming_.has_hello() == joined_) {
      status_ = grpc::Status(grpc::StatusCode::INVALID_ARGUMENT, "a control stream begins with one hello");
      return false;
    }
    switch (incoming_.kind_case()) {
    case FromTask::kHello: {
      task_ = incoming_.hello().task();
      incarnation_ = incoming_.hello().incarnation();
      absl::Status status = coordinator.join(incoming_.hello(), self_);
      if (!status.ok()) {
        status_ = grpc::Status(static_cast<grpc::StatusCode>(status.code()), std::string(status.message()));
        return false;
      }
      joined_ = true;
      return true;
    }
    case FromTask::kProgress:
      coordinator.progress(task_, incoming_.progress());
      return true;
    case FromTask::kDone:
      coordinator.done(task_, incoming_.done());
      return true;
    case FromTask::kFailed:
      coordinator.failed(task_, incoming_.failed());
      return true;
    case FromTask::kFetched:
      coordinator.fetched(incoming_.fetched());
      return true;
    case FromTask::KIND_NOT_SET:
      break;
    }
    status_ =
        grpc::Status(grpc::StatusCode::INVALID_ARGUMENT, "a message of a later version: update the chief's graphrun");
    return false;
  }

  MasterService &service_;
  std::shared_ptr<Stream> self_;
  FromTask incoming_;
  grpc::Status status_; ///< what the task is told at the end; written before close
  bool joined_ = false;
  uint32_t task_ = 0;
  uint64_t incarnation_ = 0;
  Outbox<ToTask> outbox_;
};

grpc::ServerBidiReactor<FromTask, ToTask> *MasterService::Join(grpc::CallbackServerContext *context) {
  auto token = context->client_metadata().find(kTokenKey);
  if (token == context->client_metadata().end() ||
      !transport::sameSecret({token->second.data(), token->second.size()}, token_))
    return new Refusal(
        grpc::StatusCode::UNAUTHENTICATED,
        "the task does not have this run's token; start it as the same user, with the same plan and addresses");
  auto stream = std::make_shared<Stream>(*this);
  {
    std::lock_guard lock(mutex_);
    streams_.push_back(stream);
  }
  stream->begin(stream);
  return stream.get();
}

void MasterService::gone(Stream *stream) {
  std::shared_ptr<Stream> last; // freed after the lock
  std::lock_guard lock(mutex_);
  auto found = std::find_if(streams_.begin(), streams_.end(), [&](auto &one) { return one.get() == stream; });
  if (found != streams_.end()) {
    last = std::move(*found);
    streams_.erase(found);
  }
}

void MasterService::close() {
  std::vector<std::shared_ptr<Stream>> streams;
  {
    std::lock_guard lock(mutex_);
    streams = streams_;
  }
  for (auto &stream : streams)
    stream->end(/*flush=*/true);
}

} // namespace graphc::service
