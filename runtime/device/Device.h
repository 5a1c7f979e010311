//===- Device.h - what executes programs: memory, code, queues ----------------------*- C++ -*-===//
//
// One small interface; test/runtime/device holds ONE conformance suite, which the CPU, a simulated
// asynchronous device and a GPU behind a simulated driver pass. Its words are few enough for a GPU:
// spaces of memory, copies, segments of work that are recorded once and given again and again,
// queues of work with a count that each of them signals, code objects.
//
// The CPU does at once what it is asked for, in the host's memory: a lane on it calls kernels
// itself and needs no queue.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_DEVICE_DEVICE_H
#define GRAPHC_RUNTIME_DEVICE_DEVICE_H

#include "runtime/common/abi/KernelAbi.h"
#include "runtime/device/MemoryRegion.h"

#include "absl/status/statusor.h"
#include "absl/time/time.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace graphc::kernels {
class LibraryKernel;
struct LibraryCall;
class ThreadPool;
using Pool = ThreadPool; ///< its name in version 0.1.0
} // namespace graphc::kernels

namespace graphc::device {

/// By whom memory is touched.
enum class MemorySpace : uint8_t {
  Host, ///< the host's threads; the device's copies reach it
  /// the device alone: to the host an address is a name. One with Host unless
  /// DeviceLimits::ownMemory
  Device,
};

struct DeviceLimits {
  bool ownMemory = false; ///< what lies in MemorySpace::Device the host may not touch
  uint32_t queues = 1; ///< at most
  uint64_t memoryBytes = 0; ///< of MemorySpace::Device
};

/// A code object of a plan, and what it needs of the device.
struct CodeImage {
  std::string_view bytes;
  std::string_view target; ///< the CPU it was compiled for, where it is for one
  std::vector<std::string> features;
  std::vector<std::string> kernels = {}; ///< names by entry, "" of those that nobody calls
  /// The same code made ready for one architecture each, by its name: what a device takes instead
  /// where it is of that one.
  std::map<std::string_view, std::string_view> made = {};
};

/// What a library's kernel is made with.
struct KernelOptions {
  uint64_t scratchBytes = 0; ///< that the plan gives; less than the library needs here is an error
  kernels::ThreadPool *pool = nullptr; ///< helps on the host; outlives the kernel
  /// as LibraryKernel::algorithm told it before, of the same call; empty: the library chooses
  std::string_view algorithm;
};

/// Loaded; stays so while it lives.
class DeviceCode {
public:
  virtual ~DeviceCode() = default;
  /// Its kernels and what they take. `run` is only for a DeviceQueue where the device has memory of
  /// its own.
  virtual const GraphcKernelTable &table() const = 0;
};

/// From where to where a copy goes: from the host's memory to the device's, back, or within the
/// device's.
enum class CopyDirection : uint8_t { In, Out, Within };

/// Work that is recorded once and given to a queue at once, as often as one likes: one call of a
/// GPU's driver. It is recorded as that of several queues, 0 and up, each of which does its own in
/// order; work of two of them is ordered only where that is said. Buffers, code and library kernels
/// live as long as it does. Of one thread.
class QueueSegment {
public:
  virtual ~QueueSegment() = default;
  /// Its number among the copies, for move().
  virtual uint32_t copy(uint32_t queue, CopyDirection way, void *to, const void *from,
                        uint64_t bytes) = 0;
  virtual void launch(uint32_t queue, const DeviceCode &code, uint32_t kernel,
                      std::span<void *const> buffers) = 0;
  virtual void call(uint32_t queue, kernels::LibraryKernel &kernel,
                    std::span<void *const> buffers) = 0;
  /// All that the queue was given so far, for after().
  virtual uint32_t signal(uint32_t queue) = 0;
  /// What the queue is given from here on begins when what was signalled so is done.
  virtual void after(uint32_t queue, uint32_t signal) = 0;
  /// Nothing more is recorded. DeviceQueue::run does it where it was not done.
  virtual absl::Status prepare() = 0;
  /// Other places for a copy, of the same kinds and size: whenever the segment is given from here
  /// on.
  virtual void move(uint32_t copy, void *to, const void *from) = 0;
};

/// What is enqueued is done in its order. From one thread at a time; buffers stay as they are, and
/// segments live, until a signal behind it is reached. Nothing here blocks but wait() and the
/// destructor, which waits for all of it.
class DeviceQueue {
public:
  virtual ~DeviceQueue() = default;
  virtual void copy(void *to, const void *from, uint64_t bytes) = 0;
  /// All of a segment of the same device.
  virtual void run(QueueSegment &segment, const GraphcContext &context) = 0;
  /// The queue's count becomes n, more than before, once all that is enqueued so far is done.
  virtual void signal(uint64_t n) = 0;

  enum class Reached : uint8_t { Yes, NotYet, Failed };
  /// Yes: what was done before that signal is seen by the host and by what the host enqueues.
  /// Failed: see status().
  virtual Reached reached(uint64_t n) = 0;
  /// Returns about `timeout` later, earlier when reached(n) may have changed, at once where wakes()
  /// is no longer what is given. May wake spuriously.
  virtual void wait(uint64_t n, absl::Duration timeout, uint64_t wakes) = 0;
  /// Of the first work that failed: nothing enqueued behind it is done.
  virtual absl::Status status() const = 0;
};

/// From any thread.
class Device {
public:
  virtual ~Device() = default;
  /// "CPU:0".
  virtual const std::string &name() const = 0;
  virtual DeviceLimits limits() const = 0;
  /// Of MemorySpace::Device, what nobody has taken yet, in whatever process. All of it where nobody
  /// counts.
  virtual absl::StatusOr<uint64_t> freeMemory() { return limits().memoryBytes; }
  /// Zeroed, 64-byte aligned. `what` is for the message where there is not enough. Guards are for
  /// MemorySpace::Host.
  virtual absl::StatusOr<MemoryRegion> allocate(uint64_t bytes, MemorySpace space,
                                                MemoryRegion::Guard guard, const char *what) = 0;
  /// Host memory that somebody else has made and that queues' copies touch: it is made such that
  /// they reach it without a detour, where the device knows better and worse memory (pinned). It
  /// stays so until what is returned goes, before the memory does; null where the device makes no
  /// difference. Where this fails copies are right all the same, but may be slow and block.
  /// `access`: what this process may do to it.
  enum class Access : uint8_t { Read, ReadWrite };
  virtual absl::StatusOr<std::unique_ptr<MemoryRegion::Backing>> pin(std::span<uint8_t>, Access,
                                                                     const char * /*what*/) {
    return nullptr;
  }
  /// In MemorySpace::Host, for other processes of this host to map (MemoryRegion::share).
  virtual absl::StatusOr<MemoryRegion> share(uint64_t bytes, const char *what) = 0;
  virtual absl::StatusOr<std::unique_ptr<DeviceCode>> load(const CodeImage &image) = 0;
  /// Of a call that kernels::checkCall took, for this device's queues, and on the host for its
  /// lanes too. Here: the host's (KernelRegistry.h).
  virtual absl::StatusOr<std::unique_ptr<kernels::LibraryKernel>>
  make(const kernels::LibraryCall &call, const KernelOptions &options);
  virtual absl::StatusOr<std::unique_ptr<DeviceQueue>> makeQueue() = 0;
  virtual std::unique_ptr<QueueSegment> makeSegment() = 0;
  /// Whoever waits for one of its queues returns.
  virtual void wake() = 0;
};

using DeviceFactory =
    std::function<absl::StatusOr<std::unique_ptr<Device>>(const std::string &name)>;
/// Who makes devices of a kind (DeviceKinds.h), in this process. The host's kind is there from the
/// start; once a kind, before it is asked for.
void registerKind(std::string_view kind, DeviceFactory make);
/// The device of that name, made when it is asked for first; one a process, and to its end.
/// NotFound names the kinds that there are.
absl::StatusOr<Device *> find(const std::string &name);
/// Every wait for a queue in this process returns, and each that was given a count of wakes() from
/// before: for an abort.
void wakeAll();
uint64_t wakes();
/// The host's first: its memory is for what no program's device owns.
Device &host();
/// Copies by a queue of the device, one behind the other, and waits for all: for set-up and between
/// phases. Each is (to, from, bytes). A device that has not done so after `longest` is given up:
/// DeadlineExceeded. Its queue stays as it is, for to end it would wait, too; the memory must stay
/// until the process ends.
constexpr absl::Duration kLongestCopies = absl::Minutes(5);
struct CopyPiece {
  void *to;
  const void *from;
  uint64_t bytes;
};
absl::Status copyAll(Device &device, std::span<const CopyPiece> pieces,
                     absl::Duration longest = kLongestCopies);

// Names of version 0.1.0, for programs that have a device of their own.
using Code = DeviceCode;
using Factory = DeviceFactory;
using Limits = DeviceLimits;
using Memory = MemoryRegion;
using Queue = DeviceQueue;
using Segment = QueueSegment;
using Space = MemorySpace;
using Way = CopyDirection;

} // namespace graphc::device
#endif
