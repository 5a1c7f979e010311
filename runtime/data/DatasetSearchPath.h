//===- DatasetSearchPath.h - where a data set's files are looked for ----------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_DATA_DATASETSEARCHPATH_H
#define GRAPHC_RUNTIME_DATA_DATASETSEARCHPATH_H

#include "absl/status/statusor.h"

#include <cstdint>
#include <string>
#include <vector>

namespace graphc::data {

/// Looked through in this order: --data_dir, beside the plan, the distribution's data set folders
/// and each folder in them (Debian's packages dataset-* install to /usr/share/datasets/NAME).
struct DatasetSearchPath {
  std::string dataDir; ///< --data_dir; empty: not given
  std::string planDir; ///< folder of the plan; empty: unknown
  std::vector<std::string> systemDirs = {"/usr/local/share/datasets", "/usr/share/datasets"};
  /// Decoded .gz files are kept in cacheDir; empty: $XDG_CACHE_HOME/graphc, else ~/.cache/graphc,
  /// else no cache.
  std::string cacheDir;
  bool useCache = true;
  /// No file decodes to more bytes (--data_cache_mb). Whoever adds one removes those not used for
  /// longest beyond as many in all. The newest stays.
  uint64_t cacheLimit = uint64_t(4) << 30;
};
using DataSearch = DatasetSearchPath; ///< its name in version 0.1.0 (graphc/Run.h has it)

/// The file's path. `X.gz` may also be there as `X` and the other way round. Given --data_dir, a
/// file that is not there is looked for no further, so that no other data is taken by accident. The
/// error lists where it was looked for and what to do.
absl::StatusOr<std::string> findDataFile(const std::string &name, const DatasetSearchPath &search);

} // namespace graphc::data
#endif
