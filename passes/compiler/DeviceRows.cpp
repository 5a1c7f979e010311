//===- DeviceRows.cpp - the devices of a plan, with replicas that are alike as one ------------===//
#include "passes/compiler/DeviceRows.h"

#include "runtime/common/plan/PlanTypes.h"
#include "runtime/common/plan/StepRunAhead.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <set>

namespace graphc {

unsigned lanesPerTask(const plan::Program &program) {
  return program.spread() ? 1 : program.instances();
}

static bool inDomain(const plan::Plan &plan, const plan::Task &task) {
  for (const auto &range : plan.replicas().ranges())
    if (range.job() == task.job() && task.index() >= range.first() &&
        task.index() < range.first() + range.count())
      return true;
  return false;
}

/// "/job:worker", "/job:chief,worker".
static std::string domainName(const plan::Plan &plan) {
  std::string name;
  std::set<uint32_t> named;
  for (const auto &range : plan.replicas().ranges())
    if (named.insert(range.job()).second)
      name += (name.empty() ? "/job:" : ",") + plan.jobs(int(range.job())).name();
  return name;
}

std::string placeName(const plan::Plan &plan, const plan::Program &program) {
  return (program.spread() ? domainName(plan) : plan::taskText(plan, program.task())) +
         "/device:" + program.device();
}

plan::Task DeviceRows::taskOf(const Key &key) {
  plan::Task task;
  task.set_job(std::get<0>(key));
  task.set_index(std::get<1>(key));
  return task;
}

DeviceRows::DeviceRows(const plan::Plan &plan) : plan_(plan) {
  // What the replicas share, by device and phase, and what single tasks have besides.
  std::map<std::string, std::map<uint32_t, uint64_t>> shared;
  std::map<Key, std::map<uint32_t, uint64_t>> own;
  std::set<Key> stores;
  auto keyOf = [](const plan::Task &task, const std::string &device) {
    return Key(task.job(), task.index(), device);
  };
  for (const plan::Program &program : plan.programs())
    (program.spread() ? shared[program.device()]
                      : own[keyOf(program.task(), program.device())])[program.phase()] +=
        (plan::hostArenaBytes(program) + program.device_arena_bytes()) * lanesPerTask(program);
  for (const plan::Variable &variable : plan.variables())
    if (variable.mirrored()) {
      shared[variable.device()];
    } else {
      own[keyOf(variable.owner(), variable.device())];
      stores.insert(keyOf(variable.owner(), variable.device()));
    }
  // Phases take turns: one without a replicated program shows where it needs more memory than those
  // with one.
  auto isAlike = [&](const Key &key, const std::map<uint32_t, uint64_t> &phases) {
    auto replicated = shared.find(std::get<2>(key));
    if (replicated == shared.end() || !inDomain(plan, taskOf(key)) || stores.count(key))
      return false;
    uint64_t most = 0;
    for (auto &[phase, bytes] : replicated->second)
      most = std::max(most, bytes);
    return llvm::none_of(phases, [&](auto &entry) {
      return replicated->second.count(entry.first) || entry.second > most;
    });
  };
  std::map<std::string, unsigned> alone; // by device: replicas with a row of their own
  std::vector<std::pair<Key, Row>> found;
  for (auto &[key, phases] : own)
    if (!isAlike(key, phases)) {
      alone[std::get<2>(key)] += inDomain(plan, taskOf(key));
      found.push_back(
          {key, {plan::taskText(plan, taskOf(key)) + "/device:" + std::get<2>(key), 1}});
    }
  for (auto &[device, phases] : shared) {
    uint32_t replicas = plan.replicas().size();
    if (replicas && alone[device] == replicas)
      continue;
    unsigned rest = std::max(1u, replicas) - alone[device];
    plan::Task first; // of those that are alike
    for (uint32_t r = 0; r < replicas; ++r) {
      first = *plan::replicaTask(plan, r);
      if (llvm::none_of(found, [&, &device = device](auto &entry) {
            return entry.first == keyOf(first, device);
          }))
        break;
    }
    bool named = rest == 1 && replicas > 1;
    found.push_back(
        {keyOf(first, device),
         {(named ? plan::taskText(plan, first) : domainName(plan)) + "/device:" + device, rest}});
  }
  llvm::sort(found, llvm::less_first());
  for (auto &[key, row] : found) {
    if (own.count(key) && !isAlike(key, own[key]))
      byTask_[key] = unsigned(rows_.size());
    else
      replicaRows_[std::get<2>(key)] = unsigned(rows_.size());
    rows_.push_back(std::move(row));
  }
}

unsigned DeviceRows::at(const plan::Task &task, const std::string &device) const {
  auto found = byTask_.find(Key(task.job(), task.index(), device));
  return found != byTask_.end() ? found->second : replicaRows_.at(device);
}

std::vector<unsigned> DeviceRows::at(const plan::Task &task, bool everywhere,
                                     const std::string &device) const {
  if (!everywhere)
    return {at(task, device)};
  std::vector<unsigned> places;
  if (auto row = replicaRows_.find(device); row != replicaRows_.end())
    places.push_back(row->second);
  for (auto &[key, row] : byTask_) {
    if (std::get<2>(key) == device && inDomain(plan_, taskOf(key)))
      places.push_back(row);
  }
  return places;
}

std::vector<unsigned> DeviceRows::of(const plan::Program &program) const {
  return at(program.task(), program.spread(), program.device());
}

std::vector<unsigned> DeviceRows::of(const plan::Variable &variable) const {
  return at(variable.owner(), variable.mirrored(), variable.device());
}

unsigned DeviceRows::of(const plan::Program &program, uint32_t instance) const {
  return at(plan::instanceTask(plan_, program, std::min(instance, program.instances() - 1)),
            program.device());
}

} // namespace graphc
