//===- LoneRun.h - the run behind graphc::run and graphc::Session -------------------------------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_SESSION_LONERUN_H
#define GRAPHC_RUNTIME_SESSION_LONERUN_H

#include "runtime/session/Run.h"
#include "runtime/session/Stepping.h"

namespace graphc::session {

/// run(), whose steps `stepping` takes where it is not null. Its gate is closed by whoever calls this, once it has come back.
absl::StatusOr<RunResult> runLone(const plan::LoadedPlan &loaded, const RunOptions &options, Stepping *stepping);

} // namespace graphc::session
#endif
