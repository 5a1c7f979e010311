//===- ZeroCopySource.h - what one task's peers read in place -----------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_EXECUTOR_ZEROCOPYSOURCE_H
#define GRAPHC_RUNTIME_EXECUTOR_ZEROCOPYSOURCE_H

#include "runtime/common/plan/plan.pb.h"
#include "runtime/device/MemoryRegion.h"

#include "absl/status/statusor.h"

#include <map>
#include <set>
#include <utility>

namespace graphc::executor {

/// Variables and constants, by their index in the plan, and whether peers read in the arena.
struct ZeroCopyValues {
  std::set<uint32_t> variables, constants;
  bool arena = false; ///< buffers of the arena are among them
};
/// What the program sends on zero-copy channels.
ZeroCopyValues sentZeroCopyBy(const plan::Plan &plan, const plan::Program &program);

/// Writes a constant of the plan, which may hold one element for all, to memory of `bytes` bytes.
void fillConstant(const std::string &value, uint8_t *memory, uint64_t bytes);
/// Sums of sizes stay here and do not wrap around; memory of so many bytes is refused.
constexpr uint64_t kTooManyBytes = uint64_t(1) << 60;

/// The variables, constants and arenas from which the programs of one task send on zero-copy
/// channels, in one shared memory. The constants hold their values from the start.
class ZeroCopySource {
public:
  static absl::StatusOr<ZeroCopySource> create(const plan::Plan &plan, const plan::Task &task);
  /// Where in the memory of `task`, another one perhaps, an arena begins: at a page. The program
  /// has one that is zero-copy.
  static uint64_t arenaOffset(const plan::Plan &plan, const plan::Task &task, uint32_t program,
                              uint32_t instance) {
    return layout(plan, task).arenas.at({program, instance});
  }

  /// Null for one that is not zero-copy.
  uint8_t *variable(uint32_t index) const { return find(places_.variables, index); }
  uint8_t *constant(uint32_t index) const { return find(places_.constants, index); }
  /// Of an instance of a program.
  uint8_t *arena(uint32_t program, uint32_t instance) const {
    return find(places_.arenas, {program, instance});
  }
  /// What peers map; size() is 0 where the task sends nothing zero-copy.
  const device::MemoryRegion &memory() const { return shared_; }

private:
  struct Layout { // index → offset
    std::map<uint32_t, uint64_t> variables, constants;
    /// of the largest buffer, for those of all programs here
    std::map<uint32_t, uint64_t> constantBytes;
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> arenas;
    uint64_t bytes = 0;
  };
  static Layout layout(const plan::Plan &plan, const plan::Task &task);
  template <typename Index>
  uint8_t *find(const std::map<Index, uint64_t> &offsets, const Index &index) const {
    auto offset = offsets.find(index);
    return offset == offsets.end() ? nullptr : shared_.data() + offset->second;
  }
  device::MemoryRegion shared_;
  Layout places_;
};

} // namespace graphc::executor
#endif
