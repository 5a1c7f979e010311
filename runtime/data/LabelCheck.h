//===- LabelCheck.h - integers of a data set that have to be classes ----------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_DATA_LABELCHECK_H
#define GRAPHC_RUNTIME_DATA_LABELCHECK_H

#include "runtime/common/plan/plan.pb.h"

#include "absl/status/status.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace graphc::data {

/// Integers that are none of 0 … classes - 1.
struct LabelStrays {
  size_t count = 0, first = 0; ///< how many, and the place of the first
  int64_t value = 0; ///< of the first
};

/// Of `count` elements of a type of integers.
LabelStrays findStrays(plan::DataType type, const void *labels, size_t count, uint64_t classes);

/// What is said of them: `strays` of `labels` labels in `where`, the first of them in sample
/// `sample`.
absl::Status straysError(const std::string &dataset, const std::string &where,
                         const LabelStrays &strays, uint64_t labels, uint64_t sample,
                         uint64_t classes);

} // namespace graphc::data
#endif
