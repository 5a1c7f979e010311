//===- SimulatorTest.cpp - 1,000 seeds of delay, loss and death -------------------------------===//
//
// GRAPHC_SIM_SEEDS changes how many (test/ci/suites.py takes fewer under a sanitizer, but with
// --long).
//
//===------------------------------------------------------------------------------------------===//

#include "test/runtime/executor/Simulator.h"

#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/plan/LivenessCertificate.h"
#include "runtime/common/plan/VerifyPlan.h"
#include "test/runtime/common/plan/PlanBuilder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <optional>
#include <set>

namespace graphc::executor {
namespace {

using plan::parameterServerPlan;
using plan::ParameterServerShape;

uint64_t seeds() {
  const char *text = getenv("GRAPHC_SIM_SEEDS");
  return text ? strtoull(text, nullptr, 10) : 1000;
}

std::vector<float> floats(SimVariables &variables, uint32_t index) {
  std::span<uint8_t> data = variables.data(index);
  std::vector<float> out(data.size() / 4);
  memcpy(out.data(), data.data(), data.size());
  return out;
}

TEST(Simulator, SameSeedSameRun) {
  plan::Plan plan = parameterServerPlan({2, 3});
  SimOptions options{.seed = 5, .steps = 20};
  auto a = SimVariables::create(plan), b = SimVariables::create(plan);
  SimResult first = simulate(plan, *a, options), second = simulate(plan, *b, options);
  EXPECT_TRUE(first.status.ok()) << first.status;
  EXPECT_EQ(first.turns, second.turns);
  EXPECT_EQ(floats(*a, 0), floats(*b, 0));
}

TEST(Simulator, BytesEqualThePlan) {
  plan::Plan plan = parameterServerPlan({2, 3});
  auto variables = SimVariables::create(plan);
  SimResult result = simulate(plan, *variables, {.seed = 1, .steps = 10});
  uint64_t sent = 0;
  for (const plan::Program &program : plan.programs())
    sent += program.bytes_sent_per_step() * program.instances() * 10;
  EXPECT_EQ(result.counters.bytesSent, sent);
  EXPECT_EQ(result.counters.bytesReceived, sent);
}

// Messages that have as many entries as both ends count, whatever is late; an end that counts
// otherwise ends the run by name.
TEST(Simulator, MessagesOfAnActualSize) {
  const plan::Plan plan = plan::rowsPlan(2);
  ASSERT_TRUE(plan::checkCertificate(plan).ok());
  const auto bytesOf = [](auto... values) {
    std::string bytes;
    for (auto value : {values...})
      bytes.append(reinterpret_cast<const char *>(&value), sizeof value);
    return bytes;
  };
  std::string rows;
  for (int i = 0; i < 16; ++i)
    rows += bytesOf(float(i));
  for (int64_t count : {0, 1, 5, 16})
    for (uint64_t seed = 0; seed < 50; ++seed) {
      auto variables = SimVariables::create(plan);
      const SimOptions options{
          .seed = seed,
          .steps = 3,
          .feeds = {{"count", bytesOf(count)}, {"counts", bytesOf(count, count)}, {"rows", rows}}};
      SimResult result = simulate(plan, *variables, options);
      ASSERT_TRUE(result.status.ok()) << result.status << ", seed " << seed;
      EXPECT_EQ(result.counters.bytesSent, 3 * 2 * 2 * 4 * uint64_t(count));
      for (const std::string &echo : result.fetches.at("echo").replicas)
        EXPECT_EQ(echo.substr(0, 4 * size_t(count)), rows.substr(0, 4 * size_t(count)))
            << "seed " << seed;
    }
  auto variables = SimVariables::create(plan);
  const SimOptions options{.steps = 3,
                           .feeds = {{"count", bytesOf(int64_t(4))},
                                     {"counts", bytesOf(int64_t(4), int64_t(5))},
                                     {"rows", rows}}};
  EXPECT_THAT(std::string(simulate(plan, *variables, options).status.message()),
              testing::HasSubstr("the message has 16 bytes; expected 5 times 4"));
}

// A deliberately wrong plan: two programs that each receive first. The simulator must say so, or it
// could not be trusted when it says nothing.
TEST(Simulator, DeadlockIsFound) {
  plan::PlanBuilder b;
  b.job("worker", 2);
  uint32_t phase = b.phase("p", plan::PREDICT, false);
  uint32_t x = b.program(phase, "p.x", 1, false, 0, 0), y = b.program(phase, "p.y", 1, false, 0, 1);
  uint32_t xy = b.channel("xy", b.vector(), x, y), yx = b.channel("yx", b.vector(), y, x);
  uint32_t control = b.channel("control", plan::PlanBuilder::scalar(plan::I64), x, y, true);
  b.controlSend(x, {control});
  for (auto [program, in, out] : {std::array<uint32_t, 3>{x, yx, xy}, {y, xy, yx}}) {
    b.receive(program, in, b.slotBuffer(program, b.vector()));
    b.release(program, in);
    b.send(program, out, b.arenaBuffer(program, b.vector()));
  }
  b.controlReceive(x, true, 0);
  b.controlReceive(y, false, control);
  plan::Plan plan = b.finish();
  auto variables = SimVariables::create(plan);
  SimResult result = simulate(plan, *variables, {});
  EXPECT_EQ(result.status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(result.status.message()),
              testing::HasSubstr("p.x waits at step 1 to receive yx (by-hand.mlir:2:3)"));
  EXPECT_THAT(std::string(result.status.message()),
              testing::HasSubstr("p.y waits at step 1 to receive xy (by-hand.mlir:1:3)"));
}

/// x sends zero-copy its variable, changes it, and y sums what it reads; x waits for y before the
/// change, or not.
plan::Plan zeroCopyPlan(bool waits) {
  plan::PlanBuilder b;
  b.job("worker", 2);
  uint32_t phase = b.phase("p", plan::PREDICT, false);
  uint32_t x = b.program(phase, "p.x", 1, false, 0, 0), y = b.program(phase, "p.y", 1, false, 0, 1);
  uint32_t v = b.variable("v", b.vector(), 0, 0);
  uint32_t xy = b.channel("xy", b.vector(), x, y);
  b.plan.mutable_channels(int(xy))->set_zero_copy(true);
  uint32_t control = b.channel("control", plan::PlanBuilder::scalar(plan::I64), x, y, true);
  std::vector<float> ones(16, 1.0f);
  uint32_t value = b.variableBuffer(x, v);
  uint32_t one =
      b.constantBuffer(x, b.vector(), std::string(reinterpret_cast<char *>(ones.data()), 64));
  b.controlSend(x, {control});
  b.sendStart(x, xy, value);
  if (waits)
    b.sendDone(x, xy);
  b.call(x, plan::TestKernel::Apply, {value, one});
  if (!waits)
    b.sendDone(x, xy);
  b.controlReceive(x, true, 0);
  uint32_t slot = b.slotBuffer(y, b.vector()),
           sum = b.arenaBuffer(y, plan::PlanBuilder::scalar(plan::F32));
  b.receive(y, xy, slot);
  b.call(y, plan::TestKernel::Sum, {slot, sum});
  b.release(y, xy);
  b.fetch(y, "sum", sum);
  b.controlReceive(y, false, control);
  return b.finish();
}

// Memory that is read in place and written too early must show in the simulator, or it proves
// nothing of zero-copy channels.
TEST(Simulator, EarlyWriteOfWhatIsBorrowedIsFound) {
  auto sums = [](bool waits) {
    std::set<std::string> found;
    plan::Plan plan = zeroCopyPlan(waits);
    for (uint64_t seed = 0; seed < 50; ++seed) {
      auto variables = SimVariables::create(plan);
      SimResult result = simulate(plan, *variables, {.seed = seed, .steps = 3});
      EXPECT_TRUE(result.status.ok()) << result.status;
      found.insert(result.fetches["sum"].replicas.at(0));
    }
    return found;
  };
  std::set<std::string> right = sums(true);
  EXPECT_EQ(right.size(), 1u);
  EXPECT_NE(sums(false), right);
  EXPECT_TRUE(plan::verifyPlan(zeroCopyPlan(true)).ok()) << plan::verifyPlan(zeroCopyPlan(true));
  EXPECT_FALSE(plan::verifyPlan(zeroCopyPlan(false)).ok());
}

struct Faults {
  const char *name;
  double loss, death;
};

class Seeds : public testing::TestWithParam<Faults> {
protected:
  /// OK runs are checked by `right`; every other must name its cause and none may be stuck.
  template <typename Right> void run(const ParameterServerShape &shape, const Right &right) {
    plan::Plan plan = parameterServerPlan(shape);
    uint64_t ok = 0, errors = 0;
    for (uint64_t seed = 0; seed < seeds(); ++seed) {
      auto variables = SimVariables::create(plan);
      SimOptions options{.seed = seed,
                         .steps = 1 + seed % 12,
                         .maxDelay = seed % 3 == 0 ? 0u : 50000u,
                         .loss = GetParam().loss,
                         .death = GetParam().death};
      SimResult result = simulate(plan, *variables, options);
      if (result.status.ok()) {
        ++ok;
        right(*variables, options.steps);
      } else {
        ++errors;
        ASSERT_NE(result.status.code(), absl::StatusCode::kInternal)
            << "seed " << seed << ": " << result.status;
        ASSERT_THAT(std::string(result.status.message()),
                    testing::AnyOf(testing::HasSubstr(" died"), testing::HasSubstr(" broke (")))
            << "seed " << seed;
      }
      if (testing::Test::HasFatalFailure())
        FAIL() << "seed " << seed;
    }
    if (GetParam().loss + GetParam().death == 0)
      EXPECT_EQ(errors, 0u);
    else
      EXPECT_GT(errors, seeds() / 20) << "the faults are too rare to show anything";
    EXPECT_GT(ok, seeds() / 20);
  }
};

TEST_P(Seeds, Synchronous) {
  for (ParameterServerShape shape : {ParameterServerShape{1, 2},
                                     {2, 3},
                                     {1, 4, 16, false, 1},
                                     {2, 3, 16, false, 0, true, true},
                                     {2, 3, 16, false, 0, false, false, true},
                                     {2, 3, 16, false, 0, true, true, true}}) {
    plan::Plan plan = parameterServerPlan(shape);
    auto fresh = SimVariables::create(plan);
    std::vector<std::vector<float>> initial;
    for (uint32_t p = 0; p < shape.servers; ++p)
      initial.push_back(floats(*fresh, p));
    run(shape, [&](SimVariables &variables, uint64_t steps) {
      auto expected = plan::expectedSync(shape, steps, initial);
      for (uint32_t p = 0; p < shape.servers; ++p)
        ASSERT_EQ(floats(variables, p), expected[p]);
    });
  }
}

TEST_P(Seeds, Asynchronous) {
  ParameterServerShape shape{2, 3, 16, true, 0, false, true};
  run(shape, [&](SimVariables &variables, uint64_t steps) {
    int64_t globalStep;
    memcpy(&globalStep, variables.data(2).data(), 8);
    ASSERT_EQ(globalStep, int64_t(steps));
    for (uint32_t p = 0; p < shape.servers; ++p)
      for (float x : floats(variables, p))
        ASSERT_TRUE(x > -100 && x < 100);
  });
}

/// Two lanes that talk in loops (plan::talkingLoopsPlan).
TEST(TalkingLoops, AreRightInAnyOrderOfTurns) {
  const plan::Plan plan = plan::talkingLoopsPlan(7);
  std::optional<float> expected;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    auto variables = SimVariables::create(plan);
    ASSERT_TRUE(variables.ok());
    SimOptions options{.seed = seed, .steps = 3};
    options.maxDelay = seed % 4 ? 50000 : 0;
    ASSERT_EQ(simulate(plan, *variables, options).status, absl::OkStatus()) << seed;
    const float w = floats(*variables, 0)[3];
    EXPECT_GT(w, 1.0f);
    ASSERT_EQ(w, expected.value_or(w)) << seed;
    expected = w;
  }
}

/// What the certificate refuses does hang.
TEST(TalkingLoops, ThatBothReceiveFirstAreStuck) {
  const plan::Plan plan = plan::talkingLoopsPlan(7, /*both=*/true);
  EXPECT_FALSE(plan::checkCertificate(plan).ok());
  auto variables = SimVariables::create(plan);
  ASSERT_TRUE(variables.ok());
  const absl::Status stuck = simulate(plan, *variables, {}).status;
  EXPECT_EQ(stuck.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(stuck.message()),
              testing::HasSubstr("waits at step 1, iteration 1 of 7, to"));
}

INSTANTIATE_TEST_SUITE_P(Faults, Seeds,
                         testing::Values(Faults{"None", 0, 0}, Faults{"Loss", 0.01, 0},
                                         Faults{"Death", 0, 0.005}, Faults{"Both", 0.005, 0.003}),
                         [](const testing::TestParamInfo<Faults> &info) {
                           return std::string(info.param.name);
                         });

} // namespace
} // namespace graphc::executor
