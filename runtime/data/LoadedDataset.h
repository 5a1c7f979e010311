//===- LoadedDataset.h - the samples of one plan data set ---------------------------*- C++ -*-===//
//
// Immutable once batches are taken of it, and shared by all batch sources of a task. Samples are
// found by number; the order in which they come is BatchSource's.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_DATA_LOADEDDATASET_H
#define GRAPHC_RUNTIME_DATA_LOADEDDATASET_H

#include "runtime/common/plan/plan.pb.h"
#include "runtime/data/DatasetSearchPath.h"
#include "runtime/data/ElementConversion.h"
#include "runtime/data/LabelCheck.h"
#include "runtime/data/SampleTransforms.h"
#include "runtime/data/StoredSamples.h"

#include "absl/status/statusor.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace graphc::data {

constexpr uint64_t maxSamples = uint64_t(1) << 48;
constexpr uint64_t maxSampleBytes = uint64_t(1) << 32;

class LoadedDataset {
public:
  /// Finds and opens the files (or nothing for a synthetic one) and checks them against the plan's
  /// types.
  static absl::StatusOr<std::shared_ptr<LoadedDataset>> open(const plan::Dataset &plan,
                                                             const DatasetSearchPath &search);

  /// Draws all samples of a synthetic set now, where they take at most so many bytes together, and
  /// keeps them. How many they take; 0: they are drawn each time. An element counts as four bytes
  /// at least, since it takes as long. Not once somebody copies samples.
  uint64_t keepDrawn(uint64_t most);
  bool isDrawn() const { return drawn_; }
  /// A batch is made about as fast as it would be copied from somewhere else: by samples that are
  /// drawn and not so small that to find each takes longer.
  bool isReady() const;

  const std::string &name() const { return setName_; }
  uint64_t samples() const { return count_; }
  size_t components() const { return columns_.size(); }
  bool shuffled() const { return shuffle_; }
  uint64_t seed() const { return shuffleSeed_; }
  /// Bytes of one sample of a component as the program receives it.
  uint64_t sampleBytes(size_t component) const { return columns_[component].rowBytes; }
  uint64_t sampleElements(size_t component) const { return columns_[component].elements; }

  /// Writes sample `index` < samples() of a component to `out`, sampleBytes() bytes; for training
  /// as it is drawn in this epoch.
  void copySample(size_t component, uint64_t index, void *out,
                  std::optional<uint64_t> trainingEpoch = {}) const;

  /// OutOfRange, naming the file and how many, where integers of a component are none of 0 …
  /// classes - 1. Looks through a file of up to 2^24 elements; BatchSource looks at each batch
  /// besides, for larger ones and for what is synthetic.
  absl::Status checkClasses(size_t component, uint64_t classes) const;
  /// In what copySample() wrote of `batch` samples; what is said of them, where the first is of
  /// sample `sample`.
  LabelStrays findStrays(size_t component, uint64_t classes, const void *samples,
                         uint64_t batch) const;
  absl::Status straysError(size_t component, uint64_t classes, const LabelStrays &strays,
                           uint64_t batch, uint64_t sample) const;

  /// CRC-32C of every sample as stored, decoded; 0 where synthetic. Reads all of it.
  uint32_t crc() const;

  /// DataLoss, naming the file, once a file was found to be cut short since open(); samples read
  /// zeros there. Cheap.
  absl::Status check() const;

  /// One line for the log: what was opened from where.
  const std::string &description() const { return text_; }

private:
  struct Column {
    ElementConversion conversion;
    uint64_t elements = 0; ///< of one sample
    uint64_t rowBytes = 0;
    StoredColumn file; ///< empty where synthetic
    SampleTransforms transforms;
    uint64_t stream = 0; ///< synthetic: the component's Philox stream
    int64_t limit = 0;
    std::vector<uint8_t> rows; ///< synthetic: once drawn, all of them
  };

  static std::string pathOf(const Column &column);
  absl::Status openFiles(const plan::Dataset &plan, const DatasetSearchPath &search);
  absl::Status openSynthetic(const plan::Dataset &plan);

  std::string setName_, text_;
  uint64_t count_ = 0;
  std::vector<Column> columns_;
  bool shuffle_ = false, synthetic_ = false, drawn_ = false;
  uint64_t shuffleSeed_ = 0, syntheticSeed_ = 0;
};

} // namespace graphc::data
#endif
