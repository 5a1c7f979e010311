//===- CheckFiles.h - whether a run can read and write what it was given ------------*- C++ -*-===//
#ifndef GRAPHC_TOOLS_GRAPHRUN_CHECK_CHECKFILES_H
#define GRAPHC_TOOLS_GRAPHRUN_CHECK_CHECKFILES_H

#include "runtime/common/plan/plan.pb.h"
#include "tools/graphrun/RunFlags.h"

#include "absl/status/status.h"

namespace graphc::graphrun {

/// What would otherwise be found wrong only at the end of the run, or by each task for itself.
absl::Status checkFiles(const plan::Plan &plan, const RunFlags &flags, bool check);

} // namespace graphc::graphrun
#endif
