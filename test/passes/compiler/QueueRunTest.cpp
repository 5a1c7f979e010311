// Programs on the simulated device: any order of its work gives the same bits, and what the
// verifier refuses changes them or faults.
#include "runtime/common/device/DeviceKinds.h"
#include "runtime/common/plan/StepRunAhead.h"
#include "runtime/common/plan/VerifyPlan.h"
#include "test/cuda/TestDevice.h"
#include "test/passes/compiler/QueuePlans.h"
#include "test/runtime/device/Sim.h"
#include "test/runtime/executor/Simulator.h"
#include "test/runtime/executor/TaskHarness.h"
#include "test/runtime/executor/TestHost.h"

#include "absl/time/clock.h"

#include <array>
#include <atomic>
#include <cstring>
#include <gmock/gmock.h>
#include <map>
#include <set>
#include <thread>

namespace graphc {
namespace {

/// Messages are gone as soon as they are given back.
class Poisoned final : public transport::Transport {
public:
  Poisoned(std::unique_ptr<Transport> inner, const Plan &plan)
      : inner_(std::move(inner)), plan_(plan) {}
  transport::SendPort *sender(transport::ChannelKey key) override { return inner_->sender(key); }
  transport::RecvPort *receiver(transport::ChannelKey key) override {
    transport::RecvPort *port = inner_->receiver(key);
    const plan::Channel &channel = plan_.channels(int(key.channel));
    if (!port || channel.control() || channel.zero_copy())
      return port;
    return ports_.emplace_back(std::make_unique<Port>(*port, channel.bytes())).get();
  }
  transport::TransportCounters counters() const override { return inner_->counters(); }
  void abort(absl::Status why) override { inner_->abort(std::move(why)); }
  absl::Status status() const override { return inner_->status(); }
  absl::Status reset(uint64_t generation) override { return inner_->reset(generation); }

private:
  class Port final : public transport::RecvPort {
  public:
    Port(RecvPort &inner, uint64_t bytes) : inner_(inner), bytes_(bytes) {}
    transport::PollState poll(const void **data) override {
      transport::PollState state = inner_.poll(data);
      message_ = state == transport::PollState::Ready ? const_cast<void *>(*data) : nullptr;
      return state;
    }
    uint64_t size() const override { return inner_.size(); }
    void release() override {
      if (message_)
        memset(std::exchange(message_, nullptr), 0xff, bytes_);
      inner_.release();
    }
    void wait(absl::Duration timeout) override { inner_.wait(timeout); }
    absl::Status status() const override { return inner_.status(); }

  private:
    RecvPort &inner_;
    uint64_t bytes_;
    void *message_ = nullptr;
  };
  std::unique_ptr<Transport> inner_;
  const Plan &plan_;
  std::vector<std::unique_ptr<Port>> ports_;
};

class Samples final : public executor::TestHost {
public:
  using TestHost::TestHost;
  absl::Status nextBatch(const executor::LaneInfo &lane, uint64_t step,
                         const Instruction::NextBatch &next, std::span<void *const> buffers,
                         uint8_t *) override {
    const uint64_t taken = ++batches_[lane.programIndex][lane.instance]; // in a loop several a step
    for (size_t i = 0; i < buffers.size(); ++i) {
      auto *values = static_cast<float *>(buffers[i]);
      const uint64_t count = lane.program->buffers(int(next.buffers(int(i)))).bytes() / 4;
      for (uint64_t k = 0; k < count; ++k)
        values[k] = float((k * 7 + step * 3 + taken * 2 + lane.instance * 5 + i) % 11) / 11 - 0.4f;
    }
    return absl::OkStatus();
  }

private:
  std::array<std::array<uint64_t, 4>, 4> batches_{}; // by lane, each by its own thread
};

/// The variables after some steps with the device's work in another order for each seed; empty
/// where the run ended by an error. A GPU's driver draws its order anew in each run.
std::map<std::string, std::string> train(Plan plan, uint32_t seed) {
  if (!plan.programs(0).device().starts_with("GPU")) {
    const std::string device = "SIM:" + std::to_string(seed);
    for (Program &program : *plan.mutable_programs())
      program.set_device(device);
    for (plan::Variable &variable : *plan.mutable_variables())
      variable.set_device(device);
  }
  for (plan::Channel &channel : *plan.mutable_channels())
    if (channel.algorithm() == plan::WHOLE)
      channel.set_zero_copy(false);
  executor::TaskHarness tasks(std::move(plan), /*verified=*/false);
  for (auto &store : tasks.stores)
    EXPECT_EQ(store->toDevices(), absl::OkStatus());
  tasks.transport = std::make_unique<Poisoned>(std::move(tasks.transport), tasks.plan);
  Samples host(6);
  auto lanes = tasks.lanes(host);
  executor::LaneRunOptions options;
  options.deadline = absl::Seconds(20);
  if (!tasks.run(lanes, options).ok())
    return {};
  lanes.clear();
  std::map<std::string, std::string> values;
  for (auto &store : tasks.stores) {
    EXPECT_EQ(store->fromDevices(), absl::OkStatus());
    for (uint32_t index : store->stored())
      values[tasks.plan.variables(int(index)).name()].append(
          reinterpret_cast<char *>(store->data(index).data()), store->data(index).size());
  }
  return values;
}

constexpr uint32_t seeds = 8;

TEST(Queues, AnyOrderOfTheDeviceGivesTheSameBits) {
  for (const Plan *plan : {&alone(), &servers(), &reduced(), &summed(), &looped(), &towers()}) {
    const auto one = train(*plan, 0);
    ASSERT_FALSE(one.empty());
    for (uint32_t seed = 1; seed < seeds; ++seed)
      EXPECT_EQ(train(*plan, seed), one) << seed;
  }
}

TEST(Queues, ALoopOfOneTimeIsDone) {
  for (uint32_t perLeaf : {1, 2}) {
    ASSERT_EQ(plan::verifyPlan(loopedOnce(perLeaf)), absl::OkStatus());
    const auto one = train(loopedOnce(perLeaf), 0);
    ASSERT_FALSE(one.empty());
    EXPECT_EQ(train(loopedOnce(perLeaf), 1), one);
    EXPECT_EQ(train(loopedOnce(3 - perLeaf), 0), one) << "a + b, however it is called";
  }
}

TEST(Queues, AreWaitedForInTheSimulatorToo) {
  std::set<std::string> seen;
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    auto variables = executor::SimVariables::create(servers());
    ASSERT_TRUE(variables.ok()) << variables.status();
    executor::SimOptions options;
    options.seed = seed;
    options.steps = 6;
    executor::SimResult result = executor::simulate(servers(), *variables, options);
    EXPECT_EQ(result.status, absl::OkStatus());
    EXPECT_EQ(result.steps, 6u);
    std::span<uint8_t> w = variables->data(0);
    seen.insert(std::string(w.begin(), w.end()));
  }
  EXPECT_EQ(seen.size(), 1u);
}

/// What a wait is for.
std::string purpose(const Program &program, int index) {
  const Instruction &wait = program.instructions(index);
  if (const int loop = loopOf(program, index); loop >= 0) {
    int next = index;
    while (program.instructions(next).has_wait())
      ++next;
    if (loopOf(program, next) != loop)
      return wait.queue() ? "next time of queue " + std::to_string(wait.queue()) : "next time";
  }
  if (wait.queue())
    return "queue " + std::to_string(wait.queue()) + " for queue " +
           std::to_string(wait.wait().queue());
  int next = index;
  while (program.instructions(next).has_wait() || program.instructions(next).queue())
    ++next;
  const Instruction &served = program.instructions(next);
  return served.has_send_start()         ? "send"
         : served.has_release()          ? "release"
         : served.has_all_reduce_start() ? "sum"
                                         : "end";
}

/// Each wait of the plans is left out once, until one of its purpose has changed bits.
void expectMissingWaitsRed(const std::vector<const Plan *> &plans) {
  std::map<std::string, bool> seen;
  for (const Plan *good : plans) {
    const auto right = train(*good, 0);
    ASSERT_FALSE(right.empty());
    for (int p = 0; p < good->programs_size(); ++p)
      for (int i = 0; i < good->programs(p).instructions_size(); ++i) {
        if (!good->programs(p).instructions(i).has_wait())
          continue;
        const std::string what = purpose(good->programs(p), i);
        // the next time is another segment, which begins when this one is done
        if (what.starts_with("next time of queue"))
          continue;
        bool &red = seen[what];
        Plan damaged = *good;
        erase(*damaged.mutable_programs(p), i);
        for (uint32_t seed = 0; seed < seeds && !red; ++seed)
          red = train(damaged, seed) != right;
      }
    EXPECT_EQ(train(*good, 1), right) << "no damaged run leaves anything behind";
  }
  for (const auto &[what, red] : seen)
    EXPECT_TRUE(red) << "a wait that is missing: " << what;
  for (const char *what :
       {"send", "release", "sum", "end", "next time", "queue 1 for queue 2", "queue 3 for queue 1"})
    EXPECT_TRUE(seen.contains(what)) << what;
}

TEST(Queues, EachKindOfMissingWaitChangesBits) {
  expectMissingWaitsRed({&servers(), &reduced(), &summed(), &looped()});
}

/// As GPU:0, whose driver runs the plan's PTX on the CPU.
TEST(Queues, EachKindOfMissingWaitChangesBitsOnTheTestsDriverToo) {
  ::setenv("CUDA_HOME", "", 1); // no machine code, which this driver does not take
  device::cuda::makeTestDevice(); // the driver is this process's from now on
  auto onGpu = [](const std::string &config, const std::string &model) {
    return compiled(absl::StrReplaceAll(config, {{"SIM", "GPU"}}), model);
  };
  const Plan servers = onGpu(kServers, kModel), reduced = onGpu(kReduced, kModel),
             summed = onGpu(kReduced, kSummedModel), looped = onGpu(kLooped, kModel);
  expectMissingWaitsRed({&servers, &reduced, &summed, &looped});
}

std::atomic<unsigned> given = 0; ///< segments, to devices of this kind

/// A device that never gets anything done.
class Stuck final : public device::Device {
public:
  explicit Stuck(const std::string &name) : inner_(device::makeSim(name, 1)) {}
  const std::string &name() const override { return inner_->name(); }
  device::DeviceLimits limits() const override { return inner_->limits(); }
  absl::StatusOr<device::MemoryRegion> allocate(uint64_t bytes, device::MemorySpace space,
                                                device::MemoryRegion::Guard guard,
                                                const char *what) override {
    return inner_->allocate(bytes, space, guard, what);
  }
  absl::StatusOr<device::MemoryRegion> share(uint64_t bytes, const char *what) override {
    return inner_->share(bytes, what);
  }
  absl::StatusOr<std::unique_ptr<device::DeviceCode>>
  load(const device::CodeImage &image) override {
    return inner_->load(image);
  }
  absl::StatusOr<std::unique_ptr<device::DeviceQueue>> makeQueue() override {
    return std::make_unique<Idle>();
  }
  std::unique_ptr<device::QueueSegment> makeSegment() override { return inner_->makeSegment(); }
  void wake() override {}

private:
  struct Idle final : device::DeviceQueue {
    void copy(void *, const void *, uint64_t) override {}
    void run(device::QueueSegment &, const GraphcContext &) override { ++given; }
    void signal(uint64_t) override {}
    Reached reached(uint64_t) override { return Reached::NotYet; }
    void wait(uint64_t, absl::Duration timeout, uint64_t) override { absl::SleepFor(timeout); }
    absl::Status status() const override { return {}; }
  };
  std::unique_ptr<Device> inner_;
};

/// A plan on such a device.
Plan stuck(Plan plan = servers()) {
  device::addKind({"STUCK", device::CodeFormat::Native, /*ownMemory=*/true});
  device::registerKind(
      "STUCK", [](const std::string &name) -> absl::StatusOr<std::unique_ptr<device::Device>> {
        return std::make_unique<Stuck>(name);
      });
  for (Program &program : *plan.mutable_programs())
    program.set_device("STUCK:0");
  for (plan::Variable &variable : *plan.mutable_variables())
    variable.set_device("STUCK:0");
  return plan;
}

/// How a run of the plan on such a device ends, of whose segments `given` has been given.
std::string endOfStuck(const Plan &plan) {
  executor::TaskHarness tasks(stuck(plan), /*verified=*/false);
  Samples host(6);
  auto lanes = tasks.lanes(host);
  executor::LaneRunOptions options;
  options.reportAfter = options.deadline = absl::Milliseconds(200);
  given = 0;
  return std::string(tasks.run(lanes, options).message());
}

TEST(Queues, AWaitThatLastsIsExplainedAndEnded) {
  executor::TaskHarness tasks(stuck(), /*verified=*/false);
  Samples host(3);
  auto lanes = tasks.lanes(host);
  executor::LaneRunOptions options;
  options.reportAfter = absl::Milliseconds(20);
  options.deadline = absl::Seconds(20);
  options.onWait = [&](const executor::WaitReport &report) {
    if (report.text.find("waits at step 1 for queue") != std::string::npos &&
        report.text.find("of STUCK:0") != std::string::npos)
      tasks.transport->abort(absl::AbortedError("the wait was explained"));
  };
  EXPECT_EQ(tasks.run(lanes, options).code(), absl::StatusCode::kAborted);
  EXPECT_THAT(endOfStuck(servers()), testing::HasSubstr("for more than the deadline"));
}

TEST(Queues, AWaitInALoopNamesTheIteration) {
  EXPECT_THAT(endOfStuck(looped()),
              testing::HasSubstr("waits at step 1, iteration 1 of 5, for queue 2 of STUCK:0"));
  EXPECT_EQ(given, 2u) << "the copies, and what is computed of them";
}

TEST(Queues, ALaneAloneGivesTwoStepsAndNoMore) {
  ASSERT_EQ(alone().programs_size(), 1);
  EXPECT_TRUE(plan::runsAhead(alone().programs(0)));
  for (const Program &program : servers().programs())
    EXPECT_FALSE(plan::runsAhead(program)) << program.name();
  EXPECT_THAT(endOfStuck(alone()),
              testing::HasSubstr("waits at step 1 for the end of its work on STUCK:0"));
  EXPECT_EQ(given, 2u) << "of each step one segment";
}

/// What the host is shown of a step is that step's, also where the next has been given: as of steps
/// that end one by one.
TEST(Queues, ALaneThatRunsAheadShowsEachStepItsOwn) {
  auto losses = [](Plan plan) {
    std::vector<float> shown;
    Samples host(9);
    host.onStep = [&](const executor::LaneInfo &, const executor::StepResults &results) {
      EXPECT_EQ(results.step, shown.size());
      shown.push_back(*static_cast<const float *>(results.fetches[0]));
      return absl::OkStatus();
    };
    executor::TaskHarness tasks(std::move(plan), /*verified=*/false);
    auto lanes = tasks.lanes(host);
    EXPECT_EQ(tasks.run(lanes), absl::OkStatus());
    return shown;
  };
  for (const Plan *ahead : {&alone(), &looped()}) {
    ASSERT_TRUE(plan::runsAhead(ahead->programs(0)));
    Plan inTurn = *ahead; // with something given behind the waits
    Program &program = *inTurn.mutable_programs(0);
    const int end = at(program, kind(Instruction::kControlReceive));
    Instruction signal;
    for (const Instruction &each : program.instructions())
      if (each.has_signal() && each.queue() == 1)
        signal.mutable_signal()->set_n(each.signal().n() + 1);
    signal.set_queue(1);
    for (const Instruction &each : program.instructions())
      signal.set_segment(std::max(signal.segment(), each.segment() + 1));
    *program.add_instructions() = program.instructions(end);
    *program.mutable_instructions(end) = signal;
    EXPECT_FALSE(plan::runsAhead(program));
    const std::vector<float> shown = losses(*ahead);
    EXPECT_EQ(shown.size(), 9u);
    EXPECT_NE(shown.front(), shown.back());
    EXPECT_EQ(shown, losses(inTurn));
  }
}

TEST(Queues, AnAbortEndsAWait) {
  executor::TaskHarness tasks(stuck(), /*verified=*/false);
  Samples host(3);
  auto lanes = tasks.lanes(host);
  std::thread aborts([&] {
    absl::SleepFor(absl::Milliseconds(50));
    tasks.transport->abort(absl::AbortedError("another task failed"));
  });
  const absl::Time begin = absl::Now();
  EXPECT_EQ(tasks.run(lanes).code(), absl::StatusCode::kAborted);
  EXPECT_LT(absl::Now() - begin, absl::Seconds(20)) << "it is looked for every tenth of a second";
  aborts.join();
}

TEST(QueuesDeathTest, WhatTheHostTouchesWithoutACopyIsAFault) {
  Plan damaged = servers();
  Instruction &send = the(worker(damaged), kind(Instruction::kSendStart));
  send.mutable_send_start()->set_buffer(the(worker(damaged), copiesOut).copy().from());
  EXPECT_DEATH(train(damaged, 0), "");
}

} // namespace
} // namespace graphc
