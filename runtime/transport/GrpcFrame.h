//===- GrpcFrame.h - what precedes each payload on a data stream --------------------*- C++ -*-===//
//
// A gRPC message on a data stream is a header, the credits that its sender gives back, then frames,
// each with its payload behind it, to the message's end. Several small frames share one message; a
// large payload is cut into chunks so that credits and other channels get in between. Both ends run
// on machines of one byte order (checked by the magic).
//
// Two tasks with a large channel between them have several streams. The frames of a channel of
// smaller messages all go on the first, in order. Chunks of large messages go on whichever stream
// is free, and come in any order.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_TRANSPORT_GRPCFRAME_H
#define GRAPHC_RUNTIME_TRANSPORT_GRPCFRAME_H

#include <cstdint>

namespace graphc::transport {

struct MessageHeader {
  uint32_t magic = kMagic;
  uint32_t credits = 0; ///< how many CreditGrants follow at once
  uint64_t generation = 0; ///< messages of an earlier generation are dropped
  uint64_t incarnation = 0; ///< of the sender's process; another one's messages are dropped

  // "2Frg" when read in the other byte order: refused
  static constexpr uint32_t kMagic = 0x67724632;
};
static_assert(sizeof(MessageHeader) == 24);

/// From a channel's receiver to its sender.
struct CreditGrant {
  uint32_t channel = 0;
  uint32_t instance = 0;
  uint64_t slots = 0; ///< so many more are free
};
static_assert(sizeof(CreditGrant) == 16);

enum class FrameKind : uint32_t {
  Data = 1, ///< `length` payload bytes belong at `offset` of message `seq`
  /// no message after `seq` - 1, which may still be under way on another stream; no payload
  Close = 2,
};

/// From a channel's sender to its receiver.
struct FrameHeader {
  FrameKind kind = FrameKind::Data;
  uint32_t channel = 0;
  uint32_t instance = 0;
  /// of a channel with a unit: how many the message has, in each of its frames; elsewhere 0
  uint32_t units = 0;
  uint64_t offset = 0; ///< bytes
  uint64_t step = 0; ///< of the sender's lane; for people
  uint64_t seq = 0; ///< number of the message within the generation, from 0
  uint64_t length = 0; ///< payload bytes in this frame
};
static_assert(sizeof(FrameHeader) == 48);

/// Payload bytes of one frame; larger messages are cut, at multiples of it. Credits wait at most
/// for this long a copy.
inline constexpr uint64_t kMaxChunk = uint64_t{2} << 20;
/// Streams of a pair of tasks, each a connection of its own, where a message between them has
/// kLargeBytes or more.
inline constexpr uint32_t kMaxStreams = 2;
inline constexpr uint64_t kLargeBytes = uint64_t{4} << 20;
/// Payloads up to this many bytes are copied behind their header, so that the buffer is done at
/// once: below it the copy is cheaper than a reference-counted slice.
inline constexpr uint64_t kInlineBytes = 1024;
/// One gRPC message has at most so many frames, and no frame is added to so many payload bytes.
inline constexpr int kMaxFrames = 32;
inline constexpr uint64_t kMaxBatchBytes = uint64_t{2} << 20;

} // namespace graphc::transport
#endif
