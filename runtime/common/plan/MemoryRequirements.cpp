//===- MemoryRequirements.cpp - how much memory of a device and of the host a plan takes ------===//
#include "runtime/common/plan/MemoryRequirements.h"

#include "runtime/common/plan/AllReduceMoves.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/common/plan/StepRunAhead.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include <algorithm>
#include <map>

namespace graphc::plan {

std::string bytesText(uint64_t bytes) {
  constexpr const char *units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024)
    return absl::StrCat(bytes, " B");
  double value = double(bytes);
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(units); ++unit)
    value /= 1024;
  return absl::StrFormat("%.*f %s", value < 10 ? 2 : value < 100 ? 1 : 0, value, units[unit]);
}

static uint64_t padded(uint64_t bytes) { return (bytes + 63) / 64 * 64; }

SpaceBytes variableBytes(const Variable &variable) {
  const uint64_t bytes = tensorBytes(variable.type()).value_or(0);
  if (!hasOwnMemory(variable.device()))
    return {bytes, 0};
  return {std::max<uint64_t>(padded(bytes), 64), bytes};
}

SpaceBytes arenaBytes(const Program &program, uint32_t lanes) {
  if (!hasOwnMemory(program.device()))
    return {program.arena_bytes() * lanes, 0};
  return {padded(program.device_arena_bytes()) * lanes,
          (runsAhead(program) ? 2 : 1) * padded(program.arena_bytes()) * lanes};
}

std::map<uint32_t, uint64_t> constantSizes(const Program &program, Space space) {
  std::map<uint32_t, uint64_t> sizes;
  for (const Buffer &buffer : program.buffers())
    if (buffer.storage_case() == Buffer::kConstant && buffer.space() == space) {
      uint64_t &size = sizes[buffer.constant()];
      size = std::max(size, buffer.bytes());
    }
  return sizes;
}

SpaceBytes constantBytes(const Program &program) {
  auto sum = [](const std::map<uint32_t, uint64_t> &constants) {
    uint64_t bytes = constants.empty() ? 0 : 64;
    for (const auto &[index, size] : constants)
      bytes += padded(size);
    return bytes;
  };
  if (!hasOwnMemory(program.device()))
    return {sum(constantSizes(program, HOST)), 0};
  return {sum(constantSizes(program, DEVICE)), sum(constantSizes(program, HOST))};
}

bool isToDevice(const Program &program, const Instruction::Copy &copy) {
  return program.buffers(int(copy.to())).space() == DEVICE;
}

CopiedBytes copiedPerStep(const Program &program) {
  CopiedBytes copied;
  LoopWalk loops;
  for (const Instruction &instruction : program.instructions()) {
    const uint64_t times = loops.times(instruction);
    if (!instruction.has_copy())
      continue;
    const Buffer &to = program.buffers(int(instruction.copy().to())),
                 &from = program.buffers(int(instruction.copy().from()));
    if (to.space() != from.space())
      (isToDevice(program, instruction.copy()) ? copied.toDevice : copied.fromDevice) +=
          to.bytes() * times;
  }
  return copied;
}

std::vector<DeviceNeed> deviceNeeds(const Plan &plan, const Task &task) {
  std::map<std::string, DeviceNeed> needs;
  for (const Variable &variable : plan.variables())
    if (hasOwnMemory(variable.device()) && stores(plan, variable, task))
      needs[variable.device()].variables += variableBytes(variable).device;
  std::map<std::pair<std::string, uint32_t>, DeviceNeed> phases; // they take turns
  for (const Program &program : plan.programs()) {
    const uint32_t lanes = hasOwnMemory(program.device()) ? lanesOn(plan, program, task) : 0;
    if (!lanes)
      continue;
    DeviceNeed &need = phases[{program.device(), program.phase()}];
    need.arenas += arenaBytes(program, lanes).device;
    need.constants += constantBytes(program).device;
    needs[program.device()]; // even where it takes nothing
  }
  for (const auto &[at, phase] : phases)
    if (DeviceNeed &need = needs[at.first]; phase.total() > need.arenas + need.constants) {
      need.arenas = phase.arenas;
      need.constants = phase.constants;
    }
  std::vector<DeviceNeed> all;
  for (auto &[name, need] : needs) {
    need.device = name;
    all.push_back(need);
  }
  return all;
}

/// Of a device whose memory is the host's all of it, else what the device's copies reach.
static uint64_t inHost(const std::string &device, const SpaceBytes &bytes) {
  return hasOwnMemory(device) ? bytes.host : bytes.device;
}

HostNeed hostNeed(const Plan &plan, const Task &task) {
  HostNeed need;
  for (const Variable &variable : plan.variables())
    if (stores(plan, variable, task))
      need.variables += inHost(variable.device(), variableBytes(variable));
  std::map<uint32_t, HostNeed> phases; // they take turns
  for (const Program &program : plan.programs())
    if (const uint32_t lanes = lanesOn(plan, program, task)) {
      HostNeed &phase = phases[program.phase()];
      phase.arenas += inHost(program.device(), arenaBytes(program, lanes));
      phase.constants += inHost(program.device(), constantBytes(program));
    }
  for (const Channel &channel : plan.channels()) {
    const Program &receiver = plan.programs(int(channel.receiver()));
    const uint32_t lanes = lanesOn(plan, receiver, task);
    const uint64_t each = channel.all_to_all() ? allReducePeers(AllReduceShape::of(channel))
                          : receiver.spread()  ? lanes
                                               : channel.instances();
    if (lanes)
      phases[receiver.phase()].messages += channel.bytes() * channel.capacity() * each;
  }
  for (const auto &[index, phase] : phases)
    if (phase.total() > need.total() - need.variables) {
      need.arenas = phase.arenas;
      need.constants = phase.constants;
      need.messages = phase.messages;
    }
  return need;
}

std::string needText(const HostNeed &need) {
  return absl::StrCat(bytesText(need.total()), " (variables ", bytesText(need.variables),
                      ", arenas ", bytesText(need.arenas), ", constants ",
                      bytesText(need.constants), ", messages ", bytesText(need.messages), ")");
}

} // namespace graphc::plan
