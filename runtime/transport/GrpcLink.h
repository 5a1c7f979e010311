//===- GrpcLink.h - everything that one task exchanges with one peer over their data streams --===//
//
// The link owns the ports and the queues of what is to be written; GrpcWires (gRPC streams,
// GrpcTransport.cpp) write and read for it. Lanes submit, gRPC threads drain. No call into a
// GrpcWire is made under the link's mutex.
//
// There is one stream, or kMaxStreams where a channel has large messages. Credits are the link's:
// whichever stream writes next takes all that there are. The streams stand and fall together.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_TRANSPORT_GRPCLINK_H
#define GRAPHC_RUNTIME_TRANSPORT_GRPCLINK_H

#include "runtime/common/base/Mutex.h"
#include "runtime/transport/GrpcBufferReader.h"
#include "runtime/transport/GrpcPorts.h"

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"

#include <array>
#include <deque>
#include <string>
#include <vector>

namespace graphc::transport {

/// One open stream as the link sees it. `write` starts to write one message; the stream calls
/// GrpcLink::written when it may take the next. `finish` ends the stream; it is called once, when
/// no write is under way.
class GrpcWire {
public:
  virtual ~GrpcWire() = default;
  virtual void write(grpc::ByteBuffer message) = 0;
  virtual void finish() = 0;
};

class GrpcLink {
public:
  /// Messages of `largeBytes` and more are large.
  GrpcLink(std::string peer, uint64_t incarnation, uint64_t largeBytes = kLargeBytes);

  void addSend(ChannelSpec spec);
  absl::Status addRecv(ChannelSpec spec); ///< ResourceExhausted
  /// See Transport::memory().
  void addMemory(std::vector<MessageMemory> &all);
  const std::string &peer() const { return peer_; }
  /// How many there must be; both ends find the same.
  uint32_t streams() const { return static_cast<uint32_t>(streams_.size()); }

  // Called by lanes through their ports.
  void submit(GrpcSendPort &port, const std::byte *data, uint64_t bytes, uint64_t step);
  void submitClose(GrpcSendPort &port);
  void submitCredit(GrpcRecvPort &port);

  // Called by the wire of stream `number`, on gRPC threads.
  absl::Status attach(uint32_t number, GrpcWire *wire, uint64_t peerIncarnation);
  /// The wire's last write ended; writes what came up meanwhile, or finishes the wire where the
  /// link has ended.
  void written(uint32_t number);
  /// Takes a message apart; an error ends the stream.
  absl::Status received(uint32_t number, const grpc::ByteBuffer &message);
  /// The stream is over: ends the link. Returns false where it had ended before.
  bool detach(uint32_t number, GrpcWire *wire);

  /// No more writes, no more wires: finishes each as soon as no write of its is under way. What is
  /// queued is dropped: lanes are joined, stand, or are about to be woken by abort().
  void end();
  bool attached() const; ///< every stream's wire
  void abort(absl::Status why);
  void wake(); ///< lanes look again
  absl::Status why() const;
  GrpcSendPort *sender(ChannelKey key) const;
  GrpcRecvPort *receiver(ChannelKey key) const;
  absl::Status reset(uint64_t generation);
  /// True when gRPC holds no slice of any lane's buffer.
  bool drained() const;
  TransportCounters counters() const;

private:
  struct Stream {
    explicit Stream(const std::string &peer) : reader(peer) {}
    // Under GrpcLink::mutex_.
    GrpcWire *wire = nullptr;
    GrpcWire *finishing = nullptr; ///< written() finishes it
    bool writing = false;
    // Held by the reading thread for one message (gRPC has one read of a stream under way at a
    // time) and by reset, so that a late frame of the old generation never meets half-reset ports.
    // Nobody else takes it. Before GrpcLink::mutex_.
    base::Mutex readMutex;
    GrpcBufferReader reader ABSL_GUARDED_BY(readMutex);
  };
  struct SendQueue {
    GrpcSendPort *head = nullptr, *tail = nullptr;
  };
  struct Message;
  /// Made under mutex_ and started behind it.
  struct Writes {
    std::array<grpc::ByteBuffer, kMaxStreams> messages;
    std::array<GrpcWire *, kMaxStreams> wires;
    size_t count = 0;
    void start();
  };

  bool isLarge(const ChannelSpec &spec);
  bool buildMessage(Stream &stream, grpc::ByteBuffer *message)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void addFrames(SendQueue &queue, uint64_t maxPayload, Message &message)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  grpc::Slice takeCredits() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void push(GrpcSendPort &port) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void kick(Writes &writes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::vector<GrpcWire *> takeWires() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void dropQueued() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status takeMessage(Stream &stream, uint32_t number, uint64_t *payload)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(stream.readMutex);
  absl::Status takeCredit(GrpcBufferReader &reader);
  absl::Status takeFrame(Stream &stream, uint32_t number, uint64_t *payload)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(stream.readMutex);
  absl::Status unknown(uint32_t channel, uint32_t instance) const;

  const std::string peer_;
  const uint64_t incarnation_; ///< this process's
  const uint64_t largeBytes_;
  std::vector<std::unique_ptr<GrpcSendPort>> sends_; ///< fixed before attach
  std::vector<std::unique_ptr<GrpcRecvPort>> recvs_;
  std::deque<Stream> streams_; ///< likewise
  absl::flat_hash_map<uint64_t, GrpcSendPort *> sendByKey_;
  absl::flat_hash_map<uint64_t, GrpcRecvPort *> recvByKey_;

  mutable base::Mutex mutex_;
  bool broken_ ABSL_GUARDED_BY(mutex_) = false;
  SendQueue inOrder_ ABSL_GUARDED_BY(mutex_); ///< for the first stream
  SendQueue large_ ABSL_GUARDED_BY(mutex_); ///< for any
  GrpcRecvPort *creditHead_ ABSL_GUARDED_BY(mutex_) = nullptr;
  bool creditsDue_ ABSL_GUARDED_BY(mutex_) = false; ///< one of them must not wait for a frame
  std::atomic<uint64_t> generation_{0};
  std::atomic<uint64_t> peerIncarnation_{0};

  absl::Status why_ ABSL_GUARDED_BY(mutex_);
  std::atomic<uint64_t> controlBytes_{0}; ///< headers, credits, closes
};

} // namespace graphc::transport
#endif
