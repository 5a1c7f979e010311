#include "runtime/session/task/OrderExecutor.h"

#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/common/plan/VerifyCommit.h"
#include "runtime/device/Device.h"
#include "runtime/executor/DeviceMemoryCheck.h"
#include "runtime/executor/LaneRunner.h"
#include "runtime/observe/ProcessInfo.h"
#include "runtime/session/hangs/WaitGraph.h"
#include "runtime/session/peers/AnswerConsistency.h"
#include "runtime/session/progress/StreamPositions.h"
#include "runtime/session/results/PlanArguments.h"

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

#include <algorithm>
#include <set>

namespace graphc::session {
namespace {
constexpr absl::Duration kConnectDeadline = absl::Seconds(30);
/// Less than the launcher gives those that end (TaskLauncher.cpp), and more than a core with ten
/// times its work takes.
constexpr absl::Duration kDrainLimit = absl::Seconds(1);
/// After a failure of its own or a broken stream a task waits so long for the master's word on what
/// the cause is.
constexpr absl::Duration kVerdictDeadline = absl::Seconds(3);
constexpr uint64_t kMostWaitMs = uint64_t{1000} * 3600 * 24 * 365;

service::Error toProto(const TaskFailure &failure) {
  service::Error error;
  error.set_code(static_cast<int>(failure.status.code()));
  error.set_message(base::describe(failure.status));
  error.set_secondary(failure.secondary);
  error.set_suspect(failure.suspect);
  return error;
}
} // namespace

OrderExecutor::OrderExecutor(const plan::LoadedPlan &plan, TaskOptions options,
                             service::ControlLink &link)
    : loaded_(plan), plan_(plan.plan), options_(std::move(options)),
      task_(plan::allTasks(plan_)[options_.task]), name_(plan::taskText(plan_, task_)), link_(link),
      orders_(plan_, options_.task, options_.transport.incarnation),
      datasets_(options_.datasets ? options_.datasets
                                  : std::make_shared<data::DatasetCache>(plan_, options_.data)),
      pool_(options_.intraOpThreads), steps_(options_.stepping, link) {
  link_.onEnd([this](absl::Status why) {
    // anything else is the master's refusal of this task
    bool secondary = absl::IsAborted(why) || absl::IsUnavailable(why);
    fail({std::move(why), secondary, ""});
  });
  if (options_.recorder)
    options_.recorder->watch([this]() -> std::optional<std::vector<service::LanePosition>> {
      if (failedBefore(absl::InfiniteFuture())) // lanes wake, and go
        return std::nullopt;
      const service::Progress now = progress();
      return std::vector<service::LanePosition>(now.lanes().begin(), now.lanes().end());
    });
  link_.onStop([this](uint64_t generation) {
    stopGeneration_.store(generation, std::memory_order_relaxed);
  });
  link_.onGone([this](const service::Gone &process) { gone(process); });
  link_.onPermit([this](const service::ToTask::StepPermit &permit) {
    if (absl::Status status = steps_.permit(permit); !status.ok())
      fail({status, false, ""});
  });
}

OrderExecutor::~OrderExecutor() {
  link_.onEnd(nullptr);
  link_.onStop(nullptr);
  link_.onGone(nullptr);
  link_.onPermit(nullptr);
  if (options_.recorder)
    options_.recorder->watch({});
  endPhase();
  keep();
}

/// For the next session of this process: the code, and the variables where nobody else holds on to
/// them and they are whole.
void OrderExecutor::keep() {
  if (!options_.kept || leftBehind_ || ended_)
    return;
  options_.kept->library = std::move(library_);
  if (!state_.held())
    return;
  {
    base::MutexLock lock(mutex_);
    abortable_ = nullptr;
  }
  transports_.reset(); // which have shown others their memory
  options_.kept->variables = std::move(variables_);
  options_.kept->held = *state_.held();
}

/// On any thread. The first failure is kept; transports, results under way and the running phase
/// are aborted, which wakes every lane.
void OrderExecutor::fail(TaskFailure failure) {
  transport::Transport *abortable;
  std::shared_ptr<PhaseCallbacks> host;
  std::shared_ptr<TaskRejoin> returns;
  absl::Status status = failure.status;
  {
    base::MutexLock lock(mutex_);
    if (ended_)
      return; // the others are going, one by one
    abortable = abortable_;
    host = running_;
    returns = returns_;
    if (!failure_) {
      failure_ = std::move(failure);
      failedAt_ = absl::Now();
    }
  }
  if (abortable)
    abortable->abort(status);
  device::wakeAll(); // lanes that wait for a queue see that
  link_.backlog().abort(status);
  if (returns)
    returns->parking().abort();
  if (host)
    host->abort(status);
}

service::Progress OrderExecutor::progress() const {
  service::Progress message;
  message.set_stop_requested(stop_.load(std::memory_order_relaxed));
  message.set_end_asked(endAsked_.load(std::memory_order_relaxed));
  std::shared_ptr<PhaseCallbacks> host;
  {
    base::MutexLock lock(mutex_);
    host = running_;
    if (host)
      for (const StandingLane &lane : laneWatch_.look(lanes_, absl::Now()))
        *message.add_lanes() = toProto(lane);
  }
  if (host) {
    PhaseCallbacks::Progress now = host->progress();
    message.set_steps(now.steps);
    message.set_tickets(now.tickets);
    message.set_loss_sum(now.lossSum);
    message.set_loss_count(now.lossCount);
    message.set_loss_epoch(now.lossEpoch);
    message.set_not_finite(now.notFinite);
  }
  return message;
}

std::optional<TaskFailure> OrderExecutor::failedBefore(absl::Time time) const {
  base::MutexLock lock(mutex_);
  return failedAt_ < time ? failure_ : std::nullopt;
}

std::string OrderExecutor::stateOf(const std::string &task) const {
  const std::optional<int64_t> process = near_.find(task);
  return process && observe::isStopped(*process)
             ? absl::StrCat("; its process ", *process, " is ", kStopped)
             : "";
}

/// The session's thread: takes an order, obeys, answers. After a failure it answers with that, and
/// waits for what the master says the cause is.
std::optional<TaskFailure> OrderExecutor::run() {
  while (true) {
    absl::StatusOr<service::ToTask> message = link_.receive(absl::InfiniteFuture());
    if (!message.ok())
      break; // the link's end was reported to fail() already
    if (message->has_release()) {
      if (!ended_)
        fail({absl::InvalidArgumentError("the chief let this task go before the end of the run"),
              false, ""});
      break;
    }
    if (message->has_waiting()) {
      options_.log(service::waitingText(message->waiting()));
      continue;
    }
    if (!message->has_order())
      continue;
    service::FromTask answer;
    Done &done = *answer.mutable_done();
    done.set_id(message->order().id());
    absl::Status status = obey(message->order(), &done);
    if (!status.ok()) {
      TaskFailure failure{status, false, ""};
      fail(failure);
      {
        base::MutexLock lock(mutex_);
        if (failure_)
          failure = *failure_; // what came first, which may be a peer's broken stream
      }
      if (link_.ended().ok()) {
        *done.mutable_error() = toProto(failure);
        link_.send(std::move(answer));
        // The master answers with an abort that names the cause; what it says replaces a mere
        // suspicion.
        absl::Time deadline = absl::Now() + kVerdictDeadline;
        while (link_.receive(deadline).ok()) {
        }
      }
      if (failure.secondary && absl::IsAborted(link_.ended()))
        failure.status = link_.ended();
      endPhase();
      return failure;
    }
    link_.send(std::move(answer));
  }
  if (ended_)
    return std::nullopt;
  endPhase();
  TaskFailure ended{link_.ended(), true, ""};
  base::MutexLock lock(mutex_);
  return failure_ ? *failure_ : ended;
}

/// An order that may not come now, or says what cannot be, is refused before anything is done
/// (OrderValidator.h).
absl::Status OrderExecutor::obey(const Order &order, Done *done) {
  GRAPHC_RETURN_IF_ERROR(orders_.take(order));
  note("order: " + orderName(order));
  switch (order.kind_case()) {
  case Order::kPrepare:
    return prepare(order.prepare(), done);
  case Order::kConnect:
    return connect(order.connect(), done);
  case Order::kCopy:
    return state_.copy(*variables_, options_.task, order.copy(), done);
  case Order::kInitialize:
    GRAPHC_RETURN_IF_ERROR(takeAlgorithms(plan_, order.initialize(), *library_));
    steps_.restored(order.initialize().restore_from());
    GRAPHC_RETURN_IF_ERROR(state_.initialize(order.initialize()));
    return files_->initialize(order.initialize(), done);
  case Order::kBegin:
    return begin(order.begin());
  case Order::kRun:
    return runPhase(done);
  case Order::kSave:
    return files_->save(order.save(), done);
  case Order::kCheck:
    return files_->check(order.check());
  case Order::kRelink:
    return relink(order.relink().peer(), done);
  case Order::kPart:
  case Order::kReconnect:
  case Order::kRejoin:
    if (returns_) // the heartbeat looks at lanes under that mutex
      return returns_->obey(
          order, lanes_, *transports_, mutex_,
          [this](size_t lane) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { laneWatch_.movedOn(lane); },
          done);
    // the phase has ended here
    done->set_stopped_late(servesTask(plan_, phase_, options_.task, taskOf(order)));
    return absl::OkStatus();
  case Order::kDump:
    return files_->dump(order.dump());
  case Order::kEnd:
    wasStopped_ = order.end().stopped();
    end(done);
    return absl::OkStatus();
  case Order::KIND_NOT_SET:
    break;
  }
  return absl::InternalError("an order that was taken is of no kind");
}

/// Looks whether there is memory, loads the code, makes the variables, listens for the other tasks;
/// answers where.
absl::Status OrderExecutor::prepare(const Order::Prepare &order, Done *done) {
  peers_.assign(order.peers().begin(), order.peers().end());
  steps_.prepare(order);
  nanStops_ = order.nan_stops();
  waitLimit_ = order.wait_limit_ms()
                   ? absl::Milliseconds(std::min<uint64_t>(order.wait_limit_ms(), kMostWaitMs))
                   : options_.deadline;
  GRAPHC_RETURN_IF_ERROR(executor::checkDeviceMemory(plan_, task_));
  GRAPHC_ASSIGN_OR_RETURN(library_, loadCode(plan_, task_, options_.kept.get(), &pool_));
  GRAPHC_ASSIGN_OR_RETURN(variables_,
                          state_.resume(plan_, task_, options_.kept.get(), order.run(), done));
  files_.emplace(plan_, task_, *variables_);
  if (options_.recorder)
    options_.recorder->begin(order.run());
  TransportOptions transport = options_.transport;
  transport.kind = order.transport();
  transport.run = order.run();
  transport.task = options_.task;
  transport.fingerprint = loaded_.fingerprint;
  transport.broken = [this](const std::string &peer, absl::Status why) {
    fail({std::move(why), true, peer});
  };
  transport.spared = [this](uint32_t peer, uint64_t incarnation, const absl::Status &why) {
    return spares(peer, incarnation, why);
  };
  GRAPHC_ASSIGN_OR_RETURN(transports_,
                          TaskTransports::prepare(plan_, peers_, variables_->zeroCopy().memory(),
                                                  std::move(transport)));
  done->set_path(transports_->path());
  for (const auto &[kernel, text] : library_->algorithms()) {
    service::Algorithm &one = *done->add_algorithms();
    one.set_kernel(kernel);
    one.set_text(text);
  }
  for (const service::Peer &peer : peers_)
    near_.add(peer);
  base::MutexLock lock(mutex_);
  abortable_ = &transports_->all();
  return failure_ ? failure_->status : absl::OkStatus();
}

/// Connects to every task; opens the data and answers how many samples there are.
absl::Status OrderExecutor::connect(const Order::Connect &order, Done *done) {
  GRAPHC_RETURN_IF_ERROR(transports_->connect({order.paths().begin(), order.paths().end()},
                                              absl::Now() + kConnectDeadline));
  GRAPHC_RETURN_IF_ERROR(transports_->pinMessages(plan_, task_, options_.warn));
  GRAPHC_RETURN_IF_ERROR(openDatasets(
      plan_, task_, {order.phases().data(), size_t(order.phases_size())}, *datasets_, *done));
  for (const service::DatasetSize &size : done->datasets())
    orders_.reads(size.dataset(), size.samples());
  return absl::OkStatus();
}

/// Channels empty again, data at its position, a host and lanes for the phase: all but running.
absl::Status OrderExecutor::begin(const Order::Begin &order) {
  endPhase();
  phase_ = order.phase();
  const plan::Phase &phase = plan_.phases(static_cast<int>(phase_));
  GRAPHC_RETURN_IF_ERROR(transports_->all().reset(order.generation()));
  GRAPHC_RETURN_IF_ERROR(checkFeeds(plan_, phase, task_, options_.feeds));
  GRAPHC_ASSIGN_OR_RETURN(batches_, data::PhaseBatches::create(plan_, phase_, task_, *datasets_));
  std::vector<uint64_t> positions = {order.position()};
  positions.insert(positions.end(), order.other_positions().begin(), order.other_positions().end());
  GRAPHC_RETURN_IF_ERROR(batches_->start(takenOf(order), order.resume_step()));

  if (phase.role() == plan::TRAIN && plan::recoversFromMemory(plan_) &&
      !variables_->stored().empty())
    state_.begin(order.first_step(), positions);

  uint64_t sharing = executor::lanesPerUpdate(plan_, phase_);
  PhaseRun run;
  run.phase = phase_;
  run.firstStep = order.first_step() / sharing;
  run.stepsBefore = order.first_step();
  run.steps = order.steps();
  run.position = order.position();
  if (order.epoch_samples()) {
    const std::vector<data::SampleStream> streams = data::streamsOf(plan_, phase_);
    run.walk = {order.epoch_samples(), phase.samples_per_step() * sharing,
                !streams.empty() && streams.front().padded};
  }
  PhaseCallbacks::Options host;
  host.feeds = options_.feeds;
  host.nanStops = nanStops_;
  steps_.direct(phase, host);
  if (order.has_reports()) {
    host.reports = order.reports();
    host.schedules = &schedules_;
    host.reported = [this](const executor::LaneInfo &lane, uint64_t step, service::Report report) {
      link_.send(reportMessage(lane, step, std::move(report)));
    };
    host.untaken = &link_.backlog();
  }
  host.stopRequested = [this, generation = order.generation()] {
    return stopGeneration_.load(std::memory_order_relaxed) == generation;
  };
  host.firstStepDone = [this] { stats_.firstStep(); };
  host_ = std::make_shared<PhaseCallbacks>(plan_, task_, run, batches_.get(), std::move(host));
  executor::FrameOptions frame;
  frame.pool = &pool_;
  GRAPHC_ASSIGN_OR_RETURN(
      lanes_, executor::makeLanes({plan_, task_, *variables_, *library_, transports_->all(), *host_,
                                   frame, options_.recorder ? &options_.recorder->lanes() : nullptr,
                                   run.firstStep},
                                  phase_));
  for (const auto &lane : lanes_)
    lane->startAt(order.resume_step());
  traces_.begin(lanes_, order);
  steps_.begin(phase, order.first_step(),
               static_cast<size_t>(std::count_if(lanes_.begin(), lanes_.end(),
                                                 [](auto &lane) { return lane->isStepped(); })));
  base::MutexLock lock(mutex_);
  laneWatch_.reset();
  running_ = host_;
  returns_ = order.rejoinable() ? std::make_shared<TaskRejoin>(plan_, phase_, order.generation())
                                : nullptr;
  return failure_ ? failure_->status : absl::OkStatus();
}

/// What the chief says while lanes run beside this thread. What cannot be obeyed then is no failure
/// of this task.
void OrderExecutor::obeyBeside(const service::ToTask &message) {
  if (message.has_release())
    fail({absl::InvalidArgumentError("the chief let this task go before the end of the run"), false,
          ""});
  if (!message.has_order())
    return;
  const Order &order = message.order();
  service::FromTask answer;
  Done &done = *answer.mutable_done();
  if (!order.has_part() && !order.has_relink() && !order.has_reconnect() && !order.has_rejoin())
    fail({absl::InvalidArgumentError(
              absl::StrCat("the chief orders ", orderName(order), " while a phase runs")),
          false, ""});
  else if (absl::Status obeyed = obey(order, &done); !obeyed.ok()) {
    done.Clear();
    done.set_stopped_late(true);
    options_.warn(absl::StrCat("order ", orderName(order), ": ", base::describe(obeyed)));
  }
  done.set_id(order.id());
  link_.send(std::move(answer));
}

absl::Status OrderExecutor::relink(const service::Peer &peer, Done *done) {
  peers_[peer.task()] = peer;
  GRAPHC_ASSIGN_OR_RETURN(const std::string path, transports_->relink(plan_, peers_, peer.task()));
  done->set_path(path);
  near_.add(peer);
  return absl::OkStatus();
}

/// On a gRPC thread. The chief hears that the connection broke, in case the peer lives.
bool OrderExecutor::spares(uint32_t peer, uint64_t incarnation, const absl::Status &why) {
  {
    base::MutexLock lock(mutex_);
    if (!returns_ || !returns_->mayReturn(peer) || failure_ || ended_)
      return false;
  }
  service::FromTask message;
  service::Error &error = *message.mutable_failed();
  error = toProto({why, true, plan::taskText(plan_, plan::allTasks(plan_)[peer])});
  error.set_spared(true);
  error.set_incarnation(incarnation);
  link_.send(std::move(message));
  return true;
}

void OrderExecutor::gone(const service::Gone &process) {
  TaskTransports *transports;
  {
    base::MutexLock lock(mutex_);
    transports = abortable_ ? transports_.get() : nullptr;
  }
  if (transports)
    transports->gone(process.task(), process.incarnation());
}

/// Runs the lanes to the phase's end; answers steps, losses and metrics.
absl::Status OrderExecutor::runPhase(Done *done) {
  executor::LaneRunOptions options;
  options.reportAfter = options_.reportAfter;
  options.deadline = returns_ ? TaskRejoin::waitLimit(waitLimit_) : waitLimit_;
  options.onWait = [this](const executor::WaitReport &report) {
    std::string text = absl::StrCat(
        report.text, ", for ", absl::FormatDuration(absl::Trunc(report.since, absl::Seconds(1))));
    options_.warn(text);
    note(text);
  };
  options.onFailure = [this](const executor::Lane &, const absl::Status &status) {
    // Aborted: the lane only heard of it, whoever aborted the transports has said why.
    fail({status, absl::IsAborted(status), ""});
  };
  transport::TransportCounters before = transports_->all().counters();
  absl::Time start = absl::Now();
  options.parking = returns_ ? &returns_->parking() : nullptr;
  auto run = [&] { return executor::runLanes(lanes_, options); };
  absl::Status status =
      returns_ ? TaskRejoin::runAside(link_, run,
                                      [this](const service::ToTask &said) { obeyBeside(said); })
               : run();
  absl::Duration took = absl::Now() - start;
  noteWhole();
  {
    base::MutexLock lock(mutex_);
    if (failure_)
      return failure_->status;
  }
  GRAPHC_RETURN_IF_ERROR(status);
  const plan::Phase &phase = plan_.phases(static_cast<int>(phase_));
  steps_.finish(phase, host_->steps());
  done->set_steps(phase.ends_by_end_of_stream() ? host_->progress().tickets : host_->steps());
  host_->answer(*done);
  stats_.add(phase, *host_, lanes_, took, before, transports_->all().counters());
  traces_.send(lanes_, link_);
  endPhase();
  return absl::OkStatus();
}

/// The lanes of a phase have ended or failed. Other phases than training leave the variables as
/// they are.
void OrderExecutor::noteWhole() {
  if (!state_.held() || plan_.phases(static_cast<int>(phase_)).role() != plan::TRAIN)
    return;
  // One lane, by the plan (VerifyCommit.h); none of a task that is no replica, and has no variable.
  state_.ended(lanes_.size() == 1 ? lanes_.front()->wholeSteps() : std::nullopt);
}

/// Takes lanes, host and data apart. After a failure whatever gRPC may still read, or a device
/// touch, stays until the process ends.
void OrderExecutor::endPhase() {
  {
    base::MutexLock lock(mutex_);
    running_.reset();
    returns_.reset();
  }
  if (batches_)
    batches_->stop();
  const bool failed = failedBefore(absl::InfiniteFuture()).has_value();
  // After a failure gRPC may still hold slices of the arenas, and a peer that hangs may never take
  // them; and so may a device that hangs.
  const bool isRead = failed && transports_ && !transports_->shutdown(kDrainLimit);
  if (isRead || (failed && !executor::becomeIdle(lanes_, kDrainLimit))) {
    for (auto &lane : lanes_)
      (void)lane.release(); // on purpose: the process is about to end
    traces_.leave();
    lanes_.clear(); // they are asked no more
    base::MutexLock lock(mutex_); // gone() may look
    (void)transports_.release();
    leftBehind_ = true;
    return;
  }
  lanes_.clear();
  traces_.clear();
  host_.reset();
  batches_.reset();
}

/// Nothing that follows is a failure of this task: the others go, one by one.
void OrderExecutor::end(Done *done) {
  done->set_stats(stats_.text(library_.get()));
  base::MutexLock lock(mutex_);
  ended_ = true;
}

} // namespace graphc::session
