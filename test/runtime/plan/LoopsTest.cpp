//===- LoopsTest.cpp - what verifyPlan refuses of loops, and that liveness passes them by --------------------------------===//

#include "runtime/plan/SumTree.h"
#include "runtime/plan/Verify.h"
#include "test/runtime/plan/DamageCase.h"
#include "test/runtime/plan/PlanBuilder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace graphc::plan {
namespace {

Program &worker(Plan &plan) { return *plan.mutable_programs(1); }
Instruction &at(Plan &plan, int index) { return *worker(plan).mutable_instructions(index); }
Instruction::Accumulate &sum(Plan &plan) { return *at(plan, 3).mutable_accumulate(); }
Instruction::Repeat &loop(Plan &plan) { return *at(plan, 1).mutable_repeat(); }

TEST(Loops, APlanWithOneIsFineAndItIsNoEvent) {
  Plan plan = loopPlan();
  EXPECT_EQ(verifyPlan(plan), absl::OkStatus());
  EXPECT_EQ(worker(plan).event_ranks_size(), 3) << "the control message, a send and its end";
}

class DamagedLoops : public testing::TestWithParam<DamageCase> {};

TEST_P(DamagedLoops, AreRefusedByName) { expectRefused(loopPlan(), GetParam()); }

const DamageCase cases[] = {
    {"Never", [](Plan &p) { loop(p).set_count(0); }, "repeats 2 instructions 0 times"},
    {"Nothing", [](Plan &p) { loop(p).set_length(0); }, "repeats 0 instructions 7 times"},
    {"PastTheStep", [](Plan &p) { loop(p).set_length(100); }, "repeats 100 instructions 7 times, but"},
    {"PastAllNumbers", [](Plan &p) { loop(p).set_length(UINT32_MAX); }, "repeats 4294967295 instructions"},
    {"TooOften", [](Plan &p) { loop(p).set_count(UINT32_MAX); }, "repeats more than"},
    {"TooMuchAltogether",
     [](Plan &p) {
       for (int i = 0; i < 2000; ++i) // behind the loop's end nothing is judged before the loop is
         worker(p).add_instructions();
       loop(p).set_count(1 << 20);
       loop(p).set_length(2000);
     },
     "repeats 2000 instructions 1048576 times; expected at most 1073741824 in the loops of a step"},
    {"OnADeviceWithQueues", [](Plan &p) { worker(p).set_device("GPU:0"); },
     "repeats instructions on GPU:0, whose queues may still be at work when they begin again"},
    {"OnceMore", [](Plan &p) { loop(p).set_count(8); }, "sums 9 values in leaves of 2; expected whole leaves"},
    {"MoreLeaves", [](Plan &p) { loop(p).set_count(15); },
     "keeps 3 partial sums of 16 values in leaves of 2, expected 4"},
    {"Leafless", [](Plan &p) { sum(p).set_per_leaf(0); }, "in leaves of 0"},
    {"OtherLeaves", [](Plan &p) { sum(p).set_per_leaf(4); },
     "keeps 3 partial sums of 8 values in leaves of 4, expected 2"},
    {"LoopInALoop", [](Plan &p) { *at(p, 2).mutable_repeat() = loop(p); },
     "instruction 2: is repeated; expected calls"},
    {"SendInALoop", [](Plan &p) { loop(p).set_length(7); },
     "instruction 8: is repeated; expected calls, next_batch and accumulate"},
    {"OutsideOfALoop", [](Plan &p) { loop(p).set_length(1); }, "instruction 3: accumulates outside of a loop"},
    {"AccumulatesABufferThatIsNone", [](Plan &p) { sum(p).set_buffer(99); }, "buffer 99 does not exist"},
    {"KeepsItInABufferThatIsNone", [](Plan &p) { sum(p).set_partials(0, 99); }, "buffer 99 does not exist"},
    {"KernelThatIsNone", [](Plan &p) { sum(p).set_add(99); }, "kernel 99 does not exist"},
    {"KernelThatDoesNotAdd", [](Plan &p) { sum(p).set_add(at(p, 2).call().kernel()); },
     "kernel gradient cannot add a value"},
    {"OneBufferForTwoSums", [](Plan &p) { sum(p).set_partials(1, sum(p).partials(0)); },
     "keeps sums of a loop in buffers"},
    {"SumsThatOverlap",
     [](Plan &p) {
       worker(p)
           .mutable_buffers(int(sum(p).partials(2)))
           ->mutable_arena()
           ->set_offset(worker(p).buffers(int(sum(p).partials(1))).arena().offset());
     },
     "keeps sums of a loop in buffers"},
    {"TheValueInASum",
     [](Plan &p) {
       const uint64_t there = worker(p).buffers(int(sum(p).partials(2))).arena().offset();
       worker(p).mutable_buffers(int(sum(p).buffer()))->mutable_arena()->set_offset(there);
     },
     "where the loop keeps a sum"},
    {"ACallWritesASum", [](Plan &p) { at(p, 2).mutable_call()->set_buffers(1, sum(p).partials(1)); },
     "instruction 2: writes buffer 3 (), where the loop keeps a sum, buffer 3"},
    {"AValueThatIsASum", [](Plan &p) { sum(p).set_buffer(sum(p).partials(1)); }, "one of which, buffer 3, it overlaps"},
    {"SumsOfAnotherType",
     [](Plan &p) {
       for (uint32_t partial : sum(p).partials())
         worker(p).mutable_buffers(int(partial))->mutable_type()->set_dtype(I32);
     },
     "keeps a sum of tensor<16xf32> in buffer"},
};
INSTANTIATE_TEST_SUITE_P(Cases, DamagedLoops, testing::ValuesIn(cases), nameOf);

} // namespace
} // namespace graphc::plan
