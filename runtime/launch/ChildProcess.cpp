#include "runtime/launch/ChildProcess.h"

#include "runtime/common/base/StatusMacros.h"
#include "runtime/launch/StopSignals.h"

#include "absl/strings/str_cat.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

extern char **environ;

namespace graphc::launch {
namespace {

/// posix_spawn's parts, which have to be given back.
struct SpawnParts {
  SpawnParts() {
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
  }
  ~SpawnParts() {
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnParts(const SpawnParts &) = delete;
  SpawnParts &operator=(const SpawnParts &) = delete;
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
};

std::vector<char *> pointers(std::vector<std::string> &texts) {
  std::vector<char *> all;
  for (std::string &text : texts)
    all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}
} // namespace

absl::StatusOr<TaskSockets> TaskSockets::create(size_t tasks) {
  TaskSockets all;
  for (size_t task = 0; task < tasks; ++task) {
    GRAPHC_ASSIGN_OR_RETURN(base::UnnamedListener made, base::UnnamedListener::make(SOCK_STREAM));
    all.addresses_.push_back(made.inheritedAddress());
    all.sockets_.push_back(std::move(made));
  }
  return all;
}

std::vector<int> TaskSockets::paths() const {
  std::vector<int> paths;
  for (const base::UnnamedListener &socket : sockets_)
    paths.push_back(socket.path.get());
  return paths;
}

void TaskSockets::close(bool all) {
  for (base::UnnamedListener &socket : sockets_)
    socket.listener.reset();
  if (all)
    sockets_.clear();
}

absl::StatusOr<pid_t> startChild(const LaunchedTask &task, const LaunchContext &context,
                                 const std::vector<int> &paths, const ChildOptions &options) {
  GRAPHC_ASSIGN_OR_RETURN(base::UniqueFd file,
                          base::sealedMemfd("graphrun-launch", encode(context)));
  SpawnParts parts;
  if (!options.hasInput)
    posix_spawn_file_actions_addopen(&parts.files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&parts.files, options.out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&parts.files, options.err, STDERR_FILENO);
  std::vector<int> inherited = {file.get(),       context.planFd,  context.listenerFd,
                                context.reportFd, context.wordsFd, context.programFd};
  inherited.insert(inherited.end(), paths.begin(), paths.end());
  for (int descriptor : inherited)
    if (descriptor >= 0) // onto itself: it stays open, by its number
      posix_spawn_file_actions_adddup2(&parts.files, descriptor, descriptor);
  sigset_t blocked, usual;
  sigemptyset(&blocked);
  sigfillset(&usual);
  if (options.stopsWait)
    blocked = stopSignals();
  else
    posix_spawnattr_setsigdefault(&parts.attributes, &usual);
  posix_spawnattr_setsigmask(&parts.attributes, &blocked);
  posix_spawnattr_setflags(
      &parts.attributes,
      short(POSIX_SPAWN_SETSIGMASK | (options.stopsWait ? 0 : POSIX_SPAWN_SETSIGDEF)));

  std::vector<std::string> arguments = {"graphrun"};
  arguments.insert(arguments.end(), options.arguments.begin(), options.arguments.end());
  arguments.push_back("--job_name=" + task.job);
  arguments.push_back(absl::StrCat("--task_index=", task.index));
  const std::string name = absl::StrCat(kLaunchVariable, "=");
  std::vector<std::string> variables = {absl::StrCat(name, file.get())};
  for (char **variable = environ; *variable; ++variable)
    if (!std::string_view(*variable).starts_with(name))
      variables.emplace_back(*variable);
  pid_t pid = -1;
  const int error = posix_spawnp(&pid, options.program.c_str(), &parts.files, &parts.attributes,
                                 pointers(arguments).data(), pointers(variables).data());
  if (error)
    return base::errnoStatus("posix_spawn", error);
  return pid;
}

absl::StatusOr<std::pair<base::UniqueFd, base::UniqueFd>> createPipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return base::errnoStatus("cannot make a pipe", errno);
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return std::make_pair(base::UniqueFd(ends[0]), base::UniqueFd(ends[1]));
}

bool readLines(base::UniqueFd &fd, std::string &rest,
               const std::function<void(const std::string &)> &line) {
  constexpr size_t kMostBytes = 1 << 20;
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
    const size_t before = rest.size();
    rest.append(buffer, static_cast<size_t>(bytes));
    size_t begin = 0, end = rest.find('\n', before);
    for (; end != std::string::npos; end = rest.find('\n', begin)) {
      line(rest.substr(begin, end - begin));
      begin = end + 1;
    }
    rest.erase(0, begin);
    if (rest.size() > kMostBytes)
      line(std::exchange(rest, ""));
  }
  return false;
}

std::string describeSignal(int status) {
  return absl::StrCat("was killed by signal ", WTERMSIG(status), " (", strsignal(WTERMSIG(status)),
                      ")");
}

} // namespace graphc::launch
