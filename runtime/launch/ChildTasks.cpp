#include "runtime/launch/ChildTasks.h"

#include "runtime/common/base/File.h"
#include "runtime/common/base/StartThread.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/service/RunSecret.h"

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

#include <algorithm>
#include <csignal>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace graphc::launch {
namespace {
constexpr int kLookMs = 50;
/// One that has ended with an error has told the chief itself why, which says more, or it never
/// came so far.
constexpr absl::Duration kOwnWords = absl::Seconds(1);
} // namespace

absl::StatusOr<std::unique_ptr<ChildTasks>> ChildTasks::start(const plan::LoadedPlan &plan,
                                                              Options options) {
  std::unique_ptr<ChildTasks> tasks(new ChildTasks(std::move(options)));
  GRAPHC_RETURN_IF_ERROR(tasks->launch(plan));
  GRAPHC_ASSIGN_OR_RETURN(
      tasks->watcher_,
      base::startThread("the started tasks'", [all = tasks.get()] { all->watch(); }));
  return tasks;
}

ChildTasks::~ChildTasks() { finish(absl::ZeroDuration()); }

absl::Status ChildTasks::launch(const plan::LoadedPlan &plan) {
  run_ = service::randomHex(8);
  secret_ = service::randomHex(32);
  GRAPHC_ASSIGN_OR_RETURN(std::string bytes, plan::encodePlan(plan.plan));
  GRAPHC_ASSIGN_OR_RETURN(base::UniqueFd file, base::sealedMemfd("plan", bytes));
  // By which they see its end before they have met anybody. A kernel without: they see it at
  // --join_deadline.
  const base::UniqueFd program(static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0)));
  const std::vector<plan::Task> all = plan::allTasks(plan.plan);
  GRAPHC_ASSIGN_OR_RETURN(sockets_, TaskSockets::create(all.size()));
  base::MutexLock lock(mutex_);
  for (uint32_t task = 0; task < all.size(); ++task) {
    if (task == options_.own)
      continue;
    LaunchContext context;
    context.run = run_;
    context.secret = secret_;
    context.addresses = addresses();
    context.planFd = file.get();
    context.listenerFd = sockets_.listener(task);
    context.programFd = program.get();
    Child &child = children_.emplace_back();
    child.ended = "was not started"; // until it was: nobody waits for it
    child.number = task;
    child.task.name = plan::taskText(plan.plan, all[task]);
    child.task.job = plan.plan.jobs(static_cast<int>(all[task].job())).name();
    child.task.index = all[task].index();
    child.task.label = absl::StrCat(child.task.job, ":", child.task.index);
    GRAPHC_RETURN_IF_ERROR(
        base::annotate(start(child, context),
                       absl::StrCat("cannot start ", child.task.name, " by ", options_.graphrun)));
  }
  // This task finds its peers by the same paths, and keeps them as the others do.
  listener_ = sockets_.takeListener(options_.own);
  sockets_.close(/*all=*/false);
  return absl::OkStatus();
}

absl::Status ChildTasks::start(Child &child, const LaunchContext &context) {
  GRAPHC_ASSIGN_OR_RETURN(auto output, createPipe());
  ChildOptions process{.program = options_.graphrun, .arguments = options_.arguments};
  process.out = process.err = output.second.get();
  // what the program ignores or blocks is its own affair
  process.hasInput = process.stopsWait = false;
  GRAPHC_ASSIGN_OR_RETURN(child.pid, startChild(child.task, context, sockets_.paths(), process));
  child.output = std::move(output.first);
  child.ended.clear();
  return absl::OkStatus();
}

/// What they write, until all have ended.
void ChildTasks::watch() {
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

void ChildTasks::reap() {
  std::vector<std::string> lines;
  {
    base::MutexLock lock(mutex_);
    for (Child &child : children_) {
      int status = 0;
      if (child.ended.empty()) {
        const pid_t ended = waitpid(child.pid, &status, WNOHANG);
        if (ended == child.pid && WIFSIGNALED(status)) {
          child.killed = true;
          child.ended = describeSignal(status);
        } else if (ended == child.pid) {
          child.ended = absl::StrCat("ended with exit status ", WEXITSTATUS(status));
        } else if (ended < 0 && errno == ECHILD) {
          // the program has children's statuses dropped (SIGCHLD ignored)
          child.ended = "ended";
        }
        if (!child.ended.empty())
          child.endedAt = absl::Now();
      }
      readLines(child.output, child.rest, [&](const std::string &line) {
        child.lastLine = line;
        lines.push_back(absl::StrCat("[", child.task.label, "] ", line));
      });
    }
  }
  if (options_.log)
    for (const std::string &line : lines)
      options_.log(line);
}

/// Who has ended, though the run has not.
void ChildTasks::tell() {
  std::vector<Child> dead; // what is to be said of them
  {
    base::MutexLock lock(mutex_);
    for (Child &child : children_) {
      if (ending_ || child.told || child.ended.empty() ||
          (!child.killed && absl::Now() - child.endedAt < kOwnWords))
        continue;
      Child &one = dead.emplace_back();
      one.number = child.number;
      one.pid = child.pid;
      one.killed = child.killed;
      one.ended = child.ended;
      if (!child.lastLine.empty())
        absl::StrAppend(&one.ended, "; its last line: ", child.lastLine);
    }
  }
  for (const Child &child : dead)
    if (options_.died(child.number, child.pid, child.ended, child.killed))
      told(child.number);
}

void ChildTasks::told(uint32_t task) {
  base::MutexLock lock(mutex_);
  for (Child &child : children_)
    child.told |= child.number == task;
}

bool ChildTasks::allEnded() {
  base::MutexLock lock(mutex_);
  return std::all_of(children_.begin(), children_.end(),
                     [](const Child &child) { return !child.ended.empty(); });
}

void ChildTasks::finish(absl::Duration grace) {
  ending_ = true;
  for (absl::Time until = absl::Now() + grace;
       watcher_.joinable() && !allEnded() && absl::Now() < until;)
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

std::string ChildTasks::deathOf(const std::string &task, absl::Duration limit) {
  for (absl::Time until = absl::Now() + limit;; absl::SleepFor(absl::Milliseconds(5))) {
    {
      base::MutexLock lock(mutex_);
      for (const Child &child : children_)
        if (child.task.name == task && child.killed)
          return child.ended;
    }
    if (absl::Now() >= until)
      return "";
  }
}

} // namespace graphc::launch
