//===- CostTable.cpp - what a plan costs, device by device ------------------------------------===//
#include "passes/report/CostTable.h"

#include "passes/compiler/PlanFacts.h"
#include "passes/report/SegmentTable.h"
#include "runtime/common/base/OpCount.h"
#include "runtime/common/plan/PlanTypes.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <vector>

namespace graphc {
namespace {

struct Row {
  unsigned programs = 0;
  unsigned variables = 0;
  uint64_t flops = 0, received = 0, sent = 0;
  /// in messages of an actual size: these are the most
  bool receivesLess = false, sendsLess = false;
};

std::vector<Row> makeRows(const plan::Plan &plan, const DeviceRows &places) {
  std::vector<Row> rows(places.all().size());
  int phase = mainPhase(plan);
  for (const plan::Program &program : plan.programs())
    for (unsigned place : places.of(program)) {
      Row &row = rows[place];
      unsigned lanes = lanesPerTask(program);
      ++row.programs;
      if (static_cast<int>(program.phase()) != phase)
        continue;
      row.flops =
          base::addOps(row.flops, base::multiplyOps({program.flops_per_step(), uint64_t(lanes)}));
      row.received += program.bytes_received_per_step() * lanes;
      row.sent += program.bytes_sent_per_step() * lanes;
    }
  for (const plan::Channel &channel : plan.channels()) {
    const plan::Program &from = plan.programs(int(channel.sender())),
                        &to = plan.programs(int(channel.receiver()));
    if (!channel.unit_bytes() || static_cast<int>(from.phase()) != phase)
      continue;
    for (unsigned place : places.of(from))
      rows[place].sendsLess = true;
    for (unsigned place : places.of(to))
      rows[place].receivesLess = true;
  }
  for (const plan::Variable &variable : plan.variables())
    for (unsigned place : places.of(variable))
      ++rows[place].variables;
  return rows;
}

} // namespace

/// A line for each program that rematerializes values, so that its device keeps the budget.
static void printRematerialized(const plan::Plan &plan, llvm::raw_ostream &os) {
  for (const plan::Program &program : plan.programs())
    if (const plan::Program::Recomputed &found = program.recomputed(); found.values())
      os << " rematerialized in " << program.name() << " for the budget: " << found.values()
         << (found.values() == 1 ? " value" : " values") << " of " << inBytes(found.bytes())
         << ", about " << inSeconds(found.seconds()) << " a step\n";
}

void printTable(const plan::Plan &plan, bool exact, llvm::raw_ostream &os) {
  DeviceRows places(plan);
  const PlanFootprint footprint = computeFootprint(plan);
  const bool hasOwnMemory = footprint.hasOwnMemory();
  std::vector<std::string> heads = {"device", "programs", "variables", "arena"};
  if (hasOwnMemory)
    llvm::append_values(heads, "memory", "pinned");
  llvm::append_values(heads, "flops/step", "recv/step", "send/step");
  if (hasOwnMemory)
    llvm::append_values(heads, "to device", "from device");
  std::vector<std::vector<std::string>> cells = {heads};
  auto number = [&](uint64_t n, bool isBytes) {
    return exact ? std::to_string(n) : isBytes ? inBytes(n) : inCounts(n);
  };
  for (auto [place, row, device] :
       llvm::zip(places.all(), makeRows(plan, places), footprint.devices)) {
    std::vector<std::string> &line = cells.emplace_back();
    line = {place.name + (place.tasks > 1 ? "  (×" + std::to_string(place.tasks) + ")" : ""),
            std::to_string(row.programs), std::to_string(row.variables),
            number(device.largestArena, true)};
    if (hasOwnMemory)
      llvm::append_values(line, number(device.total(), true), number(device.pinned, true));
    auto atMost = [&](bool less, uint64_t bytes) {
      return (less && !exact ? "≤ " : "") + number(bytes, true);
    };
    llvm::append_values(line, number(row.flops, false), atMost(row.receivesLess, row.received),
                        atMost(row.sendsLess, row.sent));
    if (hasOwnMemory)
      llvm::append_values(line, number(device.copied.toDevice, true),
                          number(device.copied.fromDevice, true));
  }
  os << formatColumns(cells);
  printSegments(plan, os);
  printRematerialized(plan, os);
}

/// "PTX of sm_80, machine code of sm_90 and sm_100"; empty where no GPU has code.
static std::string codeOfGpus(const plan::Plan &plan) {
  for (const plan::Code &code : plan.code()) {
    if (code.ptx().empty())
      continue;
    llvm::StringRef target = llvm::StringRef(code.ptx()).split(".target ").second;
    std::string text =
        ", PTX of " + target.take_until([](char c) { return c == '\n' || c == ','; }).str();
    for (const plan::Code::Cubin &cubin : code.cubins())
      text += (&cubin == &code.cubins(0)            ? ", machine code of "
               : &cubin == &*code.cubins().rbegin() ? " and "
                                                    : ", ") +
              cubin.arch();
    return text + (code.cubins().empty() ? " alone" : "");
  }
  return "";
}

std::string summarize(const plan::Plan &plan) {
  const plan::Strategy &strategy = plan.strategy();
  std::string text = "strategy " + plan::strategyText(plan);
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
    uint64_t batch = 0; // as its programs take it, all next_batch of the data set together
    for (uint32_t program : phase.programs())
      for (const plan::Instruction &instruction : plan.programs(int(program)).instructions())
        if (instruction.has_next_batch() && !batch)
          batch = plan::samplesOfMicroBatch(instruction.next_batch());
    if (phase.role() == plan::TRAIN && batch)
      text += ", batch " + std::to_string(batch) +
              (replicas > 1 || strategy.micro_batches() > 1 ? " each" : "");
  }
  unsigned channels =
      llvm::count_if(plan.channels(), [](const plan::Channel &c) { return !c.control(); });
  return text + ", " + std::to_string(channels) + (channels == 1 ? " channel" : " channels") +
         ", live" + codeOfGpus(plan);
}

} // namespace graphc
