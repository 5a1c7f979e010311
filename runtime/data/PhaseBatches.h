//===- PhaseBatches.h - the batch sources of one task for one phase -----------------*- C++ -*-===//
//
// What executor::LaneCallbacks::nextBatch needs: one BatchSource for each NextBatch instruction of
// each program instance that runs on this task.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_DATA_PHASEBATCHES_H
#define GRAPHC_RUNTIME_DATA_PHASEBATCHES_H

#include "runtime/data/BatchSource.h"

#include <map>
#include <span>

namespace graphc::data {

/// Opens each data set of a plan at most once; shared by the phases.
class DatasetCache {
public:
  DatasetCache(const plan::Plan &plan, DatasetSearchPath search)
      : plan_(plan), search_(std::move(search)) {}
  absl::StatusOr<std::shared_ptr<const LoadedDataset>> open(uint32_t dataset);
  /// To take batches of it: synthetic samples are drawn once, where those of all sets together are
  /// few enough.
  absl::StatusOr<std::shared_ptr<const LoadedDataset>> openToTake(uint32_t dataset);

private:
  const plan::Plan &plan_;
  DatasetSearchPath search_;
  std::map<uint32_t, std::shared_ptr<LoadedDataset>> opened_;
  uint64_t drawnBytesLeft_ = 16 << 20;
};

class PhaseBatches {
public:
  /// For the lanes of `phase` that run on `task`; opens their data sets. `plan` is verified and
  /// outlives this object.
  static absl::StatusOr<std::unique_ptr<PhaseBatches>>
  create(const plan::Plan &plan, uint32_t phase, const plan::Task &task, DatasetCache &datasets,
         bool prefetch = true);
  /// Every source begins where its stream stands, with the batches of step `step` from there;
  /// `streams` as streamsOf() has them, of what is missing nothing was taken.
  absl::Status start(const std::vector<ConsumedRanges> &streams, uint64_t step = 0);
  /// Ends the threads.
  void stop();
  /// The next batch for this instruction (a reference into the plan) of this instance.
  absl::Status next(uint32_t instance, const plan::Instruction::NextBatch &instruction,
                    std::span<void *const> buffers, uint8_t *valid);
  bool empty() const { return sources_.empty(); }

private:
  struct Entry {
    const plan::Instruction::NextBatch *instruction;
    uint32_t instance;
    size_t stream; ///< of streamsOf()
    std::unique_ptr<BatchSource> source;
  };
  std::vector<Entry> sources_; ///< a handful; searched linearly
};

/// Before anything runs: whether the integers that the phase takes of a data set are the classes
/// that the plan has for them.
absl::Status checkLabels(const plan::Plan &plan, uint32_t phase, uint32_t dataset,
                         const LoadedDataset &opened);

/// Whether `task` itself takes batches in the phase; one that only knows of the data set (a
/// parameter server) does not open it.
bool readsData(const plan::Plan &plan, uint32_t phase, const plan::Task &task);

/// Samples of the data set that defines the phase's epochs, or 0 where it takes no data.
absl::StatusOr<uint64_t> epochSamples(const plan::Plan &plan, uint32_t phase,
                                      DatasetCache &datasets);

} // namespace graphc::data
#endif
