//===- ThreadPool.h - threads that help a lane with one kernel ----------------------*- C++ -*-===//
//
// A lane shares out the parts of a kernel and works on them itself; helpers take what is left. So
// nothing ever waits for a helper that does not come: only for the parts that one has begun. All
// lanes of a process share the helpers.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_KERNELS_THREADPOOL_H
#define GRAPHC_RUNTIME_KERNELS_THREADPOOL_H

#include "runtime/common/base/Mutex.h"

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace graphc::kernels {

class ThreadPool {
public:
  using Part = void (*)(void *context, uint32_t index);

  /// `threads`: of one kernel, the calling lane's among them.
  explicit ThreadPool(uint32_t threads) : helperCount_(threads > 0 ? threads - 1 : 0) {}
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  uint32_t threads() const { return helperCount_ + 1; }
  /// Starts the helpers, once. Where the system gives no thread fewer help, which nobody waits for:
  /// slower, with the same bits. That is warned of once.
  void start();

  /// part(context, i) for each i < count, each once, on this thread and on helpers; returns when
  /// all have ended, and what they wrote is seen. From any thread; `part` neither throws nor calls
  /// the pool.
  void run(uint32_t count, Part part, void *context);

private:
  struct Job;

  void help(uint32_t thread);
  /// A job with parts left, entered; null for none.
  Job *enter();
  /// Until `jobsSeen` is old, or the pool ends. What is spun in vain is not spun for long.
  void awaitJobs(uint32_t jobsSeen, uint32_t &spunInVain);

  const uint32_t helperCount_;
  base::Mutex mutex_; // of the list of jobs, and of starting
  bool refused_ ABSL_GUARDED_BY(mutex_) = false; // a thread; no other is asked for
  Job *first_ ABSL_GUARDED_BY(mutex_) = nullptr; // the jobs that have parts left, perhaps
  std::vector<std::thread> helpers_ ABSL_GUARDED_BY(mutex_);
  std::atomic<uint32_t> jobs_{0}; // counts jobs; helpers sleep on it
  std::atomic<uint32_t> sleepers_{0};
  std::atomic<bool> ends_{false};
};

/// part(i) for each i < count, as ThreadPool::run does it; without a pool one behind the other on
/// this thread. The code of a part that failed, or 0.
template <typename Part> int runParts(ThreadPool *pool, uint32_t count, const Part &part) {
  struct Call {
    const Part &part;
    std::atomic<int> code{0};
  } call{part};
  auto one = [](void *context, uint32_t index) {
    auto &call = *static_cast<Call *>(context);
    if (int code = call.part(index))
      call.code.store(code, std::memory_order_relaxed);
  };
  if (pool)
    pool->run(count, one, &call);
  else
    for (uint32_t i = 0; i < count; ++i)
      one(&call, i);
  return call.code.load(std::memory_order_relaxed);
}

} // namespace graphc::kernels
#endif
