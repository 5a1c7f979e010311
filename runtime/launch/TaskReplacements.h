//===- TaskReplacements.h - tasks that are started again while the others go on -----*- C++ -*-===//
//
// The chief alone knows whether the others can go on without a task that has died
// (session/recovery/ChiefRejoin.h). So a death is no failure of the run before its word has come,
// which says which process it means; both come in either order.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_LAUNCH_TASKREPLACEMENTS_H
#define GRAPHC_RUNTIME_LAUNCH_TASKREPLACEMENTS_H

#include "runtime/launch/LaunchedChild.h"
#include "runtime/session/recovery/RestartPolicy.h"

#include "absl/time/clock.h"
#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <string>
#include <vector>

namespace graphc::launch {

class TaskReplacements {
public:
  /// `say`: a line for the user. `restarts` outlives it.
  TaskReplacements(session::RestartPolicy &restarts, std::function<void(const std::string &)> say)
      : restarts_(restarts), say_(std::move(say)) {}

  void beginSession() { judges_ = false; }
  /// A line of the chief's (RejoinReports.h). False: it is about something else. Children are
  /// tasks, by number.
  bool hears(const nlohmann::json &line, std::vector<LaunchedChild> &children);
  /// It was killed by a signal, not by us, and the chief lives. `how`, in a sentence.
  void died(LaunchedChild &child, const std::string &how,
            const std::vector<LaunchedChild> &children);
  /// A stop that was asked for twice: nobody is started any more.
  void stop() { stopped_ = true; }

  /// Its death is no failure of the run so far.
  static bool isHeld(const LaunchedChild &child) {
    return child.again || absl::Now() < child.heldUntil;
  }
  /// Its process is to be ended before: the chief says that it was lost, and it is there.
  static bool isToBeKilled(const LaunchedChild &child) {
    return (child.again || child.givenUp) && !child.status && !child.killedByUs;
  }
  /// Another process of it is to be started now.
  static bool isDue(const LaunchedChild &child) {
    return child.again && child.status && absl::Now() >= child.startAt;
  }
  /// When to look again.
  static absl::Time next(const std::vector<LaunchedChild> &children);

private:
  /// It died a moment after another one that is not back yet, by what may be one cause: both are
  /// one restart.
  bool isOne(const LaunchedChild &lost, const std::vector<LaunchedChild> &children) const;
  void again(LaunchedChild &lost, const std::string &why, bool isOne,
             absl::Duration least = absl::ZeroDuration());

  session::RestartPolicy &restarts_;
  const std::function<void(const std::string &)> say_;
  bool judges_ = false; ///< the chief says of whom the others go on without
  bool stopped_ = false;
};

} // namespace graphc::launch
#endif
