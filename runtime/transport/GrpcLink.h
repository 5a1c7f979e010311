//===- GrpcLink.h - everything that one task exchanges with one peer over their data stream ---------------*- C++ -*-===//
//
// The link owns the ports and the queue of what is to be written; a Wire (one gRPC stream, GrpcTransport.cpp) writes and
// reads for it. Lanes submit, gRPC threads drain. No call into a Wire is made under the link's mutex.
//
//===----------------------------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_TRANSPORT_GRPCLINK_H
#define GRAPHC_RUNTIME_TRANSPORT_GRPCLINK_H

#include "runtime/transport/GrpcPorts.h"

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include <grpcpp/support/byte_buffer.h>

#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

namespace graphc::transport {

/// One open stream as the link sees it. `write` starts to write one message; the stream calls GrpcLink::written when it may
/// take the next. `finish` ends the stream; it is called once, when no write is under way.
class Wire {
public:
  virtual ~Wire() = default;
  virtual void write(grpc::ByteBuffer message) = 0;
  virtual void finish() = 0;
};

class GrpcLink {
public:
  GrpcLink(std::string peer, uint64_t incarnation) : peer_(std::move(peer)), incarnation_(incarnation) {}

  GrpcSendPort &addSend(ChannelSpec spec);
  GrpcRecvPort &addRecv(ChannelSpec spec);
  const std::string &peer() const { return peer_; }

  // Called by lanes through their ports.
  void submit(GrpcSendPort &port, const std::byte *data, uint64_t step);
  void submitClose(GrpcSendPort &port);
  void submitCredit(GrpcRecvPort &port);

  // Called by the wire, on gRPC threads.
  absl::Status attach(Wire *wire, uint64_t peerIncarnation);
  /// The wire's last write ended; writes what came up meanwhile, or finishes the wire where detach was asked for.
  void written();
  /// Takes a message apart; an error ends the stream.
  absl::Status received(const grpc::ByteBuffer &message);
  /// The stream is over (or shall be, `why` OK): no more writes; finishes the wire as soon as no write is under way.
  /// Returns false where it was detached before.
  bool detach(Wire *wire);

  /// Detaches whatever wire there is, and refuses later ones.
  void end();
  bool attached() const;
  void abort(absl::Status why);
  absl::Status why() const;
  GrpcSendPort *sender(ChannelKey key) const;
  GrpcRecvPort *receiver(ChannelKey key) const;
  absl::Status reset(uint64_t epoch);
  /// Waits until gRPC holds no slice of any lane's buffer.
  bool drained() const;
  TransportCounters counters() const;

private:
  bool buildMessage(grpc::ByteBuffer *message) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  grpc::Slice takeCredits() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void kick(std::unique_lock<std::mutex> lock);
  void push(GrpcSendPort &port) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status takeMessage();
  absl::Status takeCredit();
  absl::Status takeFrame();
  absl::Status takeData(GrpcRecvPort &port, const FrameHeader &header);
  absl::Status take(void *to, uint64_t bytes);
  absl::Status unknown(uint32_t channel, uint32_t instance) const;

  const std::string peer_;
  const uint64_t incarnation_; ///< this process's
  std::vector<std::unique_ptr<GrpcSendPort>> sends_; ///< fixed before attach
  std::vector<std::unique_ptr<GrpcRecvPort>> recvs_;
  absl::flat_hash_map<uint64_t, GrpcSendPort *> sendByKey_;
  absl::flat_hash_map<uint64_t, GrpcRecvPort *> recvByKey_;

  mutable std::mutex mutex_;
  Wire *wire_ ABSL_GUARDED_BY(mutex_) = nullptr;
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;
  bool broken_ ABSL_GUARDED_BY(mutex_) = false;
  Wire *finishing_ ABSL_GUARDED_BY(mutex_) = nullptr;
  GrpcSendPort *sendHead_ ABSL_GUARDED_BY(mutex_) = nullptr, *sendTail_ ABSL_GUARDED_BY(mutex_) = nullptr;
  GrpcRecvPort *creditHead_ ABSL_GUARDED_BY(mutex_) = nullptr;
  bool creditsDue_ ABSL_GUARDED_BY(mutex_) = false; ///< one of them must not wait for a frame
  std::atomic<uint64_t> epoch_{0};
  std::atomic<uint64_t> peerIncarnation_{0};

  absl::Status why_ ABSL_GUARDED_BY(mutex_);
  std::atomic<uint64_t> controlBytes_{0}; ///< headers, credits, closes

  // Held by the reading thread for one message (gRPC has one read of a stream under way at a time) and by reset, so that a
  // late frame of the old epoch never meets half-reset ports. Nobody else takes it. Before mutex_.
  std::mutex readMutex_;
  std::vector<grpc::Slice> slices_;
  size_t sliceIndex_ = 0, sliceOffset_ = 0;
  uint64_t left_ = 0; ///< bytes of the message that were not taken yet
  uint64_t payload_ = 0; ///< of those taken
};

} // namespace graphc::transport
#endif
