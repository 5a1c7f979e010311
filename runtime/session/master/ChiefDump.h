//===- ChiefDump.h - the variables at the end of a run as .npy (--dump_variables) ---*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_SESSION_MASTER_CHIEFDUMP_H
#define GRAPHC_RUNTIME_SESSION_MASTER_CHIEFDUMP_H

#include "runtime/checkpoint/DumpFolder.h"
#include "runtime/common/plan/plan.pb.h"
#include "runtime/service/service.pb.h"
#include "runtime/session/master/FileWatchdog.h"

#include <functional>
#include <optional>

namespace graphc::session {

/// Each owner writes its variables; of one in parts the chief gives the file its name once all
/// owners have. Master's thread.
class ChiefDump {
public:
  /// Gives all tasks an order and waits for their answers.
  using Ask = std::function<absl::Status(service::Order)>;
  /// `directory` empty: there is none to make. The others have to outlive it.
  ChiefDump(const plan::Plan &plan, FileWatchdog &files, std::string directory)
      : plan_(plan), files_(files), directory_(std::move(directory)) {}

  /// Before training: whether the owners can write there.
  absl::Status begin(const Ask &ask);
  absl::Status write(const Ask &ask);
  /// The run is over, however it has ended: no task writes there any more.
  void end() { folder_.reset(); }

private:
  const plan::Plan &plan_;
  FileWatchdog &files_;
  const std::string directory_;
  std::optional<checkpoint::DumpFolder> folder_;
};

} // namespace graphc::session
#endif
