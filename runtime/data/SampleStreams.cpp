#include "runtime/data/SampleStreams.h"

#include "runtime/common/plan/PlanTypes.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

#include <algorithm>

namespace graphc::data {
namespace {
using Wide = unsigned __int128;
constexpr Wide kFar = uint64_t(1) << 62;

uint64_t quotientUp(uint64_t a, uint64_t b) { return a / b + (a % b != 0); }
uint64_t bounded(Wide position) { return static_cast<uint64_t>(std::min(position, kFar)); }
} // namespace

uint64_t StreamWalk::after(uint64_t position, uint64_t steps) const {
  if (!endsEpochs())
    return bounded(Wide(position) + Wide(steps) * perStep);
  uint64_t offset = position % samples, toEnd = quotientUp(samples - offset, perStep);
  if (steps < toEnd)
    return bounded(Wide(position) + Wide(steps) * perStep);
  uint64_t pass = quotientUp(samples, perStep), rest = steps - toEnd;
  return bounded((Wide(position / samples) + 1 + rest / pass) * samples +
                 Wide(rest % pass) * perStep);
}

uint64_t StreamWalk::stepsTo(uint64_t position, uint64_t target) const {
  if (target <= position || perStep == 0)
    return 0;
  if (!endsEpochs())
    return quotientUp(target - position, perStep);
  uint64_t end = bounded((Wide(position / samples) + 1) * samples);
  if (target <= end)
    return quotientUp(target - position, perStep);
  uint64_t left = target - end;
  return quotientUp(end - position, perStep) + left / samples * quotientUp(samples, perStep) +
         quotientUp(left % samples, perStep);
}

std::vector<SampleStream> streamsOf(const plan::Plan &plan, uint32_t phase) {
  const plan::Phase &one = plan.phases(static_cast<int>(phase));
  std::vector<SampleStream> streams;
  uint64_t replicas = 0; // whose batches one step of the phase takes
  // An update of an asynchronous phase takes one replica's batch, one with backup workers those of
  // the replicas that count.
  uint64_t counting = 1;
  for (uint32_t index : one.programs())
    for (const plan::Instruction &instruction :
         plan.programs(static_cast<int>(index)).instructions())
      if (instruction.has_choose())
        counting = instruction.choose().take();
  for (uint32_t index : one.programs())
    for (const plan::Instruction &instruction :
         plan.programs(static_cast<int>(index)).instructions()) {
      if (!instruction.has_next_batch())
        continue;
      const plan::Instruction::NextBatch &next = instruction.next_batch();
      const uint64_t samples = plan::samplesOfMicroBatch(next);
      const uint64_t ofOne = samples * std::max(1u, next.micro_batches());
      const uint64_t instances = plan.programs(static_cast<int>(index)).instances();
      const uint64_t taking =
          one.ends_by_end_of_stream() ? std::min(counting, instances) : instances;
      if (!replicas && next.dataset() == one.dataset() &&
          Wide(one.samples_per_step()) == Wide(ofOne) * taking)
        replicas = taking;
      auto known = std::find_if(streams.begin(), streams.end(), [&](const SampleStream &other) {
        return other.dataset == next.dataset();
      });
      if (known == streams.end())
        known = streams.insert(next.dataset() == one.dataset() ? streams.begin() : streams.end(),
                               {next.dataset(), samples, samples > next.batch(), false, ofOne});
      known->padded |= next.pad_last();
    }
  for (SampleStream &stream : streams)
    stream.perStep *= std::max<uint64_t>(1, replicas);
  return streams;
}

std::string streamName(const plan::Plan &plan, uint32_t phase, const SampleStream &stream) {
  return absl::StrCat(plan.phases(static_cast<int>(phase)).name(), " @",
                      plan.datasets(static_cast<int>(stream.dataset)).name());
}

/// The entry under the names of earlier versions.
static const NamedPositions::value_type *findEarlierName(const NamedPositions &checkpoint,
                                                         const std::string &phase,
                                                         const std::string &name, bool isFirst) {
  const NamedPositions::value_type *highest = nullptr;
  if (auto known = checkpoint.find(phase); isFirst && known != checkpoint.end())
    highest = &*known;
  const std::string others = absl::StrCat(name, " ");
  for (auto known = checkpoint.lower_bound(others);
       known != checkpoint.end() && absl::StartsWith(known->first, others); ++known) {
    absl::string_view which =
        absl::StripSuffix(absl::string_view(known->first).substr(others.size()), " padded");
    which = absl::StripPrefix(which, "#");
    if (!which.empty() && std::all_of(which.begin(), which.end(), absl::ascii_isdigit) &&
        (!highest || highest->second < known->second))
      highest = &*known;
  }
  return highest;
}

absl::StatusOr<const NamedPositions::value_type *>
findPosition(const NamedPositions &checkpoint, const plan::Plan &plan, uint32_t phase,
             const std::vector<SampleStream> &streams, size_t stream) {
  const std::string name = streamName(plan, phase, streams[stream]);
  if (auto known = checkpoint.find(name); known != checkpoint.end())
    return &*known;
  const std::string &ofPhase = plan.phases(static_cast<int>(phase)).name();
  const auto *earlier = findEarlierName(checkpoint, ofPhase, name, stream == 0);
  if (earlier && streams[stream].shared)
    return absl::FailedPreconditionError(absl::StrCat(
        "the checkpoint was written by an earlier version of graphrun, in which each "
        "graph.next_batch of a data set took the same samples; now the graph.next_batch ops of @",
        plan.datasets(static_cast<int>(streams[stream].dataset)).name(), " in ", ofPhase,
        " share its samples, so the checkpoint's position in the data is not valid any more; to "
        "start a new run with the checkpoint's values, use --init_from with another --checkpoint_dir"));
  return earlier;
}

} // namespace graphc::data
