//===- LoopsTest.cpp - what verifyPlan refuses of loops, and that liveness passes them by -----===//

#include "runtime/common/plan/LivenessCertificate.h"
#include "runtime/common/plan/SumTree.h"
#include "runtime/common/plan/VerifyPlan.h"
#include "test/runtime/common/plan/DamageCase.h"
#include "test/runtime/common/plan/PlanBuilder.h"

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
    {"PastTheStep", [](Plan &p) { loop(p).set_length(100); },
     "repeats 100 instructions 7 times, but"},
    {"PastAllNumbers", [](Plan &p) { loop(p).set_length(UINT32_MAX); },
     "repeats 4294967295 instructions"},
    {"TooOften", [](Plan &p) { loop(p).set_count(UINT32_MAX); }, "repeats more than"},
    {"TooMuchAltogether",
     [](Plan &p) {
       for (int i = 0; i < 2000; ++i) // behind the loop's end nothing is judged before the loop is
         worker(p).add_instructions();
       loop(p).set_count(1 << 20);
       loop(p).set_length(2000);
     },
     "repeats 2000 instructions 1048576 times; expected at most 1073741824 in the loops of a step"},
    {"OnceMore", [](Plan &p) { loop(p).set_count(8); },
     "sums 9 values in leaves of 2; expected whole leaves"},
    {"MoreLeaves", [](Plan &p) { loop(p).set_count(15); },
     "keeps 3 partial sums of 16 values in leaves of 2, expected 4"},
    {"Leafless", [](Plan &p) { sum(p).set_per_leaf(0); }, "in leaves of 0"},
    {"OtherLeaves", [](Plan &p) { sum(p).set_per_leaf(4); },
     "keeps 3 partial sums of 8 values in leaves of 4, expected 2"},
    {"LoopInALoop", [](Plan &p) { *at(p, 2).mutable_repeat() = loop(p); },
     "instruction 2: is repeated; expected calls"},
    {"SendInALoop",
     [](Plan &p) {
       loop(p).set_length(8);
       worker(p).set_bytes_sent_per_step(7 * 64);
     },
     "channel up: train_step.worker sends in a loop of 7, but train_step.ps receives outside of loops"},
    {"ControlMessageInALoop", [](Plan &p) { loop(p).set_length(9); },
     "is repeated; expected calls, copies, signals, waits, next_batch, micro_batch_index, accumulate, sends and "
     "receives "
     "alone in a loop"},
    {"OutsideOfALoop", [](Plan &p) { loop(p).set_length(1); },
     "instruction 3: accumulates outside of a loop"},
    {"AccumulatesABufferThatIsNone", [](Plan &p) { sum(p).set_buffer(99); },
     "buffer 99 does not exist"},
    {"KeepsItInABufferThatIsNone", [](Plan &p) { sum(p).set_partials(0, 99); },
     "buffer 99 does not exist"},
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
    {"ACallWritesASum",
     [](Plan &p) { at(p, 2).mutable_call()->set_buffers(1, sum(p).partials(1)); },
     "instruction 2: writes buffer 3 (), where the loop keeps a sum, buffer 3"},
    {"AValueThatIsASum", [](Plan &p) { sum(p).set_buffer(sum(p).partials(1)); },
     "one of which, buffer 3, it overlaps"},
    {"SumsOfAnotherType",
     [](Plan &p) {
       for (uint32_t partial : sum(p).partials())
         worker(p).mutable_buffers(int(partial))->mutable_type()->set_dtype(I32);
     },
     "keeps a sum of tensor<16xf32> in buffer"},
};
INSTANTIATE_TEST_SUITE_P(Cases, DamagedLoops, testing::ValuesIn(cases), nameOf);

class DamagedIndices : public testing::TestWithParam<DamageCase> {};

/// Before the loop 7 of 8 micro-batches, in it 1 to 7 of 8.
Plan indexPlan() {
  PlanBuilder b;
  uint32_t job = b.job("worker", 1), phase = b.phase("train_step", TRAIN, false);
  uint32_t worker = b.program(phase, "train_step.worker", 1, false, job, 0);
  uint32_t index = b.arenaBuffer(worker, PlanBuilder::scalar(I64));
  b.controlSend(worker, {}); // 0
  b.microBatchIndex(worker, index, 7, 8); // 1
  b.repeat(worker, 7, 1); // 2
  b.microBatchIndex(worker, index, 1, 8); // 3
  b.controlReceive(worker, true, 0);
  return b.finish();
}

TEST(Loops, MayNumberMicroBatches) { EXPECT_EQ(verifyPlan(indexPlan()), absl::OkStatus()); }
TEST_P(DamagedIndices, AreRefusedByName) { expectRefused(indexPlan(), GetParam()); }

Instruction::MicroBatchIndex &index(Plan &plan, int instruction) {
  return *plan.mutable_programs(0)->mutable_instructions(instruction)->mutable_micro_batch_index();
}

const DamageCase indices[] = {
    {"OfNoBuffer", [](Plan &p) { index(p, 1).set_buffer(99); }, "buffer 99 does not exist"},
    {"OfOtherType",
     [](Plan &p) { p.mutable_programs(0)->mutable_buffers(0)->mutable_type()->set_dtype(F64); },
     "expected a scalar i64 in the arena"},
    {"OfNone", [](Plan &p) { index(p, 1).set_micro_batches(0); },
     "the number of micro-batch 7 of 0"},
    {"PastTheStep", [](Plan &p) { index(p, 1).set_micro_batch(8); },
     "the number of micro-batch 8 of 8"},
    {"PastTheStepInTheLoop", [](Plan &p) { index(p, 3).set_micro_batch(2); },
     "the number of micro-batch 2, 7 times, of 8"},
};
INSTANTIATE_TEST_SUITE_P(Cases, DamagedIndices, testing::ValuesIn(indices), nameOf);

class DamagedTalk : public testing::TestWithParam<DamageCase> {};

TEST_P(DamagedTalk, IsRefusedByName) { expectRefused(talkingLoopsPlan(7), GetParam()); }

Program &asker(Plan &plan) { return *plan.mutable_programs(0); }
Program &answerer(Plan &plan) { return *plan.mutable_programs(1); }
void setBytes(Program &program, uint64_t sent, uint64_t received) {
  program.set_bytes_sent_per_step(sent);
  program.set_bytes_received_per_step(received);
}
void setLoop(Program &program, int at, uint32_t count, uint32_t length) {
  program.mutable_instructions(at)->mutable_repeat()->set_count(count);
  program.mutable_instructions(at)->mutable_repeat()->set_length(length);
}

const DamageCase talks[] = {
    {"OtherCount",
     [](Plan &p) {
       setLoop(answerer(p), 0, 5, 5);
       setBytes(answerer(p), 5 * 64, 5 * 64);
     },
     "channel ask: asker sends in a loop of 7, but answerer receives in a loop of 5; expected both ends in loops of "
     "equal "
     "count, or both outside"},
    {"OneEndOutside",
     [](Plan &p) {
       setLoop(answerer(p), 0, 7, 3);
       setBytes(answerer(p), 64, 7 * 64);
     },
     "channel answer: answerer sends outside of loops, but asker receives in a loop of 7"},
    {"OtherBytes", [](Plan &p) { setBytes(answerer(p), 64, 64); },
     "its instructions send 448 and receive 448 bytes a step"},
    {"ReleasedBehind", [](Plan &p) { setLoop(answerer(p), 0, 7, 2); },
     "program answerer: instruction 2: an iteration ends without a release of channel ask"},
    {"SendDoneBehind", [](Plan &p) { setLoop(answerer(p), 0, 7, 4); },
     "an iteration ends without a send_done of channel answer"},
    {"SentBehind", [](Plan &p) { setLoop(asker(p), 1, 7, 2); },
     "program asker: instruction 3: an iteration ends without a send of buffer"},
    {"AlsoBehind",
     [](Plan &p) {
       auto &instructions = *answerer(p).mutable_instructions();
       for (int copied : {1, 3}) {
         instructions.Add()->CopyFrom(instructions[copied]);
         instructions.SwapElements(instructions.size() - 1, instructions.size() - 2);
       }
     },
     "program answerer: instruction 6: acts on channel ask, as instructions that are not repeated with it do"},
    {"Ahead",
     [](Plan &p) { answerer(p).mutable_instructions(4)->mutable_send_start()->set_ahead(true); },
     "which is no variable"},
    {"WhereAPhaseEndsByEndOfStream",
     [](Plan &p) { p.mutable_phases(0)->set_ends_by_end_of_stream(true); },
     "a control message in a phase that ends by end of stream"},
    {"WhereAPhaseEndsByATicket",
     [](Plan &p) {
       p.mutable_phases(0)->set_ends_by_end_of_stream(true);
       asker(p).mutable_instructions(0)->mutable_ticket();
     },
     "is repeated in a phase that ends by end of stream, which could come between two iterations"},
};
INSTANTIATE_TEST_SUITE_P(Cases, DamagedTalk, testing::ValuesIn(talks), nameOf);

TEST(TalkingLoops, CountTheirBytesAndAreOneEvent) {
  Plan plan = talkingLoopsPlan(7);
  EXPECT_EQ(verifyPlan(plan), absl::OkStatus());
  EXPECT_EQ(asker(plan).bytes_sent_per_step(), 7u * 64);
  EXPECT_EQ(answerer(plan).bytes_received_per_step(), 7u * 64);
  auto facts = checkCertificate(plan);
  ASSERT_TRUE(facts.ok()) << facts.status();
  EXPECT_EQ(facts->events, (1u + 1 + 5) + (1 + 4 + 1))
      << "the control message, each loop, and what is in it";
}

std::string refusalOf(const Plan &plan) {
  return std::string(checkCertificate(plan).status().message());
}

TEST(TalkingLoops, AreRefusedWithTheEdgeThatDoesNotGrow) {
  const Plan good = talkingLoopsPlan(7);
  auto with = [&](int program, int event, uint32_t number) {
    Plan plan = good;
    plan.mutable_programs(program)->set_event_ranks(event, number);
    return refusalOf(plan);
  };
  EXPECT_THAT(
      with(1, 0, 1),
      testing::HasSubstr(
          "joins loops that run together: program asker repeats 7 times (instruction 1) has "
          "number 2, program answerer repeats 7 times (instruction 0) has 1"));
  EXPECT_THAT(with(0, 1, 1), testing::HasSubstr("order edge: program asker sends control"));
  EXPECT_THAT(with(1, 5, 1),
              testing::HasSubstr(
                  "order edge: program answerer repeats 7 times (instruction 0) has number"));
  EXPECT_THAT(with(1, 1, 1), testing::HasSubstr("message edge: program asker sends ask"));
  Plan plan = good;
  setLoop(answerer(plan), 0, 8, 5);
  EXPECT_THAT(refusalOf(plan),
              testing::HasSubstr(
                  "program asker repeats 7 times (instruction 1), but program answerer repeats 8"));
  setLoop(answerer(plan), 0, 7, 3);
  for (int behind : {3, 4, 5}) // what is not repeated any more
    answerer(plan).set_event_ranks(behind, 10u * uint32_t(behind));
  EXPECT_THAT(refusalOf(plan),
              testing::HasSubstr("channel answer has one end in a loop, the other in none"));
  setLoop(answerer(plan), 0, 7, 2);
  EXPECT_THAT(
      refusalOf(plan),
      testing::HasSubstr("program answerer releases ask (instruction 3), not both in one loop"));
}

/// No numbers show that two lanes which both receive first end their step: they do not.
TEST(TalkingLoops, ThatWaitForEachOtherAreRefused) {
  EXPECT_THAT(refusalOf(talkingLoopsPlan(7, /*both=*/true)), testing::HasSubstr("edge: program"));
}

/// Two messages an iteration that are received before one is released need two slots; what an
/// earlier iteration released is there.
TEST(TalkingLoops, CapacityIsThatOfOneIteration) {
  PlanBuilder b;
  uint32_t job = b.job("t", 2), phase = b.phase("predict", PREDICT, false);
  uint32_t from = b.program(phase, "from", 1, false, job, 0),
           to = b.program(phase, "to", 1, false, job, 1);
  uint32_t c = b.channel("c", b.vector(), from, to), x = b.arenaBuffer(from, b.vector());
  b.repeat(from, 3, 4);
  b.send(from, c, x);
  b.send(from, c, x);
  b.repeat(to, 3, 4);
  for (int i = 0; i < 2; ++i)
    b.receive(to, c, b.slotBuffer(to, b.vector()));
  for (int i = 0; i < 2; ++i)
    b.release(to, c);
  b.plan.mutable_channels(int(c))->set_capacity(2);
  Plan plan = b.finish();
  EXPECT_TRUE(checkCertificate(plan).ok());
  plan.mutable_channels(int(c))->set_capacity(1);
  EXPECT_THAT(refusalOf(plan), testing::HasSubstr("capacity (1) edge: program to releases c"));
}

} // namespace
} // namespace graphc::plan
