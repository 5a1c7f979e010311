#include "runtime/executor/LoopSum.h"

#include <bit>
#include <cstring>

namespace graphc::executor {

// The first partial is that of the leaf under way, where a leaf has several values; the others are a binary counter: once as many
// leaves are done as have k ones at the end of their number, the sums of the first k and this leaf's stand in the next. Each is
// made in place of where it will stand, so that what it is made of is only read.
int addToLoopSum(const Instruction &instruction, void *const *arguments, uint64_t bytes, uint32_t iteration,
                 const GraphcContext &context) {
  const auto *value = static_cast<const uint8_t *>(arguments[0]);
  const uint32_t perLeaf = instruction.take, inLeaf = iteration % perLeaf;
  void *const *const leaf = arguments + 1, *const *const subtrees = leaf + (perLeaf > 1);
  const bool ends = inLeaf + 1 == perLeaf;
  const auto joined = ends ? uint32_t(std::countr_one(iteration / perLeaf)) : 0;
  auto *sum = static_cast<uint8_t *>(ends ? subtrees[joined] : *leaf);
  const uint64_t chunk = instruction.bytes;
  for (uint64_t at = 0; at < bytes; at += chunk) {
    auto add = [&](const void *from) {
      void *both[] = {sum + at, const_cast<uint8_t *>(static_cast<const uint8_t *>(from)) + at};
      return instruction.kernel(both, &context);
    };
    // The value last of its leaf, the leaf last of what it is joined with: x + y is y + x.
    if (inLeaf == 0)
      memcpy(sum + at, value + at, chunk);
    else if (ends)
      memcpy(sum + at, static_cast<const uint8_t *>(*leaf) + at, chunk);
    if (inLeaf)
      if (int code = add(value))
        return code;
    for (uint32_t k = 0; k < joined; ++k)
      if (int code = add(subtrees[k]))
        return code;
  }
  return 0;
}

} // namespace graphc::executor
