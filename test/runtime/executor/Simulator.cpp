#include "test/runtime/executor/Simulator.h"

#include "runtime/common/base/Status.h"
#include "runtime/common/plan/Types.h"
#include "runtime/data/PhaseBatches.h"
#include "runtime/executor/TaskPhase.h"
#include "runtime/transport/Conflating.h"

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
      : plan(plan), options(options), result(result), datasets(plan, options.search),
        given(makeTickets(plan, nullptr, options.phase, options.steps)) {}

  absl::Status openData() {
    for (const plan::Task &task : plan::allTasks(plan)) {
      GRAPHC_ASSIGN_OR_RETURN(auto one,
                              data::PhaseBatches::create(plan, options.phase, task, datasets, /*prefetch=*/false));
      GRAPHC_RETURN_IF_ERROR(one->start({data::ConsumedRanges(options.position)}));
      batches[{task.job(), task.index()}] = std::move(one);
    }
    return absl::OkStatus();
  }
  absl::Status feed(const LaneInfo &lane, uint64_t, std::span<void *const> feeds) override {
    for (size_t i = 0; i < feeds.size(); ++i) {
      const plan::Port &port = lane.program->feeds(int(i));
      auto given = options.feeds.find(port.name());
      uint64_t bytes = lane.program->buffers(int(port.buffer())).bytes();
      if (given == options.feeds.end() || given->second.size() != bytes)
        return absl::InvalidArgumentError(absl::StrCat("feed ", port.name(), ": expected ", bytes, " bytes"));
      memcpy(feeds[i], given->second.data(), bytes);
    }
    return absl::OkStatus();
  }
  absl::Status nextBatch(const LaneInfo &lane, uint64_t, const plan::Instruction::NextBatch &instruction,
                         std::span<void *const> buffers, uint8_t *valid) override {
    return batches[{lane.task.job(), lane.task.index()}]->next(lane.instance, instruction, buffers, valid);
  }
  ControlMessage decide(const LaneInfo &, uint64_t step) override {
    return {step + 1 >= options.steps ? ControlAction::EndPhase : ControlAction::Continue, EndReason::Finished, 0};
  }
  UpdateTickets *tickets() override { return given.get(); }
  absl::Status stepDone(const LaneInfo &lane, const StepResults &results) override {
    result.steps = std::max(result.steps, results.step + 1);
    for (size_t i = 0; i < results.fetches.size(); ++i) {
      const plan::Port &port = lane.program->fetches(int(i));
      const plan::Buffer &buffer = lane.program->buffers(int(port.buffer()));
      SimFetch &fetch = result.fetches[port.name()];
      fetch.type = buffer.type();
      fetch.reduction = port.reduction();
      fetch.replicas.resize(std::max<size_t>(fetch.replicas.size(), lane.instance + 1));
      fetch.replicas[lane.instance].assign(static_cast<const char *>(results.fetches[i]), buffer.bytes());
    }
    for (size_t i = 0; i < results.metricSums.size(); ++i) {
      const plan::Metric &port = lane.program->metrics(int(i));
      SimMetric &metric = result.metrics[port.name()];
      bool integer = lane.program->buffers(int(port.sum())).type().dtype() == plan::I64;
      metric.sum += integer ? double(*static_cast<const int64_t *>(results.metricSums[i]))
                            : *static_cast<const double *>(results.metricSums[i]);
      metric.count += *static_cast<const int64_t *>(results.metricCounts[i]);
    }
    return absl::OkStatus();
  }

private:
  const plan::Plan &plan;
  const SimOptions &options;
  SimResult &result;
  data::DatasetCache datasets;
  std::unique_ptr<UpdateTickets> given;
  std::map<std::pair<uint32_t, uint32_t>, std::unique_ptr<data::PhaseBatches>> batches;
};

/// A task's own slots, and its end of the network.
class TaskTransport final : public transport::Transport {
public:
  TaskTransport(std::unique_ptr<transport::ConflatingTransport> slots, transport::Transport &network)
      : slots(std::move(slots)), network(network) {}
  transport::SendPort *sender(transport::ChannelKey key) override {
    transport::SendPort *own = slots->sender(key);
    return own ? own : network.sender(key);
  }
  transport::RecvPort *receiver(transport::ChannelKey key) override {
    transport::RecvPort *own = slots->receiver(key);
    return own ? own : network.receiver(key);
  }
  transport::TransportCounters counters() const override { return network.counters(); }
  void abort(absl::Status why) override {
    network.abort(why);
    slots->abort(why);
  }
  absl::Status status() const override { return network.status(); }
  absl::Status reset(uint64_t epoch) override { return network.reset(epoch); }

private:
  std::unique_ptr<transport::ConflatingTransport> slots;
  transport::Transport &network;
};

class Simulation {
public:
  Simulation(const plan::Plan &plan, SimVariables &variables, const SimOptions &options)
      : plan(plan), variables(variables), options(options), tasks(plan::allTasks(plan)), events(options.seed),
        network(events, {options.maxDelay, options.loss}), host(plan, options, result) {}

  SimResult run() {
    if (absl::Status status = setUp(); !status.ok())
      result.status = status;
    else
      loop();
    for (size_t i = 0; i < tasks.size(); ++i)
      result.counters += network.task(uint32_t(i)).counters();
    return std::move(result);
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
    events.after(events.upTo(options.maxDelay), [this, &actor] {
      actor.scheduled = false;
      if (!actor.ended)
        turn(actor);
    });
  }
  void turn(Actor &actor);
  void failed(const absl::Status &status, size_t reporter);
  void abortOthers(absl::Status why, size_t exceptTask);
  std::string stuck() const;

  const plan::Plan &plan;
  SimVariables &variables;
  const SimOptions &options;
  std::vector<plan::Task> tasks;
  EventQueue events;
  SimNetwork network;
  SimResult result;
  SimHost host;
  std::unique_ptr<KernelLibrary> library;
  std::deque<TaskTransport> transports; ///< by task
  std::vector<std::unique_ptr<Actor>> actors;
};

absl::Status Simulation::setUp() {
  GRAPHC_RETURN_IF_ERROR(host.openData());
  std::vector<uint32_t> programs(plan.phases(int(options.phase)).programs().begin(),
                                 plan.phases(int(options.phase)).programs().end());
  GRAPHC_ASSIGN_OR_RETURN(library, KernelLibrary::load(plan, programs));
  std::vector<std::vector<transport::ChannelSpec>> conflating(tasks.size());
  for (size_t i = 0; i < tasks.size(); ++i)
    for (const ChannelEndpoint &endpoint : taskEndpoints(plan, tasks[i]))
      if (endpoint.sends && endpoint.phase == options.phase && endpoint.spec.conflating)
        conflating[i].push_back(endpoint.spec);
      else if (endpoint.sends && endpoint.phase == options.phase)
        network.addChannel(endpoint.spec, uint32_t(i), plan::taskNumber(plan, endpoint.peer),
                           plan.channels(int(endpoint.spec.key.channel)).name());
  for (size_t i = 0; i < tasks.size(); ++i) {
    GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<transport::ConflatingTransport> own,
                            transport::ConflatingTransport::create(conflating[i]));
    own->changed = [this](const transport::ConflatingReceiver &) { // receivers of a family wake together
      for (auto &actor : actors)
        if (dynamic_cast<const transport::ConflatingReceiver *>(actor->lane->port()))
          schedule(*actor);
    };
    transports.emplace_back(std::move(own), network.task(uint32_t(i)));
    GRAPHC_ASSIGN_OR_RETURN(
        auto lanes, makeLanes({plan, tasks[i], variables.task(i), *library, transports.back(), host}, options.phase));
    for (auto &lane : lanes) {
      actors.push_back(std::make_unique<Actor>());
      actors.back()->lane = std::move(lane);
      actors.back()->task = i;
    }
  }
  // A port that changed may let its lane go on; that it may not is worth trying too (spurious wake-ups).
  network.changed = [this](const transport::Port *port) {
    for (auto &actor : actors)
      if (actor->lane->port() == port || events.chance(0.02))
        schedule(*actor);
  };
  if (UpdateTickets *tickets = host.tickets())
    tickets->woken = [this, tickets] {
      for (auto &actor : actors)
        if (actor->lane->port() == &tickets->port(actor->lane->info().instance))
          schedule(*actor);
    };
  network.lost = [this](const std::string &channel, uint32_t from, uint32_t to) {
    events.after(options.detection, [this, channel, from, to] {
      abortOthers(absl::UnavailableError(absl::StrCat("the connection from ", plan::taskText(plan, tasks[from]), " to ",
                                                      plan::taskText(plan, tasks[to]), " broke (", channel, ")")),
                  tasks.size());
    });
  };
  return absl::OkStatus();
}

void Simulation::failed(const absl::Status &status, size_t reporter) {
  if (result.status.ok() || (absl::IsAborted(result.status) && !absl::IsAborted(status)))
    result.status = status;
  abortOthers(absl::AbortedError(std::string(status.message())), reporter);
}

void Simulation::abortOthers(absl::Status why, size_t except) {
  for (size_t i = 0; i < tasks.size(); ++i)
    if (i != except)
      events.after(events.upTo(options.maxDelay), [this, i, why] {
        transports[i].abort(why);
        for (auto &actor : actors)
          if (actor->task == i && actor->lane->takesTickets())
            host.tickets()->abort(why);
      });
}

void Simulation::turn(Actor &actor) {
  ++result.turns;
  if (events.chance(options.death)) {
    size_t dead = actor.task;
    network.kill(uint32_t(dead));
    for (auto &other : actors)
      if (other->task == dead)
        other->ended = true;
    absl::Status why = absl::UnavailableError(absl::StrCat(plan::taskText(plan, tasks[dead]), " died"));
    events.after(options.detection, [this, why, dead] { failed(why, dead); });
    return;
  }
  switch (actor.lane->run()) {
  case LaneState::Blocked:
    if (dynamic_cast<QueuePort *>(actor.lane->port())) { // of a device, which has a thread and a time of its own
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
  for (const auto &actor : actors)
    if (!actor->ended)
      absl::StrAppend(&text, "\n  ", actor->lane->describeWait());
  return text;
}

void Simulation::loop() {
  for (auto &actor : actors)
    schedule(*actor);
  while (!events.empty() && result.turns <= options.mostTurns)
    events.runNext();
  if (!events.empty())
    result.status = absl::InternalError(absl::StrCat("runs on after ", result.turns, " turns"));
  else if (!std::all_of(actors.begin(), actors.end(), [](const auto &actor) { return actor->ended; }))
    result.status = absl::InternalError(stuck());
}

} // namespace

absl::StatusOr<SimVariables> SimVariables::create(const plan::Plan &plan) {
  SimVariables variables;
  for (const plan::Task &task : plan::allTasks(plan)) {
    GRAPHC_ASSIGN_OR_RETURN(auto store, VariableStore::create(plan, task));
    store->initialize();
    variables.stores.push_back(std::move(store));
  }
  return variables;
}

std::span<uint8_t> SimVariables::data(uint32_t variable) {
  for (auto &store : stores)
    if (store->owns(variable))
      return store->data(variable);
  return {};
}

absl::Status SimVariables::copyDevices(bool to) {
  for (auto &store : stores)
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
