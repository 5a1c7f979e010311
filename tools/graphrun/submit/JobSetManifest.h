//===- JobSetManifest.h - a plan's tasks as pods of a JobSet of Kubernetes ----------*- C++ -*-===//
#ifndef GRAPHC_TOOLS_GRAPHRUN_SUBMIT_JOBSETMANIFEST_H
#define GRAPHC_TOOLS_GRAPHRUN_SUBMIT_JOBSETMANIFEST_H

#include "tools/graphrun/submit/SubmittedJob.h"

#include "absl/status/status.h"

namespace graphc::graphrun {

/// A replicated job for each job of the plan, and with --evaluator one more, of one pod.
std::string jobSetManifest(const SubmittedJob &job);
/// Each pod's name, which is its host's, has to be one that Kubernetes takes.
absl::Status checkPodNames(const SubmittedJob &job);

} // namespace graphc::graphrun
#endif
