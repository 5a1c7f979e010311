#include "runtime/session/master/ChiefTrace.h"

#include "runtime/common/base/File.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/executor/PhaseSetup.h"
#include "runtime/observe/ProgressLine.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <utility>

namespace graphc::session {
namespace {
constexpr uint64_t kSteps = 10;
}

absl::Status ChiefTrace::choose(uint32_t phase, uint64_t done, uint64_t total) {
  if (options_.file.empty() || done >= total)
    return absl::OkStatus();
  // The first step of a run waits for connections, fresh memory and the first parameters.
  first_ = options_.steps ? options_.steps->first - 1 : done + (total - done > 1);
  end_ = options_.steps ? options_.steps->second : first_ + kSteps;
  if (end_ <= done) { // a run that was started again has no fault of that
    options_.log(absl::StrCat("--trace ", options_.file, ": steps ", first_ + 1, " to ", end_,
                              " were made before; nothing is traced"));
    return absl::OkStatus();
  }
  if (first_ >= total)
    return absl::InvalidArgumentError(
        absl::StrCat("--profile_steps ", options_.steps->first, ",", options_.steps->second,
                     ": the run makes steps ", done + 1, " to ", total,
                     ", none of these (steps are counted from the very first, as --steps is)"));
  first_ = std::max(first_, done);
  end_ = std::min(end_, total);
  phase_ = phase;
  sharing_ = executor::lanesPerUpdate(loaded_.plan, phase);
  wanted_ = true;
  return absl::OkStatus();
}

/// Counted from the run's first step, as a lane counts: where lanes share updates, its own.
void ChiefTrace::ask(service::Order::Begin &begin) const {
  const uint64_t from = begin.first_step(), until = from + begin.steps();
  if (!wanted_ || begin.phase() != phase_ || first_ >= until)
    return;
  const uint64_t skipped = (std::max(first_, from) - from) / sharing_;
  begin.mutable_trace()->set_first(skipped);
  begin.mutable_trace()->set_steps(
      std::max<uint64_t>(1, (std::min(end_, until) - from + sharing_ - 1) / sharing_ - skipped));
}

void ChiefTrace::take(const service::Order::Begin &begin) {
  if (!begin.has_trace())
    return;
  for (auto &[task, traced] : coordinator_.takeTraces()) {
    auto lane = std::find_if(
        lanes_.begin(), lanes_.end(), [&, task = task, traced = &traced](const TracedLane &one) {
          return one.run == begin.generation() && one.task == task &&
                 one.program == traced->program() && one.instance == traced->instance();
        });
    if (lane == lanes_.end()) {
      lanes_.emplace_back();
      lane = lanes_.end() - 1;
      *lane = {task,
               traced.program(),
               traced.instance(),
               begin.generation(),
               begin.first_step() / sharing_ + begin.trace().first(),
               {},
               0};
    }
    const plan::Program &program = loaded_.plan.programs(static_cast<int>(traced.program()));
    if (auto records = executor::decodeRecords(traced.records(), program);
        records.ok()) // they were checked as they came
      lane->records.insert(lane->records.end(), records->begin(), records->end());
    lane->lost += traced.lost();
  }
}

absl::Status ChiefTrace::write(uint64_t done, bool isLast) {
  if (!wanted_ || (done < end_ && !isLast))
    return absl::OkStatus();
  wanted_ = false;
  if (lanes_.empty()) {
    options_.log(absl::StrCat("--trace ", options_.file, ": no step from ", first_ + 1, " to ",
                              end_, " was made; nothing is written"));
    return absl::OkStatus();
  }
  uint64_t last = first_ + 1;
  for (const TracedLane &lane : lanes_)
    for (const executor::TraceRecord &record : lane.records)
      last = std::max(last, (lane.firstStep + record.step) * sharing_ + 1);
  const auto clocks = coordinator_.clockOffsets();
  FileWatchdog::Work work(files_, absl::StrCat("writing --trace ", options_.file));
  TraceMerge merge(loaded_, std::exchange(lanes_, {}), coordinator_.peers(), clocks);
  GRAPHC_RETURN_IF_ERROR(base::annotate(base::writeFileAtomic(options_.file, merge.write()),
                                        absl::StrCat("--trace ", options_.file)));
  summary_ = merge.summary();
  options_.log(absl::StrCat("trace ", options_.file, ": steps ", first_ + 1, " to ",
                            std::min(last, end_), ", ", observe::withThousands(summary_->slices),
                            " slices, ", observe::withThousands(summary_->messages),
                            " messages; ui.perfetto.dev opens it"));
  for (const std::string &line : observe::toTable(*summary_))
    options_.log(line);
  if (summary_->lost)
    options_.log(absl::StrCat("trace ", options_.file, ": it ends early: there was no room for ",
                              observe::withThousands(summary_->lost),
                              " records; trace fewer steps (--profile_steps)"));
  return absl::OkStatus();
}

} // namespace graphc::session
