//===- SampleStreams.h - which samples a phase takes, and how far it is -------------*- C++ -*-===//
//
// Each next_batch of a function takes a stream of samples: the epochs of its data set end to end.
// Where a stream stands is the number of samples taken of it by all replicas together, whatever the
// strategy; so a run that goes on under another one goes on there.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_DATA_SAMPLESTREAMS_H
#define GRAPHC_RUNTIME_DATA_SAMPLESTREAMS_H

#include "runtime/common/plan/plan.pb.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace graphc::data {

/// Steps through a stream. Padded (pad_last), the last step of an epoch takes what is left of it;
/// else it runs over the end.
struct StreamWalk {
  uint64_t samples = 0; ///< of one epoch; 0: unknown, and so are its ends
  uint64_t perStep = 0; ///< samples that one step takes
  bool padded = false;

  /// Where the stream stands so many steps behind `position`; at most 2^62.
  uint64_t after(uint64_t position, uint64_t steps) const;
  /// The fewest steps that lead from `position` to `target` or beyond.
  uint64_t stepsTo(uint64_t position, uint64_t target) const;

private:
  bool endsEpochs() const { return padded && samples && perStep; }
};

/// What one or several next_batch ops take alike.
struct SampleStream {
  uint32_t dataset = 0, batch = 0;
  bool padded = false;
  uint64_t perStep = 0; ///< samples that one step of the phase takes (asynchronous: one update)
};

/// Of a phase. The first is the one whose samples make its epochs; the others in the order of the
/// plan.
std::vector<SampleStream> streamsOf(const plan::Plan &plan, uint32_t phase);

/// What a checkpoint calls a stream: the first by its phase, "train_step", the others "train_step
/// @other #1" by data set and place among those of the data set. Neither batch nor strategy is in
/// it: a run may go on with others.
std::string streamName(const plan::Plan &plan, uint32_t phase,
                       const std::vector<SampleStream> &streams, size_t stream);

/// Where a checkpoint has a stream; nothing where it does not tell. Those of earlier versions name
/// the others by data set and batch, "train_step @other 3 padded", and may have several names of
/// one stream: samples are never given back, so the highest counts.
std::optional<uint64_t> positionIn(const std::map<std::string, uint64_t> &checkpoint,
                                   const plan::Plan &plan, uint32_t phase,
                                   const std::vector<SampleStream> &streams, size_t stream);

} // namespace graphc::data
#endif
