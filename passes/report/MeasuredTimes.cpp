#include "passes/report/MeasuredTimes.h"

#include "passes/compiler/PlanFacts.h"
#include "runtime/common/base/StatusMacros.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace graphc {
namespace {

using Step = trace::MeasuredTrace::Step;
/// By program and instance.
using Lanes = std::map<std::pair<uint32_t, uint32_t>, std::vector<const Step *>>;

absl::Status checkFits(const plan::Plan &plan, const std::string &fingerprint,
                       const trace::MeasuredTrace &trace) {
  if (trace.plan != fingerprint)
    return absl::InvalidArgumentError(
        "it is of a run of another plan: give the model, --partition and the flags that the "
        "run's plan was compiled with");
  for (const Step &step : trace.steps) {
    if (step.program >= uint32_t(plan.programs_size()))
      return absl::InvalidArgumentError("it has a program that the plan does not have");
    const plan::Program &program = plan.programs(int(step.program));
    if (int(program.phase()) != mainPhase(plan))
      return absl::InvalidArgumentError(
          "it is of " + plan.phases(int(program.phase())).name() + ", and the page shows " +
          plan.phases(mainPhase(plan)).name() + ": trace a run that trains");
    for (const trace::MeasuredTrace::Part &part : step.parts)
      if (part.instruction >= uint32_t(program.instructions_size()))
        return absl::InvalidArgumentError("it has an instruction that the plan does not have");
  }
  return absl::OkStatus();
}

/// Of the i-th steps of all lanes.
std::pair<double, double> spanOf(const Lanes &lanes, size_t i) {
  double begin = lanes.begin()->second[i]->begin, end = 0;
  for (auto &[lane, steps] : lanes) {
    begin = std::min(begin, steps[i]->begin);
    end = std::max(end, steps[i]->end);
  }
  return {begin, end};
}

} // namespace

absl::StatusOr<MeasuredTimes> measure(const plan::Plan &plan, const std::string &fingerprint,
                                      const trace::MeasuredTrace &trace) {
  GRAPHC_RETURN_IF_ERROR(checkFits(plan, fingerprint, trace));
  MeasuredTimes measured;
  Lanes lanes;
  std::map<uint32_t, size_t> stepsOf; // by program, of all its instances
  for (const Step &step : trace.steps) {
    lanes[{step.program, step.instance}].push_back(&step);
    ++stepsOf[step.program];
    for (const trace::MeasuredTrace::Part &part : step.parts) {
      MeasuredTimes::Time &time = measured.instructions[{step.program, part.instruction}];
      (part.waits ? time.waits : time.works) += part.end - part.begin;
    }
  }
  for (auto &[key, time] : measured.instructions) {
    time.works /= double(stepsOf[key.first]);
    time.waits /= double(stepsOf[key.first]);
  }
  size_t common = SIZE_MAX;
  for (auto &[lane, steps] : lanes) {
    common = std::min(common, steps.size());
    measured.step =
        std::max(measured.step, (steps.back()->end - steps.front()->begin) / double(steps.size()));
  }
  measured.steps = common;
  if (plan.phases(mainPhase(plan)).ends_by_end_of_stream())
    measured.step /= std::max(1u, plan.replicas().size());
  std::vector<std::pair<double, size_t>> lengths;
  for (size_t i = 0; i < common; ++i) {
    auto [begin, end] = spanOf(lanes, i);
    lengths.emplace_back(end - begin, i);
  }
  llvm::sort(lengths);
  const size_t chosen = lengths[lengths.size() / 2].second;
  const double origin = spanOf(lanes, chosen).first;
  for (auto &[lane, steps] : lanes) {
    Step step = *steps[chosen];
    step.begin -= origin;
    step.end -= origin;
    for (trace::MeasuredTrace::Part &part : step.parts) {
      part.begin -= origin;
      part.end -= origin;
    }
    measured.typical.push_back(std::move(step));
  }
  return measured;
}

} // namespace graphc
