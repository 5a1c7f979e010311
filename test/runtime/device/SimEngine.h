//===- SimEngine.h - what a device that is simulated on the CPU is made of ----------*- C++ -*-===//
//
// Memory with two views: the host's may not be touched, the device's own threads use the other.
// Queues whose work is done as late as what was asked for allows, by one thread, in an order that a
// seed decides.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_TEST_RUNTIME_DEVICE_SIMENGINE_H
#define GRAPHC_TEST_RUNTIME_DEVICE_SIMENGINE_H

#include "runtime/common/base/Mutex.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/device/Device.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <random>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

namespace graphc::device::sim {

/// Both views of the device's memory. Pages that were given back stay, so that no address means two
/// things.
class Pages {
public:
  ~Pages() {
    for (auto &[host, piece] : pieces_) {
      ::munmap(host, piece.bytes);
      ::munmap(piece.own, piece.bytes);
    }
  }

  absl::StatusOr<uint8_t *> add(uint64_t bytes, const char *what) {
    const uint64_t page = uint64_t(::sysconf(_SC_PAGESIZE)),
                   total = std::max((bytes + page - 1) / page * page, page);
    const int fd = ::memfd_create("graphc-sim", MFD_CLOEXEC);
    if (fd < 0 || ::ftruncate(fd, off_t(total)) != 0)
      return base::errnoStatus(absl::StrCat(what, ": memfd"), errno);
    void *host = ::mmap(nullptr, total, PROT_NONE, MAP_SHARED, fd, 0);
    void *own = ::mmap(nullptr, total, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    ::close(fd);
    if (host == MAP_FAILED || own == MAP_FAILED)
      return base::errnoStatus(absl::StrCat(what, ": mmap"), errno);
    base::MutexLock lock(mutex_);
    pieces_[static_cast<uint8_t *>(host)] = {static_cast<uint8_t *>(own), total, bytes};
    return static_cast<uint8_t *>(host);
  }

  void giveBack(uint8_t *host) {
    base::MutexLock lock(mutex_);
    memset(pieces_.at(host).own, 0xff, pieces_.at(host).bytes); // a NaN of every float type
    pieces_.at(host).gone = true;
  }

  /// Where the device reads and writes what the host calls so.
  void *ownAddress(const void *address) {
    base::MutexLock lock(mutex_);
    auto *at = static_cast<uint8_t *>(const_cast<void *>(address));
    auto piece = pieces_.upper_bound(at);
    if (piece == pieces_.begin())
      return at;
    --piece;
    const uint64_t offset = uint64_t(at - piece->first);
    return offset < piece->second.bytes ? piece->second.own + offset : at;
  }

  /// The same of `bytes` that lie in one allocation; null where they do not.
  uint8_t *find(uint64_t address, uint64_t bytes) {
    base::MutexLock lock(mutex_);
    auto *at = reinterpret_cast<uint8_t *>(uintptr_t(address));
    auto piece = pieces_.upper_bound(at);
    if (piece == pieces_.begin())
      return nullptr;
    --piece;
    const uint64_t offset = uint64_t(at - piece->first);
    const bool inside = !piece->second.gone && offset <= piece->second.asked &&
                        bytes <= piece->second.asked - offset;
    return inside ? piece->second.own + offset : nullptr;
  }

private:
  struct Piece {
    uint8_t *own;
    uint64_t bytes; ///< whole pages
    uint64_t asked;
    bool gone = false;
  };
  base::Mutex mutex_;
  std::map<uint8_t *, Piece> pieces_ ABSL_GUARDED_BY(mutex_); // by the host's address
};

/// Does work 0, 1, … each once all that it comes `after` is done, else in an order that `random`
/// draws. The first failure ends it.
template <typename Run>
absl::Status runInSomeOrder(const std::vector<std::vector<uint32_t>> &after,
                            std::mt19937_64 &random, const Run &run) {
  std::vector<std::vector<uint32_t>> next(after.size());
  std::vector<size_t> missing;
  std::vector<uint32_t> able;
  for (uint32_t i = 0; i < after.size(); ++i) {
    for (uint32_t before : after[i])
      next[before].push_back(i);
    missing.push_back(after[i].size());
    if (after[i].empty())
      able.push_back(i);
  }
  while (!able.empty()) {
    std::swap(able[random() % able.size()], able.back());
    const uint32_t i = able.back();
    able.pop_back();
    GRAPHC_RETURN_IF_ERROR(run(i));
    for (uint32_t later : next[i])
      if (--missing[later] == 0)
        able.push_back(later);
  }
  return absl::OkStatus();
}

struct QueueState;

/// One piece of work. `run`: what it does; none: a signal, or a wait for another queue.
struct Work {
  std::function<absl::Status()> run;
  uint64_t count = 0;
  std::shared_ptr<QueueState> other;
};

struct QueueState {
  std::deque<Work> work;
  uint64_t count = 0, wanted = 0;
  bool ended = false; // nothing more will be enqueued, or done
  absl::Status failure;
  bool isWanted() const { return failure.ok() && !work.empty() && count < wanted; }
};

/// The device's thread and all its queues.
class Engine {
public:
  explicit Engine(uint64_t seed) : random_(seed), thread_([this] { loop(); }) {}
  ~Engine() {
    {
      base::MutexLock lock(mutex_);
      ending_ = true;
    }
    changed_.notifyAll();
    thread_.join();
  }

  void add(const std::shared_ptr<QueueState> &queue) {
    base::MutexLock lock(mutex_);
    queues_.push_back(queue);
  }
  void enqueue(QueueState &queue, Work work) {
    base::MutexLock lock(mutex_);
    queue.work.push_back(std::move(work));
  }
  DeviceQueue::Reached reached(QueueState &queue, uint64_t n) {
    base::MutexLock lock(mutex_);
    return want(queue, n);
  }
  /// Not when `ended`, which wake() has looked at.
  void wait(QueueState &queue, uint64_t n, absl::Duration timeout,
            const std::function<bool()> &ended = {}) {
    base::MutexLock lock(mutex_);
    if (want(queue, n) == DeviceQueue::Reached::NotYet)
      changed_.waitFor(mutex_, timeout, [&] {
        return queue.count >= n || !queue.failure.ok() || (ended && ended());
      });
  }
  void wake() {
    base::MutexLock lock(mutex_);
    changed_.notifyAll();
  }
  /// For a queue that nobody adds: it has counted so far.
  void count(QueueState &queue, uint64_t n) {
    base::MutexLock lock(mutex_);
    queue.count = n;
    changed_.notifyAll();
  }
  absl::Status status(const QueueState &queue) {
    base::MutexLock lock(mutex_);
    return queue.failure;
  }
  /// All of the queue is done, or never will be.
  void drain(const std::shared_ptr<QueueState> &queue) {
    base::MutexLock lock(mutex_);
    queue->wanted = UINT64_MAX;
    changed_.notifyAll();
    while (queue->isWanted())
      changed_.wait(mutex_);
    queue->ended = true;
    std::erase(queues_, queue);
    changed_.notifyAll(); // who waits for it learns that it is in vain
  }

private:
  DeviceQueue::Reached want(QueueState &queue, uint64_t n) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (queue.count >= n)
      return DeviceQueue::Reached::Yes;
    if (!queue.failure.ok())
      return DeviceQueue::Reached::Failed;
    queue.wanted = std::max(queue.wanted, n);
    changed_.notifyAll();
    return DeviceQueue::Reached::NotYet;
  }

  /// A queue whose first work can be done and is asked for, drawn from all such.
  std::shared_ptr<QueueState> next() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    std::vector<std::shared_ptr<QueueState>> able;
    for (bool again = true; again;) {
      again = false;
      able.clear();
      for (const std::shared_ptr<QueueState> &queue : queues_) {
        if (!queue->isWanted())
          continue;
        const Work &first = queue->work.front();
        if (!first.other || first.other->count >= first.count) {
          able.push_back(queue);
        } else if (!first.other->failure.ok() || first.other->ended) {
          queue->failure = first.other->failure;
          if (queue->failure.ok())
            queue->failure = absl::FailedPreconditionError(
                absl::StrCat("a queue waits for ", first.count, ", which nobody will signal"));
          again = true; // for those that wait for this one
          changed_.notifyAll();
        } else if (first.other->wanted < first.count) { // who waits for it asks for it
          first.other->wanted = first.count;
          again = true;
        }
      }
    }
    return able.empty() ? nullptr : able[random_() % able.size()];
  }

  /// Whose turn it is, and for what; null at the end.
  std::shared_ptr<QueueState> await(Work &work) {
    base::MutexLock lock(mutex_);
    while (!ending_) {
      if (std::shared_ptr<QueueState> queue = next()) {
        work = std::move(queue->work.front()); // its place is kept until it is done
        return queue;
      }
      changed_.wait(mutex_);
    }
    return nullptr;
  }

  void loop() {
    for (;;) {
      Work work;
      std::shared_ptr<QueueState> queue = await(work);
      if (!queue)
        return;
      absl::Status status = work.run ? work.run() : absl::OkStatus();
      base::MutexLock lock(mutex_);
      if (!work.run && !work.other)
        queue->count = work.count;
      queue->work.pop_front();
      if (!status.ok())
        queue->failure = std::move(status);
      changed_.notifyAll();
    }
  }

  base::Mutex mutex_;
  base::CondVar changed_;
  std::vector<std::shared_ptr<QueueState>> queues_ ABSL_GUARDED_BY(mutex_);
  std::mt19937_64 random_ ABSL_GUARDED_BY(mutex_);
  bool ending_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_; // last: it uses the others
};

} // namespace graphc::device::sim
#endif
