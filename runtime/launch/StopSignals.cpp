#include "runtime/launch/StopSignals.h"

#include <atomic>
#include <unistd.h>

namespace graphc::launch {
namespace {
std::atomic<int> stopsAsked{0};
std::atomic<bool> underLauncher{false};
static_assert(std::atomic<int>::is_always_lock_free); // a signal handler may use it

void onStopSignal(int signal) {
  if (stopsAsked.fetch_add(1) > 0 && signal != SIGHUP && !underLauncher.load())
    _exit(1);
}
} // namespace

bool hangupStops() {
  struct sigaction now{};
  return sigaction(SIGHUP, nullptr, &now) != 0 || now.sa_handler != SIG_IGN;
}

bool stopIsPending() {
  sigset_t pending, both;
  const sigset_t stops = stopSignals();
  return sigpending(&pending) == 0 && sigandset(&both, &pending, &stops) == 0 &&
         sigisemptyset(&both) == 0;
}

sigset_t stopSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (int signal : {SIGTERM, SIGINT, SIGHUP})
    // one that is blocked would wait, also where it is ignored
    if (signal != SIGHUP || hangupStops())
      sigaddset(&set, signal);
  return set;
}

void unblockStops() {
  const sigset_t set = stopSignals();
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
}

void takeStopSignals(bool launched) {
  underLauncher = launched;
  struct sigaction action{};
  action.sa_handler = onStopSignal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGINT, &action, nullptr);
  if (hangupStops())
    sigaction(SIGHUP, &action, nullptr);
  if (launched)
    unblockStops();
}

bool stopAsked() { return stopsAsked.load(std::memory_order_relaxed) > 0; }

} // namespace graphc::launch
