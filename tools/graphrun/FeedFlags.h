//===- FeedFlags.h - the values of --feed, and which ones a run needs ---------------*- C++ -*-===//
#ifndef GRAPHC_TOOLS_GRAPHRUN_FEEDFLAGS_H
#define GRAPHC_TOOLS_GRAPHRUN_FEEDFLAGS_H

#include "runtime/common/plan/plan.pb.h"
#include "tools/graphrun/RunFlags.h"

namespace graphc::graphrun {

/// Name → bytes, each of the type that the plan's argument has. An argument that this run will ask
/// for and that has no value is an error, and so is a value that no function of the plan takes.
/// Training evaluates at its end, so it needs eval's arguments too.
absl::StatusOr<std::map<std::string, std::string>> readFeeds(const plan::Plan &plan,
                                                             const RunFlags &flags);

} // namespace graphc::graphrun
#endif
