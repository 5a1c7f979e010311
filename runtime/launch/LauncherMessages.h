//===- LauncherMessages.h - what a launcher that starts tasks again says to those that live ---===//
//
// A launcher counts sessions. One ends when a task is lost. Who lives leaves it and says so; who
// does not is ended. When nobody is in the session any more the next one begins: the launcher
// starts the tasks that have ended, and tells the others its number and name. A process is of one
// session at a time, and everything that it shows the others has that session's mark: the number in
// its hello, the name in its data streams and requests for shared memory. Words are one JSON object
// a line on a socket that the launcher alone has the other end of.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_LAUNCH_LAUNCHERMESSAGES_H
#define GRAPHC_RUNTIME_LAUNCH_LAUNCHERMESSAGES_H

#include "runtime/common/base/File.h"

#include "absl/time/time.h"

#include <cstdint>
#include <optional>
#include <string>

namespace graphc::launch {

/// The session of that number is over.
struct SessionLost {
  uint64_t session = 0;
  std::string task, why; ///< "/job:worker/task:1", "it was killed by signal 9 (Killed)"
};
/// Another one begins.
struct NextSession {
  uint64_t session = 0;
  std::string run; ///< its name
};
std::string encode(const SessionLost &word);
std::string encode(const NextSession &word);

/// A task's end.
class LauncherMessages {
public:
  explicit LauncherMessages(base::UniqueFd socket) : socket_(std::move(socket)) {}
  /// For who is of `session`: whether that is over. Never waits. What is said of an earlier one
  /// counts for nothing.
  std::optional<SessionLost> lost(uint64_t session);
  /// For who has left `session`: the next one. None: the launcher starts nobody again, or is gone,
  /// or says nothing until `deadline`.
  std::optional<NextSession> next(uint64_t session, absl::Time deadline);
  /// For an evaluator, to whom no word is said: whether the launcher has let go of it, since no
  /// task of its runs or will run. Never waits.
  bool isOver();

private:
  /// A line that has come; none: not yet, or never, where `over_`.
  std::optional<std::string> line();
  base::UniqueFd socket_;
  std::string rest_;
  bool over_ = false;
};

} // namespace graphc::launch
#endif
