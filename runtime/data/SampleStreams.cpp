#include "runtime/data/SampleStreams.h"

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

bool sameStream(const SampleStream &a, const SampleStream &b) {
  return a.dataset == b.dataset && a.batch == b.batch && a.padded == b.padded;
}
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
  size_t main = 0;
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
      uint64_t instances = plan.programs(static_cast<int>(index)).instances();
      SampleStream stream{next.dataset(), next.batch(), next.pad_last(),
                          uint64_t(std::max(1u, next.micro_batches()))};
      uint64_t ofOne = stream.perStep * std::max(1u, stream.batch);
      uint64_t taking = one.ends_by_end_of_stream() ? std::min(counting, instances) : instances;
      bool isMain = !replicas && next.dataset() == one.dataset() &&
                    Wide(one.samples_per_step()) == Wide(ofOne) * taking;
      if (isMain)
        replicas = taking;
      auto known = std::find_if(streams.begin(), streams.end(),
                                [&](auto &other) { return sameStream(other, stream); });
      if (isMain)
        main = static_cast<size_t>(known - streams.begin());
      if (known == streams.end())
        streams.push_back(stream);
    }
  for (SampleStream &stream : streams)
    stream.perStep *= uint64_t(stream.batch) * std::max<uint64_t>(1, replicas);
  if (main < streams.size())
    std::rotate(streams.begin(), streams.begin() + static_cast<ptrdiff_t>(main),
                streams.begin() + static_cast<ptrdiff_t>(main) + 1);
  return streams;
}

std::string streamName(const plan::Plan &plan, uint32_t phase,
                       const std::vector<SampleStream> &streams, size_t stream) {
  const std::string &name = plan.phases(static_cast<int>(phase)).name();
  if (stream == 0)
    return name;
  const uint32_t dataset = streams[stream].dataset;
  auto place =
      std::count_if(streams.begin() + 1, streams.begin() + static_cast<ptrdiff_t>(stream) + 1,
                    [&](const SampleStream &one) { return one.dataset == dataset; });
  return absl::StrCat(name, " @", plan.datasets(static_cast<int>(dataset)).name(), " #", place);
}

std::optional<uint64_t> positionIn(const std::map<std::string, uint64_t> &checkpoint,
                                   const plan::Plan &plan, uint32_t phase,
                                   const std::vector<SampleStream> &streams, size_t stream) {
  if (auto known = checkpoint.find(streamName(plan, phase, streams, stream));
      known != checkpoint.end())
    return known->second;
  if (stream == 0)
    return std::nullopt;
  const SampleStream &one = streams[stream];
  const std::string earlier =
      absl::StrCat(plan.phases(static_cast<int>(phase)).name(), " @",
                   plan.datasets(static_cast<int>(one.dataset)).name(), " ");
  if (auto known = checkpoint.find(absl::StrCat(earlier, one.batch, one.padded ? " padded" : ""));
      std::count_if(streams.begin() + 1, streams.end(),
                    [&](auto &other) { return other.dataset == one.dataset; }) > 1)
    return known == checkpoint.end() ? std::nullopt : std::optional(known->second);
  std::optional<uint64_t> highest;
  for (auto known = checkpoint.lower_bound(earlier);
       known != checkpoint.end() && absl::StartsWith(known->first, earlier); ++known) {
    absl::string_view batch =
        absl::StripSuffix(absl::string_view(known->first).substr(earlier.size()), " padded");
    if (!batch.empty() && std::all_of(batch.begin(), batch.end(), absl::ascii_isdigit))
      highest = std::max(highest.value_or(0), known->second);
  }
  return highest;
}

} // namespace graphc::data
