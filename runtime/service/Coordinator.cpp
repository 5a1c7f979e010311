#include "runtime/service/Coordinator.h"

#include "runtime/base/Status.h"
#include "runtime/base/Text.h"
#include "runtime/service/PeerCheck.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"

namespace graphc::service {
namespace {
constexpr absl::Duration kHeartbeatEvery = absl::Seconds(1);
/// How long a report "my peer is gone" waits for the peer's own words or for its stream to break, which say more.
constexpr absl::Duration kSuspicionGrace = absl::Seconds(1);
/// And this long for a heartbeat of the peer, by which it is not the peer that is gone.
constexpr absl::Duration kSuspicionLimit = absl::Milliseconds(2500);
} // namespace

Coordinator::Coordinator(Options options) : options_(std::move(options)), slots_(options_.taskNames.size()) {}

void Coordinator::use(std::shared_ptr<AnswerRules> rules) {
  base::MutexLock lock(mutex_);
  rules_ = std::move(rules);
}

/// A task says who it is: one of the plan's, with the same plan and version, that is not here yet.
absl::Status Coordinator::join(const Hello &hello, std::shared_ptr<Member> member) {
  GRAPHC_RETURN_IF_ERROR(base::annotate(checkHello(hello), "what the task says of itself"));
  base::MutexLock lock(mutex_);
  GRAPHC_RETURN_IF_ERROR(
      checkMember(hello, {options_.taskNames, options_.fingerprint, options_.version, options_.session}));
  if (cause_)
    return absl::UnavailableError(
        absl::StrCat("the run has failed already: ", cause_->task, ": ", cause_->status.message()));
  Slot &slot = slots_[hello.task()];
  if (slot.member)
    return absl::AlreadyExistsError(absl::StrCat("there is a ", hello.name(), " already (process ", slot.hello.pid(),
                                                 " on ", slot.hello.host(),
                                                 "); end it, or start this one with another --task_index"));
  slot.member = std::move(member);
  slot.hello = hello;
  slot.heard = absl::Now();
  changed_.notifyAll();
  return absl::OkStatus();
}

bool Coordinator::isCurrent(const Speaker &from) const {
  return from.task < slots_.size() && slots_[from.task].member &&
         slots_[from.task].hello.incarnation() == from.incarnation;
}

absl::Status Coordinator::displaced(const Speaker &from) const {
  base::MutexLock lock(mutex_);
  if (from.task >= slots_.size())
    return displacedError(absl::StrCat(from.task), nullptr);
  return displacedError(options_.taskNames[from.task], slots_[from.task].member ? &slots_[from.task].hello : nullptr);
}

bool Coordinator::progress(const Speaker &from, const Progress &progress) {
  base::MutexLock lock(mutex_);
  if (!isCurrent(from))
    return false;
  slots_[from.task].progress = progress;
  slots_[from.task].heard = absl::Now();
  return true;
}

bool Coordinator::clockRead(const Speaker &from, const ClockReading &reading) {
  {
    base::MutexLock lock(mutex_);
    if (!isCurrent(from))
      return false;
  }
  clocks_.answered(from.task, reading); // by the number of a question, which no other process was asked
  return true;
}

/// A task's answer to the order under way. One that it was not asked for, or that does not fit the plan, ends the run.
bool Coordinator::done(const Speaker &from, Done done) {
  if (done.has_error())
    return failed(from, done.error());
  absl::Status status;
  const uint64_t id = done.id();
  {
    base::MutexLock lock(mutex_);
    if (!isCurrent(from))
      return false;
    Slot &slot = slots_[from.task];
    slot.heard = absl::Now();
    if (!slot.asked || id != order_)
      status = absl::InvalidArgumentError("it was not asked, or has answered already");
    else if (rules_)
      status = rules_->check(from.task, done);
    slot.asked = false;
    if (status.ok())
      slot.done = std::move(done);
    changed_.notifyAll();
  }
  if (!status.ok())
    refuse(from.task, base::annotate(status, absl::StrCat("its answer to order ", id, " is none")));
  return true;
}

/// A result on its way to the terminal. Meanwhile the task counts as heard: whoever prints may be slow.
bool Coordinator::fetched(const Speaker &from, const Fetched &value) {
  absl::Status status;
  {
    base::MutexLock lock(mutex_);
    if (!isCurrent(from))
      return false;
    if (rules_)
      status = rules_->check(from.task, value);
    slots_[from.task].taking = true;
  }
  if (status.ok() && options_.fetched)
    status = options_.fetched(value); // prints, and may wait for who reads that
  {
    base::MutexLock lock(mutex_);
    if (!isCurrent(from)) // meanwhile
      return false;
    slots_[from.task].taking = false;
    slots_[from.task].heard = absl::Now();
  }
  if (!status.ok())
    refuse(from.task, status);
  return true;
}

/// On its way to the file of --trace, as the rules bound it.
bool Coordinator::traced(const Speaker &from, Traced trace) {
  absl::Status status;
  {
    base::MutexLock lock(mutex_);
    if (!isCurrent(from))
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

std::vector<std::optional<ClockOffset>> Coordinator::clockOffsets() {
  std::vector<std::shared_ptr<Member>> members;
  {
    base::MutexLock lock(mutex_);
    members = everyone();
  }
  return clocks_.measure(members);
}

/// What no task of this run would say.
void Coordinator::refuse(uint32_t task, const absl::Status &why) {
  RootCause cause;
  {
    base::MutexLock lock(mutex_);
    const Hello &hello = slots_[task].hello;
    cause = {hello.name(), hello.host(), hello.pid(), why};
  }
  abort(std::move(cause));
}

/// A task says that it has failed. What it only suspects of another waits kSuspicionGrace for a better cause.
bool Coordinator::failed(const Speaker &from, const Error &error) {
  RootCause cause;
  {
    base::MutexLock lock(mutex_);
    if (!isCurrent(from))
      return false;
    const Hello &hello = slots_[from.task].hello;
    slots_[from.task].leaving = true;
    cause.status = base::foreignStatus(error.code(), error.message());
    if (error.secondary()) {
      if (cause_ || suspicion_ || ending_)
        return true;
      Suspicion suspicion{std::move(cause), hello.name(), std::nullopt, absl::Now()};
      const Hello *suspect = &hello;
      for (uint32_t other = 0; other < slots_.size(); ++other)
        if (slots_[other].member && slots_[other].hello.name() == error.suspect()) {
          suspect = &slots_[other].hello;
          suspicion.suspect = other;
        }
      suspicion.cause = {suspect->name(), suspect->host(), suspect->pid(), absl::Status(suspicion.cause.status), true};
      suspicion_ = std::move(suspicion);
      return true;
    }
    cause = {hello.name(), hello.host(), hello.pid(), absl::Status(cause.status)};
  }
  abort(std::move(cause));
  return true;
}

/// The suspicion, once nothing better can be expected. A peer that was heard since, and so lives, is not the cause: the connection is.
std::optional<RootCause> Coordinator::ripe(absl::Time now) const {
  if (!suspicion_ || now - suspicion_->since <= kSuspicionGrace)
    return std::nullopt;
  RootCause cause = suspicion_->cause;
  if (!suspicion_->suspect)
    return cause;
  const Slot &suspect = slots_[*suspicion_->suspect];
  if (suspect.member && suspect.heard > suspicion_->since) {
    cause.task = absl::StrCat("the connection between ", suspicion_->reporter, " and ", cause.task);
    cause.status = absl::UnavailableError(
        absl::StrCat(suspicion_->cause.status.message(),
                     "; both answer the chief, so that the connection is half open, or something on the way cut it"));
    return cause;
  }
  return now - suspicion_->since > kSuspicionLimit || suspect.leaving ? std::optional(cause) : std::nullopt;
}

/// A task has gone or fallen silent: before the run began it is waited for again, after that it is the cause.
void Coordinator::lose(uint32_t task, const std::string &how) {
  RootCause cause;
  {
    base::MutexLock lock(mutex_);
    Slot &slot = slots_[task];
    if (ending_ || slot.leaving || cause_)
      return;
    if (!started_) { // nothing is lost yet: wait for it again
      slot = Slot();
      return;
    }
    cause = {slot.hello.name(), slot.hello.host(), slot.hello.pid(),
             absl::UnavailableError(absl::StrCat("process ", slot.hello.pid(), " on ", slot.hello.host(), " ", how)),
             /*lost=*/true};
  }
  abort(std::move(cause));
}

/// Its control stream has ended; nothing where another process is that task by now.
void Coordinator::disconnected(uint32_t task, uint64_t incarnation, const std::string &how) {
  {
    base::MutexLock lock(mutex_);
    if (!isCurrent({task, incarnation}))
      return;
  }
  lose(task, how);
}

void Coordinator::allowStragglers(std::vector<bool> tasks) {
  base::MutexLock lock(mutex_);
  stragglers_ = std::move(tasks);
}

/// What there is to say of one now.
std::optional<std::string> Coordinator::watchStraggler(Slot &slot, absl::Time now) {
  bool silent = now - slot.heard > options_.lostAfter, said = slot.silentSince != absl::InfiniteFuture();
  if (silent == said)
    return std::nullopt;
  absl::Time since = std::exchange(slot.silentSince, silent ? slot.heard : absl::InfiniteFuture());
  std::string who = absl::StrCat(slot.hello.name(), " (process ", slot.hello.pid(), " on ", slot.hello.host(), ")");
  if (!silent)
    return absl::StrCat(who, " answers again, after ",
                        absl::FormatDuration(absl::Trunc(slot.heard - since, absl::Seconds(1))));
  return absl::StrCat(who, " does not answer for ", absl::FormatDuration(options_.lostAfter),
                      "; the others go on without it, and the run ends if it is silent for ",
                      absl::FormatDuration(options_.stragglerDeadline), " (--deadline)");
}

/// On the heartbeat thread, every fraction of a second: heartbeats to all, who is silent for too long, whether a suspicion has waited
/// long enough. Time in which this process itself was stopped does not count.
void Coordinator::heartbeat(absl::Time now, uint64_t globalStep) {
  std::vector<std::shared_ptr<Member>> members;
  std::optional<uint32_t> silent;
  absl::Duration limit = options_.lostAfter;
  std::vector<std::string> lines;
  std::optional<RootCause> suspected;
  Heard last; // of the silent one
  {
    base::MutexLock lock(mutex_);
    if (cause_)
      return;
    if (lastChecked_ != absl::InfinitePast() && now - lastChecked_ > options_.lostAfter / 2)
      for (Slot &slot : slots_)
        slot.heard = now;
    lastChecked_ = now;
    if (now - lastHeartbeat_ >= kHeartbeatEvery) {
      lastHeartbeat_ = now;
      members = everyone();
    }
    for (uint32_t task = 0; task < slots_.size(); ++task) {
      Slot &slot = slots_[task];
      if (!slot.member || slot.leaving)
        continue;
      if (slot.taking) // it speaks; who does not listen is here
        slot.heard = now;
      bool straggler = task < stragglers_.size() && stragglers_[task];
      if (straggler || slot.silentSince != absl::InfiniteFuture())
        if (std::optional<std::string> line = watchStraggler(slot, now))
          lines.push_back(*std::move(line));
      absl::Duration allowed =
          straggler ? std::max(options_.lostAfter, options_.stragglerDeadline) : options_.lostAfter;
      if (now - slot.heard > allowed) {
        silent = task;
        limit = allowed;
      }
    }
    suspected = ripe(now);
    if (silent)
      last = heardOf(*silent, now);
  }
  if (options_.announce)
    for (const std::string &line : lines)
      options_.announce(line);
  ToTask message;
  message.mutable_heartbeat()->set_global_step(globalStep);
  for (auto &member : members)
    member->send(message);
  if (silent)
    lose(*silent, absl::StrCat("did not answer for ", absl::FormatDuration(limit),
                               options_.silence ? options_.silence(*silent, last) : ""));
  if (suspected)
    abort(std::move(*suspected));
}

std::string RootCause::describe() const {
  std::string message(status.message());
  return message.rfind(task, 0) == 0 ? message
                                     : absl::StrCat(task, ": ", message); // a lane's error names its task already
}

/// From the middle of the wait on, how long it has been and how long it will be.
std::string Coordinator::waitedFor(absl::Duration waited) const {
  absl::Duration left = options_.joinDeadline - waited;
  if (waited < left)
    return "";
  return absl::StrCat(" for ", absl::FormatDuration(absl::Trunc(waited, absl::Seconds(1))), "; the run ends in ",
                      absl::FormatDuration(absl::Ceil(left, absl::Seconds(1))), " without it (--join_deadline)");
}

/// The master's thread waits until every task has joined, and says now and then for whom.
absl::Status Coordinator::waitForAll() {
  absl::Time begin = absl::Now(), deadline = begin + options_.joinDeadline, announceAt = begin + absl::Seconds(1);
  while (true) {
    std::vector<std::string> absent;
    {
      base::MutexLock lock(mutex_);
      if (cause_)
        return failure();
      absent = missing();
      if (absent.empty()) {
        started_ = true;
        return absl::OkStatus();
      }
      absl::Time now = absl::Now();
      if (now >= deadline)
        return absl::DeadlineExceededError(absl::StrCat("gave up after ", absl::FormatDuration(options_.joinDeadline),
                                                        ": ", absl::StrJoin(absent, ", "),
                                                        " did not come (--join_deadline)"));
      if (now < announceAt) {
        changed_.waitUntil(mutex_, std::min(announceAt, deadline));
        continue;
      }
      absl::Time middle = begin + options_.joinDeadline / 2;
      announceAt = now < middle ? std::min(now + options_.announceEvery, middle) : now + options_.announceEvery;
    }
    if (options_.announce)
      options_.announce(absl::StrCat("waiting for ", absl::StrJoin(absent, ", "), waitedFor(absl::Now() - begin)));
    ToTask message;
    for (const std::string &name : absent)
      message.mutable_waiting()->add_tasks(name);
    tell(message);
  }
}

/// The master's thread sends an order to every task and waits for every answer, or for the cause why there is none.
absl::StatusOr<std::vector<Done>> Coordinator::giveOrder(Order order, absl::Time deadline) {
  {
    base::MutexLock lock(mutex_);
    if (cause_)
      return failure();
    order.set_id(++order_);
    for (Slot &slot : slots_) {
      slot.done.reset();
      slot.asked = true;
      if (order.has_run()) { // what was heard before is of an earlier phase
        const bool stop = slot.progress.stop_requested(), end = slot.progress.end_asked();
        slot.progress.Clear();
        slot.progress.set_stop_requested(stop);
        slot.progress.set_end_asked(end);
      }
    }
    if (rules_)
      rules_->ordered(order);
  }
  ToTask message;
  *message.mutable_order() = order;
  tell(message);
  base::MutexLock lock(mutex_);
  while (true) {
    if (cause_)
      return failure();
    std::vector<std::string> late;
    for (const Slot &slot : slots_)
      if (!slot.done)
        late.push_back(slot.hello.name());
    if (late.empty())
      break;
    if (absl::Now() >= deadline)
      return absl::DeadlineExceededError(absl::StrCat("no answer from ", absl::StrJoin(late, ", "), " in time"));
    changed_.waitUntil(mutex_, std::min(deadline, absl::Now() + absl::Seconds(1)));
  }
  std::vector<Done> answers;
  for (Slot &slot : slots_)
    answers.push_back(std::move(*slot.done));
  return answers;
}

std::vector<Peer> Coordinator::peers() const {
  base::MutexLock lock(mutex_);
  std::vector<Peer> peers;
  for (const Slot &slot : slots_)
    peers.push_back(peerOf(slot.hello));
  return peers;
}

ClusterProgress Coordinator::clusterProgress() const {
  base::MutexLock lock(mutex_);
  ClusterProgress all;
  for (const Slot &slot : slots_) {
    all.tasks.push_back(slot.progress);
    all.stopRequested |= slot.progress.stop_requested();
  }
  return all;
}

Heard Coordinator::heardOf(uint32_t task, absl::Time now) const {
  const Slot &slot = slots_[task];
  if (!slot.member)
    return {};
  const absl::Duration silent = slot.taking ? absl::ZeroDuration() : std::max(now - slot.heard, absl::ZeroDuration());
  return {slot.hello, slot.progress, silent, task < stragglers_.size() && stragglers_[task]};
}

std::vector<Heard> Coordinator::heard(absl::Time now) const {
  base::MutexLock lock(mutex_);
  std::vector<Heard> all;
  for (uint32_t task = 0; task < slots_.size(); ++task)
    all.push_back(heardOf(task, now));
  return all;
}

/// The first cause is kept and told to every task; the master's thread wakes and returns it.
void Coordinator::abort(RootCause cause) {
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

/// Asks every task to end that phase at the next step; who decides for all, or gives out tickets, heeds it.
void Coordinator::requestStop(uint64_t epoch) {
  ToTask message;
  message.set_stop(epoch);
  tell(message);
}

void Coordinator::permit(const ToTask::Permit &permit) {
  ToTask message;
  *message.mutable_permit() = permit;
  tell(message);
}

void Coordinator::tell(const ToTask &message) {
  std::vector<std::shared_ptr<Member>> members;
  {
    base::MutexLock lock(mutex_);
    members = everyone();
  }
  for (auto &member : members)
    member->send(message);
}

/// From now on streams may end: the tasks go.
void Coordinator::release() {
  {
    base::MutexLock lock(mutex_);
    ending_ = true;
  }
  ToTask message;
  message.set_release(true);
  tell(message);
}

} // namespace graphc::service
