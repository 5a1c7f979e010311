//===- VerifyAheadTest.cpp - variables that are sent for the next step ------------------------===//

#include "test/runtime/common/plan/DamageCase.h"
#include "test/runtime/common/plan/PlanBuilder.h"

namespace graphc::plan {
namespace {

// Program 1 is the server: it sums, divides, waits for its send of the step before, applies, counts
// the step, takes the control message and sends ahead.
auto *instructions(Plan &plan) { return plan.mutable_programs(1)->mutable_instructions(); }
int at(Plan &plan, Instruction::KindCase kind) {
  for (int i = 0; i < instructions(plan)->size(); ++i)
    if (instructions(plan)->Get(i).kind_case() == kind)
      return i;
  return -1;
}
Instruction::SendStart &send(Plan &plan) {
  return *instructions(plan)->Mutable(at(plan, Instruction::kSendStart))->mutable_send_start();
}

const DamageCase aheadCases[] = {
    {"BeforeTheControlMessage",
     [](Plan &p) {
       instructions(p)->SwapElements(at(p, Instruction::kControlReceive),
                                     at(p, Instruction::kSendStart));
     },
     "ahead without knowing whether a step follows; expected a control_receive before"},
    {"DoneTooLate",
     [](Plan &p) {
       instructions(p)->SwapElements(at(p, Instruction::kSendDone),
                                     at(p, Instruction::kSendDone) + 1);
     },
     "is written while channel"},
    {"WrittenBehindIt",
     [](Plan &p) {
       Instruction apply = instructions(p)->Get(at(p, Instruction::kSendDone) + 1);
       *instructions(p)->Add() = apply;
     },
     "is written while channel"},
    {"NeverDone",
     [](Plan &p) { instructions(p)->DeleteSubrange(at(p, Instruction::kSendDone), 1); },
     "is written while channel"},
    {"DoneBehindIt",
     [](Plan &p) {
       Instruction done = instructions(p)->Get(at(p, Instruction::kSendDone));
       *instructions(p)->Add() = done;
     },
     "behind its send ahead, which the next step has to wait for"},
    {"Twice",
     [](Plan &p) {
       Instruction again = instructions(p)->Get(at(p, Instruction::kSendStart));
       *instructions(p)->Add() = again;
     },
     "sends ahead twice on channel w0.to_worker"},
    {"AndForThisStep",
     [](Plan &p) {
       Instruction now = instructions(p)->Get(at(p, Instruction::kSendStart));
       now.mutable_send_start()->set_ahead(false);
       int control = at(p, Instruction::kControlReceive);
       *instructions(p)->Add() = now;
       for (int i = instructions(p)->size() - 1; i > control; --i)
         instructions(p)->SwapElements(i, i - 1);
     },
     "for this step, but another send there is ahead"},
    {"NoVariable", [](Plan &p) { send(p).set_buffer(1); },
     "is no variable and holds nothing before the first step"},
    {"NoSuchBuffer", [](Plan &p) { send(p).set_buffer(99); }, "buffer 99 does not exist"},
    {"NoSuchChannel", [](Plan &p) { send(p).set_channel(99); }, "channel 99 does not exist"},
    {"SecondControlMessage",
     [](Plan &p) {
       Instruction control = instructions(p)->Get(at(p, Instruction::kControlReceive));
       *instructions(p)->Add() = control;
     },
     "a second control_receive"},
    {"ControlMessageWithinAReplicatedProgramsStep",
     [](Plan &p) {
       auto *worker = p.mutable_programs(0)->mutable_instructions();
       worker->SwapElements(worker->size() - 1, worker->size() - 2);
     },
     "nor right before a send ahead in a program of one instance"},
};

class VerifyAhead : public testing::TestWithParam<DamageCase> {};

TEST(VerifyAheadPlan, GoodPlansPass) {
  for (bool zeroCopy : {false, true})
    for (uint32_t workers : {1, 3})
      EXPECT_EQ(verifyPlan(parameterServerPlan({2, workers, 16, false, 0, zeroCopy, false, true})),
                absl::OkStatus());
}

TEST_P(VerifyAhead, Refuses) {
  expectRefused(parameterServerPlan({1, 2, 16, false, 0, false, false, true}), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Rules, VerifyAhead, testing::ValuesIn(aheadCases), nameOf);

} // namespace
} // namespace graphc::plan
