//===- HostilePeer.h - a link without gRPC's streams, and a peer that says what it likes ------===//
#ifndef GRAPHC_TEST_RUNTIME_TRANSPORT_HOSTILEPEER_H
#define GRAPHC_TEST_RUNTIME_TRANSPORT_HOSTILEPEER_H

#include "runtime/transport/GrpcLink.h"

#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <utility>

namespace graphc::transport {

/// Keeps what is written; a write is under way until deliver() or drop().
struct FakeWire final : GrpcWire {
  void write(grpc::ByteBuffer message) override { written.push_back(std::move(message)); }
  void finish() override { finished = true; }
  std::deque<grpc::ByteBuffer> written;
  bool finished = false;
};

inline ChannelSpec spec(uint32_t channel, bool creditWaits, uint64_t bytes = 8,
                        uint32_t capacity = 1) {
  ChannelSpec made{{channel, 0}, bytes, capacity, false};
  made.creditWaits = creditWaits;
  return made;
}

/// A peer that says what it likes.
class HostilePeer : public testing::Test {
public:
  HostilePeer() {
    link.addSend(spec(0, false, 8, 2));
    EXPECT_TRUE(link.addRecv(spec(1, false, 4096, 1)).ok());
    EXPECT_TRUE(link.addRecv(spec(2, false, kLargeBytes + 1, 2)).ok());
    for (uint32_t stream = 0; stream < kMaxStreams; ++stream)
      EXPECT_TRUE(link.attach(stream, &wire[stream], 7).ok());
  }
  template <typename T> HostilePeer &add(const T &part) {
    bytes.append(reinterpret_cast<const char *>(&part), sizeof part);
    return *this;
  }
  HostilePeer &head(uint32_t credits = 0, uint64_t generation = 0, uint64_t incarnation = 7) {
    return add(MessageHeader{MessageHeader::kMagic, credits, generation, incarnation});
  }
  static FrameHeader data(uint64_t offset, uint64_t length, uint64_t seq = 0) {
    return {FrameKind::Data, 1, 0, 0, offset, 0, seq, length};
  }
  HostilePeer &payload(size_t count) {
    bytes.append(count, 'x');
    return *this;
  }
  /// What the link says to the message; the next one begins empty.
  std::string said(uint32_t stream = 0) {
    grpc::Slice slice(std::exchange(bytes, {}));
    return std::string(link.received(stream, grpc::ByteBuffer(&slice, 1)).message());
  }
  GrpcLink link{"/job:test/task:9", 1};
  FakeWire wire[kMaxStreams];
  std::string bytes;
};

} // namespace graphc::transport
#endif
