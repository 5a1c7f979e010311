//===- ReportParts.h - the parts of the report's page -------------------------------*- C++ -*-===//
#ifndef GRAPHC_PASSES_REPORT_REPORTPARTS_H
#define GRAPHC_PASSES_REPORT_REPORTPARTS_H

#include "passes/compiler/PlanFacts.h"
#include "passes/report/MeasuredTimes.h"
#include "passes/report/StepPrediction.h"
#include "runtime/common/base/TextUtils.h"

#include "llvm/ADT/StringRef.h"

namespace graphc {

/// What the page is about; the parts share it.
struct ReportInput {
  const plan::Plan &plan;
  const PlanFootprint footprint;
  const StepPrediction prediction;
  const MeasuredTimes *measured = nullptr; ///< where a trace was given
};

using base::escapeHtml;
/// A cell of a table.
std::string cell(const std::string &text, bool number = false);
/// A number of an SVG coordinate.
std::string coordinate(double value);
/// "train_step.matmul_3", "receive w1.to_worker", …; with its place in the model.
std::string instructionTitle(const plan::Plan &plan, const plan::Program &program,
                             const plan::Instruction &instruction);
/// What a queue of a program is for: "calls", "copies to the device", "copies from the device".
std::string queueText(const plan::Program &program, const StepPrediction::Queue &queue);

/// The page's style sheet: light and dark, screen and paper.
llvm::StringRef reportStyle();

/// Devices as boxes, channels between two of them as one arrow each way.
std::string drawPartition(const ReportInput &input);
/// The main phase's lanes over one predicted step, in three widths.
std::string drawTimeline(const ReportInput &input);
/// The same as it was measured, to the same scale.
std::string drawMeasured(const ReportInput &input);
/// Seconds from the first lane's begin to the last one's end: where lanes overlap, more than a step
/// takes.
double spanOf(const StepPrediction &prediction);
/// Which instructions take longest, with their share, and the kernels' times by layer.
std::string listTimes(const ReportInput &input);
/// Bytes in use over the step, one chart a device; two where it has memory of its own.
std::string drawMemory(const ReportInput &input);

} // namespace graphc

#endif
