#include "runtime/launch/StartedTasks.h"

#include "runtime/common/base/File.h"
#include "runtime/common/base/Status.h"
#include "runtime/common/base/Thread.h"
#include "runtime/common/plan/Types.h"
#include "runtime/service/LaunchContext.h"
#include "runtime/service/Secret.h"

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace graphc::session {
namespace {
constexpr int kLookMs = 50;
/// One that has ended with an error has told the chief itself why, which says more, or it never came so far.
constexpr absl::Duration kOwnWords = absl::Seconds(1);
constexpr size_t kMostLine = 1 << 20;

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

absl::StatusOr<std::unique_ptr<StartedTasks>> StartedTasks::start(const plan::LoadedPlan &plan, Options options) {
  std::unique_ptr<StartedTasks> tasks(new StartedTasks(std::move(options)));
  GRAPHC_RETURN_IF_ERROR(tasks->launch(plan));
  GRAPHC_ASSIGN_OR_RETURN(tasks->watcher_,
                          base::startThread("the started tasks'", [all = tasks.get()] { all->watch(); }));
  return tasks;
}

StartedTasks::~StartedTasks() { finish(absl::ZeroDuration()); }

absl::Status StartedTasks::launch(const plan::LoadedPlan &plan) {
  run_ = service::randomHex(8);
  secret_ = service::randomHex(32);
  GRAPHC_ASSIGN_OR_RETURN(std::string bytes, plan::encodePlan(plan.plan));
  GRAPHC_ASSIGN_OR_RETURN(base::UniqueFd file, base::sealedMemfd("plan", bytes));
  // By which they see its end before they have met anybody. A kernel without: they see it at --join_deadline.
  const base::UniqueFd program(static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0)));
  std::vector<base::UnnamedListener> sockets; // of all tasks, before the first starts: nobody waits for another's
  const std::vector<plan::Task> all = plan::allTasks(plan.plan);
  for (size_t task = 0; task < all.size(); ++task) {
    GRAPHC_ASSIGN_OR_RETURN(base::UnnamedListener made, base::UnnamedListener::make(SOCK_STREAM));
    addresses_.push_back(made.inheritedAddress());
    sockets.push_back(std::move(made));
  }
  base::MutexLock lock(mutex_);
  for (uint32_t task = 0; task < all.size(); ++task) {
    if (task == options_.own)
      continue;
    service::LaunchContext context;
    context.run = run_;
    context.secret = secret_;
    context.addresses = addresses_;
    context.planFd = file.get();
    context.listenerFd = sockets[task].listener.get();
    context.programFd = program.get();
    std::vector<int> inherited = {context.planFd, context.listenerFd};
    if (program)
      inherited.push_back(program.get());
    for (const base::UnnamedListener &socket : sockets)
      inherited.push_back(socket.path.get());
    const std::string &job = plan.plan.jobs(static_cast<int>(all[task].job())).name();
    Child &child = children_.emplace_back();
    child.ended = "was not started"; // until it was: nobody waits for it
    child.task = task;
    child.name = plan::taskText(plan.plan, all[task]);
    child.label = absl::StrCat(job, ":", all[task].index());
    GRAPHC_RETURN_IF_ERROR(base::annotate(spawn(child, service::encode(context), inherited),
                                          absl::StrCat("cannot start ", child.name, " by ", options_.graphrun)));
  }
  // This task finds its peers by the same paths; the descriptors stay, as the others' do in them.
  for (base::UnnamedListener &socket : sockets)
    paths_.push_back(std::move(socket.path));
  listener_ = std::move(sockets[options_.own].listener);
  return absl::OkStatus();
}

/// The file's descriptors keep their numbers in the process, which finds them by those.
absl::Status StartedTasks::spawn(Child &child, const std::string &context, const std::vector<int> &inherited) {
  GRAPHC_ASSIGN_OR_RETURN(base::UniqueFd file, base::sealedMemfd("graphrun-launch", context));
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return base::errnoStatus("cannot make a pipe", errno);
  child.output.reset(ends[0]);
  base::UniqueFd output(ends[1]);
  fcntl(ends[0], F_SETFL, O_NONBLOCK);

  SpawnParts parts;
  posix_spawn_file_actions_addopen(&parts.files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&parts.files, output.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&parts.files, output.get(), STDERR_FILENO);
  for (int descriptor : inherited) // onto itself: it stays open
    posix_spawn_file_actions_adddup2(&parts.files, descriptor, descriptor);
  posix_spawn_file_actions_adddup2(&parts.files, file.get(), file.get());
  sigset_t none, usual; // what the program ignores or blocks is its own affair
  sigemptyset(&none);
  sigfillset(&usual);
  posix_spawnattr_setsigmask(&parts.attributes, &none);
  posix_spawnattr_setsigdefault(&parts.attributes, &usual);
  posix_spawnattr_setflags(&parts.attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

  const size_t colon = child.label.find(':');
  std::vector<std::string> arguments = {"graphrun"};
  arguments.insert(arguments.end(), options_.arguments.begin(), options_.arguments.end());
  arguments.push_back("--job_name=" + child.label.substr(0, colon));
  arguments.push_back("--task_index=" + child.label.substr(colon + 1));
  std::vector<std::string> variables = {absl::StrCat(service::kLaunchVariable, "=", file.get())};
  for (char **variable = environ; *variable; ++variable)
    if (!std::string_view(*variable).starts_with(absl::StrCat(service::kLaunchVariable, "=")))
      variables.emplace_back(*variable);
  const int error = posix_spawnp(&child.pid, options_.graphrun.c_str(), &parts.files, &parts.attributes,
                                 pointers(arguments).data(), pointers(variables).data());
  if (error) {
    child.pid = -1;
    return base::errnoStatus("posix_spawn", error);
  }
  child.ended.clear();
  return absl::OkStatus();
}

/// What they write, until all have ended.
void StartedTasks::watch() {
  while (!over_ || !allEnded()) {
    std::vector<pollfd> polls;
    {
      base::MutexLock lock(mutex_);
      for (Child &child : children_)
        if (child.output.get() >= 0)
          polls.push_back({child.output.get(), POLLIN, 0});
    }
    poll(polls.data(), polls.size(), kLookMs);
    reap();
    tell();
  }
}

void StartedTasks::read(Child &child) {
  char buffer[16384];
  for (ssize_t bytes; child.output.get() >= 0 && (bytes = ::read(child.output.get(), buffer, sizeof buffer)) >= 0;) {
    if (bytes == 0)
      child.output.reset();
    child.rest.append(buffer, static_cast<size_t>(bytes));
  }
}

void StartedTasks::reap() {
  std::vector<std::string> lines;
  {
    base::MutexLock lock(mutex_);
    for (Child &child : children_) {
      int status = 0;
      if (child.ended.empty()) {
        const pid_t ended = waitpid(child.pid, &status, WNOHANG);
        if (ended == child.pid && WIFSIGNALED(status)) {
          child.killed = true;
          child.ended = absl::StrCat("was killed by signal ", WTERMSIG(status), " (", strsignal(WTERMSIG(status)), ")");
        } else if (ended == child.pid) {
          child.ended = absl::StrCat("ended with exit status ", WEXITSTATUS(status));
        } else if (ended < 0 && errno == ECHILD) { // the program has children's statuses dropped (SIGCHLD ignored)
          child.ended = "ended";
        }
        if (!child.ended.empty())
          child.endedAt = absl::Now();
      }
      read(child);
      size_t begin = 0, end;
      while ((end = child.rest.find('\n', begin)) != std::string::npos) {
        child.lastLine = child.rest.substr(begin, end - begin);
        lines.push_back(absl::StrCat("[", child.label, "] ", child.lastLine));
        begin = end + 1;
      }
      child.rest.erase(0, begin);
      if (child.rest.size() > kMostLine)
        child.rest.clear();
    }
  }
  if (options_.log)
    for (const std::string &line : lines)
      options_.log(line);
}

/// Who has ended, though the run has not.
void StartedTasks::tell() {
  std::vector<Child> dead; // what is to be said of them
  {
    base::MutexLock lock(mutex_);
    for (Child &child : children_) {
      if (ending_ || child.told || child.ended.empty() || (!child.killed && absl::Now() - child.endedAt < kOwnWords))
        continue;
      Child &one = dead.emplace_back();
      one.task = child.task;
      one.pid = child.pid;
      one.killed = child.killed;
      one.ended = child.ended;
      if (!child.lastLine.empty())
        absl::StrAppend(&one.ended, "; its last line: ", child.lastLine);
    }
  }
  for (const Child &child : dead)
    if (options_.died(child.task, child.pid, child.ended, child.killed))
      told(child.task);
}

void StartedTasks::told(uint32_t task) {
  base::MutexLock lock(mutex_);
  for (Child &child : children_)
    child.told |= child.task == task;
}

bool StartedTasks::allEnded() {
  base::MutexLock lock(mutex_);
  return std::all_of(children_.begin(), children_.end(), [](const Child &child) { return !child.ended.empty(); });
}

void StartedTasks::finish(absl::Duration grace) {
  ending_ = true;
  for (absl::Time until = absl::Now() + grace; watcher_.joinable() && !allEnded() && absl::Now() < until;)
    absl::SleepFor(absl::Milliseconds(5));
  {
    base::MutexLock lock(mutex_);
    for (Child &child : children_)
      if (child.ended.empty() && child.pid > 0)
        kill(child.pid, SIGKILL);
  }
  over_ = true;
  if (watcher_.joinable())
    watcher_.join();
  while (!allEnded()) { // the watcher never ran
    reap();
    absl::SleepFor(absl::Milliseconds(1));
  }
  reap(); // the last lines
}

std::string StartedTasks::deathOf(const std::string &task, absl::Duration limit) {
  for (absl::Time until = absl::Now() + limit;; absl::SleepFor(absl::Milliseconds(5))) {
    {
      base::MutexLock lock(mutex_);
      for (const Child &child : children_)
        if (child.name == task && child.killed)
          return child.ended;
    }
    if (absl::Now() >= until)
      return "";
  }
}

} // namespace graphc::session
