//===- TaskHarness.h - every task of a plan in this process, over in-process channels ---------===//
#ifndef GRAPHC_TEST_RUNTIME_EXECUTOR_TASKHARNESS_H
#define GRAPHC_TEST_RUNTIME_EXECUTOR_TASKHARNESS_H

#include "runtime/common/plan/PlanTypes.h"
#include "runtime/common/plan/VerifyPlan.h"
#include "runtime/executor/LaneRunner.h"
#include "runtime/executor/PhaseSetup.h"
#include "runtime/transport/InProcessTransport.h"

#include <gtest/gtest.h>

#include <map>

namespace graphc::executor {

class TaskHarness {
public:
  explicit TaskHarness(plan::Plan given, bool verified = true) : plan(std::move(given)) {
    if (verified)
      EXPECT_EQ(plan::verifyPlan(plan), absl::OkStatus());
    std::map<transport::ChannelKey, transport::ChannelSpec> specs;
    for (const plan::Task &task : plan::allTasks(plan)) {
      for (const ChannelEndpoint &endpoint : taskEndpoints(plan, task))
        specs.emplace(endpoint.spec.key, endpoint.spec);
      stores.push_back(std::move(*VariableStore::create(plan, task)));
      stores.back()->initialize();
    }
    std::vector<transport::ChannelSpec> list;
    for (auto &[key, spec] : specs)
      list.push_back(spec);
    transport = std::move(*transport::makeInProcessTransport(list));
    std::vector<uint32_t> programs;
    for (int i = 0; i < plan.programs_size(); ++i)
      programs.push_back(uint32_t(i));
    auto loaded = LoadedKernels::load(plan, programs);
    EXPECT_TRUE(loaded.ok()) << loaded.status();
    library = std::move(*loaded);
  }

  /// The lanes of all tasks in one phase.
  std::vector<std::unique_ptr<Lane>> lanes(LaneCallbacks &host, uint32_t phase = 0,
                                           FrameOptions frame = {}) {
    std::vector<std::unique_ptr<Lane>> all;
    for (size_t i = 0; i < stores.size(); ++i)
      for (auto &lane : lanesOf(i, host, phase, frame))
        all.push_back(std::move(lane));
    return all;
  }

  /// Those of one task, by its number.
  std::vector<std::unique_ptr<Lane>> lanesOf(size_t task, LaneCallbacks &host, uint32_t phase = 0,
                                             FrameOptions frame = {}) {
    auto made = makeLanes(
        {plan, plan::allTasks(plan)[task], *stores[task], *library, *transport, host, frame},
        phase);
    EXPECT_TRUE(made.ok()) << made.status();
    return *std::move(made);
  }

  /// Runs them on threads; a failure aborts the transport.
  absl::Status run(std::span<const std::unique_ptr<Lane>> lanes, LaneRunOptions options = {}) {
    auto outer = options.onFailure;
    options.onFailure = [&](const Lane &lane, const absl::Status &status) {
      transport->abort(absl::AbortedError(std::string(status.message())));
      if (outer)
        outer(lane, status);
    };
    return runLanes(lanes, options);
  }

  std::vector<float> floats(uint32_t variable) {
    for (auto &store : stores)
      if (store->owns(variable)) {
        auto *p = reinterpret_cast<const float *>(store->data(variable).data());
        return {p, p + store->data(variable).size() / 4};
      }
    return {};
  }
  int64_t globalStep() {
    for (auto &store : stores)
      if (int64_t *step = store->globalStep())
        return *step;
    return -1;
  }

  plan::Plan plan;
  std::unique_ptr<transport::Transport> transport;
  std::vector<std::unique_ptr<VariableStore>> stores; // by plan::allTasks
  std::unique_ptr<LoadedKernels> library;
};

} // namespace graphc::executor
#endif
