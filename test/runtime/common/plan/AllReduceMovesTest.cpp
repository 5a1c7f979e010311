//===- AllReduceMovesTest.cpp -----------------------------------------------------------------===//
//
// The moves of every algorithm, played by all instances over ports of few slots.
//
//===------------------------------------------------------------------------------------------===//

#include "runtime/common/plan/AllReduceMoves.h"

#include "runtime/common/plan/SumTree.h"
#include "runtime/common/plan/VerifyPlan.h"
#include "test/runtime/common/plan/PlanBuilder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <numeric>
#include <random>
#include <set>
#include <span>
#include <string>

namespace graphc::plan {
namespace {

/// What an instance holds of a chunk, and what a message carries: the additions, such as "((AB)C)".
/// Which of two comes first does not matter, x + y is y + x.
using Sum = std::string;

Sum add(Sum x, Sum y) { return "(" + std::min(x, y) + std::max(x, y) + ")"; }

/// The sum by the tree.
Sum byTree(std::span<const Sum> of) {
  if (of.size() == 1)
    return of[0];
  const size_t left = leftLeaves(of.size());
  return add(byTree(of.first(left)), byTree(of.subspan(left)));
}

/// Of instances A, B, … so many.
std::vector<Sum> contributions(uint32_t n) {
  std::vector<Sum> all;
  for (uint32_t r = 0; r < n; ++r)
    all.emplace_back(1, char('A' + r));
  return all;
}

std::string lettersOf(Sum sum) {
  std::erase_if(sum, [](char c) { return c == '(' || c == ')'; });
  std::sort(sum.begin(), sum.end());
  return sum;
}

/// Every algorithm over so many, with every number of hosts.
std::vector<AllReduceShape> shapesOf(uint32_t n) {
  std::vector<AllReduceShape> shapes;
  for (AllReduceAlgorithm algorithm : {SCATTER, RING, DOUBLING})
    for (uint32_t hosts = 1; hosts <= n; ++hosts)
      if (AllReduceShape shape{algorithm, n, hosts}; checkAllReduce(shape, n).ok())
        shapes.push_back(shape);
  return shapes;
}

std::string shapeName(const AllReduceShape &shape) {
  return AllReduceAlgorithm_Name(shape.algorithm) + " over " + std::to_string(shape.instances) +
         " on " + std::to_string(shape.hosts);
}

struct Instance {
  std::vector<AllReduceMove> moves;
  size_t next = 0;
  std::vector<Sum> chunks;
};

struct Message {
  Sum sum;
  uint64_t chunk;
};

/// Plays the moves until nobody gets on; `slots` a port. Instances that come later in `order` run
/// only when the earlier ones cannot. False: somebody is stuck, or a message was left behind.
/// `overwritten`: a chunk was written between its sending and its reading, so that a receiver in
/// place would have read something else.
bool play(const AllReduceShape &shape, std::vector<Instance> &all, uint32_t slots, bool backwards,
          bool *overwritten = nullptr) {
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
    const AllReduceMove &move = me.moves[me.next];
    Sum &chunk = me.chunks[move.chunk];
    auto &out = ports[self * n + move.peer], &in = ports[move.peer * n + self];
    switch (move.kind) {
    case AllReduceMove::Send:
      if (out.size() == slots)
        return false;
      out.push_back({chunk, move.chunk});
      break;
    case AllReduceMove::Sum:
    case AllReduceMove::SumHosts: {
      const AllReduceGroup group = allReduceGroup(shape, move.kind, uint32_t(self));
      for (uint32_t i = 0; i < group.count; ++i)
        if (i != group.place && ports[group.member(i) * n + self].empty())
          return false;
      std::vector<Sum> sums;
      for (uint32_t i = 0; i < group.count; ++i)
        sums.push_back(i == group.place ? chunk : take(group.member(i), self));
      chunk = byTree(sums);
      break;
    }
    case AllReduceMove::Add:
    case AllReduceMove::Take:
      if (in.empty())
        return false;
      chunk = move.kind == AllReduceMove::Add ? add(take(move.peer, self), chunk)
                                              : take(move.peer, self);
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

float valueOf(const char *&at, const std::vector<float> &of) {
  if (*at != '(')
    return of[size_t(*at++ - 'A')];
  ++at;
  const float x = valueOf(at, of), y = valueOf(at, of);
  ++at;
  return x + y;
}
float valueOf(const Sum &sum, const std::vector<float> &of) {
  const char *at = sum.c_str();
  return valueOf(at, of);
}

std::vector<Instance> start(const AllReduceShape &shape, uint64_t chunks) {
  std::vector<Instance> all(shape.instances);
  for (uint32_t r = 0; r < shape.instances; ++r) {
    all[r].moves = allReduceMoves(shape, chunks, r);
    all[r].chunks.assign(chunks, contributions(r + 1).back());
  }
  return all;
}

TEST(AllReduceMoves, EveryInstanceEndsWithTheSameSumOfAllAndNobodyWaitsForever) {
  for (uint32_t n = 2; n <= 16; ++n)
    for (const AllReduceShape &shape : shapesOf(n))
      for (uint64_t rounds : {1, 2, 3, 7, 12, 16, 17, 40})
        for (bool backwards : {false, true}) {
          const uint64_t chunks = shape.algorithm == DOUBLING ? rounds : rounds * n;
          std::vector<Instance> all = start(shape, chunks);
          ASSERT_TRUE(play(shape, all, allReduceCapacity(shape.algorithm), backwards))
              << shapeName(shape) << ", " << chunks;
          const Sum tree = byTree(contributions(n));
          for (uint64_t c = 0; c < chunks; ++c) {
            if (shape.algorithm != RING)
              ASSERT_EQ(all[0].chunks[c], tree) << shapeName(shape);
            ASSERT_EQ(lettersOf(all[0].chunks[c]), lettersOf(tree)) << shapeName(shape);
            for (const Instance &instance : all)
              ASSERT_EQ(instance.chunks[c], all[0].chunks[c]) << shapeName(shape);
          }
        }
}

// Two hosts of three have no node of the tree each, so sums that were made there first would be
// others.
TEST(AllReduceMoves, HostsThatAreNoNodesAreAnotherSum) {
  const AllReduceShape shape{SCATTER, 6, 2};
  EXPECT_FALSE(checkAllReduce(shape, 6).ok());
  std::vector<Instance> all = start(shape, 6);
  ASSERT_TRUE(play(shape, all, allReduceCapacity(SCATTER), false));
  EXPECT_NE(all[0].chunks[0], byTree(contributions(6)));
}

TEST(AllReduceMoves, WhatIsReadInPlaceIsNotWrittenBefore) {
  for (uint32_t n : {2u, 3u, 4u, 8u, 12u})
    for (const AllReduceShape &shape : shapesOf(n))
      for (bool backwards : {false, true}) {
        std::vector<Instance> all = start(shape, 40 * n);
        bool overwritten = false;
        ASSERT_TRUE(play(shape, all, allReduceCapacity(shape.algorithm), backwards, &overwritten));
        EXPECT_EQ(overwritten, !readsInPlace(shape.algorithm)) << shapeName(shape);
      }
}

// What allows sums to be read where they lie: among those of a host, who alone read each other's
// memory, an instance writes its own piece alone, and takes each other's last chunk at its end.
TEST(AllReduceMoves, WhatLeavesSumsTakesTheLastOfEachInTheEnd) {
  for (uint32_t n : {2u, 3u, 4u, 8u})
    for (const AllReduceShape &shape : shapesOf(n)) {
      const uint64_t chunks = 5 * n;
      bool leaves = true;
      for (uint32_t self = 0; self < n && leaves; ++self) {
        const AllReduceGroup near = allReduceGroup(shape, AllReduceMove::Sum, self);
        const std::vector<AllReduceMove> moves = allReduceMoves(shape, chunks, self);
        std::set<uint32_t> last;
        for (size_t i = 0; i < moves.size(); ++i) {
          const uint32_t owner = near.member(uint32_t(moves[i].chunk / (chunks / near.count)));
          const bool fromHost = moves[i].peer / near.count == self / near.count;
          if (moves[i].kind == AllReduceMove::Sum || moves[i].kind == AllReduceMove::SumHosts)
            leaves &= owner == self;
          else if (moves[i].kind != AllReduceMove::Send)
            leaves &=
                moves[i].kind == AllReduceMove::Take && owner == (fromHost ? moves[i].peer : self);
          if (i + near.count - 1 >= moves.size())
            leaves &= moves[i].kind == AllReduceMove::Take && fromHost &&
                      last.insert(moves[i].peer).second;
        }
      }
      EXPECT_EQ(leaves, leavesSums(shape.algorithm)) << shapeName(shape);
    }
}

TEST(AllReduceMoves, MessagesAreAsManyAsPromised) {
  for (uint32_t n : {2u, 3u, 4u, 8u, 12u})
    for (const AllReduceShape &shape : shapesOf(n)) {
      const uint64_t chunks = 24;
      uint64_t leaving = 0;
      std::vector<Instance> all = start(shape, chunks);
      for (uint32_t self = 0; self < n; ++self) {
        std::vector<uint64_t> sent(n), received(n);
        uint64_t added = 0;
        for (const AllReduceMove &move : all[self].moves) {
          const AllReduceGroup group = allReduceGroup(shape, move.kind, self);
          if (move.kind == AllReduceMove::Send)
            ++sent[move.peer];
          else if (move.kind != AllReduceMove::Sum && move.kind != AllReduceMove::SumHosts)
            ++received[move.peer];
          else
            for (uint32_t i = 0; i < group.count; ++i)
              received[group.member(i)] += i != group.place;
          added += move.kind == AllReduceMove::Add ? 1
                   : move.kind == AllReduceMove::Sum || move.kind == AllReduceMove::SumHosts
                       ? group.count - 1
                       : 0;
        }
        uint64_t peers = 0;
        for (uint32_t other = 0; other < n; ++other) {
          EXPECT_EQ(sent[other], allReduceMessages(shape, chunks, self, other)) << shapeName(shape);
          EXPECT_EQ(received[other], allReduceMessages(shape, chunks, other, self))
              << shapeName(shape);
          EXPECT_EQ(sent[other] > 0, carries(shape, self, other)) << shapeName(shape);
          peers += sent[other] > 0;
          leaving += self / shape.onHost() == other / shape.onHost() ? 0 : sent[other];
        }
        EXPECT_EQ(peers, allReducePeers(shape)) << shapeName(shape);
        EXPECT_EQ(std::accumulate(sent.begin(), sent.end(), uint64_t(0)),
                  allReduceMessages(shape, chunks))
            << shapeName(shape);
        EXPECT_EQ(added, allReduceAdditions(shape, chunks)) << shapeName(shape);
      }
      // Every host gets all but what it makes itself of the sums, and sends as much: once the
      // buffer would be 24.
      EXPECT_EQ(leaving, shape.hosts > 1 ? 2 * (shape.hosts - 1) * chunks : 0) << shapeName(shape);
      EXPECT_EQ(leaving, shape.hosts * allReduceMessagesLeavingHost(shape, shape.onHost(), chunks))
          << shapeName(shape);
    }
}

// What sums within hosts are for: of the same four and four, that much more leaves a host without
// them.
TEST(AllReduceMoves, SumsWithinHostsSendLessToOthers) {
  EXPECT_EQ(allReduceMessagesLeavingHost({SCATTER, 8, 2}, 4, 24), 24u);
  EXPECT_EQ(allReduceMessagesLeavingHost({SCATTER, 8}, 4, 24), 4 * 24u);
  EXPECT_EQ(allReduceMessages({SCATTER, 8, 2}, 24), allReduceMessages({SCATTER, 8}, 24));
}

// The play can fail: with one slot a port a pipeline of three rounds gets stuck.
TEST(AllReduceMoves, TooFewSlotsAreFound) {
  for (const AllReduceShape &shape : {AllReduceShape{SCATTER, 3}, AllReduceShape{SCATTER, 12, 3}}) {
    std::vector<Instance> all = start(shape, 48);
    EXPECT_FALSE(play(shape, all, 1, false)) << shapeName(shape);
  }
}

TEST(AllReduceMoves, WhatNoAlgorithmCanDoIsRefused) {
  EXPECT_FALSE(checkAllReduce({WHOLE, 2}, 2).ok());
  EXPECT_FALSE(checkAllReduce({AllReduceAlgorithm(17), 2}, 2).ok());
  EXPECT_FALSE(checkAllReduce({SCATTER, 1}, 2).ok());
  EXPECT_FALSE(checkAllReduce({RING, 2}, 0).ok());
  EXPECT_FALSE(checkAllReduce({RING, 3}, 4).ok());
  EXPECT_FALSE(checkAllReduce({DOUBLING, 3}, 3).ok());
  EXPECT_TRUE(checkAllReduce({DOUBLING, 8}, 1).ok());
  EXPECT_FALSE(checkAllReduce({RING, 2}, uint64_t(1) << 40).ok());
  EXPECT_TRUE(checkAllReduce({SCATTER, 12, 3}, 12).ok());
  EXPECT_FALSE(checkAllReduce({SCATTER, 12, 4}, 12).ok()) << "three on each";
  EXPECT_FALSE(checkAllReduce({SCATTER, 4, 4}, 4).ok()) << "one on each";
  EXPECT_FALSE(checkAllReduce({SCATTER, 4, 3}, 4).ok());
  EXPECT_FALSE(checkAllReduce({SCATTER, 4, 8}, 4).ok());
  EXPECT_FALSE(checkAllReduce({RING, 4, 2}, 4).ok());
}

// What "fast" may cost in bits: however a sum of N floats is ordered, it is within (N - 1) 2^-24 of
// the sum of their sizes of the exact one (to first order), so within twice that of the sum by the
// tree.
TEST(AllReduceMoves, AFastSumIsNearTheOneByTheTree) {
  std::mt19937 random(7);
  std::normal_distribution<float> value(0, 1);
  bool differs = false;
  for (uint32_t n : {2u, 3u, 4u, 5u, 8u, 16u})
    for (const AllReduceShape &shape : shapesOf(n))
      for (int trial = 0; trial < 20; ++trial) {
        std::vector<Instance> all = start(shape, 4 * n);
        ASSERT_TRUE(play(shape, all, allReduceCapacity(shape.algorithm), trial % 2));
        std::vector<float> of(n);
        for (float &each : of)
          each = value(random);
        float exact = valueOf(byTree(contributions(n)), of), sizes = 0;
        for (float each : of)
          sizes += std::abs(each);
        for (const Sum &sum : all[trial % n].chunks) {
          const float fast = valueOf(sum, of);
          EXPECT_LE(std::abs(fast - exact), 2 * float(n - 1) * 0x1p-24f * sizes * 1.001f);
          if (shape.algorithm != RING)
            EXPECT_EQ(fast, exact);
          differs |= fast != exact;
        }
      }
  EXPECT_TRUE(differs) << "another order must show, or the bound says nothing";
}

/// Three instances sum six chunks of 16 floats.
Plan allReducePlan() {
  PlanBuilder b;
  uint32_t job = b.job("worker", 3);
  b.replicas(job, 3);
  b.plan.mutable_strategy()->set_name("all_reduce");
  uint32_t phase = b.phase("train_step", TRAIN, false);
  uint32_t worker = b.program(phase, "train_step.worker", 3, true, job, 0);
  uint32_t sum = b.scatterChannel(worker);
  uint32_t control = b.channel("control.worker", PlanBuilder::scalar(I64), worker, worker, true);
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

TEST(AllReduceMoves, AGoodPlanPasses) {
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
    {"UnknownAlgorithm",
     [](Plan &p) { p.mutable_channels(0)->set_algorithm(AllReduceAlgorithm(9)); },
     "unknown all-reduce algorithm 9"},
    {"NotAllToAll", [](Plan &p) { p.mutable_channels(1)->set_algorithm(RING); },
     "but is not all to all"},
    {"TooFewSlots", [](Plan &p) { p.mutable_channels(0)->set_capacity(3); },
     "SCATTER with 3 slots"},
    {"DoublingOfThree", [](Plan &p) { p.mutable_channels(0)->set_algorithm(DOUBLING); },
     "expected a power of two"},
    {"HostsOfThree", [](Plan &p) { p.mutable_channels(0)->set_hosts(3); },
     "all-reduce SCATTER over 3 instances on 3 hosts"},
    {"HostsOfARing",
     [](Plan &p) {
       p.mutable_channels(0)->set_algorithm(RING);
       p.mutable_channels(0)->set_hosts(2);
     },
     "all-reduce RING over 3 instances on 2 hosts"},
    {"HostsOfAnotherChannel", [](Plan &p) { p.mutable_channels(1)->set_hosts(2); },
     "all-reduce WHOLE over 3 instances on 2 hosts"},
    {"MoreHostsThanInstances", [](Plan &p) { p.mutable_channels(0)->set_hosts(4000000000u); },
     "on 4000000000 hosts"},
    {"NoAlgorithm", [](Plan &p) { p.mutable_channels(0)->set_algorithm(WHOLE); },
     "has no algorithm"},
    {"ChannelBeyond", [](Plan &p) { startOf(p).set_channel(7); }, "channel 7 does not exist"},
    {"ControlChannel", [](Plan &p) { startOf(p).set_channel(1); }, "control"},
    {"BufferBeyond", [](Plan &p) { startOf(p).set_buffer(9); }, "buffer 9 does not exist"},
    {"ScratchIsTheBuffer", [](Plan &p) { startOf(p).set_scratch(startOf(p).buffer()); },
     "do not overlap"},
    {"ScratchOfAnotherSize", [](Plan &p) { startOf(p).set_scratch(2); },
     "is tensor<f32>, but kernel"},
    {"NotInChunksOfEach",
     [](Plan &p) {
       Buffer &buffer = *p.mutable_programs(0)->mutable_buffers(0);
       buffer.mutable_type()->set_shape(0, 5 * 16);
       buffer.set_bytes(5 * 64);
     },
     "5 chunks over 3 instances"},
    {"AddBeyond", [](Plan &p) { startOf(p).set_add(99); }, "kernel 99 does not exist"},
    {"AddIsNone", [](Plan &p) { startOf(p).set_add(0); },
     "cannot add a message of channel all_reduce"},
    {"NeverDone",
     [](Plan &p) { p.mutable_programs(0)->mutable_instructions()->DeleteSubrange(3, 2); },
     "without an all_reduce_done"},
    {"NeverFree",
     [](Plan &p) { p.mutable_programs(0)->mutable_instructions()->DeleteSubrange(4, 1); },
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
    {"NeverStarted",
     [](Plan &p) { p.mutable_programs(0)->mutable_instructions()->DeleteSubrange(2, 1); },
     "that was not started"},
    {"UsedMeanwhile",
     [](Plan &p) { p.mutable_programs(0)->mutable_instructions()->SwapElements(1, 2); },
     "is used while channel all_reduce sums in it"},
    {"WrongBytes", [](Plan &p) { p.mutable_programs(0)->set_bytes_sent_per_step(64); }, "bytes"},
    {"SentWhole",
     [](Plan &p) {
       p.mutable_programs(0)->mutable_instructions(2)->mutable_send_start()->set_channel(0);
     },
     "expected an all_reduce_start"},
};

INSTANTIATE_TEST_SUITE_P(Rules, AllReduceRules, testing::ValuesIn(broken),
                         [](const testing::TestParamInfo<BrokenRule> &info) {
                           return std::string(info.param.name);
                         });

} // namespace
} // namespace graphc::plan
