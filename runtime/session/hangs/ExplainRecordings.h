//===- ExplainRecordings.h - what the recordings of a run's tasks say together ------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_SESSION_HANGS_EXPLAINRECORDINGS_H
#define GRAPHC_RUNTIME_SESSION_HANGS_EXPLAINRECORDINGS_H

#include "runtime/session/hangs/FlightRecorder.h"
#include "runtime/session/hangs/WaitGraph.h"

#include "absl/status/statusor.h"

#include <map>
#include <string>
#include <vector>

namespace graphc::session {

/// Files of a --failure_dir, by name: outside bytes, of which nothing is believed.
struct FailureFiles {
  std::string sketch; ///< plan.sketch
  std::map<std::string, std::string> recordings; ///< *.rec
};

/// Lines for people, the root cause first; then who waited for whom, then each task, with its last
/// `events`. Recordings that are damaged, of another plan or of an earlier run are named and left
/// out; a task without one is as one that does not answer.
absl::StatusOr<std::vector<std::string>> explain(const FailureFiles &files, size_t events);

} // namespace graphc::session
#endif
