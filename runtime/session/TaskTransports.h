//===- TaskTransports.h - a task's transports to all of its peers -----------------------------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_SESSION_TASKTRANSPORTS_H
#define GRAPHC_RUNTIME_SESSION_TASKTRANSPORTS_H

#include "runtime/base/Socket.h"
#include "runtime/device/Device.h"
#include "runtime/executor/TaskPhase.h"
#include "runtime/plan/plan.pb.h"
#include "runtime/service/Dialer.h"
#include "runtime/service/service.pb.h"
#include "runtime/transport/GrpcTransport.h"
#include "runtime/transport/SharedMemory.h"
#include "runtime/transport/Transport.h"

#include <functional>
#include <optional>

namespace graphc::session {

struct TransportOptions {
  std::string kind = "auto"; ///< auto, shm or grpc
  std::string fingerprint, run;
  service::Identity identity; ///< of this task, to those it dials
  uint32_t task = 0; ///< own number
  uint64_t incarnation = 0;
  transport::DataService *data = nullptr; ///< of this task's server; null only where there are no peers
  /// Test hook: this task's sends begin so much later.
  absl::Duration sendDelay;
  std::function<void(const std::string &peer, absl::Status)> broken; ///< a peer's stream broke; any thread
};

/// In-process channels to itself, shared memory to peers on this host, gRPC to the others: one TransportSet, each channel in
/// exactly one of them.
class TaskTransports {
public:
  /// Builds all ends and begins to accept; every task does this before any connects. `zero_copy`, what peers on this host
  /// may read in place (executor/ZeroCopyMemory.h), must outlive the transports.
  static absl::StatusOr<std::unique_ptr<TaskTransports>> prepare(const plan::Plan &plan,
                                                                 const std::vector<service::Peer> &peers,
                                                                 const device::Memory &zeroCopy,
                                                                 TransportOptions options);
  /// The same for channels that are not the plan's (graphrun check measures with its own).
  static absl::StatusOr<std::unique_ptr<TaskTransports>>
  prepare(const plan::Plan &plan, const std::vector<executor::Endpoint> &endpoints,
          const std::vector<service::Peer> &peers, const device::Memory &zeroCopy, TransportOptions options);
  ~TaskTransports();
  /// Where this task listens for peers on this host; "": none comes by shared memory.
  std::string path() const { return near_ ? near_->procPath() : ""; }
  /// `paths`: that of each task, by its number.
  absl::Status connect(const std::vector<std::string> &paths, absl::Time deadline);
  /// Once connected: copies of the device's queues reach messages, and what peers read in place, without a detour. An error says why
  /// they do not; they are right all the same.
  absl::Status pinFor(device::Device &device);
  /// Ends streams before the lanes' buffers are freed. False: within `limit` not all could be ended, and nothing may be freed.
  bool shutdown(absl::Duration limit = absl::Seconds(20));
  transport::Transport &all() { return *all_; }
  /// "shm", "grpc", "shm and grpc", "in process": for the log.
  const std::string &description() const { return description_; }

private:
  TaskTransports() = default;
  TransportOptions options_;
  std::vector<std::pair<uint32_t, std::string>> dial_; ///< task, address
  std::vector<std::string> names_; ///< by task number
  std::optional<base::UnnamedListener> near_; ///< until all have come; the transport has its listener
  std::unique_ptr<transport::Transport> all_;
  transport::GrpcTransport *grpc_ = nullptr; ///< owned by all_
  transport::SharedMemoryTransport *shm_ = nullptr;
  std::string description_;
  const device::Memory *zeroCopy_ = nullptr;
  std::vector<std::unique_ptr<device::Memory::Backing>> pins_; ///< last: they go before the memory does
};

} // namespace graphc::session
#endif
