//===- SampleStreams.h - which samples a phase takes, and how far it is -------------*- C++ -*-===//
//
// A function takes one stream of samples of each data set: its epochs end to end. The next_batch
// ops of a data set share its stream (BatchSource.h). The position of a stream is the number of
// samples taken of it by all replicas and ops together, whatever the strategy; so a run that goes
// on under another strategy goes on there.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_DATA_SAMPLESTREAMS_H
#define GRAPHC_RUNTIME_DATA_SAMPLESTREAMS_H

#include "runtime/common/plan/plan.pb.h"

#include "absl/status/statusor.h"

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

/// The samples of one data set that the next_batch ops of a phase share.
struct SampleStream {
  uint32_t dataset = 0;
  uint64_t microBatch = 0; ///< samples that all ops together take for one micro-batch
  bool shared = false; ///< several ops take them
  bool padded = false; ///< some op has pad_last
  uint64_t perStep = 0; ///< samples that one step of the phase takes (asynchronous: one update)
};

/// Of a phase. The first is the one whose samples make its epochs; the others in the order of the
/// plan.
std::vector<SampleStream> streamsOf(const plan::Plan &plan, uint32_t phase);

/// The name of a stream in checkpoints: "train_step @train". It contains neither batch nor
/// strategy, so a run may go on with others.
std::string streamName(const plan::Plan &plan, uint32_t phase, const SampleStream &stream);

/// Positions in a checkpoint, by name of stream.
using NamedPositions = std::map<std::string, uint64_t>;

/// The entry of a stream in a checkpoint; null if the checkpoint does not have it. Earlier versions
/// have other names: the phase's alone for the stream that defines its epochs ("train_step"), and
/// "train_step @other #1" or, by batch, "train_step @other 3 padded" for others. They may have
/// several names of one stream; the highest position counts, so no sample is given back. There each
/// op of a data set took the same samples, so an error (FailedPrecondition) if several ops share
/// this stream.
absl::StatusOr<const NamedPositions::value_type *>
findPosition(const NamedPositions &checkpoint, const plan::Plan &plan, uint32_t phase,
             const std::vector<SampleStream> &streams, size_t stream);

} // namespace graphc::data
#endif
