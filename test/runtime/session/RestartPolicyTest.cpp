#include "runtime/session/recovery/RestartPolicy.h"

#include "absl/time/clock.h"
#include <gtest/gtest.h>

namespace graphc::session {
namespace {

TEST(RestartPolicy, NoneByDefault) { EXPECT_FALSE(RestartPolicy(0).next(12)); }

TEST(RestartPolicy, AsManyAsPermitted) {
  RestartPolicy restarts(2);
  EXPECT_EQ(restarts.next(std::nullopt), absl::ZeroDuration());
  EXPECT_EQ(
      restarts.describe("all tasks"),
      "restarting all tasks from the beginning, as there is no checkpoint yet, at once (restart 1 of 2)");
  EXPECT_EQ(restarts.next(120), absl::ZeroDuration());
  EXPECT_EQ(restarts.describe("/job:ps/task:0"),
            "restarting /job:ps/task:0 from step 120 at once (restart 2 of 2)");
  EXPECT_FALSE(restarts.next(130));
}

TEST(RestartPolicy, PausesGrowUntilThereIsANewerCheckpoint) {
  RestartPolicy restarts(100);
  for (double seconds : {0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0})
    EXPECT_EQ(restarts.next(120), absl::Seconds(seconds));
  EXPECT_EQ(restarts.next(121), absl::ZeroDuration());
  EXPECT_EQ(restarts.next(121), absl::Milliseconds(500));
  EXPECT_EQ(restarts.describe("all tasks"),
            "restarting all tasks from step 121 in 500ms (restart 12 of 100)");
  EXPECT_EQ(restarts.next(120), absl::Seconds(1)) << "an older one, since the newest was damaged";
}

TEST(RestartPolicy, WithoutAnyCheckpointPausesGrowToo) {
  RestartPolicy restarts(100);
  for (double seconds : {0.0, 0.5, 1.0})
    EXPECT_EQ(restarts.next(std::nullopt), absl::Seconds(seconds));
  EXPECT_EQ(restarts.next(1), absl::ZeroDuration());
}

TEST(RestartPolicy, OneThatWasForNothingIsTakenBack) {
  RestartPolicy restarts(1);
  EXPECT_TRUE(restarts.again(absl::Now()).has_value());
  EXPECT_FALSE(restarts.next(std::nullopt).has_value());
  restarts.takeBack();
  EXPECT_EQ(restarts.next(std::nullopt), absl::ZeroDuration());
  EXPECT_EQ(restarts.made(), 1u);
}

TEST(RestartPolicy, FromMemoryStepsStayWithoutACheckpoint) {
  RestartPolicy restarts(5, /*fromMemory=*/true);
  EXPECT_EQ(restarts.next(std::nullopt), absl::ZeroDuration());
  EXPECT_EQ(
      restarts.describe("w"),
      "restarting w from the memory of a task that lives, else from the beginning, as there is "
      "no checkpoint yet, at once (restart 1 of 5)");
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(restarts.next(std::nullopt), absl::Milliseconds(500));
  EXPECT_FALSE(restarts.next(std::nullopt));
}

} // namespace
} // namespace graphc::session
