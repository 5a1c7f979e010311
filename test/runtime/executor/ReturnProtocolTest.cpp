//===- ReturnProtocolTest.cpp - whoever dies whenever, each update counts once ----------------===//
//
// The protocol of docs/decisions/2026-11-26-asynchronous-workers-never-stop.md with lanes, update
// tickets and links as they are, in one thread: who runs, who dies and when follows from a seed.
// GRAPHC_SIM_SEEDS changes how many.
//
//===------------------------------------------------------------------------------------------===//

#include "runtime/executor/RejoinableTasks.h"

#include "runtime/common/plan/PlanTypes.h"
#include "runtime/common/plan/VerifyPlan.h"
#include "runtime/transport/InProcessTransport.h"
#include "test/runtime/executor/CountingPlan.h"
#include "test/runtime/executor/TaskHarness.h"
#include "test/runtime/executor/TestHost.h"

#include <cstdlib>
#include <cstring>
#include <random>

namespace graphc::executor {
namespace {

constexpr uint32_t kTrains = 0;

/// Links of one worker with all servers: one in-process transport each, as a process of that worker
/// has them.
using Links = std::vector<std::shared_ptr<transport::Transport>>;

class Protocol {
public:
  Protocol(const CountingShape &shape, uint64_t seed)
      : shape_(shape), random_(seed), plan_(countingPlan(shape)), tasks_(plan::allTasks(plan_)),
        total_(30 + random_() % 60),
        host_(total_, shape.workers, seed % 3 ? std::optional<uint64_t>() : seed % 4) {
    EXPECT_EQ(plan::verifyPlan(plan_), absl::OkStatus());
    std::vector<uint32_t> programs;
    for (int i = 0; i < plan_.programs_size(); ++i)
      programs.push_back(uint32_t(i));
    library_ = std::move(*LoadedKernels::load(plan_, programs));
    workers_.resize(shape.workers);
    for (uint32_t p = 0; p < shape.servers; ++p)
      servers_.push_back(std::make_unique<Server>());
    for (uint32_t r = 0; r < shape.workers; ++r) {
      workers_[r].links = makeLinks(r);
      for (uint32_t p = 0; p < shape.servers; ++p)
        servers_[p]->set.add(workers_[r].links[p]);
      startWorker(r, 0);
    }
    for (uint32_t p = 0; p < shape.servers; ++p) {
      servers_[p]->store = std::move(*VariableStore::create(plan_, tasks_[p]));
      servers_[p]->store->initialize();
      servers_[p]->lanes = lanesOf(p, *servers_[p]->store, servers_[p]->set);
      for (Worker &worker : workers_)
        servers_[p]->front.push_back(worker.links[p]);
      servers_[p]->stands.assign(shape.workers, false);
      servers_[p]->ended.assign(shape.workers, false);
    }
  }

  /// False: who was lost had served all that there was, and all would go back to the checkpoint.
  bool run(uint64_t deaths) {
    while (!allEnded()) {
      if (++turns_ > 2000000) {
        ADD_FAILURE() << "it is stuck";
        return false;
      }
      const uint32_t victim = 1 + uint32_t(random_() % (shape_.workers - 1)); // 0 is the chief
      Worker &worker = workers_[victim];
      if (deaths > 0 && !worker.ended && (worker.alive || worker.back != Back::Part) &&
          random_() % 60 == 0) {
        --deaths;
        kill(victim);
      }
      for (uint32_t r = 1; r < shape_.workers; ++r)
        if (workers_[r].back != Back::No && random_() % 4 == 0 && !bringBack(r))
          return false;
      turn();
    }
    return true;
  }

  /// Of each server each variable: every update once, by one incarnation.
  void check() {
    std::vector<uint64_t> steps(shape_.workers);
    uint64_t all = 0;
    for (uint32_t r = 0; r < shape_.workers; ++r) {
      steps[r] = servers_[0]->lanes[r]->step();
      all += steps[r];
      EXPECT_EQ(workers_[r].lanes.front()->step(), steps[r]) << "worker " << r;
      for (uint32_t p = 0; p < shape_.servers; ++p)
        EXPECT_EQ(servers_[p]->lanes[r]->step(), steps[r]) << "lane " << r << " of server " << p;
    }
    EXPECT_EQ(all, total_);
    EXPECT_EQ(host_.tickets()->taken(), total_) << "an update ticket for each update";
    double expected = 0;
    for (uint32_t r = 0; r < shape_.workers; ++r)
      for (uint64_t step = 0; step < steps[r]; ++step)
        expected += double(0.25f * float(r + 1) + 0.001f * float(step));
    for (int v = 0; v < plan_.variables_size(); ++v) {
      const plan::Variable &variable = plan_.variables(v);
      VariableStore &store = *servers_[variable.owner().index()]->store;
      if (variable.type().dtype() == plan::I64) {
        int64_t count;
        memcpy(&count, store.data(uint32_t(v)).data(), sizeof count);
        EXPECT_EQ(count, int64_t(total_)) << variable.name();
      } else {
        float sums[16];
        memcpy(sums, store.data(uint32_t(v)).data(), sizeof sums);
        for (float sum : sums) // two steps differ by 0.001
          EXPECT_NEAR(sum, expected, 4e-4) << variable.name();
      }
    }
  }

  uint64_t returns = 0, secondDeaths = 0, mostAway = 0;

private:
  enum class Back : uint8_t { No, Part, Join, Relink, Rejoin, Run };
  struct Worker {
    Links links;
    std::unique_ptr<transport::TransportSet> set;
    std::unique_ptr<VariableStore> store;
    std::vector<std::unique_ptr<Lane>> lanes;
    bool alive = false, runs = false, ended = false;
    Back back = Back::No;
    uint64_t step = 0; ///< with which it comes back
    std::vector<bool> relinked, rejoined; ///< by server
    std::vector<Links> before; ///< of its earlier processes: ports of lanes that stand lie there
  };
  struct Server {
    transport::TransportSet set;
    std::unique_ptr<VariableStore> store;
    std::vector<std::unique_ptr<Lane>> lanes; ///< by replica
    std::vector<bool> stands, ended; ///< likewise
    Links front; ///< likewise: its link
  };

  std::vector<std::unique_ptr<Lane>> lanesOf(uint32_t task, VariableStore &store,
                                             transport::Transport &set) {
    auto made =
        makeLanes({plan_, tasks_[task], store, *library_, set, host_, FrameOptions()}, kTrains);
    EXPECT_TRUE(made.ok()) << made.status();
    return *std::move(made);
  }

  Links makeLinks(uint32_t r) {
    Links links;
    for (uint32_t p = 0; p < shape_.servers; ++p) {
      std::vector<transport::ChannelSpec> specs;
      for (const ChannelEndpoint &end : taskEndpoints(plan_, tasks_[shape_.servers + r]))
        if (plan::sameTask(end.peer, tasks_[p]))
          specs.push_back(end.spec);
      links.push_back(std::move(*transport::makeInProcessTransport(specs)));
    }
    return links;
  }

  void startWorker(uint32_t r, uint64_t step) {
    Worker &worker = workers_[r];
    worker.set = std::make_unique<transport::TransportSet>();
    for (auto &link : worker.links)
      worker.set->add(link);
    const uint32_t task = shape_.servers + r;
    worker.store = std::move(*VariableStore::create(plan_, tasks_[task]));
    worker.lanes = lanesOf(task, *worker.store, *worker.set);
    worker.lanes.front()->startAt(step);
    worker.alive = true;
    worker.runs = worker.back == Back::No;
  }

  /// Its process is no more; messages on their way stay in links that nobody will look into.
  void kill(uint32_t r) {
    Worker &worker = workers_[r];
    secondDeaths += worker.back != Back::No;
    worker.lanes.clear();
    worker.store.reset();
    worker.set.reset();
    worker.alive = worker.runs = false;
    worker.back = Back::Part;
    uint64_t away = 0;
    for (const Worker &one : workers_)
      away += one.back != Back::No;
    mostAway = std::max(mostAway, away);
  }

  /// One small thing of the chief's orders and their obedience, so that deaths and other lanes come
  /// between any two. False: too late.
  bool bringBack(uint32_t r) {
    Worker &worker = workers_[r];
    auto server = [&]() -> uint32_t { return uint32_t(random_() % shape_.servers); };
    switch (worker.back) {
    case Back::No:
      return true;
    case Back::Part: {
      const uint32_t p = server();
      servers_[p]->stands[r] = true; // between two of its turns, as runLane does
      std::optional<uint64_t> step;
      for (auto &one : servers_) {
        if (one->ended[r])
          return false;
        if (!one->stands[r])
          return true;
        const uint64_t at = one->lanes[r]->done().step;
        step = std::min(step.value_or(at), at);
      }
      worker.step = *step;
      worker.back = Back::Join;
      return true;
    }
    case Back::Join: // another process says hello
      worker.before.push_back(worker.links);
      worker.links = makeLinks(r);
      worker.relinked.assign(shape_.servers, false);
      worker.rejoined.assign(shape_.servers, false);
      startWorker(r, worker.step);
      worker.back = Back::Relink;
      return true;
    case Back::Relink: {
      const uint32_t p = server();
      if (!worker.relinked[p])
        servers_[p]->set.putFirst(worker.links[p],
                                  std::exchange(servers_[p]->front[r], worker.links[p]).get());
      worker.relinked[p] = true;
      if (std::all_of(worker.relinked.begin(), worker.relinked.end(),
                      [](bool done) { return done; }))
        worker.back = Back::Rejoin;
      return true;
    }
    case Back::Rejoin: {
      const uint32_t p = server();
      if (!worker.rejoined[p]) {
        EXPECT_EQ(servers_[p]->lanes[r]->rejoin(servers_[p]->set, worker.step), absl::OkStatus());
        servers_[p]->stands[r] = false;
      }
      worker.rejoined[p] = true;
      if (std::all_of(worker.rejoined.begin(), worker.rejoined.end(),
                      [](bool done) { return done; }))
        worker.back = Back::Run;
      return true;
    }
    case Back::Run:
      worker.before.clear();
      worker.runs = true;
      worker.back = Back::No;
      ++returns;
      return true;
    }
    return true;
  }

  /// A lane that may run runs until it has to wait, or to the end of its step.
  void turn() {
    const uint32_t who = uint32_t(random_() % (shape_.servers * shape_.workers + shape_.workers));
    if (who < shape_.workers) {
      Worker &worker = workers_[who];
      if (worker.runs && !worker.ended)
        worker.ended = ends(*worker.lanes.front());
      return;
    }
    Server &one = *servers_[(who - shape_.workers) / shape_.workers];
    const uint32_t r = (who - shape_.workers) % shape_.workers;
    if (!one.stands[r] && !one.ended[r])
      one.ended[r] = ends(*one.lanes[r]);
  }

  bool ends(Lane &lane) {
    const LaneState state = lane.run();
    EXPECT_NE(state, LaneState::Failed) << lane.status();
    return state == LaneState::PhaseEnded || state == LaneState::Failed;
  }

  bool allEnded() const {
    for (const Worker &worker : workers_)
      if (!worker.ended)
        return false;
    for (const auto &one : servers_)
      for (bool ended : one->ended)
        if (!ended)
          return false;
    return true;
  }

  const CountingShape shape_;
  std::mt19937_64 random_;
  const plan::Plan plan_;
  const std::vector<plan::Task> tasks_;
  const uint64_t total_;
  TestHost host_;
  std::unique_ptr<LoadedKernels> library_;
  std::vector<std::unique_ptr<Server>> servers_;
  std::vector<Worker> workers_;
  uint64_t turns_ = 0;
};

uint64_t seeds() {
  const char *text = getenv("GRAPHC_SIM_SEEDS");
  return text ? strtoull(text, nullptr, 10) : 600;
}

TEST(Rejoin, EveryUpdateCountsOnceWhoeverDiesWhenever) {
  uint64_t whole = 0, returns = 0, secondDeaths = 0, mostAway = 0;
  for (uint64_t seed = 0; seed < seeds(); ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    Protocol protocol(
        {1 + uint32_t(seed % 3), 2 + uint32_t(seed / 3 % 3), 1 + uint32_t(seed / 9 % 2)}, seed);
    if (protocol.run(1 + seed % 7)) {
      protocol.check();
      ++whole;
      returns += protocol.returns;
    }
    secondDeaths += protocol.secondDeaths;
    mostAway = std::max(mostAway, protocol.mostAway);
    if (HasFailure())
      return;
  }
  EXPECT_GT(whole, seeds() * 8 / 10) << "only who is lost at the very end comes too late";
  EXPECT_GT(returns, seeds()) << "of runs that came to their end";
  EXPECT_GT(secondDeaths, seeds() / 10) << "in the middle of a return";
  EXPECT_EQ(mostAway, 3u) << "several at once";
}

} // namespace
} // namespace graphc::executor
