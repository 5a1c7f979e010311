#include "runtime/executor/LoopSum.h"

#include <cstring>

namespace graphc::executor {

int addToLoopSum(const LaneInstruction &instruction, void *const *arguments, uint64_t bytes,
                 uint32_t iteration, const GraphcContext &context) {
  const LoopSumStep step(instruction.take, iteration);
  const uint64_t chunk = instruction.bytes;
  int code = 0;
  for (uint64_t at = 0; !code && at < bytes; at += chunk) {
    auto part = [&](void *whole) { return static_cast<uint8_t *>(whole) + at; };
    code = step.apply(
        arguments[0], arguments + 1, instruction.take > 1,
        [&](void *to, const void *from) {
          memcpy(part(to), static_cast<const uint8_t *>(from) + at, chunk);
        },
        [&](void *to, void *from) {
          void *both[] = {part(to), part(from)};
          return instruction.kernel(both, &context);
        });
  }
  return code;
}

} // namespace graphc::executor
