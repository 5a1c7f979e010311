//===- RequestValidator.h - what a run asks of a plan by name -----------------------*- C++ -*-===//
//
// Errors name the flag, what there is, and what may have been meant.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_SESSION_MASTER_REQUESTVALIDATOR_H
#define GRAPHC_RUNTIME_SESSION_MASTER_REQUESTVALIDATOR_H

#include "runtime/common/plan/plan.pb.h"
#include "runtime/session/progress/EarlyStop.h"

#include "absl/status/statusor.h"

#include <optional>
#include <string>
#include <vector>

namespace graphc::session {

/// --entry: the number of its phase. With `epochs` it has some.
absl::StatusOr<uint32_t> checkEntry(const plan::Plan &plan, const std::string &entry, bool epochs);
/// --export_dir: the plan can predict.
absl::Status checkExport(const plan::Plan &plan);
/// --early_stop: a metric of the plan's evaluation.
absl::Status checkEarlyStop(const plan::Plan &plan, const EarlyStop &stop);
/// What --early_stop and --export best compare evaluations by: one metric of the plan's evaluation.
/// None: neither is given.
absl::StatusOr<std::optional<EarlyStop>> watchedMetric(const plan::Plan &plan,
                                                       const std::optional<EarlyStop> &stop,
                                                       const std::optional<BestExport> &best);
/// --dump_variables: a file for each variable.
absl::Status checkDump(const plan::Plan &plan);
/// --fetch: results of the phase.
absl::Status checkFetches(const plan::Plan &plan, const plan::Phase &phase,
                          const std::vector<std::string> &fetches);

} // namespace graphc::session
#endif
