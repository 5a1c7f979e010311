//===- StatusText.h - a run's status as tables of text ------------------------------*- C++ -*-===//
#ifndef GRAPHC_TOOLS_GRAPHRUN_STATUS_STATUSTEXT_H
#define GRAPHC_TOOLS_GRAPHRUN_STATUS_STATUSTEXT_H

#include "tools/graphrun/status/FindRuns.h"

namespace graphc::graphrun {

/// One run in full. `where`: its socket or address.
std::string statusText(const observe::RunStatus &status, const std::string &where);
/// A line each.
std::string listText(const std::vector<FoundRun> &runs);

} // namespace graphc::graphrun
#endif
