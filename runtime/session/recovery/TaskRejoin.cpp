#include "runtime/session/recovery/TaskRejoin.h"

#include "runtime/common/base/StartThread.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/executor/RejoinableTasks.h"

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

#include <atomic>
#include <thread>

namespace graphc::session {
namespace {
/// A kernel ends before a lane stops.
constexpr absl::Duration kStopDeadline = absl::Seconds(30);
constexpr absl::Duration kConnectDeadline = absl::Seconds(30);
} // namespace

TaskRejoin::TaskRejoin(const plan::Plan &plan, uint32_t phase, uint64_t generation)
    : plan_(plan), generation_(generation) {
  const std::vector<std::string> why = executor::whyNoRejoin(plan, phase);
  for (uint32_t task = 0; task < why.size(); ++task)
    if (why[task].empty())
      tasks_.insert(task);
}

absl::Status TaskRejoin::obey(const service::Order &order, Lanes lanes, TaskTransports &transports,
                              base::Mutex &looks, const std::function<void(size_t)> &moved,
                              service::Done *done) {
  if (order.has_part())
    return part(order.part().task(), lanes, transports.all(), done);
  if (order.has_rejoin())
    return rejoin(order.rejoin(), lanes, transports, looks, moved);
  // From now on those channels are the new ones, empty.
  return transports.reconnect(order.reconnect().task(), order.reconnect().path(), generation_,
                              absl::Now() + kConnectDeadline);
}

/// The lanes that serve that task stop where they have to wait; where, goes into the answer.
absl::Status TaskRejoin::part(uint32_t task, Lanes lanes, transport::Transport &transport,
                              service::Done *done) {
  const std::set<uint32_t> replicas = executor::replicasOf(plan_, plan::allTasks(plan_)[task]);
  parking_.ask(replicas);
  transport.wake();
  const absl::Time deadline = absl::Now() + kStopDeadline;
  for (const auto &lane : lanes) {
    if (!replicas.contains(lane->info().instance))
      continue;
    executor::LanePoint point;
    const executor::LanePause::Where where =
        parking_.await(lane.get(), deadline, [&] { point = lane->done(); });
    if (where == executor::LanePause::Where::Runs)
      return absl::DeadlineExceededError(absl::StrCat(lane->info().name, " does not stop"));
    if (where == executor::LanePause::Where::Ended)
      done->set_stopped_late(true);
    service::LaneStop &stop = *done->add_stopped_at();
    stop.set_step(point.step);
    stop.set_instruction(point.instruction);
  }
  return absl::OkStatus();
}

/// They go on at the begin of that step, by the links that were made anew.
absl::Status TaskRejoin::rejoin(const service::Order::Rejoin &order, Lanes lanes,
                                TaskTransports &transports, base::Mutex &looks,
                                const std::function<void(size_t)> &moved) {
  const std::set<uint32_t> replicas =
      executor::replicasOf(plan_, plan::allTasks(plan_)[order.task()]);
  for (size_t i = 0; i < lanes.size(); ++i)
    if (const auto &lane = lanes[i]; replicas.contains(lane->info().instance)) {
      absl::Status status;
      base::MutexLock lock(looks);
      if (!parking_.whileStanding(lane.get(),
                                  [&] { status = lane->rejoin(transports.all(), order.step()); }))
        return absl::AbortedError(absl::StrCat(lane->info().name, " does not stand"));
      GRAPHC_RETURN_IF_ERROR(status);
      moved(i);
    }
  transports.settle(order.task()); // no lane has a port of the earlier links any more
  parking_.letGo(replicas);
  return absl::OkStatus();
}

absl::Status TaskRejoin::runAside(service::ControlLink &link,
                                  const std::function<absl::Status()> &run,
                                  const std::function<void(const service::ToTask &)> &take) {
  std::atomic<bool> over{false};
  absl::Status status;
  GRAPHC_ASSIGN_OR_RETURN(std::thread lanes, base::startThread("the lanes'", [&] {
                            status = run();
                            over.store(true);
                            link.wake();
                          }));
  while (!over.load()) {
    absl::StatusOr<service::ToTask> message = link.receive(absl::InfiniteFuture());
    if (!message.ok())
      break; // the session has heard of it, and the lanes end
    take(*message);
  }
  lanes.join();
  return status;
}

uint32_t taskOf(const service::Order &order) {
  return order.has_part()     ? order.part().task()
         : order.has_rejoin() ? order.rejoin().task()
                              : order.reconnect().task();
}

bool servesTask(const plan::Plan &plan, uint32_t phase, uint32_t self, uint32_t task) {
  const std::vector<plan::Task> tasks = plan::allTasks(plan);
  const std::set<uint32_t> replicas = executor::replicasOf(plan, tasks[task]);
  for (uint32_t index : plan.phases(static_cast<int>(phase)).programs()) {
    const plan::Program &program = plan.programs(static_cast<int>(index));
    for (uint32_t replica : replicas)
      if (!program.spread() && replica < program.instances() &&
          plan::sameTask(plan::instanceTask(plan, program, replica), tasks[self]))
        return true;
  }
  return false;
}

} // namespace graphc::session
