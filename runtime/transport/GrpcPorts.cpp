#include "runtime/transport/GrpcPorts.h"

#include "runtime/base/Futex.h"
#include "runtime/transport/GrpcLink.h"

#include <algorithm>
#include <climits>
#include <cstring>

namespace graphc::transport {
namespace {
/// A peer on another core answers within this; longer spinning takes the core from the peer where there are more lanes than
/// cores.
constexpr absl::Duration kSpin = absl::Microseconds(5);
} // namespace

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

std::byte *GrpcSendPort::ownBuffer() {
  if (!copy_)
    copy_.reset(static_cast<std::byte *>(std::aligned_alloc(64, (std::max<uint64_t>(spec_.bytes, 1) + 63) / 64 * 64)));
  return copy_.get();
}

PollState GrpcSendPort::acquire(void **data) {
  wake_.observe();
  if (closed_)
    return PollState::Closed;
  if (aborted_.load(std::memory_order_acquire))
    return PollState::Aborted;
  if (outstanding_.load(std::memory_order_acquire) != 0)
    return PollState::Pending;
  *data = ownBuffer();
  return PollState::Ready;
}

PollState GrpcSendPort::start(const void *data, uint64_t step, SendMode mode) {
  wake_.observe();
  if (closed_)
    return PollState::Closed;
  if (aborted_.load(std::memory_order_acquire))
    return PollState::Aborted;
  // The lane is the only one that takes credits, so there is nothing to race with between the load and the subtraction.
  if (credits_.load(std::memory_order_acquire) == 0 || outstanding_.load(std::memory_order_acquire) != 0)
    return PollState::Pending;
  credits_.fetch_sub(1, std::memory_order_relaxed);
  outstanding_.store(1, std::memory_order_relaxed);
  started_.fetch_add(1, std::memory_order_relaxed);
  // What acquire() gave is this port's own: the lane writes it again after another acquire(), which waits for it.
  borrowed_ = mode == SendMode::Borrow && data != copy_.get();
  if (mode == SendMode::Copy && data != copy_.get())
    data = std::memcpy(ownBuffer(), data, spec_.bytes);
  link_.submit(*this, static_cast<const std::byte *>(data), step);
  return PollState::Ready;
}

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

// The lane may take credits meanwhile, which leaves more room than is seen here.
bool GrpcSendPort::addCredits(uint64_t count) {
  if (count > spec_.capacity - credits_.load(std::memory_order_relaxed))
    return false;
  credits_.fetch_add(count, std::memory_order_release);
  wake_.wake();
  return true;
}

void GrpcSendPort::chunkReleased() {
  // A slice may be destroyed after its stream is gone, on a thread of gRPC's own: once nothing is outstanding shutdown()
  // may return and free the port, so the count of those in here is what goes last.
  releasing_.fetch_add(1, std::memory_order_relaxed);
  if (outstanding_.fetch_sub(1, std::memory_order_acq_rel) == 1)
    wake_.wake();
  releasing_.fetch_sub(1, std::memory_order_release);
}

void GrpcSendPort::onSliceDestroyed(void *port) { static_cast<GrpcSendPort *>(port)->chunkReleased(); }

GrpcRecvPort::GrpcRecvPort(GrpcLink &link, ChannelSpec spec)
    : link_(link), spec_(spec), stride_((std::max<uint64_t>(spec.bytes, 1) + 63) / 64 * 64),
      ring_(static_cast<std::byte *>(std::aligned_alloc(64, stride_ * spec.capacity))) {}

PollState GrpcRecvPort::poll(const void **data) {
  uint64_t there;
  return look(data, UINT64_MAX, &there);
}

PollState GrpcRecvPort::pollStart(const void **data, uint64_t known, uint64_t *there) {
  return look(data, known + 1, there);
}

PollState GrpcRecvPort::look(const void **data, uint64_t least, uint64_t *there) {
  wake_.observe();
  // Either the reading thread sees this and wakes the lane for a part, or the lane sees the part: both sides store theirs
  // before they load the other's, sequentially consistent.
  if (bool starts = least != UINT64_MAX; starts != takesStarts_.load(std::memory_order_relaxed))
    takesStarts_.store(starts, std::memory_order_seq_cst);
  // `closed_` is read before `head_`: a message that came before the close is then certainly seen.
  bool closed = closed_.load(std::memory_order_acquire);
  bool aborted = aborted_.load(std::memory_order_acquire);
  uint64_t tail = tail_.load(std::memory_order_relaxed);
  bool whole = head_.load(std::memory_order_acquire) != tail;
  *there = whole ? spec_.bytes : filled_.load(std::memory_order_seq_cst);
  if (whole || *there >= least) {
    *data = slot(tail);
    return PollState::Ready;
  }
  if (aborted)
    return PollState::Aborted;
  return closed ? PollState::Closed : PollState::Pending;
}

void GrpcRecvPort::release() {
  tail_.fetch_add(1, std::memory_order_release);
  released_.fetch_add(1, std::memory_order_relaxed);
  link_.submitCredit(*this);
}

} // namespace graphc::transport
