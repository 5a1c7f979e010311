#include "runtime/service/TaskTable.h"

#include "runtime/common/base/TextUtils.h"
#include "runtime/common/base/WaitDurationText.h"
#include "runtime/service/PeerCheck.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"

#include <algorithm>
#include <utility>

namespace graphc::service {
constexpr size_t kMostNames = 64 << 10; // bytes: of some thousand tasks

std::string waitingText(const ToTask::Waiting &waiting) {
  return absl::StrCat(
      "waiting for ", base::foreignText(absl::StrJoin(waiting.tasks(), ", "), kMostNames),
      base::waitSoFar(absl::Seconds(waiting.waited_s()), absl::Seconds(waiting.left_s())),
      " (--join_deadline)");
}

ToTask::Waiting waitingFor(const std::vector<std::string> &tasks, absl::Duration waited,
                           absl::Duration left) {
  ToTask::Waiting waiting;
  *waiting.mutable_tasks() = {tasks.begin(), tasks.end()};
  waiting.set_waited_s(absl::ToInt64Seconds(waited));
  waiting.set_left_s(
      absl::ToInt64Seconds(absl::Ceil(std::max(left, absl::ZeroDuration()), absl::Seconds(1))));
  return waiting;
}

void TaskRow::beginPhase() {
  const bool stop = progress.stop_requested(), end = progress.end_asked();
  progress.Clear();
  progress.set_stop_requested(stop);
  progress.set_end_asked(end);
}

absl::Status TaskRow::join(const Hello &who, std::shared_ptr<TaskLink> by) {
  if (member)
    return absl::AlreadyExistsError(
        absl::StrCat("there is a ", who.name(), " already (process ", hello.pid(), " on ",
                     hello.host(), "); end it, or start this one with another --task_index"));
  member = std::move(by);
  hello = who;
  heard = absl::Now();
  return absl::OkStatus();
}

void TaskRow::leave() {
  member.reset();
  own.reset();
  ownDone.reset();
  away = true;
  taking = false;
  silentSince = absl::InfiniteFuture();
}

std::optional<std::string> TaskRow::watch(absl::Time now, absl::Duration lostAfter,
                                          absl::Duration deadline) {
  bool silent = now - heard > lostAfter, said = silentSince != absl::InfiniteFuture();
  if (silent == said)
    return std::nullopt;
  absl::Time since = std::exchange(silentSince, silent ? heard : absl::InfiniteFuture());
  std::string who =
      absl::StrCat(hello.name(), " (process ", hello.pid(), " on ", hello.host(), ")");
  if (!silent)
    return absl::StrCat(who, " answers again, after ",
                        absl::FormatDuration(absl::Trunc(heard - since, absl::Seconds(1))));
  return absl::StrCat(who, " does not answer for ", absl::FormatDuration(lostAfter),
                      "; the others go on without it, and the run ends if it is silent for ",
                      absl::FormatDuration(deadline), " (--deadline)");
}

TaskSnapshot TaskRow::heardAt(absl::Time now) const {
  TaskSnapshot known;
  known.away = away;
  known.back = now - backSince;
  if (!member)
    return known;
  known.hello = hello;
  known.progress = progress;
  known.silent = taking ? absl::ZeroDuration() : std::max(now - heard, absl::ZeroDuration());
  known.straggler = straggler;
  return known;
}

bool TaskTable::isCurrent(const TaskIncarnation &from) const {
  return from.task < rows_.size() && rows_[from.task].member &&
         rows_[from.task].hello.incarnation() == from.incarnation;
}

bool TaskTable::isThere(const std::string &name, uint64_t incarnation) const {
  return std::any_of(rows_.begin(), rows_.end(), [&](const TaskRow &row) {
    return row.member && row.hello.name() == name && row.hello.incarnation() == incarnation;
  });
}

std::vector<uint32_t> TaskTable::away() const {
  std::vector<uint32_t> tasks;
  for (uint32_t task = 0; task < rows_.size(); ++task)
    if (rows_[task].away)
      tasks.push_back(task);
  return tasks;
}

std::vector<std::string> TaskTable::missing(const std::vector<std::string> &names) const {
  std::vector<std::string> absent;
  for (size_t task = 0; task < rows_.size(); ++task)
    if (!rows_[task].member)
      absent.push_back(names[task]);
  return absent;
}

std::vector<std::shared_ptr<TaskLink>> TaskTable::everyone() const {
  std::vector<std::shared_ptr<TaskLink>> members;
  for (const TaskRow &row : rows_)
    if (row.member)
      members.push_back(row.member);
  return members;
}

std::vector<Peer> TaskTable::peers() const {
  std::vector<Peer> peers;
  for (const TaskRow &row : rows_)
    peers.push_back(peerOf(row.hello));
  return peers;
}

ClusterProgress TaskTable::progress() const {
  ClusterProgress all;
  for (const TaskRow &row : rows_) {
    all.tasks.push_back(row.progress);
    all.stopRequested |= row.progress.stop_requested();
  }
  return all;
}

std::vector<TaskSnapshot> TaskTable::heard(absl::Time now) const {
  std::vector<TaskSnapshot> all;
  for (const TaskRow &row : rows_)
    all.push_back(row.heardAt(now));
  return all;
}

std::vector<std::string> TaskTable::late() const {
  std::vector<std::string> names;
  for (const TaskRow &row : rows_)
    if (!row.done)
      names.push_back(row.hello.name());
  return names;
}

std::vector<Done> TaskTable::takeAnswers() {
  std::vector<Done> answers;
  for (TaskRow &row : rows_)
    answers.push_back(std::move(*row.done));
  return answers;
}

std::vector<TaskTable::Letter> TaskTable::giveOwn(std::map<uint32_t, Order> &orders,
                                                  const std::optional<TaskIncarnation> &comer,
                                                  uint64_t &last) {
  std::vector<Letter> letters;
  for (auto &[task, order] : orders) {
    TaskRow &row = rows_[task];
    row.ownDone.reset();
    row.own.reset();
    if (!row.member || (comer && comer->task == task && !isCurrent(*comer)))
      continue;
    order.set_id(++last);
    row.own = order;
    *letters.emplace_back(row.member, ToTask()).second.mutable_order() = order;
  }
  return letters;
}

bool TaskTable::owes(const std::map<uint32_t, Order> &orders) const {
  return std::any_of(orders.begin(), orders.end(),
                     [&](const auto &order) { return rows_[order.first].own.has_value(); });
}

std::map<uint32_t, Done> TaskTable::takeOwn(const std::map<uint32_t, Order> &orders) {
  std::map<uint32_t, Done> answers;
  for (const auto &[task, order] : orders)
    if (std::optional<Done> done = std::exchange(rows_[task].ownDone, std::nullopt))
      answers[task] = *std::move(done);
  return answers;
}

std::optional<TaskTable::Silent> TaskTable::watch(absl::Time now, absl::Duration lostAfter,
                                                  absl::Duration stragglerDeadline,
                                                  std::vector<std::string> &lines) {
  std::optional<Silent> silent;
  for (uint32_t task = 0; task < rows_.size(); ++task) {
    TaskRow &row = rows_[task];
    if (!row.member || row.leaving)
      continue;
    if (row.taking) // it speaks; who does not listen is here
      row.heard = now;
    if (row.straggler || row.silentSince != absl::InfiniteFuture())
      if (std::optional<std::string> line = row.watch(now, lostAfter, stragglerDeadline))
        lines.push_back(*std::move(line));
    const absl::Duration allowed =
        row.straggler ? std::max(lostAfter, stragglerDeadline) : lostAfter;
    if (now - row.heard > allowed)
      silent = {task, allowed};
  }
  return silent;
}

} // namespace graphc::service
