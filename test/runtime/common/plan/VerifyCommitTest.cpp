//===- VerifyCommitTest.cpp - what verifyPlan refuses of a commit point -----------------------===//
//
// The compiler has put all that waits before the first write of a variable. The verifier finds it
// again, or says what stands in the way.
//
//===------------------------------------------------------------------------------------------===//

#include "runtime/common/plan/VerifyCommit.h"
#include "runtime/common/plan/LivenessCertificate.h"
#include "test/runtime/common/plan/CompletePlan.h"
#include "test/runtime/common/plan/DamageCase.h"
#include "test/runtime/common/plan/PlanBuilder.h"

namespace graphc::plan {
namespace {

// Of two workers. 0 control_send, 1 and 2 make a piece each, 3 start, 4 done, 5 send_done, 6
// control_receive, 7 and 8 apply a piece each to @w, 9 @w → another vector, 10 the loss.
constexpr int kDone = 4, kSendDone = 5, kControl = 6, kFirstApply = 7, kLast = 10;

Program &committing(Plan &plan) { return *plan.mutable_programs(0); }
void move(Plan &plan, int from, int to) {
  for (; from != to; from += from < to ? 1 : -1)
    committing(plan).mutable_instructions()->SwapElements(from, from < to ? from + 1 : from - 1);
}

Plan commitPlan() {
  Plan plan = sumsPlan(2);
  committing(plan).mutable_instructions()->DeleteSubrange(7, 1); // the release: sums are copied
  move(plan, 7, kSendDone);
  move(plan, kLast, kControl);
  committing(plan).set_commit_point(kFirstApply);
  for (Variable &variable : *plan.mutable_variables())
    variable.set_mirrored(true);
  completePlan(plan);
  return plan;
}

TEST(VerifyCommit, AGoodOnePasses) {
  const Plan plan = commitPlan();
  EXPECT_EQ(verifyPlan(plan), absl::OkStatus());
  EXPECT_EQ(checkCertificate(plan).status(), absl::OkStatus());
  EXPECT_TRUE(recoversFromMemory(plan));
  EXPECT_FALSE(recoversFromMemory(sumsPlan(2)));
}

class DamagedCommits : public testing::TestWithParam<DamageCase> {};

TEST_P(DamagedCommits, AreRefusedByName) { expectRefused(commitPlan(), GetParam()); }

const DamageCase commitCases[] = {
    {"WriteBefore", [](Plan &p) { committing(p).set_commit_point(kFirstApply + 1); },
     "instruction 6: a control_receive that is not the last instruction"},
    {"WriteBeforeTheControlMessage",
     [](Plan &p) {
       move(p, kFirstApply, kControl);
       committing(p).set_commit_point(kFirstApply + 1);
     },
     "instruction 6: writes variable w before the commit point, which is before instruction 8"},
    {"WaitForASendBehind",
     [](Plan &p) {
       move(p, kSendDone, kLast);
       committing(p).set_commit_point(kControl);
     },
     "instruction 10: may wait behind the commit point, which is before instruction 6"},
    {"SumBehind",
     [](Plan &p) {
       move(p, kControl, kLast);
       committing(p).set_commit_point(kDone);
     },
     "instruction 4: may wait behind the commit point, which is before instruction 4"},
    {"ControlMessageBehind",
     [](Plan &p) {
       move(p, kControl, kLast);
       committing(p).set_commit_point(kControl);
     },
     "instruction 10: may wait behind the commit point, which is before instruction 6"},
    {"ReleaseBehind",
     [](Plan &p) {
       p = sumsPlan(2);
       move(p, 11, 5);
       committing(p).set_commit_point(6);
       completePlan(p);
     },
     "instruction 8: may wait behind the commit point, which is before instruction 6"},
    {"BehindTheEnd", [](Plan &p) { committing(p).set_commit_point(kLast + 1); },
     "instruction 6: a control_receive that is not the last instruction"},
    {"BehindTheEndOfOthers",
     [](Plan &p) {
       p = sumsPlan(2);
       committing(p).set_commit_point(12);
     },
     "its commit point is before instruction 12 of 12"},
    {"VariableOfOneTask",
     [](Plan &p) {
       Variable *other = p.add_variables();
       *other = p.variables(0);
       other->set_name("other");
       other->set_mirrored(false);
     },
     "it has a commit point, but variable other is in the memory of /job:worker/task:0 alone, and is lost with that"},
    {"OfAnEvaluation", [](Plan &p) { p.mutable_phases(0)->set_role(EVAL); },
     "it has a commit point, but phase train_step does not train in steps that all make together"},
};
INSTANTIATE_TEST_SUITE_P(Cases, DamagedCommits, testing::ValuesIn(commitCases),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
} // namespace graphc::plan
