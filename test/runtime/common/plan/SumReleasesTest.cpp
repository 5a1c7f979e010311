//===- SumReleasesTest.cpp - what verifyPlan refuses of the releases of an all-reduce's sums --===//
//
// Whatever the compiler decided, it is found again that calls alone read sums which may lie
// elsewhere, and only before their release.
//
//===------------------------------------------------------------------------------------------===//

#include "runtime/common/plan/AllReduceMoves.h"
#include "runtime/common/plan/LivenessCertificate.h"
#include "test/runtime/common/plan/CompletePlan.h"
#include "test/runtime/common/plan/DamageCase.h"
#include "test/runtime/common/plan/PlanBuilder.h"

namespace graphc::plan {
namespace {

// Of two workers. 0 control_send, 1 and 2 make a piece each, 3 start, 4 done, 5 and 6 read a piece
// each, 7 release, 8 send_done, 9 @w → another vector, 10 the loss, 11 control_receive.
constexpr int kFirstRead = 5, kRelease = 7, kLater = 9;
constexpr uint32_t kBucket = 1, kFirstPiece = 2, kSecondPiece = 3, kOther = 5;

Program &summing(Plan &plan) { return *plan.mutable_programs(0); }
Instruction &stepOf(Plan &plan, int index) { return *summing(plan).mutable_instructions(index); }
void moveRelease(Plan &plan, int to, int from = kRelease) {
  for (; from != to; from += from < to ? 1 : -1)
    summing(plan).mutable_instructions()->SwapElements(from, from < to ? from + 1 : from - 1);
}

TEST(SumReleases, AGoodOnePassesAndIsAnEvent) {
  for (uint32_t times : {1, 3}) {
    Plan plan = sumsPlan(2, times);
    EXPECT_EQ(verifyPlan(plan), absl::OkStatus());
    EXPECT_EQ(checkCertificate(plan).status(), absl::OkStatus());
    EXPECT_EQ(summing(plan).event_ranks_size(), 4) << "start, done, release and send_done";
    const int release = times == 1 ? kRelease : kRelease + 1; // behind a repeat
    summing(plan).mutable_instructions()->DeleteSubrange(release, 1);
    completePlan(plan);
    EXPECT_EQ(verifyPlan(plan), absl::OkStatus()) << "sums are copied";
    EXPECT_EQ(summing(plan).event_ranks_size(), 3);
  }
}

TEST(SumReleases, OfSmallChunksAreRefused) {
  EXPECT_THAT(
      std::string(verifyPlan(sumsPlan(2, 1, 4096)).message()),
      testing::HasSubstr(
          "sums over channel all_reduce, and releases the sums, which cannot be read where they are "
          "made: sums by SCATTER in chunks of 16384 bytes are copied"));
}

class DamagedSums : public testing::TestWithParam<DamageCase> {};

TEST_P(DamagedSums, AreRefusedByName) { expectRefused(sumsPlan(2), GetParam()); }

const DamageCase sumCases[] = {
    {"ChannelThatIsCopied", [](Plan &p) { p.mutable_channels(0)->set_zero_copy(false); },
     "cannot be read where they are made: the channel is not zero-copy"},
    {"Ring",
     [](Plan &p) {
       p.mutable_channels(0)->set_algorithm(RING);
       p.mutable_channels(0)->set_capacity(allReduceCapacity(RING));
     },
     "cannot be read where they are made: sums by RING in chunks of 65536 bytes are copied"},
    {"NoWholePages",
     [](Plan &p) {
       for (Buffer &buffer : *summing(p).mutable_buffers())
         if (buffer.has_arena())
           buffer.mutable_arena()->set_offset(buffer.arena().offset() + 64);
       summing(p).set_arena_bytes(summing(p).arena_bytes() + 64);
     },
     "instruction 3: sums over channel all_reduce, and releases the sums, which cannot be read where they are made: "
     "buffer 1 "
     "() begins at 64, which is no multiple of 4096"},
    {"Fetched", [](Plan &p) { summing(p).mutable_fetches(0)->set_buffer(kFirstPiece); },
     "fetch loss shows sums over channel all_reduce, which may lie elsewhere and are released before"},
    {"ShownByAMetric",
     [](Plan &p) {
       Metric *metric = summing(p).add_metrics();
       metric->set_name("m");
       metric->set_sum(kBucket);
       metric->set_count(kOther);
     },
     "metric m shows sums over channel all_reduce"},
    {"ReadBehindTheRelease", [](Plan &p) { moveRelease(p, kRelease - 1); },
     "instruction 7: touches buffer 3 () behind the release of channel all_reduce, whose sums others may write over by "
     "then; "
     "expected the release behind it"},
    {"ReadBehindTheSendDone",
     [](Plan &p) { stepOf(p, kLater).mutable_call()->set_buffers(0, kFirstPiece); },
     "instruction 9: touches buffer 2 () behind the release of channel all_reduce"},
    {"WrittenBehindTheSendDone",
     [](Plan &p) { stepOf(p, kLater).mutable_call()->set_buffers(1, kSecondPiece); },
     "instruction 9: touches buffer 3 () behind the release of channel all_reduce"},
    {"ReadWithWhatIsBesideThem",
     [](Plan &p) {
       Buffer &piece = *summing(p).mutable_buffers(kSecondPiece);
       piece.mutable_arena()->set_offset(piece.arena().offset() + 4096);
     },
     "instruction 6: reads buffer 3 (), only a part of which are sums over channel all_reduce"},
    {"SentOn",
     [](Plan &p) { // over another channel among all
       Channel &copy = *p.add_channels();
       copy = p.channels(0);
       copy.set_name("other");
       copy.set_algorithm(WHOLE);
       copy.set_zero_copy(false);
       Instruction::SendStart *send = stepOf(p, kFirstRead).mutable_send_start();
       send->set_channel(2);
       send->set_buffer(kFirstPiece);
     },
     "instruction 5: touches buffer 2 (), but the sums over channel all_reduce may lie elsewhere until its release; "
     "expected "
     "calls alone that read them"},
    {"AddedToALoopsSums",
     [](Plan &p) {
       Instruction::Accumulate *sum = stepOf(p, kFirstRead + 1).mutable_accumulate();
       sum->set_buffer(kFirstPiece);
       sum->add_partials(kOther);
       sum->set_per_leaf(1);
       Instruction::Repeat *repeat = stepOf(p, kFirstRead).mutable_repeat();
       repeat->set_count(1);
       repeat->set_length(1);
     },
     "instruction 6: touches buffer 2 (), but the sums over channel all_reduce may lie elsewhere"},
    {"ReleasedInALoop",
     [](Plan &p) {
       p = sumsPlan(2, 3);
       stepOf(p, kFirstRead).mutable_repeat()->set_length(3);
     },
     "instruction 8: is repeated; expected calls"},
    {"ReadInALoopBehindTheRelease",
     [](Plan &p) {
       p = sumsPlan(2, 3);
       moveRelease(p, kFirstRead, kRelease + 1);
     },
     "instruction 7: touches buffer 2 () behind the release"},
    {"ReleasedBehindTheSendDone", [](Plan &p) { moveRelease(p, kRelease + 1); },
     "instruction 8: releases the sums of channel all_reduce, which it does not hold; expected it once, between the "
     "all_reduce_done and the send_done"},
    {"ReleasedBeforeTheyAreMade", [](Plan &p) { moveRelease(p, kFirstRead - 1); },
     "instruction 4: releases the sums of channel all_reduce, which it does not hold"},
    {"ReleasedBeforeTheStart", [](Plan &p) { moveRelease(p, 1); },
     "instruction 1: releases the sums of channel all_reduce, which it does not hold"},
    {"ReleasedTwice",
     [](Plan &p) {
       const Instruction release = stepOf(p, kRelease);
       *summing(p).add_instructions() = release;
       moveRelease(p, kRelease, summing(p).instructions_size() - 1);
     },
     "instruction 8: releases the sums of channel all_reduce, which it does not hold"},
    {"OneOfTwoReleased",
     [](Plan &p) { // the same once more in another bucket, without a release
       const uint64_t offset = summing(p).arena_bytes() + 4096 - summing(p).arena_bytes() % 4096;
       Buffer bucket = summing(p).buffers(kBucket);
       bucket.mutable_arena()->set_offset(offset);
       *summing(p).add_buffers() = bucket;
       summing(p).set_arena_bytes(offset + bucket.bytes());
       const Instruction start = stepOf(p, 3), done = stepOf(p, 4), sent = stepOf(p, 8);
       for (const Instruction &again : {start, done, sent}) {
         *summing(p).add_instructions() = again;
         moveRelease(p, summing(p).instructions_size() - 2,
                     summing(p).instructions_size() - 1); // before the control_receive
       }
       stepOf(p, summing(p).instructions_size() - 4)
           .mutable_all_reduce_start()
           ->set_buffer(uint32_t(summing(p).buffers_size()) - 1);
     },
     "the step ends without a release of the sums of channel all_reduce"},
};

INSTANTIATE_TEST_SUITE_P(Cases, DamagedSums, testing::ValuesIn(sumCases), nameOf);

} // namespace
} // namespace graphc::plan
