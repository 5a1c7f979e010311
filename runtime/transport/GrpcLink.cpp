#include "runtime/transport/GrpcLink.h"

#include "runtime/base/Status.h"

#include "absl/strings/str_cat.h"
#include <grpc/slice.h>

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

GrpcSendPort &GrpcLink::addSend(ChannelSpec spec) {
  sends_.push_back(std::make_unique<GrpcSendPort>(*this, spec));
  sendByKey_[keyOf(spec)] = sends_.back().get();
  return *sends_.back();
}

GrpcRecvPort &GrpcLink::addRecv(ChannelSpec spec) {
  recvs_.push_back(std::make_unique<GrpcRecvPort>(*this, spec));
  recvByKey_[keyOf(spec)] = recvs_.back().get();
  return *recvs_.back();
}

void GrpcLink::push(GrpcSendPort &port) {
  if (port.queued_)
    return;
  port.queued_ = true;
  port.next_ = nullptr;
  (sendTail_ ? sendTail_->next_ : sendHead_) = &port;
  sendTail_ = &port;
}

void GrpcLink::submit(GrpcSendPort &port, const std::byte *data, uint64_t step) {
  std::unique_lock lock(mutex_);
  port.data_ = data;
  port.offset_ = 0;
  port.step_ = step;
  port.sending_ = true;
  push(port);
  kick(std::move(lock));
}

void GrpcLink::submitClose(GrpcSendPort &port) {
  std::unique_lock lock(mutex_);
  port.closePending_ = true;
  push(port);
  kick(std::move(lock));
}

void GrpcLink::submitCredit(GrpcRecvPort &port) {
  std::unique_lock lock(mutex_);
  ++port.credits_;
  if (!port.queued_) {
    port.queued_ = true;
    port.next_ = creditHead_;
    creditHead_ = &port;
  }
  creditsDue_ |= !port.spec_.creditWaits;
  kick(std::move(lock));
}

// Starts a write where none is under way. Whoever sets writing_ makes the call, after letting go of the lock; until
// written() comes the wire cannot be finished, so the pointer stays good.
void GrpcLink::kick(std::unique_lock<std::mutex> lock) {
  if (!wire_ || writing_)
    return;
  grpc::ByteBuffer message;
  if (!buildMessage(&message))
    return;
  writing_ = true;
  Wire *wire = wire_;
  lock.unlock();
  wire->write(std::move(message));
}

void GrpcLink::written() {
  grpc::ByteBuffer message;
  Wire *write = nullptr, *finish = nullptr;
  {
    std::lock_guard lock(mutex_);
    writing_ = false;
    if (finishing_)
      std::swap(finish, finishing_);
    else if (wire_ && buildMessage(&message)) {
      writing_ = true;
      write = wire_;
    }
  }
  if (finish)
    finish->finish();
  else if (write)
    write->write(std::move(message));
}

// The head of a message, with every credit that there is to give back.
grpc::Slice GrpcLink::takeCredits() {
  MessageHeader header;
  header.epoch = epoch_.load(std::memory_order_relaxed);
  header.incarnation = incarnation_;
  for (const GrpcRecvPort *port = creditHead_; port; port = port->next_)
    ++header.credits;
  grpc_slice slice = grpc_slice_malloc(sizeof(header) + header.credits * sizeof(Credit));
  uint8_t *to = GRPC_SLICE_START_PTR(slice);
  std::memcpy(to, &header, sizeof(header));
  to += sizeof(header);
  for (; creditHead_; creditHead_ = creditHead_->next_, to += sizeof(Credit)) {
    const ChannelKey &key = creditHead_->spec_.key;
    Credit credit{key.channel, key.instance, std::exchange(creditHead_->credits_, 0)};
    std::memcpy(to, &credit, sizeof(credit));
    creditHead_->queued_ = false;
  }
  creditsDue_ = false;
  return grpc::Slice(slice, grpc::Slice::STEAL_REF);
}

bool GrpcLink::buildMessage(grpc::ByteBuffer *message) {
  if (!sendHead_ && !creditsDue_)
    return false;
  grpc::Slice slices[1 + 2 * kMaxFrames];
  slices[0] = takeCredits();
  int count = 1, frames = 0;
  uint64_t payload = 0, control = slices[0].size();
  while (sendHead_ && frames < kMaxFrames && payload < kMaxBatchBytes) {
    GrpcSendPort &port = *sendHead_;
    sendHead_ = port.next_;
    if (!sendHead_)
      sendTail_ = nullptr;
    port.queued_ = false;
    if (port.sending_) {
      uint64_t length = std::min(port.spec_.bytes - port.offset_, kMaxChunk);
      FrameHeader header = makeHeader(FrameKind::Data, port.spec_, port.seq_);
      header.offset = port.offset_;
      header.step = port.step_;
      header.length = length;
      const std::byte *from = port.data_ + port.offset_;
      if (length <= kInlineBytes) {
        slices[count++] = inlineSlice(header, from, length);
      } else {
        slices[count++] = inlineSlice(header, nullptr, 0);
        port.outstanding_.fetch_add(1, std::memory_order_relaxed);
        slices[count++] = grpc::Slice(const_cast<std::byte *>(from), length, &GrpcSendPort::onSliceDestroyed, &port);
      }
      control += sizeof(header);
      payload += length;
      port.offset_ += length;
      ++frames;
      if (port.offset_ == port.spec_.bytes) {
        port.sending_ = false;
        ++port.seq_;
        port.chunkReleased(); // the one that start() counted; a futex wake is no call out
      } else {
        push(port); // behind the others: chunks of several channels take turns
        continue;
      }
    }
    if (port.closePending_) {
      if (frames == kMaxFrames) {
        push(port);
        break;
      }
      port.closePending_ = false;
      slices[count++] = inlineSlice(makeHeader(FrameKind::Close, port.spec_, port.seq_), nullptr, 0);
      control += sizeof(FrameHeader);
      ++frames;
    }
  }
  controlBytes_.fetch_add(control, std::memory_order_relaxed);
  *message = grpc::ByteBuffer(slices, size_t(count));
  return true;
}

absl::Status GrpcLink::attach(Wire *wire, uint64_t peerIncarnation) {
  std::unique_lock lock(mutex_);
  if (wire_ || broken_ || finishing_)
    return absl::AlreadyExistsError(absl::StrCat(peer_, " already has a data stream with this task"));
  wire_ = wire;
  peerIncarnation_.store(peerIncarnation, std::memory_order_relaxed);
  kick(std::move(lock));
  return absl::OkStatus();
}

bool GrpcLink::detach(Wire *wire) {
  {
    std::lock_guard lock(mutex_);
    if (wire_ != wire)
      return false;
    wire_ = nullptr;
    broken_ = true;
    if (writing_) {
      finishing_ = wire; // written() does it
      return true;
    }
  }
  wire->finish();
  return true;
}

void GrpcLink::end() {
  Wire *wire;
  {
    std::lock_guard lock(mutex_);
    broken_ = true;
    wire = std::exchange(wire_, nullptr);
    if (wire && writing_) {
      finishing_ = wire; // written() does it
      return;
    }
  }
  if (wire)
    wire->finish();
}

bool GrpcLink::attached() const {
  std::lock_guard lock(mutex_);
  return wire_ != nullptr;
}

absl::Status GrpcLink::received(const grpc::ByteBuffer &message) {
  std::lock_guard readLock(readMutex_);
  slices_.clear();
  if (grpc::Status status = message.Dump(&slices_); !status.ok())
    return absl::InternalError(absl::StrCat("a message from ", peer_, " could not be read: ", status.error_message()));
  sliceIndex_ = sliceOffset_ = 0;
  left_ = message.Length();
  absl::Status status = takeMessage();
  controlBytes_.fetch_add(message.Length() - left_ - payload_, std::memory_order_relaxed);
  slices_.clear();
  return status;
}

absl::Status GrpcLink::takeMessage() {
  payload_ = 0;
  MessageHeader header;
  GRAPHC_RETURN_IF_ERROR(take(&header, sizeof(header)));
  if (header.magic != MessageHeader::kMagic)
    return absl::DataLossError(absl::StrCat("a message from ", peer_, " has no graphc header"));
  if (header.incarnation != peerIncarnation_.load(std::memory_order_relaxed) ||
      header.epoch < epoch_.load(std::memory_order_acquire))
    return absl::OkStatus(); // fenced
  if (header.epoch > epoch_.load(std::memory_order_acquire))
    return absl::InternalError(absl::StrCat(peer_, " is at epoch ", header.epoch, ", this task at ", epoch_.load(),
                                            ": it did not wait for the phase to begin"));
  for (uint32_t i = 0; i < header.credits; ++i)
    GRAPHC_RETURN_IF_ERROR(takeCredit());
  while (left_ > 0)
    GRAPHC_RETURN_IF_ERROR(takeFrame());
  return absl::OkStatus();
}

absl::Status GrpcLink::unknown(uint32_t channel, uint32_t instance) const {
  return absl::InternalError(absl::StrCat(peer_, " sent on channel ", channel, "[", instance,
                                          "], which the plan does not have between it and this task"));
}

absl::Status GrpcLink::takeCredit() {
  Credit credit;
  GRAPHC_RETURN_IF_ERROR(take(&credit, sizeof(credit)));
  auto port = sendByKey_.find(keyOf(credit.channel, credit.instance));
  if (port == sendByKey_.end())
    return unknown(credit.channel, credit.instance);
  if (!port->second->addCredits(credit.slots))
    return absl::DataLossError(absl::StrCat("channel ", credit.channel, "[", credit.instance, "]: ", peer_,
                                            " gave back ", credit.slots, " slots, more than messages took of its ",
                                            port->second->spec().capacity));
  return absl::OkStatus();
}

absl::Status GrpcLink::takeFrame() {
  FrameHeader header;
  GRAPHC_RETURN_IF_ERROR(take(&header, sizeof(header)));
  auto port = recvByKey_.find(keyOf(header.channel, header.instance));
  if (port == recvByKey_.end())
    return unknown(header.channel, header.instance);
  switch (header.kind) {
  case FrameKind::Data:
    return takeData(*port->second, header);
  case FrameKind::Close:
    port->second->closed_.store(true, std::memory_order_release);
    port->second->wake_.wake();
    return absl::OkStatus();
  }
  return absl::DataLossError(
      absl::StrCat("a frame from ", peer_, " is of unknown kind ", static_cast<uint32_t>(header.kind)));
}

absl::Status GrpcLink::takeData(GrpcRecvPort &port, const FrameHeader &header) {
  uint64_t head = port.head_.load(std::memory_order_relaxed);
  uint64_t filled = port.filled_.load(std::memory_order_relaxed);
  bool fits = header.seq == head && header.offset == filled && header.length <= port.spec_.bytes - filled &&
              head - port.tail_.load(std::memory_order_acquire) < port.spec_.capacity;
  if (!fits)
    return absl::DataLossError(absl::StrCat("channel ", header.channel, "[", header.instance, "]: ", peer_,
                                            " sent bytes ", header.offset, "+", header.length, " of message ",
                                            header.seq, ", expected byte ", filled, " of message ", head, " (",
                                            port.spec_.bytes, " bytes each, capacity ", port.spec_.capacity, ")"));
  GRAPHC_RETURN_IF_ERROR(take(port.slot(head) + header.offset, header.length));
  payload_ += header.length;
  filled += header.length;
  if (filled == port.spec_.bytes) {
    port.filled_.store(0, std::memory_order_relaxed);
    port.head_.store(head + 1, std::memory_order_release);
    port.wake_.wake();
  } else {
    port.filled_.store(filled, std::memory_order_seq_cst);
    if (port.takesStarts_.load(std::memory_order_seq_cst))
      port.wake_.wake();
  }
  return absl::OkStatus();
}

// Copies the next `bytes` bytes of the message.
absl::Status GrpcLink::take(void *to, uint64_t bytes) {
  if (bytes > left_)
    return absl::DataLossError(
        absl::StrCat("a message from ", peer_, " is cut off: ", left_, " bytes are left where ", bytes, " should be"));
  left_ -= bytes;
  while (bytes > 0) {
    const grpc::Slice &slice = slices_[sliceIndex_];
    uint64_t part = std::min<uint64_t>(bytes, slice.size() - sliceOffset_);
    std::memcpy(to, slice.begin() + sliceOffset_, part);
    to = static_cast<std::byte *>(to) + part;
    bytes -= part;
    sliceOffset_ += part;
    if (sliceOffset_ == slice.size()) {
      ++sliceIndex_;
      sliceOffset_ = 0;
    }
  }
  return absl::OkStatus();
}

void GrpcLink::abort(absl::Status why) {
  {
    std::lock_guard lock(mutex_);
    if (why_.ok())
      why_ = std::move(why);
  }
  for (auto &port : sends_) {
    port->aborted_.store(true, std::memory_order_release);
    port->wake_.wake();
  }
  for (auto &port : recvs_) {
    port->aborted_.store(true, std::memory_order_release);
    port->wake_.wake();
  }
}

absl::Status GrpcLink::reset(uint64_t epoch) {
  std::lock_guard readLock(readMutex_);
  std::lock_guard lock(mutex_);
  if (broken_)
    return absl::UnavailableError(absl::StrCat("the data stream with ", peer_, " is gone"));
  sendHead_ = sendTail_ = nullptr;
  creditHead_ = nullptr;
  creditsDue_ = false;
  why_ = absl::OkStatus();
  for (auto &port : sends_) {
    if (port->sending_) { // queued and never written: nothing points into the buffer but the count of start()
      port->sending_ = false;
      port->outstanding_.fetch_sub(1, std::memory_order_acq_rel);
    }
    port->next_ = nullptr;
    port->queued_ = port->closePending_ = port->closed_ = false;
    port->seq_ = port->offset_ = 0;
    port->credits_.store(port->spec_.capacity, std::memory_order_release);
    port->aborted_.store(false, std::memory_order_release);
  }
  for (auto &port : recvs_) {
    port->next_ = nullptr;
    port->queued_ = false;
    port->credits_ = 0;
    port->filled_.store(0, std::memory_order_relaxed);
    port->head_.store(0, std::memory_order_relaxed);
    port->tail_.store(0, std::memory_order_relaxed);
    port->closed_.store(false, std::memory_order_relaxed);
    port->aborted_.store(false, std::memory_order_release);
  }
  epoch_.store(epoch, std::memory_order_release);
  return absl::OkStatus();
}

bool GrpcLink::drained() const {
  for (const auto &port : sends_)
    if (port->inFlight())
      return false;
  return true;
}

absl::Status GrpcLink::why() const {
  std::lock_guard lock(mutex_);
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
        port->started_.load(std::memory_order_relaxed) * port->spec_.bytes;
  for (const auto &port : recvs_)
    (port->spec_.control ? sum.controlBytes : sum.bytesReceived) +=
        port->released_.load(std::memory_order_relaxed) * port->spec_.bytes;
  return sum;
}

} // namespace graphc::transport
