#include "runtime/common/base/ProcessDeadline.h"

#include <atomic>
#include <csignal>
#include <unistd.h>

namespace graphc::base {
namespace {
std::atomic<int> endStatus{1};
static_assert(std::atomic<int>::is_always_lock_free); // a signal handler reads it
} // namespace

void endProcessSoon(int status) {
  endStatus = status;
  struct sigaction action{};
  action.sa_handler = [](int) { _exit(endStatus.load()); };
  sigaction(SIGALRM, &action, nullptr);
  sigset_t alarmed;
  sigemptyset(&alarmed);
  sigaddset(&alarmed, SIGALRM);
  pthread_sigmask(SIG_UNBLOCK, &alarmed, nullptr);
  alarm(kEndSeconds);
}

} // namespace graphc::base
