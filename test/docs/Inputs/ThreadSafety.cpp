// What the compiler refuses of code that guards something by a mutex; thread-safety.test compiles
// this as the build compiles the runtime.
#include "runtime/common/base/Mutex.h"

using namespace graphc;

class Count {
public:
  void add() {
    base::MutexLock lock(mutex_);
    addLocked();
  }
  void addUnguarded() {
    ++count_; // expected-error {{writing variable 'count_' requires holding mutex 'mutex_' exclusively}}
    addLocked(); // expected-error {{calling function 'addLocked' requires holding mutex 'mutex_' exclusively}}
  }
  int get() {
    {
      base::MutexLock lock(mutex_);
      added_.waitFor(mutex_, absl::Seconds(1),
                     [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return count_ > 0; });
    }
    return count_; // expected-error {{reading variable 'count_' requires holding mutex 'mutex_'}}
  }
  void await() {
    added_.waitUntil(mutex_, absl::InfiniteFuture());
    // expected-error@-1 {{calling function 'waitUntil' requires holding mutex 'mutex_' exclusively}}
    base::MutexLock lock(mutex_); // expected-note {{mutex acquired here}}
    base::MutexLock again(mutex_);
    // expected-error@-1 {{acquiring mutex 'mutex_' that is already held}}
  }
  bool tryToAdd() {
    if (!mutex_.try_lock()) // expected-note {{mutex acquired here}}
      return false;
    addLocked();
    return true;
  } // expected-error {{mutex 'mutex_' is not held on every path through here}}
  int of(const Count &other) {
    base::MutexLock lock(mutex_);
    return count_ + other.count_;
    // expected-error@-1 {{reading variable 'count_' requires holding mutex 'other.mutex_'}}
    // expected-note@-2 {{found near match 'mutex_'}}
  }

private:
  void addLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    ++count_;
    added_.notifyAll();
  }

  base::Mutex mutex_;
  base::CondVar added_;
  int count_ ABSL_GUARDED_BY(mutex_) = 0;
};
