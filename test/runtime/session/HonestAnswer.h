//===- HonestAnswer.h - what a task of a plan answers to an order -------------------*- C++ -*-===//
#ifndef GRAPHC_TEST_RUNTIME_SESSION_HONESTANSWER_H
#define GRAPHC_TEST_RUNTIME_SESSION_HONESTANSWER_H

#include "runtime/checkpoint/Checkpoint.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/data/PhaseBatches.h"
#include "runtime/executor/PhaseSetup.h"
#include "runtime/service/service.pb.h"

#include <set>

namespace graphc::session {

inline service::Hello honestHello(const plan::LoadedPlan &loaded, uint32_t task) {
  service::Hello hello;
  hello.set_task(task);
  hello.set_name(plan::taskText(loaded.plan, plan::allTasks(loaded.plan)[task]));
  hello.set_fingerprint(loaded.fingerprint);
  hello.set_incarnation(100 + task);
  hello.set_host("here");
  hello.set_host_id("this-one");
  hello.set_address("localhost:" + std::to_string(2000 + task));
  return hello;
}

/// As if nothing had been computed: no losses, metrics or results; `begun` is the phase under way.
inline service::Done honestAnswer(const plan::Plan &plan, uint32_t task,
                                  const service::Order &order, const service::Order::Begin &begun) {
  const plan::Task self = plan::allTasks(plan)[task];
  service::Done done;
  done.set_id(order.id());
  checkpoint::ShardInfo shard;
  bool mirrors = false, globalStep = false;
  for (const plan::Variable &variable : plan.variables()) {
    if (!plan::stores(plan, variable, self))
      continue;
    mirrors |= variable.mirrored();
    globalStep |= variable.global_step();
    if (plan::sameTask(variable.owner(), self))
      shard.variables.push_back(
          {variable.name(), variable.type(),
           variable.has_part_of() ? std::optional(variable.part_of()) : std::nullopt});
  }
  if ((order.has_initialize() || order.has_save()) && mirrors)
    done.set_mirrors_crc(7);
  if (order.has_initialize() && globalStep)
    done.set_global_step(0);
  if (order.has_run()) {
    done.set_steps(begun.steps());
    if (executor::makeTickets(plan, &self, begun.phase(), 1)) {
      const uint64_t lanes = executor::lanesPerUpdate(plan, begun.phase());
      for (uint64_t lane = 0; lane < lanes; ++lane) // as even as can be
        done.add_tickets(begun.steps() / lanes + (lane < begun.steps() % lanes));
    }
  }
  if (order.has_end())
    done.set_stats("{}");
  if (order.has_save() && !shard.variables.empty()) {
    shard.file =
        checkpoint::shardFile(plan.jobs(static_cast<int>(self.job())).name(), self.index());
    shard.sha256 = std::string(64, 'a');
    done.set_shard(checkpoint::encodeShard(shard));
  }
  std::set<uint32_t> read;
  for (uint32_t number : order.connect().phases())
    if (const plan::Phase &phase = plan.phases(static_cast<int>(number));
        phase.samples_per_step() && data::readsData(plan, number, self) &&
        read.insert(phase.dataset()).second) {
      service::DatasetSize &size = *done.add_datasets();
      size.set_dataset(phase.dataset());
      size.set_samples(10);
    }
  return done;
}

} // namespace graphc::session
#endif
