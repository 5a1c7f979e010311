//===- ExportedPlan.h - graphrun EXPORT ---------------------------------------------*- C++ -*-===//
#ifndef GRAPHC_TOOLS_GRAPHRUN_EXPORTEDPLAN_H
#define GRAPHC_TOOLS_GRAPHRUN_EXPORTEDPLAN_H

#include "tools/graphrun/RunFlags.h"

#include "absl/status/status.h"

namespace graphc::graphrun {

/// Where a folder is given in place of a plan: it is an export, whose predictions are run with its
/// variables.
absl::Status useExport(RunFlags &flags);

/// What is to be written is no folder of something else.
absl::Status checkExportFolder(const RunFlags &flags);

} // namespace graphc::graphrun
#endif
