#include "runtime/session/TaskTransports.h"

#include "runtime/base/Status.h"
#include "runtime/plan/Types.h"
#include "runtime/session/DelayTransport.h"
#include "runtime/transport/Conflating.h"
#include "runtime/transport/InProcess.h"

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

#include <algorithm>
#include <map>

namespace graphc::session {
namespace {
/// After so long without a data stream, and again after as long, the reason is looked for; a try takes kReach at most.
constexpr absl::Duration kAskWhy = absl::Seconds(2), kReach = absl::Seconds(2);
/// A peer that listens (it has said so to the chief) takes a connection within this.
constexpr absl::Duration kDial = absl::Seconds(20);

struct PeerChannels {
  std::vector<transport::ChannelSpec> incoming, outgoing;
};
} // namespace

absl::StatusOr<std::unique_ptr<TaskTransports>> TaskTransports::prepare(const plan::Plan &plan,
                                                                        const std::vector<service::Peer> &peers,
                                                                        const device::Memory &zeroCopy,
                                                                        TransportOptions options) {
  const std::vector<executor::Endpoint> endpoints = executor::taskEndpoints(plan, plan::allTasks(plan)[options.task]);
  return prepare(plan, endpoints, peers, zeroCopy, std::move(options));
}

absl::StatusOr<std::unique_ptr<TaskTransports>>
TaskTransports::prepare(const plan::Plan &plan, const std::vector<executor::Endpoint> &endpoints,
                        const std::vector<service::Peer> &peers, const device::Memory &zeroCopy,
                        TransportOptions options) {
  std::unique_ptr<TaskTransports> result(new TaskTransports);
  result->zeroCopy_ = &zeroCopy;
  for (const service::Peer &peer : peers)
    result->names_.push_back(peer.name());
  std::map<uint32_t, PeerChannels>
      byPeer; // by task number; the sender's and the receiver's end of a channel to itself are one
  std::vector<transport::ChannelSpec> local, conflating;
  for (const executor::Endpoint &end : endpoints) {
    const uint32_t number = plan::taskNumber(plan, end.peer);
    if (number == options.task) {
      if (end.sends)
        (end.spec.conflating ? conflating : local).push_back(end.spec);
      continue;
    }
    (end.sends ? byPeer[number].outgoing : byPeer[number].incoming).push_back(end.spec);
  }

  auto set = std::make_unique<transport::TransportSet>();
  if (!local.empty() || byPeer.empty()) {
    GRAPHC_ASSIGN_OR_RETURN(auto inProcess, transport::makeInProcessTransport(local));
    set->add(std::move(inProcess));
  }
  if (!conflating.empty()) {
    GRAPHC_ASSIGN_OR_RETURN(auto slots, transport::ConflatingTransport::create(conflating));
    set->add(std::move(slots));
  }
  transport::SharedMemoryOptions shm{options.run, options.fingerprint, peers[options.task].name(), {}};
  shm.zeroCopyFd = zeroCopy.descriptor();
  shm.zeroCopy = zeroCopy.data();
  shm.zeroCopyBytes = zeroCopy.size();
  std::unique_ptr<transport::GrpcTransport> grpc;
  for (auto &[number, channels] : byPeer) {
    const service::Peer &peer = peers[number];
    bool sameHost = peer.host_id() == peers[options.task].host_id();
    if (options.kind == "shm" && !sameHost)
      return absl::FailedPreconditionError(absl::StrCat("--transport=shm: ", peer.name(), " is on another host (",
                                                        peer.host(),
                                                        ") or in another container; use --transport=auto"));
    if (options.kind != "grpc" && sameHost) {
      shm.peers.push_back({peer.name(), channels.incoming, channels.outgoing, ""});
      continue;
    }
    if (!grpc)
      grpc = std::make_unique<transport::GrpcTransport>(transport::GrpcIdentity{
          options.task, peers[options.task].name(), options.incarnation, options.fingerprint, options.run});
    grpc->addPeer(number, peer.name(), peer.incarnation(), peer.address());
    for (const transport::ChannelSpec &spec : channels.outgoing)
      grpc->addSend(number, spec);
    for (const transport::ChannelSpec &spec : channels.incoming)
      grpc->addRecv(number, spec);
    if (number > options.task)
      result->dial_.emplace_back(number, peer.address());
  }
  bool usesShm = !shm.peers.empty();
  if (usesShm) {
    GRAPHC_ASSIGN_OR_RETURN(result->near_, base::UnnamedListener::make(SOCK_SEQPACKET));
    GRAPHC_ASSIGN_OR_RETURN(
        auto transport, transport::SharedMemoryTransport::listen(std::move(shm), std::move(result->near_->listener)));
    result->shm_ = transport.get();
    set->add(std::move(transport));
  }
  result->description_ = usesShm ? (grpc ? "shm and grpc" : "shm") : (grpc ? "grpc" : "in process");
  if (grpc) {
    result->grpc_ = grpc.get();
    grpc->onBroken([broken = options.broken, peers](uint32_t peer, absl::Status why) {
      if (broken)
        broken(peers[peer].name(), std::move(why));
    });
    options.data->serve(grpc.get());
    set->add(std::move(grpc));
  }
  result->all_ = std::move(set);
  if (options.sendDelay > absl::ZeroDuration())
    result->all_ = std::make_unique<DelayTransport>(std::move(result->all_), options.sendDelay);
  result->options_ = std::move(options);
  return result;
}

absl::Status TaskTransports::connect(const std::vector<std::string> &paths, absl::Time deadline) {
  std::vector<service::Dialer> dialers; // by index into dial_
  for (auto &[task, address] : dial_) {
    service::Dialer &dialer = dialers.emplace_back(address, options_.identity);
    absl::Status status = grpc_->connect(task, [&] { return dialer.start(std::min(kDial, deadline - absl::Now())); });
    if (!status.ok())
      return base::annotate(status, absl::StrCat("no data stream with ", names_[task]));
  }
  if (shm_) {
    for (size_t task = 0; task < std::min(paths.size(), names_.size()); ++task)
      shm_->setPath(names_[task], paths[task]);
    GRAPHC_RETURN_IF_ERROR(shm_->connect(deadline));
    near_.reset();
  }
  if (!grpc_)
    return absl::OkStatus();
  absl::Status status = grpc_->waitConnected(std::min(deadline, absl::Now() + kAskWhy));
  while (absl::IsDeadlineExceeded(status)) {
    bool late = absl::Now() >= deadline;
    // gRPC goes on trying for ever and keeps the reason to itself.
    for (size_t i = 0; i < dialers.size(); ++i) {
      absl::Status why = dialers[i].reach(kReach);
      if (absl::IsUnauthenticated(why) || (late && !why.ok()))
        return base::annotate(why, absl::StrCat("no data stream with ", names_[dial_[i].first]));
    }
    if (late)
      return status;
    status = grpc_->waitConnected(std::min(deadline, absl::Now() + kAskWhy));
  }
  return status;
}

absl::Status TaskTransports::pinFor(device::Device &device) {
  std::vector<transport::MessageMemory> all = all_->memory();
  if (zeroCopy_->size())
    all.push_back({{zeroCopy_->data(), zeroCopy_->size()}});
  absl::Status refused;
  for (const transport::MessageMemory &memory : all) {
    const auto access = memory.writable ? device::Device::Access::ReadWrite : device::Device::Access::Read;
    absl::StatusOr<std::unique_ptr<device::Memory::Backing>> pin = device.pin(memory.bytes, access, "messages");
    if (pin.ok())
      pins_.push_back(*std::move(pin));
    else
      refused.Update(pin.status());
  }
  return refused;
}

bool TaskTransports::shutdown(absl::Duration limit) {
  if (options_.data)
    options_.data->serve(nullptr);
  return !grpc_ || grpc_->shutdown(limit);
}

TaskTransports::~TaskTransports() { shutdown(); }

} // namespace graphc::session
