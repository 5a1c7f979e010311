#include "runtime/executor/LaneSegments.h"

#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/executor/LoopSum.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <map>

namespace graphc::executor {
namespace {

bool isMessage(const plan::Buffer &buffer) {
  return buffer.has_slot() || buffer.storage_case() == plan::Buffer::kOutgoing;
}

} // namespace

LaneSegments::Recorded LaneSegments::record(const SegmentUse &use, uint32_t iteration,
                                            void *const *arguments) const {
  Recorded made{program_.device->makeSegment(), {}};
  device::QueueSegment &segment = *made.segment;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> signals; // queue, count → the segment's own
  for (uint32_t i = use.first; i < use.first + use.count; ++i) {
    const LaneInstruction &instruction = program_.given[i];
    const uint32_t queue = instruction.queue, first = instruction.first;
    switch (instruction.op) {
    case LaneOp::QueueCall: {
      const CompiledKernel &launch = program_.launches[instruction.port];
      segment.launch(queue, *launch.code, launch.entry, {arguments + first, instruction.count});
      break;
    }
    case LaneOp::QueueLibraryCall:
      segment.call(queue, *frame_.libraryKernels[instruction.port],
                   {arguments + first, instruction.count});
      break;
    case LaneOp::QueueCopy: {
      const plan::Buffer &to = program_.source->buffers(int(program_.argumentBuffers[first])),
                         &from = program_.source->buffers(int(program_.argumentBuffers[first + 1]));
      const device::CopyDirection way = from.space() == plan::HOST ? device::CopyDirection::In
                                        : to.space() == plan::HOST ? device::CopyDirection::Out
                                                                   : device::CopyDirection::Within;
      const uint32_t copy =
          segment.copy(queue, way, arguments[first], arguments[first + 1], instruction.bytes);
      if (isMessage(to) || isMessage(from))
        made.moves.push_back({copy, first});
      break;
    }
    case LaneOp::QueueAccumulate: {
      const uint64_t bytes = program_.source->buffers(int(instruction.buffer)).bytes();
      const CompiledKernel &add = program_.launches[instruction.port];
      LoopSumStep(use.perLeaf, iteration)
          .apply(
              arguments[first], arguments + first + 1, use.perLeaf > 1,
              [&](void *to, void *from) {
                if (bytes)
                  segment.copy(queue, device::CopyDirection::Within, to, from, bytes);
              },
              [&](void *to, void *from) {
                for (uint64_t at = 0; at < bytes; at += instruction.bytes) {
                  void *both[] = {static_cast<uint8_t *>(to) + at,
                                  static_cast<uint8_t *>(from) + at};
                  segment.launch(queue, *add.code, add.entry, both);
                }
                return 0;
              });
      break;
    }
    case LaneOp::QueueSignal:
      signals[{queue, instruction.count}] = segment.signal(queue);
      break;
    case LaneOp::QueueWait: // what segments before have signalled is done
      if (auto signal = signals.find({instruction.port, instruction.count});
          signal != signals.end())
        segment.after(queue, signal->second);
      break;
    default:
      break; // no queue is given anything else
    }
  }
  return made;
}

absl::Status LaneSegments::make(const transport::Transport &transport, const std::string &lane) {
  if (program_.segments.empty())
    return absl::OkStatus();
  GRAPHC_ASSIGN_OR_RETURN(queue_, program_.device->makeQueue());
  port_.emplace(*queue_, transport);
  for (uint64_t step = 0; step < (program_.runsAhead ? 2 : 1); ++step)
    for (const SegmentUse &use : program_.segments) {
      std::vector<Recorded> &ways = recorded_.emplace_back();
      for (uint32_t way = 0;
           way == 0 || (use.perLeaf && LoopSumStep::mayHave(way, use.perLeaf, use.times)); ++way) {
        const uint64_t first = use.perLeaf ? LoopSumStep::firstWith(way, use.perLeaf) : 0;
        Recorded &made = ways.emplace_back();
        if (first >= use.times ||
            (use.perLeaf && LoopSumStep(use.perLeaf, uint32_t(first)).number() != way))
          continue; // none does
        made = record(use, uint32_t(first), frame_.argumentsOf(step));
        if (made.moves.empty())
          GRAPHC_RETURN_IF_ERROR(base::annotate(made.segment->prepare(), lane));
      }
    }
  return absl::OkStatus();
}

void LaneSegments::give(uint32_t index, uint64_t step, uint32_t iteration,
                        const GraphcContext &context) {
  const SegmentUse &use = program_.segments[index];
  const std::vector<Recorded> &ways =
      recorded_[index + (program_.runsAhead ? step % 2 * program_.segments.size() : 0)];
  const Recorded &given = ways[use.perLeaf ? LoopSumStep(use.perLeaf, iteration).number() : 0];
  for (const Move &move : given.moves)
    given.segment->move(move.copy, frame_.arguments[move.arguments],
                        frame_.arguments[move.arguments + 1]);
  queue_->run(*given.segment, context);
  queue_->signal(signalled_ = countOf(index, step, iteration));
}

/// "segment 2 of 3, kernels train.add_1 (m.mlir:3:4) to train.mul_7 (m.mlir:9:4)"
std::string LaneSegments::describe(uint32_t index) const {
  const SegmentUse &use = program_.segments[index];
  std::vector<const LaneInstruction *> kernels;
  for (uint32_t i = use.first; i < use.first + use.count; ++i)
    if (program_.given[i].source->has_call() || program_.given[i].source->has_accumulate())
      kernels.push_back(&program_.given[i]);
  auto text = [&](const LaneInstruction &call) {
    const std::string &where = plan::locationText(*program_.plan, call.source->location());
    return absl::StrCat(program_.plan->kernels(int(call.planKernel)).name(),
                        where.empty() ? "" : absl::StrCat(" (", where, ")"));
  };
  std::string what = absl::StrCat("segment ", index + 1, " of ", program_.segments.size());
  if (kernels.size() == 1)
    absl::StrAppend(&what, ", kernel ", text(*kernels.front()));
  else if (!kernels.empty())
    absl::StrAppend(&what, ", kernels ", text(*kernels.front()), " to ", text(*kernels.back()));
  else
    absl::StrAppend(&what, ", copies alone");
  return what;
}

/// The first segment that is not known to be done: of this step, or of the one before, which a lane
/// that runs ahead has not waited for. A device that has failed says no more of what it did before,
/// so it may have been one behind it.
absl::Status LaneSegments::failure(uint64_t step, const LaneInfo &lane) const {
  const absl::Status status = queue_->status();
  if (status.ok())
    return status;
  const uint64_t all = program_.segmentsOfStep;
  uint64_t failed = (step - (program_.runsAhead && step > 0)) * all;
  while (failed + 1 < signalled_ &&
         queue_->reached(failed + 1) == device::DeviceQueue::Reached::Yes)
    ++failed;
  const uint64_t inStep = failed % all;
  auto isOf = [&](const SegmentUse &use) {
    return inStep >= use.before && (inStep - use.before) % use.every == 0 &&
           (inStep - use.before) / use.every < use.times;
  };
  const auto use = std::find_if(program_.segments.begin(), program_.segments.end(), isOf);
  const std::string time =
      use->loop ? absl::StrCat(", iteration ", (inStep - use->before) / use->every + 1, " of ",
                               use->times)
                : "";
  return base::annotate(status, absl::StrCat(program_.device->name(), " at step ",
                                             lane.stepNumber(failed / all), time, ", in ",
                                             describe(uint32_t(use - program_.segments.begin())),
                                             failed + 1 < signalled_ ? ", or behind it" : ""));
}

} // namespace graphc::executor
