// The data protocol and a peer that is out of its mind: messages to a real link with its ports,
// words that it writes into shared memory. What a lane takes is what was sent, or nothing; what is
// refused has a name.
#include "runtime/transport/MessageRing.h"
#include "test/fuzz/DataScript.h"

#include <cstdlib>
#include <memory>

using namespace graphc;
using namespace graphc::transport;

namespace {

/// One link and its lanes, which do what they may.
class Link {
public:
  Link() : link_("/job:peer/task:0", test::kOwn, test::kLargeHere) {
    for (const ChannelSpec &spec : test::incoming())
      if (!link_.addRecv(spec).ok())
        abort();
    for (const ChannelSpec &spec : test::outgoing())
      link_.addSend(spec);
    for (uint32_t stream = 0; stream < link_.streams(); ++stream)
      if (!link_.attach(stream, &wires_[stream], test::kPeers).ok())
        abort();
  }
  ~Link() {
    link_.end();
    for (test::ScriptWire &wire : wires_)
      wire.written.clear();
    (void)link_.reset(generation_ + 1); // what was queued and never written
  }
  void hear(uint32_t stream, const std::vector<grpc::Slice> &slices) {
    absl::Status status =
        link_.received(stream % link_.streams(), grpc::ByteBuffer(slices.data(), slices.size()));
    if (!status.ok() && status.message().empty())
      abort();
    over_ |= !status.ok(); // the streams end
  }
  void message(uint32_t stream, const std::string &bytes) {
    made_ = false;
    hear(stream, {grpc::Slice(bytes)});
  }
  void frames(uint32_t stream, const std::string &bytes) {
    static const std::unique_ptr<std::string[]> payloads = [] {
      auto made = std::make_unique<std::string[]>(4);
      for (size_t seq = 0; seq < 4; ++seq)
        made[seq].assign(kMaxChunk + 1, char(seq));
      return made;
    }();
    MessageHeader head{MessageHeader::kMagic, 0, generation_, test::kPeers};
    std::vector<grpc::Slice> slices{grpc::Slice(&head, sizeof head)};
    for (size_t at = 0; at + sizeof(FrameHeader) <= bytes.size() && slices.size() < 16;
         at += sizeof(FrameHeader)) {
      FrameHeader frame;
      std::memcpy(&frame, bytes.data() + at, sizeof frame);
      slices.emplace_back(&frame, sizeof frame);
      if (uint64_t length = std::min(frame.length, kMaxChunk + 1);
          length && frame.kind == FrameKind::Data)
        slices.emplace_back(payloads[frame.seq % 4].data(), length, grpc::Slice::STATIC_SLICE);
    }
    hear(stream, slices);
  }
  /// Messages of channel `port` come in order, each whole.
  void take(uint32_t port, bool start) {
    const ChannelSpec spec = test::incoming()[port % test::incoming().size()];
    RecvPort &from = *link_.receiver(spec.key);
    const void *data = nullptr;
    uint64_t there = spec.bytes;
    PollState state = start ? from.pollStart(&data, 0, &there) : from.poll(&data);
    if (state != PollState::Ready)
      return;
    if (there > spec.bytes || (spec.unit && !start && !isMessageSize(spec, from.size())))
      abort();
    if (spec.unit && !start)
      there = from.size();
    const uint64_t seq = taken_[spec.key.channel];
    const auto *bytes = static_cast<const uint8_t *>(data);
    for (uint64_t at = 0; at < there;
         at += at + 1 < there ? std::min<uint64_t>(4093, there - 1 - at) : 1)
      if (volatile uint8_t byte = bytes[at]; made_ && byte != seq % 4) // read in any case
        abort();
    if (!start) {
      from.release();
      ++taken_[spec.key.channel];
    }
  }
  void send(uint32_t port) {
    const ChannelSpec spec = test::outgoing()[port % test::outgoing().size()];
    (void)link_.sender(spec.key)->start(buffers_[spec.key.channel % 2], 0, SendMode::Copy,
                                        spec.unit ? spec.unit * (++sent_ % 31) : kWhole);
    (void)link_.sender(spec.key)->done();
  }
  void close(uint32_t port) {
    link_.sender(test::outgoing()[port % test::outgoing().size()].key)->close();
  }
  void written(uint32_t stream) {
    test::ScriptWire &wire = wires_[stream % link_.streams()];
    if (wire.written.empty())
      return;
    wire.written.pop_front();
    link_.written(stream % link_.streams());
  }
  void reset() {
    for (uint32_t stream = 0; stream < link_.streams(); ++stream)
      while (!wires_[stream].written.empty())
        written(stream);
    if (!link_.reset(++generation_).ok())
      abort();
    taken_ = {};
  }
  bool over() const { return over_; }

private:
  char buffers_[2][4096] = {};
  GrpcLink link_;
  test::ScriptWire wires_[kMaxStreams];
  std::map<uint32_t, uint64_t> taken_; ///< messages, by channel
  uint64_t sent_ = 0;
  uint64_t generation_ = 0;
  bool made_ = true; ///< all payloads are those of frames()
  bool over_ = false;
};

/// One ring whose other side is anything.
class SharedRing {
public:
  enum class Kind : uint8_t { InSlots, ZeroCopy, Sized };
  explicit SharedRing(Kind kind)
      : spec_(spec(kind)),
        memory_(static_cast<uint64_t *>(std::aligned_alloc(64, ringBytes(spec_))), &std::free),
        ring_(reinterpret_cast<RingMemory *>(memory_.get())),
        sender_(spec_, ring_, abort_, base::FutexScope::Process, "/job:peer/task:0"),
        receiver_(spec_, ring_, abort_, base::FutexScope::Process, "/job:peer/task:0") {
    std::memset(memory_.get(), 0, ringBytes(spec_));
    if (kind == Kind::ZeroCopy) {
      sender_.setZeroCopy({zeroCopy_.get(), kZeroCopy});
      receiver_.mapZeroCopy({zeroCopy_.get(), kZeroCopy});
    }
    sender_.reset(0);
    receiver_.reset(0);
  }
  void word(const std::string &bytes) {
    if (bytes.size() < 9)
      return;
    std::memcpy(memory_.get() + uint8_t(bytes[0]) % (ringBytes(spec_) / 8), bytes.data() + 1, 8);
  }
  void take() {
    const void *data = nullptr;
    for (uint32_t messages = 0; receiver_.poll(&data) == PollState::Ready; ++messages) {
      volatile uint8_t sum = 0;
      const uint64_t bytes = spec_.unit ? receiver_.size() : spec_.bytes;
      if (!isMessageSize(spec_, bytes))
        abort();
      for (uint64_t at = 0; at < bytes; ++at)
        sum = uint8_t(sum + static_cast<const uint8_t *>(data)[at]);
      receiver_.release();
      if (messages > spec_.capacity)
        abort(); // more than there is room for
    }
    named();
  }
  void send() {
    (void)sender_.start(zeroCopy_.get(), 0, SendMode::Copy, spec_.unit ? 2 * spec_.unit : kWhole);
    (void)sender_.done();
    named();
  }

private:
  static constexpr uint64_t kZeroCopy = 256;
  static ChannelSpec spec(Kind kind) {
    ChannelSpec made{{0, 0}, 100, 2, false};
    made.zeroCopy = kind == Kind::ZeroCopy;
    made.unit = kind == Kind::Sized ? 20 : 0;
    return made;
  }
  void named() {
    if (abort_.isAborted() && abort_.status().message().empty())
      abort();
  }
  const ChannelSpec spec_;
  const std::unique_ptr<uint64_t, void (*)(void *)> memory_;
  const std::unique_ptr<uint8_t[]> zeroCopy_ = std::make_unique<uint8_t[]>(kZeroCopy);
  RingMemory *const ring_;
  AbortState abort_;
  RingSender sender_;
  RingReceiver receiver_;
};

/// A word of a header, or what libFuzzer makes.
void change(std::string &bytes, test::FieldRandom &random) {
  constexpr uint64_t values[] = {
      0, 1, 2, 3, 8, 3000, kMaxChunk - 1, kMaxChunk, kMaxChunk + 1, 1ull << 32, UINT64_MAX};
  if (bytes.size() >= 8 && random() % 2) {
    uint64_t value, at = random() % (bytes.size() / 4 - 1) * 4;
    std::memcpy(&value, bytes.data() + at, 8);
    value = random() % 2 ? values[random() % std::size(values)] : value + random() % 3 - 1;
    std::memcpy(bytes.data() + at, &value, random() % 2 ? 4 : 8);
    return;
  }
  size_t size = bytes.size();
  bytes.resize(size + 64);
  bytes.resize(LLVMFuzzerMutate(reinterpret_cast<uint8_t *>(bytes.data()), size, bytes.size()));
}
} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize,
                                          unsigned seed) {
  return test::mutateScript(data, size, maxSize, seed, change);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  test::Script script = test::readScript({reinterpret_cast<const char *>(data), size});
  Link link;
  SharedRing rings[] = {SharedRing(SharedRing::Kind::InSlots),
                        SharedRing(SharedRing::Kind::ZeroCopy),
                        SharedRing(SharedRing::Kind::Sized)};
  for (const test::Line &line : script.lines) {
    SharedRing &ring = rings[line.who % 3];
    switch (line.how % test::kDataLines) {
    case test::kMessage:
      link.message(line.who, line.bytes);
      break;
    case test::kFrames:
      link.frames(line.who, line.bytes);
      break;
    case test::kTake:
    case test::kStart:
      link.take(line.who, line.how % test::kDataLines == test::kStart);
      break;
    case test::kSend:
      link.send(line.who);
      break;
    case test::kClose:
      link.close(line.who);
      break;
    case test::kWritten:
      link.written(line.who);
      break;
    case test::kReset:
      link.reset();
      break;
    case test::kWord:
      ring.word(line.bytes);
      break;
    case test::kRingTake:
      ring.take();
      break;
    default:
      ring.send();
    }
    if (link.over())
      break;
  }
  return 0;
}
