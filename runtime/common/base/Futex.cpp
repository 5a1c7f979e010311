#include "runtime/common/base/Futex.h"

#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace graphc::base {

void futexWait(const std::atomic<uint32_t> *word, uint32_t expected, int64_t nanoseconds,
               FutexScope scope) {
  timespec limit{nanoseconds / 1000000000, nanoseconds % 1000000000};
  int flags = scope == FutexScope::Process ? FUTEX_WAIT_PRIVATE : FUTEX_WAIT;
  // EAGAIN, EINTR and ETIMEDOUT all mean the same to the caller: look again.
  ::syscall(SYS_futex, word, flags, expected, nanoseconds < 0 ? nullptr : &limit, nullptr, 0);
}

void futexWake(const std::atomic<uint32_t> *word, int count, FutexScope scope) {
  ::syscall(SYS_futex, word, scope == FutexScope::Process ? FUTEX_WAKE_PRIVATE : FUTEX_WAKE, count,
            nullptr, nullptr, 0);
}

} // namespace graphc::base
