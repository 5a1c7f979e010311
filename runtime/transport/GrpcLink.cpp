#include "runtime/transport/GrpcLink.h"

#include "runtime/common/base/StatusMacros.h"

#include "absl/strings/str_cat.h"
#include <grpc/slice.h>

#include <algorithm>
#include <cstring>

namespace graphc::transport {
namespace {
uint64_t keyOf(uint32_t channel, uint32_t instance) { return uint64_t{channel} << 32 | instance; }
uint64_t keyOf(const ChannelSpec &spec) { return keyOf(spec.key.channel, spec.key.instance); }

/// A header and up to kInlineBytes of payload in one slice that gRPC owns.
grpc::Slice inlineSlice(const FrameHeader &header, const void *payload, uint64_t bytes) {
  grpc_slice slice = grpc_slice_malloc(sizeof(header) + bytes);
  std::memcpy(GRPC_SLICE_START_PTR(slice), &header, sizeof(header));
  if (bytes)
    std::memcpy(GRPC_SLICE_START_PTR(slice) + sizeof(header), payload, bytes);
  return grpc::Slice(slice, grpc::Slice::STEAL_REF);
}

FrameHeader makeHeader(FrameKind kind, const ChannelSpec &spec, uint64_t seq) {
  FrameHeader header;
  header.kind = kind;
  header.channel = spec.key.channel;
  header.instance = spec.key.instance;
  header.seq = seq;
  return header;
}
} // namespace

GrpcLink::GrpcLink(std::string peer, uint64_t incarnation, uint64_t largeBytes)
    : peer_(std::move(peer)), incarnation_(incarnation), largeBytes_(largeBytes) {
  streams_.emplace_back(peer_);
}

bool GrpcLink::isLarge(const ChannelSpec &spec) {
  const bool large = spec.bytes >= largeBytes_;
  while (large && streams_.size() < kMaxStreams)
    streams_.emplace_back(peer_);
  return large;
}

void GrpcLink::addSend(ChannelSpec spec) {
  sends_.push_back(std::make_unique<GrpcSendPort>(*this, spec, isLarge(spec)));
  sendByKey_[keyOf(spec)] = sends_.back().get();
}

absl::Status GrpcLink::addRecv(ChannelSpec spec) {
  auto port = std::make_unique<GrpcRecvPort>(*this, spec, isLarge(spec));
  GRAPHC_RETURN_IF_ERROR(port->makeRing());
  recvByKey_[keyOf(spec)] = port.get();
  recvs_.push_back(std::move(port));
  return absl::OkStatus();
}

void GrpcLink::addMemory(std::vector<MessageMemory> &all) {
  constexpr uint64_t kLeastAcquired = 4096; // no smaller message is made in place
  for (const auto &port : sends_)
    if (port->spec().bytes >= kLeastAcquired)
      all.push_back({port->memory()});
  for (const auto &port : recvs_)
    all.push_back({port->memory()});
}

/// To the end of its queue, once however much it has to send: addFrames looks at the port itself.
void GrpcLink::push(GrpcSendPort &port) {
  if (port.queued_)
    return;
  port.queued_ = true;
  port.next_ = nullptr;
  SendQueue &queue = port.large_ ? large_ : inOrder_;
  (queue.tail ? queue.tail->next_ : queue.head) = &port;
  queue.tail = &port;
}

/// On the lane's thread. Where no write is under way, this begins one with the first frame; else
/// written() takes the message along.
void GrpcLink::submit(GrpcSendPort &port, const std::byte *data, uint64_t bytes, uint64_t step) {
  Writes writes;
  {
    base::MutexLock lock(mutex_);
    port.data_ = data;
    port.offset_ = 0;
    port.bytes_ = bytes;
    port.step_ = step;
    port.sending_ = true;
    push(port);
    kick(writes);
  }
  writes.start();
}

void GrpcLink::submitClose(GrpcSendPort &port) {
  Writes writes;
  {
    base::MutexLock lock(mutex_);
    port.closePending_ = true;
    push(port);
    kick(writes);
  }
  writes.start();
}

/// On the lane's thread: one more slot is free. Where the plan says so, the credit waits for the
/// next message to this peer.
void GrpcLink::submitCredit(GrpcRecvPort &port) {
  Writes writes;
  {
    base::MutexLock lock(mutex_);
    ++port.credits_;
    if (!port.queued_) {
      port.queued_ = true;
      port.next_ = creditHead_;
      creditHead_ = &port;
    }
    creditsDue_ |= !port.spec_.creditWaits;
    kick(writes);
  }
  writes.start();
}

// A write for each stream where none is under way and there is something for it. Whoever sets
// `writing` starts the write; until written() comes the wire cannot be finished, so the pointer
// stays good.
void GrpcLink::kick(Writes &writes) {
  for (Stream &stream : streams_)
    if (stream.wire && !stream.writing && buildMessage(stream, &writes.messages[writes.count])) {
      stream.writing = true;
      writes.wires[writes.count++] = stream.wire;
    }
}

void GrpcLink::Writes::start() {
  for (size_t i = 0; i < count; ++i)
    wires[i]->write(std::move(messages[i]));
}

void GrpcLink::written(uint32_t number) {
  Writes writes;
  GrpcWire *finish;
  {
    base::MutexLock lock(mutex_);
    Stream &stream = streams_[number];
    stream.writing = false;
    finish = std::exchange(stream.finishing, nullptr);
    if (!finish)
      kick(writes);
  }
  if (finish)
    finish->finish();
  else
    writes.start();
}

// The head of a message, with every credit that there is to give back.
grpc::Slice GrpcLink::takeCredits() {
  MessageHeader header;
  header.generation = generation_.load(std::memory_order_relaxed);
  header.incarnation = incarnation_;
  for (const GrpcRecvPort *port = creditHead_; port; port = port->next_)
    ++header.credits;
  grpc_slice slice = grpc_slice_malloc(sizeof(header) + header.credits * sizeof(CreditGrant));
  uint8_t *to = GRPC_SLICE_START_PTR(slice);
  std::memcpy(to, &header, sizeof(header));
  to += sizeof(header);
  for (; creditHead_; creditHead_ = creditHead_->next_, to += sizeof(CreditGrant)) {
    const ChannelKey &key = creditHead_->spec_.key;
    CreditGrant credit{key.channel, key.instance, std::exchange(creditHead_->credits_, 0)};
    std::memcpy(to, &credit, sizeof(credit));
    creditHead_->queued_ = false;
  }
  creditsDue_ = false;
  return grpc::Slice(slice, grpc::Slice::STEAL_REF);
}

/// A message in the making.
struct GrpcLink::Message {
  grpc::Slice slices[1 + 2 * kMaxFrames];
  int count = 0, frames = 0;
  uint64_t payload = 0, control = 0;

  void add(grpc::Slice slice, uint64_t controlBytes) {
    slices[count++] = std::move(slice);
    control += controlBytes;
  }
};

// A stream takes one large chunk at a time, so that the others get theirs, and none behind a small
// message, which is handed over when its gRPC message is there whole.
bool GrpcLink::buildMessage(Stream &stream, grpc::ByteBuffer *message) {
  const bool first = &stream == &streams_.front();
  if (!(first && inOrder_.head) && !large_.head && !creditsDue_)
    return false;
  Message made;
  grpc::Slice head = takeCredits();
  made.add(head, head.size());
  if (first)
    addFrames(inOrder_, kMaxBatchBytes, made);
  if (made.frames == 0)
    addFrames(large_, kMaxChunk, made);
  controlBytes_.fetch_add(made.control, std::memory_order_relaxed);
  *message = grpc::ByteBuffer(made.slices, size_t(made.count));
  return true;
}

/// Takes ports from the head of the queue until the message is full. A frame of up to kInlineBytes
/// is copied; the slice of a larger one points into the lane's buffer, and gRPC tells the port when
/// it has destroyed it. A close goes behind the port's last message.
void GrpcLink::addFrames(SendQueue &queue, uint64_t maxPayload, Message &message) {
  while (queue.head && message.frames < kMaxFrames && message.payload < maxPayload) {
    GrpcSendPort &port = *queue.head;
    queue.head = port.next_;
    if (!queue.head)
      queue.tail = nullptr;
    port.queued_ = false;
    if (port.sending_) {
      uint64_t length = std::min(port.bytes_ - port.offset_, kMaxChunk);
      FrameHeader header = makeHeader(FrameKind::Data, port.spec_, port.seq_);
      header.offset = port.offset_;
      header.step = port.step_;
      header.length = length;
      header.units = port.spec_.unit ? uint32_t(port.bytes_ / port.spec_.unit) : 0;
      const std::byte *from = port.data_ + port.offset_;
      if (length <= kInlineBytes) {
        message.add(inlineSlice(header, from, length), sizeof(header));
      } else {
        message.add(inlineSlice(header, nullptr, 0), sizeof(header));
        port.outstanding_.fetch_add(1, std::memory_order_relaxed);
        message.add(grpc::Slice(const_cast<std::byte *>(from), length,
                                &GrpcSendPort::onSliceDestroyed, &port),
                    0);
      }
      message.payload += length;
      port.offset_ += length;
      ++message.frames;
      if (port.offset_ == port.bytes_) {
        port.sending_ = false;
        ++port.seq_;
        port.chunkReleased(); // the one that start() counted; a futex wake is no call out
      } else {
        push(port); // behind the others: chunks of several channels take turns
        continue;
      }
    }
    if (port.closePending_) {
      if (message.frames == kMaxFrames) {
        push(port);
        break;
      }
      port.closePending_ = false;
      message.add(inlineSlice(makeHeader(FrameKind::Close, port.spec_, port.seq_), nullptr, 0),
                  sizeof(FrameHeader));
      ++message.frames;
    }
  }
}

/// On gRPC's thread: the stream stands. What lanes have queued meanwhile goes out.
absl::Status GrpcLink::attach(uint32_t number, GrpcWire *wire, uint64_t peerIncarnation) {
  Writes writes;
  {
    base::MutexLock lock(mutex_);
    Stream &stream = streams_[number];
    if (broken_)
      return absl::UnavailableError(absl::StrCat("the data streams with ", peer_, " are gone"));
    if (stream.wire)
      return absl::AlreadyExistsError(
          absl::StrCat(peer_, " already has data stream ", number, " with this task"));
    stream.wire = wire;
    peerIncarnation_.store(peerIncarnation, std::memory_order_relaxed);
    kick(writes);
  }
  writes.start();
  return absl::OkStatus();
}

bool GrpcLink::detach(uint32_t number, GrpcWire *wire) {
  std::vector<GrpcWire *> idle;
  {
    base::MutexLock lock(mutex_);
    if (streams_[number].wire != wire)
      return false;
    idle = takeWires();
  }
  for (GrpcWire *one : idle)
    one->finish();
  return true;
}

void GrpcLink::end() {
  std::vector<GrpcWire *> idle;
  {
    base::MutexLock lock(mutex_);
    idle = takeWires();
    dropQueued();
  }
  for (GrpcWire *one : idle)
    one->finish();
}

// The link has ended. Those that may be finished now; written() finishes the others.
std::vector<GrpcWire *> GrpcLink::takeWires() {
  std::vector<GrpcWire *> idle;
  broken_ = true;
  for (Stream &stream : streams_)
    if (GrpcWire *wire = std::exchange(stream.wire, nullptr)) {
      if (stream.writing)
        stream.finishing = wire;
      else
        idle.push_back(wire);
    }
  return idle;
}

// What is queued and will never be written: nothing points into the buffer for it but the count of
// start().
void GrpcLink::dropQueued() {
  inOrder_ = large_ = {};
  for (auto &port : sends_) {
    port->next_ = nullptr;
    port->queued_ = port->closePending_ = false;
    if (std::exchange(port->sending_, false))
      port->outstanding_.fetch_sub(1, std::memory_order_acq_rel);
  }
}

bool GrpcLink::attached() const {
  base::MutexLock lock(mutex_);
  return std::all_of(streams_.begin(), streams_.end(),
                     [](const Stream &stream) { return stream.wire != nullptr; });
}

/// On the stream's gRPC thread, one message at a time.
absl::Status GrpcLink::received(uint32_t number, const grpc::ByteBuffer &message) {
  Stream &stream = streams_[number];
  base::MutexLock readLock(stream.readMutex);
  GrpcBufferReader &reader = stream.reader;
  GRAPHC_RETURN_IF_ERROR(reader.open(message));
  uint64_t payload = 0;
  absl::Status status = takeMessage(stream, number, &payload);
  controlBytes_.fetch_add(message.Length() - reader.left() - payload, std::memory_order_relaxed);
  reader.close();
  return status;
}

/// A message of an earlier phase, or of another process than the one that is known, is dropped
/// whole (fenced). Of any other the credits come first, then the frames.
absl::Status GrpcLink::takeMessage(Stream &stream, uint32_t number, uint64_t *payload) {
  GrpcBufferReader &reader = stream.reader;
  MessageHeader header;
  GRAPHC_RETURN_IF_ERROR(reader.take(&header, sizeof(header)));
  if (header.magic != MessageHeader::kMagic)
    return absl::DataLossError(absl::StrCat("a message from ", peer_, " has no graphc header"));
  if (header.incarnation != peerIncarnation_.load(std::memory_order_relaxed) ||
      header.generation < generation_.load(std::memory_order_acquire))
    return absl::OkStatus(); // fenced
  if (header.generation > generation_.load(std::memory_order_acquire))
    return absl::InternalError(absl::StrCat(peer_, " is at generation ", header.generation,
                                            ", this task at ", generation_.load(),
                                            ": it did not wait for the phase to begin"));
  for (uint32_t i = 0; i < header.credits; ++i)
    GRAPHC_RETURN_IF_ERROR(takeCredit(reader));
  while (reader.left() > 0)
    GRAPHC_RETURN_IF_ERROR(takeFrame(stream, number, payload));
  return absl::OkStatus();
}

absl::Status GrpcLink::unknown(uint32_t channel, uint32_t instance) const {
  return absl::InternalError(
      absl::StrCat(peer_, " sent on channel ", channel, "[", instance,
                   "], which the plan does not have between it and this task"));
}

/// The peer has released so many slots of a channel: the port may send as many messages more.
absl::Status GrpcLink::takeCredit(GrpcBufferReader &reader) {
  CreditGrant credit;
  GRAPHC_RETURN_IF_ERROR(reader.take(&credit, sizeof(credit)));
  auto port = sendByKey_.find(keyOf(credit.channel, credit.instance));
  if (port == sendByKey_.end())
    return unknown(credit.channel, credit.instance);
  if (!port->second->addCredits(credit.slots))
    return absl::DataLossError(absl::StrCat(
        "channel ", credit.channel, "[", credit.instance, "]: ", peer_, " gave back ", credit.slots,
        " slots, more than messages took of its ", port->second->spec().capacity));
  return absl::OkStatus();
}

/// One frame. Its port says whether it fits there (begin), the payload is copied from gRPC's slices
/// into the ring slot, and the port counts it (arrived). Nothing is copied of a frame that does not
/// fit.
absl::Status GrpcLink::takeFrame(Stream &stream, uint32_t number, uint64_t *payload) {
  GrpcBufferReader &reader = stream.reader;
  FrameHeader header;
  GRAPHC_RETURN_IF_ERROR(reader.take(&header, sizeof(header)));
  auto found = recvByKey_.find(keyOf(header.channel, header.instance));
  if (found == recvByKey_.end())
    return unknown(header.channel, header.instance);
  GrpcRecvPort &port = *found->second;
  auto misplaced = [&](const std::string &what) {
    return absl::DataLossError(absl::StrCat("channel ", header.channel, "[", header.instance, "]: ",
                                            peer_, " ", what, ", expected ", port.expects()));
  };
  if (!port.large_ && number != 0)
    return misplaced(absl::StrCat("sent a frame on data stream ", number,
                                  ", which is for large messages alone"));
  switch (header.kind) {
  case FrameKind::Data:
    if (!port.begin(header))
      return misplaced(
          absl::StrCat("sent bytes ", header.offset, "+", header.length, " of message ", header.seq,
                       header.units ? absl::StrCat(" of ", header.units, " units") : ""));
    GRAPHC_RETURN_IF_ERROR(reader.take(port.slot(header.seq) + header.offset, header.length));
    *payload += header.length;
    port.arrived(header);
    return absl::OkStatus();
  case FrameKind::Close:
    if (!port.end(header.seq))
      return misplaced(absl::StrCat("closed it before message ", header.seq));
    return absl::OkStatus();
  }
  return absl::DataLossError(absl::StrCat("a frame from ", peer_, " is of unknown kind ",
                                          static_cast<uint32_t>(header.kind)));
}

/// On any thread. The flag stands before the wake-up, so a lane that wakes sees it.
void GrpcLink::abort(absl::Status why) {
  {
    base::MutexLock lock(mutex_);
    if (why_.ok())
      why_ = std::move(why);
  }
  for (auto &port : sends_)
    port->aborted_.store(true, std::memory_order_release);
  for (auto &port : recvs_)
    port->aborted_.store(true, std::memory_order_release);
  wake();
}

void GrpcLink::wake() {
  for (auto &port : sends_)
    port->wake_.wake();
  for (auto &port : recvs_)
    port->wake_.wake();
}

/// Between two phases: every lane here is joined. All readMutexes first, so that no frame is being
/// taken; from then on what still comes of the phase before has too low a generation and is
/// dropped.
absl::Status GrpcLink::reset(uint64_t generation) {
  std::deque<std::unique_lock<base::Mutex>> readLocks;
  for (Stream &stream : streams_)
    readLocks.emplace_back(stream.readMutex);
  base::MutexLock lock(mutex_);
  if (broken_)
    return absl::UnavailableError(absl::StrCat("the data stream with ", peer_, " is gone"));
  dropQueued();
  creditHead_ = nullptr;
  creditsDue_ = false;
  why_ = absl::OkStatus();
  for (auto &port : sends_) {
    port->closed_ = false;
    port->seq_ = port->offset_ = 0;
    port->credits_.store(port->spec_.capacity, std::memory_order_release);
    port->aborted_.store(false, std::memory_order_release);
  }
  for (auto &port : recvs_) {
    port->next_ = nullptr;
    port->queued_ = false;
    port->credits_ = 0;
    port->reset();
  }
  generation_.store(generation, std::memory_order_release);
  return absl::OkStatus();
}

bool GrpcLink::drained() const {
  for (const auto &port : sends_)
    if (port->inFlight())
      return false;
  return true;
}

absl::Status GrpcLink::why() const {
  base::MutexLock lock(mutex_);
  return why_;
}

GrpcSendPort *GrpcLink::sender(ChannelKey key) const {
  auto found = sendByKey_.find(keyOf(key.channel, key.instance));
  return found == sendByKey_.end() ? nullptr : found->second;
}

GrpcRecvPort *GrpcLink::receiver(ChannelKey key) const {
  auto found = recvByKey_.find(keyOf(key.channel, key.instance));
  return found == recvByKey_.end() ? nullptr : found->second;
}

TransportCounters GrpcLink::counters() const {
  TransportCounters sum;
  sum.controlBytes = controlBytes_.load(std::memory_order_relaxed);
  for (const auto &port : sends_)
    (port->spec_.control ? sum.controlBytes : sum.bytesSent) +=
        port->started_.load(std::memory_order_relaxed);
  for (const auto &port : recvs_)
    (port->spec_.control ? sum.controlBytes : sum.bytesReceived) +=
        port->released_.load(std::memory_order_relaxed);
  return sum;
}

} // namespace graphc::transport
