#include "runtime/launch/LaunchedChild.h"

#include "runtime/common/base/Status.h"
#include "runtime/observe/ProcessInfo.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace graphc::graphrun {

namespace {
std::string nameOf(const LaunchedChild &child) {
  return absl::StrCat(child.task->name, " (process ", child.pid, " on ", observe::hostName(), ") ");
}
} // namespace

void becomeTask(const LaunchedTask &task, const std::vector<std::string> &ofAll, int out, int err,
                const std::vector<int> &inherited) {
  pid_t parent = getppid();
  prctl(PR_SET_PDEATHSIG, SIGKILL); // the launcher's death by kill -9 included
  if (getppid() != parent)
    _exit(1); // it died in between
  blockStopsAlone();
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  for (int fd : inherited)
    fcntl(fd, F_SETFD, 0);
  setenv(kLaunchVariable, absl::StrCat(inherited.front()).c_str(), 1);
  std::vector<std::string> arguments = {"graphrun"};
  arguments.insert(arguments.end(), ofAll.begin(), ofAll.end());
  arguments.push_back("--job_name=" + task.job);
  arguments.push_back(absl::StrCat("--task_index=", task.index));
  std::vector<char *> pointers;
  for (std::string &argument : arguments)
    pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  execv("/proc/self/exe", pointers.data());
  std::fprintf(stderr, "cannot execute graphrun: %s\n", std::strerror(errno));
  _exit(1);
}

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

bool mayPass(const std::vector<LaunchedChild> &children, const LaunchedChild &cause) {
  if (cause.status && WIFSIGNALED(*cause.status) && !cause.killedByUs)
    return true;
  // What a task says of another comes from the chief, who alone knows why that has gone.
  bool hearsay = !cause.error || cause.error->secondary;
  return std::any_of(children.begin(), children.end(), [&](const LaunchedChild &child) {
    return child.error && child.error->lost && (hearsay || &child == &cause);
  });
}

absl::StatusOr<std::pair<base::UniqueFd, base::UniqueFd>> makePipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return base::errnoStatus("cannot make a pipe", errno);
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return std::make_pair(base::UniqueFd(ends[0]), base::UniqueFd(ends[1]));
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

// A death by a signal that we did not send says most, then a task's own words, then a bare exit status; what a task noticed of
// another comes last. Within a class the first that ended.
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
    if (rank(child) < 5 &&
        (!best || std::make_pair(rank(child), child.endedAs) < std::make_pair(rank(*best), best->endedAs)))
      best = &child;
  return best;
}

} // namespace graphc::graphrun
