//===- LoopsTest.cpp - what verifyPlan refuses of loops, and that liveness passes them by --------------------------------===//

#include "runtime/plan/SumTree.h"
#include "runtime/plan/Verify.h"
#include "test/runtime/plan/DamageCase.h"
#include "test/runtime/plan/PlanBuilder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace graphc::plan {
namespace {

constexpr uint32_t kCount = 7, kPerLeaf = 2; // four leaves of two: the leaf's sum, those of one and two leaves

/// A worker computes a gradient eight times, seven of them in a loop, and sends the last partial sum to a server.
Plan loopPlan() {
  PlanBuilder b;
  uint32_t ps = b.job("ps", 1), worker = b.job("worker", 1);
  ReplicaDomain::Range *range = b.plan.mutable_replicas()->add_ranges();
  range->set_job(worker);
  range->set_count(1);
  b.plan.mutable_replicas()->set_size(1);
  uint32_t phase = b.phase("train_step", TRAIN, false);
  uint32_t server = b.program(phase, "train_step.ps", 1, false, ps, 0);
  uint32_t w = b.program(phase, "train_step.worker", 1, false, worker, 0);
  b.plan.mutable_chief()->set_job(worker);
  uint32_t up = b.channel("up", b.vector(), w, server);
  uint32_t control = b.channel("control", PlanBuilder::scalar(I64), w, server, true);
  uint32_t x = b.arenaBuffer(w, b.vector()), g = b.arenaBuffer(w, b.vector());
  std::vector<uint32_t> partials;
  for (uint32_t i = 0; i < keptSums(kCount + 1, kPerLeaf); ++i)
    partials.push_back(b.arenaBuffer(w, b.vector()));
  b.controlSend(w, {control}); // 0
  b.repeat(w, kCount, 2); // 1
  b.call(w, TestKernel::Gradient, {x, g}); // 2
  b.accumulate(w, g, partials, kPerLeaf); // 3
  b.call(w, TestKernel::Gradient, {x, g}); // 4
  for (uint32_t partial : partials) // 5 to 7
    b.call(w, TestKernel::Add, {g, partial});
  b.send(w, up, g);
  b.controlReceive(w, true, 0);
  uint32_t slot = b.slotBuffer(server, b.vector());
  b.receive(server, up, slot);
  b.release(server, up);
  b.controlReceive(server, false, control);
  return b.finish();
}

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
