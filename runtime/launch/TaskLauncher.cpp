#include "runtime/launch/TaskLauncher.h"

#include "runtime/launch/LauncherMessages.h"
#include "runtime/launch/StopSignals.h"

#include "runtime/checkpoint/DumpFolder.h"
#include "runtime/common/base/ProcessLog.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/observe/ProcessInfo.h"
#include "runtime/service/RunSecret.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include <nlohmann/json.hpp>

#include <algorithm>
#include <csignal>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace graphc::launch {
namespace {
/// After the first failure the others have this long to say why they end, then they are killed.
constexpr absl::Duration kGrace = absl::Milliseconds(1500);
/// A word to a task is some bytes, and it waits for them.
constexpr absl::Duration kWord = absl::Seconds(1);
/// After the chief's good end the others have this long.
constexpr absl::Duration kEndGrace = absl::Seconds(5);
} // namespace

TaskLauncher::TaskLauncher(LaunchOptions options)
    : options_(std::move(options)), progress_(stderr),
      restarts_(options_.maxRestarts, options_.fromMemory), sessions_(options_.tasks.size()),
      oomKills_(findOomFile(base::readFile("/proc/self/cgroup", 1 << 16).value_or(""))) {
  progress_.waitFor([this] { return stopSignals_ > 0 || stopIsPending(); }, /*says=*/true);
}

TaskLauncher::~TaskLauncher() {
  for (Child *child : all())
    if (child->pid > 0 && !child->status) {
      kill(child->pid, SIGKILL);
      waitpid(child->pid, nullptr, 0);
    }
}

std::vector<TaskLauncher::Child *> TaskLauncher::all() {
  std::vector<Child *> all;
  for (Child &child : children_)
    all.push_back(&child);
  if (evaluator_)
    all.push_back(&*evaluator_);
  return all;
}

absl::Status TaskLauncher::start(Child &child, const LaunchContext &common,
                                 const std::vector<int> &paths) {
  GRAPHC_ASSIGN_OR_RETURN(auto out, createPipe());
  GRAPHC_ASSIGN_OR_RETURN(auto err, createPipe());
  GRAPHC_ASSIGN_OR_RETURN(auto report, createPipe());
  int words[2] = {-1, -1};
  // An evaluator hears no word there, but when this process lets go of it.
  const bool listens = restarts_.most() > 0 || child.task == &evaluatorTask_;
  if (listens && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, words) != 0)
    return base::errnoStatus("cannot make a socket", errno);
  base::UniqueFd ourWords(words[0]), theirWords(words[1]);
  LaunchContext context = common;
  context.reportFd = report.second.get();
  context.wordsFd = theirWords.get();
  context.launcherPid = getpid();
  context.firstGpu = child.task->firstGpu;
  if (child.task == &options_.tasks[options_.chief])
    context.wrong = options_.wrong;
  ChildOptions process{.program = "/proc/self/exe", .arguments = options_.arguments};
  process.out = out.second.get();
  process.err = err.second.get();
  GRAPHC_ASSIGN_OR_RETURN(child.pid, startChild(*child.task, context, paths, process));
  child.out = std::move(out.first);
  child.err = std::move(err.first);
  child.report = std::move(report.first);
  child.words = std::move(ourWords);
  return absl::OkStatus();
}

int TaskLauncher::run() {
  base::LogOptions log;
  log.file = options_.logFile;
  log.task = "launcher";
  if (absl::Status status = base::initializeLog(log); !status.ok()) {
    say(base::describe(status));
    return 2;
  }
  // where a parent ignored it the kernel took the tasks' statuses, and we waited for ever
  signal(SIGCHLD, SIG_DFL);
  sigset_t set = stopSignals();
  sigaddset(&set, SIGCHLD);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  if (options_.evaluator) {
    evaluatorLife_.begin(absl::Now());
    session::forgetFinished(options_.checkpointDirectory);
  }
  signals_ = base::UniqueFd(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  while (true) {
    if (absl::Status status = begin(); !status.ok()) {
      say(base::describe(status));
      return 1;
    }
    watch();
    const std::optional<absl::Duration> pause = restartAfter();
    if (!pause) {
      dismiss();
      return finish();
    }
    if (!sleeps(*pause) && !(options_.fromMemory && sessions_.anyWaits() && stopSignals_ == 1)) {
      dismiss();
      endEvaluator();
      say(absl::StrCat(
          "stopped before the restart, as asked; start again with --checkpoint_dir ",
          options_.checkpointDirectory, " to go on",
          options_.fromMemory
              ? "; steps behind its last checkpoint, which tasks had in memory, are lost"
              : ""));
      return 1;
    }
  }
}

/// Starts who has ended, and has who waits go on. The session's number and name are new ones: what
/// is left of an earlier one has no way in.
absl::Status TaskLauncher::begin() {
  reap();
  killStopped();
  ended_ = 0;
  killAt_ = absl::InfiniteFuture();
  const std::vector<size_t> started = sessions_.begin();
  if (sessions_.number() == 1) {
    children_.resize(options_.tasks.size());
    context_.planFd = options_.planFd;
    context_.secret = service::randomHex(32);
    if (options_.tasks.size() > 1) {
      GRAPHC_ASSIGN_OR_RETURN(sockets_, TaskSockets::create(options_.tasks.size()));
      context_.addresses = sockets_.addresses();
    }
  }
  context_.run = service::randomHex(8);
  replacements_.beginSession();
  context_.session = restarts_.most() > 0 ? sessions_.number() : 0;
  // first, so that the others find its server at their first attempt
  std::vector<size_t> order = {options_.chief};
  for (size_t i = 0; i < children_.size(); ++i)
    if (i != options_.chief)
      order.push_back(i);
  for (size_t i : order) {
    Child &child = children_[i];
    if (std::find(started.begin(), started.end(), i) == started.end()) {
      child.told = child.killedByUs = child.joins = child.again = false;
      child.joinBy = absl::Now() + options_.joinLimit;
      child.error.reset();
      child.lastLine.clear();
      tell(child, encode(NextSession{sessions_.number(), context_.run}));
      continue;
    }
    if (absl::Status status = startAnew(i); !status.ok())
      return base::annotate(status, absl::StrCat("cannot start ", options_.tasks[i].name));
  }
  if (restarts_.most() == 0)
    // each listens at its own alone: whoever calls one that is dead is told so
    sockets_.close(/*all=*/true);
  return absl::OkStatus();
}

/// Where it has died meanwhile, that is seen soon.
void TaskLauncher::tell(Child &child, const std::string &word) {
  (void)base::sendAll(child.words.get(), word, absl::Now() + kWord);
}

/// Who waits and is stopped would not hear that the next session begins, and nobody would hear that
/// it does not. Who has died is said.
void TaskLauncher::killStopped() {
  for (Child &child : children_)
    if (child.status && !isNamed_[child.number]) {
      say(absl::StrCat(describe(child), " while it waited, and is started again"));
    } else if (std::string line = sessions_.waits(child.number) ? describeStopped(child) : "";
               !line.empty()) {
      say(absl::StrCat(line, " while it waits, is killed, and started again"));
      signalOne(child, SIGKILL, true);
      while (!child.status)
        take(absl::Milliseconds(10));
    }
}

/// Whoever is still in a session that has lost a task leaves it. A process that is stopped cannot.
void TaskLauncher::tellLoss() {
  const Child *cause = rootCause(children_);
  if (!cause || restarts_.most() == 0 || stopSignals_ > 0 || !mayPass(children_, *cause))
    return;
  for (Child &child : children_) {
    if (!sessions_.isIn(child.number) || child.told || child.error)
      continue;
    child.told = true;
    if (observe::isStopped(child.pid)) {
      child.killedByUs = true;
      kill(child.pid, SIGKILL);
    } else {
      tell(child, encode(SessionLost{sessions_.number(), cause->task->name, describe(*cause)}));
    }
  }
}

/// The chief's session goes on: whoever it has lost is ended, and its next process joins the
/// others.
void TaskLauncher::replaceLost() {
  for (Child &child : children_) {
    if (TaskReplacements::isToBeKilled(child))
      signalOne(child, SIGKILL, child.again);
    if (!TaskReplacements::isDue(child) || failed())
      continue;
    pump(child);
    if (absl::Status status = startAnew(child.number); !status.ok()) {
      say(base::describe(base::annotate(status, absl::StrCat("cannot start ", child.task->name))));
      // no process to wait for
      child.error = ErrorReport{child.task->name, base::describe(status), false, false};
      continue;
    }
    child.joins = true;
    sessions_.again(child.number);
  }
}

absl::Status TaskLauncher::startAnew(size_t number) {
  Child &child = children_[number] = Child();
  child.number = number;
  child.task = &options_.tasks[number];
  context_.restarts = restarts_.made();
  context_.listenerFd = sockets_.listener(number);
  child.joinBy = absl::Now() + options_.joinLimit;
  return start(child, context_, sockets_.paths());
}

void TaskLauncher::dismiss() {
  dismissed_ = true;
  for (Child &child : children_)
    child.words.reset();
  killAt_ = absl::Now() + kGrace;
  watch();
}

/// Waits until something has come, or for so long, and takes what came.
void TaskLauncher::take(absl::Duration wait) {
  std::vector<pollfd> polls = {{signals_.get(), POLLIN, 0}};
  for (Child *child : all())
    for (base::UniqueFd *fd : {&child->out, &child->err, &child->report})
      if (fd->get() >= 0)
        polls.push_back({fd->get(), POLLIN, 0});
  poll(polls.data(), polls.size(), static_cast<int>(absl::ToInt64Milliseconds(wait)));
  for (Child *child : all())
    pump(*child);
  onSignals();
  reap();
  oomKills_.forgetUnclaimed(absl::Now());
  watchEvaluator();
}

/// Its death, and what it fails by, are nobody else's: the tasks go on.
void TaskLauncher::watchEvaluator() {
  if (evaluator_ && evaluator_->status) {
    pump(*evaluator_);
    if (std::string line = evaluatorLife_.ended(*evaluator_, stopSignals_ > 0, absl::Now());
        !line.empty())
      say(line);
    evaluator_.reset();
  }
  if (stopSignals_ > 0)
    evaluatorLife_.giveUp();
  if (!evaluatorLife_.mustStart(absl::Now()))
    return;
  evaluator_.emplace().task = &evaluatorTask_;
  LaunchContext context;
  context.planFd = options_.planFd;
  if (absl::Status status = start(*evaluator_, context, {}); !status.ok()) {
    say(base::describe(base::annotate(status, absl::StrCat("cannot start ", evaluatorTask_.name))));
    evaluatorLife_.failed();
    evaluator_.reset();
  }
}

/// No task runs any more. Behind a good end it still has the last checkpoint before it, and ends by
/// itself; one that is stopped cannot, and the one that is started in its place does.
void TaskLauncher::endEvaluator() {
  absl::Time until = absl::InfiniteFuture();
  evaluatorLife_.trainingEnded();
  while (evaluator_ || evaluatorLife_.isToCome()) {
    if (until == absl::InfiniteFuture() && (rootCause(children_) || stopSignals_ > 0)) {
      until = absl::Now() + kEndGrace;
      evaluatorLife_.giveUp();
      if (evaluator_ && stopSignals_ == 0) // else it has the signal
        kill(evaluator_->pid, SIGTERM);
    }
    if (evaluator_)
      evaluator_->killedByUs |= until != absl::InfiniteFuture();
    if (evaluator_ && (absl::Now() >= until || stopSignals_ > 1))
      kill(evaluator_->pid, SIGKILL);
    if (evaluator_ && until == absl::InfiniteFuture()) {
      evaluator_->words.reset();
      if (std::string line = evaluatorLife_.mustBeKilled(*evaluator_, absl::Now()); !line.empty()) {
        say(line);
        kill(evaluator_->pid, SIGKILL);
      }
    }
    take(EvaluatorLifecycle::kLookEvery);
  }
}

void TaskLauncher::watch() {
  while (std::any_of(children_.begin(), children_.end(),
                     [this](const Child &child) { return isAwaited(child); })) {
    take(std::clamp(std::min(killAt_, TaskReplacements::next(children_)) - absl::Now(),
                    absl::ZeroDuration(), absl::Seconds(1)));
    replaceLost();
    killSilent();
    bool ending = failed() || children_[options_.chief].status;
    if (ending && killAt_ == absl::InfiniteFuture())
      killAt_ = absl::Now() + (failed() ? kGrace : kEndGrace);
    if (failed()) {
      killAt_ = std::min(killAt_, absl::Now() + kGrace);
      tellLoss();
    }
    if (absl::Now() >= killAt_)
      for (Child &child : children_)
        if (isAwaited(child)) {
          const std::optional<int> chief = children_[options_.chief].status;
          child.isSpare = !failed() && stopSignals_ == 0 && chief && WIFEXITED(*chief) &&
                          WEXITSTATUS(*chief) == 0;
          if (child.isSpare && !child.killedByUs)
            say(absl::StrCat(child.task->name, " (process ", child.pid, ") has not ended ",
                             absl::FormatDuration(kEndGrace),
                             " behind the run's good end, and is killed"));
          signalOne(child, SIGKILL, true);
        }
  }
  for (Child &child : children_) // what was still in the pipes
    pump(child);
}

std::optional<absl::Duration> TaskLauncher::restartAfter() {
  const Child *cause = rootCause(children_);
  if (!cause || restarts_.most() == 0 || stopSignals_ > 0 || !mayPass(children_, *cause))
    return std::nullopt;
  if (std::any_of(children_.begin(), children_.end(),
                  [](const Child &child) { return child.again || child.joins; }))
    restarts_.takeBack(); // the start by which it was to join the others
  const std::optional<absl::Duration> pause =
      restarts_.next(session::clearCheckpoints(options_.checkpointDirectory));
  if (!pause)
    return std::nullopt;
  progress_.finish();
  std::vector<std::string> again;
  isNamed_.resize(children_.size());
  for (const Child &child : children_)
    if ((isNamed_[child.number] = child.status.has_value()))
      again.push_back(child.task->name);
  const bool all = again.size() > 1 && again.size() == children_.size();
  const std::string who = again.empty() ? "no process, all go on,"
                          : all         ? "all tasks"
                                        : absl::StrJoin(again, ", ");
  say(absl::StrCat(describe(*cause), "; ", restarts_.describe(who)));
  return pause;
}

bool TaskLauncher::sleeps(absl::Duration pause) {
  for (absl::Time until = absl::Now() + pause; absl::Now() < until && stopSignals_ == 0;)
    take(std::clamp(until - absl::Now(), absl::Milliseconds(1), absl::Seconds(1)));
  return stopSignals_ == 0;
}

void TaskLauncher::pump(Child &child) {
  readLines(child.out, child.outRest,
            [&](const std::string &line) { progress_.print(stdout, line); });
  readLines(child.err, child.errRest, [&](const std::string &line) {
    if (!line.empty())
      child.lastLine = line;
    progress_.print(stderr, absl::StrCat("[", child.task->label, "] ", line));
  });
  readLines(child.report, child.reportRest,
            [&](const std::string &line) { onReport(child, line); });
}

void TaskLauncher::onReport(Child &child, const std::string &line) {
  nlohmann::json json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object())
    return;
  if (json.contains("progress")) {
    if (auto snapshot = observe::progressFromJson(json["progress"].dump()); snapshot.ok()) {
      trained_ |= snapshot->step > 0;
      progress_.show(*snapshot);
    }
  } else if (children_.size() == options_.tasks.size() && replacements_.hears(json, children_)) {
  } else if (json.contains("joined")) {
    if (json["joined"] == context_.session)
      child.joinBy = absl::InfiniteFuture();
  } else if (json.contains("left") && json["left"].is_number_unsigned()) {
    sessions_.left(child.number, json["left"]);
  } else if (json.contains("error") && json["error"].is_object() && !child.error) {
    const nlohmann::json &error = json["error"];
    child.error = ErrorReport{error.value("task", ""), error.value("message", ""),
                              error.value("secondary", false), error.value("lost", false)};
  }
}

void TaskLauncher::reap() {
  for (Child *child : all()) {
    int status;
    if (child->pid > 0 && !child->status && waitpid(child->pid, &status, WNOHANG) == child->pid) {
      pump(*child);
      child->status = status;
      if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && !child->killedByUs &&
          oomKills_.take())
        child->oomFile = oomKills_.file();
      if (child->task != &evaluatorTask_)
        sessions_.ended(child->number);
      child->endedAs = ++ended_;
      if (WIFSIGNALED(status) && !child->killedByUs && !child->error &&
          child->task != &evaluatorTask_ && child->number != options_.chief)
        replacements_.died(*child, describe(*child), children_);
    }
  }
}

void TaskLauncher::onSignals() {
  signalfd_siginfo info;
  while (read(signals_.get(), &info, sizeof info) == sizeof info) {
    // A terminal that closes is no second request: the kernel and the shell may both tell of it.
    if (info.ssi_signo == SIGCHLD || (info.ssi_signo == SIGHUP && stopSignals_ > 0))
      continue;
    // The first asks for a stop at a step boundary (with a checkpoint where there is a directory),
    // the second ends now.
    if (++stopSignals_ == 1) {
      if (!options_.check && std::any_of(children_.begin(), children_.end(),
                                         [](auto &child) { return !child.status; }))
        say("stopping at the next step; once more to stop at once");
      // A later session of recovery from memory first saves what its tasks hold, and a replacement
      // joins tasks that go on: a process that starts then has its whole time.
      const bool savesFirst = options_.fromMemory && sessions_.number() > 1;
      for (Child &child : children_) {
        if (child.joinBy != absl::InfiniteFuture() && !savesFirst && !child.joins)
          child.joinBy = std::min(child.joinBy, absl::Now() + kEndGrace);
        signalOne(child, SIGTERM, options_.check);
      }
      if (evaluator_ && !evaluator_->status)
        kill(evaluator_->pid, SIGTERM);
    } else {
      replacements_.stop();
      killAt_ = absl::Now();
    }
  }
}

/// A task that hangs before it reaches the chief, as a library may where the system refuses it a
/// thread, hears no order and sees no deadline.
void TaskLauncher::killSilent() {
  for (Child &child : children_) {
    if (child.joinBy > absl::Now() || !isAwaited(child) || child.error)
      continue;
    const std::string what =
        stopSignals_ > 0
            ? absl::StrCat("stopped as asked; ", child.task->name,
                           " had not joined the run, did not end within ",
                           absl::FormatDuration(kEndGrace), ", and was killed")
            : absl::StrCat(
                  "it did not join the run within ", absl::FormatDuration(options_.joinLimit),
                  " of its start, and was killed; check the machine's limits on memory and processes (ulimit -v, -u), or raise --join_deadline",
                  child.lastLine.empty() ? "" : "; its last line: ", child.lastLine);
    child.error = ErrorReport{child.task->name, what, false, false};
    signalOne(child, SIGKILL, true);
  }
}

void TaskLauncher::signalOne(Child &child, int signal, bool byUs) {
  if (child.pid <= 0 || child.status)
    return;
  child.killedByUs |= byUs;
  kill(child.pid, signal);
}

bool TaskLauncher::failed() const {
  return std::any_of(children_.begin(), children_.end(), [this](const Child &child) {
    if (child.error || !child.status || child.isSpare)
      return child.error.has_value();
    if (TaskReplacements::isHeld(child))
      return false;
    return !WIFEXITED(*child.status) || WEXITSTATUS(*child.status) > (options_.check ? 1 : 0);
  });
}

void TaskLauncher::say(const std::string &line) {
  progress_.print(stderr, absl::StrCat("graphrun: ", line));
  base::logger().debug("{}", line); // into --log_file only
}

int TaskLauncher::finish() {
  progress_.finish();
  if (!options_.dumpDirectory.empty())
    checkpoint::clearDumps(options_.dumpDirectory);
  endEvaluator();
  const Child *cause = rootCause(children_);
  if (!cause) {
    if (progress_.flush(stdout))
      return evaluatorLife_.hasFailed() ? 1 : 0;
    say("some results could not be written to standard output");
    return 1;
  }
  if (options_.check && stopSignals_ > 0) {
    say("the check was stopped, as asked");
    return 1;
  }
  if (options_.check && cause->status && WIFEXITED(*cause->status) &&
      WEXITSTATUS(*cause->status) == 1)
    return 1;
  if (stopSignals_ > 1 && cause->killedByUs) {
    session::clearCheckpoints(options_.checkpointDirectory);
    say("stopped at once, as asked; nothing was saved since the last checkpoint");
    return 1;
  }
  // A stop that was asked for is no failure of the task that reports it.
  bool asked = cause->error && absl::StartsWith(cause->error->message, "stopped ");
  say(asked ? cause->error->message : describe(*cause));
  const bool passes = mayPass(children_, *cause);
  if (restarts_.most() > 0 && stopSignals_ == 0 && passes)
    say(absl::StrCat("all restarts are used up (--max_restarts ", restarts_.most(), ")"));
  else if (restarts_.most() > 0 && stopSignals_ == 0 && !asked)
    say("no restart: the same would happen again");
  // What was refused before it trained would be refused again.
  bool canGoOn = trained_ || (cause->status && WIFSIGNALED(*cause->status));
  std::optional<uint64_t> newest = session::clearCheckpoints(options_.checkpointDirectory);
  if (newest && canGoOn && stopSignals_ == 0)
    say(absl::StrCat("start again with --checkpoint_dir ", options_.checkpointDirectory,
                     " to go on from step-", *newest));
  else if (options_.checkpointDirectory.empty() && trained_ && stopSignals_ == 0)
    say("nothing was saved; with --checkpoint_dir FOLDER a run can go on from its last checkpoint");
  // A task that refused its command line or files says 2; that is what the caller of all of them
  // should see.
  if (cause->status && WIFEXITED(*cause->status) && WEXITSTATUS(*cause->status) == 2)
    return 2;
  return !options_.check && passes && !asked ? kPeerLost : 1;
}

} // namespace graphc::launch
