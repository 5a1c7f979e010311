//===- ModelExport.h - a trained model in a folder of its own -----------------------*- C++ -*-===//
//
//   DIR/3/predict.plan                  the plan's predictions, for one process alone (plan/StandalonePlan.h)
//   DIR/3/variables/step-1172/…         the variables that they read, a checkpoint of one shard
//   DIR/4.partial/                      being written, or left by a killed run; nobody reads it
//
// Each export is a version, the next number; whoever reads DIR gets the newest. A version appears
// by a rename, whole and synced.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_SESSION_RESULTS_MODELEXPORT_H
#define GRAPHC_RUNTIME_SESSION_RESULTS_MODELEXPORT_H

#include "runtime/common/plan/plan.pb.h"

#include "absl/status/statusor.h"

#include <functional>
#include <string>

namespace graphc::session {

/// Of a verified plan, with the variables of one of its checkpoints ("DIR/step-1172"). The
/// version's folder, "DIR/3". One run at a time writes there: waits for another one, and says so by
/// `log`, as long as `goesOn` is OK, whose error it returns; may be empty.
absl::StatusOr<std::string> writeExport(const plan::Plan &plan, const std::string &checkpoint,
                                        const std::string &dir,
                                        const std::function<void(const std::string &)> &log,
                                        const std::function<absl::Status()> &goesOn = {});

/// An export, undamaged. Its plan is still to be loaded.
struct ModelExport {
  std::string path; ///< the version's folder
  std::string plan; ///< file
  std::string variables; ///< folder of its checkpoint
};

/// A version, or the newest one of those in `path`. Checks what it reads but the plan; an error
/// says what is wrong and what can be done.
absl::StatusOr<ModelExport> openExport(const std::string &path);

} // namespace graphc::session
#endif
