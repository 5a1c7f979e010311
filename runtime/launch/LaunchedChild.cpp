#include "runtime/launch/LaunchedChild.h"

#include "runtime/observe/ProcessInfo.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <sys/wait.h>
#include <utility>

namespace graphc::launch {

namespace {
std::string nameOf(const LaunchedChild &child) {
  return absl::StrCat(child.task->name, " (process ", child.pid, " on ", observe::hostName(), ") ");
}

/// " by the kernel because memory ran out …"
std::string describeOom(const LaunchedChild &child) {
  if (child.oomFile.empty())
    return "";
  return absl::StrCat(
      " by the kernel because memory ran out (oom_kill in ", child.oomFile, " has increased)",
      child.task->memory.empty()
          ? ""
          : absl::StrCat("; its part of the plan needs ", child.task->memory,
                         ", not counting the data set and the program itself"),
      "; raise the memory limit, use a smaller batch, or run fewer tasks on this machine");
}
} // namespace

std::string describeStopped(const LaunchedChild &child) {
  return child.pid > 0 && !child.status && observe::isStopped(child.pid)
             ? absl::StrCat(nameOf(child), "is stopped (SIGSTOP, Ctrl-Z or a debugger)")
             : "";
}

std::string describe(const LaunchedChild &child) {
  std::string text = nameOf(child);
  if (child.killedByUs && !child.error)
    return absl::StrCat(text, "did not end by itself and was killed");
  if (child.status && WIFSIGNALED(*child.status) && !child.killedByUs) {
    absl::StrAppend(&text, describeSignal(*child.status), describeOom(child));
    if (child.error)
      absl::StrAppend(&text, "; last error: ", child.error->message);
    else if (!child.lastLine.empty())
      absl::StrAppend(&text, "; its last line: ", child.lastLine);
    return text;
  }
  if (child.error && child.error->secondary) // whose words name another one
    return child.error->message;
  if (child.status && WIFEXITED(*child.status))
    absl::StrAppend(&text, "failed with exit status ", WEXITSTATUS(*child.status));
  else
    absl::StrAppend(&text, "failed");
  if (child.error)
    absl::StrAppend(&text, ": ", child.error->message);
  else if (!child.lastLine.empty())
    absl::StrAppend(&text, "; its last line: ", child.lastLine);
  return text;
}

bool mayPass(const std::vector<LaunchedChild> &children, const LaunchedChild &cause) {
  if (cause.status && WIFSIGNALED(*cause.status) && !cause.killedByUs)
    return true;
  // What a task says of another comes from the chief, who alone knows why that has gone.
  bool hearsay = !cause.error || cause.error->secondary;
  return std::any_of(children.begin(), children.end(), [&](const LaunchedChild &child) {
    return child.error && child.error->lost && (hearsay || &child == &cause);
  });
}

// A death by a signal that we did not send says most, then a task's own words, then a bare exit
// status; what a task noticed of another comes last. Within a class the first that ended.
const LaunchedChild *rootCause(const std::vector<LaunchedChild> &children) {
  auto rank = [](const LaunchedChild &child) {
    if (child.status && WIFSIGNALED(*child.status) && !child.killedByUs)
      return 0;
    if (child.error && !child.error->secondary)
      return 1;
    if (!child.error && !child.killedByUs && child.status && WIFEXITED(*child.status) &&
        WEXITSTATUS(*child.status) != 0)
      return 2;
    if (child.error)
      return 3;
    return child.killedByUs && !child.isSpare ? 4 : 5;
  };
  const LaunchedChild *best = nullptr;
  for (const LaunchedChild &child : children)
    if (rank(child) < 5 && (!best || std::make_pair(rank(child), child.endedAs) <
                                         std::make_pair(rank(*best), best->endedAs)))
      best = &child;
  return best;
}

} // namespace graphc::launch
