//===- Report.h - a page that shows a plan --------------------------------------------------------------------*- C++ -*-===//
#ifndef GRAPHC_TOOLS_GRAPHC_REPORT_H
#define GRAPHC_TOOLS_GRAPHC_REPORT_H

#include "runtime/cluster/ClusterConfig.h"
#include "runtime/plan/plan.pb.h"
#include "tools/graphc/Options.h"

namespace graphc {

/// Writes options.report: one HTML file that needs nothing else, neither network nor scripts. False where it cannot be
/// written or the calibration cannot be read, having said so on stderr.
bool writeReport(const plan::Plan &plan, const cluster::ClusterConfig &cluster, const Options &options);

} // namespace graphc

#endif
