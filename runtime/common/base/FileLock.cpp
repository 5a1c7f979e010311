#include "runtime/common/base/FileLock.h"

#include "absl/time/clock.h"

#include <cerrno>
#include <sys/file.h>

namespace graphc::base {

bool lockWithin(int fd, absl::Duration wait, const std::function<bool()> &givesUp) {
  for (const absl::Time until = absl::Now() + wait;; absl::SleepFor(absl::Milliseconds(20))) {
    if (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
      return true;
    if (absl::Now() >= until || (givesUp && givesUp()))
      return false;
  }
}

} // namespace graphc::base
