//===- TaskTransports.h - a task's transports to all of its peers -------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_SESSION_PEERS_TASKTRANSPORTS_H
#define GRAPHC_RUNTIME_SESSION_PEERS_TASKTRANSPORTS_H

#include "runtime/common/base/Mutex.h"
#include "runtime/common/base/Socket.h"
#include "runtime/common/plan/plan.pb.h"
#include "runtime/device/Device.h"
#include "runtime/executor/PhaseSetup.h"
#include "runtime/service/TaskDialer.h"
#include "runtime/service/service.pb.h"
#include "runtime/transport/GrpcTransport.h"
#include "runtime/transport/SharedMemoryTransport.h"
#include "runtime/transport/Transport.h"

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>

namespace graphc::session {

struct TransportOptions {
  std::string kind = "auto"; ///< auto, shm or grpc
  std::string fingerprint, run;
  service::TaskIdentity identity; ///< of this task, to those it dials
  uint32_t task = 0; ///< own number
  uint64_t incarnation = 0;
  /// of this task's server; null only where there are no peers
  transport::DataService *data = nullptr;
  /// Test hook: this task's sends begin so much later.
  absl::Duration sendDelay;
  /// a peer's stream broke; any thread
  std::function<void(const std::string &peer, absl::Status)> broken;
  /// Asked before that: whether the others go on without this process, whose task may come back
  /// (relink); any thread. May be empty: no.
  transport::GrpcTransport::Spared spared;
};

/// In-process channels to itself, shared memory to peers on this host, gRPC to the others: one
/// TransportSet, each channel in exactly one of them.
class TaskTransports {
public:
  /// Builds all ends and begins to accept; every task does this before any connects. `zero_copy`,
  /// what peers on this host may read in place (executor/ZeroCopySource.h), must outlive the
  /// transports.
  static absl::StatusOr<std::unique_ptr<TaskTransports>>
  prepare(const plan::Plan &plan, const std::vector<service::Peer> &peers,
          const device::MemoryRegion &zeroCopy, TransportOptions options);
  /// The same for channels that are not the plan's (graphrun check measures with its own).
  static absl::StatusOr<std::unique_ptr<TaskTransports>>
  prepare(const plan::Plan &plan, const std::vector<executor::ChannelEndpoint> &endpoints,
          const std::vector<service::Peer> &peers, const device::MemoryRegion &zeroCopy,
          TransportOptions options);
  ~TaskTransports();
  /// Where this task listens for peers on this host; "": none comes by shared memory.
  std::string path() const { return near_ ? near_->procPath() : ""; }
  /// `paths`: that of each task, by its number.
  absl::Status connect(const std::vector<std::string> &paths, absl::Time deadline);
  // Of a peer that was lost, whose next process is there. The lanes that have channels with it
  // stand from before relink() to behind settle().
  /// Builds this task's ends of all channels with it anew and begins to accept; where it listens
  /// for it. Nothing: they have no channel.
  absl::StatusOr<std::string> relink(const plan::Plan &plan,
                                     const std::vector<service::Peer> &peers, uint32_t peer);
  /// Those lanes have the ports of the new links: what came before those is freed. Until then it
  /// lies where it did, aborted, so that a lane may look into it that a failure has woken.
  void settle(uint32_t peer);
  /// `path`: where the peer listens. From now on those channels are the new ones, empty, of that
  /// generation.
  absl::Status reconnect(uint32_t peer, const std::string &path, uint64_t generation,
                         absl::Time deadline);
  /// That process of a peer is lost, perhaps again: who connects to it gives up. Any thread.
  void gone(uint32_t peer, uint64_t incarnation);
  /// Once connected: copies of the queues of this task's devices reach messages, and what peers
  /// read in place, without a detour. `warn` hears why they do not; they are right all the same.
  absl::Status pinMessages(const plan::Plan &plan, const plan::Task &task,
                           const std::function<void(const std::string &)> &warn);
  /// Ends streams before the lanes' buffers are freed. False: within `limit` not all could be
  /// ended, and nothing may be freed.
  bool shutdown(absl::Duration limit = absl::Seconds(20));
  transport::Transport &all() { return *all_; }
  /// "shm", "grpc", "shm and grpc", "in process": for the log.
  const std::string &description() const { return description_; }

private:
  TaskTransports() = default;
  absl::Status pinFor(device::Device &device);
  absl::Status connectAll(const std::vector<std::string> &paths, absl::Time deadline);
  TransportOptions options_;
  std::vector<std::pair<uint32_t, std::string>> dial_; ///< task, address
  std::vector<std::string> names_; ///< by task number
  /// until all have come; the transport has its listener
  std::optional<base::UnnamedListener> near_;
  std::shared_ptr<transport::Transport> all_;
  std::shared_ptr<transport::TransportSet> set_; ///< all_, or in it
  /// Links of one peer, made anew.
  struct Relinked {
    std::shared_ptr<TaskTransports> links;
    uint64_t incarnation = 0; ///< of the process at the other end
    /// of processes of it that were lost since, until settle()
    std::vector<std::shared_ptr<TaskTransports>> before;
  };
  mutable base::Mutex relinkMutex_;
  std::map<uint32_t, Relinked> relinked_ ABSL_GUARDED_BY(relinkMutex_); ///< by peer
  std::atomic<bool> connecting_{true}; ///< connect() has not come to a good end
  transport::GrpcTransport *grpc_ = nullptr; ///< owned by all_
  transport::SharedMemoryTransport *shm_ = nullptr;
  std::string description_;
  const device::MemoryRegion *zeroCopy_ = nullptr;
  /// last: they go before the memory does
  std::vector<std::unique_ptr<device::MemoryRegion::Backing>> pins_;
};

} // namespace graphc::session
#endif
