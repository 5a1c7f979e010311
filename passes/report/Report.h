//===- Report.h - a page that shows a plan --------------------------------------------------------------------*- C++ -*-===//
#ifndef GRAPHC_PASSES_REPORT_REPORT_H
#define GRAPHC_PASSES_REPORT_REPORT_H

#include "runtime/cluster/Calibration.h"
#include "runtime/cluster/ClusterConfig.h"
#include "runtime/plan/plan.pb.h"

namespace graphc {

/// One HTML page that needs nothing else, neither network nor scripts. `model`: the file that the plan was made of, whose lines are shown
/// where it can be read.
std::string makeReport(const plan::Plan &plan, const cluster::ClusterConfig &cluster,
                       const cluster::Calibration &calibration, const std::string &model);

} // namespace graphc

#endif
