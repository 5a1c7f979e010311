// Sessions of the tasks of one plan, all in this process: real servers, control streams and
// transports, which the sanitizers see. What test_hooks.py does with processes.
#include "runtime/api/Session.h"

#include "runtime/api/TaskRendezvous.h"
#include "runtime/checkpoint/NpyFormat.h"
#include "runtime/common/base/Socket.h"
#include "runtime/service/RunSecret.h"
#include "runtime/session/task/StepArbiter.h"
#include "test/runtime/common/plan/PlanBuilder.h"
#include "test/runtime/session/ScriptedLink.h"

#include "absl/strings/str_cat.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <thread>
#include <vector>

namespace graphc::session {
namespace {
using testing::HasSubstr;

/// Keeps what it gets of a result, and stops or fails in the step that it is told.
struct Keeper : Hook {
  explicit Keeper(std::string name, std::string fetch = "loss0")
      : called(std::move(name)), fetch(std::move(fetch)) {}
  std::string name() const override { return called; }
  absl::StatusOr<RunArgs> beforeRun(const RunContext &) override { return RunArgs{{fetch}}; }
  absl::Status afterRun(const RunContext &context, const RunValues &values) override {
    EXPECT_TRUE(values.fetched.contains(fetch));
    kept[values.globalStep] = values.fetched.at(fetch);
    if (values.globalStep == stopAt)
      context.requestStop();
    return values.globalStep == failAt ? absl::OutOfRangeError("it is Tuesday") : absl::OkStatus();
  }
  absl::Status end(Session &) override {
    ended = true;
    return absl::OkStatus();
  }
  const std::string called, fetch;
  std::map<uint64_t, FetchedTensor> kept;
  uint64_t stopAt = 0, failAt = 0;
  bool ended = false;
};

struct SteppedCluster : testing::TestWithParam<std::string> {
  SteppedCluster() : folder(testing::TempDir() + "/stepped-cluster-" + service::randomHex(6)) {
    std::filesystem::create_directories(folder);
    setenv("XDG_STATE_HOME", folder.c_str(), 1); // where the user's key is
    unsetenv("TF_CONFIG");
  }
  ~SteppedCluster() override { std::filesystem::remove_all(folder); }

  /// Of a plan with one server and two workers; ports that were free a moment ago.
  RunOptions optionsOf(const std::string &job, uint32_t index) {
    std::vector<base::UniqueFd> held; // until all are drawn, so that none comes twice
    for (const char *one : {"ps", "worker", "worker"}) {
      if (hosts["ps"].size() + hosts["worker"].size() == 3)
        break;
      auto port = base::listenAtAnyPort(/*everyInterface=*/false);
      EXPECT_TRUE(port.ok()) << port.status();
      hosts[one].push_back(absl::StrCat("127.0.0.1:", port->second));
      held.push_back(std::move(port->first));
    }
    RunOptions options;
    options.steps = uint64_t{1} << 30;
    options.cluster.hosts = hosts;
    options.cluster.jobName = job;
    options.cluster.taskIndex = index;
    options.cluster.transport = GetParam();
    options.cluster.joinDeadline = absl::Seconds(30);
    return options;
  }
  /// A task that nobody steps.
  std::jthread runs(const plan::Plan &plan, const std::string &job, uint32_t index,
                    absl::Status &status) {
    return std::jthread([&plan, &status, options = optionsOf(job, index)] {
      status = run(plan, options).status();
    });
  }
  static absl::StatusOr<RunResult> step(Session &session) {
    while (!session.shouldStop())
      session.run();
    return session.close();
  }
  std::string dumped(const std::string &where) const {
    auto array = checkpoint::readNpy(where + "/w0.npy");
    EXPECT_TRUE(array.ok()) << array.status();
    return array.ok() ? array->data : "";
  }
  const std::string folder;
  std::map<std::string, std::vector<std::string>> hosts;
};

TEST_P(SteppedCluster, TheChiefsStepsAreEverybodys) {
  const plan::Plan plan = plan::parameterServerPlan({1, 2, 16});
  std::vector<std::string> weights;
  std::vector<std::map<uint64_t, FetchedTensor>> losses;
  for (const bool stepped : {true, false}) {
    hosts.clear();
    RunOptions options = optionsOf("worker", 0);
    options.dumpDirectory = absl::StrCat(folder, "/dumped-", stepped);
    absl::Status server, worker;
    std::jthread first = runs(plan, "ps", 0, server), second = runs(plan, "worker", 1, worker);
    if (stepped) {
      auto keeper = std::make_shared<Keeper>("keeper");
      keeper->stopAt = 7;
      Session session(plan, options, {keeper});
      auto result = step(session);
      ASSERT_TRUE(result.ok()) << result.status();
      EXPECT_EQ(session.exitStatus(), 0);
      EXPECT_EQ(result->steps, 7u) << "and not one more";
      EXPECT_EQ(session.globalStep(), 7u);
      EXPECT_THAT(result->endedEarly, HasSubstr("at step 7"));
      EXPECT_TRUE(keeper->ended);
      losses.push_back(keeper->kept);
    } else {
      options.steps = 7;
      options.fetches = {"loss0"};
      auto result = run(plan, options);
      ASSERT_TRUE(result.ok()) << result.status();
      for (const FetchedTensor &value : result->fetches)
        losses.emplace_back(), losses[1][value.step + 1] = value;
    }
    first.join(), second.join();
    EXPECT_TRUE(server.ok()) << server;
    EXPECT_TRUE(worker.ok()) << worker;
    weights.push_back(dumped(options.dumpDirectory));
  }
  EXPECT_EQ(weights[0], weights[1]);
  ASSERT_EQ(losses[0].size(), 7u);
  for (auto &[step, value] : losses[0]) {
    EXPECT_EQ(value.data, losses[1][step].data) << step;
    EXPECT_EQ(value.task, "") << "of all";
  }
}

TEST_P(SteppedCluster, AWorkersSessionSeesItsOwnAndAsksForTheEnd) {
  const plan::Plan plan = plan::parameterServerPlan({1, 2, 16});
  absl::Status server, workers;
  auto all = std::make_shared<Keeper>("all"), own = std::make_shared<Keeper>("own");
  own->stopAt = 5;
  std::jthread first = runs(plan, "ps", 0, server);
  std::jthread second([&, options = optionsOf("worker", 1)] {
    Session session(plan, options, {own});
    workers = step(session).status();
    EXPECT_EQ(session.globalStep(), 5u);
  });
  Session session(plan, optionsOf("worker", 0), {all});
  auto result = step(session);
  first.join(), second.join();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(server.ok()) << server;
  EXPECT_TRUE(workers.ok()) << workers;
  EXPECT_GE(result->steps, 5u);
  EXPECT_EQ(result->steps, session.globalStep());
  EXPECT_THAT(result->endedEarly, HasSubstr("the end was asked for"));
  ASSERT_EQ(own->kept.size(), 5u);
  EXPECT_EQ(own->kept.begin()->second.task, "/job:worker/task:1");
  EXPECT_TRUE(own->ended && all->ended);
}

TEST_P(SteppedCluster, WhereReplicasShareNoStepEachSessionTakesItsOwn) {
  const plan::Plan plan = plan::parameterServerPlan({1, 2, 16, /*async=*/true});
  absl::Status server, worker;
  auto keeper = std::make_shared<Keeper>("keeper");
  keeper->stopAt = 9;
  std::jthread first = runs(plan, "ps", 0, server), second = runs(plan, "worker", 1, worker);
  Session session(plan, optionsOf("worker", 0), {keeper});
  auto result = step(session);
  first.join(), second.join();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(server.ok()) << server;
  EXPECT_TRUE(worker.ok()) << worker;
  EXPECT_EQ(keeper->kept.size(), 9u);
  EXPECT_EQ(keeper->kept[9].task, "/job:worker/task:0");
  EXPECT_GE(result->steps, 9u) << "updates of both";
}

TEST_P(SteppedCluster, AHooksErrorEndsAllByItsName) {
  const plan::Plan plan = plan::parameterServerPlan({1, 2, 16});
  for (const uint32_t fails : {0u, 1u}) {
    hosts.clear();
    absl::Status server, other;
    auto keeper = std::make_shared<Keeper>("fails");
    keeper->failAt = 3;
    std::jthread first = runs(plan, "ps", 0, server),
                 second = runs(plan, "worker", 1 - fails, other);
    Session session(plan, optionsOf("worker", fails), {keeper});
    absl::Status status = step(session).status();
    first.join(), second.join();
    EXPECT_EQ(status.message(), "hook fails, afterRun at step 2: it is Tuesday");
    EXPECT_EQ(session.exitStatus(), 1);
    EXPECT_FALSE(keeper->ended);
    for (const absl::Status &one : {server, other})
      EXPECT_THAT(std::string(one.message()),
                  HasSubstr(absl::StrCat("/job:worker/task:", fails,
                                         ": hook fails, afterRun at step 2: it is Tuesday")));
  }
}

INSTANTIATE_TEST_SUITE_P(Transports, SteppedCluster, testing::Values("shm", "grpc"),
                         [](const auto &info) { return info.param; });

TEST(TaskPlace, SaysWhatItNeeds) {
  unsetenv("TF_CONFIG");
  const plan::Plan plan = plan::parameterServerPlan({1, 2, 16});
  auto refuses = [&](const ClusterOptions &options) {
    return std::string(findPlace(plan, options).status().message());
  };
  EXPECT_THAT(refuses({}), HasSubstr("has 3 tasks, and nothing says where the others are"));
  ClusterOptions options;
  options.master = "localhost:1";
  EXPECT_THAT(refuses(options), HasSubstr("expected grpc://HOST:PORT"));
  options.graphrun = "graphrun";
  EXPECT_THAT(refuses(options), HasSubstr("give one of them"));
  options.master = "";
  options.jobName = "ps";
  EXPECT_THAT(refuses(options), HasSubstr("this is the chief, /job:worker/task:0"));
  options.graphrun = "";
  options.hosts = {{"ps", {"localhost:1"}}, {"worker", {"localhost:2", "localhost:3"}}};
  options.jobName = "wroker";
  EXPECT_THAT(refuses(options), HasSubstr("did you mean \"worker\""));
  options.jobName = "worker";
  options.taskIndex = 2;
  EXPECT_THAT(refuses(options), HasSubstr("taskIndex 2: the plan has 2 tasks of job worker"));
  options.taskIndex = 1;
  options.hosts["ps"] = {"10.0.0.1:1"};
  EXPECT_THAT(
      refuses(options),
      HasSubstr(
          "10.0.0.1:1 is not this machine's loopback: tasks on other machines need mutual TLS"));
  setenv("TF_CONFIG",
         R"({"cluster": {"ps": ["localhost:1"], "worker": ["localhost:2", "localhost:3"]},
                          "task": {"type": "worker", "index": 1}})",
         1);
  auto place = findPlace(plan, {});
  unsetenv("TF_CONFIG");
  ASSERT_TRUE(place.ok()) << place.status();
  EXPECT_FALSE(place->chief);
  EXPECT_EQ(place->addresses[place->task], "localhost:3");
}

TEST(StepArbiter, AStepPermitThatCannotBeIsRefused) {
  ScriptedLink link({});
  StepArbiter steps(nullptr, link);
  service::ToTask::StepPermit permit;
  permit.set_steps(3);
  EXPECT_THAT(std::string(steps.permit(permit).message()), HasSubstr("the chief permits 3 steps"))
      << "nobody steps";
  service::Order::Prepare prepare;
  prepare.add_fetches("loss0");
  prepare.set_stepped(plan::TRAIN);
  steps.prepare(prepare);
  EXPECT_TRUE(steps.permit(permit).ok());
  permit.add_fetches(0);
  EXPECT_TRUE(steps.permit(permit).ok());
  permit.add_fetches(1);
  EXPECT_THAT(std::string(steps.permit(permit).message()), HasSubstr("result 1 of 1 of step 3"));
  permit.clear_fetches();
  permit.set_steps(uint64_t{1} << 63);
  EXPECT_FALSE(steps.permit(permit).ok());
}

TEST(StepwiseGate, AStepIsMadeThatBothAllow) {
  executor::StepwiseGate gate;
  executor::StepwiseGate::Turn lane(&gate);
  gate.awaitGrants();
  gate.begin(4, 1);
  using Answer = executor::StepwiseGate::Answer;
  EXPECT_EQ(lane.ask(0), Answer::Wait);
  gate.grant(5);
  EXPECT_EQ(lane.ask(0), Answer::Wait) << "the stepper's is missing";
  gate.open();
  EXPECT_EQ(lane.ask(0), Answer::Open);
  gate.open();
  EXPECT_EQ(lane.ask(1), Answer::Wait) << "the chief's is missing";
  gate.grant(3); // one that was overtaken
  gate.endGrants();
  EXPECT_EQ(lane.ask(0), Answer::Open) << "what was granted is made";
  EXPECT_EQ(lane.ask(1), Answer::Ended);
  gate.finish(1);
  EXPECT_EQ(gate.made(), 5u);
  gate.free();
  EXPECT_EQ(lane.ask(1), Answer::Ended);
}

} // namespace
} // namespace graphc::session
