//===- AllReduceTest.cpp - the moves of every algorithm, played by all instances over ports of few slots --------------===//

#include "runtime/plan/AllReduce.h"

#include "runtime/plan/SumTree.h"
#include "runtime/plan/Verify.h"
#include "test/runtime/plan/PlanBuilder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <random>
#include <set>
#include <string>

namespace graphc::plan {
namespace {

/// What an instance holds of a chunk, and what a message carries: the instances summed, in the order of the additions.
using Sum = std::string;

struct Instance {
  std::vector<Move> moves;
  size_t next = 0;
  std::vector<Sum> chunks;
};

struct Message {
  Sum sum;
  uint64_t chunk;
};

/// Plays the moves until nobody gets on; `slots` a port. Instances that come later in `order` run only when the earlier ones
/// cannot. False: somebody is stuck, or a message was left behind. `overwritten`: a chunk was written between its sending
/// and its reading, so that a receiver in place would have read something else.
bool play(std::vector<Instance> &all, uint32_t slots, bool backwards, bool *overwritten = nullptr) {
  const size_t n = all.size();
  std::vector<std::deque<Message>> ports(n * n); // from * n + to
  auto take = [&](size_t from, size_t to) {
    Message message = ports[from * n + to].front();
    ports[from * n + to].pop_front();
    if (overwritten && all[from].chunks[message.chunk] != message.sum)
      *overwritten = true;
    return message.sum;
  };
  auto step = [&](size_t self) {
    Instance &me = all[self];
    if (me.next == me.moves.size())
      return false;
    const Move &move = me.moves[me.next];
    Sum &chunk = me.chunks[move.chunk];
    auto &out = ports[self * n + move.peer], &in = ports[move.peer * n + self];
    switch (move.kind) {
    case Move::Send:
      if (out.size() == slots)
        return false;
      out.push_back({chunk, move.chunk});
      break;
    case Move::Sum: {
      Sum sum;
      for (size_t from = 0; from < n; ++from)
        if (from != self && ports[from * n + self].empty())
          return false;
      for (size_t from = 0; from < n; ++from)
        sum += from == self ? chunk : take(from, self);
      chunk = sum;
      break;
    }
    case Move::Add:
    case Move::Take:
      if (in.empty())
        return false;
      chunk = move.kind == Move::Add ? take(move.peer, self) + chunk : take(move.peer, self);
      break;
    }
    ++me.next;
    return true;
  };
  for (bool moved = true; moved;) {
    moved = false;
    for (size_t i = 0; i < n && !moved; ++i)
      while (step(backwards ? n - 1 - i : i))
        moved = true;
  }
  for (const Instance &instance : all)
    if (instance.next != instance.moves.size())
      return false;
  for (const auto &port : ports)
    if (!port.empty())
      return false;
  return true;
}

/// The sum by the tree of all sums.
float byTree(const std::vector<float> &of, size_t first, size_t count) {
  const size_t left = count > 1 ? leftLeaves(count) : 0;
  return count == 1 ? of[first] : byTree(of, first, left) + byTree(of, first + left, count - left);
}

/// The sum whose halves are sums of halves, as a doubling makes it.
float pairwise(const Sum &order, const std::vector<float> &of) {
  if (order.size() == 1)
    return of[size_t(order[0] - 'A')];
  size_t half = order.size() / 2;
  return pairwise(order.substr(0, half), of) + pairwise(order.substr(half), of);
}

std::vector<Instance> start(AllReduceAlgorithm algorithm, uint32_t n, uint64_t chunks) {
  std::vector<Instance> all(n);
  for (uint32_t r = 0; r < n; ++r) {
    all[r].moves = allReduceMoves(algorithm, n, chunks, r);
    all[r].chunks.assign(chunks, Sum(1, char('A' + r)));
  }
  return all;
}

TEST(AllReduce, EveryInstanceEndsWithTheSameSumOfAllAndNobodyWaitsForever) {
  for (AllReduceAlgorithm algorithm : {SCATTER, RING, DOUBLING})
    for (uint32_t n = 2; n <= 16; ++n)
      for (uint64_t rounds : {1, 2, 3, 7, 12, 16, 17, 40}) {
        const uint64_t chunks = algorithm == DOUBLING ? rounds : rounds * n;
        if (!checkAllReduce(algorithm, n, chunks).ok())
          continue;
        for (bool backwards : {false, true}) {
          std::vector<Instance> all = start(algorithm, n, chunks);
          ASSERT_TRUE(play(all, allReduceCapacity(algorithm), backwards))
              << AllReduceAlgorithm_Name(algorithm) << " of " << chunks << " chunks over " << n;
          Sum inOrder;
          for (uint32_t r = 0; r < n; ++r)
            inOrder += char('A' + r);
          for (uint64_t c = 0; c < chunks; ++c) {
            Sum sum = all[0].chunks[c];
            if (algorithm == SCATTER)
              ASSERT_EQ(sum, inOrder);
            std::sort(sum.begin(), sum.end());
            ASSERT_EQ(sum, inOrder);
            for (const Instance &instance : all) { // x + y is y + x: the halves of a doubling may be swapped
              Sum other = instance.chunks[c];
              if (algorithm == DOUBLING) {
                for (size_t run = 2; run <= n; run *= 2) // the tree: neighbours first, then pairs of them
                  for (size_t first = 0; first < n; first += run)
                    ASSERT_EQ(
                        *std::min_element(other.begin() + ptrdiff_t(first), other.begin() + ptrdiff_t(first + run)),
                        *std::max_element(other.begin() + ptrdiff_t(first), other.begin() + ptrdiff_t(first + run)) -
                            char(run - 1))
                        << other;
                std::sort(other.begin(), other.end());
              }
              ASSERT_EQ(other, algorithm == DOUBLING ? inOrder : all[0].chunks[c]);
            }
          }
        }
      }
}

TEST(AllReduce, WhatIsReadInPlaceIsNotWrittenBefore) {
  for (AllReduceAlgorithm algorithm : {SCATTER, RING, DOUBLING})
    for (uint32_t n : {2u, 3u, 4u, 8u})
      for (bool backwards : {false, true}) {
        const uint64_t chunks = 40 * n;
        if (!checkAllReduce(algorithm, n, chunks).ok())
          continue;
        std::vector<Instance> all = start(algorithm, n, chunks);
        bool overwritten = false;
        ASSERT_TRUE(play(all, allReduceCapacity(algorithm), backwards, &overwritten));
        EXPECT_EQ(overwritten, !readsInPlace(algorithm)) << AllReduceAlgorithm_Name(algorithm) << " over " << n;
      }
}

// What allows sums to be read where they lie: an instance writes its own piece alone, and takes each other's last chunk at its end.
TEST(AllReduce, WhatLeavesSumsTakesTheLastOfEachInTheEnd) {
  for (AllReduceAlgorithm algorithm : {SCATTER, RING, DOUBLING})
    for (uint32_t n : {2u, 3u, 4u, 8u}) {
      const uint64_t chunks = 5 * n;
      bool leaves = checkAllReduce(algorithm, n, chunks).ok();
      for (uint32_t self = 0; self < n && leaves; ++self) {
        const std::vector<Move> moves = allReduceMoves(algorithm, n, chunks, self);
        std::set<uint32_t> last;
        for (size_t i = 0; i < moves.size(); ++i) {
          const uint32_t piece = uint32_t(moves[i].chunk / (chunks / n));
          if (moves[i].kind == Move::Sum)
            leaves &= piece == self;
          else if (moves[i].kind != Move::Send)
            leaves &= moves[i].kind == Move::Take && piece == moves[i].peer;
          if (i + n - 1 >= moves.size())
            leaves &= moves[i].kind == Move::Take && last.insert(moves[i].peer).second;
        }
      }
      if (checkAllReduce(algorithm, n, chunks).ok())
        EXPECT_EQ(leaves, leavesSums(algorithm)) << AllReduceAlgorithm_Name(algorithm) << " over " << n;
    }
}

TEST(AllReduce, MessagesAreAsManyAsPromised) {
  for (AllReduceAlgorithm algorithm : {SCATTER, RING, DOUBLING})
    for (uint32_t n : {2u, 3u, 4u, 8u}) {
      const uint64_t chunks = 24;
      if (!checkAllReduce(algorithm, n, chunks).ok())
        continue;
      for (const Instance &instance : start(algorithm, n, chunks)) {
        uint64_t sent = 0, added = 0;
        for (const Move &move : instance.moves) {
          sent += move.kind == Move::Send;
          added += move.kind == Move::Add ? 1 : move.kind == Move::Sum ? n - 1 : 0;
        }
        EXPECT_EQ(sent, allReduceMessages(algorithm, n, chunks)) << AllReduceAlgorithm_Name(algorithm) << n;
        EXPECT_EQ(added, allReduceAdditions(algorithm, n, chunks)) << AllReduceAlgorithm_Name(algorithm) << n;
      }
    }
}

// The play can fail: with one slot a port a pipeline of three rounds gets stuck.
TEST(AllReduce, TooFewSlotsAreFound) {
  std::vector<Instance> all = start(SCATTER, 3, 12);
  EXPECT_FALSE(play(all, 1, false));
}

TEST(AllReduce, WhatNoAlgorithmCanDoIsRefused) {
  EXPECT_FALSE(checkAllReduce(WHOLE, 2, 2).ok());
  EXPECT_FALSE(checkAllReduce(AllReduceAlgorithm(17), 2, 2).ok());
  EXPECT_FALSE(checkAllReduce(SCATTER, 1, 2).ok());
  EXPECT_FALSE(checkAllReduce(RING, 2, 0).ok());
  EXPECT_FALSE(checkAllReduce(RING, 3, 4).ok());
  EXPECT_FALSE(checkAllReduce(DOUBLING, 3, 3).ok());
  EXPECT_TRUE(checkAllReduce(DOUBLING, 8, 1).ok());
  EXPECT_FALSE(checkAllReduce(RING, 2, uint64_t(1) << 40).ok());
}

// What "fast" may cost in bits: however a sum of N floats is ordered, it is within (N - 1) 2^-24 of the sum of their sizes of the
// exact one (to first order), so within twice that of the sum by the tree. A doubling is the tree.
TEST(AllReduce, AFastSumIsNearTheOneByTheTree) {
  std::mt19937 random(7);
  std::normal_distribution<float> value(0, 1);
  bool differs = false;
  for (AllReduceAlgorithm algorithm : {RING, DOUBLING})
    for (uint32_t n : {2u, 3u, 4u, 5u, 8u, 16u}) {
      const uint64_t chunks = 4 * n;
      if (!checkAllReduce(algorithm, n, chunks).ok())
        continue;
      for (int trial = 0; trial < 20; ++trial) {
        std::vector<Instance> all = start(algorithm, n, chunks);
        ASSERT_TRUE(play(all, allReduceCapacity(algorithm), trial % 2));
        std::vector<float> of(n);
        for (float &each : of)
          each = value(random);
        float exact = byTree(of, 0, n), sizes = 0;
        for (float each : of)
          sizes += std::abs(each);
        for (const Sum &sum :
             all[trial % n].chunks) { // its letters are the order; a ring's additions are all to the left
          float fast = 0;
          if (algorithm == RING)
            for (char letter : sum)
              fast += of[size_t(letter - 'A')];
          else
            fast = pairwise(sum, of);
          EXPECT_LE(std::abs(fast - exact), 2 * float(n - 1) * 0x1p-24f * sizes * 1.001f);
          if (algorithm == DOUBLING)
            EXPECT_EQ(fast, exact);
          differs |= fast != exact;
        }
      }
    }
  EXPECT_TRUE(differs) << "another order must show, or the bound says nothing";
}

/// Three instances sum six chunks of 16 floats.
Plan allReducePlan() {
  PlanBuilder b;
  uint32_t job = b.job("worker", 3);
  ReplicaDomain::Range *range = b.plan.mutable_replicas()->add_ranges();
  range->set_job(job);
  range->set_count(3);
  b.plan.mutable_replicas()->set_size(3);
  b.plan.mutable_strategy()->set_name("all_reduce");
  uint32_t phase = b.phase("train_step", TRAIN, false);
  uint32_t worker = b.program(phase, "train_step.worker", 3, true, job, 0);
  uint32_t sum = b.channel("all_reduce", b.vector(), worker, worker);
  uint32_t control = b.channel("control.worker", PlanBuilder::scalar(I64), worker, worker, true);
  Channel &channel = *b.plan.mutable_channels(int(sum));
  channel.set_all_to_all(true);
  channel.set_algorithm(SCATTER);
  channel.set_capacity(allReduceCapacity(SCATTER));
  TensorType whole = b.vector();
  whole.set_shape(0, 6 * 16);
  uint32_t buffer = b.arenaBuffer(worker, whole), scratch = b.arenaBuffer(worker, b.vector());
  uint32_t loss = b.arenaBuffer(worker, PlanBuilder::scalar(F32));
  b.controlSend(worker, {control});
  b.call(worker, TestKernel::Sum, {scratch, loss});
  b.allReduce(worker, sum, buffer, scratch);
  b.fetch(worker, "loss", loss);
  b.controlReceive(worker, true, control);
  return b.finish();
}

struct BrokenRule {
  const char *name;
  std::function<void(Plan &)> damage;
  const char *expected;
};

Instruction::AllReduceStart &startOf(Plan &p) {
  return *p.mutable_programs(0)->mutable_instructions(2)->mutable_all_reduce_start();
}

class AllReduceRules : public testing::TestWithParam<BrokenRule> {};

TEST(AllReduce, AGoodPlanPasses) {
  Plan plan = allReducePlan();
  EXPECT_EQ(verifyPlan(plan), absl::OkStatus());
  plan.mutable_channels(0)->set_zero_copy(true);
  EXPECT_EQ(verifyPlan(plan), absl::OkStatus());
}

TEST_P(AllReduceRules, Refuses) {
  Plan plan = allReducePlan();
  GetParam().damage(plan);
  absl::Status status = verifyPlan(plan);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr(GetParam().expected));
}

const BrokenRule broken[] = {
    {"UnknownAlgorithm", [](Plan &p) { p.mutable_channels(0)->set_algorithm(AllReduceAlgorithm(9)); },
     "unknown all-reduce algorithm 9"},
    {"NotAllToAll", [](Plan &p) { p.mutable_channels(1)->set_algorithm(RING); }, "but is not all to all"},
    {"TooFewSlots", [](Plan &p) { p.mutable_channels(0)->set_capacity(3); }, "SCATTER with 3 slots"},
    {"DoublingOfThree", [](Plan &p) { p.mutable_channels(0)->set_algorithm(DOUBLING); }, "expected a power of two"},
    {"NoAlgorithm", [](Plan &p) { p.mutable_channels(0)->set_algorithm(WHOLE); }, "has no algorithm"},
    {"ChannelBeyond", [](Plan &p) { startOf(p).set_channel(7); }, "channel 7 does not exist"},
    {"ControlChannel", [](Plan &p) { startOf(p).set_channel(1); }, "control"},
    {"BufferBeyond", [](Plan &p) { startOf(p).set_buffer(9); }, "buffer 9 does not exist"},
    {"ScratchIsTheBuffer", [](Plan &p) { startOf(p).set_scratch(startOf(p).buffer()); }, "do not overlap"},
    {"ScratchOfAnotherSize", [](Plan &p) { startOf(p).set_scratch(2); }, "is tensor<f32>, but kernel"},
    {"NotInChunksOfEach",
     [](Plan &p) {
       Buffer &buffer = *p.mutable_programs(0)->mutable_buffers(0);
       buffer.mutable_type()->set_shape(0, 5 * 16);
       buffer.set_bytes(5 * 64);
     },
     "5 chunks over 3 instances"},
    {"AddBeyond", [](Plan &p) { startOf(p).set_add(99); }, "kernel 99 does not exist"},
    {"AddIsNone", [](Plan &p) { startOf(p).set_add(0); }, "cannot add a message of channel all_reduce"},
    {"NeverDone", [](Plan &p) { p.mutable_programs(0)->mutable_instructions()->DeleteSubrange(3, 2); },
     "without an all_reduce_done"},
    {"NeverFree", [](Plan &p) { p.mutable_programs(0)->mutable_instructions()->DeleteSubrange(4, 1); },
     "without a send_done of channel all_reduce"},
    {"WrittenWhileOthersRead",
     [](Plan &p) { // the call behind the sum, its result where the sum is
       Program &worker = *p.mutable_programs(0);
       worker.mutable_instructions()->SwapElements(1, 2);
       worker.mutable_instructions()->SwapElements(2, 3);
       worker.mutable_buffers(2)->mutable_arena()->set_offset(worker.buffers(0).arena().offset());
     },
     "still sends from it; expected a send_done before"},
    {"ZeroCopyDoubling",
     [](Plan &p) {
       p.mutable_channels(0)->set_algorithm(DOUBLING);
       p.mutable_channels(0)->set_zero_copy(true);
     },
     "its instances sum by DOUBLING, which leaves nothing as it is"},
    {"NeverStarted", [](Plan &p) { p.mutable_programs(0)->mutable_instructions()->DeleteSubrange(2, 1); },
     "that was not started"},
    {"UsedMeanwhile", [](Plan &p) { p.mutable_programs(0)->mutable_instructions()->SwapElements(1, 2); },
     "is used while channel all_reduce sums in it"},
    {"WrongBytes", [](Plan &p) { p.mutable_programs(0)->set_bytes_sent_per_step(64); }, "bytes"},
    {"SentWhole", [](Plan &p) { p.mutable_programs(0)->mutable_instructions(2)->mutable_send_start()->set_channel(0); },
     "expected an all_reduce_start"},
};

INSTANTIATE_TEST_SUITE_P(Rules, AllReduceRules, testing::ValuesIn(broken),
                         [](const testing::TestParamInfo<BrokenRule> &info) { return std::string(info.param.name); });

} // namespace
} // namespace graphc::plan
