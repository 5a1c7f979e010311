#include "runtime/session/progress/StreamPositions.h"

#include "runtime/common/base/StatusMacros.h"

#include <set>

namespace graphc::session {

/// How each stream advances a step: samples of the data set, samples taken, whether the last batch
/// is padded.
static std::vector<data::StreamWalk> walksOf(const std::vector<data::SampleStream> &streams,
                                             const DatasetSizes &sizes) {
  std::vector<data::StreamWalk> walks;
  for (const data::SampleStream &stream : streams) {
    auto samples = sizes.find(stream.dataset);
    walks.push_back({samples == sizes.end() ? 0 : samples->second, stream.perStep, stream.padded});
  }
  return walks;
}

/// How many workers take shares of their own, each at its own speed. With backup workers none: what
/// comes late does not count.
static size_t workersOf(const plan::Plan &plan, uint32_t phase) {
  const plan::Phase &one = plan.phases(static_cast<int>(phase));
  std::set<uint32_t> instances; // of what takes samples
  bool chooses = !one.ends_by_end_of_stream();
  for (uint32_t index : one.programs())
    for (const plan::Instruction &each : plan.programs(static_cast<int>(index)).instructions()) {
      chooses |= each.has_choose();
      if (each.has_next_batch())
        instances.insert(plan.programs(static_cast<int>(index)).instances());
    }
  return !chooses && instances.size() == 1 ? *instances.begin() : 0;
}

StreamPositions::StreamPositions(const plan::Plan &plan, uint32_t phase, const DatasetSizes &sizes)
    : plan_(plan), phase_(phase), streams_(data::streamsOf(plan, phase)),
      walks_(walksOf(streams_, sizes)), workers_(workersOf(plan, phase)), taken_(streams_.size()) {}

/// A position that the checkpoint does not have (it is of an earlier version, or the model was
/// changed) follows from the steps.
absl::Status StreamPositions::restore(const checkpoint::CheckpointManifest &restored) {
  for (size_t i = 0; i < streams_.size(); ++i) {
    GRAPHC_ASSIGN_OR_RETURN(const auto *known,
                            data::findPosition(restored.dataPositions, plan_, phase_, streams_, i));
    if (!known) {
      const uint64_t steps = i == 0 ? restored.globalStep : walks_[0].stepsTo(0, first());
      taken_[i] = data::ConsumedRanges(walks_[i].after(0, steps));
      continue;
    }
    const auto ahead = restored.dataTaken.find(known->first);
    const bool isKept = ahead != restored.dataTaken.end();
    const bool fits = isKept && data::ConsumedRanges::check(known->second, ahead->second).ok();
    forgot_ |= isKept && !fits;
    taken_[i] = fits ? data::ConsumedRanges(known->second, ahead->second)
                     : data::ConsumedRanges(known->second);
  }
  return absl::OkStatus();
}

void StreamPositions::advance(uint64_t steps, const std::vector<uint64_t> &byWorker) {
  for (size_t i = 0; i < walks_.size(); ++i)
    if (const data::StreamWalk &one = walks_[i]; workers_ > 0 && byWorker.size() == workers_)
      forgot_ |= !taken_[i].advance({one.samples, one.perStep * byWorker.size(), one.padded},
                                    one.perStep, byWorker);
    else
      taken_[i].advance(one, steps);
}

void StreamPositions::tell(service::Order::Begin &begin) const {
  for (size_t i = 0; i < taken_.size(); ++i) {
    if (i == 0)
      begin.set_position(taken_[i].position());
    else
      begin.add_other_positions(taken_[i].position());
    const std::vector<uint64_t> ahead = taken_[i].ahead();
    begin.add_taken()->mutable_ahead()->Assign(ahead.begin(), ahead.end());
  }
}

std::vector<data::ConsumedRanges> takenOf(const service::Order::Begin &begin) {
  std::vector<data::ConsumedRanges> streams;
  for (int i = 0; i <= begin.other_positions_size(); ++i) {
    std::vector<uint64_t> ahead;
    if (i < begin.taken_size())
      ahead.assign(begin.taken(i).ahead().begin(), begin.taken(i).ahead().end());
    streams.emplace_back(i == 0 ? begin.position() : begin.other_positions(i - 1), ahead);
  }
  return streams;
}

std::map<std::string, uint64_t> StreamPositions::byName() const {
  std::map<std::string, uint64_t> named;
  for (size_t i = 0; i < streams_.size(); ++i)
    named[data::streamName(plan_, phase_, streams_[i])] = taken_[i].position();
  return named;
}

std::map<std::string, std::vector<uint64_t>> StreamPositions::aheadByName() const {
  std::map<std::string, std::vector<uint64_t>> named;
  for (size_t i = 0; i < streams_.size(); ++i)
    if (!taken_[i].isEven())
      named[data::streamName(plan_, phase_, streams_[i])] = taken_[i].ahead();
  return named;
}

} // namespace graphc::session
