//===- WaitGraph.h - who waits for whom, and who of them is the cause ---------------*- C++ -*-===//
//
// A plan that runs is proven to have no cycle of waits. So whoever waits long waits, perhaps
// through others, for one that waits for nobody: a task that does not answer, an instruction that
// takes long, data that does not come, or a message that was sent and has not come. This finds that
// one. It is a function of what the tasks have told, live on the chief (HangWatch.h) as of their
// recordings (graphrun explain).
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_SESSION_HANGS_WAITGRAPH_H
#define GRAPHC_RUNTIME_SESSION_HANGS_WAITGRAPH_H

#include "runtime/session/hangs/LaneWatch.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace graphc::session {

/// A task that has said nothing for longer is not believed to be where it was: heartbeats come
/// every second.
inline constexpr absl::Duration kSilent = absl::Seconds(3);

/// One task of the plan, by what is known of it.
struct WatchedTask {
  std::string process; ///< for people: "process 123 on host"; empty: unknown
  absl::Duration silent; ///< since it was heard last; infinite: never
  bool stopped = false; ///< the kernel says that it is stopped
  bool straggler = false; ///< may be silent for long
  /// it was lost, and is started again while the others go on: who waits for it hangs on nobody
  bool away = false;
  std::vector<StandingLane> lanes; ///< where they were when it was heard last
};

enum class CauseKind : uint8_t {
  Silent, ///< a task does not answer
  Lost, ///< what was sent has not come
  Data, ///< batches do not come
  Device, ///< a device does not end its work
  Slow, ///< an instruction takes long
  Results, ///< nobody reads what the chief prints
  Absent, ///< the lane that is waited for does not run
  Moves, ///< the lane that is waited for gets on
  Cycle, ///< each waits for the other: what was sent must have been lost, but it is not known where
};

struct WaitCause {
  CauseKind kind = CauseKind::Silent;
  std::optional<uint32_t> task; ///< number; none: it is between two tasks
  std::string name; ///< of the task, or "the connection between … and …"
  std::string text; ///< who, where in the program and for how long
  /// a line each: who waits for whom, from the one that waits longest to the cause
  std::vector<std::string> chain;
  absl::Duration waited; ///< the longest wait that leads to it
  /// The text, behind the name unless it begins with that.
  std::string sentence() const;
};

/// Of those that wait (or read) for at least so long; nothing where nobody does. `tasks`: by
/// number. Places are checked (checkPlace).
std::optional<WaitCause> findCause(const plan::Plan &plan, std::span<const WatchedTask> tasks,
                                   absl::Duration least);

/// Behind words on a task that is silent: whether it is stopped, and where it was. "; it is stopped
/// …; when it was heard last …".
std::string lastSeenText(const plan::Plan &plan, const WatchedTask &task);
inline constexpr char kStopped[] =
    "stopped (SIGSTOP, Ctrl-Z or a debugger), and goes on by SIGCONT";

} // namespace graphc::session
#endif
