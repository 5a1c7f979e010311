#include "runtime/session/recovery/ChiefRejoin.h"

#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/executor/PhaseSetup.h"
#include "runtime/executor/RejoinableTasks.h"
#include "runtime/session/recovery/TaskRejoin.h"

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

#include <algorithm>

namespace graphc::session {
namespace {
/// Of each order of a return: a device queue, which would compile for longer, is refused
/// (executor/RejoinableTasks.h).
constexpr absl::Duration kOrderDeadline = absl::Minutes(1);
} // namespace

std::function<void(const service::Order &)>
ChiefRejoin::hearing(std::function<void(const service::Order &)> told) {
  return [this, told = std::move(told)](const service::Order &order) {
    ordered(order);
    if (told)
      told(order);
  };
}

/// Kept of what all are told: all checks, and the last `prepare`, `initialize` and `begin`.
/// bringBack() gives these to a task that comes back.
void ChiefRejoin::ordered(const service::Order &order) {
  if (order.has_prepare())
    prepare_ = order;
  else if (order.has_connect())
    connect_ = order;
  else if (order.has_check())
    checks_.push_back(order);
  else if (order.has_begin())
    begin_ = order;
  if (!order.has_initialize())
    return;
  initialize_ = order;
  initialize_.mutable_initialize()->clear_restore_from(); // who comes back has no variables
  initialize_.mutable_initialize()->clear_init_from();
  initialize_.mutable_initialize()->clear_init_file();
}

void ChiefRejoin::mark(service::Order::Begin &begin) {
  why_.clear();
  peers_.clear();
  const plan::Phase &phase = plan_.phases(static_cast<int>(begin.phase()));
  if (!options_.away || phase.role() != plan::TRAIN || !phase.ends_by_end_of_stream())
    return;
  why_ = executor::whyNoRejoin(plan_, begin.phase());
  if (begin.has_trace())
    for (std::string &why : why_)
      why = why.empty() ? "its steps are traced" : why;
  const std::vector<plan::Task> tasks = plan::allTasks(plan_);
  for (uint32_t task = 0; task < why_.size(); ++task) {
    if (!why_[task].empty())
      continue;
    std::set<uint32_t> &peers = peers_[task];
    for (const executor::ChannelEndpoint &end : executor::taskEndpoints(plan_, tasks[task]))
      peers.insert(plan::taskNumber(plan_, end.peer));
    for (uint32_t other = 0; other < tasks.size(); ++other)
      if (servesTask(plan_, begin.phase(), other, task))
        peers.insert(other);
    peers.erase(task);
  }
  begin.set_rejoinable(!peers_.empty());
}

void ChiefRejoin::open() {
  if (why_.empty())
    return;
  coordinator_.letRejoin({why_, options_.away});
  if (begin_.begin().rejoinable())
    options_.judges(true);
}

void ChiefRejoin::close() {
  if (why_.empty())
    return;
  coordinator_.letRejoin({});
  if (begin_.begin().rejoinable())
    options_.judges(false);
}

absl::Status ChiefRejoin::bringBack(const DatasetSizes &samples) {
  for (uint32_t task : coordinator_.away())
    if (absl::Status status = bringBack(task, samples); !status.ok()) {
      if (!coordinator_.rootCause()) {
        const service::Peer peer = coordinator_.peers()[task];
        log_(absl::StrCat(peer.name(), " was lost, and all go back to the last checkpoint, since ",
                          status.message()));
        coordinator_.abort(
            {peer.name(), peer.host(), peer.pid(),
             absl::UnavailableError(absl::StrCat(
                 "it was lost, and could not come back to the others: ", status.message())),
             /*lost=*/true});
      }
      return status;
    }
  return absl::OkStatus();
}

/// The lanes that serve it stop; its next process comes, with links made anew to all who have
/// channels with it; it and those lanes go on with the first step of which one of them has not done
/// all that counts once. Where it is lost again, once more.
absl::Status ChiefRejoin::bringBack(uint32_t task, const DatasetSizes &samples) {
  const absl::Time until = absl::Now() + options_.joinDeadline;
  while (true) {
    comer_.reset();
    GRAPHC_ASSIGN_OR_RETURN(const uint64_t step, stopLanes(task));
    GRAPHC_RETURN_IF_ERROR(coordinator_.awaitJoin(task, until));
    const std::vector<service::Peer> peers = coordinator_.peers();
    comer_ = service::TaskIncarnation{task, peers[task].incarnation()};
    GRAPHC_ASSIGN_OR_RETURN(const bool connected, connect(task, peers, samples));
    if (!connected)
      continue;
    GRAPHC_ASSIGN_OR_RETURN(const bool prepared, prepare(task, step));
    if (!prepared)
      continue;
    GRAPHC_ASSIGN_OR_RETURN(auto joined, give(toPeers(task, [&](service::Order &order) {
                              order.mutable_rejoin()->set_task(task);
                              order.mutable_rejoin()->set_step(step);
                            })));
    for (const auto &[other, done] : joined)
      if (done.stopped_late())
        return absl::UnavailableError("another task does not go on with it");
    service::Order run;
    run.mutable_run();
    if (!coordinator_.back(*comer_, run))
      continue;
    options_.back(task, peers[task].pid());
    const uint64_t before =
        begin_.begin().first_step() / executor::lanesPerUpdate(plan_, begin_.begin().phase());
    log_(absl::StrCat(peers[task].name(), " is back (process ", peers[task].pid(),
                      "), and goes on with its step ", before + step + 1));
    return absl::OkStatus();
  }
}

/// Those that serve it, on all who live; the first step that one of them has not done whole.
absl::StatusOr<uint64_t> ChiefRejoin::stopLanes(uint32_t task) {
  GRAPHC_ASSIGN_OR_RETURN(auto stopped, give(toPeers(task, [&](service::Order &order) {
                            order.mutable_part()->set_task(task);
                          })));
  std::optional<uint64_t> step;
  for (const auto &[other, done] : stopped) {
    if (done.stopped_late())
      return absl::FailedPreconditionError("what serves it had ended, or does not stop");
    for (const service::LaneStop &stop : done.stopped_at())
      step = std::min(step.value_or(stop.step()), stop.step());
  }
  return step ? absl::StatusOr<uint64_t>(*step) : absl::InternalError("nobody serves it");
}

/// False: it was lost again.
absl::StatusOr<bool> ChiefRejoin::connect(uint32_t task, const std::vector<service::Peer> &peers,
                                          const DatasetSizes &samples) {
  service::Order prepare = prepare_, connect = connect_;
  prepare.mutable_prepare()->clear_peers();
  for (const service::Peer &peer : peers)
    *prepare.mutable_prepare()->add_peers() = peer;
  Orders orders = toPeers(
      task, [&](service::Order &order) { *order.mutable_relink()->mutable_peer() = peers[task]; });
  orders[task] = prepare;
  GRAPHC_ASSIGN_OR_RETURN(auto prepared, give(orders));
  if (!prepared.contains(task))
    return false;
  for (const auto &[other, done] : prepared)
    if (done.stopped_late())
      return absl::UnavailableError("another task cannot make its links with it anew");
  connect.mutable_connect()->clear_paths();
  for (uint32_t other = 0; other < peers.size(); ++other)
    connect.mutable_connect()->add_paths(
        prepared.contains(other) && other != task ? prepared[other].path() : "");
  orders = toPeers(task, [&](service::Order &order) {
    order.mutable_reconnect()->set_task(task);
    order.mutable_reconnect()->set_path(prepared[task].path());
  });
  orders[task] = connect;
  GRAPHC_ASSIGN_OR_RETURN(auto connected, give(orders));
  if (!connected.contains(task))
    return false;
  for (const auto &[other, done] : connected)
    if (other != task && done.stopped_late())
      return coordinator_.hasJoined(task)
                 ? absl::StatusOr<bool>(absl::UnavailableError("another task found no way to it"))
                 : false;
  for (const service::DatasetSize &size : connected[task].datasets())
    if (auto known = samples.find(size.dataset());
        known == samples.end() || known->second != size.samples())
      return absl::FailedPreconditionError("it finds other data than before");
  return true;
}

/// Its variables and its lanes; the phase begins for it at `step`. False: it was lost again.
absl::StatusOr<bool> ChiefRejoin::prepare(uint32_t task, uint64_t step) {
  service::Order resume = begin_;
  resume.mutable_begin()->set_resume_step(step);
  std::vector<service::Order> own = checks_;
  own.insert(own.end(), {initialize_, resume});
  for (const service::Order &order : own) {
    GRAPHC_ASSIGN_OR_RETURN(auto done, give({{task, order}}));
    if (!done.contains(task))
      return false;
  }
  return true;
}

absl::StatusOr<std::map<uint32_t, service::Done>> ChiefRejoin::give(Orders orders) {
  return coordinator_.giveOrders(std::move(orders), absl::Now() + kOrderDeadline, comer_);
}

/// To each that serves it or has a channel with it. A worker is asked for nothing by which another
/// one comes back: it may be stopped meanwhile.
ChiefRejoin::Orders ChiefRejoin::toPeers(uint32_t task,
                                         const std::function<void(service::Order &)> &fill) const {
  Orders orders;
  for (uint32_t peer : peers_.at(task))
    fill(orders[peer]);
  return orders;
}

} // namespace graphc::session
