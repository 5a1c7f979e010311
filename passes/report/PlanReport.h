//===- PlanReport.h - a page that shows a plan --------------------------------------*- C++ -*-===//
#ifndef GRAPHC_PASSES_REPORT_PLANREPORT_H
#define GRAPHC_PASSES_REPORT_PLANREPORT_H

#include "passes/report/MeasuredTimes.h"

#include "runtime/common/cluster/ClusterConfig.h"
#include "runtime/common/cluster/MachineCalibration.h"
#include "runtime/common/plan/plan.pb.h"

namespace graphc {

/// One HTML page that needs nothing else, neither network nor scripts. `model`: the file that the
/// plan was made of, whose lines are shown where it can be read. `measured`: of a run of it; null:
/// only what is predicted.
std::string makeReport(const plan::Plan &plan, const cluster::ClusterConfig &cluster,
                       const cluster::MachineCalibration &calibration, const std::string &model,
                       const MeasuredTimes *measured = nullptr);

} // namespace graphc

#endif
