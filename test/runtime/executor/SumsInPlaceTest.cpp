//===- SumsInPlaceTest.cpp --------------------------------------------------------------------===//
//
// All-reduces over shared memory, whose sums are read where they were made.
//
//===------------------------------------------------------------------------------------------===//

#include "test/runtime/common/plan/CompletePlan.h"
#include "test/runtime/common/plan/PlanBuilder.h"
#include "test/runtime/executor/SharedMemoryTask.h"
#include "test/runtime/executor/TaskHarness.h"
#include "test/runtime/executor/TestHost.h"

#include "runtime/common/plan/AllReduceMoves.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <thread>
#include <unistd.h>

namespace graphc::executor {
namespace {

constexpr uint64_t steps = 20;

const float *pieceOf(Lane &lane, uint32_t piece) {
  return static_cast<const float *>(lane.frame().buffer(2 + piece));
}

struct Result {
  std::vector<float> w; ///< of each worker
  bool copied = false; ///< the others' sums are in the worker's own bucket after the last step
};

/// Every worker on a thread, over shared memory.
std::vector<Result> runShared(const plan::Plan &plan) {
  const std::vector<plan::Task> tasks = plan::allTasks(plan);
  const std::string token =
      absl::StrCat("sums-in-place-", getpid(), "-", absl::ToUnixNanos(absl::Now()));
  std::vector<Result> results(tasks.size());
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < tasks.size(); ++i)
    threads.emplace_back([&, i] {
      auto library = LoadedKernels::loadFor(plan, tasks[i]);
      auto variables = VariableStore::create(plan, tasks[i]);
      ASSERT_TRUE(library.ok() && variables.ok());
      (*variables)->initialize();
      auto transport = connectTask(plan, tasks[i], token, **variables);
      ASSERT_TRUE(transport.ok()) << transport.status();
      TestHost host(steps);
      auto lanes = makeLanes({plan, tasks[i], **variables, **library, **transport, host}, 0);
      ASSERT_TRUE(lanes.ok()) << lanes.status();
      LaneRunOptions options;
      options.deadline = absl::Seconds(20);
      options.onFailure = [&](const Lane &, const absl::Status &status) {
        (*transport)->abort(status);
      };
      ASSERT_EQ(runLanes(*lanes, options), absl::OkStatus());
      auto *w = reinterpret_cast<const float *>((*variables)->data(0).data());
      results[i].w.assign(w, w + plan.variables(0).type().shape(0));
      // All pieces are made alike, so a worker's own sum is what the others' pieces hold where they
      // were copied.
      const uint32_t hosts = std::max(1u, plan.channels(0).hosts()),
                     place = i % uint32_t(tasks.size() / hosts);
      const uint32_t own = place * hosts, other = place == 0 ? hosts : 0;
      results[i].copied = pieceOf(*(*lanes)[0], other)[5] == pieceOf(*(*lanes)[0], own)[5];
    });
  for (std::thread &thread : threads)
    thread.join();
  return results;
}

int addSixteen(void *const *buffers, const GraphcContext *) {
  for (int i = 0; i < 16; ++i)
    static_cast<float *>(buffers[0])[i] += static_cast<const float *>(buffers[1])[i];
  return 0;
}

/// Two instances in one process, four chunks of 16 numbers: instance s begins with s + 1 everywhere
/// and maps the other's piece.
struct Two {
  /// `from`: the number of instance 1's with which it is said that its piece begins.
  explicit Two(size_t from = 2 * 16) {
    for (uint32_t self : {0u, 1u}) {
      std::fill_n(data[self], 4 * 16, float(self + 1));
      ResumableAllReduce::Setting setting;
      setting.self = self;
      setting.near = plan::allReduceGroup({plan::SCATTER, 2}, plan::AllReduceMove::Sum, self);
      setting.rounds = 2;
      setting.chunkBytes = setting.addBytes = 64;
      setting.add = addSixteen;
      setting.data = reinterpret_cast<uint8_t *>(data[self]);
      setting.scratch = reinterpret_cast<uint8_t *>(scratch[self]);
      setting.sends = sends[self];
      setting.receives = receives[self];
      setting.pieces = {reinterpret_cast<const uint8_t *>(data[0]),
                        reinterpret_cast<const uint8_t *>(data[1] + from)};
      both.emplace_back(setting, plan::allReduceMoves({plan::SCATTER, 2}, 4, self));
    }
  }
  /// As far as both come; the last outcome of instance 0.
  ResumableAllReduce::Outcome run() {
    ResumableAllReduce::Outcome outcome;
    for (int round = 0; round < 100; ++round) {
      outcome = both[0].advance(0, {});
      both[1].advance(0, {});
    }
    return outcome;
  }
  // The first is from 0 to 1.
  std::unique_ptr<transport::Transport> transport = *transport::makeInProcessTransport(
      {{{0, 1}, 64, plan::allReduceCapacity(plan::SCATTER), false, /*zeroCopy=*/true},
       {{0, 2}, 64, plan::allReduceCapacity(plan::SCATTER), false, /*zeroCopy=*/true}});
  transport::SendPort *sends[2][2] = {{nullptr, transport->sender({0, 1})},
                                      {transport->sender({0, 2}), nullptr}};
  transport::RecvPort *receives[2][2] = {{nullptr, transport->receiver({0, 2})},
                                         {transport->receiver({0, 1}), nullptr}};
  alignas(64) float data[2][4 * 16], scratch[2][16];
  std::vector<ResumableAllReduce> both;
};

// Else the owner of a sum could write its next contribution over it while somebody reads.
TEST(SumsInPlace, LastMessagesAreHeldUntilTheRelease) {
  Two two;
  for (int step = 0; step < 2; ++step) {
    ASSERT_EQ(two.run().state, transport::PollState::Ready);
    two.both[0].restart(), two.both[1].restart();
    EXPECT_EQ(two.sends[0][1]->done(), transport::PollState::Pending);
    two.both[1].release();
    EXPECT_EQ(two.sends[0][1]->done(), transport::PollState::Ready);
    EXPECT_EQ(two.sends[1][0]->done(), transport::PollState::Pending);
    two.both[0].release();
    EXPECT_EQ(two.sends[1][0]->done(), transport::PollState::Ready);
  }
  EXPECT_EQ(two.data[0][0], 3.0f + 2.0f) << "instance 1 has no copy of the first sum";
}

TEST(SumsInPlace, AMessageFromElsewhereIsRefused) {
  Two two(/*from=*/16);
  ResumableAllReduce::Outcome outcome = two.run();
  EXPECT_TRUE(outcome.elsewhere);
  EXPECT_EQ(outcome.peer, 1u);
}

/// That all read the sums in place, with what copies give; returns what @w is then.
std::vector<float> expectReadInPlace(const plan::Plan &plan) {
  TaskHarness copying(plan);
  TestHost host(steps);
  auto lanes = copying.lanes(host);
  EXPECT_EQ(copying.run(lanes), absl::OkStatus());
  for (const Result &result : runShared(plan)) {
    EXPECT_EQ(result.w, copying.floats(0));
    EXPECT_FALSE(result.copied);
  }
  return copying.floats(0);
}

class SumsOf : public testing::TestWithParam<uint32_t> {};

TEST_P(SumsOf, AreReadWhereTheyWereMadeAndEqualCopies) {
  const plan::Plan plan = plan::sumsPlan(GetParam());
  TaskHarness copying(plan);
  TestHost host(steps);
  auto lanes = copying.lanes(host);
  ASSERT_EQ(copying.run(lanes), absl::OkStatus());
  EXPECT_EQ(pieceOf(*lanes[0], 0)[5], pieceOf(*lanes[0], 1)[5]);
  EXPECT_EQ(expectReadInPlace(plan), copying.floats(0));
}

INSTANTIATE_TEST_SUITE_P(Workers, SumsOf, testing::Values(2, 3, 5));

// Where sums are made within hosts first, the instances of one read each other's pieces, which hold
// what other hosts sent.
TEST(SumsInPlace, OfAHostAreReadWhereTheyWereMade) {
  expectReadInPlace(plan::sumsPlan(6, /*times=*/1, /*elements=*/16384, /*hosts=*/3));
}

// Which sums are read elsewhere the plan says: it alone, and whatever it says.
TEST(SumsInPlace, AreCopiedWhereThePlanDoesNotReleaseThem) {
  plan::Plan plan = plan::sumsPlan(3);
  const std::vector<float> expected = runShared(plan)[0].w;
  auto &instructions = *plan.mutable_programs(0)->mutable_instructions();
  auto release = std::find_if(instructions.begin(), instructions.end(),
                              [](auto &each) { return each.has_release(); });
  instructions.erase(release);
  plan::completePlan(plan);
  for (const Result &result : runShared(plan)) {
    EXPECT_TRUE(result.copied);
    EXPECT_EQ(result.w, expected);
  }
}

// The release is behind the loop, so that each time reads the same sums.
TEST(SumsInPlace, AreReadInALoop) {
  EXPECT_NE(expectReadInPlace(plan::sumsPlan(3, /*times=*/4)), runShared(plan::sumsPlan(3))[0].w);
}

} // namespace
} // namespace graphc::executor
