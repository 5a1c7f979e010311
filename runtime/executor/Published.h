//===- Published.h - what one task's peers read in place ---------------------------------------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_EXECUTOR_PUBLISHED_H
#define GRAPHC_RUNTIME_EXECUTOR_PUBLISHED_H

#include "runtime/device/Memory.h"
#include "runtime/plan/plan.pb.h"

#include "absl/status/statusor.h"

#include <map>
#include <set>
#include <utility>

namespace graphc::executor {

/// Variables and constants, by their index in the plan, and whether peers read in the arena.
struct PublishedValues {
  std::set<uint32_t> variables, constants;
  bool arena = false; ///< buffers of the arena are among them
};
/// What the program sends on published channels.
PublishedValues publishedBy(const plan::Plan &plan, const plan::Program &program);

/// The variables, constants and arenas from which the programs of one task send on published channels, in one shared memory.
/// The constants hold their values from the start.
class PublishedMemory {
public:
  static absl::StatusOr<PublishedMemory> create(const plan::Plan &plan, const plan::Task &task);

  /// Null for one that is not published.
  uint8_t *variable(uint32_t index) const { return find(variables, index); }
  uint8_t *constant(uint32_t index) const { return find(constants, index); }
  /// Of an instance of a program.
  uint8_t *arena(uint32_t program, uint32_t instance) const { return find(arenas, {program, instance}); }
  /// What peers map; size() is 0 where the task publishes nothing.
  const device::Memory &memory() const { return shared; }

private:
  template <typename Index> using Places = std::map<Index, uint64_t>; // index → offset
  template <typename Index> uint8_t *find(const Places<Index> &places, const Index &index) const {
    auto place = places.find(index);
    return place == places.end() ? nullptr : shared.data() + place->second;
  }
  device::Memory shared;
  Places<uint32_t> variables, constants;
  Places<std::pair<uint32_t, uint32_t>> arenas;
};

} // namespace graphc::executor
#endif
