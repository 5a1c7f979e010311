#include "runtime/service/TaskCoordinator.h"

#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/base/TextUtils.h"
#include "runtime/service/PeerCheck.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"

#include <algorithm>
#include <utility>

namespace graphc::service {
namespace {
constexpr absl::Duration kHeartbeatEvery = absl::Seconds(1);
} // namespace

TaskCoordinator::TaskCoordinator(Options options)
    : options_(std::move(options)), slots_(options_.taskNames.size()) {}

void TaskCoordinator::use(std::shared_ptr<AnswerRules> rules) {
  base::MutexLock lock(mutex_);
  rules_ = std::move(rules);
}

/// A task says who it is: one of the plan's, with the same plan and version, that is not here yet.
/// On the way back of one that was lost its next process may come before the end of this one is
/// heard.
absl::Status TaskCoordinator::join(const Hello &hello, std::shared_ptr<TaskLink> member) {
  GRAPHC_RETURN_IF_ERROR(base::annotate(checkHello(hello), "what the task says of itself"));
  const absl::Status isMember = checkMember(
      hello, {options_.taskNames, options_.fingerprint, options_.version, options_.session});
  if (!isMember.ok() && options_.announce) // who waits for that task would not know why
    options_.announce(absl::StrCat("refused: ", isMember.message()));
  GRAPHC_RETURN_IF_ERROR(isMember);
  uint64_t before = 0;
  {
    base::MutexLock lock(mutex_);
    if (const TaskRow &slot = slots_[hello.task()]; slot.member && slot.away)
      before = slot.hello.incarnation();
  }
  if (before != 0)
    lose({hello.task(), before}, "has ended: another one says that it is this task");
  base::MutexLock lock(mutex_);
  if (cause_)
    return absl::UnavailableError(absl::StrCat("the run has failed already: ", cause_->describe()));
  GRAPHC_RETURN_IF_ERROR(slots_[hello.task()].join(hello, std::move(member)));
  changed_.notifyAll();
  return absl::OkStatus();
}

absl::Status TaskCoordinator::displaced(const TaskIncarnation &from) const {
  base::MutexLock lock(mutex_);
  if (from.task >= slots_.size())
    return displacedError(absl::StrCat(from.task), nullptr);
  return displacedError(options_.taskNames[from.task],
                        slots_[from.task].member ? &slots_[from.task].hello : nullptr);
}

bool TaskCoordinator::progress(const TaskIncarnation &from, const Progress &progress) {
  absl::Status status;
  {
    base::MutexLock lock(mutex_);
    if (!slots_.isCurrent(from))
      return false;
    slots_[from.task].heard = absl::Now();
    if (status = rules_ ? rules_->check(from.task, progress) : absl::OkStatus(); status.ok())
      slots_[from.task].progress = progress;
  }
  if (!status.ok())
    refuse(from.task, status);
  return true;
}

bool TaskCoordinator::clockRead(const TaskIncarnation &from, const ClockReading &reading) {
  if (base::MutexLock lock(mutex_); !slots_.isCurrent(from))
    return false;
  // by the number of a question, which no other process was asked
  clocks_.answered(from.task, reading);
  return true;
}

/// A task's answer to the order under way. One that it was not asked for, or that does not fit the
/// plan, ends the run.
bool TaskCoordinator::done(const TaskIncarnation &from, Done done) {
  if (done.has_error())
    return failed(from, done.error());
  absl::Status status;
  const uint64_t id = done.id();
  {
    base::MutexLock lock(mutex_);
    if (!slots_.isCurrent(from))
      return false;
    TaskRow &slot = slots_[from.task];
    slot.heard = absl::Now();
    if (slot.own && slot.own->id() == id) {
      if (rules_)
        status = rules_->checkOwn(from.task, *slot.own, done);
      slot.own.reset();
      slot.ownDone = std::move(done);
    } else {
      if (!slot.asked || id != slot.askedAs)
        status = absl::InvalidArgumentError("it was not asked, or has answered already");
      else if (rules_)
        status = rules_->check(from.task, done);
      slot.asked = false;
      if (status.ok())
        slot.done = std::move(done);
    }
    changed_.notifyAll();
  }
  if (!status.ok())
    refuse(from.task, base::annotate(status, absl::StrCat("its answer to order ", id, " is none")));
  return true;
}

/// A result on its way to the terminal. Meanwhile the task counts as heard: whoever prints may be
/// slow.
bool TaskCoordinator::fetched(const TaskIncarnation &from, const Fetched &value) {
  absl::Status status;
  {
    base::MutexLock lock(mutex_);
    if (!slots_.isCurrent(from))
      return false;
    if (rules_ && rules_->isRepeated(from.task, value)) {
      slots_[from.task].heard = absl::Now();
      return true;
    }
    if (rules_)
      status = rules_->check(from.task, value);
    slots_[from.task].taking = true;
  }
  if (status.ok() && options_.fetched)
    status = options_.fetched(value); // prints, and may wait for who reads that
  {
    base::MutexLock lock(mutex_);
    if (!slots_.isCurrent(from)) // meanwhile
      return false;
    slots_[from.task].taking = false;
    slots_[from.task].heard = absl::Now();
  }
  if (!status.ok())
    refuse(from.task, status);
  return true;
}

/// On its way to the file of --trace, as the rules bound it.
bool TaskCoordinator::traced(const TaskIncarnation &from, Traced trace) {
  absl::Status status;
  {
    base::MutexLock lock(mutex_);
    if (!slots_.isCurrent(from))
      return false;
    slots_[from.task].heard = absl::Now();
    if (rules_)
      status = rules_->check(from.task, trace);
    if (status.ok())
      traces_.emplace_back(from.task, std::move(trace));
  }
  if (!status.ok())
    refuse(from.task, status);
  return true;
}

std::vector<std::optional<ClockOffset>> TaskCoordinator::clockOffsets() {
  std::vector<std::shared_ptr<TaskLink>> members;
  {
    base::MutexLock lock(mutex_);
    members = slots_.everyone();
  }
  return clocks_.measure(members);
}

/// What no task of this run would say.
void TaskCoordinator::refuse(uint32_t task, const absl::Status &why) {
  RootCause cause;
  {
    base::MutexLock lock(mutex_);
    const Hello &hello = slots_[task].hello;
    cause = {hello.name(), hello.host(), hello.pid(), why};
  }
  abort(std::move(cause));
}

/// A task says that it has failed. What it only suspects of another waits kSuspicionGrace for a
/// better cause.
bool TaskCoordinator::failed(const TaskIncarnation &from, const Error &error) {
  RootCause cause;
  {
    base::MutexLock lock(mutex_);
    if (!slots_.isCurrent(from))
      return false;
    const Hello &hello = slots_[from.task].hello;
    if (error.spared() && !slots_.isThere(error.suspect(), error.incarnation()))
      return true; // that one is known to be gone
    slots_[from.task].leaving |= !error.spared();
    cause.status = base::foreignStatus(error.code(), error.message());
    if (error.secondary()) {
      if (cause_ || suspicion_ || ending_)
        return true;
      suspicion_ = SuspectedCause::of(slots_, hello, error.suspect(), std::move(cause.status));
      return true;
    }
    cause = {hello.name(), hello.host(), hello.pid(), absl::Status(cause.status)};
  }
  abort(std::move(cause));
  return true;
}

void TaskCoordinator::letRejoin(Rejoining rejoining) {
  base::MutexLock lock(mutex_);
  rejoining_ = std::move(rejoining);
}

std::vector<uint32_t> TaskCoordinator::away() const {
  base::MutexLock lock(mutex_);
  return slots_.away();
}

bool TaskCoordinator::hasJoined(uint32_t task) const {
  base::MutexLock lock(mutex_);
  return slots_[task].member != nullptr;
}

absl::Status TaskCoordinator::awaitJoin(uint32_t task, absl::Time deadline) {
  base::MutexLock lock(mutex_);
  while (!cause_ && !slots_[task].member) {
    if (absl::Now() >= deadline)
      return absl::DeadlineExceededError("its next process did not come in time (--join_deadline)");
    changed_.waitUntil(mutex_, deadline);
  }
  return cause_ ? failure() : absl::OkStatus();
}

absl::StatusOr<std::map<uint32_t, Done>>
TaskCoordinator::giveOrders(std::map<uint32_t, Order> orders, absl::Time deadline,
                            std::optional<TaskIncarnation> comer) {
  std::vector<TaskTable::Letter> letters;
  {
    base::MutexLock lock(mutex_);
    letters = slots_.giveOwn(orders, comer, order_);
  }
  for (auto &[member, message] : letters)
    member->send(message);
  base::MutexLock lock(mutex_);
  while (!cause_ && slots_.owes(orders)) {
    if (absl::Now() >= deadline)
      return absl::DeadlineExceededError("a task did not answer in time");
    changed_.waitUntil(mutex_, std::min(deadline, absl::Now() + absl::Seconds(1)));
  }
  if (cause_)
    return failure();
  return slots_.takeOwn(orders);
}

bool TaskCoordinator::back(const TaskIncarnation &comer, Order order) {
  std::shared_ptr<TaskLink> member;
  ToTask message;
  {
    base::MutexLock lock(mutex_);
    if (!slots_.isCurrent(comer))
      return false;
    TaskRow &slot = slots_[comer.task];
    member = slot.member;
    slot.away = false;
    slot.backSince = absl::Now();
    slot.ask(++order_);
    order.set_id(order_);
    if (rules_)
      rules_->rejoins(comer.task);
  }
  *message.mutable_order() = std::move(order);
  member->send(message);
  return true;
}

/// A process has gone or fallen silent: before the run began its task is waited for again, after
/// that it is the cause. Nothing where another process is that task by now.
void TaskCoordinator::lose(const TaskIncarnation &who, const std::string &how) {
  RootCause cause;
  std::function<void(uint32_t, int64_t, const std::string &)> away;
  int64_t process = 0;
  std::string what, why; // what has become of it; why the others cannot go on
  {
    base::MutexLock lock(mutex_);
    if (!slots_.isCurrent(who))
      return;
    TaskRow &slot = slots_[who.task];
    if (ending_ || slot.leaving || cause_)
      return;
    if (!started_) { // nothing is lost yet: wait for it again
      slot = TaskRow();
      return;
    }
    what = absl::StrCat("process ", slot.hello.pid(), " on ", slot.hello.host(), " ", how);
    if (!rejoining_.why.empty())
      why =
          !slot.asked && !slot.away ? "its part of the phase had ended" : rejoining_.why[who.task];
    if (!rejoining_.why.empty() && why.empty()) {
      away = rejoining_.away;
      process = slot.hello.pid();
      slot.leave();
      if (suspicion_ && suspicion_->suspect == who.task)
        suspicion_.reset();
      changed_.notifyAll();
    } else {
      cause = {slot.hello.name(), slot.hello.host(), slot.hello.pid(), absl::UnavailableError(what),
               /*lost=*/true};
    }
  }
  if (away) {
    ToTask message;
    message.mutable_gone()->set_task(who.task);
    message.mutable_gone()->set_incarnation(who.incarnation);
    tell(message);
    if (options_.announce)
      options_.announce(absl::StrCat(options_.taskNames[who.task], ": ", what,
                                     "; the others go on, and wait for its next process"));
    away(who.task, process, what);
    return;
  }
  if (!why.empty() && options_.announce)
    options_.announce(absl::StrCat(options_.taskNames[who.task],
                                   " was lost, and all go back to the last checkpoint, since ",
                                   why));
  abort(std::move(cause));
}

/// Its control stream has ended.
void TaskCoordinator::disconnected(uint32_t task, uint64_t incarnation, const std::string &how) {
  lose({task, incarnation}, how);
}

void TaskCoordinator::allowStragglers(std::vector<bool> tasks) {
  base::MutexLock lock(mutex_);
  for (size_t task = 0; task < slots_.size(); ++task)
    slots_[task].straggler = task < tasks.size() && tasks[task];
}

/// On the heartbeat thread, every fraction of a second: heartbeats to all, who is silent for too
/// long, whether a suspicion has waited long enough. Time in which this process itself was stopped
/// does not count.
void TaskCoordinator::heartbeat(absl::Time now, uint64_t globalStep) {
  std::vector<std::shared_ptr<TaskLink>> members;
  std::optional<TaskTable::Silent> silent;
  std::vector<std::string> lines;
  std::optional<RootCause> suspected;
  TaskSnapshot last; // of the silent one
  {
    base::MutexLock lock(mutex_);
    if (cause_)
      return;
    if (lastChecked_ != absl::InfinitePast() && now - lastChecked_ > options_.lostAfter / 2)
      for (TaskRow &slot : slots_)
        slot.heard = now;
    lastChecked_ = now;
    if (now - lastHeartbeat_ >= kHeartbeatEvery) {
      lastHeartbeat_ = now;
      members = slots_.everyone();
    }
    silent = slots_.watch(now, options_.lostAfter, options_.stragglerDeadline, lines);
    suspected = suspicion_ ? suspicion_->ripe(slots_, now) : std::nullopt;
    if (silent)
      last = slots_[silent->task].heardAt(now);
  }
  if (options_.announce)
    for (const std::string &line : lines)
      options_.announce(line);
  ToTask message;
  message.mutable_heartbeat()->set_global_step(globalStep);
  for (auto &member : members)
    member->send(message);
  if (silent)
    lose({silent->task, last.hello.incarnation()},
         absl::StrCat("did not answer for ", absl::FormatDuration(silent->allowed),
                      options_.silence ? options_.silence(silent->task, last) : ""));
  if (suspected)
    abort(std::move(*suspected));
}

/// The master's thread waits until every task has joined, and says now and then for whom.
absl::Status TaskCoordinator::waitForAll() {
  absl::Time begin = absl::Now(), deadline = begin + options_.joinDeadline,
             announceAt = begin + absl::Seconds(1);
  while (true) {
    std::vector<std::string> absent;
    {
      base::MutexLock lock(mutex_);
      if (cause_)
        return failure();
      absent = slots_.missing(options_.taskNames);
      if (absent.empty()) {
        started_ = true;
        return absl::OkStatus();
      }
      absl::Time now = absl::Now();
      if (now >= deadline)
        return absl::DeadlineExceededError(
            absl::StrCat("gave up after ", absl::FormatDuration(options_.joinDeadline), ": ",
                         absl::StrJoin(absent, ", "), " did not come (--join_deadline)"));
      if (now < announceAt) {
        changed_.waitUntil(mutex_, std::min(announceAt, deadline));
        continue;
      }
      absl::Time middle = begin + options_.joinDeadline / 2;
      announceAt = now < middle ? std::min(now + options_.announceEvery, middle)
                                : now + options_.announceEvery;
    }
    ToTask message;
    *message.mutable_waiting() = waitingFor(absent, absl::Now() - begin, deadline - absl::Now());
    if (options_.announce)
      options_.announce(waitingText(message.waiting()));
    tell(message);
  }
}

/// The master's thread sends an order to every task and waits for every answer, or for the cause
/// why there is none.
absl::StatusOr<std::vector<Done>>
TaskCoordinator::giveOrder(Order order, absl::Time deadline,
                           const std::function<absl::Status()> &meanwhile, const AddOwn &own) {
  std::vector<std::shared_ptr<TaskLink>> members; // by task; null: it is away
  {
    base::MutexLock lock(mutex_);
    if (cause_)
      return failure();
    order.set_id(++order_);
    for (TaskRow &slot : slots_) {
      slot.ask(order_);
      if (order.has_run())
        slot.beginPhase();
      members.push_back(slot.member);
    }
    if (rules_)
      rules_->ordered(order);
  }
  for (uint32_t task = 0; task < members.size(); ++task) {
    ToTask message;
    *message.mutable_order() = order;
    own(task, message.mutable_order());
    if (members[task])
      members[task]->send(message);
  }
  base::MutexLock lock(mutex_);
  while (true) {
    if (cause_)
      return failure();
    if (meanwhile && !slots_.away().empty()) {
      mutex_.unlock();
      absl::Status status = meanwhile();
      mutex_.lock();
      GRAPHC_RETURN_IF_ERROR(status);
      continue;
    }
    const std::vector<std::string> late = slots_.late();
    if (late.empty())
      break;
    if (absl::Now() >= deadline)
      return absl::DeadlineExceededError(
          absl::StrCat("no answer from ", absl::StrJoin(late, ", "), " in time"));
    changed_.waitUntil(mutex_, std::min(deadline, absl::Now() + absl::Seconds(1)));
  }
  return slots_.takeAnswers();
}

ClusterProgress TaskCoordinator::clusterProgress() const {
  base::MutexLock lock(mutex_);
  return slots_.progress();
}

std::vector<TaskSnapshot> TaskCoordinator::heard(absl::Time now) const {
  base::MutexLock lock(mutex_);
  return slots_.heard(now);
}

/// The first cause is kept and told to every task; the master's thread wakes and returns it.
void TaskCoordinator::abort(RootCause cause) {
  ToTask message;
  {
    base::MutexLock lock(mutex_);
    if (cause_)
      return;
    message.mutable_abort()->set_task(cause.task);
    message.mutable_abort()->set_message(std::string(cause.status.message()));
    message.mutable_abort()->set_lost(cause.lost);
    cause_ = std::move(cause);
    changed_.notifyAll();
  }
  tell(message);
}

void TaskCoordinator::tell(const ToTask &message) {
  std::vector<std::shared_ptr<TaskLink>> members;
  {
    base::MutexLock lock(mutex_);
    members = slots_.everyone();
  }
  for (auto &member : members)
    member->send(message);
}

void TaskCoordinator::requestStop(uint64_t generation) {
  ToTask message;
  message.set_stop(generation);
  tell(message);
}

void TaskCoordinator::permit(const ToTask::StepPermit &permit) {
  ToTask message;
  *message.mutable_step_permit() = permit;
  tell(message);
}

/// From now on streams may end: the tasks go.
void TaskCoordinator::release() {
  {
    base::MutexLock lock(mutex_);
    ending_ = true;
  }
  ToTask message;
  message.set_release(true);
  tell(message);
}

} // namespace graphc::service
