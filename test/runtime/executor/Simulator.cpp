#include "test/runtime/executor/Simulator.h"

#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/data/PhaseBatches.h"
#include "runtime/executor/PhaseSetup.h"
#include "runtime/transport/ConflatingTransport.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <set>

namespace graphc::executor {
namespace {

/// One for all tasks; single-threaded.
class SimHost final : public LaneCallbacks {
public:
  SimHost(const plan::Plan &plan, const SimOptions &options, SimResult &result)
      : plan_(plan), options_(options), result_(result), datasets_(plan, options.search),
        given_(makeTickets(plan, nullptr, options.phase, options.steps)) {}

  absl::Status openData() {
    for (const plan::Task &task : plan::allTasks(plan_)) {
      GRAPHC_ASSIGN_OR_RETURN(auto one, data::PhaseBatches::create(plan_, options_.phase, task,
                                                                   datasets_, /*prefetch=*/false));
      GRAPHC_RETURN_IF_ERROR(one->start({data::ConsumedRanges(options_.position)}));
      batches_[{task.job(), task.index()}] = std::move(one);
    }
    return absl::OkStatus();
  }
  absl::Status feed(const LaneInfo &lane, uint64_t, std::span<void *const> feeds) override {
    for (size_t i = 0; i < feeds.size(); ++i) {
      const plan::Port &port = lane.program->feeds(int(i));
      auto given = options_.feeds.find(port.name());
      uint64_t bytes = lane.program->buffers(int(port.buffer())).bytes();
      if (given == options_.feeds.end() || given->second.size() != bytes)
        return absl::InvalidArgumentError(
            absl::StrCat("feed ", port.name(), ": expected ", bytes, " bytes"));
      memcpy(feeds[i], given->second.data(), bytes);
    }
    return absl::OkStatus();
  }
  absl::Status nextBatch(const LaneInfo &lane, uint64_t,
                         const plan::Instruction::NextBatch &instruction,
                         std::span<void *const> buffers, uint8_t *valid) override {
    return batches_[{lane.task.job(), lane.task.index()}]->next(lane.instance, instruction, buffers,
                                                                valid);
  }
  ControlMessage decide(const LaneInfo &, uint64_t step) override {
    return {step + 1 >= options_.steps ? ControlAction::EndPhase : ControlAction::Continue,
            EndReason::Finished, 0};
  }
  AsyncUpdateTickets *tickets() override { return given_.get(); }
  absl::Status stepDone(const LaneInfo &lane, const StepResults &results) override {
    result_.steps = std::max(result_.steps, results.step + 1);
    for (size_t i = 0; i < results.fetches.size(); ++i) {
      const plan::Port &port = lane.program->fetches(int(i));
      const plan::Buffer &buffer = lane.program->buffers(int(port.buffer()));
      SimFetch &fetch = result_.fetches[port.name()];
      fetch.type = buffer.type();
      fetch.reduction = port.reduction();
      fetch.replicas.resize(std::max<size_t>(fetch.replicas.size(), lane.instance + 1));
      fetch.replicas[lane.instance].assign(static_cast<const char *>(results.fetches[i]),
                                           buffer.bytes());
    }
    for (size_t i = 0; i < results.metricSums.size(); ++i) {
      const plan::Metric &port = lane.program->metrics(int(i));
      SimMetric &metric = result_.metrics[port.name()];
      bool integer = lane.program->buffers(int(port.sum())).type().dtype() == plan::I64;
      metric.sum += integer ? double(*static_cast<const int64_t *>(results.metricSums[i]))
                            : *static_cast<const double *>(results.metricSums[i]);
      metric.count += *static_cast<const int64_t *>(results.metricCounts[i]);
    }
    return absl::OkStatus();
  }

private:
  const plan::Plan &plan_;
  const SimOptions &options_;
  SimResult &result_;
  data::DatasetCache datasets_;
  std::unique_ptr<AsyncUpdateTickets> given_;
  std::map<std::pair<uint32_t, uint32_t>, std::unique_ptr<data::PhaseBatches>> batches_;
};

/// A task's own slots, and its end of the network.
class TaskTransport final : public transport::Transport {
public:
  TaskTransport(std::unique_ptr<transport::ConflatingTransport> slots,
                transport::Transport &network)
      : slots_(std::move(slots)), network_(network) {}
  transport::SendPort *sender(transport::ChannelKey key) override {
    transport::SendPort *own = slots_->sender(key);
    return own ? own : network_.sender(key);
  }
  transport::RecvPort *receiver(transport::ChannelKey key) override {
    transport::RecvPort *own = slots_->receiver(key);
    return own ? own : network_.receiver(key);
  }
  transport::TransportCounters counters() const override { return network_.counters(); }
  void abort(absl::Status why) override {
    network_.abort(why);
    slots_->abort(why);
  }
  absl::Status status() const override { return network_.status(); }
  absl::Status reset(uint64_t generation) override { return network_.reset(generation); }

private:
  std::unique_ptr<transport::ConflatingTransport> slots_;
  transport::Transport &network_;
};

class Simulation {
public:
  Simulation(const plan::Plan &plan, SimVariables &variables, const SimOptions &options)
      : plan_(plan), variables_(variables), options_(options), tasks_(plan::allTasks(plan)),
        events_(options.seed), network_(events_, {options.maxDelay, options.loss}),
        host_(plan, options, result_) {}

  SimResult run() {
    if (absl::Status status = setUp(); !status.ok())
      result_.status = status;
    else
      loop();
    for (size_t i = 0; i < tasks_.size(); ++i)
      result_.counters += network_.task(uint32_t(i)).counters();
    return std::move(result_);
  }

private:
  struct Actor {
    std::unique_ptr<Lane> lane;
    size_t task = 0;
    bool ended = false, scheduled = false;
  };
  absl::Status setUp();
  void loop();
  void schedule(Actor &actor) {
    if (actor.ended || std::exchange(actor.scheduled, true))
      return;
    events_.after(events_.upTo(options_.maxDelay), [this, &actor] {
      actor.scheduled = false;
      if (!actor.ended)
        turn(actor);
    });
  }
  void turn(Actor &actor);
  void failed(const absl::Status &status, size_t reporter);
  void abortOthers(absl::Status why, size_t exceptTask);
  std::string stuck() const;

  const plan::Plan &plan_;
  SimVariables &variables_;
  const SimOptions &options_;
  std::vector<plan::Task> tasks_;
  EventQueue events_;
  SimNetwork network_;
  SimResult result_;
  SimHost host_;
  std::unique_ptr<LoadedKernels> library_;
  std::deque<TaskTransport> transports_; ///< by task
  std::vector<std::unique_ptr<Actor>> actors_;
};

absl::Status Simulation::setUp() {
  GRAPHC_RETURN_IF_ERROR(host_.openData());
  std::vector<uint32_t> programs(plan_.phases(int(options_.phase)).programs().begin(),
                                 plan_.phases(int(options_.phase)).programs().end());
  GRAPHC_ASSIGN_OR_RETURN(library_, LoadedKernels::load(plan_, programs));
  std::vector<std::vector<transport::ChannelSpec>> conflating(tasks_.size());
  for (size_t i = 0; i < tasks_.size(); ++i)
    for (const ChannelEndpoint &endpoint : taskEndpoints(plan_, tasks_[i]))
      if (endpoint.sends && endpoint.phase == options_.phase && endpoint.spec.conflating)
        conflating[i].push_back(endpoint.spec);
      else if (endpoint.sends && endpoint.phase == options_.phase)
        network_.addChannel(endpoint.spec, uint32_t(i), plan::taskNumber(plan_, endpoint.peer),
                            plan_.channels(int(endpoint.spec.key.channel)).name());
  for (size_t i = 0; i < tasks_.size(); ++i) {
    GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<transport::ConflatingTransport> own,
                            transport::ConflatingTransport::create(conflating[i]));
    own->changed = [this](const transport::ConflatingReceiver &) {
      // the receivers of a channel wake together
      for (auto &actor : actors_)
        if (dynamic_cast<const transport::ConflatingReceiver *>(actor->lane->port()))
          schedule(*actor);
    };
    transports_.emplace_back(std::move(own), network_.task(uint32_t(i)));
    GRAPHC_ASSIGN_OR_RETURN(auto lanes, makeLanes({plan_, tasks_[i], variables_.task(i), *library_,
                                                   transports_.back(), host_},
                                                  options_.phase));
    for (auto &lane : lanes) {
      actors_.push_back(std::make_unique<Actor>());
      actors_.back()->lane = std::move(lane);
      actors_.back()->task = i;
    }
  }
  // A port that changed may let its lane go on; that it may not is worth trying too (spurious
  // wake-ups).
  network_.changed = [this](const transport::Port *port) {
    for (auto &actor : actors_)
      if (actor->lane->port() == port || events_.chance(0.02))
        schedule(*actor);
  };
  if (AsyncUpdateTickets *tickets = host_.tickets())
    tickets->woken = [this, tickets] {
      for (auto &actor : actors_)
        if (actor->lane->port() == &tickets->port(actor->lane->info().instance))
          schedule(*actor);
    };
  network_.lost = [this](const std::string &channel, uint32_t from, uint32_t to) {
    events_.after(options_.detection, [this, channel, from, to] {
      abortOthers(absl::UnavailableError(absl::StrCat(
                      "the connection from ", plan::taskText(plan_, tasks_[from]), " to ",
                      plan::taskText(plan_, tasks_[to]), " broke (", channel, ")")),
                  tasks_.size());
    });
  };
  return absl::OkStatus();
}

void Simulation::failed(const absl::Status &status, size_t reporter) {
  if (result_.status.ok() || (absl::IsAborted(result_.status) && !absl::IsAborted(status)))
    result_.status = status;
  abortOthers(absl::AbortedError(std::string(status.message())), reporter);
}

void Simulation::abortOthers(absl::Status why, size_t except) {
  for (size_t i = 0; i < tasks_.size(); ++i)
    if (i != except)
      events_.after(events_.upTo(options_.maxDelay), [this, i, why] {
        transports_[i].abort(why);
        for (auto &actor : actors_)
          if (actor->task == i && actor->lane->takesTickets())
            host_.tickets()->abort(why);
      });
}

void Simulation::turn(Actor &actor) {
  ++result_.turns;
  if (events_.chance(options_.death)) {
    size_t dead = actor.task;
    network_.kill(uint32_t(dead));
    for (auto &other : actors_)
      if (other->task == dead)
        other->ended = true;
    absl::Status why =
        absl::UnavailableError(absl::StrCat(plan::taskText(plan_, tasks_[dead]), " died"));
    events_.after(options_.detection, [this, why, dead] { failed(why, dead); });
    return;
  }
  switch (actor.lane->run()) {
  case LaneState::Blocked:
    if (dynamic_cast<QueuePort *>(actor.lane->port())) {
      // of a device, which has a thread and a time of its own
      actor.lane->wait(absl::Milliseconds(100));
      schedule(actor);
    }
    return; // until its port changes
  case LaneState::StepDone:
    schedule(actor);
    return;
  case LaneState::PhaseEnded:
    actor.ended = true;
    return;
  case LaneState::Failed:
    actor.ended = true;
    failed(actor.lane->status(), actor.task);
    return;
  }
}

std::string Simulation::stuck() const {
  std::string text = "stuck:";
  for (const auto &actor : actors_)
    if (!actor->ended)
      absl::StrAppend(&text, "\n  ", actor->lane->describeWait());
  return text;
}

void Simulation::loop() {
  for (auto &actor : actors_)
    schedule(*actor);
  while (!events_.empty() && result_.turns <= options_.mostTurns)
    events_.runNext();
  if (!events_.empty())
    result_.status = absl::InternalError(absl::StrCat("runs on after ", result_.turns, " turns"));
  else if (!std::all_of(actors_.begin(), actors_.end(),
                        [](const auto &actor) { return actor->ended; }))
    result_.status = absl::InternalError(stuck());
}

} // namespace

absl::StatusOr<SimVariables> SimVariables::create(const plan::Plan &plan) {
  SimVariables variables;
  for (const plan::Task &task : plan::allTasks(plan)) {
    GRAPHC_ASSIGN_OR_RETURN(auto store, VariableStore::create(plan, task));
    store->initialize();
    variables.stores_.push_back(std::move(store));
  }
  return variables;
}

std::span<uint8_t> SimVariables::data(uint32_t variable) {
  for (auto &store : stores_)
    if (store->owns(variable))
      return store->data(variable);
  return {};
}

absl::Status SimVariables::copyDevices(bool to) {
  for (auto &store : stores_)
    GRAPHC_RETURN_IF_ERROR(to ? store->toDevices() : store->fromDevices());
  return absl::OkStatus();
}

SimResult simulate(const plan::Plan &plan, SimVariables &variables, const SimOptions &options) {
  SimResult result;
  result.status = variables.copyDevices(/*to=*/true);
  if (!result.status.ok())
    return result;
  result = Simulation(plan, variables, options).run(); // its lanes have ended with it
  if (absl::Status status = variables.copyDevices(/*to=*/false); !status.ok() && result.status.ok())
    result.status = status;
  return result;
}

} // namespace graphc::executor
