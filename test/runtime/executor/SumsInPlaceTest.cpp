//===- SumsInPlaceTest.cpp - all-reduces over shared memory, whose sums are read where they were made -----------------===//

#include "test/runtime/executor/SharedMemoryTask.h"
#include "test/runtime/executor/TaskHarness.h"
#include "test/runtime/executor/TestHost.h"
#include "test/runtime/plan/PlanBuilder.h"

#include "runtime/plan/AllReduce.h"

#include "absl/strings/str_cat.h"

#include <thread>
#include <unistd.h>

namespace graphc::executor {
namespace {

constexpr uint32_t elements = 16384; // of a piece: the fewest that are not copied
constexpr uint64_t steps = 20;

enum class Touch {
  Calls, // read the sums
  Fetch, // shows one of them as well
  LateCall, // one reads them behind the send_done
};

/// Each of `workers` makes its gradient of @w in every piece of a bucket, and applies the sums of all pieces to its @w.
plan::Plan sumsPlan(uint32_t workers, Touch touch) {
  plan::PlanBuilder b(elements);
  uint32_t job = b.job("worker", workers);
  plan::ReplicaDomain::Range *range = b.plan.mutable_replicas()->add_ranges();
  range->set_job(job);
  range->set_count(workers);
  b.plan.mutable_replicas()->set_size(workers);
  b.plan.mutable_strategy()->set_name("all_reduce");
  uint32_t phase = b.phase("train_step", plan::TRAIN, false);
  uint32_t worker = b.program(phase, "train_step.worker", workers, true, job, 0);
  uint32_t sum = b.channel("all_reduce", b.vector(), worker, worker);
  uint32_t control = b.channel("control.worker", plan::PlanBuilder::scalar(plan::I64), worker, worker, true);
  plan::Channel &channel = *b.plan.mutable_channels(int(sum));
  channel.set_all_to_all(true);
  channel.set_algorithm(plan::SCATTER);
  channel.set_capacity(plan::allReduceCapacity(plan::SCATTER));
  channel.set_zero_copy(true);
  uint32_t variable = b.variable("w", b.vector(), job, 0);
  b.plan.mutable_variables(int(variable))->set_mirrored(true);
  uint32_t w = b.variableBuffer(worker, variable);
  plan::TensorType whole = b.vector();
  whole.set_shape(0, int64_t(workers) * elements);
  uint32_t bucket = b.arenaBuffer(worker, whole);
  std::vector<uint32_t> pieces;
  for (uint32_t i = 0; i < workers; ++i) {
    pieces.push_back(b.arenaBuffer(worker, b.vector()));
    b.plan.mutable_programs(int(worker))
        ->mutable_buffers(int(pieces.back()))
        ->mutable_arena()
        ->set_offset(uint64_t(i) * elements * 4);
  }
  plan::TensorType partials = b.vector();
  partials.set_shape(0, int64_t(plan::allReducePartialSums(plan::SCATTER, workers)) * elements);
  uint32_t scratch = b.arenaBuffer(worker, partials), other = b.arenaBuffer(worker, b.vector());
  uint32_t loss = b.arenaBuffer(worker, plan::PlanBuilder::scalar(plan::F32));
  b.controlSend(worker, {control});
  for (uint32_t piece : pieces)
    b.call(worker, plan::TestKernel::Gradient, {w, piece});
  b.allReduce(worker, sum, bucket, scratch);
  auto &instructions = *b.plan.mutable_programs(int(worker))->mutable_instructions();
  int done = instructions.size() - 1; // of the sends
  for (uint32_t piece : pieces) {
    b.call(worker, plan::TestKernel::Apply, {w, piece});
    instructions.SwapElements(done, done + 1);
    ++done;
  }
  b.call(worker, plan::TestKernel::Gradient, {touch == Touch::LateCall ? pieces[0] : w, other});
  b.call(worker, plan::TestKernel::Sum, {w, loss});
  b.fetch(worker, "loss", touch == Touch::Fetch ? pieces[workers - 1] : loss);
  b.controlReceive(worker, true, control);
  return b.finish();
}

const float *pieceOf(Lane &lane, uint32_t piece) { return static_cast<const float *>(lane.frame().buffer(2 + piece)); }

struct Result {
  std::vector<float> w; ///< of each worker
  bool copied = false; ///< the others' sums are in the worker's own bucket after the last step
};

/// Every worker on a thread, over shared memory.
std::vector<Result> runShared(const plan::Plan &plan) {
  const std::vector<plan::Task> tasks = plan::allTasks(plan);
  const std::string token = absl::StrCat("sums-in-place-", getpid(), "-", absl::ToUnixNanos(absl::Now()));
  std::vector<Result> results(tasks.size());
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < tasks.size(); ++i)
    threads.emplace_back([&, i] {
      auto library = KernelLibrary::loadFor(plan, tasks[i]);
      auto variables = VariableStore::create(plan, tasks[i]);
      ASSERT_TRUE(library.ok() && variables.ok());
      (*variables)->initialize();
      auto transport = connectTask(plan, tasks[i], token, **variables);
      ASSERT_TRUE(transport.ok()) << transport.status();
      TestHost host(steps);
      auto lanes = makeLanes({plan, tasks[i], **variables, **library, **transport, host}, 0);
      ASSERT_TRUE(lanes.ok()) << lanes.status();
      RunOptions options;
      options.deadline = absl::Seconds(20);
      options.onFailure = [&](const Lane &, const absl::Status &status) { (*transport)->abort(status); };
      ASSERT_EQ(runLanes(*lanes, options), absl::OkStatus());
      auto *w = reinterpret_cast<const float *>((*variables)->data(0).data());
      results[i].w.assign(w, w + elements);
      // All pieces are made alike, so a worker's own sum is what the others' pieces hold where they were copied.
      const uint32_t other = i == 0 ? 1 : 0;
      results[i].copied = pieceOf(*(*lanes)[0], other)[5] == pieceOf(*(*lanes)[0], i)[5];
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

/// Two instances in one process, four chunks of 16 numbers: instance s begins with s + 1 everywhere and maps the other's piece.
struct Two {
  /// `from`: the number of instance 1's with which it is said that its piece begins.
  explicit Two(size_t from = 2 * 16) {
    for (uint32_t self : {0u, 1u}) {
      std::fill_n(data[self], 4 * 16, float(self + 1));
      AllReduce::Setting setting;
      setting.self = self;
      setting.rounds = 2;
      setting.chunkBytes = setting.addBytes = 64;
      setting.add = addSixteen;
      setting.data = reinterpret_cast<uint8_t *>(data[self]);
      setting.scratch = reinterpret_cast<uint8_t *>(scratch[self]);
      setting.sends = sends[self];
      setting.receives = receives[self];
      setting.pieces = {reinterpret_cast<const uint8_t *>(data[0]), reinterpret_cast<const uint8_t *>(data[1] + from)};
      both.emplace_back(setting, plan::allReduceMoves(plan::SCATTER, 2, 4, self));
    }
  }
  /// As far as both come; the last outcome of instance 0.
  AllReduce::Outcome run() {
    AllReduce::Outcome outcome;
    for (int round = 0; round < 100; ++round) {
      outcome = both[0].advance(0, {});
      both[1].advance(0, {});
    }
    return outcome;
  }
  std::unique_ptr<transport::Transport> transport = *transport::makeInProcessTransport(
      {{{0, 1}, 64, plan::allReduceCapacity(plan::SCATTER), false, /*zeroCopy=*/true}, // from 0 to 1
       {{0, 2}, 64, plan::allReduceCapacity(plan::SCATTER), false, /*zeroCopy=*/true}});
  transport::SendPort *sends[2][2] = {{nullptr, transport->sender({0, 1})}, {transport->sender({0, 2}), nullptr}};
  transport::RecvPort *receives[2][2] = {{nullptr, transport->receiver({0, 2})},
                                         {transport->receiver({0, 1}), nullptr}};
  alignas(64) float data[2][4 * 16], scratch[2][16];
  std::vector<AllReduce> both;
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
  AllReduce::Outcome outcome = two.run();
  EXPECT_TRUE(outcome.elsewhere);
  EXPECT_EQ(outcome.peer, 1u);
}

class SumsOf : public testing::TestWithParam<uint32_t> {};

TEST_P(SumsOf, AreReadWhereTheyWereMadeAndEqualCopies) {
  const plan::Plan plan = sumsPlan(GetParam(), Touch::Calls);
  TaskHarness copying(plan);
  TestHost host(steps);
  auto lanes = copying.lanes(host);
  ASSERT_EQ(copying.run(lanes), absl::OkStatus());
  EXPECT_EQ(pieceOf(*lanes[0], 0)[5], pieceOf(*lanes[0], 1)[5]);
  for (const Result &result : runShared(plan)) {
    EXPECT_EQ(result.w, copying.floats(0));
    EXPECT_FALSE(result.copied);
  }
}

INSTANTIATE_TEST_SUITE_P(Workers, SumsOf, testing::Values(2, 3, 5));

TEST(SumsInPlace, AreCopiedWhereNotOnlyCallsReadThem) {
  for (Touch touch : {Touch::Fetch, Touch::LateCall})
    for (const Result &result : runShared(sumsPlan(3, touch)))
      EXPECT_TRUE(result.copied) << int(touch);
}

TEST(SumsInPlace, AreCopiedWherePiecesAreNoWholePages) {
  plan::Plan plan = sumsPlan(2, Touch::Calls);
  for (plan::Buffer &buffer : *plan.mutable_programs(0)->mutable_buffers())
    if (buffer.has_arena())
      buffer.mutable_arena()->set_offset(buffer.arena().offset() + 64);
  plan.mutable_programs(0)->set_arena_bytes(plan.programs(0).arena_bytes() + 64);
  const std::vector<float> expected = runShared(sumsPlan(2, Touch::Calls))[0].w;
  for (const Result &result : runShared(plan)) {
    EXPECT_TRUE(result.copied);
    EXPECT_EQ(result.w, expected);
  }
}

} // namespace
} // namespace graphc::executor
