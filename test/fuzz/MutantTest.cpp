// Plans with changed instructions, buffers, channels and programs, whose sum, byte totals and
// certificate are made right again: what is accepted all the same runs to a result or a named
// error, in the simulator. It never waits for ever and touches no memory but its own (address
// sanitizer).
//
// By hand with more of them, on graphc's own plans too: GRAPHC_PLANS="a.plan b.plan"
// GRAPHC_MUTANTS=100000 mutant_test
#include "runtime/common/base/Sha256.h"
#include "runtime/common/plan/AllReduceMoves.h"
#include "runtime/common/plan/LivenessCertificate.h"
#include "runtime/common/plan/PlanFile.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/common/plan/VerifyPlan.h"
#include "test/fuzz/Mutate.h"
#include "test/runtime/common/plan/CompletePlan.h"
#include "test/runtime/common/plan/PlanBuilder.h"
#include "test/runtime/executor/Simulator.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <cstdlib>

using namespace graphc;

namespace {

/// A small machine: mutants that ask for more are not run.
bool isSmall(const plan::Plan &plan) {
  uint64_t bytes = 0, instances = 0, repeated = 0;
  for (const plan::Program &program : plan.programs()) {
    instances += program.instances();
    bytes += program.arena_bytes() * program.instances();
    for (const plan::Instruction &instruction : program.instructions())
      repeated += uint64_t(instruction.repeat().count()) * instruction.repeat().length();
  }
  for (const plan::Channel &channel : plan.channels())
    bytes += channel.bytes() * channel.capacity() * channel.instances();
  return bytes < (64 << 20) && instances < 100 && repeated < 1000000;
}

std::string textOf(plan::Plan plan) {
  plan.clear_code();
  std::string text;
  google::protobuf::TextFormat::PrintToString(plan, &text);
  return text;
}

struct Tally {
  uint64_t refused = 0, ended = 0, named = 0, large = 0;
};

void campaign(const std::string &name, const plan::Plan &good, uint64_t mutants, Tally &tally) {
  for (uint64_t seed = 1; seed <= mutants; ++seed) {
    test::Random random(seed);
    plan::Plan mutant = good;
    for (unsigned changes = 1 + random() % 2; changes > 0; --changes)
      test::mutatePlan(mutant, random);
    plan::completePlan(mutant);
    if (!plan::verifyPlan(mutant).ok() || !plan::checkCertificate(mutant).ok()) {
      ++tally.refused;
      continue;
    }
    if (!isSmall(mutant)) {
      ++tally.large;
      continue;
    }
    for (uint32_t phase = 0; phase < uint32_t(mutant.phases_size()); ++phase)
      for (uint64_t run : {0, 1, 2}) {
        executor::SimOptions options;
        options.seed = seed + run;
        options.phase = phase;
        options.steps = 1 + run * 2;
        options.maxDelay = run ? 50000 : 0;
        options.mostTurns = 100000;
        options.feeds = {{"rows", std::string(64, 'x')}, // of rowsPlan
                         {"count", std::string("\5\0\0\0\0\0\0\0", 8)},
                         {"counts", std::string("\5\0\0\0\0\0\0\0\5\0\0\0\0\0\0\0", 16)}};
        auto variables = executor::SimVariables::create(mutant);
        ASSERT_TRUE(variables.ok()) << variables.status();
        absl::Status status = executor::simulate(mutant, *variables, options).status;
        ++(status.ok() ? tally.ended : tally.named);
        ASSERT_TRUE(status.ok() || (status.message().find("stuck") == std::string_view::npos &&
                                    status.message().find("runs on") == std::string_view::npos))
            << name << ", mutant " << seed << ": " << status << "\n"
            << textOf(mutant);
      }
  }
}

TEST(Mutant, WhatIsAcceptedEnds) {
  std::vector<std::pair<std::string, plan::Plan>> plans;
  auto add = [&](const std::string &name, plan::ParameterServerShape shape) {
    plans.emplace_back(name, plan::parameterServerPlan(shape));
  };
  add("sync", {1, 2});
  add("two servers", {2, 2});
  add("zero-copy", {2, 2, 16, false, 0, true});
  add("in slots", {1, 2, 16, false, 0, true, true});
  add("ahead", {2, 2, 16, false, 0, false, false, true});
  add("async", {1, 2, 16, true});
  add("async, two servers", {2, 2, 16, true, 0, false, true});
  plans.emplace_back("loop", plan::loopPlan());
  plans.emplace_back("actual sizes", plan::rowsPlan(2));
  if (const char *files = std::getenv("GRAPHC_PLANS"))
    for (absl::string_view file : absl::StrSplit(files, ' ')) {
      auto loaded = plan::loadPlan(std::string(file));
      ASSERT_TRUE(loaded.ok()) << loaded.status();
      plans.emplace_back(std::string(file), loaded->plan);
    }
  const char *count = std::getenv("GRAPHC_MUTANTS");
  for (auto &[name, plan] : plans) {
    ASSERT_TRUE(plan::checkCertificate(plan).ok())
        << name << ": " << plan::checkCertificate(plan).status();
    Tally tally;
    campaign(name, plan, count ? strtoull(count, nullptr, 10) : 1500, tally);
    std::printf("%s: %llu refused, %llu runs ended, %llu with an error, %llu too large\n",
                name.c_str(), (unsigned long long)tally.refused, (unsigned long long)tally.ended,
                (unsigned long long)tally.named, (unsigned long long)tally.large);
    EXPECT_GT(tally.ended, 0u) << name;
    EXPECT_GT(tally.refused, 0u) << name;
  }
}

} // namespace
