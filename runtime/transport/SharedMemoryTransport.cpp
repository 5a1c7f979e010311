//===- SharedMemoryTransport.cpp - segments by peer, the thread that hands them out -----------===//

#include "runtime/transport/SharedMemoryTransport.h"

#include "runtime/common/base/Mutex.h"
#include "runtime/common/base/Sha256.h"
#include "runtime/common/base/Socket.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/transport/PortTable.h"
#include "runtime/transport/SegmentAcceptor.h"
#include "runtime/transport/SegmentHandshake.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <utility>

namespace graphc::transport {
namespace {

/// Channels in ascending order of key, rings end to end: both sides compute the same offsets.
void sortSpecs(std::vector<ChannelSpec> &specs) {
  std::sort(specs.begin(), specs.end(),
            [](const ChannelSpec &a, const ChannelSpec &b) { return a.key < b.key; });
}

/// Every peer listens before any is told to connect.
constexpr absl::Duration kFind = absl::Seconds(20);

uint64_t wholePages(uint64_t bytes) { return (bytes + 4095) / 4096 * 4096; }

uint64_t segmentBytes(const std::vector<ChannelSpec> &specs) {
  uint64_t bytes = 0;
  for (const ChannelSpec &spec : specs)
    bytes += ringBytes(spec);
  return wholePages(bytes);
}

uint64_t layoutHash(const std::vector<ChannelSpec> &specs) {
  std::string text;
  for (const ChannelSpec &spec : specs)
    absl::StrAppend(&text, spec.key.channel, ".", spec.key.instance, ":", spec.bytes, "x",
                    spec.capacity, spec.zeroCopy ? "p" : "", spec.gathered ? "g\n" : "\n");
  base::Sha256Digest digest = base::sha256(text);
  uint64_t hash;
  memcpy(&hash, digest.data(), sizeof hash);
  return hash;
}

class Mapping {
public:
  Mapping() = default;
  Mapping(Mapping &&other) noexcept
      : base_(std::exchange(other.base_, nullptr)), bytes_(other.bytes_),
        writable_(other.writable_) {}
  Mapping &operator=(Mapping &&other) noexcept {
    std::swap(base_, other.base_);
    std::swap(bytes_, other.bytes_);
    std::swap(writable_, other.writable_);
    return *this;
  }
  ~Mapping() {
    if (base_)
      ::munmap(base_, bytes_);
  }
  static absl::StatusOr<Mapping> map(int fd, uint64_t bytes,
                                     int protection = PROT_READ | PROT_WRITE) {
    Mapping mapping;
    void *base = ::mmap(nullptr, bytes, protection, MAP_SHARED, fd, 0);
    if (base == MAP_FAILED)
      return base::errnoStatus(absl::StrCat("mapping ", bytes, " bytes of shared memory"), errno);
    mapping.base_ = static_cast<uint8_t *>(base);
    mapping.bytes_ = bytes;
    mapping.writable_ = protection & PROT_WRITE;
    if (bytes >= (uint64_t(4) << 20))
      ::madvise(base, bytes, MADV_HUGEPAGE);
    return mapping;
  }
  uint8_t *data() const { return base_; }
  ZeroCopyView view() const { return {base_, bytes_}; }
  MessageMemory memory() const { return {{base_, bytes_}, writable_}; }

private:
  uint8_t *base_ = nullptr;
  uint64_t bytes_ = 0;
  bool writable_ = true;
};

class SharedMemoryImpl final : public SharedMemoryTransport {
public:
  SharedMemoryImpl(SharedMemoryOptions given, base::UniqueFd socket)
      : options_(std::move(given)), listener_(std::move(socket)) {}
  absl::Status listen();

  void setPath(const std::string &task, const std::string &path) override {
    for (SharedMemoryPeer &peer : options_.peers)
      if (peer.task == task)
        peer.path = path;
  }
  absl::Status connect(absl::Time deadline) override;
  SendPort *sender(ChannelKey key) override { return ports_.sender(key); }
  RecvPort *receiver(ChannelKey key) override { return ports_.receiver(key); }
  TransportCounters counters() const override {
    base::MutexLock lock(mutex_);
    return ports_.counters();
  }
  std::vector<MessageMemory> memory() override {
    base::MutexLock lock(mutex_);
    std::vector<MessageMemory> all;
    for (const Mapping &mapping : mappings_)
      all.push_back(mapping.memory());
    return all;
  }
  absl::Status status() const override { return ports_.abortState().status(); }
  void abort(absl::Status why) override {
    base::MutexLock lock(mutex_);
    ports_.abort(std::move(why));
    arrived_.notifyAll();
  }
  void wake() override {
    base::MutexLock lock(mutex_);
    ports_.wake();
  }
  absl::Status reset(uint64_t generation) override {
    ports_.reset(generation);
    return absl::OkStatus();
  }

private:
  struct Segment {
    std::string peer;
    base::UniqueFd fd; // closed once the peer has it
    uint64_t layout = 0;
    std::vector<ChannelKey> zeroCopy; // its channels that are
    Mapping ofPeer; // in which these are read; until it has taken the segment
    bool taken = false;
  };
  absl::StatusOr<detail::SegmentAcceptor::Host::Memory> give(const detail::Request &request);
  bool connected(const detail::Request &request);
  absl::StatusOr<Segment *> segmentOf(const detail::Hello &hello)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status mapZeroCopy(Segment &segment, const detail::Request &request)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status attach(const SharedMemoryPeer &peer, const detail::SharedSegment &segment);
  absl::Status makeArrivalCounters() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::string missing() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_); // peers that have not come

  SharedMemoryOptions options_;
  // of rings, and of what peers send zero-copy
  std::vector<Mapping> mappings_ ABSL_GUARDED_BY(mutex_);
  std::vector<Mapping> counterMappings_ ABSL_GUARDED_BY(mutex_);
  PortTable ports_; // connect() adds senders under `mutex_`; complete before a lane runs
  base::UniqueFd listener_; // until the acceptor has it
  mutable base::Mutex mutex_;
  base::CondVar arrived_;
  std::vector<Segment> segments_ ABSL_GUARDED_BY(mutex_); // incoming
  base::UniqueFd arrivalsFd_; // of this task as a receiver; empty where nothing is gathered
  uint32_t arrivalCounters_ = 0; // one a channel of the plan up to the last that is gathered
  std::unique_ptr<detail::SegmentAcceptor> acceptor_; // last: its thread calls this
};

/// The receiving side: for each peer that sends here a memfd with the rings of its channels, then
/// the arrival counters, then the acceptor, which hands both out to peers that ask.
absl::Status SharedMemoryImpl::listen() {
  base::MutexLock lock(mutex_);
  for (SharedMemoryPeer &peer : options_.peers) {
    if (peer.task.size() >= 128 || options_.self.size() >= 128)
      return absl::InvalidArgumentError(absl::StrCat("the task name ", peer.task, " is too long"));
    sortSpecs(peer.incoming);
    sortSpecs(peer.outgoing);
    if (peer.incoming.empty())
      continue;
    Segment segment;
    segment.peer = peer.task;
    segment.layout = layoutHash(peer.incoming);
    uint64_t bytes = segmentBytes(peer.incoming);
    GRAPHC_ASSIGN_OR_RETURN(segment.fd, detail::makeSegment(bytes));
    GRAPHC_ASSIGN_OR_RETURN(Mapping mapping, Mapping::map(segment.fd.get(), bytes));
    uint8_t *at = mapping.data();
    for (const ChannelSpec &spec : peer.incoming) {
      if (!ports_.addReceiver(spec, reinterpret_cast<RingMemory *>(at), base::FutexScope::Shared,
                              peer.task))
        return absl::InvalidArgumentError(
            absl::StrCat("channel ", spec.key.channel, " comes from two peers"));
      if (spec.zeroCopy)
        segment.zeroCopy.push_back(spec.key);
      at += ringBytes(spec);
    }
    mappings_.push_back(std::move(mapping));
    segments_.push_back(std::move(segment));
  }
  GRAPHC_RETURN_IF_ERROR(makeArrivalCounters());
  ports_.reset(0);
  if (segments_.empty())
    return absl::OkStatus();
  if (!listener_)
    return absl::InvalidArgumentError(
        "peers send here, and there is no socket for them to come to");
  GRAPHC_ASSIGN_OR_RETURN(
      acceptor_, detail::SegmentAcceptor::start(
                     std::move(listener_),
                     {[this](const detail::Request &request) { return give(request); },
                      [this](const detail::Request &request) { return connected(request); }}));
  return absl::OkStatus();
}

/// One memfd with a counter for each channel whose messages are waited for together. Every sender
/// of such a channel gets it.
absl::Status SharedMemoryImpl::makeArrivalCounters() {
  for (const SharedMemoryPeer &peer : options_.peers)
    for (const ChannelSpec &spec : peer.incoming)
      if (spec.gathered)
        arrivalCounters_ = std::max(arrivalCounters_, spec.key.channel + 1);
  if (arrivalCounters_ == 0)
    return absl::OkStatus();
  GRAPHC_ASSIGN_OR_RETURN(
      arrivalsFd_, detail::makeSegment(wholePages(arrivalCounters_ * sizeof(ArrivalCounter))));
  GRAPHC_ASSIGN_OR_RETURN(
      Mapping mapping, Mapping::map(arrivalsFd_.get(), arrivalCounters_ * sizeof(ArrivalCounter)));
  for (const SharedMemoryPeer &peer : options_.peers)
    for (const ChannelSpec &spec : peer.incoming)
      if (spec.gathered)
        ports_.gather(spec.key,
                      reinterpret_cast<ArrivalCounter *>(mapping.data()) + spec.key.channel);
  counterMappings_.push_back(std::move(mapping));
  return absl::OkStatus();
}

/// Of the caller: it is of this run and this plan, it means this task, it knows the same channels,
/// and it has not come before.
absl::StatusOr<SharedMemoryImpl::Segment *>
SharedMemoryImpl::segmentOf(const detail::Hello &hello) {
  detail::Hello expected =
      detail::makeHello(options_.run, options_.fingerprint, hello.from, options_.self);
  if (memcmp(hello.run, expected.run, sizeof hello.run) != 0)
    return absl::FailedPreconditionError("it is of another run");
  if (memcmp(hello.fingerprint, expected.fingerprint, sizeof hello.fingerprint) != 0)
    return absl::FailedPreconditionError(
        absl::StrCat("another plan: ours is ", options_.fingerprint.substr(0, 16), ", yours ",
                     std::string(hello.fingerprint, 16)));
  if (strcmp(hello.to, expected.to) != 0)
    return absl::InvalidArgumentError(absl::StrCat("this is ", options_.self, ", not ", hello.to));
  for (Segment &candidate : segments_)
    if (candidate.peer == hello.from) {
      if (candidate.taken)
        return absl::AlreadyExistsError(absl::StrCat(hello.from, " is connected already"));
      if (candidate.layout != hello.layout)
        return absl::FailedPreconditionError("the two sides know different channels");
      return &candidate;
    }
  return absl::NotFoundError(absl::StrCat("no channel comes from ", hello.from));
}

/// What the caller sends zero-copy stays in its own memory, whose memfd came with the request. The
/// receivers of those channels read it there, through a mapping that nobody here can write.
absl::Status SharedMemoryImpl::mapZeroCopy(Segment &segment, const detail::Request &request) {
  if (segment.zeroCopy.empty())
    return absl::OkStatus();
  uint64_t bytes = request.hello.zeroCopyBytes;
  if (!bytes || !request.zeroCopy)
    return absl::InvalidArgumentError("a channel is zero-copy, but no memory came to read it in");
  GRAPHC_RETURN_IF_ERROR(detail::checkSegment(request.zeroCopy.get(), bytes, segment.peer));
  GRAPHC_ASSIGN_OR_RETURN(segment.ofPeer, Mapping::map(request.zeroCopy.get(), bytes, PROT_READ));
  return absl::OkStatus();
}

/// On the acceptor's thread. The caller has the memory once it says so; until then it may ask
/// again.
absl::StatusOr<detail::SegmentAcceptor::Host::Memory>
SharedMemoryImpl::give(const detail::Request &request) {
  base::MutexLock lock(mutex_);
  GRAPHC_ASSIGN_OR_RETURN(Segment * segment, segmentOf(request.hello));
  GRAPHC_RETURN_IF_ERROR(mapZeroCopy(*segment, request));
  return detail::SegmentAcceptor::Host::Memory{segment->fd.get(), arrivalsFd_.get(),
                                               arrivalCounters_};
}

bool SharedMemoryImpl::connected(const detail::Request &request) {
  base::MutexLock lock(mutex_);
  for (Segment &segment : segments_)
    if (segment.peer == request.hello.from) {
      segment.taken = true;
      segment.fd.reset();
      for (ChannelKey key : segment.zeroCopy)
        ports_.mapZeroCopy(key, segment.ofPeer.view());
      if (!segment.zeroCopy.empty())
        mappings_.push_back(std::move(segment.ofPeer));
    }
  arrived_.notifyAll();
  return missing().empty();
}

/// The sending side, once `peer` has given its memory. Both sides have sorted the channels in one
/// way, so each ring is found where the receiver has put it.
absl::Status SharedMemoryImpl::attach(const SharedMemoryPeer &peer,
                                      const detail::SharedSegment &segment) {
  uint64_t bytes = segmentBytes(peer.outgoing),
           arrivalBytes = segment.arrivalCounters * sizeof(ArrivalCounter);
  GRAPHC_RETURN_IF_ERROR(detail::checkSegment(segment.channels.get(), bytes, peer.task));
  GRAPHC_ASSIGN_OR_RETURN(Mapping mapping, Mapping::map(segment.channels.get(), bytes));
  Mapping arrivals;
  if (arrivalBytes) {
    GRAPHC_RETURN_IF_ERROR(detail::checkSegment(segment.arrivals.get(), arrivalBytes, peer.task));
    GRAPHC_ASSIGN_OR_RETURN(arrivals, Mapping::map(segment.arrivals.get(), arrivalBytes));
  }
  uint8_t *at = mapping.data();
  base::MutexLock lock(mutex_);
  for (const ChannelSpec &spec : peer.outgoing) {
    auto *ring = reinterpret_cast<RingMemory *>(at);
    if (!ports_.addSender(spec, ring, base::FutexScope::Shared, peer.task))
      return absl::InvalidArgumentError(
          absl::StrCat("channel ", spec.key.channel, " goes to two peers"));
    if (spec.zeroCopy)
      ports_.setZeroCopy(spec.key, {options_.zeroCopy, options_.zeroCopyBytes});
    if (spec.gathered) {
      if (spec.key.channel >= segment.arrivalCounters)
        return absl::DataLossError(
            absl::StrCat(peer.task, " has no arrival counter for channel ", spec.key.channel));
      ports_.tell(spec.key, reinterpret_cast<ArrivalCounter *>(arrivals.data()) + spec.key.channel);
    }
    at += ringBytes(spec);
  }
  mappings_.push_back(std::move(mapping));
  if (arrivalBytes)
    counterMappings_.push_back(std::move(arrivals));
  return absl::OkStatus();
}

std::string SharedMemoryImpl::missing() {
  std::vector<std::string> names;
  for (const Segment &segment : segments_)
    if (!segment.taken)
      names.push_back(segment.peer);
  return absl::StrJoin(names, ", ");
}

/// On the session's thread, when every task listens. First this task asks each peer to which it
/// sends for that peer's memory, again while the peer is not ready. Then it waits until each peer
/// that sends here has asked. An abort ends both.
absl::Status SharedMemoryImpl::connect(absl::Time deadline) {
  for (const SharedMemoryPeer &peer : options_.peers) {
    if (peer.outgoing.empty())
      continue;
    detail::Hello hello =
        detail::makeHello(options_.run, options_.fingerprint, options_.self, peer.task);
    hello.layout = layoutHash(peer.outgoing);
    bool sendsZeroCopy = std::any_of(peer.outgoing.begin(), peer.outgoing.end(),
                                     [](const ChannelSpec &spec) { return spec.zeroCopy; });
    hello.zeroCopyBytes = sendsZeroCopy ? options_.zeroCopyBytes : 0;
    const absl::Time found = std::min(deadline, absl::Now() + kFind);
    for (absl::Duration pause = absl::Microseconds(200);;
         pause = std::min(pause * 2, absl::Milliseconds(20))) {
      absl::StatusOr<detail::SharedSegment> segment =
          detail::requestSegment(peer.path, hello, sendsZeroCopy ? options_.zeroCopyFd : -1);
      if (segment.ok()) {
        GRAPHC_RETURN_IF_ERROR(attach(peer, *segment));
        break;
      }
      if (!absl::IsUnavailable(segment.status()))
        return segment.status();
      GRAPHC_RETURN_IF_ERROR(status());
      if (absl::Now() + pause > found)
        return absl::DeadlineExceededError(
            absl::StrCat(options_.self, " waited for the shared memory of ", peer.task, ": ",
                         base::describe(segment.status()),
                         "; if it is in another container, use --transport=grpc"));
      base::MutexLock lock(mutex_);
      arrived_.waitFor(mutex_, pause);
    }
  }
  base::MutexLock lock(mutex_);
  while (!missing().empty()) {
    if (ports_.abortState().isAborted())
      return ports_.abortState().status();
    arrived_.waitUntil(mutex_, deadline);
    if (absl::Now() >= deadline && !missing().empty())
      return absl::DeadlineExceededError(absl::StrCat(options_.self, " waited for ", missing(),
                                                      " to connect to its shared memory"));
  }
  return absl::OkStatus();
}

} // namespace

absl::StatusOr<std::unique_ptr<SharedMemoryTransport>>
SharedMemoryTransport::listen(SharedMemoryOptions options, base::UniqueFd listener) {
  auto transport = std::make_unique<SharedMemoryImpl>(std::move(options), std::move(listener));
  GRAPHC_RETURN_IF_ERROR(transport->listen());
  return transport;
}

} // namespace graphc::transport
