// Whose death is no failure of the run, by the launcher's and the chief's words in any order.
#include "runtime/launch/TaskReplacements.h"

#include <csignal>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace graphc::launch {
namespace {
using testing::ElementsAre;
using testing::HasSubstr;

struct Replaced : testing::Test {
  Replaced() {
    for (size_t i = 0; i < 3; ++i) {
      tasks[i].name = "/job:worker/task:" + std::to_string(i);
      children[i].number = i;
      children[i].task = &tasks[i];
      children[i].pid = pid_t(100 + i);
    }
  }
  void judges(bool yes) { EXPECT_TRUE(replacements.hears({{"judges", yes}}, children)); }
  bool away(uint32_t task, int64_t pid) {
    return replacements.hears({{"away", task}, {"pid", pid}, {"why", "it is gone"}}, children);
  }
  void dies(size_t task) {
    children[task].status = SIGKILL; // as waitpid has it
    replacements.died(children[task], "it was killed", children);
  }
  /// The next process.
  void starts(size_t task, pid_t pid) {
    children[task] = LaunchedChild();
    children[task].number = task;
    children[task].task = &tasks[task];
    children[task].pid = pid;
    children[task].joins = true;
  }

  session::RestartPolicy restarts{4};
  std::vector<std::string> said;
  TaskReplacements replacements{restarts,
                                [this](const std::string &line) { said.push_back(line); }};
  LaunchedTask tasks[3];
  std::vector<LaunchedChild> children = std::vector<LaunchedChild>(3);
};

TEST_F(Replaced, ADeathWaitsForTheChiefsWord) {
  judges(true);
  dies(1);
  EXPECT_TRUE(TaskReplacements::isHeld(children[1])) << "it may be no failure";
  EXPECT_LT(TaskReplacements::next(children), absl::Now() + absl::Seconds(9));
  EXPECT_FALSE(TaskReplacements::isDue(children[1]));
  EXPECT_TRUE(away(1, 101));
  EXPECT_TRUE(TaskReplacements::isDue(children[1]));
  EXPECT_FALSE(TaskReplacements::isToBeKilled(children[1]));
  EXPECT_THAT(
      said,
      ElementsAre(
          "/job:worker/task:1: it is gone; the others go on; restarting /job:worker/task:1 at once, to join them "
          "(restart 1 of 4)"));
}

TEST_F(Replaced, TheChiefsWordMayComeFirstAndCountsOnce) {
  judges(true);
  away(1, 101);
  EXPECT_TRUE(TaskReplacements::isToBeKilled(children[1]))
      << "it fell silent, and is ended before the next one";
  EXPECT_FALSE(TaskReplacements::isDue(children[1]));
  dies(1);
  away(1, 101);
  EXPECT_TRUE(TaskReplacements::isDue(children[1]));
  EXPECT_EQ(restarts.made(), 1u);
}

TEST_F(Replaced, SeveralAtOnceAreOneRestart) {
  judges(true);
  for (size_t task : {1, 2}) {
    dies(task);
    away(task, children[task].pid);
    EXPECT_TRUE(TaskReplacements::isDue(children[task])) << "without a pause";
  }
  EXPECT_EQ(restarts.made(), 1u);
  starts(2, 201);
  dies(2);
  EXPECT_EQ(restarts.made(), 2u) << "one that dies on its way back is another";
  EXPECT_FALSE(TaskReplacements::isDue(children[2]));
}

/// The chief waits for the next one: nobody waits for another word. What it said of an earlier
/// process is none of the next one's.
TEST_F(Replaced, WhoDiesOnTheWayBackIsStartedAgain) {
  judges(true);
  dies(1);
  away(1, 101);
  starts(1, 201);
  away(1, 101);
  EXPECT_FALSE(TaskReplacements::isHeld(children[1])) << "that was another process";
  dies(1);
  EXPECT_TRUE(TaskReplacements::isHeld(children[1]));
  EXPECT_FALSE(TaskReplacements::isDue(children[1]))
      << "with a pause, the second time within ten seconds";
  away(1, 201);
  EXPECT_EQ(restarts.made(), 2u);
  EXPECT_THAT(said.back(),
              HasSubstr("restarting /job:worker/task:1 in 500ms, to join them (restart 2 of 4)"));
  starts(1, 301);
  EXPECT_TRUE(replacements.hears({{"back", 1u}, {"pid", 201}}, children));
  EXPECT_TRUE(children[1].joins) << "that one was lost again before its line was read";
  EXPECT_TRUE(replacements.hears({{"back", 1u}, {"pid", 301}}, children));
  EXPECT_FALSE(children[1].joins);
  dies(1);
  EXPECT_EQ(restarts.made(), 2u) << "it was with the others, and the chief judges";
}

TEST_F(Replaced, WithoutAPhaseThatGoesOnADeathIsAFailure) {
  dies(1);
  EXPECT_FALSE(TaskReplacements::isHeld(children[1]));
  judges(true);
  judges(false);
  dies(2);
  EXPECT_FALSE(TaskReplacements::isHeld(children[2]));
  judges(true);
  replacements.beginSession();
  dies(0);
  EXPECT_FALSE(TaskReplacements::isHeld(children[0]))
      << "the next session's chief has said nothing yet";
}

TEST_F(Replaced, TheDeathThatIsOneTooManyFailsAtOnce) {
  judges(true);
  for (int i = 0; i < 4; ++i) {
    away(1, children[1].pid);
    children[1].again = false;
  }
  dies(2);
  EXPECT_FALSE(TaskReplacements::isHeld(children[2])) << "there is no restart left";
  away(0, 100);
  EXPECT_FALSE(TaskReplacements::isHeld(children[0]));
  EXPECT_TRUE(TaskReplacements::isToBeKilled(children[0]))
      << "it was silent: by its end the run fails";
}

TEST_F(Replaced, NobodyIsStartedBehindASecondStop) {
  judges(true);
  replacements.stop();
  dies(1);
  away(1, 101);
  EXPECT_FALSE(TaskReplacements::isHeld(children[1]));
  EXPECT_THAT(said, testing::IsEmpty());
}

TEST_F(Replaced, OtherLinesAreNotItsAndBadOnesDoNothing) {
  EXPECT_FALSE(replacements.hears({{"left", 3u}}, children));
  EXPECT_FALSE(replacements.hears({{"away", 9u}, {"pid", 101}}, children)) << "no task of the plan";
  EXPECT_FALSE(replacements.hears({{"away", "x"}}, children));
  EXPECT_FALSE(replacements.hears({{"back", -1}}, children));
  EXPECT_FALSE(TaskReplacements::isHeld(children[1]));
}

} // namespace
} // namespace graphc::launch
