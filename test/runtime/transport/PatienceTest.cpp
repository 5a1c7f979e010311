// What is tried before a lane sleeps: told by how often it looks.
#include "runtime/transport/Patience.h"

#include "absl/time/clock.h"
#include <gtest/gtest.h>

namespace graphc::transport {
namespace {

struct Looks {
  Patience patience;
  int looks = 0;
  /// How often one wait looks that ends in vain.
  int inVain() {
    looks = 0;
    EXPECT_FALSE(patience.await([this] { return ++looks < 0; }, absl::Seconds(10)));
    return looks;
  }
  /// The same of a wait that is over at its look number `at`; 0 where it does not look so often.
  bool ends(int at) {
    looks = 0;
    return patience.await([this, at] { return ++looks == at; }, absl::Seconds(10));
  }
};

TEST(Patience, AfterThreeWaitsInVainItSleepsAtOnceButNowAndThen) {
  Looks lane;
  for (int wait = 0; wait < 3; ++wait)
    EXPECT_GE(lane.inVain(), 8) << wait;
  for (int wait = 3; wait < 100; ++wait)
    EXPECT_EQ(lane.inVain() > 0, wait % 16 == 0) << wait;
}

TEST(Patience, WhatWasWorthItIsTriedAgain) {
  Looks lane;
  for (int wait = 0; wait < 16; ++wait)
    lane.inVain();
  EXPECT_TRUE(lane.ends(1)); // the seventeenth looks
  EXPECT_GT(lane.inVain(), 0);
  EXPECT_GT(lane.inVain(), 0);
}

TEST(Patience, NoTimeIsNotSleptThrough) {
  Patience patience;
  EXPECT_TRUE(patience.await([] { return false; }, absl::ZeroDuration()));
  absl::Time before = absl::Now();
  EXPECT_FALSE(patience.await([] { return false; }, absl::InfiniteDuration()));
  EXPECT_LT(absl::Now() - before, absl::Seconds(5));
}

} // namespace
} // namespace graphc::transport
