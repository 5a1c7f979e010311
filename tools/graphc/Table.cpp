//===- Table.cpp - what a plan costs, device by device ------------------------------------------------------------===//
#include "tools/graphc/Table.h"

#include "passes/compiler/PlanFacts.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>
#include <vector>

namespace graphc {
namespace {

struct Row {
  unsigned programs = 0;
  unsigned variables = 0;
  uint64_t flops = 0, received = 0, sent = 0;
  std::map<unsigned, uint64_t> arenas; ///< bytes of a phase's lanes together, by phase

  /// Phases take turns, so the device needs as much as the largest of them.
  uint64_t arena() const {
    uint64_t most = 0;
    for (auto &[phase, bytes] : arenas)
      most = std::max(most, bytes);
    return most;
  }
};

std::vector<Row> makeRows(const plan::Plan &plan, const Rows &places) {
  std::vector<Row> rows(places.all().size());
  int phase = mainPhase(plan);
  for (const plan::Program &program : plan.programs())
    for (unsigned place : places.of(program)) {
      Row &row = rows[place];
      unsigned lanes = lanesPerTask(program);
      ++row.programs;
      row.arenas[program.phase()] += (program.arena_bytes() + program.device_arena_bytes()) * lanes;
      if (static_cast<int>(program.phase()) != phase)
        continue;
      row.flops += program.flops_per_step() * lanes;
      row.received += program.bytes_received_per_step() * lanes;
      row.sent += program.bytes_sent_per_step() * lanes;
    }
  for (const plan::Variable &variable : plan.variables())
    for (unsigned place : places.of(variable))
      ++rows[place].variables;
  return rows;
}

} // namespace

void printTable(const plan::Plan &plan, bool exact, llvm::raw_ostream &os) {
  Rows places(plan);
  std::vector<std::vector<std::string>> cells = {
      {"device", "programs", "variables", "arena", "flops/step", "recv/step", "send/step"}};
  auto number = [&](uint64_t n, bool isBytes) {
    return exact ? std::to_string(n) : isBytes ? inBytes(n) : inCounts(n);
  };
  for (auto [place, row] : llvm::zip(places.all(), makeRows(plan, places)))
    cells.push_back({place.name + (place.tasks > 1 ? "  (×" + std::to_string(place.tasks) + ")" : ""),
                     std::to_string(row.programs), std::to_string(row.variables), number(row.arena(), true),
                     number(row.flops, false), number(row.received, true), number(row.sent, true)});
  os << formatColumns(cells);
}

std::string summarize(const plan::Plan &plan) {
  const plan::Strategy &strategy = plan.strategy();
  std::string text = "strategy " + strategy.name();
  if (strategy.name() == "parameter_server")
    text += strategy.in_graph() ? " (in-graph)" : strategy.async() ? " (async)" : " (sync)";
  unsigned replicas = std::max(1u, plan.replicas().size());
  if (plan.replicas().size())
    text += ", " + std::to_string(replicas) + (replicas == 1 ? " replica" : " replicas");
  const unsigned sharers = strategy.in_graph() ? strategy.towers() : replicas;
  if (strategy.in_graph())
    text += ", " + std::to_string(sharers) + (sharers == 1 ? " tower" : " towers");
  if (strategy.micro_batches() > sharers)
    text += ", " + std::to_string(strategy.micro_batches()) + " micro-batches";
  if (plan.phases_size()) {
    const plan::Phase &phase = plan.phases(mainPhase(plan));
    uint64_t batch = 0; // as its programs take it
    for (uint32_t program : phase.programs())
      for (const plan::Instruction &instruction : plan.programs(int(program)).instructions())
        if (instruction.has_next_batch() && !batch)
          batch = instruction.next_batch().batch();
    if (phase.role() == plan::TRAIN && batch)
      text += ", batch " + std::to_string(batch) + (replicas > 1 || strategy.micro_batches() > 1 ? " each" : "");
  }
  unsigned channels = llvm::count_if(plan.channels(), [](const plan::Channel &c) { return !c.control(); });
  return text + ", " + std::to_string(channels) + (channels == 1 ? " channel" : " channels") + ", live";
}

} // namespace graphc
