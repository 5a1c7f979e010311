//===- ChiefExport.h - the export behind a training (--export_dir) ------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_SESSION_MASTER_CHIEFEXPORT_H
#define GRAPHC_RUNTIME_SESSION_MASTER_CHIEFEXPORT_H

#include "runtime/common/plan/plan.pb.h"
#include "runtime/session/master/FileWatchdog.h"

#include "absl/status/status.h"

#include <functional>
#include <string>

namespace graphc::session {

/// The chief alone reads the last checkpoint and writes. Master's thread.
class ChiefExport {
public:
  using Log = std::function<void(const std::string &)>;
  /// `directory` empty: there is none to make. `goesOn`: whether the run does, asked while another
  /// one exports there. The others have to outlive it.
  ChiefExport(const plan::Plan &plan, FileWatchdog &files, std::string directory, Log log,
              std::function<absl::Status()> goesOn)
      : plan_(plan), files_(files), directory_(std::move(directory)), log_(std::move(log)),
        goesOn_(std::move(goesOn)) {}

  /// Training has ended in good order, with this checkpoint behind it. `notFinite`: its variables
  /// are worth nothing, and nothing is exported.
  absl::Status write(const std::string &checkpoint, bool notFinite);
  /// The run is over: says it where nothing was exported.
  void ended(const absl::Status &run) const;

private:
  const plan::Plan &plan_;
  FileWatchdog &files_;
  const std::string directory_;
  const Log log_;
  const std::function<absl::Status()> goesOn_;
  bool isTold_ = false; ///< what became of it
};

} // namespace graphc::session
#endif
