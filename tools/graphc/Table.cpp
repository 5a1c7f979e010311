//===- Table.cpp - what a plan costs, device by device ------------------------------------------------------------===//
#include "tools/graphc/Table.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <array>
#include <map>
#include <vector>

namespace graphc {
namespace {

struct Row {
  unsigned instances = 1;
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

/// Numbers for people: 1,605,632 bytes are "1.53 MiB", 152,000,000 operations "152 M".
std::string inUnits(uint64_t number, unsigned base, std::array<const char *, 5> units) {
  double value = number;
  unsigned unit = 0;
  while (value >= base && unit + 1 < units.size()) {
    value /= base;
    ++unit;
  }
  if (unit == 0)
    return llvm::formatv("{0}{1}", number, units[0]);
  return llvm::formatv(value < 10 ? "{0:F2}{1}" : value < 100 ? "{0:F1}{1}" : "{0:F0}{1}", value, units[unit]);
}
std::string bytes(uint64_t n) { return inUnits(n, 1024, {" B", " KiB", " MiB", " GiB", " TiB"}); }
std::string count(uint64_t n) { return inUnits(n, 1000, {"", " k", " M", " G", " T"}); }

std::string taskName(const plan::Plan &plan, const plan::Task &task) {
  return "/job:" + plan.jobs(task.job()).name() + "/task:" + std::to_string(task.index());
}

bool inDomain(const plan::Plan &plan, const plan::Task &task) {
  for (const auto &range : plan.replicas().ranges())
    if (range.job() == task.job() && task.index() >= range.first() && task.index() < range.first() + range.count())
      return true;
  return false;
}

/// "/job:worker", "/job:chief,worker".
std::string domainName(const plan::Plan &plan) {
  std::string name;
  for (const auto &range : plan.replicas().ranges())
    name += (name.empty() ? "/job:" : ",") + plan.jobs(range.job()).name();
  return name;
}

/// The phase whose steps the table counts.
int mainPhase(const plan::Plan &plan) {
  for (int i = 0; i < plan.phases_size(); ++i)
    if (plan.phases(i).role() == plan::TRAIN)
      return i;
  return 0;
}

std::vector<std::pair<std::string, Row>> makeRows(const plan::Plan &plan) {
  std::vector<std::pair<std::string, Row>> rows;
  bool anySpread = llvm::any_of(plan.programs(), [](const plan::Program &p) { return p.spread(); });
  auto rowOf = [&](const plan::Task &task, bool spread, const std::string &device) -> Row & {
    bool replica = spread || (anySpread && inDomain(plan, task));
    std::string name = (replica ? domainName(plan) : taskName(plan, task)) + "/device:" + device;
    auto found = llvm::find_if(rows, [&](auto &row) { return row.first == name; });
    Row &row = found != rows.end() ? found->second : rows.emplace_back(name, Row()).second;
    row.instances = replica ? plan.replicas().size() : 1;
    return row;
  };
  // Rows in the order of the cluster's jobs: what stores variables is usually the first of them.
  std::vector<const plan::Program *> programs;
  for (const plan::Program &program : plan.programs())
    programs.push_back(&program);
  auto place = [&](const plan::Program *p) {
    if (p->spread() && plan.replicas().ranges_size())
      return std::pair(plan.replicas().ranges(0).job(), 0u);
    return std::pair(p->task().job(), p->task().index());
  };
  std::stable_sort(programs.begin(), programs.end(), [&](auto *a, auto *b) { return place(a) < place(b); });
  int phase = mainPhase(plan);
  for (const plan::Program *program : programs) {
    Row &row = rowOf(program->task(), program->spread(), program->device());
    unsigned lanes = program->spread() ? 1 : program->instances(); // on one task
    ++row.programs;
    row.arenas[program->phase()] += program->arena_bytes() * lanes;
    if (static_cast<int>(program->phase()) != phase)
      continue;
    row.flops += program->flops_per_step() * lanes;
    row.received += program->bytes_received_per_step() * lanes;
    row.sent += program->bytes_sent_per_step() * lanes;
  }
  for (const plan::Variable &variable : plan.variables())
    ++rowOf(variable.owner(), variable.mirrored(), variable.device()).variables;
  return rows;
}

} // namespace

void printTable(const plan::Plan &plan, bool exact, llvm::raw_ostream &os) {
  std::vector<std::pair<std::string, Row>> rows = makeRows(plan);
  std::vector<std::array<std::string, 7>> cells = {
      {"device", "programs", "variables", "arena", "flops/step", "recv/step", "send/step"}};
  auto number = [&](uint64_t n, bool isBytes) { return exact ? std::to_string(n) : isBytes ? bytes(n) : count(n); };
  for (auto &[name, row] : rows)
    cells.push_back({name + (row.instances > 1 ? "  (×" + std::to_string(row.instances) + ")" : ""),
                     std::to_string(row.programs), std::to_string(row.variables), number(row.arena(), true),
                     number(row.flops, false), number(row.received, true), number(row.sent, true)});
  std::array<size_t, 7> widths = {};
  // "×" is two bytes and one column.
  auto width = [](const std::string &cell) { return cell.size() - (llvm::StringRef(cell).contains("×") ? 1 : 0); };
  for (auto &line : cells)
    for (size_t i = 0; i < line.size(); ++i)
      widths[i] = std::max(widths[i], width(line[i]));
  for (auto &line : cells) {
    std::string text;
    for (size_t i = 0; i < line.size(); ++i)
      text += (i ? "  " : " ") + line[i] + std::string(widths[i] - width(line[i]), ' ');
    os << llvm::StringRef(text).rtrim() << '\n';
  }
}

std::string summarize(const plan::Plan &plan) {
  const plan::Strategy &strategy = plan.strategy();
  std::string text = "strategy " + strategy.name();
  if (strategy.name() == "parameter_server")
    text += strategy.in_graph() ? " (in-graph)" : strategy.async() ? " (async)" : " (sync)";
  unsigned replicas = std::max(1u, plan.replicas().size());
  if (plan.replicas().size())
    text += ", " + std::to_string(replicas) + (replicas == 1 ? " replica" : " replicas");
  if (strategy.micro_batches() > 1)
    text += ", " + std::to_string(strategy.micro_batches()) + (strategy.in_graph() ? " towers" : " micro-batches");
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
