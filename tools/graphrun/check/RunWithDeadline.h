//===- RunWithDeadline.h - work that may never end ----------------------------------*- C++ -*-===//
#ifndef GRAPHC_TOOLS_GRAPHRUN_CHECK_RUNWITHDEADLINE_H
#define GRAPHC_TOOLS_GRAPHRUN_CHECK_RUNWITHDEADLINE_H

#include "absl/time/time.h"

#include <functional>

namespace graphc::graphrun {

/// Runs `work` on a thread of its own and waits for at most `limit`. False: it is not done, and the
/// thread goes on (a disk of the network that is away cannot be interrupted); the process has to
/// end by _exit.
bool within(absl::Duration limit, std::function<void()> work);

} // namespace graphc::graphrun
#endif
