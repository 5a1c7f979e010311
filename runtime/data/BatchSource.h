//===- BatchSource.h - the micro-batches of one replica, in the one global order ----*- C++ -*-===//
//
// One seeded stream for the whole run: the permutations of successive epochs end to end. Counting
// micro-batches of S samples from `position`, step s takes micro-batch s*N*M + r*M + m on replica r
// of N as m-th of M in the step. The K next_batch ops of a data set share each micro-batch: op k
// takes `batch` samples from `offset` on, the sum of the batches of the ops before it, and S is the
// sum of all K. A run's position is one integer, the number of samples taken by all replicas and
// ops together, so N, M, K and the batches may change between runs; where some were taken ahead of
// others, ConsumedRanges says which.
//
// For example, with N = 2, M = 1 and two ops of 2 and 1 samples (S = 3), step 0 takes
//   replica 0: samples 0 1 (first op) and 2 (second op); replica 1: samples 3 4 and 5
// and step 1 begins with sample 6.
//
// If an op of the data set has pad_last, the stream is padded: each epoch ends with a step, and the
// next step begins the next epoch. In the last step of an epoch, an op with padLast gets zeros that
// are not valid in place of the samples after the last one. An op without padLast gets the first
// samples of the next epoch, which the next step takes again.
//
// A thread fills a ring of two batches or more ahead of the lane; take() copies the oldest one into
// the lane's buffers, so that no thread but the lane touches an arena. Where samples lie in memory
// as they are taken (LoadedDataset::isReady) there is neither: take() copies them. What is taken
// depends on position alone, never on timing. Nothing allocates after start().
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_DATA_BATCHSOURCE_H
#define GRAPHC_RUNTIME_DATA_BATCHSOURCE_H

#include "runtime/data/ConsumedRanges.h"
#include "runtime/data/LoadedDataset.h"
#include "runtime/data/SampleStreams.h"
#include "runtime/data/SeededPermutation.h"

#include <atomic>
#include <thread>

namespace graphc::data {

struct BatchOptions {
  uint32_t batch = 1;
  uint64_t offset = 0; ///< of this op's samples in those of a micro-batch
  uint64_t stride = 0; ///< samples of a micro-batch, of all ops together; 0: batch
  uint32_t replica = 0, replicas = 1;
  uint32_t microBatch = 0, microBatches = 1;
  uint32_t perStep = 1; ///< micro-batches in a row from `microBatch` on, each step
  bool padLast = false;
  bool padded = false; ///< some op of the data set has pad_last; implied by padLast
  bool training = false; ///< samples are as the data set's random transforms make them
  std::vector<uint64_t> classes = {}; ///< of the plan's NextBatch: empty, or one a component
  /// Off: take() makes the batch itself, in the caller's buffers. So does the simulator (one
  /// thread).
  bool prefetch = true;
};

class BatchSource {
public:
  static absl::StatusOr<std::unique_ptr<BatchSource>>
  create(std::shared_ptr<const LoadedDataset> dataset, const BatchOptions &options);
  ~BatchSource();
  BatchSource(const BatchSource &) = delete;

  /// Begins (again) behind what was taken, with the batches of step `step` from there; what was
  /// prefetched before is dropped. Not while a lane takes.
  absl::Status start(ConsumedRanges taken, uint64_t step = 0);
  absl::Status start(uint64_t position, uint64_t step = 0) {
    return start(ConsumedRanges(position), step);
  }
  /// Stops the thread; start() may follow.
  void stop();

  /// Copies the next batch: one buffer a component, [batch, sample…]; `valid` ([batch] of I1) may
  /// be null. Only after start(). Where the thread is not ready yet it waits for it, and for nobody
  /// else. An error where a label is no class.
  absl::Status take(void *const *buffers, uint8_t *valid);
  /// How often take() had to wait, for the statistics.
  uint64_t waits() const { return waitCount_; }

  const LoadedDataset &dataset() const { return *set_; }
  const BatchOptions &options() const { return choice_; }

  /// Samples that one step of all replicas and ops takes.
  uint64_t samplesPerStep() const {
    return choice_.stride * choice_.replicas * choice_.microBatches;
  }

private:
  struct Slot {
    std::vector<std::vector<uint8_t>> buffers; ///< one a component
    std::vector<uint8_t> valid;
    absl::Status status;
  };

  BatchSource(std::shared_ptr<const LoadedDataset> dataset, const BatchOptions &options);
  absl::Status make(uint64_t number, void *const *buffers, uint8_t *valid);
  /// Which sample the stream has at this place.
  uint64_t sampleAt(uint64_t place);
  uint64_t placeOf(uint64_t index) const { return before_.isEven() ? index : before_.place(index); }
  void run();

  std::shared_ptr<const LoadedDataset> set_;
  BatchOptions choice_;
  ConsumedRanges before_; ///< what was taken until start()
  uint64_t share_ = 0; ///< of each step: where in it this source's samples begin
  uint64_t first_ = 0; ///< of the batches behind `before_`, the one that start() begins with
  uint64_t taken_ = 0; ///< batches since start(), the lane's own
  uint64_t waitCount_ = 0; ///< the lane's own

  // The thread's own while it runs: the permutation of the epoch it is in.
  uint64_t epoch_ = UINT64_MAX;
  SeededPermutation permutation_;

  // The ring. `produced_` and `consumed_` count batches modulo 2^32 and are futex words; each has
  // one writer. A side that is about to sleep says so first and looks again, so that the other side
  // wakes it or it does not sleep.
  std::vector<Slot> ring_;
  std::atomic<uint32_t> produced_{0}, consumed_{0};
  std::atomic<bool> fillerSleeps_{false}, takerSleeps_{false}, ending_{false};
  std::thread filler_;
};

} // namespace graphc::data
#endif
