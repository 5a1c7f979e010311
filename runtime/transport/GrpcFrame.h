//===- GrpcFrame.h - what precedes each payload on a data stream ------------------------------------------*- C++ -*-===//
//
// A gRPC message on a data stream is a sequence of frames: header, payload, header, payload, … Several small frames share one
// message; a large payload is cut into chunks so that credits and other channels get in between. Both ends run on machines of
// one byte order (checked by the magic).
//
//===----------------------------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_TRANSPORT_GRPCFRAME_H
#define GRAPHC_RUNTIME_TRANSPORT_GRPCFRAME_H

#include <cstdint>

namespace graphc::transport {

enum class FrameKind : uint32_t {
  Data = 1, ///< `length` payload bytes belong at `offset` of message `seq`
  Credit = 2, ///< receiver to sender: `offset` more slots are free; no payload
  Close = 3, ///< sender to receiver: no message after `seq` - 1; no payload
};

struct FrameHeader {
  uint32_t magic = kMagic;
  FrameKind kind = FrameKind::Data;
  uint32_t channel = 0;
  uint32_t instance = 0;
  uint64_t offset = 0; ///< bytes
  uint64_t step = 0; ///< of the sender's lane; for people and for fencing
  uint64_t epoch = 0; ///< frames of an earlier epoch are dropped
  uint64_t incarnation = 0; ///< of the sender's process; another one's frames are dropped
  uint64_t seq = 0; ///< number of the message within the epoch, from 0
  uint64_t length = 0; ///< payload bytes in this frame

  static constexpr uint32_t kMagic = 0x67724631; // "1Frg" when read in the other byte order: refused
};
static_assert(sizeof(FrameHeader) == 64);

/// Payload bytes of one frame; larger messages are cut. Credits wait at most for this long a copy.
inline constexpr uint64_t kMaxChunk = uint64_t{2} << 20;
/// Payloads up to this many bytes are copied behind their header, so that the buffer is done at once: below it the copy is
/// cheaper than a reference-counted slice.
inline constexpr uint64_t kInlineBytes = 1024;
/// Frames and payload bytes in one gRPC message.
inline constexpr int kMaxFrames = 32;
inline constexpr uint64_t kMaxBatchBytes = uint64_t{4} << 20;

} // namespace graphc::transport
#endif
