//===- NpyFile.h - arrays of NumPy: .npy files, and those in a .npz archive ---------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_DATA_NPYFILE_H
#define GRAPHC_RUNTIME_DATA_NPYFILE_H

#include "runtime/data/DecodedFileCache.h"

namespace graphc::data {

/// An array, and where in the bytes its elements begin.
struct NpyArray {
  ArrayHeader header;
  std::shared_ptr<const StoredBytes> bytes;
  uint64_t begin = 0;
};

/// "FILE.npz:NAME" as file and array; of a .npy the array is "".
std::pair<std::string, std::string> splitNpyName(const std::string &name);

/// Maps the elements where the file has them as they are; what is compressed is decoded once.
absl::StatusOr<NpyArray> openNpy(const std::string &path, const std::string &array,
                                 const DatasetSearchPath &search);
/// The same from bytes (tests, fuzzing), at most `limit` of them decoded; the result is in memory.
absl::StatusOr<DecodedArray> decodeNpy(std::string_view content, const std::string &name,
                                       const std::string &array, uint64_t limit);

} // namespace graphc::data
#endif
