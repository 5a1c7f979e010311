//===- PlanFacts.cpp - names and sums of a plan -----------------------------------------------===//
#include "passes/compiler/PlanFacts.h"

#include "runtime/common/base/TextUtils.h"
#include "runtime/common/plan/AllReduceMoves.h"
#include "runtime/common/plan/InstructionTable.h"
#include "runtime/common/plan/PlanTypes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <functional>
#include <map>

namespace graphc {

std::string inBytes(uint64_t bytes) { return plan::bytesText(bytes); }

std::string inCounts(uint64_t count) {
  constexpr const char *units[] = {"", " k", " M", " G", " T"};
  if (count < 1000)
    return std::to_string(count);
  double value = double(count);
  size_t unit = 0;
  for (; value >= 1000 && unit + 1 < std::size(units); ++unit)
    value /= 1000;
  return llvm::formatv(value < 10    ? "{0:F2}{1}"
                       : value < 100 ? "{0:F1}{1}"
                                     : "{0:F0}{1}",
                       value, units[unit]);
}

std::string inSeconds(double seconds) {
  if (seconds < 1e-3)
    return llvm::formatv("{0:F1} µs", seconds * 1e6).str();
  return seconds < 1 ? llvm::formatv("{0:F2} {1}", seconds * 1e3, "ms").str()
                     : llvm::formatv("{0:F2} {1}", seconds, "s").str();
}

std::pair<llvm::StringRef, llvm::StringRef> splitLocation(llvm::StringRef text) {
  for (size_t space = text.find(' '); space != llvm::StringRef::npos;
       space = text.find(' ', space + 1)) {
    auto [rest, column] = text.take_front(space).rsplit(':');
    auto [file, line] = rest.rsplit(':');
    unsigned number = 0;
    if (!file.empty() && !line.getAsInteger(10, number) && !column.getAsInteger(10, number))
      return {text.take_front(space), text.drop_front(space + 1)};
  }
  return {text, ""};
}

std::string formatColumns(const std::vector<std::vector<std::string>> &lines) {
  auto width = [](std::string_view cell) { // in characters; a byte that is in none counts as one
    size_t characters = 0;
    for (; !cell.empty(); ++characters)
      cell.remove_prefix(std::max<size_t>(base::utf8Length(cell), 1));
    return characters;
  };
  std::vector<size_t> widths;
  for (const auto &line : lines)
    widths.resize(std::max(widths.size(), line.size()));
  for (const auto &line : lines)
    for (size_t i = 0; i < line.size(); ++i)
      // a sentence that ends a line early widens no column
      if (i + 1 < line.size() || line.size() == widths.size())
        widths[i] = std::max(widths[i], width(line[i]));
  std::string all;
  for (const auto &line : lines) {
    std::string text;
    for (size_t i = 0; i < line.size(); ++i)
      text += (i ? "  " : " ") + line[i] +
              std::string(widths[i] - std::min(widths[i], width(line[i])), ' ');
    all += llvm::StringRef(text).rtrim().str() + "\n";
  }
  return all;
}

int mainPhase(const plan::Plan &plan) {
  for (int i = 0; i < plan.phases_size(); ++i)
    if (plan.phases(i).role() == plan::TRAIN)
      return i;
  return 0;
}

ChannelBytes::ChannelBytes(const plan::Plan &plan) : plan_(plan) {
  for (const plan::Program &sender : plan.programs()) {
    const bool endOfStream = plan.phases(int(sender.phase())).ends_by_end_of_stream();
    plan::LoopWalk loops;
    for (const plan::Instruction &instruction : sender.instructions()) {
      const uint64_t times = loops.times(instruction);
      if (instruction.has_send_start()) {
        const plan::Channel &channel = plan.channels(int(instruction.send_start().channel()));
        uint64_t instances = channel.instances();
        if (channel.all_to_all())
          instances *= instances - 1;
        bytes_[&channel] += channel.bytes() * (endOfStream ? 1 : instances) * times;
      } else if (instruction.has_all_reduce_start()) {
        const plan::Instruction::AllReduceStart &start = instruction.all_reduce_start();
        const plan::Channel &channel = plan.channels(int(start.channel()));
        bytes_[&channel] =
            channel.bytes() * channel.instances() *
            plan::allReduceMessages(plan::AllReduceShape::of(channel),
                                    sender.buffers(int(start.buffer())).bytes() / channel.bytes());
      }
    }
  }
}

/// Instances of a channel whose ends are on different tasks.
static uint32_t crossingInstances(const plan::Plan &plan, const plan::Channel &channel) {
  const plan::Program &from = plan.programs(int(channel.sender())),
                      &to = plan.programs(int(channel.receiver()));
  if (from.spread() && to.spread()) // instance r to instance r, or all to all
    return channel.sender() == channel.receiver() && channel.instances() > 1 ? channel.instances()
                                                                             : 0;
  if (!from.spread() && !to.spread())
    return plan::sameTask(from.task(), to.task()) ? 0 : channel.instances();
  uint32_t crossing = 0;
  for (uint32_t i = 0; i < channel.instances(); ++i)
    crossing += !plan::sameTask(plan::instanceTask(plan, from, std::min(i, from.instances() - 1)),
                                plan::instanceTask(plan, to, std::min(i, to.instances() - 1)));
  return crossing;
}

bool crossesTasks(const plan::Plan &plan, const plan::Channel &channel) {
  return crossingInstances(plan, channel) > 0;
}

uint64_t ChannelBytes::betweenTasks(const plan::Channel &channel) const {
  // Each instance carries the same.
  return perStep(channel) * crossingInstances(plan_, channel) / std::max(1u, channel.instances());
}

namespace {

/// Of a buffer: the place of the first instruction that touches it, and the first kernel that does.
struct FirstUse {
  std::string location, kernel;
};

std::vector<FirstUse> firstUses(const plan::Plan &plan, const plan::Program &program) {
  std::vector<FirstUse> uses(program.buffers_size());
  for (const plan::Instruction &instruction : program.instructions()) {
    const plan::InstructionEffects effects = plan::effectsOf(plan, program, instruction);
    // The result names the operation: it is the last argument that is new.
    for (const plan::BufferEffect &effect : llvm::reverse(effects.buffers)) {
      if (effect.buffer >= uses.size())
        continue;
      FirstUse &use = uses[effect.buffer];
      if (use.location.empty())
        use.location = plan::locationText(plan, instruction.location());
      if (use.kernel.empty() && instruction.has_call())
        use.kernel = plan.kernels(int(instruction.call().kernel())).name();
    }
  }
  return uses;
}

/// Of the lanes of a row in one phase.
struct PhaseNeeds {
  plan::SpaceBytes arenas, constants;
  uint64_t channels = 0;
  /// as PlanFootprint::Device has them
  std::vector<ResourceContributor> contributors, hostContributors;
};

/// Adds what the lanes of a program need to its row in its phase.
void addProgram(const plan::Plan &plan, const plan::Program &program,
                const std::vector<FirstUse> &uses, PhaseNeeds &need) {
  const unsigned lanes = lanesPerTask(program);
  const bool ownMemory = plan::hasOwnMemory(program.device());
  need.arenas += plan::arenaBytes(program, lanes);
  need.constants += plan::constantBytes(program);
  for (int i = 0; i < program.buffers_size(); ++i) {
    const plan::Buffer &buffer = program.buffers(i);
    const bool isConstant = buffer.has_constant();
    if (!buffer.has_arena() && !buffer.has_outgoing() && !isConstant)
      continue;
    // the sender's own over gRPC; in its resident memory over shared memory
    if (buffer.has_outgoing())
      need.channels += buffer.bytes() * lanes;
    (ownMemory && buffer.space() == plan::HOST ? need.hostContributors : need.contributors)
        .push_back(
            {(isConstant ? "constant " : "buffer ") +
                 (buffer.name().empty() ? "of type " + plan::typeText(buffer.type())
                                        : buffer.name()) +
                 (uses[size_t(i)].kernel.empty() ? "" : " (" + uses[size_t(i)].kernel + ")") +
                 " of program " + program.name(),
             buffer.bytes() * (isConstant ? 1 : lanes), uses[size_t(i)].location});
  }
}

void sortBiggestFirst(std::vector<ResourceContributor> &list) {
  // of equals the first stays first
  std::multimap<uint64_t, ResourceContributor, std::greater<>> sorted;
  for (ResourceContributor &one : list)
    sorted.emplace(one.bytes, std::move(one));
  list.clear();
  for (auto &[bytes, one] : sorted)
    list.push_back(std::move(one));
}

/// Adds the phases of a device, which take turns: of each memory it needs as much as the phase that
/// needs most of it.
void addPhases(llvm::ArrayRef<const PhaseNeeds *> phases, PlanFootprint::Device &device) {
  const PhaseNeeds *most = nullptr, *mostOfHost = nullptr;
  auto ofDevice = [&](const PhaseNeeds &phase) {
    return phase.arenas.device + phase.constants.device + (device.ownMemory ? 0 : phase.channels);
  };
  auto ofHost = [&](const PhaseNeeds &phase) {
    return phase.arenas.host + phase.constants.host + phase.channels;
  };
  for (const PhaseNeeds *phase : phases) {
    device.largestArena = std::max(device.largestArena, phase->arenas.device);
    if (!most || ofDevice(*phase) > ofDevice(*most))
      most = phase;
    if (!mostOfHost || ofHost(*phase) > ofHost(*mostOfHost))
      mostOfHost = phase;
  }
  if (!most)
    return;
  device.arena = most->arenas.device;
  device.constants = most->constants.device;
  device.channels = (device.ownMemory ? mostOfHost : most)->channels;
  llvm::append_range(device.contributors, most->contributors);
  if (!device.ownMemory)
    return;
  device.pinnedArena = mostOfHost->arenas.host;
  // beside the copies of variables
  device.pinned += mostOfHost->arenas.host + mostOfHost->constants.host;
  llvm::append_range(device.hostContributors, mostOfHost->hostContributors);
}

} // namespace

bool PlanFootprint::hasOwnMemory() const {
  return llvm::any_of(devices, [](const Device &device) { return device.ownMemory; });
}

plan::CopiedBytes PlanFootprint::copied() const {
  plan::CopiedBytes all;
  for (const Device &device : devices) {
    all.toDevice += device.copied.toDevice * device.instances;
    all.fromDevice += device.copied.fromDevice * device.instances;
  }
  return all;
}

PlanFootprint computeFootprint(const plan::Plan &plan) {
  PlanFootprint footprint;
  DeviceRows rows(plan);
  const int main = mainPhase(plan);
  for (const DeviceRows::Row &row : rows.all()) {
    PlanFootprint::Device &device = footprint.devices.emplace_back();
    device.name = row.name;
    device.instances = row.tasks;
  }
  std::map<std::pair<unsigned, uint32_t>, PhaseNeeds> needs; // of a row, in a phase
  for (const plan::Variable &variable : plan.variables())
    for (unsigned row : rows.of(variable)) {
      PlanFootprint::Device &device = footprint.devices[row];
      const plan::SpaceBytes bytes = plan::variableBytes(variable);
      const std::string &where = plan::locationText(plan, variable.location());
      device.ownMemory = plan::hasOwnMemory(variable.device());
      device.variables += bytes.device;
      device.pinned += bytes.host;
      device.contributors.push_back({"variable " + variable.name(), bytes.device, where});
      if (device.ownMemory)
        device.hostContributors.push_back(
            {"copy of variable " + variable.name(), bytes.host, where});
    }
  for (const plan::Program &program : plan.programs()) {
    const std::vector<FirstUse> uses = firstUses(plan, program);
    const plan::CopiedBytes copied = plan::copiedPerStep(program);
    for (unsigned row : rows.of(program)) {
      PlanFootprint::Device &device = footprint.devices[row];
      device.ownMemory = plan::hasOwnMemory(program.device());
      addProgram(plan, program, uses, needs[{row, program.phase()}]);
      if (int(program.phase()) != main)
        continue;
      device.copied.toDevice += copied.toDevice * lanesPerTask(program);
      device.copied.fromDevice += copied.fromDevice * lanesPerTask(program);
    }
  }
  const ChannelBytes bytesOf(plan);
  for (const plan::Channel &channel : plan.channels()) {
    const plan::Program &receiver = plan.programs(int(channel.receiver()));
    uint64_t instances = channel.all_to_all()
                             ? plan::allReducePeers(plan::AllReduceShape::of(channel))
                         : receiver.spread() ? 1
                                             : channel.instances();
    uint64_t bytes = channel.bytes() * channel.capacity() * instances;
    std::string where = plan::locationText(plan, channel.location());
    for (unsigned row : rows.of(receiver)) {
      PhaseNeeds &need = needs[{row, receiver.phase()}];
      need.channels += bytes;
      (footprint.devices[row].ownMemory ? need.hostContributors : need.contributors)
          .push_back({"channel " + channel.name() +
                          (instances > 1 ? " (×" + std::to_string(instances) + ")" : ""),
                      bytes, where});
    }
    if (channel.control() || int(receiver.phase()) != main || !crossesTasks(plan, channel))
      continue;
    const uint64_t traffic = bytesOf.betweenTasks(channel);
    footprint.bytesPerStep += traffic;
    footprint.traffic.push_back({"channel " + channel.name(), traffic, where});
  }
  for (auto [row, device] : llvm::enumerate(footprint.devices)) {
    std::vector<const PhaseNeeds *> phases;
    for (auto at = needs.lower_bound({unsigned(row), 0});
         at != needs.end() && at->first.first == row; ++at)
      phases.push_back(&at->second);
    addPhases(phases, device);
    sortBiggestFirst(device.contributors);
    sortBiggestFirst(device.hostContributors);
  }
  sortBiggestFirst(footprint.traffic);
  return footprint;
}

} // namespace graphc
