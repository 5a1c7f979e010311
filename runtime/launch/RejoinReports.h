//===- RejoinReports.h - the launcher starts lost workers again while the others go on --------===//
#ifndef GRAPHC_RUNTIME_LAUNCH_REJOINREPORTS_H
#define GRAPHC_RUNTIME_LAUNCH_REJOINREPORTS_H

#include "runtime/session/recovery/ChiefRejoin.h"

namespace graphc::launch {

/// The chief's side: who is away and who is back, a line each to the launcher's pipe
/// (TaskReplacements.h).
session::RejoinOptions returnsByLauncher(int pipe, absl::Duration joinDeadline);

} // namespace graphc::launch
#endif
