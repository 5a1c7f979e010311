//===- Mutex.h - mutexes whose use the compiler checks ------------------------------*- C++ -*-===//
//
// std::mutex and std::condition_variable with the annotations that clang's -Wthread-safety reads
// (std's have none here, absl's own mutex is not instrumented in the distribution's library, so the
// thread sanitizer would not see it). What a mutex guards says ABSL_GUARDED_BY(mutex_), a function
// that is called under it ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_); both are errors of the build where
// they do not hold. Not checked: what is guarded by another object's mutex that cannot be named
// there, and locks taken in a loop.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_COMMON_BASE_MUTEX_H
#define GRAPHC_RUNTIME_COMMON_BASE_MUTEX_H

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"

#include <condition_variable>
#include <mutex>

namespace graphc::base {

class ABSL_LOCKABLE Mutex {
public:
  Mutex() = default;
  Mutex(const Mutex &) = delete;
  Mutex &operator=(const Mutex &) = delete;

  // Names of the standard's requirements on a mutex, for std::unique_lock where locks are counted
  // at run time.
  void lock() ABSL_EXCLUSIVE_LOCK_FUNCTION() { mutex_.lock(); }
  void unlock() ABSL_UNLOCK_FUNCTION() { mutex_.unlock(); }
  bool try_lock() ABSL_EXCLUSIVE_TRYLOCK_FUNCTION(true) { return mutex_.try_lock(); }

private:
  friend class CondVar;
  std::mutex mutex_;
};

/// Holds a mutex until its scope ends.
class ABSL_SCOPED_LOCKABLE MutexLock {
public:
  explicit MutexLock(Mutex &mutex) ABSL_EXCLUSIVE_LOCK_FUNCTION(mutex) : mutex_(mutex) {
    mutex.lock();
  }
  ~MutexLock() ABSL_UNLOCK_FUNCTION() { mutex_.unlock(); }
  MutexLock(const MutexLock &) = delete;
  MutexLock &operator=(const MutexLock &) = delete;

private:
  Mutex &mutex_;
};

/// The mutex is held at each call of a wait and after it, let go meanwhile. Waits may end for no
/// reason.
class CondVar {
public:
  void notifyAll() { condition_.notify_all(); }

  void wait(Mutex &mutex) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    Adopted lock(mutex);
    condition_.wait(lock.lock);
  }
  /// By the clock on the wall.
  void waitUntil(Mutex &mutex, absl::Time deadline) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    Adopted lock(mutex);
    condition_.wait_until(lock.lock, absl::ToChronoTime(deadline));
  }
  /// By a clock that nobody sets.
  void waitFor(Mutex &mutex, absl::Duration timeout) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    Adopted lock(mutex);
    condition_.wait_for(lock.lock, absl::ToChronoNanoseconds(timeout));
  }
  /// Until done(), which is asked under the mutex: a lambda says []()
  /// ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_). False: the time was over.
  template <typename Done>
  bool waitFor(Mutex &mutex, absl::Duration timeout, Done done)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    Adopted lock(mutex);
    return condition_.wait_for(lock.lock, absl::ToChronoNanoseconds(timeout), std::move(done));
  }

private:
  /// What std::condition_variable takes, for a mutex that is held before and after.
  struct Adopted {
    explicit Adopted(Mutex &mutex) : lock(mutex.mutex_, std::adopt_lock) {}
    ~Adopted() { lock.release(); }
    std::unique_lock<std::mutex> lock;
  };
  std::condition_variable condition_;
};

} // namespace graphc::base
#endif
