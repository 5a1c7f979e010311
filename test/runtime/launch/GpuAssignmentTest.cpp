#include "runtime/launch/GpuAssignment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace graphc::launch;
using testing::ElementsAre;

namespace {
const std::vector<std::string> kLabels = {"ps:0", "worker:0", "worker:1", "worker:2"};

TEST(GpuAssignment, EachTaskHasItsOwn) {
  const GpuShares shares = dealGpus({0, 1, 2, 1}, kLabels, 4);
  EXPECT_THAT(shares.firsts, ElementsAre(0, 0, 1, 3));
  EXPECT_EQ(shares.said,
            "each task has GPUs of its own: worker:0 has 0, worker:1 has 1 and 2, worker:2 has 3");
}

TEST(GpuAssignment, TasksTakeTurnsWhereThereAreTooFew) {
  EXPECT_THAT(dealGpus({0, 1, 1, 1}, kLabels, 2).firsts, ElementsAre(0, 0, 1, 0));
  EXPECT_EQ(
      dealGpus({0, 1, 1, 1}, kLabels, 2).said,
      "the tasks share this machine's 2 GPUs: worker:0 has 0, worker:1 has 1, worker:2 has 0");
  EXPECT_EQ(dealGpus({0, 1, 1, 0}, kLabels, 1).said,
            "the tasks share this machine's GPU: worker:0 has 0, worker:1 has 0");
  // no task has half of another's
  EXPECT_THAT(dealGpus({0, 2, 2, 2}, kLabels, 3).firsts, ElementsAre(0, 0, 0, 0));
}

TEST(GpuAssignment, OneThatWantsMoreThanThereAreBeginsWithTheFirst) {
  EXPECT_THAT(dealGpus({1, 1, 3, 0}, kLabels, 2).firsts,
              ElementsAre(0, 1, 0, 0)); // and is told so when it asks for them
}

TEST(GpuAssignment, NothingIsSaidOfOneTask) {
  EXPECT_EQ(dealGpus({0, 1, 0, 0}, kLabels, 1).said, "");
}

} // namespace
