#include "runtime/transport/GrpcPorts.h"

#include "runtime/common/base/Futex.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/transport/GrpcLink.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <climits>
#include <cstring>

namespace graphc::transport {
namespace {
/// A peer on another core answers within this; longer spinning takes the core from the peer where
/// there are more lanes than cores.
constexpr absl::Duration kSpin = absl::Microseconds(5);
} // namespace

/// A waker counts first and then looks for sleepers; who goes to sleep does it the other way round.
/// So one of the two sees the other.
void WakeWord::wake() {
  word_.fetch_add(1, std::memory_order_seq_cst);
  if (sleepers_.load(std::memory_order_seq_cst) != 0)
    base::futexWake(&word_, INT_MAX, base::FutexScope::Process);
}

void WakeWord::wait(absl::Duration timeout) {
  if (timeout <= absl::ZeroDuration())
    return;
  absl::Time spinUntil = absl::Now() + std::min(kSpin, timeout);
  do {
    if (word_.load(std::memory_order_acquire) != seen_)
      return;
    base::spinHint();
  } while (absl::Now() < spinUntil);
  sleepers_.fetch_add(1, std::memory_order_seq_cst);
  if (word_.load(std::memory_order_seq_cst) == seen_)
    base::futexWait(&word_, seen_, absl::ToInt64Nanoseconds(std::min(timeout, absl::Hours(1))),
                    base::FutexScope::Process);
  sleepers_.fetch_sub(1, std::memory_order_relaxed);
}

absl::Status GrpcSendPort::status() const {
  return aborted_.load(std::memory_order_acquire) ? link_.why() : absl::OkStatus();
}
absl::Status GrpcRecvPort::status() const {
  return aborted_.load(std::memory_order_acquire) ? link_.why() : absl::OkStatus();
}

/// Of whole pages, so that a device may pin it.
static absl::StatusOr<device::MemoryRegion> pages(uint64_t bytes, const ChannelSpec &spec) {
  return device::MemoryRegion::allocate(std::max<uint64_t>(bytes, 1),
                                        device::MemoryRegion::Guard::None,
                                        absl::StrCat("channel ", spec.key.channel).c_str());
}

std::byte *GrpcSendPort::ownBuffer() {
  if (!copy_.data()) {
    absl::StatusOr<device::MemoryRegion> made = pages(spec_.bytes, spec_);
    if (!made.ok()) {
      link_.abort(made.status());
      return nullptr;
    }
    copy_ = *std::move(made);
  }
  return reinterpret_cast<std::byte *>(copy_.data());
}

/// The port's own buffer, as soon as gRPC has freed the slices of the message before.
PollState GrpcSendPort::acquire(void **data) {
  wake_.observe();
  if (closed_)
    return PollState::Closed;
  if (aborted_.load(std::memory_order_acquire))
    return PollState::Aborted;
  if (outstanding_.load(std::memory_order_acquire) != 0)
    return PollState::Pending;
  *data = ownBuffer();
  return *data ? PollState::Ready : PollState::Aborted;
}

/// Takes a credit and hands the message to the link. `outstanding_` begins with one for the queue,
/// so done() waits for that as well.
PollState GrpcSendPort::start(const void *data, uint64_t step, SendMode mode, uint64_t bytes) {
  bytes = spec_.unit ? bytes : spec_.bytes;
  wake_.observe();
  if (closed_)
    return PollState::Closed;
  if (aborted_.load(std::memory_order_acquire))
    return PollState::Aborted;
  // The lane is the only one that takes credits, so there is nothing to race with between the load
  // and the subtraction.
  if (credits_.load(std::memory_order_acquire) == 0 ||
      outstanding_.load(std::memory_order_acquire) != 0)
    return PollState::Pending;
  const bool copies = mode == SendMode::Copy && data != copy_.data();
  if (copies && !ownBuffer())
    return PollState::Aborted;
  credits_.fetch_sub(1, std::memory_order_relaxed);
  outstanding_.store(1, std::memory_order_relaxed);
  started_.fetch_add(bytes, std::memory_order_relaxed);
  // What acquire() gave is this port's own: the lane writes it again after another acquire(), which
  // waits for it.
  borrowed_ = mode == SendMode::Borrow && data != copy_.data();
  if (copies)
    data = std::memcpy(copy_.data(), data, bytes);
  link_.submit(*this, static_cast<const std::byte *>(data), bytes, step);
  return PollState::Ready;
}

/// gRPC has freed every slice. What the receiver does with its copy is no concern of the sender.
PollState GrpcSendPort::done() {
  wake_.observe();
  if (!borrowed_ || outstanding_.load(std::memory_order_acquire) == 0)
    return PollState::Ready;
  return aborted_.load(std::memory_order_acquire) ? PollState::Aborted : PollState::Pending;
}

void GrpcSendPort::close() {
  if (closed_)
    return;
  closed_ = true;
  link_.submitClose(*this);
}

// The lane may take credits meanwhile, which leaves more room than is seen here; other streams may
// bring more.
bool GrpcSendPort::addCredits(uint64_t count) {
  uint64_t free = credits_.load(std::memory_order_relaxed);
  do {
    if (count > spec_.capacity - free)
      return false;
  } while (!credits_.compare_exchange_weak(free, free + count, std::memory_order_release,
                                           std::memory_order_relaxed));
  wake_.wake();
  return true;
}

void GrpcSendPort::chunkReleased() {
  // A slice may be destroyed after its stream is gone, on a thread of gRPC's own: once nothing is
  // outstanding shutdown() may return and free the port, so the count of those in here is what goes
  // last.
  releasing_.fetch_add(1, std::memory_order_relaxed);
  if (outstanding_.fetch_sub(1, std::memory_order_acq_rel) == 1)
    wake_.wake();
  releasing_.fetch_sub(1, std::memory_order_release);
}

void GrpcSendPort::onSliceDestroyed(void *port) {
  static_cast<GrpcSendPort *>(port)->chunkReleased();
}

GrpcRecvPort::GrpcRecvPort(GrpcLink &link, ChannelSpec spec, bool large)
    : link_(link), spec_(spec), large_(large),
      stride_((std::max<uint64_t>(spec.bytes, 1) + 63) / 64 * 64),
      sizes_(spec.unit ? new std::atomic<uint64_t>[spec.capacity]() : nullptr),
      chunks_(large ? chunks() * spec.capacity : 0, Chunk::Missing) {}

absl::Status GrpcRecvPort::makeRing() {
  GRAPHC_ASSIGN_OR_RETURN(ring_, pages(stride_ * spec_.capacity, spec_));
  return absl::OkStatus();
}

PollState GrpcRecvPort::poll(const void **data) {
  uint64_t there;
  return look(data, UINT64_MAX, &there);
}

PollState GrpcRecvPort::pollStart(const void **data, uint64_t known, uint64_t *there) {
  return look(data, known + 1, there);
}

/// On the lane's thread. The oldest message is Ready whole, or from `least` bytes on.
PollState GrpcRecvPort::look(const void **data, uint64_t least, uint64_t *there) {
  wake_.observe();
  // Either the reading thread sees this and wakes the lane for a part, or the lane sees the part:
  // both sides store theirs before they load the other's, sequentially consistent.
  if (bool starts = least != UINT64_MAX; starts != takesStarts_.load(std::memory_order_relaxed))
    takesStarts_.store(starts, std::memory_order_seq_cst);
  bool aborted = aborted_.load(std::memory_order_acquire);
  uint64_t tail = tail_.load(std::memory_order_relaxed);
  bool whole = head_.load(std::memory_order_acquire) != tail;
  *there = whole ? sizeOf(tail) : filled_.load(std::memory_order_seq_cst);
  if (whole || *there >= least) {
    *data = slot(tail);
    return PollState::Ready;
  }
  if (aborted)
    return PollState::Aborted;
  return end_.load(std::memory_order_acquire) == tail ? PollState::Closed : PollState::Pending;
}

/// The slot is free from here on: the link sends the credit.
void GrpcRecvPort::release() {
  released_.fetch_add(sizeOf(tail_.load(std::memory_order_relaxed)), std::memory_order_relaxed);
  tail_.fetch_add(1, std::memory_order_release);
  link_.submitCredit(*this);
}

bool GrpcRecvPort::fits(const FrameHeader &header, bool isFirst) const {
  // of 32 bits and a channel's bytes at most
  const uint64_t bytes = spec_.unit ? header.units * spec_.unit : spec_.bytes;
  if (!spec_.unit ? header.units != 0 : header.units > spec_.bytes / spec_.unit)
    return false;
  return (isFirst || bytes == sizeOf(header.seq)) && header.offset <= bytes &&
         header.length <= bytes - header.offset && (header.length != 0 || bytes == 0);
}

/// Small messages are read by one thread, in order: a frame fits only where the one before it
/// ended. Chunks of large ones come on any stream: one fits if its slot is free and nobody else is
/// writing that chunk, which is marked.
bool GrpcRecvPort::begin(const FrameHeader &header) {
  auto isFree = [&] {
    return header.seq - tail_.load(std::memory_order_acquire) < spec_.capacity &&
           header.seq < end_.load(std::memory_order_relaxed);
  };
  auto note = [&](bool isFirst) {
    if (isFirst && spec_.unit)
      sizes_[header.seq % spec_.capacity].store(header.units * spec_.unit,
                                                std::memory_order_relaxed);
    return true;
  };
  if (!large_) {
    const uint64_t filled = filled_.load(std::memory_order_relaxed);
    return isFree() && header.seq == head_.load(std::memory_order_relaxed) &&
           header.offset == filled && fits(header, filled == 0) && note(filled == 0);
  }
  base::MutexLock lock(chunkMutex_);
  const uint64_t head = head_.load(std::memory_order_relaxed),
                 filled = filled_.load(std::memory_order_relaxed);
  const bool ahead = header.seq > head || (header.seq == head && header.offset >= filled);
  if (!isFree() || !ahead || header.offset % kMaxChunk != 0)
    return false;
  // Of the message under way what is counted is no longer marked.
  const bool isFirst = (header.seq != head || filled == 0) && !hasBegun(header.seq);
  if (!fits(header, isFirst) || header.offset / kMaxChunk >= chunks() ||
      chunk(header.seq, header.offset) != Chunk::Missing)
    return false;
  note(isFirst);
  if (header.length != std::min(sizeOf(header.seq) - header.offset, kMaxChunk))
    return false;
  chunk(header.seq, header.offset) = Chunk::Arriving;
  return true;
}

/// The payload is there. Of a large message, whoever closes the first gap counts all chunks that
/// are there behind it.
void GrpcRecvPort::arrived(const FrameHeader &header) {
  if (!large_)
    return advance(header.seq, header.offset + header.length);
  base::MutexLock lock(chunkMutex_);
  chunk(header.seq, header.offset) = Chunk::There;
  uint64_t head = head_.load(std::memory_order_relaxed);
  uint64_t filled = filled_.load(std::memory_order_relaxed);
  while (chunk(head, filled) == Chunk::There) { // from where all before is there
    chunk(head, filled) = Chunk::Missing;
    const uint64_t bytes = sizeOf(head);
    filled = std::min(filled + kMaxChunk, bytes);
    advance(head, filled);
    if (filled == bytes) {
      ++head;
      filled = 0;
    }
  }
}

/// The sender has closed the channel. On another stream chunks of messages before `seq` may still
/// be on their way, but of none from `seq` on can one be here.
bool GrpcRecvPort::end(uint64_t seq) {
  auto endAt = [&] {
    const uint64_t head = head_.load(std::memory_order_relaxed);
    if (end_.load(std::memory_order_relaxed) != kOpen || seq < head || (!large_ && seq != head) ||
        (seq == head && filled_.load(std::memory_order_relaxed) != 0))
      return false;
    end_.store(seq, std::memory_order_release);
    wake_.wake();
    return true;
  };
  if (!large_)
    return endAt();
  base::MutexLock lock(chunkMutex_);
  const uint64_t tail = tail_.load(std::memory_order_acquire);
  if (seq - tail > spec_.capacity)
    return false;
  for (uint64_t later = seq; later - tail < spec_.capacity; ++later)
    for (uint64_t offset = 0; offset < spec_.bytes; offset += kMaxChunk)
      if (chunk(later, offset) != Chunk::Missing)
        return false;
  return endAt();
}

std::string GrpcRecvPort::expects() const {
  const uint64_t head = head_.load(std::memory_order_relaxed),
                 filled = filled_.load(std::memory_order_relaxed);
  return absl::StrCat(
      "byte ", filled, " of message ", head,
      large_ ? absl::StrCat(" or a later chunk of ", kMaxChunk, " that has not come yet") : "",
      " (",
      spec_.unit ? absl::StrCat("at most ", spec_.bytes / spec_.unit, " times ", spec_.unit)
                 : absl::StrCat(spec_.bytes),
      " bytes each, capacity ", spec_.capacity, ")");
}

void GrpcRecvPort::reset() {
  filled_.store(0, std::memory_order_relaxed);
  head_.store(0, std::memory_order_relaxed);
  tail_.store(0, std::memory_order_relaxed);
  end_.store(kOpen, std::memory_order_relaxed);
  aborted_.store(false, std::memory_order_release);
  base::MutexLock lock(chunkMutex_);
  std::fill(chunks_.begin(), chunks_.end(), Chunk::Missing);
}

void GrpcRecvPort::advance(uint64_t head, uint64_t filled) {
  if (filled == sizeOf(head)) {
    filled_.store(0, std::memory_order_relaxed);
    head_.store(head + 1, std::memory_order_release);
    wake_.wake();
  } else {
    filled_.store(filled, std::memory_order_seq_cst);
    if (takesStarts_.load(std::memory_order_seq_cst))
      wake_.wake();
  }
}

} // namespace graphc::transport
