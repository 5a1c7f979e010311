// graphc::Session: the steps, their hooks, how it ends. What its steps compute is compared with
// graphc::run.
#include "runtime/api/Session.h"

#include "runtime/checkpoint/NpyFormat.h"
#include "runtime/common/base/File.h"
#include "runtime/service/RunSecret.h"
#include "test/runtime/session/LonePlan.h"

#include "absl/strings/str_cat.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>
#include <thread>

namespace graphc::session {
namespace {
using testing::ElementsAre;
using testing::HasSubstr;

/// Says each call, and fails or throws in one of them.
struct Recorder : Hook {
  Recorder(std::string name, std::vector<std::string> &calls)
      : called(std::move(name)), calls(calls) {}
  std::string name() const override { return called; }
  absl::Status call(const std::string &what) {
    calls.push_back(absl::StrCat(called, ".", what));
    if (what.starts_with(throwsIn) && !throwsIn.empty())
      throw std::runtime_error(what);
    return failsIn.empty() || !what.starts_with(failsIn) ? absl::OkStatus()
                                                         : absl::OutOfRangeError("it is Tuesday");
  }
  absl::Status begin() override { return call("begin"); }
  absl::Status afterCreateSession(Session &session, const SessionStart &start) override {
    started = start;
    EXPECT_EQ(session.globalStep(), start.globalStep);
    return call("created");
  }
  absl::StatusOr<RunArgs> beforeRun(const RunContext &context) override {
    if (absl::Status status = call(absl::StrCat("before", context.globalStep)); !status.ok())
      return status;
    return args ? args(context.globalStep) : RunArgs();
  }
  absl::Status afterRun(const RunContext &context, const RunValues &values) override {
    EXPECT_EQ(values.globalStep, context.globalStep + 1);
    EXPECT_EQ(context.session.globalStep(), values.globalStep);
    if (see)
      see(context, values);
    return call(absl::StrCat("after", context.globalStep));
  }
  absl::Status end(Session &) override { return call("end"); }

  const std::string called;
  std::vector<std::string> &calls;
  std::string failsIn, throwsIn;
  SessionStart started;
  std::function<RunArgs(uint64_t)> args;
  std::function<void(const RunContext &, const RunValues &)> see;
};

struct SteppedSession : testing::Test {
  SteppedSession() : folder(testing::TempDir() + "/stepped-" + service::randomHex(6)) {
    options.checkpointDirectory = folder + "/saved";
    options.dumpDirectory = folder + "/dumped";
  }
  ~SteppedSession() override { std::filesystem::remove_all(folder); }
  std::shared_ptr<Recorder> hook(const std::string &name) {
    return std::make_shared<Recorder>(name, calls);
  }
  std::string dumped(const std::string &where) {
    auto array = checkpoint::readNpy(where + "/w.npy");
    EXPECT_TRUE(array.ok()) << array.status();
    return array.ok() ? array->data : "";
  }
  std::vector<std::string> saved() const {
    std::vector<std::string> names;
    if (std::filesystem::exists(options.checkpointDirectory))
      for (auto &entry : std::filesystem::directory_iterator(options.checkpointDirectory))
        if (entry.path().filename() != "finished.json")
          names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }
  /// What run() leaves of w with these options, in folders of its own.
  std::string referenceOf(RunOptions same) {
    same.dumpDirectory = folder + "/reference";
    same.checkpointDirectory = folder + "/saved-by-the-reference";
    auto result = run(plan, same);
    EXPECT_TRUE(result.ok()) << result.status();
    return dumped(same.dumpDirectory);
  }
  const std::string folder;
  const plan::Plan plan = plan::lonePlan();
  RunOptions options;
  std::vector<std::string> calls;
};

TEST_F(SteppedSession, CallsHooksInOrderAndMakesTheStepsOfRun) {
  options.steps = 3;
  auto a = hook("a"), b = hook("b");
  {
    Session session(plan, options, {a, b});
    EXPECT_EQ(session.globalStep(), 0u);
    while (!session.shouldStop())
      session.run();
    EXPECT_EQ(session.globalStep(), 3u);
    session.run(); // there is none to make
    auto result = session.close();
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(result->steps, 3u);
    EXPECT_TRUE(result->endedEarly.empty()) << result->endedEarly;
    EXPECT_THAT(result->metrics, testing::Contains(testing::Pair("accuracy", 1.0)));
    EXPECT_TRUE(session.close().ok());
  }
  EXPECT_THAT(calls,
              ElementsAre("a.begin", "b.begin", "a.created", "b.created", "a.before0", "b.before0",
                          "a.after0", "b.after0", "a.before1", "b.before1", "a.after1", "b.after1",
                          "a.before2", "b.before2", "a.after2", "b.after2", "a.end", "b.end"));
  EXPECT_EQ(a->started.restoredFrom, "");
  EXPECT_EQ(dumped(options.dumpDirectory), referenceOf(options));
}

TEST_F(SteppedSession, GivesHooksWhatTheyAskForAndInThatStepAlone) {
  options.steps = 6;
  std::map<uint64_t, std::string> seen;
  auto asks = hook("asks"), sees = hook("sees");
  asks->args = [](uint64_t step) { return step % 2 ? RunArgs() : RunArgs{{"loss"}}; };
  sees->see = [&](const RunContext &context, const RunValues &values) {
    EXPECT_EQ(values.fetched.size(), context.globalStep % 2 ? 0u : 1u);
    EXPECT_EQ(values.scalar("loss").ok(), context.globalStep % 2 == 0);
    for (auto &[name, value] : values.fetched) {
      EXPECT_EQ(value.step, context.globalStep);
      seen[value.step] = value.data;
    }
  };
  {
    Session session(plan, options, {asks, sees});
    while (!session.shouldStop())
      session.run();
    ASSERT_TRUE(session.close().ok()) << session.status();
  }
  RunOptions all = options;
  all.checkpointDirectory = folder + "/other";
  all.fetches = {"loss"};
  auto result = run(plan, all);
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_EQ(seen.size(), 3u);
  for (const FetchedTensor &value : result->fetches)
    if (value.step % 2 == 0)
      EXPECT_EQ(seen[value.step], value.data) << value.step;
}

TEST_F(SteppedSession, HandsOverTheResultsOfTheOptionsToo) {
  options.steps = 3;
  options.fetches = {"loss"};
  Session session(plan, options);
  while (!session.shouldStop())
    session.run();
  auto result = session.close();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->fetches.size(), 3u);
}

TEST_F(SteppedSession, EndsInGoodOrderBehindTheStepInWhichAHookAsks) {
  options.steps = uint64_t{1} << 40;
  options.saveEverySteps = 100;
  auto stops = hook("stops");
  stops->see = [](const RunContext &context, const RunValues &values) {
    if (values.globalStep == 5)
      context.requestStop();
  };
  Session session(plan, options, {stops});
  while (!session.shouldStop())
    session.run();
  EXPECT_EQ(session.globalStep(), 5u) << "no step behind the one in which it was asked";
  auto result = session.close();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->steps, 5u);
  EXPECT_THAT(result->endedEarly, HasSubstr("at step 5 of "));
  EXPECT_THAT(result->metrics, testing::Contains(testing::Pair("accuracy", 1.0)))
      << "the evaluation at the end";
  EXPECT_THAT(saved(), ElementsAre("step-5"));
  EXPECT_EQ(calls.back(), "stops.end");
  RunOptions five = options;
  five.steps = 5;
  EXPECT_EQ(dumped(options.dumpDirectory), referenceOf(five));
}

TEST_F(SteppedSession, GoesOnFromACheckpointAndSaysSo) {
  options.saveEverySteps = 4;
  for (uint64_t steps : {4, 9}) {
    options.steps = steps;
    auto sees = hook("sees");
    Session session(plan, options, {sees});
    EXPECT_EQ(sees->started.globalStep, steps == 9 ? 4u : 0u);
    EXPECT_EQ(sees->started.restoredFrom,
              steps == 9 ? options.checkpointDirectory + "/step-4" : "");
    while (!session.shouldStop())
      session.run();
    ASSERT_TRUE(session.close().ok()) << session.status();
  }
  EXPECT_EQ(dumped(options.dumpDirectory), referenceOf(options));
  calls.clear();
  Session session(plan, options, {hook("idle")}); // all is made
  EXPECT_TRUE(session.shouldStop());
  EXPECT_EQ(session.close()->steps, 9u);
  EXPECT_THAT(calls, ElementsAre("idle.begin", "idle.created", "idle.end"));
}

TEST_F(SteppedSession, WhatFollowsAStepIsDoneWhenItReturns) {
  options.steps = 6;
  options.saveEverySteps = 2;
  options.keepCheckpoints = 2;
  Session session(plan, options);
  session.run();
  EXPECT_THAT(saved(), ElementsAre());
  session.run();
  EXPECT_THAT(saved(), ElementsAre("step-2"));
  while (!session.shouldStop())
    session.run();
  EXPECT_THAT(saved(), ElementsAre("step-4", "step-6")) << "the two newest";
}

struct SteppedSessionErrors : SteppedSession, testing::WithParamInterface<std::string> {};

TEST_P(SteppedSessionErrors, AHooksErrorEndsTheRunByItsName) {
  options.steps = 10;
  options.saveEverySteps = 100;
  auto fails = hook("fails"), other = hook("other");
  fails->failsIn = GetParam();
  absl::Status status;
  {
    Session session(plan, options, {fails, other});
    while (!session.shouldStop()) {
      session.run();
      if (session.globalStep() == 3)
        session.requestStop();
    }
    status = session.close().status();
    EXPECT_EQ(session.status(), status);
    EXPECT_TRUE(session.shouldStop());
  }
  EXPECT_TRUE(absl::IsOutOfRange(status)) << status;
  EXPECT_THAT(std::string(status.message()),
              testing::MatchesRegex("hook fails, .*: it is Tuesday"));
  EXPECT_EQ(calls.back(), "fails." + GetParam()) << "nobody is called behind it";
  EXPECT_THAT(saved(), ElementsAre());
  EXPECT_FALSE(std::filesystem::exists(options.dumpDirectory + "/w.npy"));
}

INSTANTIATE_TEST_SUITE_P(EachCallback, SteppedSessionErrors,
                         testing::Values("begin", "created", "before0", "before2", "after0",
                                         "after2", "end"),
                         [](const auto &info) { return info.param; });

TEST_F(SteppedSession, AnExceptionOfAHookPassesThroughAndNothingIsSaved) {
  options.steps = 10;
  options.saveEverySteps = 100;
  for (const char *where : {"created", "before1", "after1"}) {
    auto throws = hook("throws");
    throws->throwsIn = where;
    EXPECT_THROW(
        {
          Session session(plan, options, {throws});
          while (!session.shouldStop())
            session.run();
        },
        std::runtime_error)
        << where;
    EXPECT_EQ(calls.back(), absl::StrCat("throws.", where));
  }
  EXPECT_THAT(saved(), ElementsAre());
}

TEST_F(SteppedSession, ARefusedFetchIsNamed) {
  auto asks = hook("asks");
  asks->args = [](uint64_t) { return RunArgs{{"los"}}; };
  Session session(plan, options, {asks});
  session.run();
  EXPECT_TRUE(session.shouldStop());
  EXPECT_THAT(
      std::string(session.close().status().message()),
      HasSubstr(
          "hook asks, beforeRun at step 0: fetch los: the function has no such result; did you mean "
          "\"loss\"?; it has loss"));
}

TEST_F(SteppedSession, WhatRunRefusesItRefuses) {
  auto sees = hook("sees");
  Session session(plan::parameterServerPlan({1, 2}), options, {sees});
  EXPECT_TRUE(session.shouldStop());
  session.run();
  EXPECT_THAT(std::string(session.close().status().message()), HasSubstr("has 3 tasks"));
  EXPECT_THAT(calls, ElementsAre("sees.begin"));
}

TEST_F(SteppedSession, WithoutAValueForAVariableNoStepIsMade) {
  plan::Plan given = plan;
  given.mutable_variables(0)->mutable_initializer()->set_uninitialized(true);
  options.steps = 3;
  Session session(given, options);
  EXPECT_TRUE(session.shouldStop());
  EXPECT_THAT(std::string(session.close().status().message()),
              HasSubstr("a variable has no values to begin with (#graph.uninitialized): w;"));
  EXPECT_THAT(saved(), ElementsAre());
  EXPECT_THAT(std::string(run(given, options).status().message()),
              HasSubstr("no values to begin with"));
}

TEST_F(SteppedSession, OthersMayAskForTheEnd) {
  options.steps = uint64_t{1} << 40;
  Session session(plan, options);
  std::thread other([&] { session.requestStop(); });
  while (!session.shouldStop())
    session.run();
  other.join();
  EXPECT_TRUE(session.close().ok()) << session.status();
}

TEST_F(SteppedSession, AStopCancelsAsItDoesRun) {
  options.steps = uint64_t{1} << 40;
  options.saveEverySteps = uint64_t{1} << 40;
  std::atomic<bool> asked{false};
  options.stop = [&] { return asked.load(); };
  Session session(plan, options, {hook("sees")});
  session.run();
  asked = true;
  while (!session.shouldStop())
    session.run();
  EXPECT_TRUE(absl::IsCancelled(session.close().status())) << session.status();
  EXPECT_EQ(calls.back(), "sees.end");
  EXPECT_THAT(saved(), ElementsAre(absl::StrCat("step-", session.globalStep())));
}

TEST_F(SteppedSession, TheCallerTakesItsTime) {
  options.steps = 3;
  // of one wait of a lane for another, not for the caller
  options.deadline = absl::Milliseconds(300);
  Session session(plan, options);
  while (!session.shouldStop()) {
    absl::SleepFor(absl::Milliseconds(500));
    session.run();
  }
  EXPECT_TRUE(session.close().ok()) << session.status();
}

TEST_F(SteppedSession, EvaluationsAreSteppedWhereTheyAreTheEntry) {
  options.entry = "eval";
  options.checkpointDirectory = "";
  options.steps = 2;
  size_t came = 0;
  auto sees = hook("sees");
  sees->args = [](uint64_t) { return RunArgs{{"seen"}}; };
  sees->see = [&](const RunContext &, const RunValues &values) {
    came += values.fetched.contains("seen");
  };
  Session session(plan, options, {sees});
  while (!session.shouldStop())
    session.run();
  auto result = session.close();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(came, 2u);
  EXPECT_THAT(result->metrics, testing::Contains(testing::Pair("accuracy", 1.0)));
}

TEST_F(SteppedSession, ALossThatIsNoNumberFailsOrEnds) {
  plan::Plan broken = plan;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  broken.mutable_variables(0)->mutable_initializer()->set_value(&nan, sizeof(nan));
  options.steps = 10;
  {
    Session session(broken, options);
    while (!session.shouldStop())
      session.run();
    EXPECT_THAT(std::string(session.close().status().message()),
                HasSubstr("loss is NaN at step 1"));
  }
  options.nanStops = true;
  Session session(broken, options);
  while (!session.shouldStop())
    session.run();
  auto result = session.close();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(result->endedEarly, HasSubstr("loss is NaN at step 1"));
  EXPECT_THAT(result->metrics, testing::IsEmpty()) << "not evaluated";
  EXPECT_THAT(saved(), ElementsAre());
  EXPECT_FALSE(std::filesystem::exists(options.dumpDirectory + "/w.npy"));
}

TEST(RunValues, ScalarsAreNumbers) {
  RunValues values;
  values.fetched["many"].type.set_dtype(plan::F32);
  values.fetched["many"].type.add_shape(2);
  values.fetched["count"].type.set_dtype(plan::I64);
  values.fetched["count"].data = std::string("\5\0\0\0\0\0\0\0", 8);
  EXPECT_EQ(*values.scalar("count"), 5);
  EXPECT_THAT(std::string(values.scalar("many").status().message()),
              HasSubstr("many is tensor<2xf32>"));
  EXPECT_THAT(std::string(values.scalar("none").status().message()),
              HasSubstr("none was not fetched"));
}

} // namespace
} // namespace graphc::session
