//===- StreamPositions.h - where a training stands in its streams of samples --------*- C++ -*-===//
//
// In samples taken of each stream by all replicas, under whatever strategy that was
// (data/SampleStreams.h), and which of them lie ahead of others (data/ConsumedRanges.h). The master
// counts them; the tasks are told where to begin.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_SESSION_PROGRESS_STREAMPOSITIONS_H
#define GRAPHC_RUNTIME_SESSION_PROGRESS_STREAMPOSITIONS_H

#include "runtime/checkpoint/CheckpointManifest.h"
#include "runtime/data/ConsumedRanges.h"
#include "runtime/service/service.pb.h"
#include "runtime/session/peers/AnswerConsistency.h"

#include <utility>

namespace graphc::session {

class StreamPositions {
public:
  /// At the beginning of each stream. `plan` has to outlive this.
  StreamPositions(const plan::Plan &plan, uint32_t phase, const DatasetSizes &sizes);
  /// Goes on from a checkpoint. FailedPrecondition if its positions have another meaning.
  absl::Status restore(const checkpoint::CheckpointManifest &restored);

  /// By stream, as streamsOf() has them.
  const std::vector<data::ConsumedRanges> &streams() const { return taken_; }
  /// Of the first stream, whose samples make the epochs; 0 where the phase reads no data.
  uint64_t first() const { return taken_.empty() ? 0 : taken_.front().position(); }
  bool padded() const { return !streams_.empty() && streams_.front().padded; }
  /// So many steps (asynchronous: updates) were made. `byWorker`: of those the steps of each, where
  /// workers do not wait for each other.
  void advance(uint64_t steps, const std::vector<uint64_t> &byWorker = {});
  /// Whether what was taken ahead could not be kept, or was not to be believed, since this was
  /// asked last.
  bool takeForgotten() { return std::exchange(forgot_, false); }
  void tell(service::Order::Begin &begin) const;
  /// What a checkpoint has of them. Of streams of a model that was, nothing.
  std::map<std::string, uint64_t> byName() const;
  std::map<std::string, std::vector<uint64_t>> aheadByName() const;

private:
  const plan::Plan &plan_;
  const uint32_t phase_;
  const std::vector<data::SampleStream> streams_;
  const std::vector<data::StreamWalk> walks_;
  /// that each take their own share at their own speed, and of which each step counts; 0: it is not
  /// so
  const size_t workers_;
  std::vector<data::ConsumedRanges> taken_; ///< by stream
  bool forgot_ = false;
};

/// What a task is told by tell(), by stream.
std::vector<data::ConsumedRanges> takenOf(const service::Order::Begin &begin);

} // namespace graphc::session
#endif
