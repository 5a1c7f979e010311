//===- ResultRemarks.h - what whoever reads a run's results should know of it -------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_SESSION_PROGRESS_RESULTREMARKS_H
#define GRAPHC_RUNTIME_SESSION_PROGRESS_RESULTREMARKS_H

#include "runtime/session/progress/StreamPositions.h"

#include <string>

namespace graphc::session {

// Each is a line for the log, or empty where there is nothing to say.

/// Batches that do not divide a data set of `samples` run over its end into its beginning.
std::string remarkOverlap(const plan::Plan &plan, uint32_t phase, const DatasetSizes &sizes,
                          uint64_t samples, uint64_t steps);
/// Nothing was restored, so a model that can be trained is not.
std::string remarkUntrained(const plan::Plan &plan, const std::string &entry);

} // namespace graphc::session
#endif
