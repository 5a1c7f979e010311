// Messages that have as many entries as their sender counts: what arrives, what is counted, and who
// says another number.
#include "test/runtime/common/plan/PlanBuilder.h"
#include "test/runtime/executor/TaskHarness.h"
#include "test/runtime/executor/TestHost.h"

#include <gmock/gmock.h>

#include <atomic>

namespace graphc::executor {
namespace {

using testing::HasSubstr;

constexpr uint32_t kWorkers = 3;
constexpr uint64_t kMost = 16;

/// Counts from 0 to all, which differ by worker and step.
struct RowsHost final : TestHost {
  explicit RowsHost(uint64_t steps) : TestHost(steps) {
    onStep = [this](const LaneInfo &lane, const StepResults &results) {
      if (results.fetches.empty())
        return absl::OkStatus();
      const auto *echo = static_cast<const float *>(results.fetches[0]);
      for (int64_t i = 0; i < countOf(lane.instance, results.step); ++i)
        wrong += echo[i] != valueOf(lane.instance, results.step, i);
      return absl::OkStatus();
    };
  }
  static int64_t countOf(uint32_t worker, uint64_t step) {
    return int64_t((step * 5 + worker * 7) % (kMost + 1));
  }
  static float valueOf(uint32_t worker, uint64_t step, int64_t i) {
    return float(worker) * 1000 + float(step) * 20 + float(i);
  }
  absl::Status feed(const LaneInfo &lane, uint64_t step, std::span<void *const> feeds) override {
    if (feeds.size() == 1) {
      for (uint32_t worker = 0; worker < kWorkers; ++worker)
        static_cast<int64_t *>(feeds[0])[worker] =
            countOf(worker, step) + (worker == 1 ? serversError : 0);
      return absl::OkStatus();
    }
    *static_cast<int64_t *>(feeds[0]) =
        countOf(lane.instance, step) + (lane.instance == 2 ? workersError : 0);
    for (int64_t i = 0; i < int64_t(kMost); ++i)
      static_cast<float *>(feeds[1])[i] = valueOf(lane.instance, step, i);
    return absl::OkStatus();
  }
  std::atomic<int64_t> wrong{0};
  int64_t serversError = 0, workersError = 0;
};

TEST(ActualSizes, RowsComeBackAndCountAsWhatTheyAre) {
  TaskHarness tasks(plan::rowsPlan(kWorkers));
  RowsHost host(40);
  auto lanes = tasks.lanes(host);
  ASSERT_EQ(tasks.run(lanes), absl::OkStatus());
  EXPECT_EQ(host.wrong, 0);
  uint64_t rows = 0, most = 0;
  for (uint64_t step = 0; step < 40; ++step)
    for (uint32_t worker = 0; worker < kWorkers; ++worker)
      rows += uint64_t(RowsHost::countOf(worker, step));
  for (const plan::Program &program : tasks.plan.programs())
    most += program.bytes_sent_per_step() * program.instances() * 40;
  EXPECT_EQ(tasks.transport->counters().bytesSent, rows * 4 * 2);
  EXPECT_EQ(tasks.transport->counters().bytesReceived, rows * 4 * 2);
  EXPECT_LT(rows * 4 * 2, most);
  EXPECT_EQ(most, 40 * kWorkers * kMost * 4 * 2);
}

std::string failureWith(int64_t serversError, int64_t workersError) {
  TaskHarness tasks(plan::rowsPlan(kWorkers));
  RowsHost host(40);
  host.serversError = serversError;
  host.workersError = workersError;
  auto lanes = tasks.lanes(host);
  LaneRunOptions options;
  options.deadline = absl::Seconds(20);
  return std::string(tasks.run(lanes, options).message());
}

TEST(ActualSizes, AMessageOfAnotherSizeIsNamed) {
  // at step 0 worker 1 has 7 rows and worker 2 has 14
  EXPECT_THAT(
      failureWith(1, 0),
      HasSubstr(
          "at step 1: to receive rows.up[1] (by-hand.mlir:1:3) from /job:worker/task:1 echo.worker[1]: the "
          "message has 28 bytes; expected 8 times 4"));
  EXPECT_THAT(failureWith(-7, 0), HasSubstr("the message has 28 bytes; expected 0 times 4"));
  EXPECT_THAT(failureWith(0, -1), HasSubstr("the message has 52 bytes; expected 14 times 4"));
}

TEST(ActualSizes, ACountThatNoMessageHasIsNamed) {
  EXPECT_THAT(
      failureWith(0, -15),
      HasSubstr(
          "to send rows.up[2] (by-hand.mlir:1:3) to /job:ps/task:0 echo.ps: a message of -1 times 4 bytes; "
          "expected 0 to 16"));
  EXPECT_THAT(failureWith(0, 3), HasSubstr("a message of 17 times 4 bytes; expected 0 to 16"));
  EXPECT_THAT(failureWith(-8, 0),
              HasSubstr("to receive rows.up[1] (by-hand.mlir:1:3) from /job:worker/task:1 "
                        "echo.worker[1]: a message of -1 times 4 bytes"));
  EXPECT_THAT(failureWith(INT64_MAX - 7, 0),
              HasSubstr("a message of 9223372036854775807 times 4 bytes; expected 0 to 16"));
}

/// What a peer says of its message is compared with what this task knows.
TEST(ActualSizes, AMessageBackThatIsTooShortIsNamed) {
  TaskHarness tasks(plan::rowsPlan(kWorkers));
  RowsHost host(40);
  auto lanes = tasks.lanes(host);
  std::erase_if(lanes, [](auto &lane) {
    return lane->info().programIndex != 0 || lane->info().instance != 1;
  });
  ASSERT_EQ(lanes.size(), 1u);
  const std::vector<float> rows(kMost);
  ASSERT_EQ(tasks.transport->sender({1, 1})->start(rows.data(), 0, transport::SendMode::Copy, 24),
            transport::PollState::Ready);
  LaneRunOptions options;
  options.deadline = absl::Seconds(20);
  EXPECT_THAT(
      std::string(tasks.run(lanes, options).message()),
      HasSubstr(
          "to receive rows.down[1] (by-hand.mlir:2:3) from /job:ps/task:0 echo.ps: the message has 24 "
          "bytes; expected 7 times 4"));
}

} // namespace
} // namespace graphc::executor
