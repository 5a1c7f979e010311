//===- CountingPlan.h - asynchronous updates of which each leaves its own trace, for tests ----===//
#ifndef GRAPHC_TEST_RUNTIME_EXECUTOR_COUNTINGPLAN_H
#define GRAPHC_TEST_RUNTIME_EXECUTOR_COUNTINGPLAN_H

#include "test/runtime/common/plan/PlanBuilder.h"

#include "absl/strings/str_cat.h"

#include <array>
#include <utility>
#include <vector>

namespace graphc::executor {

struct CountingShape {
  uint32_t servers = 1, workers = 2;
  uint32_t variables = 2; ///< of each server, each with a counter of its updates
};

/// A gradient of (replica, step) alone for each variable, which is added to it: what came twice or
/// not at all shows in the sum. Variables in order: of each server (sum, count) for each of its
/// own, and global_step.
inline plan::Plan countingPlan(const CountingShape &shape) {
  plan::PlanBuilder b(16);
  const uint32_t psJob = b.job("ps", shape.servers), workerJob = b.job("worker", shape.workers);
  b.plan.mutable_chief()->set_job(workerJob);
  b.replicas(workerJob, shape.workers);
  b.plan.mutable_strategy()->set_name("parameter_server");
  b.plan.mutable_strategy()->set_async(true);
  const uint32_t phase = b.phase("train_step", plan::TRAIN, true);
  b.plan.mutable_phases(int(phase))->set_advances_global_step(true);
  const uint32_t worker = b.program(phase, "train_step.worker", shape.workers, true, workerJob, 0);
  const uint32_t zeros = b.constantBuffer(worker, b.vector(), std::string(64, '\0'));
  std::vector<uint32_t> ps;
  std::vector<std::pair<uint32_t, uint32_t>> values; // of each variable: down, up
  std::vector<std::vector<std::array<uint32_t, 4>>> of(shape.servers); // sum, count, down, up
  for (uint32_t p = 0; p < shape.servers; ++p) {
    ps.push_back(
        b.program(phase, absl::StrCat("train_step.ps", p), shape.workers, false, psJob, p));
    b.plan.mutable_programs(int(ps[p]))->set_locks_variables(true);
    for (uint32_t v = 0; v < shape.variables; ++v) {
      const std::string name = absl::StrCat("w", p, ".", v);
      const uint32_t sum = b.variable(name, b.vector(), psJob, p);
      const uint32_t count =
          b.variable(name + ".count", plan::PlanBuilder::scalar(plan::I64), psJob, p);
      const uint32_t down = b.channel(name + ".to_worker", b.vector(), ps[p], worker);
      const uint32_t up = b.channel(name + ".gradient", b.vector(), worker, ps[p]);
      of[p].push_back({b.variableBuffer(ps[p], sum), b.variableBuffer(ps[p], count), down, up});
      values.emplace_back(down, up);
    }
  }
  const uint32_t step = b.variable("global_step", plan::PlanBuilder::scalar(plan::I64), psJob, 0);
  b.plan.mutable_variables(int(step))->set_global_step(true);
  for (uint32_t p = 0; p < shape.servers; ++p) {
    if (p == 0)
      b.ticket(ps[p]);
    for (auto [sum, count, down, up] : of[p])
      b.send(ps[p], down, sum);
    for (auto [sum, count, down, up] : of[p]) {
      const uint32_t gradient = b.slotBuffer(ps[p], b.vector());
      b.receive(ps[p], up, gradient);
      b.call(ps[p], plan::TestKernel::Add, {sum, gradient});
      b.call(ps[p], plan::TestKernel::Increment, {count});
      b.release(ps[p], up);
    }
    if (p == 0)
      b.call(ps[p], plan::TestKernel::Increment, {b.variableBuffer(ps[p], step)});
  }
  for (auto [down, up] : values) {
    const uint32_t slot = b.slotBuffer(worker, b.vector()),
                   gradient = b.arenaBuffer(worker, b.vector());
    const uint32_t loss = b.arenaBuffer(worker, plan::PlanBuilder::scalar(plan::F32));
    b.receive(worker, down, slot);
    b.call(worker, plan::TestKernel::Sum, {slot, loss});
    b.release(worker, down);
    b.call(worker, plan::TestKernel::Gradient, {zeros, gradient});
    b.send(worker, up, gradient);
  }
  return b.finish();
}

} // namespace graphc::executor
#endif
