// In processes of their own: what was asked of one is asked for good.
#include "runtime/launch/StopSignals.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <thread>
#include <unistd.h>

namespace graphc::launch {
namespace {

struct StopSignalsDeathTest : testing::Test {
  StopSignalsDeathTest() {
    // the process anew: the thread sanitizer bears no threads behind a fork
    GTEST_FLAG_SET(death_test_style, "threadsafe");
  }
};

TEST_F(StopSignalsDeathTest, OnceIsAskedTwiceIsAnEnd) {
  EXPECT_EXIT(
      {
        takeStopSignals(/*launched=*/false);
        bool before = stopAsked();
        raise(SIGTERM);
        bool after = stopAsked();
        raise(SIGHUP); // of a terminal that closes
        fprintf(stderr, "asked %d %d\n", before, after);
        raise(SIGINT);
        _exit(0);
      },
      testing::ExitedWithCode(1), "asked 0 1");
}

TEST_F(StopSignalsDeathTest, UnderALauncherTwiceIsOnce) {
  EXPECT_EXIT(
      {
        takeStopSignals(/*launched=*/true);
        raise(SIGINT);
        raise(SIGTERM);
        fprintf(stderr, "asked %d\n", stopAsked());
        _exit(7);
      },
      testing::ExitedWithCode(7), "asked 1");
}

// As the heartbeat does: another thread asks while the signal comes.
TEST_F(StopSignalsDeathTest, AnotherThreadHearsOfIt) {
  EXPECT_EXIT(
      {
        takeStopSignals(/*launched=*/false);
        std::thread asks([] {
          while (!stopAsked())
            std::this_thread::yield();
        });
        kill(getpid(), SIGTERM);
        asks.join();
        _exit(3);
      },
      testing::ExitedWithCode(3), "");
}

} // namespace
} // namespace graphc::launch
