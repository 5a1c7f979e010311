#include "runtime/executor/ZeroCopySource.h"

#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/plan/AllReduceMoves.h"
#include "runtime/common/plan/InstructionTable.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/device/Device.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>
#include <vector>

namespace graphc::executor {

ZeroCopyValues sentZeroCopyBy(const plan::Plan &plan, const plan::Program &program) {
  ZeroCopyValues values;
  for (const plan::Instruction &instruction : program.instructions()) {
    const plan::InstructionEffects effects = plan::effectsOf(plan, program, instruction);
    for (const plan::BufferEffect &effect : effects.buffers) {
      const bool readByPeers = effect.until == plan::BufferHold::Done ||
                               effect.until == plan::BufferHold::ReceivedThenDone;
      if (!readByPeers || !plan.channels(int(effects.channels.front().channel)).zero_copy())
        continue;
      const plan::Buffer &buffer = program.buffers(int(effect.buffer));
      if (buffer.storage_case() == plan::Buffer::kVariable)
        values.variables.insert(buffer.variable());
      else if (buffer.storage_case() == plan::Buffer::kConstant)
        values.constants.insert(buffer.constant());
      else
        values.arena = true; // a bucket
    }
  }
  return values;
}

void fillConstant(const std::string &value, uint8_t *memory, uint64_t bytes) {
  uint64_t filled = std::min<uint64_t>(value.size(), bytes);
  memcpy(memory, value.data(), filled);
  for (; filled && filled < bytes; filled += std::min(filled, bytes - filled))
    memcpy(memory + filled, memory, std::min(filled, bytes - filled));
}

/// Follows from plan and task alone, so other tasks know where in this task's memory an arena
/// begins (arenaOffset).
ZeroCopySource::Layout ZeroCopySource::layout(const plan::Plan &plan, const plan::Task &task) {
  Layout result;
  auto place = [&](auto &offsets, auto index, uint64_t size, uint64_t alignment) {
    const uint64_t start = (result.bytes + alignment - 1) / alignment * alignment;
    if (offsets.try_emplace(index, start).second)
      result.bytes = std::min(start + size, kTooManyBytes);
  };
  std::set<uint32_t> constants;
  for (uint32_t number = 0; number < uint32_t(plan.programs_size()); ++number) {
    const plan::Program &program = plan.programs(int(number));
    std::vector<uint32_t> here;
    for (uint32_t instance = 0; instance < program.instances(); ++instance)
      if (plan::sameTask(plan::instanceTask(plan, program, instance), task))
        here.push_back(instance);
    if (here.empty())
      continue;
    ZeroCopyValues values = sentZeroCopyBy(plan, program);
    for (uint32_t instance : here)
      if (values.arena)
        place(result.arenas, std::pair(number, instance), program.arena_bytes(),
              plan::kMappableBytes);
    for (uint32_t index : values.variables)
      place(result.variables, index,
            plan::tensorBytes(plan.variables(int(index)).type()).value_or(0), device::alignment);
    constants.insert(values.constants.begin(), values.constants.end());
    for (const plan::Buffer &buffer : program.buffers())
      if (buffer.storage_case() == plan::Buffer::kConstant) {
        uint64_t &bytes = result.constantBytes[buffer.constant()];
        bytes = std::max(bytes, buffer.bytes());
      }
  }
  for (uint32_t index : constants)
    place(result.constants, index, result.constantBytes[index], device::alignment);
  result.bytes = (result.bytes + device::alignment - 1) / device::alignment * device::alignment;
  return result;
}

absl::StatusOr<ZeroCopySource> ZeroCopySource::create(const plan::Plan &plan,
                                                      const plan::Task &task) {
  ZeroCopySource result;
  result.places_ = layout(plan, task);
  if (result.places_.bytes == 0)
    return result;
  GRAPHC_ASSIGN_OR_RETURN(result.shared_,
                          device::host().share(result.places_.bytes, "zero-copy variables"));
  for (auto [index, offset] : result.places_.constants)
    fillConstant(plan.constants(int(index)), result.shared_.data() + offset,
                 result.places_.constantBytes[index]);
  return result;
}

} // namespace graphc::executor
