#include "runtime/data/Streams.h"

#include "absl/strings/str_cat.h"

#include <algorithm>

namespace graphc::data {
namespace {
using Wide = unsigned __int128;
constexpr Wide kFar = uint64_t(1) << 62;

uint64_t quotientUp(uint64_t a, uint64_t b) { return a / b + (a % b != 0); }
uint64_t bounded(Wide position) { return static_cast<uint64_t>(std::min(position, kFar)); }

bool sameStream(const Stream &a, const Stream &b) {
  return a.dataset == b.dataset && a.batch == b.batch && a.padded == b.padded;
}
} // namespace

uint64_t Walk::after(uint64_t position, uint64_t steps) const {
  if (!endsEpochs())
    return bounded(Wide(position) + Wide(steps) * perStep);
  uint64_t offset = position % samples, toEnd = quotientUp(samples - offset, perStep);
  if (steps < toEnd)
    return bounded(Wide(position) + Wide(steps) * perStep);
  uint64_t pass = quotientUp(samples, perStep), rest = steps - toEnd;
  return bounded((Wide(position / samples) + 1 + rest / pass) * samples + Wide(rest % pass) * perStep);
}

uint64_t Walk::stepsTo(uint64_t position, uint64_t target) const {
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

std::vector<Stream> streamsOf(const plan::Plan &plan, uint32_t phase) {
  const plan::Phase &one = plan.phases(static_cast<int>(phase));
  std::vector<Stream> streams;
  size_t main = 0;
  uint64_t replicas = 0; // whose batches one step of the phase takes
  for (uint32_t index : one.programs())
    for (const plan::Instruction &instruction : plan.programs(static_cast<int>(index)).instructions()) {
      if (!instruction.has_next_batch())
        continue;
      const plan::Instruction::NextBatch &next = instruction.next_batch();
      uint64_t instances = plan.programs(static_cast<int>(index)).instances();
      Stream stream{next.dataset(), next.batch(), next.pad_last(), uint64_t(std::max(1u, next.micro_batches()))};
      uint64_t ofOne = stream.perStep * std::max(1u, stream.batch);
      // An update of an asynchronous phase takes one replica's batch, one with backup workers those of the replicas that count.
      bool isMain = !replicas && next.dataset() == one.dataset() && one.samples_per_step() % ofOne == 0 &&
                    (one.ends_by_closing() || one.samples_per_step() == ofOne * instances);
      if (isMain)
        replicas = one.samples_per_step() / ofOne;
      auto known = std::find_if(streams.begin(), streams.end(), [&](auto &other) { return sameStream(other, stream); });
      if (isMain)
        main = static_cast<size_t>(known - streams.begin());
      if (known == streams.end())
        streams.push_back(stream);
    }
  for (Stream &stream : streams)
    stream.perStep *= uint64_t(stream.batch) * std::max<uint64_t>(1, replicas);
  if (main < streams.size())
    std::rotate(streams.begin(), streams.begin() + static_cast<ptrdiff_t>(main),
                streams.begin() + static_cast<ptrdiff_t>(main) + 1);
  return streams;
}

std::string streamName(const plan::Plan &plan, uint32_t phase, const std::vector<Stream> &streams, size_t stream) {
  const std::string &name = plan.phases(static_cast<int>(phase)).name();
  if (stream == 0)
    return name;
  const Stream &one = streams[stream];
  return absl::StrCat(name, " @", plan.datasets(static_cast<int>(one.dataset)).name(), " ", one.batch,
                      one.padded ? " padded" : "");
}

} // namespace graphc::data
