// Programs on a device with memory of its own: the verifier refuses each of them once it is
// damaged.
#include "passes/emit/FormSegments.h"
#include "runtime/common/plan/LivenessCertificate.h"
#include "test/passes/compiler/QueuePlans.h"
#include "test/runtime/common/plan/DamageCase.h"

#include <map>

namespace graphc {
namespace {

using plan::DamageCase;

uint32_t deviceBuffer(const Program &program) {
  for (int i = 0; i < program.buffers_size(); ++i)
    if (program.buffers(i).space() == plan::DEVICE && program.buffers(i).has_arena())
      return uint32_t(i);
  return 0;
}

const DamageCase cases[] = {
    {"SentBeforeTheCopy",
     [](Plan &p) { erase(worker(p), waitBefore(worker(p), Instruction::kSendStart)); },
     "is read by the lane while queue 3 may still write it"},
    {"SentBeforeTheCopyByTheServer",
     [](Plan &p) { erase(server(p), waitBefore(server(p), Instruction::kSendStart)); },
     "is read by the lane while queue 3 may still write it"},
    {"GivenBackBeforeTheCopy",
     [](Plan &p) { erase(worker(p), waitBefore(worker(p), Instruction::kRelease)); },
     "gives a message back: buffer"},
    {"GivenBackAndThenWaited",
     [](Plan &p) {
       int wait = waitBefore(worker(p), Instruction::kRelease);
       worker(p).mutable_instructions()->SwapElements(wait, wait + 1);
     },
     "is written by the lane while queue 2 may still read it"},
    {"ComputedBeforeTheCopy", [](Plan &p) { erase(worker(p), at(worker(p), queueWaits)); },
     "expected a wait before"},
    {"AppliedBeforeTheCopy", [](Plan &p) { erase(server(p), at(server(p), queueWaits)); },
     "expected a wait before"},
    {"NoWaitAtTheEnd",
     [](Plan &p) {
       int last = server(p).instructions_size() - 1;
       while (!laneWaits(server(p), server(p).instructions(last)))
         --last;
       erase(server(p), last);
     },
     "the step ends while queue"},
    {"WaitsForAnotherQueue",
     [](Plan &p) {
       Instruction &wait =
           *worker(p).mutable_instructions(waitBefore(worker(p), Instruction::kSendStart));
       wait.mutable_wait()->set_queue(2);
       wait.mutable_wait()->set_n(1);
     },
     "expected a wait before"},
    {"WaitsForALaterCount", [](Plan &p) { the(worker(p), laneWaits).mutable_wait()->set_n(1000); },
     "but so far it is told to count to"},
    {"WaitsForNothing", [](Plan &p) { the(worker(p), laneWaits).mutable_wait()->set_n(0); },
     "has counted to 0"},
    {"WaitsForNoQueue", [](Plan &p) { the(worker(p), laneWaits).mutable_wait()->set_queue(0); },
     "queue 0, which does not exist"},
    {"WaitsForItself",
     [](Plan &p) {
       Instruction &wait = the(worker(p), queueWaits);
       wait.mutable_wait()->set_queue(wait.queue());
     },
     "waits for itself"},
    {"SignalsTooEarly",
     [](Plan &p) {
       int signal = at(worker(p), kind(Instruction::kSignal));
       worker(p).mutable_instructions()->SwapElements(signal, signal - 1);
     },
     "expected a wait before"},
    {"NeverSignals", [](Plan &p) { erase(worker(p), at(worker(p), kind(Instruction::kSignal))); },
     "waits until queue 2 has counted to 1, but so far it is told to count to 0"},
    {"CountsTwice",
     [](Plan &p) { the(worker(p), kind(Instruction::kSignal)).mutable_signal()->set_n(2); },
     "counts to 2, expected 1"},
    {"SignalOfNoQueue", [](Plan &p) { the(worker(p), kind(Instruction::kSignal)).set_queue(0); },
     "only a queue can do this"},
    {"ToAQueueThatIsNone", [](Plan &p) { the(worker(p), kind(Instruction::kCall)).set_queue(9); },
     "given to queue 9, which does not exist"},
    {"InNoSegment", [](Plan &p) { the(worker(p), copiesIn).set_segment(0); },
     "in segment 0, expected 1"},
    {"ALeftOutSegment", [](Plan &p) { the(worker(p), copiesIn).set_segment(2); },
     "in segment 2, expected 1"},
    {"ASegmentBehindTheLane",
     [](Plan &p) {
       int next = at(
           worker(p), [](const Program &, const Instruction &i) { return i.queue() != 0; },
           at(worker(p), laneWaits));
       worker(p).mutable_instructions(next)->set_segment(worker(p).instructions(next).segment() -
                                                         1);
     },
     "in segment 2, expected 3"},
    {"ASegmentOfTheLane",
     [](Plan &p) { the(worker(p), kind(Instruction::kRelease)).set_segment(1); },
     "in segment 1, but only what a queue is given is in one"},
    {"ASendToAQueue", [](Plan &p) { the(worker(p), kind(Instruction::kSendStart)).set_queue(1); },
     "only the lane can do this"},
    {"ACopyByTheLane", [](Plan &p) { the(worker(p), copiesIn).set_queue(0); },
     "only a queue can do this"},
    {"ACopyWithinTheHost",
     [](Plan &p) {
       the(worker(p), copiesIn).mutable_copy()->set_to(the(worker(p), copiesIn).copy().from());
     },
     "a copy within the host's memory"},
    {"ACopyOfOtherBytes",
     [](Plan &p) {
       Instruction &copy = the(worker(p), copiesIn);
       for (int i = 0; i < worker(p).buffers_size(); ++i)
         if (const plan::Buffer &b = worker(p).buffers(i);
             b.space() == plan::DEVICE &&
             b.bytes() != worker(p).buffers(int(copy.copy().to())).bytes())
           return copy.mutable_copy()->set_to(uint32_t(i));
     },
     "a copy of tensor"},
    {"AKernelOnTheHostsMemory",
     [](Plan &p) {
       the(worker(p), kind(Instruction::kCall))
           .mutable_call()
           ->set_buffers(0, the(worker(p), copiesIn).copy().from());
     },
     "lies in the host's memory, but a kernel on SIM:0 takes it"},
    {"TheLaneSendsTheDevicesMemory",
     [](Plan &p) {
       the(worker(p), kind(Instruction::kSendStart))
           .mutable_send_start()
           ->set_buffer(the(worker(p), copiesOut).copy().from());
     },
     "which the lane cannot touch"},
    {"AFetchOfTheDevicesMemory",
     [](Plan &p) { worker(p).mutable_fetches(0)->set_buffer(deviceBuffer(worker(p))); },
     "which the host cannot touch"},
    {"SamplesInTheDevicesMemory",
     [](Plan &p) {
       the(worker(p), kind(Instruction::kNextBatch))
           .mutable_next_batch()
           ->set_buffers(0, deviceBuffer(worker(p)));
     },
     "which the lane cannot touch"},
    {"AMessageInTheDevicesMemory",
     [](Plan &p) {
       const uint32_t slot = the(worker(p), kind(Instruction::kReceive)).receive().buffer();
       worker(p).mutable_buffers(int(slot))->set_space(plan::DEVICE);
     },
     "messages are the host's"},
    {"AVariableInTheHostsMemory",
     [](Plan &p) {
       for (plan::Buffer &buffer : *server(p).mutable_buffers())
         if (buffer.storage_case() == plan::Buffer::kVariable)
           return buffer.set_space(plan::HOST);
     },
     "is in memory of the host, but variable"},
    {"AVariableOfAnotherDevice", [](Plan &p) { p.mutable_variables(0)->set_device("SIM:1"); },
     "is on SIM:1"},
    {"BeyondTheDevicesArena", [](Plan &p) { worker(p).set_device_arena_bytes(64); },
     "lie outside the arena of 64"},
    {"AnUnknownSpace",
     [](Plan &p) {
       for (plan::Buffer &buffer : *server(p).mutable_buffers())
         if (buffer.storage_case() == plan::Buffer::kVariable)
           return buffer.set_space(plan::Space(7));
     },
     "unknown space 7"},
    {"CodeOfAnotherKind",
     [](Plan &p) {
       for (plan::Code &code : *p.mutable_code())
         code.set_kind("CPU");
     },
     "is code for a CPU, but runs on a SIM"},
    {"HostsCodeOfAnotherKind",
     [](Plan &p) {
       for (plan::Code &code : *p.mutable_code())
         code.set_kind("SIM");
     },
     "is code for a SIM, but runs on a CPU"},
    {"CodeOfNoKind", [](Plan &p) { p.mutable_code(0)->clear_kind(); }, "kind of device ''"},
    {"QueuesOfTheHost",
     [](Plan &p) {
       for (Program &program : *p.mutable_programs())
         program.set_device("CPU:0");
     },
     "its lane does all itself"},
    {"MemoryOfTheHostsOwn",
     [](Plan &p) {
       for (Program &program : *p.mutable_programs()) {
         program.set_device("CPU:0");
         program.set_queues(0);
       }
     },
     "which has none of its own"},
    {"TooManyQueues", [](Plan &p) { worker(p).set_queues(17); }, "17 queues, more than 16"},
    {"LocksInQueues", [](Plan &p) { server(p).set_locks_variables(true); },
     "only given to a queue"},
};

class DamagedQueues : public testing::TestWithParam<DamageCase> {};
TEST_P(DamagedQueues, AreRefused) { plan::expectRefused(servers(), GetParam()); }
INSTANTIATE_TEST_SUITE_P(All, DamagedQueues, testing::ValuesIn(cases), plan::nameOf);

const DamageCase loopCases[] = {
    {"SamplesBeforeTheyWereCopied",
     [](Plan &p) { erase(worker(p), lastOfLoop(worker(p), laneWaits)); },
     "once around the loop, instruction"},
    {"SamplesOverThoseOfTheTimeBefore",
     [](Plan &p) { erase(worker(p), lastOfLoop(worker(p), queueWaits)); },
     "is written by queue 2 while queue 1 may still read it; expected a wait before"},
    {"ASumByTheLane", [](Plan &p) { the(worker(p), kind(Instruction::kAccumulate)).set_queue(0); },
     "only a queue can do this"},
    {"ASumInTheHostsMemory",
     [](Plan &p) {
       plan::Buffer &sum = *worker(p).mutable_buffers(
           int(the(worker(p), kind(Instruction::kAccumulate)).accumulate().partials(0)));
       sum.set_space(plan::HOST);
       sum.mutable_arena()->set_offset((worker(p).arena_bytes() + 63) / 64 * 64);
       worker(p).set_arena_bytes(sum.arena().offset() + sum.bytes());
     },
     "lies in the host's memory, but a kernel on SIM:0 takes it"},
    {"LeavesOfTwoKinds",
     [](Plan &p) {
       worker(p)
           .mutable_instructions(lastOfLoop(worker(p), kind(Instruction::kAccumulate)))
           ->mutable_accumulate()
           ->set_per_leaf(2);
     },
     "sums leaves of 2 values in a loop of a queue that has leaves of 3; expected one number"},
    {"AWaitForALaterTime",
     [](Plan &p) {
       const int signal = lastOfLoop(worker(p), kind(Instruction::kSignal)),
                 wait = lastOfLoop(worker(p), queueWaits);
       worker(p).mutable_instructions()->SwapElements(signal, wait);
     },
     "but so far it is told to count to"},
};

class DamagedQueuesOfLoops : public testing::TestWithParam<DamageCase> {};
TEST_P(DamagedQueuesOfLoops, AreRefused) { plan::expectRefused(looped(), GetParam()); }
INSTANTIATE_TEST_SUITE_P(All, DamagedQueuesOfLoops, testing::ValuesIn(loopCases), plan::nameOf);

/// One time alone needs nothing of a next one.
TEST(Queues, ALoopOfOneTimeWaitsForNoOther) {
  const Plan once = loopedOnce(2);
  ASSERT_EQ(plan::verifyPlan(once), absl::OkStatus());
  for (const graphc::Test &wait : {graphc::Test(laneWaits), graphc::Test(queueWaits)}) {
    Plan less = once; // what is behind the loop waits too
    erase(worker(less), lastOfLoop(worker(less), wait));
    EXPECT_THAT(std::string(plan::verifyPlan(less).message()),
                testing::AllOf(testing::HasSubstr("expected a wait before"),
                               testing::Not(testing::HasSubstr("around"))));
    Plan again = looped();
    erase(worker(again), lastOfLoop(worker(again), wait));
    EXPECT_THAT(std::string(plan::verifyPlan(again).message()),
                testing::HasSubstr("once around the loop"));
  }
  Plan across = once;
  Instruction::Repeat &repeat = *the(worker(across), kind(Instruction::kRepeat)).mutable_repeat();
  repeat.set_length(repeat.length() - 2);
  EXPECT_THAT(std::string(plan::verifyPlan(across).message()),
              testing::HasSubstr("in segment 2, expected 3"));
}

TEST(Queues, EachWaitIsNeeded) {
  for (const Plan *good : {&servers(), &reduced(), &summed(), &looped(), &towers()}) {
    ASSERT_EQ(plan::verifyPlan(*good), absl::OkStatus());
    ASSERT_TRUE(plan::checkCertificate(*good).ok());
    unsigned refused = 0;
    for (int p = 0; p < good->programs_size(); ++p)
      for (int i = 0; i < good->programs(p).instructions_size(); ++i) {
        if (!good->programs(p).instructions(i).has_wait())
          continue;
        Plan damaged = *good;
        erase(*damaged.mutable_programs(p), i);
        EXPECT_EQ(plan::verifyPlan(damaged).code(), absl::StatusCode::kInvalidArgument)
            << good->programs(p).name() << " instruction " << i;
        ++refused;
      }
    EXPECT_GE(refused, 5u);
  }
}

/// A program of "1": a call on queue 1, "3": a copy on queue 3, "1s", "3s": a signal there, "w1",
/// "w3": the lane waits for its queue's last signal, "send", "next": a batch, "r6": a loop of six
/// of them; and in which segment each is.
std::vector<uint32_t> segmentsOf(const std::vector<std::string> &words) {
  Program program;
  std::map<char, uint32_t> signals;
  for (const std::string &word : words) {
    Instruction &instruction = *program.add_instructions();
    if (word == "send") {
      instruction.mutable_send_start();
    } else if (word == "next") {
      instruction.mutable_next_batch();
    } else if (word[0] == 'r') {
      instruction.mutable_repeat()->set_length(uint32_t(word[1] - '0'));
    } else if (word[0] == 'w') {
      instruction.mutable_wait()->set_queue(uint32_t(word[1] - '0'));
      instruction.mutable_wait()->set_n(signals[word[1]]);
    } else {
      instruction.set_queue(uint32_t(word[0] - '0'));
      if (word.size() > 1)
        instruction.mutable_signal()->set_n(++signals[word[0]]);
      else if (word == "1")
        instruction.mutable_call();
      else
        instruction.mutable_copy();
    }
  }
  formSegments(program);
  std::vector<uint32_t> segments;
  for (const Instruction &instruction : program.instructions())
    segments.push_back(instruction.segment());
  return segments;
}

TEST(Segments, AreRuns) {
  EXPECT_EQ(segmentsOf({"3", "1", "1s", "w1", "send", "1", "1s", "w1"}),
            (std::vector<uint32_t>{1, 1, 1, 0, 0, 2, 2, 0}));
}

TEST(Segments, EndBehindWhatTheLaneNeedsBeforeTheRest) {
  EXPECT_EQ(segmentsOf({"1", "3", "3s", "1", "1s", "w3", "send", "w1"}),
            (std::vector<uint32_t>{1, 1, 1, 2, 2, 0, 0, 0}));
}

TEST(Segments, AreWholeWhereTheLaneWaitsForAllAtOnce) {
  EXPECT_EQ(segmentsOf({"1", "3", "3s", "1", "1s", "w3", "w1", "send"}),
            (std::vector<uint32_t>{1, 1, 1, 1, 1, 0, 0, 0}));
}

TEST(Segments, EndWithTheirLoop) {
  // Twice: a copy, its wait by the lane; behind it the same without.
  EXPECT_EQ(segmentsOf({"r6", "next", "3", "3s", "1", "1s", "w3", "1", "1s", "w1"}),
            (std::vector<uint32_t>{0, 0, 1, 1, 2, 2, 0, 3, 3, 0}));
  EXPECT_EQ(segmentsOf({"r2", "1", "1s", "1", "1s", "w1"}),
            (std::vector<uint32_t>{0, 1, 1, 2, 2, 0}));
}

TEST(Segments, HaveWork) {
  EXPECT_EQ(segmentsOf({"1", "3", "3s", "1s", "w3", "send", "w1"}),
            (std::vector<uint32_t>{1, 1, 1, 1, 0, 0, 0}));
}

TEST(Queues, SumsStandInTheHostsMemoryWithTheirBytes) {
  unsigned sums = 0;
  for (const Program &program : summed().programs())
    for (const Instruction &instruction : program.instructions())
      if (instruction.has_all_reduce_start()) {
        ++sums;
        const plan::Buffer &bucket = program.buffers(int(instruction.all_reduce_start().buffer()));
        EXPECT_EQ(bucket.space(), plan::HOST);
        EXPECT_GE(program.arena_bytes(), bucket.bytes());
        EXPECT_GE(program.device_arena_bytes(), bucket.bytes());
      }
  EXPECT_GT(sums, 0u);
}

// Asynchronous updates and backup workers.
TEST(Queues, LanesThatLockVariablesAreOfTheHostAlone) {
  auto cluster = cluster::parseCluster(
      R"({"ps": 1, "worker": 2, "strategy": {"name": "parameter_server", "update": "async"},
                                           "devices": {"ps": ["SIM:0"], "worker": ["SIM:0"]}})",
      "cluster.json");
  ASSERT_TRUE(cluster.ok()) << cluster.status();
  CompileResult result = compile(kModel, "model.mlir", *cluster);
  EXPECT_FALSE(result.plan);
  ASSERT_EQ(result.diagnostics.size(), 1u);
  EXPECT_THAT(
      toText(result.diagnostics[0]),
      testing::HasSubstr(
          "asynchronous updates lock variables while they compute, which only the host can"));
}

} // namespace
} // namespace graphc
