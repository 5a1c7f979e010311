//===- DatasetFiles.h - the files of a plan's data set, as columns of samples -------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_DATA_DATASETFILES_H
#define GRAPHC_RUNTIME_DATA_DATASETFILES_H

#include "runtime/common/plan/plan.pb.h"
#include "runtime/data/DatasetSearchPath.h"
#include "runtime/data/StoredSamples.h"

#include "absl/status/statusor.h"

namespace graphc::data {

/// Finds and opens the files of a set that has some: one column a component. Whether they fit the
/// components, and each other, LoadedDataset looks. Errors name the file, what was found, what was
/// expected and what to do.
absl::StatusOr<std::vector<StoredColumn>> openSource(const plan::Dataset &plan,
                                                     const DatasetSearchPath &search);

/// CIFAR-10's record: a label, then an image of 3x32x32 bytes.
constexpr uint64_t cifarImage = 3 * 32 * 32, cifarRecord = 1 + cifarImage;

/// The records of a file, from its bytes.
absl::StatusOr<uint64_t> cifarSamples(uint64_t bytes, const std::string &name);

} // namespace graphc::data
#endif
