//===- GrpcTransport.h - the data plane over gRPC -----------------------------------*- C++ -*-===//
//
// One bidirectional stream a pair of tasks, whatever the number of channels, or kMaxStreams of
// them, each a connection of its own, where messages are large: one connection is encrypted by one
// core at a time. The task with the lower number dials, the other accepts on the server that it has
// anyway (one port a task). Order of use:
//   1. addSend/addRecv for every channel instance with that peer     2. DataService::serve on the accepting side
//   3. connect() everywhere, 4. waitConnected()                      5. lanes run; reset(generation) between phases
//   6. shutdown() before the lanes' buffers are freed
// Peers and their streams are told apart by the metadata of the call: plan, run, task, incarnation
// (checked on both ends), which stream of how many. Who may call at all is decided before
// (service/ConnectionAdmission.h, TLS).
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_TRANSPORT_GRPCTRANSPORT_H
#define GRAPHC_RUNTIME_TRANSPORT_GRPCTRANSPORT_H

#include "runtime/common/base/Mutex.h"
#include "runtime/transport/GrpcLink.h"

#include "absl/status/statusor.h"
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>

#include <atomic>
#include <functional>
#include <map>
#include <utility>

namespace graphc::transport {

/// What a data stream's call says about its sender, besides what the accepting end expects.
struct GrpcIdentity {
  uint32_t task = 0; ///< its number in the plan's order of tasks
  std::string name; ///< "/job:worker/task:1"
  uint64_t incarnation = 0; ///< drawn at random by each process
  std::string fingerprint; ///< of the plan
  std::string run; ///< its name, which the chief draws: two runs of one plan may go on at once
};

class GrpcTransport final : public Transport {
public:
  /// Messages of `largeBytes` and more go by several streams; the same in all tasks.
  explicit GrpcTransport(GrpcIdentity self, uint64_t largeBytes = kLargeBytes);
  ~GrpcTransport() override;

  /// Names a peer, the process it must be and, with TLS, where it must be at home; before any other
  /// call about it.
  void addPeer(uint32_t task, const std::string &name, uint64_t incarnation,
               const std::string &address = "");
  void addSend(uint32_t peer, ChannelSpec spec) { peers_.at(peer)->link.addSend(spec); }
  absl::Status addRecv(uint32_t peer, ChannelSpec spec) {
    return peers_.at(peer)->link.addRecv(spec);
  }

  /// Opens each stream with `peer` through a channel of its own, which `dial` makes, and whose
  /// error is returned. Does not wait for the answer. Only where peer > own task.
  absl::Status connect(uint32_t peer,
                       const std::function<absl::StatusOr<std::shared_ptr<grpc::Channel>>()> &dial);
  /// OK when every peer's streams stand; an error names the first that does not.
  absl::Status waitConnected(absl::Time deadline);
  /// Called once, on a gRPC thread and under no lock, when a stream breaks before shutdown().
  void onBroken(std::function<void(uint32_t peer, absl::Status)> callback) {
    broken_ = std::move(callback);
  }

  /// Asked before that, likewise: whether the others go on without this process, for whose next one
  /// another transport takes the place of this one. Then its streams alone are over; its ports say
  /// nothing of it, and their lanes are to be stopped.
  using Spared = std::function<bool(uint32_t peer, uint64_t incarnation, const absl::Status &)>;
  void onSpared(Spared callback) { spared_ = std::move(callback); }
  /// The lanes that have to do with this peer stand, and send nothing to it any more: its streams
  /// end. False: within `limit` gRPC has not let go of what those lanes have sent.
  bool forget(uint32_t peer, absl::Duration limit);
  /// Whether a call that comes in is for this transport, by the process that it says it is.
  bool expects(const grpc::GenericCallbackServerContext &context) const;

  /// Ends every stream and waits until gRPC holds no slice of a lane's buffer. Idempotent. False: a
  /// peer that does not read kept some longer than `limit`; neither this object nor the lanes'
  /// buffers may be freed then.
  bool shutdown(absl::Duration limit = absl::Seconds(20));

  SendPort *sender(ChannelKey key) override;
  RecvPort *receiver(ChannelKey key) override;
  TransportCounters counters() const override;
  absl::Status status() const override;
  void abort(absl::Status why) override;
  void wake() override {
    for (auto &[task, peer] : peers_)
      peer->link.wake();
  }
  absl::Status reset(uint64_t generation) override;
  std::vector<MessageMemory> memory() override {
    std::vector<MessageMemory> all;
    for (const auto &[task, peer] : peers_)
      peer->link.addMemory(all);
    return all;
  }

  /// The reactor for an incoming call; always one, which refuses the call where it must.
  grpc::ServerGenericBidiReactor *accept(grpc::GenericCallbackServerContext *context);

  struct Peer {
    Peer(uint32_t task, const std::string &name, uint64_t incarnation, const std::string &address,
         uint64_t own, uint64_t largeBytes)
        : task(task), address(address), incarnation(incarnation), link(name, own, largeBytes) {}
    const uint32_t task;
    const std::string address;
    const uint64_t incarnation;
    std::atomic<bool> gone{false}; ///< and another transport has its place
    GrpcLink link;
  };

private:
  template <class Base> friend class StreamReactor;
  friend class ServerStream;
  friend class ClientStream;
  void refuse(absl::Status why);
  void streamUp();
  void streamDown(Peer &peer, absl::Status why);
  void streamGone();
  void hangUp(uint32_t peer);
  /// Whose call that is and for which of its streams.
  absl::StatusOr<std::pair<Peer *, uint32_t>> check(grpc::GenericCallbackServerContext &context);

  const GrpcIdentity self_;
  const uint64_t largeBytes_;
  std::map<uint32_t, std::unique_ptr<Peer>> peers_; ///< fixed before the first stream
  std::function<void(uint32_t, absl::Status)> broken_;
  Spared spared_;

  mutable base::Mutex mutex_;
  base::CondVar changed_;
  absl::Status why_ ABSL_GUARDED_BY(mutex_);
  absl::Status refused_ ABSL_GUARDED_BY(mutex_); ///< why a stream could not be set up
  /// by peer
  std::multimap<uint32_t, std::shared_ptr<grpc::ClientContext>> dialled_ ABSL_GUARDED_BY(mutex_);
  int streams_ ABSL_GUARDED_BY(mutex_) = 0; ///< reactors that live
  bool ending_ ABSL_GUARDED_BY(mutex_) = false;
  bool reported_ ABSL_GUARDED_BY(mutex_) = false;
};

/// The generic service of a task's server that takes data streams. It outlives transports: a call
/// that comes while none serves is refused as unavailable.
class DataService final : public grpc::CallbackGenericService {
public:
  static constexpr char kMethod[] = "/graphc.Data/Stream";
  void serve(GrpcTransport *transport); ///< null: none
  /// Calls that it expects and the first does not go to this one.
  void serveToo(GrpcTransport *transport);
  void serveNoMore(GrpcTransport *transport);
  grpc::ServerGenericBidiReactor *
  CreateReactor(grpc::GenericCallbackServerContext *context) override;

private:
  base::Mutex mutex_;
  std::vector<GrpcTransport *> transports_ ABSL_GUARDED_BY(mutex_);
};

} // namespace graphc::transport
#endif
