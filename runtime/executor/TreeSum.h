//===- TreeSum.h - messages that are all there, summed by the tree ------------------*- C++ -*-===//
//
// One part of each message at a time, so that the part's sums stay in a cache while the messages
// pass by once. The shape is that of runtime/common/plan/SumTree.h, message r being its leaf r.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_EXECUTOR_TREESUM_H
#define GRAPHC_RUNTIME_EXECUTOR_TREESUM_H

#include "runtime/common/abi/KernelAbi.h"
#include "runtime/common/plan/SumTree.h"

#include <cstdint>
#include <cstring>

namespace graphc::executor {

class TreeSum {
public:
  GraphcKernel kernel = nullptr; ///< (sum, message) of one part: sum += message
  const GraphcContext *context = nullptr;
  uint64_t bytes = 0; ///< of one part
  const uint8_t *const *messages = nullptr; ///< where each begins
  /// a stride for each of plan::partialSums, or of partialSumsOfAny for `addOthers`
  uint8_t *partials = nullptr;

  /// Each returns the code of a kernel that failed, or 0. `offset`: of the part in the messages.
  /// `to` becomes the sum of the subtree of `count` messages from `first` on.
  int make(uint8_t *to, uint64_t first, uint64_t count, uint64_t offset) const {
    return make(to, first, count, offset, partials);
  }
  /// `to` += the sum of that subtree.
  int add(uint8_t *to, uint64_t first, uint64_t count, uint64_t offset) const {
    return add(to, first, count, offset, partials);
  }
  /// `to` is the part of message `self`, and becomes the sum of all `count`. Which of two is left
  /// does not matter: x + y is y + x.
  int addOthers(uint8_t *to, uint64_t self, uint64_t count, uint64_t offset) const {
    return addOthers(to, self, 0, count, offset);
  }

private:
  int run(uint8_t *to, const uint8_t *from) const {
    void *arguments[] = {to, const_cast<uint8_t *>(from)};
    return kernel(arguments, context);
  }
  int make(uint8_t *to, uint64_t first, uint64_t count, uint64_t offset, uint8_t *free) const {
    if (count == 1) {
      memcpy(to, messages[first] + offset, bytes);
      return 0;
    }
    const uint64_t left = plan::leftLeaves(count);
    if (int code = make(to, first, left, offset, free))
      return code;
    return add(to, first + left, count - left, offset, free);
  }
  int add(uint8_t *to, uint64_t first, uint64_t count, uint64_t offset, uint8_t *free) const {
    if (count == 1)
      return run(to, messages[first] + offset);
    if (int code = make(free, first, count, offset, free + plan::partialStride(bytes)))
      return code;
    return run(to, free);
  }
  int addOthers(uint8_t *to, uint64_t self, uint64_t first, uint64_t count, uint64_t offset) const {
    if (count == 1)
      return 0;
    const uint64_t left = plan::leftLeaves(count);
    const bool inLeft = self < first + left;
    if (int code = inLeft ? addOthers(to, self, first, left, offset)
                          : addOthers(to, self, first + left, count - left, offset))
      return code;
    return inLeft ? add(to, first + left, count - left, offset) : add(to, first, left, offset);
  }
};

} // namespace graphc::executor
#endif
