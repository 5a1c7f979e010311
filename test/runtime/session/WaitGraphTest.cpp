// Who is the cause of a wait: by hand, and of real lanes of which one is stopped at any moment, is
// slow, or loses a message.
#include "runtime/session/hangs/WaitGraph.h"

#include "runtime/session/hangs/HangWatch.h"
#include "test/runtime/common/plan/PlanBuilder.h"
#include "test/runtime/executor/TaskHarness.h"
#include "test/runtime/executor/TestHost.h"
#include "test/runtime/session/LonePlan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

namespace graphc::session {
namespace {
using plan::LaneActivity;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr absl::Duration kLong = absl::Seconds(20);

/// What tasks told, by hand.
struct ToldLanes {
  explicit ToldLanes(plan::Plan given)
      : plan(std::move(given)), tasks(plan::allTasks(plan).size()) {
    EXPECT_EQ(plan::verifyPlan(plan), absl::OkStatus());
    for (uint32_t task = 0; task < tasks.size(); ++task)
      tasks[task].process = absl::StrCat("process ", 100 + task, " on here");
  }
  /// The instruction of a kind, the n-th of them.
  uint32_t find(uint32_t program, plan::Instruction::KindCase kind, int n = 0) const {
    for (int i = 0; i < plan.programs(int(program)).instructions_size(); ++i)
      if (plan.programs(int(program)).instructions(i).kind_case() == kind && n-- == 0)
        return uint32_t(i);
    ADD_FAILURE() << "there is no such instruction";
    return 0;
  }
  void lane(const plan::LanePosition &place, absl::Duration stood) {
    const plan::Program &program = plan.programs(int(place.lane.program));
    const uint32_t task =
        plan::taskNumber(plan, plan::instanceTask(plan, program, place.lane.instance));
    EXPECT_TRUE(plan::checkPlace(plan, task, place));
    tasks[task].lanes.push_back({place, stood});
  }
  std::optional<WaitCause> cause(absl::Duration least = absl::Seconds(10)) const {
    return findCause(plan, tasks, least);
  }

  plan::Plan plan;
  std::vector<WatchedTask> tasks;
};

/// One server and two workers at step 3: worker 1 computes its gradient, the server waits for that,
/// worker 0 for the variable.
constexpr uint32_t kWorkerProgram = 0, kServerProgram = 1; // programs
constexpr uint32_t kToWorker = 0, kToServer = 1; // channels
ToldLanes waiting() {
  ToldLanes told(plan::parameterServerPlan({1, 2}));
  told.lane({{kServerProgram, 0},
             3,
             false,
             0,
             told.find(kServerProgram, plan::Instruction::kAggregate),
             LaneActivity::Receives,
             kToServer,
             1},
            kLong);
  told.lane({{kWorkerProgram, 0},
             4,
             false,
             0,
             told.find(kWorkerProgram, plan::Instruction::kReceive),
             LaneActivity::Receives,
             kToWorker,
             0},
            kLong);
  told.lane({{kWorkerProgram, 1},
             3,
             false,
             0,
             told.find(kWorkerProgram, plan::Instruction::kCall),
             LaneActivity::Works},
            kLong);
  return told;
}

TEST(WaitGraph, NobodyWaits) {
  ToldLanes told(plan::parameterServerPlan({1, 2}));
  EXPECT_FALSE(told.cause());
  EXPECT_FALSE(waiting().cause(absl::Seconds(30))) << "not for so long";
}

TEST(WaitGraph, ASlowKernelIsNamedWithItsLineAndWhoWaits) {
  ToldLanes told = waiting();
  plan::Plan &plan = told.plan;
  plan.add_locations("model.mlir:4:5");
  plan.mutable_programs(kWorkerProgram)
      ->mutable_instructions(int(told.find(kWorkerProgram, plan::Instruction::kCall)))
      ->set_location(uint32_t(plan.locations_size()) - 1);
  const std::optional<WaitCause> cause = told.cause();
  ASSERT_TRUE(cause);
  EXPECT_EQ(cause->kind, CauseKind::Slow);
  EXPECT_EQ(cause->name, "/job:worker/task:1");
  EXPECT_EQ(
      cause->text,
      "/job:worker/task:1 train_step.worker[1] computes kernel gradient (model.mlir:4:5) at step 4 for 20s; for it "
      "/job:ps/task:0 train_step.ps0 waits at step 4 to receive w0.gradient[1] (by-hand.mlir:2:3) from "
      "/job:worker/task:1 train_step.worker[1], for 20s");
  ASSERT_EQ(cause->chain.size(), 3u) << "worker 0 waits for the server, which waits for worker 1";
  EXPECT_THAT(
      cause->chain[0],
      HasSubstr(
          "/job:worker/task:0 train_step.worker[0] waits at step 5 to receive w0.to_worker[0]"));
}

TEST(WaitGraph, WhoWaitsLongestIsNamedWhereItIsAnother) {
  ToldLanes told = waiting();
  // the server, and worker 1
  told.tasks[0].lanes[0].stood = told.tasks[2].lanes[0].stood = absl::Milliseconds(9900);
  const std::optional<WaitCause> cause = told.cause();
  ASSERT_TRUE(cause);
  EXPECT_EQ(cause->kind, CauseKind::Slow);
  EXPECT_EQ(cause->waited, kLong);
  EXPECT_THAT(cause->text, HasSubstr(" for 9s; for it /job:ps/task:0 "));
  EXPECT_THAT(cause->text, testing::ContainsRegex(
                               "worker\\[1\\], for 9s; for that /job:worker/task:0 .*, for 20s$"));
}

TEST(WaitGraph, ASilentTaskIsNamedWhereverItWas) {
  for (LaneActivity doing : {LaneActivity::Works, LaneActivity::Between}) {
    ToldLanes told = waiting();
    told.tasks[2].silent = absl::Seconds(12);
    told.tasks[2].stopped = true;
    told.tasks[2].lanes[0].place.doing = doing;
    const std::optional<WaitCause> cause = told.cause();
    ASSERT_TRUE(cause);
    EXPECT_EQ(cause->kind, CauseKind::Silent);
    EXPECT_EQ(cause->task, 2u);
    EXPECT_THAT(
        cause->text,
        HasSubstr(
            "/job:worker/task:1 (process 102 on here) does not answer for 12s; it is stopped (SIGSTOP"));
    EXPECT_THAT(cause->text,
                HasSubstr("when it was heard last /job:worker/task:1 train_step.worker[1] "));
  }
}

TEST(WaitGraph, AMessageThatWasSentIsTheConnectionsFault) {
  ToldLanes told = waiting();
  told.tasks[2].lanes[0] = {{{kWorkerProgram, 1},
                             4,
                             false,
                             0,
                             told.find(kWorkerProgram, plan::Instruction::kReceive),
                             LaneActivity::Receives,
                             kToWorker,
                             1},
                            kLong};
  const std::optional<WaitCause> cause = told.cause();
  ASSERT_TRUE(cause);
  EXPECT_EQ(cause->kind, CauseKind::Lost);
  EXPECT_FALSE(cause->task) << "neither of the two is to blame";
  EXPECT_EQ(cause->name, "the connection between /job:ps/task:0 and /job:worker/task:1");
  EXPECT_THAT(cause->text, HasSubstr("half open"));
}

TEST(WaitGraph, SilenceSaysMoreThanASlowKernel) {
  // ps0 waits for worker 0, which computes; ps1 for worker 1, which is away
  ToldLanes told(plan::parameterServerPlan({2, 2}));
  const uint32_t sum = told.find(kServerProgram, plan::Instruction::kAggregate),
                 call = told.find(kWorkerProgram, plan::Instruction::kCall);
  told.lane({{kServerProgram, 0}, 3, false, 0, sum, LaneActivity::Receives, 1, 0}, kLong);
  told.lane({{kServerProgram + 1, 0}, 3, false, 0, sum, LaneActivity::Receives, 4, 1}, kLong);
  told.lane({{kWorkerProgram, 0}, 3, false, 0, call, LaneActivity::Works}, absl::Hours(1));
  told.lane({{kWorkerProgram, 1}, 3, false, 0, call, LaneActivity::Works}, absl::Seconds(1));
  EXPECT_EQ(told.cause()->name, "/job:worker/task:0");
  told.tasks[3].silent = absl::Seconds(4);
  EXPECT_EQ(told.cause()->name, "/job:worker/task:1");
}

/// One that is started again while the others go on is no cause, nor is the server's lane that
/// stands until it is back, nor who waits for that one by the bound on staleness.
TEST(WaitGraph, WhoIsAwayIsNoCauseAndNobodyElseIsNamedForIt) {
  plan::ParameterServerShape shape{1, 2};
  shape.async = true;
  for (LaneActivity stands : {LaneActivity::Receives, LaneActivity::Between})
    for (bool isThere : {false, true}) { // its next process has said hello
      ToldLanes told(plan::parameterServerPlan(shape));
      const uint32_t receive = told.find(kServerProgram, plan::Instruction::kReceive),
                     ticket = told.find(kServerProgram, plan::Instruction::kTicket);
      told.lane({{kServerProgram, 1}, 3, false, 0, receive, stands, kToServer, 1}, kLong);
      told.lane({{kServerProgram, 0}, 5, false, 0, ticket, LaneActivity::Ticket, 0, 1}, kLong);
      told.lane({{kWorkerProgram, 0},
                 5,
                 false,
                 0,
                 told.find(kWorkerProgram, plan::Instruction::kReceive),
                 LaneActivity::Receives,
                 kToWorker,
                 0},
                kLong);
      told.tasks[2].silent = isThere ? absl::ZeroDuration() : absl::InfiniteDuration();
      ASSERT_TRUE(told.cause()) << "without a word of it somebody is named";
      told.tasks[2].away = true;
      EXPECT_FALSE(told.cause()) << told.cause()->sentence();

      told.tasks[0].lanes[1] = {
          {{kServerProgram, 0}, 5, false, 0, receive, LaneActivity::Receives, kToServer, 0}, kLong};
      told.tasks[1].lanes[0] = {{{kWorkerProgram, 0},
                                 5,
                                 false,
                                 0,
                                 told.find(kWorkerProgram, plan::Instruction::kCall),
                                 LaneActivity::Works},
                                kLong};
      ASSERT_TRUE(told.cause()) << "another cause is found meanwhile";
      EXPECT_EQ(told.cause()->name, "/job:worker/task:0");
      EXPECT_EQ(told.cause()->kind, CauseKind::Slow);
    }
}

TEST(WaitGraph, ATaskThatHasNoLaneIsNamed) {
  ToldLanes told = waiting();
  told.tasks[2].lanes.clear();
  EXPECT_EQ(told.cause()->kind, CauseKind::Absent);
  EXPECT_THAT(told.cause()->text,
              HasSubstr("/job:worker/task:1 train_step.worker[1] does not run"));
  told.tasks[2].silent = absl::InfiniteDuration();
  EXPECT_THAT(told.cause()->text,
              HasSubstr("/job:worker/task:1 (process 102 on here) has said nothing"));
}

TEST(WaitGraph, DataThatDoesNotComeIsAWaitOfItsOwn) {
  ToldLanes told(plan::lonePlan());
  told.lane({{0, 0}, 5, false, 0, told.find(0, plan::Instruction::kNextBatch), LaneActivity::Reads},
            kLong);
  const std::optional<WaitCause> cause = told.cause();
  ASSERT_TRUE(cause);
  EXPECT_EQ(cause->kind, CauseKind::Data);
  EXPECT_EQ(
      cause->text,
      "/job:local/task:0 train_step.local waits at step 6 for a batch of data set made for 20s: its "
      "files do not give it");
}

TEST(WaitGraph, PlacesThatNoTaskCanBeAtAreNotBelieved) {
  plan::Plan plan = plan::parameterServerPlan({1, 2});
  service::LanePosition place;
  place.set_program(kServerProgram);
  place.set_stood_ms(UINT64_MAX);
  ASSERT_TRUE(fromProto(plan, 0, place)) << "the server's first instruction";
  EXPECT_FALSE(fromProto(plan, 1, place)) << "of another task";
  for (auto damage : std::vector<std::function<void(service::LanePosition &)>>{
           [](auto &p) { p.set_program(9); }, [](auto &p) { p.set_instance(1); },
           [](auto &p) { p.set_instruction(1000); }, [](auto &p) { p.set_doing(99); },
           [](auto &p) { p.set_doing(uint32_t(LaneActivity::Receives)), p.set_channel(7); },
           [](auto &p) { p.set_doing(uint32_t(LaneActivity::Sends)), p.set_peer(2); },
           [](auto &p) { p.set_doing(uint32_t(LaneActivity::Reads)); },
           [](auto &p) { p.set_doing(uint32_t(LaneActivity::Ticket)), p.set_peer(1); },
           [](auto &p) { p.set_doing(uint32_t(LaneActivity::Choice)); }}) {
    service::LanePosition damaged = place;
    damage(damaged);
    EXPECT_FALSE(fromProto(plan, 0, damaged)) << damaged.DebugString();
  }
}

/// Real lanes of all tasks, in turns of this thread.
class Lanes {
public:
  Lanes(plan::Plan plan, uint32_t instances, std::optional<uint64_t> staleness)
      : harness(std::move(plan)), host(1000000, instances, staleness), lanes(harness.lanes(host)) {}

  /// A turn of each that may have one, in some order; whether any got on.
  bool turn(std::mt19937 &random, std::optional<size_t> without) {
    std::vector<size_t> order(lanes.size());
    for (size_t i = 0; i < order.size(); ++i)
      order[i] = i;
    std::shuffle(order.begin(), order.end(), random);
    bool moved = false;
    for (size_t i : order) {
      if (i == without)
        continue;
      const executor::Lane::Progress before = lanes[i]->progress();
      if (failed.contains(i) || lanes[i]->run() == executor::LaneState::Failed)
        failed.insert(i); // it has taken a later message for a lost one, which it says
      moved |= !(lanes[i]->progress() == before);
    }
    return moved;
  }
  uint32_t taskOf(size_t lane) const {
    return plan::taskNumber(harness.plan, lanes[lane]->info().task);
  }
  /// As the tasks would tell it after a while, in which those that could have got on.
  std::vector<WatchedTask> told(std::mt19937 &random, std::optional<size_t> without) {
    std::vector<executor::Lane::Progress> before;
    for (auto &lane : lanes)
      before.push_back(lane->progress());
    for (int turns = 0; turns < 20; ++turns)
      turn(random, without);
    std::vector<WatchedTask> tasks(harness.stores.size());
    for (size_t i = 0; i < lanes.size(); ++i) {
      EXPECT_TRUE(plan::checkPlace(harness.plan, taskOf(i), lanes[i]->place()))
          << lanes[i]->describeWait();
      tasks[taskOf(i)].lanes.push_back(
          {lanes[i]->place(), lanes[i]->progress() == before[i] ? kLong : absl::ZeroDuration()});
    }
    return tasks;
  }

  executor::TaskHarness harness;
  executor::TestHost host;
  std::set<size_t> failed;
  std::vector<std::unique_ptr<executor::Lane>> lanes;
};

struct Shape {
  const char *name;
  std::function<plan::Plan()> plan;
  uint32_t instances = 64;
  std::optional<uint64_t> staleness = {};
};

plan::Plan boundedPlan(uint32_t workers) {
  plan::Plan plan = plan::parameterServerPlan({1, workers, 16, true});
  for (plan::Instruction &instruction :
       *plan.mutable_programs(kServerProgram)->mutable_instructions())
    if (instruction.has_ticket())
      instruction.mutable_ticket()->set_max_staleness(1);
  return plan;
}

const Shape kShapes[] = {
    {"Sync", [] { return plan::parameterServerPlan({1, 3}); }},
    {"SyncServers", [] { return plan::parameterServerPlan({3, 3}); }},
    {"Ahead", [] { return plan::parameterServerPlan({2, 3, 16, false, 0, false, false, true}); }},
    {"InSlots", [] { return plan::parameterServerPlan({2, 2, 16, false, 0, false, true}); }},
    {"Loops", [] { return plan::talkingLoopsPlan(5); }},
    {"MicroBatches", [] { return plan::loopPlan(); }},
    {"Async", [] { return plan::parameterServerPlan({1, 3, 16, true}); }},
    {"Bounded", [] { return boundedPlan(3); }, 3, 1},
    {"Sums", [] { return plan::sumsPlan(4); }},
    {"SumsOfHosts", [] { return plan::sumsPlan(4, 1, 16384, 2); }},
};
struct OfLanes : testing::TestWithParam<Shape> {};
struct OfMessages : OfLanes {}; // all but those of sums, whose moves are not told apart

/// At any moment any lane stops: as a task that does not answer, as an instruction that takes for
/// ever. It is named, and nobody else.
TEST_P(OfLanes, TheOneThatStandsStillIsNamed) {
  uint32_t named = 0;
  for (uint32_t seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    Lanes run(GetParam().plan(), GetParam().instances, GetParam().staleness);
    for (uint32_t turns = random() % 12; turns > 0; --turns)
      run.turn(random, std::nullopt);
    const size_t still = random() % run.lanes.size();
    for (int turns = 0; run.turn(random, still) && turns < 200; ++turns) {
      // asynchronous lanes do not all come to wait
    }
    const std::vector<WatchedTask> told = run.told(random, still);
    ASSERT_TRUE(run.failed.empty());
    for (bool silent : {true, false}) {
      std::vector<WatchedTask> tasks = told;
      const uint32_t culprit = run.taskOf(still);
      for (StandingLane &lane : tasks[culprit].lanes)
        if (lane.place.lane == plan::LaneName{run.lanes[still]->info().programIndex,
                                              run.lanes[still]->info().instance})
          lane.place.doing = LaneActivity::Works;
      if (silent)
        tasks[culprit].silent = absl::Seconds(9);
      const std::optional<WaitCause> cause = findCause(run.harness.plan, tasks, absl::Seconds(10));
      if (!cause)
        continue;
      ++named;
      ASSERT_EQ(cause->task, culprit) << "seed " << seed << ": " << cause->text;
      ASSERT_EQ(cause->kind, silent ? CauseKind::Silent : CauseKind::Slow)
          << "seed " << seed << ": " << cause->text;
    }
  }
  EXPECT_GE(named, 100u);
}

/// A message is taken away on its way: the two ends are named as a connection, and no task.
TEST_P(OfMessages, AMessageThatIsLostIsNamedByItsTwoEnds) {
  uint32_t named = 0;
  for (uint32_t seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    Lanes run(GetParam().plan(), GetParam().instances, GetParam().staleness);
    for (uint32_t turns = random() % 12; turns > 0; --turns)
      run.turn(random, std::nullopt);
    std::vector<executor::ChannelEndpoint> ends;
    for (const plan::Task &task : plan::allTasks(run.harness.plan))
      for (const executor::ChannelEndpoint &end : executor::taskEndpoints(run.harness.plan, task))
        if (!end.sends)
          ends.push_back(end);
    std::shuffle(ends.begin(), ends.end(), random);
    std::optional<uint32_t> lost;
    for (const executor::ChannelEndpoint &end : ends) {
      const void *data = nullptr;
      transport::RecvPort *port = run.harness.transport->receiver(end.spec.key);
      if (port->poll(&data) == transport::PollState::Ready) {
        port->release();
        lost = end.spec.key.channel;
        break;
      }
    }
    if (!lost)
      continue;
    for (int turns = 0; turns < 200; ++turns)
      run.turn(random, std::nullopt);
    const std::optional<WaitCause> cause =
        findCause(run.harness.plan, run.told(random, std::nullopt), absl::Seconds(10));
    if (!cause || !run.failed.empty())
      continue;
    ++named;
    ASSERT_FALSE(cause->task) << "seed " << seed << ": " << cause->text;
  }
  EXPECT_GE(named, 10u);
}

std::string nameOf(const testing::TestParamInfo<Shape> &info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Plans, OfLanes, testing::ValuesIn(kShapes), nameOf);
INSTANTIATE_TEST_SUITE_P(Plans, OfMessages,
                         testing::ValuesIn(std::begin(kShapes), std::end(kShapes) - 2), nameOf);

/// The chief's eye.
struct HangWatchTest : testing::Test {
  std::vector<service::TaskSnapshot> heard(absl::Duration stood,
                                           absl::Duration silent = absl::ZeroDuration()) {
    ToldLanes told = waiting();
    std::vector<service::TaskSnapshot> all(3);
    for (uint32_t task = 0; task < 3; ++task) {
      all[task].hello.set_name(plan::taskText(told.plan, plan::allTasks(told.plan)[task]));
      all[task].hello.set_pid(100 + task);
      all[task].hello.set_host("here");
      all[task].silent = absl::ZeroDuration();
      for (StandingLane lane : told.tasks[task].lanes) {
        lane.stood = stood;
        *all[task].progress.add_lanes() = toProto(lane);
      }
    }
    all[2].silent = silent;
    all[2].straggler = silent > absl::ZeroDuration();
    return all;
  }
  plan::Plan plan = plan::parameterServerPlan({1, 2});
  std::vector<std::string> said;
  HangLimits limits{absl::Seconds(10), absl::Seconds(60), absl::Seconds(300)};
  HangWatch watch{plan, limits, [this](const std::string &line) { said.push_back(line); }};
};

TEST_F(HangWatchTest, ReportsWhenTheTimeHasDoubledAndEndsAtTheDeadline) {
  EXPECT_FALSE(watch.judge(heard(absl::Seconds(9))));
  EXPECT_TRUE(said.empty());
  for (int s : {11, 15, 19})
    EXPECT_FALSE(watch.judge(heard(absl::Seconds(s))));
  ASSERT_EQ(said.size(), 4u) << "one report of a line and a chain of three";
  EXPECT_THAT(
      said[0],
      HasSubstr("a wait lasts: /job:worker/task:1 train_step.worker[1] computes kernel gradient"));
  EXPECT_FALSE(watch.judge(heard(absl::Seconds(21))));
  EXPECT_EQ(said.size(), 8u);
  EXPECT_FALSE(watch.judge(heard(absl::Seconds(1)))) << "it got on";
  EXPECT_FALSE(watch.judge(heard(absl::Seconds(12))));
  EXPECT_EQ(said.size(), 12u);
  const std::optional<service::RootCause> root = watch.judge(heard(absl::Seconds(61)));
  ASSERT_TRUE(root);
  EXPECT_EQ(root->task, "/job:worker/task:1");
  EXPECT_EQ(root->pid, 102);
  EXPECT_THAT(std::string(root->status.message()), HasSubstr("longer than --wait_deadline (1m)"));
}

TEST_F(HangWatchTest, WhoWaitsForAStragglerHasItsGrace) {
  EXPECT_FALSE(watch.judge(heard(absl::Seconds(61), absl::Seconds(61))));
  EXPECT_FALSE(watch.judge(heard(absl::Seconds(299), absl::Seconds(299))));
  const std::optional<service::RootCause> root =
      watch.judge(heard(absl::Seconds(301), absl::Seconds(301)));
  ASSERT_TRUE(root);
  EXPECT_EQ(root->task, "/job:worker/task:1");
}

TEST_F(HangWatchTest, WhoHasWaitedForALostTaskWaitsAnewForItsNextProcess) {
  std::vector<service::TaskSnapshot> waiting = heard(absl::Seconds(301), absl::Seconds(301));
  waiting[2].away = true;
  EXPECT_FALSE(watch.judge(waiting)) << "it is started again";
  waiting = heard(absl::Seconds(310));
  for (int s : {0, 3, 5, 59}) {
    waiting[2].back = absl::Seconds(s);
    EXPECT_FALSE(watch.judge(waiting)) << s;
  }
  EXPECT_TRUE(said.size() && said[0].find("for 59s") != std::string::npos)
      << (said.empty() ? "nothing" : said[0]);
  waiting[2].back = absl::Seconds(61);
  const std::optional<service::RootCause> root = watch.judge(waiting);
  ASSERT_TRUE(root);
  EXPECT_EQ(root->task, "/job:worker/task:1");
}

TEST_F(HangWatchTest, AKernelForWhichNobodyWaitsHasTheTasksDeadline) {
  std::vector<service::TaskSnapshot> alone = heard(absl::Seconds(299));
  alone[0].progress.clear_lanes();
  alone[1].progress.clear_lanes();
  EXPECT_FALSE(watch.judge(alone));
  alone[2].progress.mutable_lanes(0)->set_stood_ms(301000);
  const std::optional<service::RootCause> root = watch.judge(alone);
  ASSERT_TRUE(root);
  EXPECT_THAT(std::string(root->status.message()), AllOf(HasSubstr("computes kernel gradient"),
                                                         HasSubstr("longer than --deadline (5m)")));
}

} // namespace
} // namespace graphc::session
