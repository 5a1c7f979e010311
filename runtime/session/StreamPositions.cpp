#include "runtime/session/StreamPositions.h"

namespace graphc::session {

/// How each stream advances a step: samples of the data set, samples taken, whether the last batch is padded.
static std::vector<data::Walk> walksOf(const std::vector<data::Stream> &streams, const DatasetSizes &sizes) {
  std::vector<data::Walk> walks;
  for (const data::Stream &stream : streams) {
    auto samples = sizes.find(stream.dataset);
    walks.push_back({samples == sizes.end() ? 0 : samples->second, stream.perStep, stream.padded});
  }
  return walks;
}

/// Where each stream was left. What a checkpoint does not tell (of an earlier version, or since the model was changed) is where the
/// stream before of the same data set is, with which it was one if their batches were of one size, or follows from the steps.
StreamPositions::StreamPositions(const plan::Plan &plan, uint32_t phase, const DatasetSizes &sizes,
                                 const std::optional<checkpoint::Manifest> &restored)
    : plan_(plan), phase_(phase), streams_(data::streamsOf(plan, phase)), walks_(walksOf(streams_, sizes)) {
  for (size_t i = 0; i < streams_.size(); ++i) {
    std::optional<uint64_t> known =
        restored ? data::positionIn(restored->dataPositions, plan, phase, streams_, i) : std::nullopt;
    if (known) {
      positions_.push_back(*known);
      continue;
    }
    if (i == 0) {
      positions_.push_back(restored ? walks_[i].after(0, restored->globalStep) : 0);
      continue;
    }
    size_t before = i;
    while (before > 0 && streams_[before - 1].dataset != streams_[i].dataset)
      --before;
    positions_.push_back(before > 0 && restored ? positions_[before - 1]
                                                : walks_[i].after(0, walks_[0].stepsTo(0, positions_[0])));
  }
}

void StreamPositions::advance(uint64_t steps) {
  for (size_t i = 0; i < walks_.size(); ++i)
    positions_[i] = walks_[i].after(positions_[i], steps);
}

std::map<std::string, uint64_t> StreamPositions::byName() const {
  std::map<std::string, uint64_t> named;
  for (size_t i = 0; i < streams_.size(); ++i)
    named[data::streamName(plan_, phase_, streams_, i)] = positions_[i];
  return named;
}

} // namespace graphc::session
