#include "runtime/kernels/Pool.h"

#include "runtime/base/Clock.h"
#include "runtime/base/Futex.h"
#include "runtime/base/Log.h"

#include <sched.h>
#include <system_error>

namespace graphc::kernels {

using base::FutexScope;

/// On the stack of the lane that shares it out. A helper touches it between enter(), under the mutex and while it is in the list, and
/// its last subtraction from `inside`; the lane takes it from the list and then waits until nobody is inside.
struct Pool::Job {
  uint32_t count;
  Part part;
  void *context;
  Job *next = nullptr;
  std::atomic<uint32_t> taken{0}; // parts
  std::atomic<uint32_t> inside{0}; // helpers; the top bit: the lane sleeps on it

  static constexpr uint32_t laneSleeps = 1u << 31;

  bool hasParts() const { return taken.load(std::memory_order_relaxed) < count; }
  void work() {
    for (uint32_t i; (i = taken.fetch_add(1, std::memory_order_relaxed)) < count;)
      part(context, i);
  }
};

namespace {

/// Ticks, of which 2,000 are a microsecond at 2 GHz: for so long done() is looked at again and again, and then so long again with the
/// core offered to others between.
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

Pool::~Pool() {
  ends.store(true);
  jobs.fetch_add(1);
  base::futexWake(&jobs, INT32_MAX, FutexScope::Process);
  for (std::thread &helper : helpers)
    helper.join();
}

void Pool::start() {
  base::MutexLock lock(mutex);
  while (helpers.size() < helperCount && !refused)
    try {
      helpers.emplace_back([this] { help(); });
    } catch (const std::system_error &error) {
      refused = true;
      base::logger().warn("one kernel gets {} of {} threads, more cannot be started: {}", helpers.size() + 1, threads(),
                          error.what());
    }
}

void Pool::run(uint32_t count, Part part, void *context) {
  Job job{count, part, context};
  if (count > 1 && helperCount > 0) {
    {
      base::MutexLock lock(mutex);
      job.next = first;
      first = &job;
    }
    // Both in one order for all: a helper that did not see this job counted itself first, and is woken.
    jobs.fetch_add(1);
    if (sleepers.load() > 0)
      base::futexWake(&jobs, int(count - 1), FutexScope::Process);
  }
  job.work();
  if (count <= 1 || helperCount == 0)
    return;
  {
    base::MutexLock lock(mutex);
    Job **at = &first;
    while (*at != &job)
      at = &(*at)->next;
    *at = job.next;
  }
  auto isAlone = [&] { return job.inside.load(std::memory_order_acquire) == 0; };
  if (spin(isAlone, kLaneSpins, 0))
    return;
  uint32_t inside = job.inside.fetch_or(Job::laneSleeps, std::memory_order_acquire) | Job::laneSleeps;
  while (inside != Job::laneSleeps) {
    base::futexWait(&job.inside, inside, -1, FutexScope::Process);
    inside = job.inside.load(std::memory_order_acquire);
  }
}

Pool::Job *Pool::enter() {
  base::MutexLock lock(mutex);
  for (Job *job = first; job; job = job->next)
    if (job->hasParts()) {
      job->inside.fetch_add(1, std::memory_order_relaxed);
      return job;
    }
  return nullptr;
}

void Pool::awaitJobs(uint32_t jobsSeen, uint32_t &spunInVain) {
  auto isNew = [&] { return jobs.load() != jobsSeen; };
  // As a lane does (transport/SpinThenPark.h): after three times in vain each 64th time only.
  if (spunInVain < 3 || spunInVain % 64 == 0) {
    if (spin(isNew, kHelperSpins, kHelperYields)) {
      spunInVain = 0;
      return;
    }
  }
  ++spunInVain;
  sleepers.fetch_add(1);
  while (!isNew())
    base::futexWait(&jobs, jobsSeen, -1, FutexScope::Process);
  sleepers.fetch_sub(1);
}

void Pool::help() {
  uint32_t spunInVain = 0;
  for (uint32_t seen = jobs.load(); !ends.load(); seen = jobs.load()) {
    while (Job *job = enter()) {
      job->work();
      // The last one out wakes the lane. Whoever leaves without the bit set touches nothing of the job from here on.
      const uint32_t before = job->inside.fetch_sub(1, std::memory_order_release);
      if (before == (Job::laneSleeps | 1))
        base::futexWake(&job->inside, 1, FutexScope::Process);
    }
    awaitJobs(seen, spunInVain);
  }
}

} // namespace graphc::kernels
