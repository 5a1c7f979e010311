#include "tools/graphrun/StopSignals.h"

#include "runtime/launch/LaunchContext.h"

#include <atomic>
#include <csignal>
#include <unistd.h>

namespace graphc::graphrun {
namespace {
std::atomic<int> stopsAsked{0};
std::atomic<bool> underLauncher{false};
static_assert(std::atomic<int>::is_always_lock_free); // a signal handler may use it

void onStopSignal(int signal) {
  if (stopsAsked.fetch_add(1) > 0 && signal != SIGHUP && !underLauncher.load())
    _exit(1);
}
} // namespace

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

} // namespace graphc::graphrun
