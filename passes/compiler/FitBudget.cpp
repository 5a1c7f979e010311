#include "passes/compiler/FitBudget.h"

#include "dialects/dist/DistDialect.h"
#include "passes/compiler/CheckBudget.h"

#include <algorithm>

using namespace mlir;

namespace graphc {

/// After so many plans everything that is cheap is asked for, so that compile time stays a multiple
/// of what it is.
static constexpr unsigned kMostRounds = 5;
static constexpr uint64_t kEverything = uint64_t(INT64_MAX);

static uint64_t arenaOf(const plan::Program &program) {
  return plan::arenaBytes(program, lanesPerTask(program)).device;
}

std::map<std::string, uint64_t> FitBudget::findNeeds(const plan::Plan &plan,
                                                     uint64_t &excess) const {
  const PlanFootprint footprint = computeFootprint(plan);
  const DeviceRows rows(plan);
  std::map<std::string, uint64_t> needs;
  excess = 0;
  for (const MemoryExcess &over : findMemoryExcesses(footprint, budget_)) {
    excess += over.bytes;
    const PlanFootprint::Device &device = footprint.devices[over.row];
    const uint64_t room = device.arena > over.bytes ? device.arena - over.bytes : 0;
    // Phases take turns, so each of their programs has to be small enough; where only several
    // together are too large, the largest.
    const plan::Program *largest = nullptr;
    bool found = false;
    const auto need = [&](const plan::Program &program, uint64_t bytes) {
      uint64_t &most = needs[program.name()];
      most = std::max(most, bytes / lanesPerTask(program) + 1);
      found = true;
    };
    for (const plan::Program &program : plan.programs()) {
      if (!llvm::is_contained(rows.of(program), over.row))
        continue;
      if (!largest || arenaOf(program) > arenaOf(*largest))
        largest = &program;
      if (arenaOf(program) > room)
        need(program, arenaOf(program) - room);
    }
    if (!found && largest)
      need(*largest, over.bytes);
  }
  return needs;
}

bool FitBudget::wantsMore(const plan::Plan &plan) {
  uint64_t excess = 0;
  const std::map<std::string, uint64_t> needs = findNeeds(plan, excess);
  if (rounds_++ == 0)
    for (const plan::Program &program : plan.programs())
      arenas_[program.name()] = arenaOf(program);
  isLast_ = excess < leastExcess_;
  if (isLast_) {
    leastExcess_ = excess;
    best_ = asked_;
  }
  if (!excess || rounds_ > kMostRounds)
    return false;
  bool more = false;
  for (const plan::Program &program : plan.programs()) {
    auto need = needs.find(program.name());
    uint64_t &bytes = asked_[program.name()];
    if (need == needs.end() || bytes == kEverything)
      continue;
    // What was asked for so far brought more or less than that.
    const uint64_t before = arenas_[program.name()], now = arenaOf(program);
    const double rate = !bytes         ? 1
                        : before > now ? std::clamp(double(bytes) / double(before - now), 1.0, 4.0)
                                       : 4;
    // What brings the estimate as low as it gets may leave out values that count in the arena.
    bytes = rounds_ == kMostRounds || program.recomputed().all()
                ? kEverything
                : bytes + uint64_t(double(need->second) * rate);
    more = true;
  }
  return more;
}

void FitBudget::apply(ModuleOp module) const {
  for (auto program : module.getOps<dist::ProgramOp>())
    if (auto bytes = asked_.find(program.getSymName().str());
        bytes != asked_.end() && bytes->second)
      program->setAttr("dist.recompute_bytes",
                       Builder(module).getI64IntegerAttr(int64_t(bytes->second)));
}

} // namespace graphc
