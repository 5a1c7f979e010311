//===- StreamPositions.h - where a training stands in its streams of samples -------------------------------*- C++ -*-===//
//
// In samples taken of each stream by all replicas, under whatever strategy that was (data/Streams.h). The master counts them; the tasks
// are told where to begin.
//
//===----------------------------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_SESSION_STREAMPOSITIONS_H
#define GRAPHC_RUNTIME_SESSION_STREAMPOSITIONS_H

#include "runtime/checkpoint/Manifest.h"
#include "runtime/data/Streams.h"
#include "runtime/session/Agreement.h"

namespace graphc::session {

class StreamPositions {
public:
  /// `restored`: the checkpoint that the run goes on from, or none. `plan` has to outlive this.
  StreamPositions(const plan::Plan &plan, uint32_t phase, const DatasetSizes &sizes,
                  const std::optional<checkpoint::Manifest> &restored);

  /// By stream, as streamsOf() has them.
  const std::vector<uint64_t> &positions() const { return positions_; }
  /// Of the first stream, whose samples make the epochs; 0 where the phase reads no data.
  uint64_t first() const { return positions_.empty() ? 0 : positions_.front(); }
  bool padded() const { return !streams_.empty() && streams_.front().padded; }
  void advance(uint64_t steps);
  /// What a checkpoint has of them. Of streams of a model that was, nothing.
  std::map<std::string, uint64_t> byName() const;

private:
  const plan::Plan &plan_;
  const uint32_t phase_;
  const std::vector<data::Stream> streams_;
  const std::vector<data::Walk> walks_;
  std::vector<uint64_t> positions_;
};

} // namespace graphc::session
#endif
