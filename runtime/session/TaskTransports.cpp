#include "runtime/session/TaskTransports.h"

#include "runtime/base/Status.h"
#include "runtime/executor/TaskPhase.h"
#include "runtime/plan/Types.h"
#include "runtime/service/TaskServer.h"
#include "runtime/session/DelayTransport.h"
#include "runtime/transport/InProcess.h"
#include "runtime/transport/Latest.h"

#include "absl/strings/str_cat.h"

#include <map>

namespace graphc::session {
namespace {
struct PeerChannels {
  std::vector<transport::ChannelSpec> incoming, outgoing;
};
} // namespace

absl::StatusOr<std::unique_ptr<TaskTransports>> TaskTransports::prepare(const plan::Plan &plan,
                                                                        const std::vector<service::Peer> &peers,
                                                                        const device::Memory &published,
                                                                        TransportOptions options) {
  std::unique_ptr<TaskTransports> result(new TaskTransports);
  std::vector<plan::Task> tasks = plan::allTasks(plan);
  const plan::Task &self = tasks[options.task];
  std::map<uint32_t, PeerChannels>
      byPeer; // by task number; the sender's and the receiver's end of a channel to itself are one
  std::vector<transport::ChannelSpec> local, latest;
  for (const executor::Endpoint &end : executor::taskEndpoints(plan, self)) {
    if (plan::sameTask(end.peer, self)) {
      if (end.sends)
        (end.spec.latest ? latest : local).push_back(end.spec);
      continue;
    }
    uint32_t number = 0;
    while (!plan::sameTask(tasks[number], end.peer))
      ++number;
    (end.sends ? byPeer[number].outgoing : byPeer[number].incoming).push_back(end.spec);
  }

  auto set = std::make_unique<transport::TransportSet>();
  if (!local.empty() || byPeer.empty()) {
    GRAPHC_ASSIGN_OR_RETURN(auto inProcess, transport::makeInProcessTransport(local));
    set->add(std::move(inProcess));
  }
  if (!latest.empty()) {
    GRAPHC_ASSIGN_OR_RETURN(auto slots, transport::LatestTransport::create(latest));
    set->add(std::move(slots));
  }
  transport::SharedMemoryOptions shm{options.token, options.fingerprint, peers[options.task].name(), {}};
  shm.token = absl::StrCat(options.run, options.token);
  shm.publishedFd = published.descriptor();
  shm.published = published.data();
  shm.publishedBytes = published.size();
  std::unique_ptr<transport::GrpcTransport> grpc;
  for (auto &[number, channels] : byPeer) {
    const service::Peer &peer = peers[number];
    bool sameHost = peer.host_id() == peers[options.task].host_id();
    if (options.kind == "shm" && !sameHost)
      return absl::FailedPreconditionError(absl::StrCat("--transport=shm: ", peer.name(), " is on another host (",
                                                        peer.host(),
                                                        ") or in another container; use --transport=auto"));
    if (options.kind != "grpc" && sameHost) {
      shm.peers.push_back({peer.name(), channels.incoming, channels.outgoing});
      continue;
    }
    if (!grpc)
      grpc = std::make_unique<transport::GrpcTransport>(transport::GrpcIdentity{
          options.task, peers[options.task].name(), options.incarnation, options.fingerprint, options.token});
    grpc->addPeer(number, peer.name(), peer.incarnation());
    for (const transport::ChannelSpec &spec : channels.outgoing)
      grpc->addSend(number, spec);
    for (const transport::ChannelSpec &spec : channels.incoming)
      grpc->addRecv(number, spec);
    if (number > options.task)
      result->dial_.emplace_back(number, peer.address());
  }
  bool usesShm = !shm.peers.empty();
  if (usesShm) {
    GRAPHC_ASSIGN_OR_RETURN(auto transport, transport::SharedMemoryTransport::listen(std::move(shm)));
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

absl::Status TaskTransports::connect(absl::Time deadline) {
  for (auto &[task, address] : dial_)
    grpc_->connect(task, service::dial(address));
  if (shm_)
    GRAPHC_RETURN_IF_ERROR(shm_->connect(deadline));
  return grpc_ ? grpc_->waitConnected(deadline) : absl::OkStatus();
}

bool TaskTransports::shutdown(absl::Duration limit) {
  if (options_.data)
    options_.data->serve(nullptr);
  return !grpc_ || grpc_->shutdown(limit);
}

TaskTransports::~TaskTransports() { shutdown(); }

} // namespace graphc::session
