//===- GrpcPorts.h - one channel's two ends over a data stream ----------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_TRANSPORT_GRPCPORTS_H
#define GRAPHC_RUNTIME_TRANSPORT_GRPCPORTS_H

#include "runtime/common/base/Mutex.h"
#include "runtime/device/MemoryRegion.h"
#include "runtime/transport/GrpcFrame.h"
#include "runtime/transport/Transport.h"

#include "absl/base/thread_annotations.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace graphc::transport {

class GrpcLink;

/// What a lane sleeps on: a word that every change increments. The lane notes the word before it
/// looks at the state (`observe`), so a change between looking and sleeping is never missed.
class WakeWord {
public:
  void observe() { seen_ = word_.load(std::memory_order_acquire); }
  void wake();
  /// Returns when the word is no longer what `observe` saw, or after `timeout`. Only the port's
  /// lane calls this.
  void wait(absl::Duration timeout);

private:
  std::atomic<uint32_t> word_{0};
  std::atomic<uint32_t> sleepers_{0};
  uint32_t seen_ = 0; ///< the lane's own
};

class GrpcSendPort final : public SendPort {
public:
  GrpcSendPort(GrpcLink &link, ChannelSpec spec, bool large)
      : link_(link), spec_(spec), large_(large), credits_(spec.capacity) {}

  void wait(absl::Duration timeout) override { wake_.wait(timeout); }
  absl::Status status() const override;
  PollState acquire(void **data) override;
  PollState start(const void *data, uint64_t step, SendMode mode, uint64_t bytes = kWhole) override;
  PollState done() override;
  void close() override;

  const ChannelSpec &spec() const { return spec_; }
  /// What acquire() gives, made now where it was not; before the first message. Where there is
  /// none, the link is aborted.
  std::span<uint8_t> memory() {
    ownBuffer();
    return {copy_.data(), copy_.size()};
  }
  /// True while gRPC still holds a slice of the lane's buffer, or a thread of gRPC is still in
  /// chunkReleased(): neither the buffer nor the port may be freed. In this order: who is in there
  /// announced itself before it counted down.
  bool inFlight() const {
    return outstanding_.load(std::memory_order_acquire) != 0 ||
           releasing_.load(std::memory_order_acquire) != 0;
  }

private:
  friend class GrpcLink;
  /// False: more than messages are under way. From the reading thread of any stream.
  bool addCredits(uint64_t count);
  void chunkReleased();
  static void onSliceDestroyed(void *port);

  GrpcLink &link_;
  const ChannelSpec spec_;
  const bool large_; ///< its chunks go on whichever stream is free
  WakeWord wake_;
  std::atomic<uint64_t> credits_; ///< free slots at the receiver
  /// slices that point into the buffer, plus one until all of it is queued
  std::atomic<uint64_t> outstanding_{0};
  std::atomic<uint32_t> releasing_{0}; ///< threads in chunkReleased()
  std::atomic<bool> aborted_{false};
  bool closed_ = false; ///< the lane's own
  bool borrowed_ = false; ///< the lane's own: what is in flight is the lane's buffer, not `copy_`
  std::byte *ownBuffer(); ///< null: there is no memory, and the link is aborted

  device::MemoryRegion copy_; ///< for acquire() and SendMode::Copy, made at its first use
  std::atomic<uint64_t> started_{0}; ///< bytes of all messages

  // Under GrpcLink::mutex_.
  GrpcSendPort *next_ = nullptr; ///< intrusive queue
  bool queued_ = false;
  bool sending_ = false; ///< a message is partly written
  bool closePending_ = false;
  const std::byte *data_ = nullptr;
  uint64_t offset_ = 0;
  uint64_t bytes_ = 0; ///< of the message
  uint64_t step_ = 0;
  uint64_t seq_ = 0; ///< of the next message
};

class GrpcRecvPort final : public RecvPort {
public:
  GrpcRecvPort(GrpcLink &link, ChannelSpec spec, bool large);
  absl::Status makeRing(); ///< before anything else

  void wait(absl::Duration timeout) override { wake_.wait(timeout); }
  absl::Status status() const override;
  PollState poll(const void **data) override;
  PollState pollStart(const void **data, uint64_t known, uint64_t *there) override;
  uint64_t size() const override {
    return spec_.unit ? sizeOf(tail_.load(std::memory_order_relaxed)) : kWhole;
  }
  void release() override;

  const ChannelSpec &spec() const { return spec_; }
  std::span<uint8_t> memory() const { return {ring_.data(), ring_.size()}; }

private:
  friend class GrpcLink;
  /// Ready where the oldest message is there whole, or `least` bytes of it and not all.
  PollState look(const void **data, uint64_t least, uint64_t *there);
  std::byte *slot(uint64_t seq) {
    return reinterpret_cast<std::byte *>(ring_.data()) + (seq % spec_.capacity) * stride_;
  }
  /// Bytes of a message of which a frame has come.
  uint64_t sizeOf(uint64_t seq) const {
    return spec_.unit ? sizes_[seq % spec_.capacity].load(std::memory_order_relaxed) : spec_.bytes;
  }
  /// Whether the frame says of its message what the channel allows and its frames before have said,
  /// and lies in it.
  bool fits(const FrameHeader &header, bool isFirst) const;

  // What the link does with a frame that came. A frame of a channel of smaller messages continues
  // where the last one ended, and one thread reads them all. Large messages' chunks are copied by
  // several threads at once.

  /// Is this the place for the payload? Then it may be copied there, once, and `arrived` says so.
  /// False: see `expects`.
  bool begin(const FrameHeader &header);
  void arrived(const FrameHeader &header);
  /// No message from `seq` on. False: it does not follow the last one, or some of a later one is
  /// here.
  bool end(uint64_t seq);
  /// What begin() would have taken, for people.
  std::string expects() const;
  void reset();

  enum class Chunk : uint8_t { Missing, Arriving, There };
  /// Of a message, the largest where they differ.
  uint64_t chunks() const {
    return std::max<uint64_t>((spec_.bytes + kMaxChunk - 1) / kMaxChunk, 1);
  }
  /// Whether some of the message is here.
  bool hasBegun(uint64_t seq) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(chunkMutex_) {
    auto of = chunks_.begin() + std::ptrdiff_t((seq % spec_.capacity) * chunks());
    return std::any_of(of, of + std::ptrdiff_t(chunks()),
                       [](Chunk chunk) { return chunk != Chunk::Missing; });
  }
  Chunk &chunk(uint64_t seq, uint64_t offset) ABSL_EXCLUSIVE_LOCKS_REQUIRED(chunkMutex_) {
    return chunks_[(seq % spec_.capacity) * chunks() + offset / kMaxChunk];
  }
  /// `filled` bytes of message `head` are there, and all messages before it.
  void advance(uint64_t head, uint64_t filled);

  GrpcLink &link_;
  const ChannelSpec spec_;
  const bool large_;
  const uint64_t stride_;
  device::MemoryRegion ring_; ///< capacity slots, each 64-byte aligned
  // Of a channel with a unit, slot by slot: stored by who reads a message's first frame, before its
  // bytes are counted.
  const std::unique_ptr<std::atomic<uint64_t>[]> sizes_;
  WakeWord wake_;
  // head_ is stored by the one gRPC thread that reads the first stream, or under chunkMutex_; tail_
  // by the lane: single producer, single consumer. A slot is written only while its message number
  // is in [head, tail + capacity), which the sender's credits ensure and begin() checks.
  std::atomic<uint64_t> head_{0}; ///< messages completely received
  std::atomic<uint64_t> tail_{0}; ///< messages released
  std::atomic<uint64_t> released_{0}; ///< their bytes since set-up, for the counters
  static constexpr uint64_t kOpen = UINT64_MAX;
  std::atomic<uint64_t> end_{kOpen}; ///< how many messages there are, once the sender has closed
  std::atomic<bool> aborted_{false};
  // Bytes of message head_ that are here from its start, less than all: 0 is stored before head_,
  // so what the lane reads after head_ is of message head_ or of a later one, and never too much
  // for either.
  std::atomic<uint64_t> filled_{0};
  std::atomic<bool> takesStarts_{false}; ///< the lane waits for less than a whole message

  base::Mutex chunkMutex_; ///< of large messages; a leaf
  std::vector<Chunk> chunks_ ABSL_GUARDED_BY(chunkMutex_); ///< slot by slot

  // Under GrpcLink::mutex_.
  GrpcRecvPort *next_ = nullptr;
  bool queued_ = false;
  uint64_t credits_ = 0; ///< to give back
};

} // namespace graphc::transport
#endif
