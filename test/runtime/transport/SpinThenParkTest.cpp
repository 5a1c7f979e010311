// What is tried before a lane sleeps: told by how often it looks.
#include "runtime/transport/SpinThenPark.h"

#include "absl/time/clock.h"
#include <gtest/gtest.h>

namespace graphc::transport {
namespace {

struct Looks {
  SpinThenPark spinThenPark;
  int looks = 0;
  /// How often one wait looks that ends in vain.
  int inVain(absl::Duration timeout = absl::Seconds(10)) {
    looks = 0;
    EXPECT_EQ(spinThenPark.await([this] { return ++looks < 0; }, timeout),
              timeout == absl::ZeroDuration());
    return looks;
  }
  /// The same of a wait for which there is no time, hence none for a yield.
  int spun() { return inVain(absl::ZeroDuration()); }
  /// Whether a wait is over at its first look.
  bool ends() {
    return spinThenPark.await([] { return true; }, absl::Seconds(10));
  }
  /// A wait in vain whose yields seem to have been lost to one that computes.
  void lose() {
    EXPECT_FALSE(spinThenPark.await([] { return absl::SleepFor(absl::Milliseconds(2)), false; },
                                    absl::Seconds(10)));
  }
};

TEST(SpinThenPark, AfterThreeWaitsInVainItSpinsNowAndThen) {
  Looks lane;
  for (int wait = 0; wait < 200; ++wait)
    EXPECT_EQ(lane.spun(), wait < 3 || wait % 64 == 0 ? 8 : 0) << wait;
}

TEST(SpinThenPark, WhereSpinningWasWorthItItIsTriedAgain) {
  Looks lane;
  for (int wait = 0; wait < 64; ++wait)
    lane.spun();
  EXPECT_TRUE(lane.ends()); // the 65th spins
  for (int wait = 0; wait < 3; ++wait)
    EXPECT_EQ(lane.spun(), 8);
  EXPECT_EQ(lane.spun(), 0);
}

TEST(SpinThenPark, ItYieldsUntilThatWasLostTwiceToOneThatComputes) {
  Looks lane;
  for (int wait = 0; wait < 3; ++wait)
    lane.spun();
  EXPECT_GT(lane.inVain(), 0); // spins no more
  for (int wait = 0; wait < 20 && lane.inVain();
       ++wait) // a yield that another program makes long is none that was lost
    lane.lose();
  EXPECT_EQ(lane.inVain(), 0);
}

TEST(SpinThenPark, NoTimeIsNotSleptThrough) {
  SpinThenPark spinThenPark;
  EXPECT_TRUE(spinThenPark.await([] { return false; }, absl::ZeroDuration()));
  absl::Time before = absl::Now();
  EXPECT_FALSE(spinThenPark.await([] { return false; }, absl::InfiniteDuration()));
  EXPECT_LT(absl::Now() - before, absl::Seconds(5));
}

} // namespace
} // namespace graphc::transport
