// What the lines of a script of the data protocol do, the channels of the link that hears them, and
// seeds: what a real link wrote.
#ifndef GRAPHC_TEST_FUZZ_DATASCRIPT_H
#define GRAPHC_TEST_FUZZ_DATASCRIPT_H

#include "runtime/transport/GrpcLink.h"
#include "test/fuzz/Script.h"

#include <deque>
#include <map>

namespace graphc::test {

/// Line::how. `who` is a stream or a port.
enum DataLine : uint8_t {
  kMessage, ///< the bytes of one message
  /// frame headers, behind a good message header; their payloads are made, each byte the number of
  /// its message
  kFrames,
  kTake, ///< the lane takes and releases a message
  kStart, ///< the lane looks at a message's start
  kSend,
  kClose,
  kWritten, ///< gRPC has written what was under way
  kReset, ///< the next phase
  kWord, ///< the other side of a ring writes a word: its place (1 byte), its value (8)
  kRingTake,
  kRingSend,
  kDataLines
};

inline constexpr uint64_t kOwn = 11, kPeers = 22; ///< incarnations
/// Messages of one chunk and a bit are large.
inline constexpr uint64_t kLargeHere = transport::kMaxChunk + 5;

inline transport::ChannelSpec dataSpec(uint32_t channel, uint64_t bytes, uint32_t capacity) {
  return {{channel, 0}, bytes, capacity, false};
}
/// Messages of as many units as are said.
inline transport::ChannelSpec sizedSpec(uint32_t channel, uint64_t unit, uint64_t most) {
  transport::ChannelSpec spec = dataSpec(channel, unit * most, 2);
  spec.unit = unit;
  return spec;
}
inline std::vector<transport::ChannelSpec> incoming() {
  return {dataSpec(0, 8, 1),     dataSpec(1, 3000, 3),
          dataSpec(2, 0, 2),     dataSpec(3, kLargeHere, 2),
          sizedSpec(4, 100, 30), sizedSpec(5, transport::kMaxChunk / 2, 3)};
}
inline std::vector<transport::ChannelSpec> outgoing() {
  return {dataSpec(6, 8, 2), dataSpec(7, 3000, 1), sizedSpec(8, 100, 30)};
}

/// A stream that is written to when somebody says so.
struct ScriptWire final : transport::GrpcWire {
  void write(grpc::ByteBuffer message) override { written.push_back(std::move(message)); }
  void finish() override {}
  std::deque<grpc::ByteBuffer> written;
};

/// The peer of the target's link sends on all channels, and gives back what it was sent.
inline std::map<std::string, std::string> dataSeeds() {
  using namespace transport;
  std::map<std::string, std::string> seeds;
  for (int rounds : {1, 3}) {
    GrpcLink link("the target", kPeers, kLargeHere);
    for (const ChannelSpec &spec : incoming())
      link.addSend(spec);
    for (const ChannelSpec &spec : outgoing())
      if (!link.addRecv(spec).ok())
        abort();
    ScriptWire wires[kMaxStreams];
    for (uint32_t stream = 0; stream < link.streams(); ++stream)
      if (!link.attach(stream, &wires[stream], kOwn).ok())
        return {};
    Script script;
    auto record = [&] {
      for (uint32_t stream = 0; stream < link.streams(); ++stream)
        while (!wires[stream].written.empty()) {
          std::vector<grpc::Slice> slices;
          std::string bytes;
          if (!wires[stream].written.front().Dump(&slices).ok())
            return;
          for (const grpc::Slice &slice : slices)
            bytes.append(reinterpret_cast<const char *>(slice.begin()), slice.size());
          const bool large = bytes.size() > 20000;
          script.lines.push_back(
              {uint8_t(stream), large ? uint8_t(kFrames) : uint8_t(kMessage),
               large ? bytes.substr(sizeof(MessageHeader), sizeof(FrameHeader)) : bytes});
          slices.clear();
          wires[stream].written.pop_front();
          link.written(stream);
        }
    };
    std::vector<char> data(2 * kMaxChunk);
    for (int round = 0; round < rounds; ++round) {
      for (const ChannelSpec &spec : incoming()) {
        const uint64_t bytes = spec.unit ? spec.unit * uint64_t(3 - round) : kWhole;
        if (link.sender(spec.key)->start(data.data(), uint64_t(round), SendMode::Borrow, bytes) !=
            PollState::Ready)
          break;
        record();
        for (uint8_t how : {kStart, kTake})
          script.lines.push_back({uint8_t(spec.key.channel), how, ""});
        script.lines.push_back({0, kWritten, ""});
      }
    }
    for (const ChannelSpec &spec : incoming())
      link.sender(spec.key)->close();
    record();
    for (uint8_t port = 0; port < 3; ++port)
      script.lines.push_back({port, kSend, ""});
    script.lines.push_back({0, kWritten, ""});
    script.lines.push_back({0, kClose, ""});
    script.lines.push_back({0, kReset, ""});
    seeds["link-" + std::to_string(rounds)] = writeScript(script);
  }
  Script ring;
  for (uint8_t kind : {0, 1, 2}) // in slots, zero-copy, of an actual size
    for (int message = 0; message < 3; ++message) {
      ring.lines.push_back(
          {kind, kWord, std::string(1, '\0') + char(message + 1) + std::string(7, '\0')});
      ring.lines.push_back({kind, kRingTake, ""});
      ring.lines.push_back({kind, kRingSend, ""});
      ring.lines.push_back(
          {kind, kWord, std::string(1, '\10') + char(message + 1) + std::string(7, '\0')});
    }
  seeds["ring"] = writeScript(ring);
  return seeds;
}

} // namespace graphc::test
#endif
