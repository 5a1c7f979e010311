#include "runtime/session/peers/TaskTransports.h"

#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/session/peers/DelayTransport.h"
#include "runtime/transport/ConflatingTransport.h"
#include "runtime/transport/InProcessTransport.h"

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

#include <algorithm>
#include <map>
#include <set>

namespace graphc::session {
namespace {
/// After so long without a data stream, and again after as long, the reason is looked for; a try
/// takes kReach at most.
constexpr absl::Duration kAskWhy = absl::Seconds(2), kReach = absl::Seconds(2);
/// A peer that listens (it has said so to the chief) takes a connection within this.
constexpr absl::Duration kDial = absl::Seconds(20);
/// gRPC gives back the buffers of a stream that has ended within milliseconds, where the other end
/// is a process that is no more.
constexpr absl::Duration kDrain = absl::Seconds(5);

struct PeerChannels {
  std::vector<transport::ChannelSpec> incoming, outgoing;
};
} // namespace

absl::StatusOr<std::unique_ptr<TaskTransports>>
TaskTransports::prepare(const plan::Plan &plan, const std::vector<service::Peer> &peers,
                        const device::MemoryRegion &zeroCopy, TransportOptions options) {
  const std::vector<executor::ChannelEndpoint> endpoints =
      executor::taskEndpoints(plan, plan::allTasks(plan)[options.task]);
  return prepare(plan, endpoints, peers, zeroCopy, std::move(options));
}

absl::StatusOr<std::unique_ptr<TaskTransports>>
TaskTransports::prepare(const plan::Plan &plan,
                        const std::vector<executor::ChannelEndpoint> &endpoints,
                        const std::vector<service::Peer> &peers,
                        const device::MemoryRegion &zeroCopy, TransportOptions options) {
  std::unique_ptr<TaskTransports> result(new TaskTransports);
  result->zeroCopy_ = &zeroCopy;
  for (const service::Peer &peer : peers)
    result->names_.push_back(peer.name());
  std::map<uint32_t, PeerChannels>
      byPeer; // by task number; the sender's and the receiver's end of a channel to itself are one
  std::vector<transport::ChannelSpec> local, conflating;
  for (const executor::ChannelEndpoint &end : endpoints) {
    const uint32_t number = plan::taskNumber(plan, end.peer);
    if (number == options.task) {
      if (end.sends)
        (end.spec.conflating ? conflating : local).push_back(end.spec);
      continue;
    }
    (end.sends ? byPeer[number].outgoing : byPeer[number].incoming).push_back(end.spec);
  }

  auto set = std::make_shared<transport::TransportSet>();
  if (!local.empty() || byPeer.empty()) {
    GRAPHC_ASSIGN_OR_RETURN(auto inProcess, transport::makeInProcessTransport(local));
    set->add(std::move(inProcess));
  }
  if (!conflating.empty()) {
    GRAPHC_ASSIGN_OR_RETURN(auto slots, transport::ConflatingTransport::create(conflating));
    set->add(std::move(slots));
  }
  transport::SharedMemoryOptions shm{
      options.run, options.fingerprint, peers[options.task].name(), {}};
  shm.zeroCopyFd = zeroCopy.descriptor();
  shm.zeroCopy = zeroCopy.data();
  shm.zeroCopyBytes = zeroCopy.size();
  std::unique_ptr<transport::GrpcTransport> grpc;
  for (auto &[number, channels] : byPeer) {
    const service::Peer &peer = peers[number];
    bool sameHost = peer.host_id() == peers[options.task].host_id();
    if (options.kind == "shm" && !sameHost)
      return absl::FailedPreconditionError(
          absl::StrCat("--transport=shm: ", peer.name(), " is on another host (", peer.host(),
                       ") or in another container; use --transport=auto"));
    if (options.kind != "grpc" && sameHost) {
      shm.peers.push_back({peer.name(), channels.incoming, channels.outgoing, ""});
      continue;
    }
    if (!grpc)
      grpc = std::make_unique<transport::GrpcTransport>(
          transport::GrpcIdentity{options.task, peers[options.task].name(), options.incarnation,
                                  options.fingerprint, options.run});
    grpc->addPeer(number, peer.name(), peer.incarnation(), peer.address());
    for (const transport::ChannelSpec &spec : channels.outgoing)
      grpc->addSend(number, spec);
    for (const transport::ChannelSpec &spec : channels.incoming)
      GRAPHC_RETURN_IF_ERROR(grpc->addRecv(number, spec));
    if (number > options.task)
      result->dial_.emplace_back(number, peer.address());
  }
  bool usesShm = !shm.peers.empty();
  if (usesShm) {
    GRAPHC_ASSIGN_OR_RETURN(result->near_, base::UnnamedListener::make(SOCK_SEQPACKET));
    GRAPHC_ASSIGN_OR_RETURN(auto transport,
                            transport::SharedMemoryTransport::listen(
                                std::move(shm), std::move(result->near_->listener)));
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
    grpc->onSpared(options.spared);
    options.data->serveToo(grpc.get());
    set->add(std::move(grpc));
  }
  result->set_ = set;
  result->all_ = std::move(set);
  if (options.sendDelay > absl::ZeroDuration())
    result->all_ = std::make_shared<DelayTransport>(std::move(result->all_), options.sendDelay);
  result->options_ = std::move(options);
  return result;
}

absl::Status TaskTransports::connect(const std::vector<std::string> &paths, absl::Time deadline) {
  GRAPHC_RETURN_IF_ERROR(connectAll(paths, deadline));
  connecting_.store(false);
  return absl::OkStatus();
}

/// This task dials its gRPC peers of a higher number, the lowest first; those of a lower number
/// dial it. Then it connects shared memory, and last waits for all data streams. While one is
/// missing, every kAskWhy, a further connection to each dialled peer is tried to hear the reason.
/// Where one end does not accept the other, that ends it at once; any other reason does at the
/// deadline.
absl::Status TaskTransports::connectAll(const std::vector<std::string> &paths,
                                        absl::Time deadline) {
  std::vector<service::TaskDialer> dialers; // by index into dial_
  for (auto &[task, address] : dial_) {
    service::TaskDialer &dialer = dialers.emplace_back(address, options_.identity);
    absl::Status status =
        grpc_->connect(task, [&] { return dialer.start(std::min(kDial, deadline - absl::Now())); });
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

/// For each device of its programs that has memory of its own.
absl::Status TaskTransports::pinMessages(const plan::Plan &plan, const plan::Task &task,
                                         const std::function<void(const std::string &)> &warn) {
  std::set<std::string> devices;
  for (const plan::Program &program : plan.programs())
    if (plan::lanesOn(plan, program, task))
      devices.insert(program.device());
  for (const std::string &name : devices) {
    GRAPHC_ASSIGN_OR_RETURN(device::Device * device, device::find(name));
    if (!device->limits().ownMemory)
      continue;
    if (absl::Status status = pinFor(*device); !status.ok())
      warn(absl::StrCat("messages are copied to and from ", name,
                        " with a detour: ", base::describe(status)));
  }
  return absl::OkStatus();
}

absl::Status TaskTransports::pinFor(device::Device &device) {
  std::vector<transport::MessageMemory> all = all_->memory();
  if (zeroCopy_->size())
    all.push_back({{zeroCopy_->data(), zeroCopy_->size()}});
  absl::Status refused;
  for (const transport::MessageMemory &memory : all) {
    const auto access =
        memory.writable ? device::Device::Access::ReadWrite : device::Device::Access::Read;
    absl::StatusOr<std::unique_ptr<device::MemoryRegion::Backing>> pin =
        device.pin(memory.bytes, access, "messages");
    if (pin.ok())
      pins_.push_back(*std::move(pin));
    else
      refused.Update(pin.status());
  }
  return refused;
}

absl::StatusOr<std::string> TaskTransports::relink(const plan::Plan &plan,
                                                   const std::vector<service::Peer> &peers,
                                                   uint32_t peer) {
  const std::vector<plan::Task> tasks = plan::allTasks(plan);
  std::vector<executor::ChannelEndpoint> endpoints =
      executor::taskEndpoints(plan, tasks[options_.task]);
  std::erase_if(endpoints, [&](const executor::ChannelEndpoint &end) {
    return !plan::sameTask(end.peer, tasks[peer]);
  });
  if (endpoints.empty())
    return "";
  std::shared_ptr<TaskTransports> before;
  {
    base::MutexLock lock(relinkMutex_);
    if (auto found = relinked_.find(peer); found != relinked_.end())
      before = found->second.links;
  }
  // What the lanes have sent lies in their memory, which they write again when they go on.
  bool drained = true;
  if (before) {
    before->all_->abort(absl::UnavailableError(absl::StrCat(names_[peer], " was lost")));
    drained = before->shutdown(kDrain);
  } else if (grpc_) {
    drained = grpc_->forget(peer, kDrain);
  }
  if (!drained)
    return absl::UnavailableError(absl::StrCat("gRPC has not let go of what was sent to the lost ",
                                               names_[peer], " within ",
                                               absl::FormatDuration(kDrain)));
  TransportOptions options = options_;
  options.sendDelay = absl::ZeroDuration(); // in which the set is, has it
  GRAPHC_ASSIGN_OR_RETURN(std::shared_ptr<TaskTransports> links,
                          prepare(plan, endpoints, peers, *zeroCopy_, std::move(options)));
  {
    base::MutexLock lock(relinkMutex_);
    Relinked &one = relinked_[peer];
    if (before)
      one.before.push_back(before);
    one.links = links;
    one.incarnation = peers[peer].incarnation();
  }
  set_->putFirst(links->all_, before ? before->all_.get() : nullptr);
  return links->path();
}

void TaskTransports::settle(uint32_t peer) {
  std::vector<std::shared_ptr<TaskTransports>> before; // goes behind the lock
  base::MutexLock lock(relinkMutex_);
  if (auto found = relinked_.find(peer); found != relinked_.end())
    before.swap(found->second.before);
}

absl::Status TaskTransports::reconnect(uint32_t peer, const std::string &path, uint64_t generation,
                                       absl::Time deadline) {
  std::shared_ptr<TaskTransports> links;
  {
    base::MutexLock lock(relinkMutex_);
    auto found = relinked_.find(peer);
    if (found == relinked_.end())
      return absl::OkStatus(); // no channel
    links = found->second.links;
  }
  std::vector<std::string> paths(names_.size());
  paths[peer] = path;
  GRAPHC_RETURN_IF_ERROR(links->connect(paths, deadline));
  return links->all_->reset(generation);
}

void TaskTransports::gone(uint32_t peer, uint64_t incarnation) {
  std::shared_ptr<TaskTransports> links;
  {
    base::MutexLock lock(relinkMutex_);
    if (auto found = relinked_.find(peer);
        found != relinked_.end() && found->second.incarnation == incarnation)
      links = found->second.links;
  }
  if (links && links->connecting_.load())
    links->all_->abort(absl::UnavailableError("the peer was lost again"));
  all_->wake(); // lanes that serve it are asked to stop
}

bool TaskTransports::shutdown(absl::Duration limit) {
  bool ended = true;
  std::vector<std::shared_ptr<TaskTransports>> relinked;
  {
    base::MutexLock lock(relinkMutex_);
    for (const auto &[peer, one] : relinked_) {
      relinked.push_back(one.links);
      relinked.insert(relinked.end(), one.before.begin(), one.before.end());
    }
  }
  const absl::Time until = absl::Now() + limit; // of all of them together
  for (auto &links : relinked)
    ended &= links->shutdown(std::max(until - absl::Now(), absl::ZeroDuration()));
  if (options_.data && grpc_)
    options_.data->serveNoMore(grpc_);
  return (!grpc_ || grpc_->shutdown(std::max(until - absl::Now(), absl::ZeroDuration()))) && ended;
}

TaskTransports::~TaskTransports() { shutdown(); }

} // namespace graphc::session
