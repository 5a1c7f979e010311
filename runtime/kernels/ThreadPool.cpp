#include "runtime/kernels/ThreadPool.h"

#include "runtime/common/base/Futex.h"
#include "runtime/common/base/MonotonicClock.h"
#include "runtime/common/base/ProcessLog.h"
#include "runtime/common/base/StartThread.h"
#include "runtime/common/base/StatusMacros.h"

#include <algorithm>
#include <array>
#include <sched.h>
#include <system_error>

namespace graphc::kernels {

using base::FutexScope;

/// On the stack of the lane that shares it out. A helper touches it between enter(), under the
/// mutex and while it is in the list, and its last subtraction from `inside`; the lane takes it
/// from the list and then waits until nobody is inside.
///
/// Parts that lie together are a share, one for each thread of the first sixteen (those beyond
/// begin with another's): the lane has the first, helper i the one behind it. A thread begins at
/// the front of its own and then takes from the back of others'. So of kernel after kernel a thread
/// has the same rows, which its own caches hold: what another core has written is read at a quarter
/// of the speed.
struct ThreadPool::Job {
  static constexpr uint32_t kMostShares = 16;
  static constexpr uint32_t laneSleeps = 1u << 31;

  /// Parts [front, back), which are the low and the high half; the threads of a share are on a
  /// cache line of their own.
  struct alignas(64) Share {
    std::atomic<uint64_t> left{0};
    static constexpr uint64_t of(uint32_t front, uint32_t back) {
      return uint64_t(back) << 32 | front;
    }
    static bool isEmpty(uint64_t parts) { return uint32_t(parts) >= uint32_t(parts >> 32); }
  };

  Job(uint32_t count, Part part, void *context, uint32_t threads)
      : shares(std::clamp(std::min(count, threads), 1u, kMostShares)), part(part),
        context(context) {
    for (uint32_t i = 0; i < shares; ++i)
      list[i].left.store(Share::of(uint32_t(uint64_t(count) * i / shares),
                                   uint32_t(uint64_t(count) * (i + 1) / shares)),
                         std::memory_order_relaxed);
  }

  bool hasParts() const {
    return std::any_of(list.begin(), list.begin() + shares, [](const Share &share) {
      return !Share::isEmpty(share.left.load(std::memory_order_relaxed));
    });
  }
  /// `thread`: 0 the lane, i + 1 helper i.
  void work(uint32_t thread) {
    for (uint32_t i = 0; i < shares; ++i) {
      Share &share = list[(thread + i) % shares];
      uint64_t left = share.left.load(std::memory_order_relaxed);
      while (!Share::isEmpty(left)) {
        const uint32_t front = uint32_t(left), back = uint32_t(left >> 32);
        const uint64_t after = i == 0 ? Share::of(front + 1, back) : Share::of(front, back - 1);
        if (!share.left.compare_exchange_weak(left, after, std::memory_order_relaxed))
          continue;
        part(context, i == 0 ? front : back - 1);
        left = share.left.load(std::memory_order_relaxed);
      }
    }
  }

  const uint32_t shares;
  const Part part;
  void *const context;
  Job *next = nullptr;
  std::atomic<uint32_t> inside{0}; // helpers; the top bit: the lane sleeps on it
  std::array<Share, kMostShares> list;
};

namespace {

/// Ticks, of which 2,000 are a microsecond at 2 GHz: for so long done() is looked at again and
/// again, and then so long again with the core offered to others between.
template <typename Done> bool spin(const Done &done, int64_t holding, int64_t yielding) {
  const int64_t begin = base::ticks();
  int64_t time = begin;
  for (; time - begin < holding; time = base::ticks())
    for (int i = 0; i < 16; ++i) {
      if (done())
        return true;
      base::spinHint();
    }
  for (; time - begin < holding + yielding; time = base::ticks()) {
    if (done())
      return true;
    sched_yield();
  }
  return false;
}

/// A lane waits for the last parts: about what a wake-up takes.
constexpr int64_t kLaneSpins = 50000;
/// A helper waits for the next job: as long as the kernels between two products of a network take.
constexpr int64_t kHelperSpins = 20000, kHelperYields = 600000;

} // namespace

ThreadPool::~ThreadPool() {
  ends_.store(true);
  jobs_.fetch_add(1);
  base::futexWake(&jobs_, INT32_MAX, FutexScope::Process);
  for (std::thread &helper : helpers_)
    helper.join();
}

void ThreadPool::start() {
  base::MutexLock lock(mutex_);
  while (helpers_.size() < helperCount_ && !refused_) {
    absl::StatusOr<std::thread> started = base::startThread(
        "a kernel's", [this, thread = uint32_t(helpers_.size()) + 1] { help(thread); });
    if (started.ok()) {
      helpers_.push_back(*std::move(started));
    } else {
      refused_ = true;
      base::logger().warn("one kernel gets {} of {} threads: {}", helpers_.size() + 1, threads(),
                          base::describe(started.status()));
    }
  }
}

void ThreadPool::run(uint32_t count, Part part, void *context) {
  if (count <= 1 || helperCount_ == 0) {
    for (uint32_t i = 0; i < count; ++i)
      part(context, i);
    return;
  }
  Job job(count, part, context, threads());
  {
    base::MutexLock lock(mutex_);
    job.next = first_;
    first_ = &job;
  }
  // Both in one order for all: a helper that did not see this job counted itself first, and is
  // woken.
  jobs_.fetch_add(1);
  if (sleepers_.load() > 0)
    base::futexWake(&jobs_, int(count - 1), FutexScope::Process);
  job.work(0);
  {
    base::MutexLock lock(mutex_);
    Job **at = &first_;
    while (*at != &job)
      at = &(*at)->next;
    *at = job.next;
  }
  auto isAlone = [&] { return job.inside.load(std::memory_order_acquire) == 0; };
  if (spin(isAlone, kLaneSpins, 0))
    return;
  uint32_t inside =
      job.inside.fetch_or(Job::laneSleeps, std::memory_order_acquire) | Job::laneSleeps;
  while (inside != Job::laneSleeps) {
    base::futexWait(&job.inside, inside, -1, FutexScope::Process);
    inside = job.inside.load(std::memory_order_acquire);
  }
}

ThreadPool::Job *ThreadPool::enter() {
  base::MutexLock lock(mutex_);
  for (Job *job = first_; job; job = job->next)
    if (job->hasParts()) {
      job->inside.fetch_add(1, std::memory_order_relaxed);
      return job;
    }
  return nullptr;
}

void ThreadPool::awaitJobs(uint32_t jobsSeen, uint32_t &spunInVain) {
  auto isNew = [&] { return jobs_.load() != jobsSeen; };
  // As a lane does (transport/SpinThenPark.h): after three times in vain each 64th time only.
  if (spunInVain < 3 || spunInVain % 64 == 0) {
    if (spin(isNew, kHelperSpins, kHelperYields)) {
      spunInVain = 0;
      return;
    }
  }
  ++spunInVain;
  sleepers_.fetch_add(1);
  while (!isNew())
    base::futexWait(&jobs_, jobsSeen, -1, FutexScope::Process);
  sleepers_.fetch_sub(1);
}

void ThreadPool::help(uint32_t thread) {
  uint32_t spunInVain = 0;
  for (uint32_t seen = jobs_.load(); !ends_.load(); seen = jobs_.load()) {
    while (Job *job = enter()) {
      job->work(thread);
      // The last one out wakes the lane. Whoever leaves without the bit set touches nothing of the
      // job from here on.
      const uint32_t before = job->inside.fetch_sub(1, std::memory_order_release);
      if (before == (Job::laneSleeps | 1))
        base::futexWake(&job->inside, 1, FutexScope::Process);
    }
    awaitJobs(seen, spunInVain);
  }
}

} // namespace graphc::kernels
