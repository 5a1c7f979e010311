//===- MemoryRecoveryTest.cpp - who has which state, and how all come to the newest -----------===//
//
// The chief's and the tasks' side as they are, orders in place of streams, and deaths at any order
// and any step by a seed.
//
//===------------------------------------------------------------------------------------------===//
#include "runtime/session/recovery/MemoryRecovery.h"

#include "runtime/common/plan/PlanTypes.h"
#include "test/runtime/common/plan/PlanBuilder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace graphc::session {
namespace {
using testing::HasSubstr;

/// Variables of several pieces, one of them of none.
plan::Plan planOf(uint32_t workers) {
  plan::Plan plan = plan::sumsPlan(workers);
  for (int64_t elements : {int64_t{0}, int64_t{150001}, int64_t{3}}) {
    plan::Variable *variable = plan.add_variables();
    *variable = plan.variables(0);
    variable->set_name(absl::StrCat("v", elements));
    variable->mutable_type()->set_shape(0, elements);
  }
  plan.mutable_programs(0)->set_commit_point(0);
  return plan;
}

/// A process that is a task: which state its variables are, by what it believes and by what they
/// hold.
struct Process {
  Process(const plan::Plan &plan, uint32_t task)
      : task(task), variables(*executor::VariableStore::create(plan, plan::allTasks(plan)[task])) {}
  void fill(uint64_t step) {
    for (uint32_t index : variables->stored()) {
      const std::span<uint8_t> data = variables->data(index);
      for (size_t i = 0; i < data.size(); i += 509)
        data[i] = static_cast<uint8_t>(i + step * 31 + index);
    }
  }
  bool isFilled(uint64_t step) const {
    for (uint32_t index : variables->stored()) {
      const std::span<const uint8_t> data = std::as_const(*variables).data(index);
      for (size_t i = 0; i < data.size(); i += 509)
        if (data[i] != static_cast<uint8_t>(i + step * 31 + index))
          return false;
    }
    return true;
  }
  uint32_t task;
  std::unique_ptr<executor::VariableStore> variables;
  std::optional<service::Held> held;
  std::unique_ptr<StateCopy> copy; ///< of the session
};

class Simulation {
public:
  explicit Simulation(uint64_t seed) : random_(seed), plan_(planOf(2 + seed % 4)) {
    for (uint32_t task = 0; task < plan_.replicas().size(); ++task)
      start(task);
  }

  void run() {
    for (int session = 1; session <= 12; ++session) {
      const std::string name = absl::StrCat("run-", session);
      std::vector<service::Done> prepared(processes_.size());
      uint64_t newest = checkpoint_;
      for (auto &process : processes_) {
        process->copy = std::make_unique<StateCopy>(*process->variables, process->task);
        if (process->held) {
          ASSERT_TRUE(process->isFilled(process->held->step())) << "who says that it is whole is";
          *prepared[process->task].mutable_held() = *process->held;
          newest = std::max(newest, process->held->step());
        }
      }
      const std::optional<StateHolder> holder = newestHeld(plan_, prepared, checkpoint_);
      uint64_t step = checkpoint_;
      std::string lineage = name;
      if (holder) {
        absl::Status copied =
            copyHeld(plan_, *holder, [&](service::Order order, const service::AddOwn &own) {
              return give(order, own);
            });
        if (!copied.ok()) // a second death: this session is over
          continue;
        step = holder->held.step();
        lineage = holder->held.run();
        recovered++;
      }
      EXPECT_EQ(step, newest) << "nothing that somebody has is lost";
      EXPECT_LE(lastMade_, std::max(step + 1, lastLost_))
          << "at most one step is made again, where anybody lived";
      for (auto &process : processes_) {
        if (holder)
          ASSERT_TRUE(process->copy->has(holder->held));
        else
          process->fill(step);
        ASSERT_TRUE(process->isFilled(step)) << "all go on with the same";
      }
      train(lineage, step);
    }
  }
  int recovered = 0;

private:
  void start(uint32_t task) {
    if (processes_.size() <= task)
      processes_.resize(task + 1);
    processes_[task] = std::make_unique<Process>(plan_, task);
  }
  bool chance(int of) { return random_() % static_cast<uint64_t>(of) == 0; }

  absl::StatusOr<std::vector<service::Done>> give(const service::Order &all,
                                                  const service::AddOwn &own) {
    std::vector<service::Done> answers(processes_.size());
    for (auto &process : processes_) {
      if (chance(60)) { // it dies with this order; the others may have obeyed it
        kill(process->task);
        return absl::UnavailableError("lost");
      }
      service::Order to = all;
      own(process->task, &to);
      const service::Order::Copy &order = to.copy();
      EXPECT_TRUE(order.data().empty() || !process->held ||
                  !sameState(*process->held, order.held()))
          << "who has that state is sent no piece of it";
      if (process->held && !sameState(*process->held, order.held()))
        process->held.reset();
      absl::Status taken = process->copy->take(order, process->held, &answers[process->task]);
      EXPECT_EQ(taken, absl::OkStatus());
    }
    return answers;
  }

  /// Some steps; then one dies, or several, and each that lives is behind the step or before it.
  /// Checkpoints come now and then.
  void train(const std::string &lineage, uint64_t step) {
    const uint64_t first = step;
    step += random_() % 5;
    if (chance(4))
      checkpoint_ = step;
    lastMade_ = step + 1;
    for (auto &process : processes_) {
      const bool isBehind = chance(2);
      process->fill(step + isBehind);
      service::Held &held = process->held.emplace();
      held.set_run(lineage);
      held.set_step(step + isBehind);
      held.set_first_step(first);
    }
    do
      kill(static_cast<uint32_t>(random_() % processes_.size()));
    while (chance(3));
    const bool anybody = std::any_of(processes_.begin(), processes_.end(),
                                     [](auto &process) { return process->held; });
    lastLost_ = anybody ? 0 : lastMade_;
  }
  void kill(uint32_t task) {
    start(task);
    if (std::none_of(processes_.begin(), processes_.end(),
                     [](auto &process) { return process->held; }))
      lastLost_ = lastMade_;
  }

  std::mt19937_64 random_;
  const plan::Plan plan_;
  std::vector<std::unique_ptr<Process>> processes_;
  uint64_t checkpoint_ = 0, lastMade_ = 0, lastLost_ = 0;
};

TEST(MemoryRecovery, DeathsAtAnyTime) {
  int recovered = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Simulation simulation(seed);
    simulation.run();
    if (HasFailure())
      return;
    recovered += simulation.recovered;
  }
  EXPECT_GT(recovered, 500) << "most sessions go on from memory";
}

service::Done holds(uint64_t step, const std::string &run = "run-1") {
  service::Done done;
  done.mutable_held()->set_run(run);
  done.mutable_held()->set_step(step);
  return done;
}

TEST(MemoryRecovery, TheNewestCounts) {
  const plan::Plan two = planOf(2), three = planOf(3);
  EXPECT_FALSE(newestHeld(two, {{}, {}}, std::nullopt));
  EXPECT_FALSE(newestHeld(two, {holds(9), {}}, 10)) << "a checkpoint is newer";
  const std::optional<StateHolder> one = newestHeld(three, {{}, holds(9), holds(10)}, 10);
  ASSERT_TRUE(one);
  EXPECT_EQ(one->task, 2u);
  EXPECT_FALSE(one->allHave() || one->several);
  EXPECT_TRUE(newestHeld(two, {holds(9), holds(9)}, 3)->allHave());
  EXPECT_FALSE(newestHeld(two, {holds(9), holds(9, "run-2")}, 3)->allHave()) << "of another run";
}

TEST(MemoryRecovery, WhoStoresNothingLacksNothing) {
  plan::Plan plan = planOf(2);
  plan.mutable_jobs(0)->set_tasks(3); // one beside the replicas
  EXPECT_TRUE(newestHeld(plan, {holds(9), holds(9), {}}, 3)->allHave());
  EXPECT_FALSE(newestHeld(plan, {holds(9), {}, {}}, 3)->allHave());
}

/// Three have had a state; two of them tell different checksums, and one of these is lost before
/// the chief's verdict.
TEST(MemoryRecovery, WhatWasDisputedIsNotGoneOnFrom) {
  const plan::Plan plan = planOf(3);
  service::Done prepared;
  KeptState kept;
  kept.variables = *executor::VariableStore::create(plan, plan::allTasks(plan)[1]);
  kept.held = holds(9).held();
  WholeState state;
  auto variables = state.resume(plan, plan::allTasks(plan)[1], &kept, "run-2", &prepared);
  ASSERT_TRUE(variables.ok());
  service::Order::Copy last;
  *last.mutable_held() = holds(9).held();
  last.set_several(true);
  service::Done answer;
  ASSERT_TRUE(state.copy(**variables, 1, last, &answer).ok());
  ASSERT_TRUE(state.held() && state.held()->unjudged());
  std::vector<service::Done> next(3);
  *next[1].mutable_held() = *state.held();
  std::vector<std::string> said;
  const auto say = [&](const std::string &line) { said.push_back(line); };
  const auto none = [](service::Order,
                       const service::AddOwn &) -> absl::StatusOr<std::vector<service::Done>> {
    return absl::InternalError("nothing is copied");
  };
  auto held = goOnFromMemory(plan, next, 3, none, say, say);
  ASSERT_TRUE(held.ok()) << held.status();
  EXPECT_FALSE(*held);
  EXPECT_THAT(said, testing::ElementsAre(HasSubstr(
                        "a task was lost before it was said whether others had the same")));
  service::Order::Initialize judged;
  *judged.mutable_held() = holds(9).held();
  ASSERT_TRUE(state.initialize(judged).ok());
  EXPECT_FALSE(state.held()->unjudged());
}

TEST(MemoryRecovery, ACopyThatDiffersIsFound) {
  const plan::Plan plan = planOf(2);
  Process from(plan, 0), to(plan, 1);
  from.fill(5);
  from.held = holds(5).held();
  StateCopy sends(*from.variables, 0), takes(*to.variables, 1);
  bool isDamaged = false;
  absl::Status copied =
      copyHeld(plan, {0, *from.held, {false, true}, false},
               [&](service::Order order,
                   const service::AddOwn &own) -> absl::StatusOr<std::vector<service::Done>> {
                 std::vector<service::Done> answers(2);
                 EXPECT_EQ(sends.take(order.copy(), from.held, &answers[0]), absl::OkStatus());
                 own(1, &order);
                 if (!order.copy().data().empty() && !std::exchange(isDamaged, true))
                   (*order.mutable_copy()->mutable_data())[7] ^= 1;
                 EXPECT_EQ(takes.take(order.copy(), std::nullopt, &answers[1]), absl::OkStatus());
                 return answers;
               });
  EXPECT_TRUE(isDamaged);
  EXPECT_TRUE(absl::IsDataLoss(copied)) << copied;
}

TEST(MemoryRecovery, PiecesThatCannotBe) {
  const plan::Plan plan = planOf(2);
  Process process(plan, 1);
  StateCopy copy(*process.variables, 1);
  service::Done done;
  service::Order::Copy order;
  *order.mutable_held() = holds(5).held();
  EXPECT_THAT(std::string(copy.take(order, std::nullopt, &done).message()),
              HasSubstr("ends behind 0 of"));
  order.set_ask(1);
  order.set_from(1);
  EXPECT_THAT(std::string(copy.take(order, std::nullopt, &done).message()),
              HasSubstr("which are not here"));
  order.set_from(0);
  order.set_at(8);
  order.set_data("x");
  EXPECT_THAT(std::string(copy.take(order, std::nullopt, &done).message()),
              HasSubstr("from 8 on came behind 0"));
  order.set_ask_at(uint64_t{1} << 40);
  EXPECT_THAT(std::string(copy.take(order, std::nullopt, &done).message()),
              HasSubstr("the chief asks for 1 bytes"));
}

} // namespace
} // namespace graphc::session
