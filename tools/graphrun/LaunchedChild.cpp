#include "tools/graphrun/LaunchedChild.h"

#include "runtime/observe/ProcessInfo.h"

#include "absl/strings/str_cat.h"

#include <cerrno>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace graphc::graphrun {

std::string describe(const LaunchedChild &child) {
  std::string text = absl::StrCat(child.task->name, " (process ", child.pid, " on ", observe::hostName(), ") ");
  if (child.killedByUs && !child.error)
    return absl::StrCat(text, "did not end by itself and was killed");
  if (child.status && WIFSIGNALED(*child.status) && !child.killedByUs) {
    int signal = WTERMSIG(*child.status);
    absl::StrAppend(&text, "was killed by signal ", signal, " (", strsignal(signal), ")");
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

bool readLines(base::UniqueFd &fd, std::string &rest, const std::function<void(const std::string &)> &line) {
  char buffer[16384];
  while (fd.get() >= 0) {
    ssize_t bytes = read(fd.get(), buffer, sizeof buffer);
    if (bytes < 0)
      return errno == EAGAIN || errno == EINTR;
    if (bytes == 0) {
      if (!rest.empty())
        line(std::exchange(rest, ""));
      fd.reset();
      return false;
    }
    rest.append(buffer, static_cast<size_t>(bytes));
    size_t begin = 0, end;
    while ((end = rest.find('\n', begin)) != std::string::npos) {
      line(rest.substr(begin, end - begin));
      begin = end + 1;
    }
    rest.erase(0, begin);
  }
  return false;
}

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
    return child.killedByUs ? 4 : 5;
  };
  const LaunchedChild *best = nullptr;
  for (const LaunchedChild &child : children)
    if (rank(child) < 5 &&
        (!best || std::make_pair(rank(child), child.endedAs) < std::make_pair(rank(*best), best->endedAs)))
      best = &child;
  return best;
}

} // namespace graphc::graphrun
