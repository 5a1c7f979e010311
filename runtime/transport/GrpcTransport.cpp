#include "runtime/transport/GrpcTransport.h"

#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/base/TextUtils.h"
#include "runtime/tls/PeerCertificate.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include <grpcpp/generic/generic_stub.h>

#include <algorithm>

namespace graphc::transport {
namespace {
constexpr char kPlanKey[] = "graphc-plan", kRunKey[] = "graphc-run", kTaskKey[] = "graphc-task",
               kIncarnationKey[] = "graphc-incarnation", kPeerKey[] = "graphc-peer",
               kStreamKey[] = "graphc-stream", kStreamsKey[] = "graphc-streams";

template <class Metadata> std::string lookUp(const Metadata &metadata, const char *key) {
  auto found = metadata.find(key);
  return found == metadata.end() ? std::string()
                                 : std::string(found->second.data(), found->second.size());
}

/// Answers a call with an error and nothing else.
class Refusal final : public grpc::ServerGenericBidiReactor {
public:
  explicit Refusal(const absl::Status &why) {
    Finish(grpc::Status(static_cast<grpc::StatusCode>(why.code()), std::string(why.message())));
  }
  void OnDone() override { delete this; }
};
} // namespace

/// What the two directions of dialling share: read for ever, hand messages to the link, write for
/// the link.
template <class Base> class StreamReactor : public Base, public GrpcWire {
public:
  StreamReactor(GrpcTransport &transport, GrpcTransport::Peer &peer, uint32_t number)
      : transport_(transport), peer_(peer), number_(number) {}

  void write(grpc::ByteBuffer message) override {
    outgoing_ = std::move(message);
    this->StartWrite(&outgoing_);
  }
  void OnWriteDone(bool ok) override {
    outgoing_.Clear();
    if (!ok)
      end(absl::UnavailableError(
          absl::StrCat("the data stream with ", peer_.link.peer(), " broke")));
    peer_.link.written(number_);
  }
  void OnReadDone(bool ok) override {
    if (!ok) {
      end(absl::UnavailableError(
          absl::StrCat("the data stream with ", peer_.link.peer(), " ended")));
      return;
    }
    if (absl::Status status = peer_.link.received(number_, incoming_); !status.ok()) {
      end(status);
      return;
    }
    incoming_.Clear();
    this->StartRead(&incoming_);
  }

protected:
  void begin() { this->StartRead(&incoming_); }
  void end(absl::Status why) {
    if (peer_.link.detach(number_, this))
      transport_.streamDown(peer_, std::move(why));
  }

  GrpcTransport &transport_;
  GrpcTransport::Peer &peer_;
  const uint32_t number_; ///< among the link's streams
  grpc::ByteBuffer incoming_, outgoing_;
};

class ServerStream final : public StreamReactor<grpc::ServerGenericBidiReactor> {
public:
  ServerStream(GrpcTransport &transport, GrpcTransport::Peer &peer, uint32_t number,
               grpc::GenericCallbackServerContext *context)
      : StreamReactor(transport, peer, number) {
    context->AddInitialMetadata(kIncarnationKey, absl::StrCat(transport.self_.incarnation));
    StartSendInitialMetadata();
  }
  // Reads and writes begin once the call stands: the constructor runs before gRPC has bound the
  // reactor to the call.
  void OnSendInitialMetadataDone(bool ok) override {
    if (absl::Status status = peer_.link.attach(number_, this, peer_.incarnation); !status.ok()) {
      Finish(grpc::Status(static_cast<grpc::StatusCode>(status.code()),
                          std::string(status.message())));
      return;
    }
    transport_.streamUp();
    begin();
  }
  void finish() override { Finish(grpc::Status::OK); }
  void OnCancel() override {
    end(absl::UnavailableError(absl::StrCat("the data stream with ", peer_.link.peer(), " broke")));
  }
  void OnDone() override {
    GrpcTransport &transport = transport_;
    delete this;
    transport.streamGone();
  }
};

class ClientStream final
    : public StreamReactor<grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>> {
public:
  ClientStream(GrpcTransport &transport, GrpcTransport::Peer &peer, uint32_t number,
               std::shared_ptr<grpc::Channel> channel)
      : StreamReactor(transport, peer, number), stub_(std::move(channel)) {
    context_->AddMetadata(kPlanKey, transport.self_.fingerprint);
    context_->AddMetadata(kRunKey, transport.self_.run);
    context_->AddMetadata(kTaskKey, absl::StrCat(transport.self_.task));
    context_->AddMetadata(kIncarnationKey, absl::StrCat(transport.self_.incarnation));
    context_->AddMetadata(kPeerKey, absl::StrCat(peer.task));
    context_->AddMetadata(kStreamKey, absl::StrCat(number));
    context_->AddMetadata(kStreamsKey, absl::StrCat(peer.link.streams()));
    context_->set_wait_for_ready(true);
  }
  const std::shared_ptr<grpc::ClientContext> &context() { return context_; }
  void dial() {
    stub_.PrepareBidiStreamingCall(context_.get(), DataService::kMethod, {}, this);
    AddHold(); // lanes write from outside the reactions; finish() takes it away
    StartCall();
  }
  void OnReadInitialMetadataDone(bool ok) override {
    uint64_t incarnation = 0;
    if (ok) {
      std::string said = lookUp(context_->GetServerInitialMetadata(), kIncarnationKey);
      absl::Status named =
          tls::certificateOf(*context_->auth_context()).checkTask(peer_.link.peer());
      if (!named.ok()) {
        transport_.refuse(std::move(named));
      } else if (!absl::SimpleAtoi(said, &incarnation) || incarnation != peer_.incarnation) {
        transport_.refuse(absl::FailedPreconditionError(absl::StrCat(
            "another process than the one that the master knows answers as ", peer_.link.peer())));
      } else if (peer_.link.attach(number_, this, incarnation).ok()) {
        transport_.streamUp();
        begin();
        return;
      }
      context_->TryCancel();
    }
    RemoveHold();
  }
  void finish() override {
    context_->TryCancel();
    RemoveHold();
  }
  void OnDone(const grpc::Status &status) override {
    GrpcTransport &transport = transport_;
    if (!status.ok())
      transport.refuse(
          base::annotate(base::foreignStatus(status.error_code(), status.error_message()),
                         absl::StrCat("data stream to ", peer_.link.peer())));
    delete this;
    transport.streamGone();
  }

private:
  const std::shared_ptr<grpc::ClientContext> context_ = std::make_shared<grpc::ClientContext>();
  grpc::GenericStub stub_;
};

GrpcTransport::GrpcTransport(GrpcIdentity self, uint64_t largeBytes)
    : self_(std::move(self)), largeBytes_(largeBytes) {}
GrpcTransport::~GrpcTransport() { shutdown(); }

void GrpcTransport::addPeer(uint32_t task, const std::string &name, uint64_t incarnation,
                            const std::string &address) {
  peers_.emplace(task, std::make_unique<Peer>(task, name, incarnation, address, self_.incarnation,
                                              largeBytes_));
}

/// The side with the lower number opens the streams; what they say of themselves the other side
/// checks (accept).
absl::Status GrpcTransport::connect(
    uint32_t peer, const std::function<absl::StatusOr<std::shared_ptr<grpc::Channel>>()> &dial) {
  Peer &to = *peers_.at(peer);
  for (uint32_t number = 0; number < to.link.streams(); ++number) {
    auto channel = dial();
    if (!channel.ok())
      return channel.status();
    // deletes itself in OnDone
    auto *stream = new ClientStream(*this, to, number, *std::move(channel));
    {
      base::MutexLock lock(mutex_);
      ++streams_;
      dialled_.emplace(peer, stream->context());
    }
    stream->dial();
  }
  return absl::OkStatus();
}

absl::Status GrpcTransport::waitConnected(absl::Time deadline) {
  base::MutexLock lock(mutex_);
  while (true) {
    std::string missing;
    for (auto &[task, peer] : peers_)
      if (!peer->link.attached())
        missing = absl::StrCat(missing, missing.empty() ? "" : ", ", peer->link.peer());
    if (missing.empty())
      return absl::OkStatus();
    if (!refused_.ok())
      return refused_;
    if (!why_.ok()) // a stream that stood is gone
      return why_;
    if (absl::Now() >= deadline)
      return absl::DeadlineExceededError(absl::StrCat("no data stream with ", missing));
    changed_.waitUntil(mutex_, deadline);
  }
}

void GrpcTransport::refuse(absl::Status why) {
  base::MutexLock lock(mutex_);
  if (refused_.ok() && !ending_)
    refused_ = std::move(why);
  changed_.notifyAll();
}

void GrpcTransport::streamUp() {
  base::MutexLock lock(mutex_);
  changed_.notifyAll();
}

/// The first stream that breaks ends them all, unless this task is ending anyway.
void GrpcTransport::streamDown(Peer &peer, absl::Status why) {
  bool ending;
  {
    base::MutexLock lock(mutex_);
    ending = ending_ || reported_;
  }
  if (peer.gone.load() || (!ending && spared_ && spared_(peer.task, peer.incarnation, why))) {
    peer.gone.store(true);
    peer.link.wake();
    return;
  }
  {
    base::MutexLock lock(mutex_);
    if (ending_ || std::exchange(reported_, true))
      return;
  }
  // The owner first: a lane that wakes by the abort must find the cause recorded, or it takes the
  // broken stream for its own failure.
  if (broken_)
    broken_(peer.task, why);
  abort(std::move(why));
}

// The last touch of a stream on its transport: notified under the lock, so that shutdown cannot
// return in between.
void GrpcTransport::streamGone() {
  base::MutexLock lock(mutex_);
  --streams_;
  changed_.notifyAll();
}

/// Streams end, lanes wake, and this waits for both: each reactor to be gone, and gRPC to have
/// freed each slice.
bool GrpcTransport::shutdown(absl::Duration wait) {
  {
    base::MutexLock lock(mutex_);
    ending_ = true;
  }
  for (auto &[task, peer] : peers_) {
    peer->link.end();
    hangUp(task);
  }
  abort(absl::CancelledError("the run is over"));
  for (auto &[task, peer] : peers_)
    peer->link.end(); // what a lane has queued before it was woken
  absl::Time limit = absl::Now() + wait;
  auto drained = [&] {
    return std::all_of(peers_.begin(), peers_.end(),
                       [](auto &entry) { return entry.second->link.drained(); });
  };
  base::MutexLock lock(mutex_);
  while ((streams_ > 0 || !drained()) && absl::Now() < limit)
    changed_.waitFor(mutex_, absl::Milliseconds(streams_ > 0 ? 50 : 1));
  return streams_ == 0 && drained();
}

SendPort *GrpcTransport::sender(ChannelKey key) {
  for (auto &[task, peer] : peers_)
    if (SendPort *port = peer->link.sender(key))
      return port;
  return nullptr;
}

RecvPort *GrpcTransport::receiver(ChannelKey key) {
  for (auto &[task, peer] : peers_)
    if (RecvPort *port = peer->link.receiver(key))
      return port;
  return nullptr;
}

TransportCounters GrpcTransport::counters() const {
  TransportCounters sum;
  for (auto &[task, peer] : peers_)
    sum += peer->link.counters();
  return sum;
}

absl::Status GrpcTransport::status() const {
  base::MutexLock lock(mutex_);
  return why_;
}

void GrpcTransport::abort(absl::Status why) {
  {
    base::MutexLock lock(mutex_);
    if (!why_.ok())
      return;
    why_ = why;
    changed_.notifyAll();
  }
  for (auto &[task, peer] : peers_)
    peer->link.abort(why);
}

absl::Status GrpcTransport::reset(uint64_t generation) {
  for (auto &[task, peer] : peers_)
    if (!peer->gone.load())
      if (absl::Status status = peer->link.reset(generation); !status.ok())
        return status;
  base::MutexLock lock(mutex_);
  why_ = absl::OkStatus();
  return absl::OkStatus();
}

/// Calls that never stood are cancelled. And nobody keeps one: a message that was written when its
/// stream had ended lies in the call.
void GrpcTransport::hangUp(uint32_t peer) {
  std::vector<std::shared_ptr<grpc::ClientContext>> calls; // go behind the lock
  {
    base::MutexLock lock(mutex_);
    const auto [first, end] = dialled_.equal_range(peer);
    for (auto call = first; call != end; ++call)
      calls.push_back(std::move(call->second));
    dialled_.erase(first, end);
  }
  for (auto &context : calls)
    context->TryCancel();
}

bool GrpcTransport::forget(uint32_t peer, absl::Duration limit) {
  auto found = peers_.find(peer);
  if (found == peers_.end())
    return true;
  found->second->gone.store(true);
  GrpcLink &link = found->second->link;
  link.end();
  hangUp(peer);
  const absl::Time until = absl::Now() + limit;
  base::MutexLock lock(mutex_);
  while (!link.drained() && absl::Now() < until)
    changed_.waitFor(mutex_, absl::Milliseconds(1));
  return link.drained();
}

bool GrpcTransport::expects(const grpc::GenericCallbackServerContext &context) const {
  const auto &metadata = context.client_metadata();
  uint32_t task = 0;
  uint64_t incarnation = 0;
  if (!absl::SimpleAtoi(lookUp(metadata, kTaskKey), &task) ||
      !absl::SimpleAtoi(lookUp(metadata, kIncarnationKey), &incarnation))
    return false;
  auto found = peers_.find(task);
  return found != peers_.end() && found->second->incarnation == incarnation;
}

absl::StatusOr<std::pair<GrpcTransport::Peer *, uint32_t>>
GrpcTransport::check(grpc::GenericCallbackServerContext &context) {
  const auto &metadata = context.client_metadata();
  uint32_t task = 0, peer = 0, number = 0, streams = 0;
  uint64_t incarnation = 0;
  if (std::string plan = lookUp(metadata, kPlanKey); plan != self_.fingerprint)
    return absl::FailedPreconditionError(
        absl::StrCat("the caller runs plan ", plan, ", this task ", self_.fingerprint));
  if (lookUp(metadata, kRunKey) != self_.run)
    return absl::FailedPreconditionError("the caller is of another run");
  if (!absl::SimpleAtoi(lookUp(metadata, kTaskKey), &task) ||
      !absl::SimpleAtoi(lookUp(metadata, kPeerKey), &peer) ||
      !absl::SimpleAtoi(lookUp(metadata, kIncarnationKey), &incarnation) ||
      !absl::SimpleAtoi(lookUp(metadata, kStreamKey), &number) ||
      !absl::SimpleAtoi(lookUp(metadata, kStreamsKey), &streams))
    return absl::InvalidArgumentError(
        "the call does not say which task makes it, for which of its streams");
  if (peer != self_.task)
    return absl::FailedPreconditionError(
        absl::StrCat("this is ", self_.name, ", not task ", peer, " of the plan"));
  auto found = peers_.find(task);
  if (found == peers_.end() || task >= self_.task)
    return absl::FailedPreconditionError(
        absl::StrCat("task ", task, " has no channel with ", self_.name, " or must not dial"));
  if (found->second->incarnation != incarnation)
    return absl::FailedPreconditionError(
        absl::StrCat("another process than the one that the master knows says it is ",
                     found->second->link.peer()));
  const GrpcLink &link = found->second->link;
  tls::PeerCertificate certificate = tls::certificateOf(*context.auth_context());
  if (absl::Status named = certificate.check(link.peer(), found->second->address); !named.ok())
    return named;
  if (streams != link.streams() || number >= streams)
    return absl::FailedPreconditionError(
        absl::StrCat(link.peer(), " opens data stream ", number, " of ", streams, ", ", self_.name,
                     " expects ", link.streams(), ": use the same graphrun on all machines"));
  return std::make_pair(found->second.get(), number);
}

grpc::ServerGenericBidiReactor *GrpcTransport::accept(grpc::GenericCallbackServerContext *context) {
  auto caller = check(*context);
  if (!caller.ok())
    return new Refusal(caller.status());
  {
    base::MutexLock lock(mutex_);
    if (ending_)
      return new Refusal(absl::UnavailableError("the task is ending"));
    ++streams_;
  }
  // deletes itself in OnDone
  return new ServerStream(*this, *caller->first, caller->second, context);
}

void DataService::serve(GrpcTransport *transport) {
  base::MutexLock lock(mutex_);
  transports_.clear();
  if (transport)
    transports_.push_back(transport);
}

void DataService::serveToo(GrpcTransport *transport) {
  base::MutexLock lock(mutex_);
  transports_.push_back(transport);
}

void DataService::serveNoMore(GrpcTransport *transport) {
  base::MutexLock lock(mutex_);
  std::erase(transports_, transport);
}

/// gRPC asks, on a thread of its own, for each call that comes in. The transport that expects the
/// caller's process takes the call or refuses it. Where none expects that process the first one
/// says why it is refused.
grpc::ServerGenericBidiReactor *
DataService::CreateReactor(grpc::GenericCallbackServerContext *context) {
  if (context->method() != kMethod)
    return new Refusal(absl::UnimplementedError(absl::StrCat("no method ", context->method())));
  // Held while accept() runs so that serve(nullptr) means: no transport is touched any more.
  // accept() calls nothing that waits.
  base::MutexLock lock(mutex_);
  if (transports_.empty())
    return new Refusal(absl::UnavailableError("the task is not ready for data"));
  auto found = std::find_if(transports_.begin(), transports_.end(),
                            [&](const GrpcTransport *one) { return one->expects(*context); });
  return (found == transports_.end() ? transports_.front() : *found)->accept(context);
}

} // namespace graphc::transport
