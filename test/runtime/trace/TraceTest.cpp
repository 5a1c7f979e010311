// What lanes record, which messages these are, one clock for all, and a run's whole trace over both
// transports.
#include "runtime/common/base/File.h"
#include "runtime/common/trace/TraceFile.h"
#include "runtime/trace/TraceMerge.h"
#include "test/runtime/common/plan/PlanBuilder.h"
#include "test/runtime/executor/TaskHarness.h"
#include "test/runtime/executor/TestHost.h"
#include "test/runtime/session/TestCluster.h"

#include <gmock/gmock.h>

#include <filesystem>

namespace graphc::session {
namespace {
using executor::TraceRecord;
using testing::ElementsAre;
using testing::HasSubstr;

/// A plan whose lanes run here, all steps of each recorded.
std::vector<TracedLane> traceOf(executor::TaskHarness &tasks, uint64_t steps, uint64_t first = 0) {
  executor::TestHost host(steps);
  auto lanes = tasks.lanes(host);
  std::vector<std::unique_ptr<executor::LaneTrace>> traces;
  for (auto &lane : lanes) {
    traces.push_back(
        std::make_unique<executor::LaneTrace>(lane->ofProgram(), first, steps, 100000));
    lane->traceTo(traces.back().get());
  }
  EXPECT_EQ(tasks.run(lanes), absl::OkStatus());
  std::vector<TracedLane> traced;
  for (size_t i = 0; i < lanes.size(); ++i) {
    const std::span<const TraceRecord> records = traces[i]->records();
    EXPECT_EQ(traces[i]->lost(), 0u);
    traced.push_back({plan::taskNumber(tasks.plan, lanes[i]->info().task),
                      lanes[i]->info().programIndex,
                      lanes[i]->info().instance,
                      1,
                      first,
                      {records.begin(), records.end()},
                      0});
  }
  return traced;
}

/// Each message has one sender and one receiver, on the tasks of its channel's ends; how many there
/// are.
size_t pairUp(const plan::Plan &plan, const std::vector<TracedLane> &lanes, uint64_t steps) {
  std::map<MessageId, std::pair<int, int>> ends;
  std::map<MessageId, std::pair<int64_t, int64_t>> times;
  for (const TracedLane &lane : lanes) {
    TraceMessages messages(plan, lane.program, lane.instance);
    for (const TraceRecord &record : lane.records)
      for (const MessageEnd &end : messages.of(lane, record)) {
        if (end.id.step >= steps) // sent ahead, for a step that does not come
          continue;
        ++(end.sends ? ends[end.id].first : ends[end.id].second);
        (end.sends ? times[end.id].first : times[end.id].second) =
            end.sends ? record.begin : record.end;
      }
  }
  for (auto &[id, count] : ends) {
    EXPECT_EQ(count, std::pair(1, 1))
        << plan.channels(static_cast<int>(id.channel)).name() << "[" << id.instance << "] at step "
        << id.step << ", " << id.number;
    EXPECT_LE(times[id].first, times[id].second);
  }
  return ends.size();
}

TEST(Trace, EveryMessageHasItsTwoEnds) {
  constexpr uint64_t kSteps = 6;
  for (plan::ParameterServerShape shape : {plan::ParameterServerShape{1, 1},
                                           {2, 3},
                                           {2, 4, 4096, false, 16},
                                           {2, 3, 16, false, 0, true, true},
                                           {2, 3, 4096, false, 16, true, true, true}}) {
    executor::TaskHarness tasks(plan::parameterServerPlan(shape));
    // A parameter, and a gradient, of each server with each worker; the control message to each
    // other lane.
    EXPECT_EQ(pairUp(tasks.plan, traceOf(tasks, kSteps), kSteps),
              kSteps * (2 * shape.servers * shape.workers + shape.servers + shape.workers - 1));
  }
}

TEST(Trace, MessagesOfLoopsAreOnesOfIterations) {
  executor::TaskHarness tasks(plan::talkingLoopsPlan(5));
  EXPECT_GE(pairUp(tasks.plan, traceOf(tasks, 3), 3), 3u * 2 * 5);
}

TEST(Trace, MovesOfAnAllReduceAreMessages) {
  for (auto [workers, hosts] : {std::pair(2u, 1u), {3u, 1u}, {4u, 2u}}) {
    executor::TaskHarness tasks(plan::sumsPlan(workers, 1, 16384, hosts));
    const size_t messages = pairUp(tasks.plan, traceOf(tasks, 4), 4);
    EXPECT_GE(messages, 4u * 2 * workers * (workers - 1) / hosts) << workers;
  }
}

TEST(Trace, AsynchronousLanesEndInTheMiddleOfAStep) {
  executor::TaskHarness tasks(plan::parameterServerPlan({1, 3, 16, true}));
  const std::vector<TracedLane> lanes = traceOf(tasks, 12);
  EXPECT_GT(pairUp(tasks.plan, lanes, 1000), 12u);
  for (const TracedLane &lane : lanes)
    EXPECT_EQ(lane.records.back().kind, TraceRecord::Step);
}

// Records follow one another in their step, without holes, and what is not asked for is not
// recorded.
TEST(Trace, RecordsFillTheirStep) {
  executor::TaskHarness tasks(plan::parameterServerPlan({1, 2}));
  for (const TracedLane &lane : traceOf(tasks, 20, /*first=*/17)) {
    std::vector<uint32_t> steps;
    int64_t at = 0;
    bool begun = false;
    for (const TraceRecord &record : lane.records) {
      if (begun && record.kind != TraceRecord::Step)
        EXPECT_EQ(record.begin, at);
      begun = record.kind != TraceRecord::Step;
      at = record.end;
      if (record.kind == TraceRecord::Step)
        steps.push_back(record.step);
    }
    EXPECT_THAT(steps, ElementsAre(0, 1, 2));
  }
}

TEST(Trace, AFullTraceCountsWhatItHasNotTaken) {
  executor::TaskHarness tasks(plan::parameterServerPlan({1, 1}));
  executor::TestHost host(50);
  auto lanes = tasks.lanes(host);
  executor::LaneTrace trace(lanes[0]->ofProgram(), 0, 50, 10);
  lanes[0]->traceTo(&trace);
  ASSERT_EQ(tasks.run(lanes), absl::OkStatus());
  EXPECT_EQ(trace.records().size(), 10u);
  EXPECT_GT(trace.lost(), 50u);
}

TEST(Trace, RecordsOfAPeerAreChecked) {
  plan::Plan plan = plan::parameterServerPlan({1, 1});
  auto decoded = [&](std::vector<TraceRecord> records, size_t cut = 0) {
    std::string bytes(reinterpret_cast<const char *>(records.data()),
                      records.size() * sizeof(TraceRecord) - cut);
    return std::string(executor::decodeRecords(bytes, plan.programs(0)).status().message());
  };
  TraceRecord good{10, 20, 0, 0, 0, 0, 1, TraceRecord::Work};
  EXPECT_EQ(decoded({good, good}), "");
  EXPECT_THAT(decoded({good}, 1), HasSubstr("no whole records"));
  TraceRecord bad = good;
  bad.instruction = 1000;
  EXPECT_THAT(decoded({bad}), HasSubstr("is of instruction 1000 of"));
  bad = good;
  bad.begin = 30;
  EXPECT_THAT(decoded({bad}), HasSubstr("goes back in time, or beyond it"));
  bad = good;
  bad.end = 15;
  EXPECT_THAT(decoded({good, bad}), HasSubstr("goes back in time, or beyond it"));
  bad = good;
  bad.end = INT64_MAX;
  EXPECT_THAT(decoded({bad}), HasSubstr("goes back in time, or beyond it"));
  bad = good;
  bad.kind = static_cast<TraceRecord::Kind>(9);
  EXPECT_THAT(decoded({bad}), HasSubstr("of no kind"));
  bad = good;
  bad.kind = TraceRecord::Moves;
  EXPECT_THAT(decoded({bad}), HasSubstr("no all-reduce"));
}

TEST(TraceClocks, WhatWasMeasuredCounts) {
  using service::ClockOffset;
  // Task 1 is on this host and within its error; task 2 is on another; task 3 is here in a time
  // namespace of its own; task 4 did not answer.
  EXPECT_THAT(alignClocks({std::nullopt, ClockOffset{20, 50}, ClockOffset{20, 50},
                           ClockOffset{-7000, 50}, std::nullopt},
                          {true, true, false, true, false}, 0, {}),
              ElementsAre(0, 0, 20, -7000, 0));
}

// What a peer says of its clock is within bounds, whatever it says.
TEST(TraceClocks, WhatCannotBeDoesNoHarm) {
  constexpr int64_t kMost = executor::kMostTraceTime;
  const std::vector<TracedMessage> messages = {
      {0, 1, kMost, 0}, {1, 2, kMost, 0}, {2, 1, kMost, 0}, {1, 0, 0, kMost}};
  for (int64_t offset : alignClocks({std::nullopt, service::ClockOffset{INT64_MIN + 1, 50},
                                     service::ClockOffset{INT64_MAX, 50}},
                                    {true, false, true}, 0, messages))
    EXPECT_LE(std::abs(offset), kMost);
}

TEST(TraceClocks, NothingIsTakenBeforeItIsSent) {
  // By the measured clock a message of task 1 would arrive 100 before it left, and one to it take
  // 400.
  const std::vector<TracedMessage> messages = {{1, 0, 1000, 900}, {0, 1, 2000, 2400}};
  const std::vector<int64_t> offsets =
      alignClocks({std::nullopt, service::ClockOffset{0, 300}}, {true, false}, 0, messages);
  EXPECT_THAT(offsets, ElementsAre(0, -100));
  // Nobody answered: the messages alone say where they may be, also by way of another task.
  const std::vector<TracedMessage> ring = {
      {0, 1, 0, 1000100}, {1, 2, 1000200, 90}, {2, 0, 100, 500}, {1, 0, 1000300, 600}};
  const std::vector<int64_t> found =
      alignClocks({std::nullopt, std::nullopt, std::nullopt}, {true, false, false}, 0, ring);
  for (const TracedMessage &message : ring)
    EXPECT_LE(message.sent + found[message.from], message.received + found[message.to]);
}

struct TracedRun : testing::TestWithParam<std::string> {
  TracedRun() : folder(testing::TempDir() + "/trace-" + service::randomHex(6)) {
    std::filesystem::create_directories(folder);
    options.transport = GetParam();
    options.traceFile = folder + "/run.pftrace";
    options.steps = 30;
  }
  ~TracedRun() override { std::filesystem::remove_all(folder); }
  trace::MeasuredTrace read() {
    auto bytes = base::readFile(options.traceFile);
    EXPECT_TRUE(bytes.ok()) << bytes.status();
    auto trace = trace::readTrace(bytes.value_or(""));
    EXPECT_TRUE(trace.ok()) << trace.status();
    return trace.value_or(trace::MeasuredTrace());
  }
  std::string folder;
  DriverOptions options;
};

TEST_P(TracedRun, HasTenStepsOfEachLane) {
  options.statsFile = folder + "/stats.json";
  TestCluster cluster(plan::parameterServerPlan({2, 3, 4096}), options);
  ASSERT_EQ(cluster.run(), absl::OkStatus());
  const trace::MeasuredTrace trace = read();
  EXPECT_EQ(trace.plan, std::string(64, 'a'));
  EXPECT_EQ(trace.steps.size(), 10u * 5);
  for (const trace::MeasuredTrace::Step &step : trace.steps)
    EXPECT_GE(step.parts.size(), 4u);
  EXPECT_THAT(cluster.logged, testing::Contains(HasSubstr("run.pftrace: steps 2 to 11, ")));
  // 2 x 3 parameters and gradients, 4 control messages, each of 10 steps.
  EXPECT_THAT(cluster.logged, testing::Contains(HasSubstr(" 160 messages;")));
  auto stats = base::readFile(options.statsFile);
  EXPECT_THAT(stats.value_or(""), HasSubstr("\"messages\": 160"));
}

TEST_P(TracedRun, StepsThatAreAskedFor) {
  options.profileSteps = {29, 50};
  TestCluster cluster(plan::parameterServerPlan({1, 2}), options);
  ASSERT_EQ(cluster.run(), absl::OkStatus());
  EXPECT_EQ(read().steps.size(), 2u * 3);
  EXPECT_THAT(cluster.logged, testing::Contains(HasSubstr("steps 29 to 30, ")));
}

TEST_P(TracedRun, StepsThatNoneMakes) {
  options.profileSteps = {31, 50};
  TestCluster cluster(plan::parameterServerPlan({1, 2}), options);
  EXPECT_THAT(std::string(cluster.run().message()),
              HasSubstr("--profile_steps 31,50: the run makes steps 1 to 30, none of these"));
}

INSTANTIATE_TEST_SUITE_P(Transports, TracedRun, testing::Values("shm", "grpc"));

} // namespace
} // namespace graphc::session
