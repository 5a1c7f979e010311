#include "runtime/executor/Published.h"

#include "runtime/base/Status.h"
#include "runtime/plan/Types.h"

#include <cstring>

namespace graphc::executor {

PublishedValues publishedBy(const plan::Plan &plan, const plan::Program &program) {
  PublishedValues values;
  for (const plan::Instruction &instruction : program.instructions()) {
    if (!instruction.has_send_start() || !plan.channels(int(instruction.send_start().channel())).published())
      continue;
    const plan::Buffer &buffer = program.buffers(int(instruction.send_start().buffer()));
    if (buffer.storage_case() == plan::Buffer::kVariable)
      values.variables.insert(buffer.variable());
    else
      values.constants.insert(buffer.constant());
  }
  return values;
}

absl::StatusOr<PublishedMemory> PublishedMemory::create(const plan::Plan &plan, const plan::Task &task) {
  PublishedMemory result;
  uint64_t bytes = 0;
  auto place = [&](Places &places, uint32_t index, uint64_t size) {
    if (places.try_emplace(index, bytes).second)
      bytes += (size + device::alignment - 1) / device::alignment * device::alignment;
  };
  for (const plan::Program &program : plan.programs()) {
    bool here = false;
    for (uint32_t instance = 0; instance < program.instances() && !here; ++instance)
      here = plan::sameTask(plan::instanceTask(plan, program, instance), task);
    if (!here)
      continue;
    PublishedValues values = publishedBy(plan, program);
    for (uint32_t index : values.variables)
      place(result.variables, index, plan::tensorBytes(plan.variables(int(index)).type()).value_or(0));
    for (uint32_t index : values.constants)
      place(result.constants, index, plan.constants(int(index)).size());
  }
  if (bytes == 0)
    return result;
  GRAPHC_ASSIGN_OR_RETURN(result.shared, device::Memory::share(bytes, "published variables"));
  for (auto [index, offset] : result.constants)
    memcpy(result.shared.data() + offset, plan.constants(int(index)).data(), plan.constants(int(index)).size());
  return result;
}

} // namespace graphc::executor
